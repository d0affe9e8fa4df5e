"""One treebank on disk, and how treebanks are found in folders."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from treegauge.results.errors import ChoiceError, TreegaugeError
from treegauge.treebanks.languages import (
    UNKNOWN,
    Language,
    code_of,
    language_of,
    own_name,
    release_of,
)
from treegauge.treebanks.licences import Index, Papers, read_index, read_papers
from treegauge.treebanks.sources import ENDINGS, SPLITS, find, split_of

if TYPE_CHECKING:
    from treegauge.treebanks.columns import Treebank
    from treegauge.treebanks.tally import Tally

#: How UD names files. Large treebanks come in several: cs_pdt-ud-train-l.conllu.
UD_FILE = re.compile(r"(?P<code>[^-]+)-ud-(?P<part>train|dev|test)\b")
SHARES = ("text", "lemmas", "features", "xpos", "nonprojective")
"""Columns that are shares of words, or of trees for the last."""
SIZES = (*(f"{p}_{u}" for p in SPLITS for u in ("sentences", "words")), "sentences", "words")
"""Columns that are counts."""


@dataclass(frozen=True, eq=False)
class Entry:
    """A treebank on disk.

    Parameters
    ----------
    name, release, code
        Such as ``UD_Greek-GDT``, ``2.9`` (None if no folder says it) and ``el_gdt``.
    language
        Its language with family and genus.
    papers
        Licence, genre and kind of annotation.
    folder, files
        Where it is, and for each of train, dev and test its files.
    counts
        For each part its counts; None if nothing was counted.
    problem
        What is wrong with its files, or None.
    """

    name: str
    release: str | None
    code: str
    language: Language
    papers: Papers
    folder: Path
    files: Mapping[str, tuple[str, ...]]
    counts: "Mapping[str, Tally] | None" = None
    problem: str | None = None

    def __str__(self) -> str:
        return f"{self.name}@{self.release}" if self.release else self.name

    @property
    def total(self) -> "Tally":
        """The counts of all parts together."""
        from treegauge.treebanks.tally import Tally

        return sum((self.counts or {}).values(), Tally())

    @property
    def names(self) -> tuple[str, ...]:
        """What the treebank answers to: name, name without ``UD_``, code, language."""
        return self.name, self.name.removeprefix("UD_"), self.code, self.language.name

    def read(self, split: str | None = None, **options: Any) -> "Treebank":
        """Read the treebank or one part of it; see :func:`treegauge.read_conllu`."""
        from treegauge.treebanks.conllu import read_conllu

        if split is not None and split not in self.files:
            raise ChoiceError(f"part of {self}", split, self.files)
        paths = [p for part, some in self.files.items() if split in {None, part} for p in some]
        name = f"{self.name}/{split}" if split else self.name
        return read_conllu(paths, **({"name": name} | options))

    def row(self) -> dict[str, Any]:
        """Return the treebank as a row of the catalogue's table."""
        row: dict[str, Any] = {
            "treebank": self.name,
            "release": self.release,
            "code": self.code,
            "language": self.language.name,
            "family": self.language.family,
            "genus": self.language.genus,
            "licence": self.papers.licence,
            "genre": self.papers.genre,
            "annotation": self.papers.annotation,
        }
        counts = self.counts or {}
        for part in SPLITS:
            for unit in ("sentences", "words"):
                row[f"{part}_{unit}"] = getattr(counts[part], unit) if part in counts else None
        total = self.total if self.counts is not None else None
        row |= {unit: getattr(total, unit, None) for unit in ("sentences", "words")}
        row |= {name: total.share(name) if total else None for name in SHARES}
        return row | {"problem": self.problem, "folder": str(self.folder)}


COLUMNS = tuple(Entry("", None, "", Language("", "", "", ""), Papers(), Path(), {}).row())
"""Names of the columns of a row."""


def folders_in(root: Path) -> list[Path]:
    """Return the folders with CoNLL-U files in a folder of treebanks or of releases."""
    if not root.is_dir():
        raise TreegaugeError(f"{root}: no such folder; expected one with UD releases or treebanks")
    if holds_treebank(root):
        return [root]
    found: list[Path] = []
    for child in _children(root):
        found += [child] if holds_treebank(child) else filter(holds_treebank, _children(child))
    if not found:
        raise TreegaugeError(
            f"{root}: found no treebank; expected UD_*/*.conllu in it, or folders such as r2.9 or "
            "ud-treebanks-v2.9 that hold them"
        )
    return found


def _children(folder: Path) -> list[Path]:
    try:
        children = sorted(folder.iterdir())
        return [path for path in children if not path.name.startswith(".") and path.is_dir()]
    except OSError:  # not for us to read
        return []


def holds_treebank(folder: Path) -> bool:
    """Say whether CoNLL-U files lie in a folder."""
    endings = (f".conllu{ending}" for ending in ENDINGS)
    return any(next(folder.glob(f"*{ending}"), None) is not None for ending in endings)


def entry_of(folder: Path, indices: dict[Path, Index]) -> Entry:
    """Describe the treebank in a folder; `indices` keeps the tables read on the way."""
    whole = folder.resolve()
    name, release = own_name(whole.name)
    release = release or release_of(whole.parent.name)
    files: dict[str, tuple[str, ...]] = {}
    codes = []
    for path in find(folder):
        named = UD_FILE.match(Path(path).name)
        part = named["part"] if named else split_of(path)
        if named:
            codes.append(named["code"])
        if part:
            files[part] = (*files.get(part, ()), path)
    papers = read_papers(folder)
    if papers.licence == UNKNOWN:
        for place in (whole.parent, whole.parent.parent):
            if place not in indices:
                indices[place] = read_index(place / "INDEX.csv")
            if licence := indices[place].get((release, name)):
                papers = replace(papers, licence=licence)
                break
    return Entry(
        name=name,
        release=release,
        code=codes[0] if codes else code_of(name) or "",
        language=language_of(name),
        papers=papers,
        folder=folder,
        files={part: files[part] for part in SPLITS if part in files},
        problem=None if files else "no file is named as a train, dev or test part",
    )
