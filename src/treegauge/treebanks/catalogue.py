"""Treebanks on disk by name, code, language, family, licence and size."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from treegauge.results.errors import ChoiceError, TreegaugeError
from treegauge.results.result import Result, sign
from treegauge.treebanks.entries import COLUMNS, SHARES, SIZES, Entry, entry_of, folders_in
from treegauge.treebanks.languages import fold, near, release_key, take_apart
from treegauge.treebanks.sources import SPLITS, Source

if TYPE_CHECKING:
    import polars as pl

    from treegauge.treebanks.licences import Index
    from treegauge.treebanks.selection import Prefer, Selection
    from treegauge.treebanks.tally import Progress, Tally


@dataclass(frozen=True)
class Catalogue(Result):
    """Treebanks in the order of their releases and names; iterate over it, or find one.

    Parameters
    ----------
    entries
        The treebanks.
    choices
        What led to them, for the signature.
    """

    entries: tuple[Entry, ...]
    choices: Mapping[str, object]
    signature: str
    digits: ClassVar[int] = 3

    def __len__(self) -> int:
        return len(self.entries)

    def __iter__(self) -> Iterator[Entry]:
        return iter(self.entries)

    @property
    def table(self) -> "pl.DataFrame":
        """One row a treebank.

        Sizes are in sentences and words; `text`, `lemmas`, `features` and `xpos` are the shares of
        words that have them, `nonprojective` the share of trees that are not projective.
        """
        import polars as pl

        kinds = dict.fromkeys(SIZES, pl.Int64) | dict.fromkeys(SHARES, pl.Float64)
        schema = {name: kinds.get(name, pl.String) for name in COLUMNS}
        return pl.DataFrame([entry.row() for entry in self], schema=schema)

    def shown(self) -> "pl.DataFrame":
        """Return what fits on a screen."""
        import polars as pl

        parts = [pl.col(f"{part}_words").alias(part) for part in SPLITS]
        frame = self.table.select(
            "treebank", "release", "code", "family", "licence", "sentences", "words", *parts,
            "lemmas", "features", "xpos", "nonprojective", "problem",
        )  # fmt: skip
        blank = [column.name for column in frame if column.null_count() == len(frame)]
        return frame.drop(blank) if len(frame) else frame

    def matching(self, key: str) -> "Catalogue":
        """Return all treebanks of a name, code or language, else of a family or genus; case aside.

        Parameters
        ----------
        key
            Such as ``"el_gdt"``, ``"Greek"``, ``"Slavic"`` or ``"UD_Greek-GDT@2.9"``.
        """
        name, release = take_apart(key)
        wanted = fold(name)
        named = [entry for entry in self if wanted in map(fold, entry.names)] or [
            entry
            for entry in self
            if wanted in map(fold, (entry.language.family, entry.language.genus))
        ]
        if not named:
            aliases = [alias for entry in self for alias in entry.names]
            all_names = dict.fromkeys(entry.name for entry in self)
            raise ChoiceError("treebank", name, near(name, aliases) or all_names)
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
        """Select treebanks by criteria; see :func:`treegauge.treebanks.selection.select`."""
        from treegauge.treebanks.selection import select

        return select(
            self, has=has, needs=needs, where=where, licence=licence,
            one_per_language=one_per_language,
        )  # fmt: skip

    def subset(self, entries: Sequence[Entry], **choices: object) -> "Catalogue":
        """Return a catalogue of some entries; the choices behind them go into its signature."""
        return _catalogue(entries, {**self.choices, **choices})

    def counted(
        self, *, threads: int | None = None, progress: "Progress | None" = None
    ) -> "Catalogue":
        """Read the files and count; see :func:`catalogue` for the options."""
        from treegauge.treebanks.tally import tally_files

        paths = [path for entry in self for some in entry.files.values() for path in some]
        found = tally_files(paths, threads=threads, progress=progress)
        return self.subset([_counted(entry, found) for entry in self], counted=None)


def _catalogue(entries: Sequence[Entry], choices: Mapping[str, object]) -> Catalogue:
    releases = sorted({entry.release for entry in entries if entry.release}, key=release_key)
    told = {"releases": ",".join(releases) or None, "treebanks": len(entries), "errors": "skip"}
    return Catalogue(tuple(entries), choices, sign(v="catalogue", **told, **choices))


def _counted(entry: Entry, found: "Mapping[str, Tally | str]") -> Entry:
    from treegauge.treebanks.tally import Tally

    counts, problems = {}, [entry.problem] if entry.problem else []
    for part, some in entry.files.items():
        told = [found[path] for path in some]
        read = [one for one in told if isinstance(one, Tally)]
        problems += [one for one in told if isinstance(one, str)]
        if len(read) == len(some):  # half a part would pass for a small one
            counts[part] = sum(read, Tally())
    if skipped := sum(part.skipped for part in counts.values()):
        problems.append(f"{skipped} sentences cannot be read")
    return replace(entry, counts=counts, problem="; ".join(problems) or None)


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
    found = {folder: None for root in roots for folder in folders_in(Path(root))}
    indices: dict[Path, Index] = {}
    entries = [entry_of(folder, indices) for folder in found]
    entries.sort(key=lambda e: (release_key(e.release), e.name.casefold(), str(e.folder)))
    listed = _catalogue(entries, {"counted": False})
    return listed.counted(threads=threads, progress=progress) if count else listed
