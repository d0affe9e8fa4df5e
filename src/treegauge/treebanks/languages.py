"""Names of treebanks taken apart: ``UD_Greek-GDT@2.9`` is a language, a family and a release.

The table of languages is facts of common knowledge written down for this package; where it comes
from and how far it goes stands in ``treegauge/data/SOURCES.md``.
"""

import re
from collections.abc import Iterable
from difflib import get_close_matches
from functools import cache
from typing import NamedTuple

from treegauge.results.errors import TreegaugeError

UNKNOWN = "unknown"

# Family and genus, then UD's language codes with the names as UD writes them in folder names.
_TABLE = """
Afro-Asiatic, Cushitic: bej Beja, so Somali
Afro-Asiatic, Egyptian: cop Coptic, egy Egyptian
Afro-Asiatic, Semitic: aii Assyrian, ajp South_Levantine_Arabic, akk Akkadian, am Amharic, ar Arabic
Afro-Asiatic, Semitic: hbo Ancient_Hebrew, he Hebrew, mt Maltese
Afro-Asiatic, West Chadic: ha Hausa, say Zaar
Arawakan, Purus: apu Apurina
Arawan, unknown: jaa Madi, pad Paumari
Austro-Asiatic, Khasian: pbv Pnar
Austro-Asiatic, Viet-Muong: vi Vietnamese
Austronesian, Central Philippine: ceb Cebuano, tl Tagalog
Austronesian, Javanese: jv Javanese
Austronesian, Malayo-Sumbawan: id Indonesian
Basque, Basque: eu Basque
Bororoan, Bororoan: bor Bororo
Chibchan, unknown: pay Pesh
Chukotko-Kamchatkan, Northern Chukotko-Kamchatkan: ckt Chukchi
Code switching, Code switching: qaf Maghrebi_Arabic_French, qfn Frisian_Dutch, qhe Hindi_English
Code switching, Code switching: qtd Turkish_German, qte Telugu_English, qti Turkish_English
Constructed, Constructed: eo Esperanto
Creole, Creole: ht Haitian_Creole, pcm Naija
Dravidian, South Central: te Telugu
Dravidian, Southern: kn Kannada, ml Malayalam, ta Tamil
Eskimo-Aleut, Eskimo: ess Yupik
Indo-European, Albanian: aln Gheg, sq Albanian
Indo-European, Anatolian: hit Hittite
Indo-European, Armenian: hy Armenian, hyw Western_Armenian, xcl Classical_Armenian
Indo-European, Baltic: lt Lithuanian, ltg Latgalian, lv Latvian
Indo-European, Celtic: br Breton, cy Welsh, ga Irish, gd Scottish_Gaelic, gv Manx, sga Old_Irish
Indo-European, Germanic: af Afrikaans, ang Old_English, bar Bavarian, da Danish, de German
Indo-European, Germanic: en English, fo Faroese, got Gothic, gsw Alemannic, gsw Swiss_German
Indo-European, Germanic: is Icelandic, lb Luxembourgish, nds Low_Saxon, nl Dutch, no Norwegian
Indo-European, Germanic: sv Swedish
Indo-European, Greek: cpg Cappadocian, el Greek, grc Ancient_Greek
Indo-European, Indic: bho Bhojpuri, bn Bengali, gu Gujarati, hi Hindi, mr Marathi, or Odia
Indo-European, Indic: sa Sanskrit, sd Sindhi, si Sinhala, ur Urdu, xnr Kangri
Indo-European, Iranian: ckb Sorani, fa Persian, kfm Khunsari, kmr Kurmanji, nyq Nayini, ps Pashto
Indo-European, Iranian: soj Soi
Indo-European, Italic: xum Umbrian
Indo-European, Latin: la Latin
Indo-European, Phrygian: xpg Phrygian
Indo-European, Romance: ca Catalan, es Spanish, fr French, frm Middle_French, fro Old_French
Indo-European, Romance: gl Galician, it Italian, lij Ligurian, lld Ladin, nap Neapolitan
Indo-European, Romance: oc Occitan, pro Old_Occitan, pt Portuguese, rm Romansh, ro Romanian
Indo-European, Slavic: be Belarusian, bg Bulgarian, cs Czech, cu Old_Church_Slavonic, hr Croatian
Indo-European, Slavic: hsb Upper_Sorbian, mk Macedonian, orv Old_East_Slavic, orv Old_Russian
Indo-European, Slavic: pl Polish, qpm Pomak, ru Russian, sk Slovak, sl Slovenian, sr Serbian
Indo-European, Slavic: uk Ukrainian
Japanese, Japanese: ja Japanese
Kartvelian, Kartvelian: ka Georgian
Khoe-Kwadi, Khoe-Kwadi: naq Khoekhoe
Korean, Korean: ko Korean
Macro-Ge, Ge: xav Xavante
Mande, Western Mande: bm Bambara
Mayan, Mayan: quc Kiche
Mongolic, Mongolic: bxr Buryat
Na-Dene, Athapaskan: gwi Gwichin
Niger-Congo, Bantoid: tn Tswana
Niger-Congo, Defoid: yo Yoruba
Niger-Congo, Northern Atlantic: wo Wolof
Niger-Congo, unknown: gya Northwest_Gbaya
Nakh-Dagestanian, Dargic: dar Dargwa
Northwest Caucasian, Northwest Caucasian: ab Abkhaz, abq Abaza
Pama-Nyungan, Ngumpin-Yapa: wbp Warlpiri
Panoan, Panoan: shp Shipibo_Konibo
Sign language, Sign language: ssp Spanish_Sign_Language, swl Swedish_Sign_Language
Sino-Tibetan, Sinitic: lzh Classical_Chinese, yue Cantonese, zh Chinese
Tai-Kadai, Kam-Tai: th Thai
Tungusic, Tungusic: sjo Xibe
Tupian, Munduruku: myu Munduruku
Tupian, Ramarama: arr Karo
Tupian, Tupari: aqz Akuntsu, mpu Makurap
Tupian, Tupi-Guarani: eme Teko, gn Guarani, gub Guajajara, gun Mbya_Guarani, tpn Tupinamba
Tupian, Tupi-Guarani: urb Kaapor, yrl Nheengatu
Turkic, Northeastern: sah Yakut
Turkic, Northwestern: kk Kazakh, ky Kyrgyz, tt Tatar
Turkic, Southeastern: ug Uyghur, uz Uzbek
Turkic, Southwestern: az Azerbaijani, ota Ottoman_Turkish, tr Turkish
Turkic, unknown: otk Old_Turkish
Uralic, Finnic: et Estonian, fi Finnish, krl Karelian, olo Livvi, vep Veps
Uralic, Mordvin: mdf Moksha, myv Erzya
Uralic, Permic: koi Komi_Permyak, kpv Komi_Zyrian
Uralic, Sami: sme North_Sami, sms Skolt_Sami
Uralic, Samoyedic: yrk Nenets
Uralic, Ugric: hu Hungarian
Uto-Aztecan, Aztecan: azz Highland_Puebla_Nahuatl, nhi Western_Sierra_Puebla_Nahuatl
"""

