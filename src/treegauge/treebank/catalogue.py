"""Treebanks on disk by name, code, language, family, licence and size."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from treegauge.errors import ChoiceError, TreegaugeError
from treegauge.result import Result, sign
from treegauge.treebank.languages import (
    Language,
    code_of,
    language_of,
    own_name,
    release_key,
    release_of,
    take_apart,
)
from treegauge.treebank.licences import Papers, read_index, read_papers
from treegauge.treebank.sources import ENDINGS, SPLITS, Source, find, split_of

if TYPE_CHECKING:
    import polars as pl

    from treegauge.treebank.columns import Treebank
    from treegauge.treebank.selection import Prefer, Selection
    from treegauge.treebank.tally import Progress, Tally

# Large treebanks come in several files: cs_pdt-ud-train-l.conllu.
_FILE = re.compile(r"(?P<code>[^-]+)-ud-(?P<part>train|dev|test)\b")
_SHARES = ("text", "lemmas", "features", "xpos", "nonprojective")


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
        from treegauge.treebank.tally import Tally

        return sum((self.counts or {}).values(), Tally())

    @property
    def names(self) -> tuple[str, ...]:
        """What the treebank answers to: name, name without ``UD_``, code, language."""
        return self.name, self.name.removeprefix("UD_"), self.code, self.language.name

    def read(self, split: str | None = None, **options: Any) -> "Treebank":
        """Read the treebank or one part of it; see :func:`treegauge.read_conllu`."""
        from treegauge.treebank.conllu import read_conllu

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
        row |= {name: total.share(name) if total else None for name in _SHARES}
        return row | {"problem": self.problem, "folder": str(self.folder)}


@dataclass(frozen=True)
class Catalogue(Result):
    """Treebanks in the order of their releases and names; iterate over it, or find one."""

    entries: tuple[Entry, ...]
    signature: str
    digits: ClassVar[int] = 3

    def __len__(self) -> int:
        return len(self.entries)

    def __iter__(self) -> Iterator[Entry]:
        return iter(self.entries)

    @property
    def releases(self) -> list[str]:
        """The releases there are, oldest first."""
        return sorted({e.release for e in self if e.release}, key=release_key)

    @property
    def table(self) -> "pl.DataFrame":
        """One row a treebank.

        Sizes are in sentences and words; `text`, `lemmas`, `features` and `xpos` are the shares of
        words that have them, `nonprojective` the share of trees that are not projective.
        """
        import polars as pl

        numbers = {f"{part}_{unit}" for part in SPLITS for unit in ("sentences", "words")}
        schema = {
            name: pl.Int64 if name in numbers | {"sentences", "words"}
            else pl.Float64 if name in _SHARES else pl.String
            for name in _COLUMNS
        }  # fmt: skip
        return pl.DataFrame([entry.row() for entry in self], schema=schema)

    def shown(self) -> "pl.DataFrame":
        """Return what fits on a screen."""
        import polars as pl

        parts = [pl.col(f"{part}_words").alias(part) for part in SPLITS]
        frame = self.table.select(
            "treebank", "release", "code", "family", "licence", "sentences", "words", *parts,
            "lemmas", "features", "xpos", "nonprojective", "problem",
        )  # fmt: skip
        empty = ["release", "problem"] if len(frame) else []
        return frame.drop([name for name in empty if frame[name].null_count() == len(frame)])

    def matching(self, key: str) -> "Catalogue":
        """Return all treebanks of a name, code, language, family or genus, case aside.

        Parameters
        ----------
        key
            Such as ``"el_gdt"``, ``"Greek"``, ``"Slavic"`` or ``"UD_Greek-GDT@2.9"``.
        """
        name, release = take_apart(key)
        wanted = _plain(name)
        named = [
            entry
            for entry in self
            if wanted in map(_plain, (*entry.names, entry.language.family, entry.language.genus))
        ]
        if not named:
            raise ChoiceError("treebank", name, self._near(name))
        kept = [entry for entry in named if release in {None, entry.release}]
        if not kept:
            there = dict.fromkeys(entry.release or "unknown" for entry in named)
            raise ChoiceError(f"release of {name}", release, there)
        return self.subset(kept)

    def find(self, key: str) -> Entry:
        """Return the one treebank of a name, code or language.

        Parameters
        ----------
        key
            Such as ``"UD_Greek-GDT"``, ``"el_gdt"``, ``"Greek"`` or ``"el_gdt@2.9"``.

        Raises
        ------
        ChoiceError
            If there is none; it names those that come close.
        TreegaugeError
            If there are several; it names them.
        """
        found = self.matching(key)
        if len(found) > 1:
            names = ", ".join(map(str, found))
            raise TreegaugeError(f"{key!r} may be any of {names}: name one of them in full")
        return found.entries[0]

    def select(
        self,
        *,
        has: Sequence[str] = (),
        needs: Sequence[str] = (),
        where: Sequence[str] = (),
        licence: str | None = None,
        one_per_language: "Prefer | None" = None,
    ) -> "Selection":
        """Select treebanks by criteria; see :func:`treegauge.treebank.selection.select`."""
        from treegauge.treebank.selection import select

        return select(
            self, has=has, needs=needs, where=where, licence=licence,
            one_per_language=one_per_language,
        )  # fmt: skip

    def _near(self, name: str) -> list[str]:
        """Return the names that come close to one that is not there, or all of them."""
        known = {_plain(alias): alias for entry in self for alias in entry.names}
        close = get_close_matches(_plain(name), known, n=6, cutoff=0.5)
        return [known[alias] for alias in close] or list(dict.fromkeys(e.name for e in self))

    def subset(self, entries: Sequence[Entry], **choices: object) -> "Catalogue":
        """Return a catalogue of some entries; `choices` behind them go into its signature."""
        kept = replace(self, entries=tuple(entries))
        parts = {
            "v": "catalogue",
            "releases": ",".join(kept.releases) or None,
            "treebanks": len(entries),
            "errors": "skip",
        }
        return replace(kept, signature=sign(**parts, **choices))


_COLUMNS = tuple(Entry("", None, "", Language("", "", "", ""), Papers(), Path(), {}).row())


def _plain(name: str) -> str:
    return name.casefold().replace("_", " ").removeprefix("ud ")


def catalogue(
    *roots: Source,
    count: bool = True,
    threads: int | None = None,
    progress: "Progress | None" = None,
) -> Catalogue:
    r"""List the treebanks in folders, with what can be known of them.

    Parameters
    ----------
    *roots
        Folders that hold releases (``r2.9/UD_Greek-GDT``, ``ud-treebanks-v2.9/UD_Greek-GDT``) or
        treebanks (``UD_Greek-GDT``), or are treebanks.
    count
        Whether to read the files and count; without, the list is there at once.
    threads
        How many files to read at a time, by default one for each processor.
    progress
        A function to call with the bytes read so far and the bytes in all.

    Examples
    --------
    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp(), "r2.9", "UD_Greek-GDT")
    >>> folder.mkdir(parents=True)
    >>> text = "1\tΝαι\tναι\tINTJ\t_\t_\t0\troot\t_\t_\n\n"
    >>> _ = (folder / "el_gdt-ud-test.conllu").write_text(text, encoding="utf-8")
    >>> greek = catalogue(folder.parents[1]).find("el_gdt@2.9")
    >>> greek.language.family, greek.total.words, greek.read("test")
    ('Indo-European', 1, <Treebank UD_Greek-GDT/test: 1 sentences, 1 words>)
    """
    found = {folder: None for root in roots for folder in _folders(Path(root))}
    indices: dict[Path, dict[tuple[str | None, str], str]] = {}
    entries = [_entry(folder, indices) for folder in found]
    if count:
        entries = _counted(entries, threads, progress)
    entries.sort(key=lambda e: (release_key(e.release), e.name.casefold(), str(e.folder)))
    return Catalogue((), "").subset(entries, counted=None if count else False)


def _folders(root: Path) -> list[Path]:
    """Return the folders with CoNLL-U files in a folder of treebanks or of releases."""
    if not root.is_dir():
        raise TreegaugeError(f"{root}: no such folder; expected one with UD releases or treebanks")
    if _holds_treebank(root):
        return [root]
    found: list[Path] = []
    for child in _children(root):
        found += [child] if _holds_treebank(child) else filter(_holds_treebank, _children(child))
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


def _holds_treebank(folder: Path) -> bool:
    endings = (f".conllu{ending}" for ending in ENDINGS)
    return any(next(folder.glob(f"*{ending}"), None) is not None for ending in endings)


def _entry(folder: Path, indices: dict[Path, dict[tuple[str | None, str], str]]) -> Entry:
    whole = folder.resolve()
    name, release = own_name(whole.name)
    release = release or release_of(whole.parent.name)
    files: dict[str, tuple[str, ...]] = {}
    codes = []
    for path in find(folder):
        named = _FILE.match(Path(path).name)
        part = named["part"] if named else split_of(path)
        if named:
            codes.append(named["code"])
        if part:
            files[part] = (*files.get(part, ()), path)
    papers = read_papers(folder)
    if papers.licence == "unknown":
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


def _counted(entries: list[Entry], threads: int | None, progress: "Progress | None") -> list[Entry]:
    from treegauge.treebank.tally import Tally, tally_files

    paths = [path for entry in entries for some in entry.files.values() for path in some]
    found = tally_files(paths, threads=threads, progress=progress)
    counted = []
    for entry in entries:
        counts, problems = {}, [entry.problem] if entry.problem else []
        for part, some in entry.files.items():
            told = [found[path] for path in some]
            read = [one for one in told if isinstance(one, Tally)]
            problems += [one for one in told if isinstance(one, str)]
            if len(read) == len(some):  # half a part would pass for a small one
                counts[part] = sum(read, Tally())
        skipped = sum(part.skipped for part in counts.values())
        if skipped:
            problems.append(f"{skipped} sentences cannot be read")
        counted.append(replace(entry, counts=counts, problem="; ".join(problems) or None))
    return counted
