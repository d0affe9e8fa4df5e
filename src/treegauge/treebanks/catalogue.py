"""Treebanks on disk by name, code, language, family, licence and size."""

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import ClassVar

from treegauge.core.conditions import Condition, frame_where
from treegauge.core.errors import ChoiceError, TreegaugeError
from treegauge.core.lazy import pl
from treegauge.core.result import Result, sign
from treegauge.core.verbs import verb
from treegauge.treebanks.sources.entries import (
    COLUMNS,
    SHARES,
    SIZES,
    Tally,
    TreebankEntry,
    entry_of,
    folders_in,
    tally_files,
)
from treegauge.treebanks.sources.files import SPLITS, Source
from treegauge.treebanks.sources.languages import fold, near, release_key, take_apart
from treegauge.treebanks.sources.resolver import newest_releases, resolve_source


@dataclass(frozen=True)
class Catalogue(Result, kind="catalogue"):
    """Treebanks, sorted by release and name; iterate over it, or find one.

    `listed` is the number of treebanks before some were chosen; with `paths` the text is only folders.
    """

    entries: tuple[TreebankEntry, ...]
    choices: Mapping[str, object]
    signature: str
    listed: int = 0
    paths: bool = False
    digits: ClassVar[int] = 3

    def __len__(self) -> int:
        return len(self.entries)

    def __iter__(self) -> Iterator[TreebankEntry]:
        return iter(self.entries)

    @property
    def table(self) -> "pl.DataFrame":
        """One row per treebank.

        Sizes are in sentences and words; `text`, `lemmas`, `features` and `xpos` are the shares of
        words that have them, `nonprojective` the share of non-projective trees.
        """
        kinds = dict.fromkeys(SIZES, pl.Int64) | dict.fromkeys(SHARES, pl.Float64)
        schema = {name: kinds.get(name, pl.String) for name in COLUMNS}
        return pl.DataFrame([entry.row() for entry in self], schema=schema)

    def shown(self) -> "pl.DataFrame":
        """Return the columns that fit on a screen."""
        words = [pl.col(f"{split}_words").alias(split) for split in SPLITS]
        frame = self.table.select(
            "treebank", "release", "code", "family", "licence", "sentences", "words", *words,
            "lemmas", "features", "xpos", "nonprojective", "problem",
        )  # fmt: skip
        blank = [column.name for column in frame if column.null_count() == len(frame)]
        return frame.drop(blank) if len(frame) else frame

    def own_text(self) -> str:
        """Return the table with the number of treebanks, or the folders."""
        if self.paths:
            return "\n".join(str(entry.folder) for entry in self)
        return f"{super().own_text()}\n{len(self)} of {max(self.listed, len(self))} treebanks"

    def matching(self, key: str) -> "Catalogue":
        """Return all treebanks with this name, code or language, else of this family or genus.

        Examples are ``"el_gdt"``, ``"Greek"``, ``"Slavic"`` and ``"UD_Greek-GDT@2.9"``; case is
        ignored.
        """
        name, release = take_apart(key)
        wanted = fold(name)
        named = [entry for entry in self if wanted in map(fold, entry.names)] or [
            entry for entry in self if wanted in map(fold, (entry.language.family, entry.language.genus))
        ]
        if not named:
            aliases = [alias for entry in self for alias in entry.names]
            all_names = dict.fromkeys(entry.name for entry in self)
            raise ChoiceError("treebank", name, near(name, aliases) or all_names)
        kept = [entry for entry in named if release in {None, entry.release}]
        if not kept:
            releases = dict.fromkeys(entry.release or "unknown" for entry in named)
            raise ChoiceError(f"release of {name}", release, releases)
        return self.subset(kept)

    def find(self, key: str) -> TreebankEntry:
        """Return the treebank with this name, code or language, such as ``"el_gdt@2.9"``.

        Without a release it is the newest. The error lists similar names if there is none, and all matches if
        they are different treebanks.
        """
        (entry,) = newest_releases(self.matching(key), key)
        return entry

    def where(self, *conditions: str) -> "Catalogue":
        """Return the treebanks for which conditions on columns of the table hold."""
        holds = frame_where(self.table.with_row_index("number"), "the catalogue", conditions, empty=True)["number"]
        return self.subset([self.entries[number] for number in holds], where=" and ".join(conditions) or None)

    def subset(self, entries: Sequence[TreebankEntry], **choices: object) -> "Catalogue":
        """Return a catalogue of these entries; the choices go into its signature."""
        return replace(_catalogue(entries, {**self.choices, **choices}), listed=max(self.listed, len(self)))

    def counted(self, *, workers: int | None = None) -> "Catalogue":
        """Return the catalogue with sizes counted from the files; see :func:`catalogue`."""
        paths = [path for entry in self for paths_of_split in entry.files.values() for path in paths_of_split]
        counts = tally_files(paths, workers=workers)
        return self.subset([_counted(entry, counts) for entry in self], counted=None)