_RELEASE = re.compile(r"(?:^|[^\d.])(\d{1,2}\.\d{1,2})$")
_OWN = re.compile(r"(UD_[A-Za-z_]+(?:-[A-Za-z0-9]+)?)(?:-(.+))?")
_PLAIN = re.compile(r"[\w-]+", re.ASCII)


class Language(NamedTuple):
    """A language of UD; what is not known of it is ``"unknown"``, its code ``""``."""

    name: str
    code: str
    family: str
    genus: str


@cache
def languages() -> dict[str, Language]:
    """Return the languages in the table by name.

    Examples
    --------
    >>> languages()["Upper Sorbian"]
    Language(name='Upper Sorbian', code='hsb', family='Indo-European', genus='Slavic')
    """
    found = {}
    for line in _TABLE.strip().splitlines():
        kin, _, members = line.partition(": ")
        family, _, genus = kin.partition(", ")
        for member in members.split(", "):
            code, _, name = member.partition(" ")
            name = name.replace("_", " ")
            found[name] = Language(name, code, family, genus)
    return found


def language_of(treebank: str) -> Language:
    """Return the language that a treebank's name begins with.

    Examples
    --------
    >>> language_of("UD_Turkish_German-SAGT").family, language_of("UD_Greek").code
    ('Code switching', 'el')
    >>> language_of("UD_Klingon-Home")
    Language(name='Klingon', code='', family='unknown', genus='unknown')
    """
    if not treebank.startswith("UD_"):
        return Language(UNKNOWN, "", UNKNOWN, UNKNOWN)
    name = treebank.removeprefix("UD_").partition("-")[0].replace("_", " ")
    return languages().get(name) or Language(name, "", UNKNOWN, UNKNOWN)


