"""The treebanks behind the tables: named here, so that others in the same folder change nothing."""

import os
from collections.abc import Iterable
from pathlib import Path

TREEBANKS = {
    "r2.5": """
        Afrikaans-AfriBooms Belarusian-HSE Buryat-BDT Coptic-Scriptorium Czech-CLTT English-GUM
        English-LinES English-ParTUT Estonian-EWT French-ParTUT French-Sequoia French-Spoken
        Galician-TreeGal Gothic-PROIEL Greek-GDT Hungarian-Szeged Irish-IDT Italian-ParTUT
        Italian-TWITTIRO Kazakh-KTB Korean-GSD Kurmanji-MG Latin-Perseus Lithuanian-HSE
        Livvi-KKPP Maltese-MUDT Marathi-UFAL North_Sami-Giella Norwegian-NynorskLIA
        Old_Church_Slavonic-PROIEL Russian-Taiga Scottish_Gaelic-ARCOSG Slovenian-SST Tamil-TTB
        Telugu-MTG Turkish-IMST Upper_Sorbian-UFAL Uyghur-UDT Vietnamese-VTB Wolof-WTB
    """,
    "r2.6": """
        Afrikaans-AfriBooms Belarusian-HSE Coptic-Scriptorium Czech-CLTT English-LinES
        English-ParTUT Estonian-EWT French-ParTUT French-Sequoia French-Spoken
        Galician-TreeGal Gothic-PROIEL Greek-GDT Hungarian-Szeged Irish-IDT Italian-ParTUT
        Italian-TWITTIRO Korean-GSD Latin-Perseus Lithuanian-HSE Maltese-MUDT Marathi-UFAL
        North_Sami-Giella Norwegian-NynorskLIA Old_Church_Slavonic-PROIEL Old_Russian-RNC
        Russian-Taiga Sanskrit-Vedic Scottish_Gaelic-ARCOSG Slovenian-SST Tamil-TTB
        Telugu-MTG Turkish-IMST Uyghur-UDT Vietnamese-VTB Welsh-CCG Wolof-WTB
    """,
    "r2.9": """
        Afrikaans-AfriBooms Buryat-BDT Coptic-Scriptorium Czech-CLTT English-Atis English-LinES
        English-ParTUT Faroese-FarPaHC French-ParTUT French-Sequoia Galician-TreeGal Greek-GDT
        Hungarian-Szeged Indonesian-CSUI Italian-ParTUT Kazakh-KTB Korean-GSD Kurmanji-MG
        Latin-Perseus Lithuanian-HSE Livvi-KKPP Marathi-UFAL North_Sami-Giella
        Norwegian-NynorskLIA Old_Church_Slavonic-PROIEL Old_East_Slavic-RNC Sanskrit-Vedic
        Slovenian-SST Tamil-TTB Telugu-MTG Turkish-FrameNet Turkish-IMST Turkish_German-SAGT
        Upper_Sorbian-UFAL Uyghur-UDT Vietnamese-VTB Welsh-CCG
    """,
}
"""Names of treebanks by release, without ``UD_``."""
MEASURED = ("r2.5", "r2.9")
"""Releases of which all measures are tabulated."""


def release_folder(release: str) -> Path:
    """Return where the treebanks of a release, such as ``r2.9``, are looked for."""
    return Path(os.environ.get("TREEGAUGE_UD", "../shared/ud")) / release


def treebank_folders(release: str) -> list[Path]:
    """Return the folders of all named treebanks of a release, in order of their names."""
    root = release_folder(release)
    return sorted(root / f"UD_{name}" for name in TREEBANKS[release].split())


def treebank_files(pattern: str = "*.conllu", *, releases: Iterable[str] = MEASURED) -> list[Path]:
    """Return the files of the named treebanks whose names match, by release and treebank."""
    folders = [folder for release in releases for folder in treebank_folders(release)]
    return [path for folder in folders for path in sorted(folder.glob(pattern))]


def absent(*releases: str) -> list[str]:
    """Return the releases that are not there, and the named treebanks that others lack."""
    lacking = []
    for release in releases:
        if not (root := release_folder(release)).is_dir():
            lacking.append(release)
            continue
        folders = treebank_folders(release)
        lacking += [str(one.relative_to(root.parent)) for one in folders if not one.is_dir()]
    return lacking
