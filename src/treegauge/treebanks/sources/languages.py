"""Parts of treebank names: ``UD_Greek-GDT@2.9`` has a language, its family, and a release.

The table of languages was written for this package from common knowledge; its sources and limits
are in ``treegauge/data/SOURCES.md``.
"""

import re
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import NamedTuple

from treegauge.core.errors import TreegaugeError

UNKNOWN = "unknown"

_TABLE = Path(__file__).parents[2] / "data" / "languages.txt"
_RELEASE = re.compile(r"(?:^|[^\d.])(\d{1,2}\.\d{1,2})$")
_OWN = re.compile(r"(UD_[A-Za-z_]+(?:-[A-Za-z0-9]+)?)(?:-(.+))?")
_CODE = re.compile(r"([a-z]{2,3})(?:_[a-z0-9]+)?(?:-ud-(?:train|dev|test))?")
_PLAIN = re.compile(r"[\w-]+", re.ASCII)


class Language(NamedTuple):
    """A language of UD; unknown properties are ``"unknown"``, an unknown code is ``""``."""

    name: str
    code: str
    family: str
    genus: str


#: What is known of a language of an unknown name.
_NO_LANGUAGE = Language(UNKNOWN, "", UNKNOWN, UNKNOWN)


@cache
def languages() -> dict[str, Language]:
    """Return the languages in the table by name."""
    table = {}
    for line in _TABLE.read_text(encoding="utf-8").splitlines()[1:]:
        kin, _, members = line.partition(": ")
        family, _, genus = kin.partition(", ")
        for member in members.split(", "):
            code, _, name = member.partition(" ")
            name = name.replace("_", " ")
            table[name] = Language(name, code, family, genus)
    return table


@cache
def _by_code() -> dict[str, Language]:
    return {language.code: language for language in reversed(languages().values())}


@cache
def _by_name() -> dict[str, Language]:
    return {name.lower(): language for name, language in languages().items()}


def language_of(treebank: str) -> Language:
    """Return the language of a treebank from its name, code, file or title.

    Examples
    --------
    >>> {language_of(name).genus for name in ("UD_Greek-GDT@2.9", "el_gdt-ud-test", "Greek GDT")}
    {'Greek'}
    """
    plain = treebank.strip().partition("@")[0]
    code = _CODE.fullmatch(plain.lower())
    if code and code[1] in _by_code():
        return _by_code()[code[1]]
    words = re.split(r"[\s_]+", plain.removeprefix("UD_").partition("-")[0].lower())
    for number in range(len(words), 0, -1):
        if language := _by_name().get(" ".join(words[:number])):
            return language
    if not plain.startswith("UD_"):
        return _NO_LANGUAGE
    name = plain.removeprefix("UD_").partition("-")[0].replace("_", " ")
    return Language(name, "", UNKNOWN, UNKNOWN)


def kin_of(treebank: str, kind: str) -> str | None:
    """Return the ``language``, ``genus`` or ``family`` of a treebank; None if it is not known."""
    language = language_of(treebank)
    value: str = getattr(language, "name" if kind == "language" else kind)
    return None if value == UNKNOWN else value


def code_of(treebank: str) -> str | None:
    """Return the UD code of ``UD_Greek-GDT``; None for other names and unknown languages."""
    language, _, part = treebank.removeprefix("UD_").partition("-")
    known = languages().get(language.replace("_", " "))
    if known is None or not treebank.startswith("UD_"):
        return None
    return "_".join(filter(None, (known.code, part.lower())))


@cache
def official_treebanks() -> dict[str, str]:
    """Return the names of the treebanks in UD releases by code; a code of two names has the present one."""
    table: dict[str, str] = {}
    for line in (_TABLE.parent / "treebanks.txt").read_text(encoding="utf-8").splitlines()[1:]:
        language, _, names = line.partition(": ")
        for name in names.split():
            treebank = f"UD_{language}-{name}"
            table.setdefault(code_of(treebank) or treebank, treebank)
    return table