def code_of(treebank: str) -> str | None:
    """Return the code that UD gives a treebank, None if its language is not in the table.

    Examples
    --------
    >>> code_of("UD_Greek-GDT"), code_of("UD_Greek"), code_of("UD_Klingon-Home")
    ('el_gdt', 'el', None)
    """
    language = language_of(treebank)
    own = treebank.partition("-")[2].lower()
    return "_".join(filter(None, (language.code, own))) if language.code else None


def release_of(folder: str) -> str | None:
    """Return the release that a folder's name ends with, if it does.

    Examples
    --------
    >>> [release_of(name) for name in ("r2.9", "ud-treebanks-v2.10", "2.5", "treebanks")]
    ['2.9', '2.10', '2.5', None]
    """
    found = _RELEASE.search(folder)
    return found[1] if found else None


def own_name(folder: str) -> tuple[str, str | None]:
    """Return a treebank's name and release from its folder's name, which may end in a tag.

    Examples
    --------
    >>> own_name("UD_Greek-GDT-r2.9"), own_name("UD_Greek-GDT-master"), own_name("mine")
    (('UD_Greek-GDT', '2.9'), ('UD_Greek-GDT', None), ('mine', None))
    """
    found = _OWN.fullmatch(folder)
    return (found[1], release_of(found[2] or "")) if found else (folder, None)


def release_key(release: str | None) -> tuple[int, ...]:
    """Return what puts releases in their order: 2.9 before 2.10, none before all.

    Examples
    --------
    >>> sorted(["2.10", "2.9", None], key=release_key)
    [None, '2.9', '2.10']
    """
    return tuple(int(part) for part in release.split(".")) if release else ()


def take_apart(wanted: str) -> tuple[str, str | None]:
    """Split ``name@release``; the release may also be written ``r2.9`` or ``v2.9``.

    Examples
    --------
    >>> take_apart("UD_Greek-GDT@r2.9"), take_apart("el_gdt")
    (('UD_Greek-GDT', '2.9'), ('el_gdt', None))
    >>> take_apart("el_gdt@latest")
    Traceback (most recent call last):
    ...
    treegauge.results.errors.TreegaugeError: found release 'latest' in 'el_gdt@latest', ...
    """
    name, at, told = wanted.partition("@")
    release = release_of(told) if re.fullmatch(r"[rv]?\d+\.\d+", told) else None
    if at and release is None:
        raise TreegaugeError(
            f"found release {told!r} in {wanted!r}, expected a number such as in UD_Greek-GDT@2.9"
        )
    return name, release


def is_plain(name: str) -> bool:
    """Say whether a name is letters, digits, ``_`` and ``-`` only, and so is safe in a path.

    Examples
    --------
    >>> is_plain("UD_Greek-GDT"), is_plain("../UD_Greek-GDT"), is_plain("-x")
    (True, False, False)
    """
    return bool(_PLAIN.fullmatch(name)) and not name.startswith("-")


def fold(name: str) -> str:
    """Return a name as it is compared: without ``UD_``, case, and underscores.

    Examples
    --------
    >>> fold("UD_Upper_Sorbian-UFAL")
    'upper sorbian-ufal'
    """
    return name.casefold().replace("_", " ").removeprefix("ud ")


def near(name: str, known: Iterable[str]) -> list[str]:
    """Return the known names that come close to one that is not there.

    Examples
    --------
    >>> near("greek_gtd", ["UD_Greek-GDT", "UD_Welsh-CCG"])
    ['UD_Greek-GDT']
    """
    folded: dict[str, str] = {}
    for one in known:
        folded.setdefault(fold(one), one)
    return [folded[one] for one in get_close_matches(fold(name), folded, n=6, cutoff=0.5)]