def _catalogue(entries: Sequence[TreebankEntry], choices: Mapping[str, object]) -> Catalogue:
    releases = sorted({entry.release for entry in entries if entry.release}, key=release_key)
    parts = {"releases": ",".join(releases) or None, "treebanks": len(entries), "errors": "skip"}
    return Catalogue(tuple(entries), choices, sign(v="catalogue", **parts, **choices))


def _counted(entry: TreebankEntry, tallies: "Mapping[str, Tally | str]") -> TreebankEntry:
    counts, problems = {}, [entry.problem] if entry.problem else []
    for split, paths in entry.files.items():
        results = [tallies[path] for path in paths]
        read = [result for result in results if isinstance(result, Tally)]
        problems += [result for result in results if isinstance(result, str)]
        if len(read) == len(paths):  # a partly readable split would look like a small one
            counts[split] = sum(read, Tally())
    if skipped := sum(split.skipped for split in counts.values()):
        problems.append(f"{skipped} sentences cannot be read")
    return replace(entry, counts=counts, problem="; ".join(problems) or None)


@verb
def catalogue(
    roots: Source | Sequence[Source] = (),
    *,
    find: Sequence[str] = (),
    where: Sequence[str] = (),
    paths: bool = False,
    count: bool = True,
) -> Catalogue:
    r"""List treebanks on disk with languages, licences and sizes.

    treegauge catalogue ud --where 'words >= 30000' --where 'features >= 0.25' --where 'genus = Slavic,Baltic'

    Parameters
    ----------
    roots
        Folders of releases (r2.9/UD_Greek-GDT, ud-treebanks-v2.9/UD_Greek-GDT) or of treebanks
        (UD_Greek-GDT), or treebank folders; by default the folder in the environment variable
        TREEGAUGE_UD.
    find
        List only these names, codes, languages or families, such as el_gdt@2.9.
    where
        A condition on a column of the table, such as 'words >= 30000' or 'licence = CC BY-SA*';
        several must all hold.
    paths
        Print only the folders.
    count
        Read the files to count sizes; without it, the list appears at once.

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
    named = {Condition.parse(text, COLUMNS).column for text in where}  # report an error before reading begins
    if not count and {*SIZES, *SHARES} & named:
        raise TreegaugeError("this condition needs sizes; leave out --no-count (count=False)")
    given = [roots] if isinstance(roots, str | os.PathLike) else list(roots)
    root = os.environ.get("TREEGAUGE_UD")
    if not given and not root:
        raise TreegaugeError("no folder given; name one, or set TREEGAUGE_UD to it")
    places = [Path(path) for word in given for path in resolve_source(word)] if given else [Path(root or "")]
    folders = {folder: None for place in places for folder in folders_in(place)}
    entries = [entry_of(folder) for folder in folders]
    entries.sort(key=lambda e: (release_key(e.release), e.name.casefold(), str(e.folder)))
    listed = _catalogue(entries, {"counted": False})
    if find:
        wanted = dict.fromkeys(entry for key in find for entry in listed.matching(key))
        listed = listed.subset(list(wanted), find="+".join(find))
    if count:
        listed = listed.counted()
    return replace(listed.where(*where) if where else listed, paths=paths)
