"""What the papers in a treebank's folder say of it: licence, genre, how it was annotated."""

import csv
import re
from dataclasses import dataclass
from pathlib import Path

from treegauge.treebanks.languages import UNKNOWN, release_of

_MARK = "Machine-readable metadata"
_FIELD = re.compile(r"^(License|Genre|Relations):[ \t]*(\S.*)$", re.MULTILINE)
_MOST = 1 << 20  # of a README; a longer one is something else

_LINKED = re.compile(r"creativecommons\.org/licenses/(by[a-z-]*)/(\d\.\d)")
_SHORT = re.compile(r"\bCC[ -]?(BY(?:-NC)?(?:-SA|-ND)?)[ -]?(\d\.\d)?")
_SPELLED = re.compile(
    r"Attribution(?P<nc>[ -]Non-?Commercial)?(?P<sa>[ -]Share-?Alike)?(?P<nd>[ -]NoDeriv\w*)?"
    r"[ ,(]*(?P<version>\d\.\d)",
    re.IGNORECASE,
)
_OTHERS = {
    "CC0 1.0": re.compile(r"\bCC0\b|publicdomain/zero", re.IGNORECASE),
    "LGPL-LR": re.compile(
        r"LGPL-?LR|Lesser General Public License for Linguistic Resources", re.IGNORECASE
    ),
}
_GPL = re.compile(r"GNU (?:GENERAL PUBLIC LICENSE|GPL)\W+(?:Version )?(\d)", re.IGNORECASE)


Index = dict[tuple[str | None, str], str]
"""Licences by release and treebank."""


@dataclass(frozen=True)
class Papers:
    """What is written about a treebank; ``"unknown"`` where nothing is.

    Parameters
    ----------
    licence
        Such as ``CC BY-SA 4.0``.
    genre
        Words of UD's list, such as ``news wiki``.
    annotation
        Where its relations come from, such as ``manual native`` or ``converted from manual``.
    """

    licence: str = UNKNOWN
    genre: str = UNKNOWN
    annotation: str = UNKNOWN


def recognise(text: str) -> str | None:
    """Return the short name of the licence that a text is or speaks of.

    Examples
    --------
    >>> recognise("Creative Commons Attribution-NonCommercial-ShareAlike 3.0 Unported")
    'CC BY-NC-SA 3.0'
    >>> recognise("see http://creativecommons.org/licenses/by/4.0/")
    'CC BY 4.0'
    """
    if found := _LINKED.search(text):
        return f"CC {found[1].upper()} {found[2]}"
    if found := _SHORT.search(text):
        return f"CC {found[1]} {found[2]}" if found[2] else f"CC {found[1]}"
    if found := _SPELLED.search(text):
        parts = ["BY", *(key.upper() for key in ("nc", "sa", "nd") if found[key])]
        return f"CC {'-'.join(parts)} {found['version']}"
    for name, pattern in _OTHERS.items():
        if pattern.search(text):
            return name
    found = _GPL.search(text)
    return f"GNU GPL {found[1]}.0" if found else None


def read_papers(folder: Path) -> Papers:
    """Read a treebank's README, and its LICENSE where the README does not name the licence.

    Parameters
    ----------
    folder
        Of one treebank. UD's releases have both files in each.
    """
    told: dict[str, str] = {}
    for name in ("README.md", "README.txt"):
        _, mark, after = _text(folder / name).rpartition(_MARK)
        if mark:
            told |= {key.lower(): value.strip() for key, value in _FIELD.findall(after)}
            break
    licence = told.get("license")
    if licence is None:
        text = _text(folder / "LICENSE.txt")
        licence = recognise(text) or ("see LICENSE.txt" if text.strip() else UNKNOWN)
    return Papers(licence, told.get("genre", UNKNOWN), told.get("relations", UNKNOWN))


def _text(path: Path) -> str:
    try:
        with path.open("rb") as file:
            return file.read(_MOST).decode(errors="replace")
    except OSError:  # not there, or not for us to read: nothing is said
        return ""


def read_index(path: Path) -> Index:
    """Read licences from a table with the columns ``release``, ``treebank`` and ``licence``.

    Collections whose folders hold nothing but treebanks keep such an ``INDEX.csv`` beside them.

    Returns
    -------
    dict
        Licence by release and treebank; empty where there is no such table.
    """
    try:
        with path.open(encoding="utf-8", errors="replace", newline="") as file:
            rows = list(csv.DictReader(file))
    except (OSError, csv.Error):
        return {}
    return {
        (release_of(row.get("release") or ""), row["treebank"]): row["licence"].strip()
        for row in rows
        if row.get("treebank") and (row.get("licence") or "").strip()
    }