def _plainly(name: str) -> str:
    return name.removeprefix("UD_").replace("-", " ").replace("_", " ")


def _title_and_code(treebank: str) -> tuple[str, str]:
    """Return a readable name, and the UD code or nothing."""
    name = own_name(treebank.partition("@")[0])[0]
    if name.startswith("UD_"):
        return _plainly(name), code_of(name) or ""
    code = re.fullmatch(r"([a-z]{2,3}_[a-z0-9]+)(?:-ud-(?:train|dev|test))?", treebank)
    known = official_treebanks().get(code[1]) if code else None
    return _plainly(known or treebank) if code else treebank, code[1] if code and known else ""


def code_column(treebanks: Iterable[str]) -> list[str]:
    """Return the UD codes of treebanks next to their :func:`human_names`; nothing where a code is unknown.

    Examples
    --------
    >>> code_column(["UD_Ancient_Greek-PROIEL@2.9", "el_gdt-ud-test", "gold"])
    ['grc_proiel', 'el_gdt', '']
    """
    return [_title_and_code(treebank)[1] for treebank in treebanks]


def human_names(treebanks: Iterable[str]) -> list[str]:
    """Return readable names; an unknown name, or one that would not be unique, stays unchanged.

    Examples
    --------
    >>> human_names(["UD_Ancient_Greek-PROIEL@2.9", "el_gdt-ud-test", "gold"])
    ['Ancient Greek PROIEL', 'Greek GDT', 'gold']
    """
    names = list(treebanks)
    readable = [_title_and_code(name)[0] for name in names]
    return [
        human_name if readable.count(human_name) == 1 else name
        for name, human_name in zip(names, readable, strict=True)
    ]


def release_of(folder: str) -> str | None:
    """Return the release at the end of a folder's name, if there is one."""
    match = _RELEASE.search(folder)
    return match[1] if match else None


def own_name(folder: str) -> tuple[str, str | None]:
    """Return a treebank's name and release from its folder's name, which may end in a tag."""
    match = _OWN.fullmatch(folder)
    return (match[1], release_of(match[2] or "")) if match else (folder, None)


def release_key(release: str | None) -> tuple[int, ...]:
    """Return a sort key for releases: 2.9 before 2.10, none before all."""
    return tuple(int(part) for part in release.split(".")) if release else ()


def take_apart(wanted: str) -> tuple[str, str | None]:
    """Split ``name@release``; the release may also be written ``r2.9`` or ``v2.9``."""
    name, mark, end = wanted.partition("@")
    release = release_of(end) if re.fullmatch(r"[rv]?\d+\.\d+", end) else None
    if mark and release is None:
        raise TreegaugeError(f"found release {end!r} in {wanted!r}, expected a number such as in UD_Greek-GDT@2.9")
    return name, release


def is_plain(name: str) -> bool:
    """Whether a name has only letters, digits, ``_`` and ``-``, and so is safe in a path."""
    return bool(_PLAIN.fullmatch(name)) and not name.startswith("-")


def fold(name: str) -> str:
    """Return a name for comparison: without ``UD_``, case, and underscores."""
    return name.casefold().replace("_", " ").removeprefix("ud ")


def treebank_key(name: str) -> str:
    """Return the common key of a treebank's name, code and files: ``el_gdt``."""
    base, _, release = name.strip().partition("@")
    base = base.partition("-ud-")[0]
    plain = base.removeprefix("UD_")
    key = (code_of(f"UD_{plain}") or fold(base)).lower().replace(" ", "_")
    return f"{key}@{release}" if release else key


def near(name: str, known: Iterable[str]) -> list[str]:
    """Return the known names most similar to an unknown one."""
    from difflib import get_close_matches

    folded: dict[str, str] = {}
    for known_name in known:
        folded.setdefault(fold(known_name), known_name)
    return [folded[match] for match in get_close_matches(fold(name), folded, n=6, cutoff=0.5)]
