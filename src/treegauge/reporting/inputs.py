"""What lies behind the paths that a page is made of: each file says by its contents what it is."""

import os
import shlex
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

from treegauge.dynamics.recording import Recording
from treegauge.ranking.scores import PACKAGED
from treegauge.reporting.learning import Transfer, is_transfer
from treegauge.reporting.scores import Scored
from treegauge.results.errors import TreegaugeError
from treegauge.scoring.align import segmentation
from treegauge.treebanks.columns import Treebank
from treegauge.treebanks.conllu import Errors, read_conllu
from treegauge.treebanks.entries import holds_treebank
from treegauge.treebanks.sources import ENDINGS, find, short_name, split_of

_TABLES = {".csv", ".tsv", ".parquet", ".json"}
_COUNTS = {"treebank", "parser", "class", "total"}
KINDS = (
    "CoNLL-U files or folders of them, score tables (.csv .tsv .parquet .json, or "
    f"{', '.join(PACKAGED)}), counts of curves (.csv .parquet), recordings of training (.npz "
    ".parquet), stores of experiments (folders with ledger.sqlite), votes of `transfer vote "
    "--format json`"
)


@dataclass(frozen=True, eq=False)
class File:
    """A CoNLL-U file: under what name it was given, and what it holds once that is asked for."""

    path: str
    name: str = ""
    folder: Path | None = None
    errors: Errors = "strict"

    @cached_property
    def treebank(self) -> Treebank:
        """Its sentences."""
        folder = self.folder
        name = f"{folder.resolve().name}/{split_of(self.path)}" if folder else None
        return read_conllu(self.path, name=name, errors=self.errors)

    @cached_property
    def text(self) -> str:
        """A digest of its characters without spaces: analyses of one text share it."""
        return sha256(segmentation(self.treebank).text.tobytes()).hexdigest()


class Recorded(NamedTuple):
    """A recording of training and its treebank, and what commands call their files."""

    recording: Recording
    treebank: Treebank
    file: str = "RECORDING"
    home: str = "TREEBANK"


@dataclass(frozen=True)
class Inputs:
    """Everything a page can be made of.

    Attributes
    ----------
    base
        The folder that commands on the page are run in; None: where the page was asked for.
    errors
        What is done about malformed sentences.
    folders
        Treebanks with parts, as folders.
    files
        Treebanks without parts; of several analyses of a text, gold.
    scored
        Gold treebanks with what systems made of them.
    scores, counts, stores, transfers
        Score tables (files or packaged names), counts of curves, stores of experiments, votes of
        transferred parsers.
    recordings
        Recordings of training, each with the treebank it is of.
    """

    base: str | None = None
    errors: Errors = "strict"
    folders: list[Path] = field(default_factory=list)
    files: list[File] = field(default_factory=list)
    scored: list[Scored] = field(default_factory=list)
    scores: list[str] = field(default_factory=list)
    counts: list[Path] = field(default_factory=list)
    stores: list[Path] = field(default_factory=list)
    transfers: list[Transfer] = field(default_factory=list)
    recordings: list[Recorded] = field(default_factory=list)

    def told(self, path: str | Path) -> str:
        """Return a path as commands on the page name it, quoted where a shell asks for it."""
        if self.base is None:
            return shlex.quote(str(path))
        if self.base == os.sep:  # only the whole path would do, and that is nobody's business
            return shlex.quote("/".join(Path(path).parts[-2:]))
        return shlex.quote(os.path.relpath(path, self.base))


def read_inputs(
    sources: Sequence[str], *, gold: Sequence[str] = (), errors: Errors = "strict"
) -> Inputs:
    """Find out what each of some paths is.

    Of CoNLL-U files with the same text one is gold and the others are systems' output. Gold is
    the one that `gold` names, or lies in a treebank's folder, or has "gold" in its name, or comes
    first.

    Parameters
    ----------
    sources
        Paths, patterns, packaged score tables; a system's output also as ``NAME=PATH``.
    gold
        Which files are gold, where that is not clear.
    errors
        What to do about malformed sentences.
    """
    given = [one for source in [*gold, *sources] for one in _expanded(source)]
    found = Inputs(_base([path for path, name in given if not _packaged(path, name)]), errors)
    loose, parts, recorded = list[File](), list[File](), list[Path]()
    for path, name in given:
        if _packaged(path, name):
            found.scores.append(path)
        elif _is_conllu(path):
            loose.append(File(path, name, errors=errors))
        elif Path(path).is_dir():
            _folder(Path(path), name, found, loose, parts)
        else:
            _table(Path(path), found, recorded)
    loose = list({file.path: file for file in loose}.values())
    found.files.extend(_pair(loose, parts, {str(Path(one)) for one in gold}, found))
    known = [*parts, *loose]
    for file in recorded:
        recording = Recording.load(file)
        home = _recorded(recording, file, known)
        told = Recorded(recording, home.treebank, found.told(file), found.told(home.path))
        found.recordings.append(told)
    return found


def _packaged(path: str, name: str) -> bool:
    return path in PACKAGED and path == name


def _base(paths: Sequence[str]) -> str | None:
    """Return the folder that holds all inputs, if some were given with all their folders.

    Commands then work there, and the page does not tell where that is on one machine.
    """
    if not any(Path(path).is_absolute() for path in paths):
        return None
    return os.path.commonpath([Path(path).absolute().parent for path in paths])


def _expanded(source: str) -> Iterator[tuple[str, str]]:
    """Return paths with the names given to them; a packaged table has its own."""
    if source in PACKAGED and not Path(source).exists():
        yield source, source
        return
    name, mark, path = source.partition("=")
    if mark and not Path(source).exists() and Path(path).exists():
        yield path, name
        return
    if Path(source).exists():
        yield source, ""
        return
    matches = sorted(str(one) for one in Path().glob(source)) if "*" in source else []
    if not matches:
        raise TreegaugeError(f"{source}: no such file or folder; expected {KINDS}")
    for match in matches:
        yield match, ""


def _is_conllu(path: str) -> bool:
    return any(path.endswith(f".conllu{ending}") for ending in ENDINGS) and Path(path).is_file()


def _folder(path: Path, name: str, found: Inputs, loose: list[File], parts: list[File]) -> None:
    if (path / "ledger.sqlite").is_file():
        found.stores.append(path)
        return
    if holds_treebank(path):
        files = find(path)
        splits = [split_of(file) for file in files]
        errors = found.errors
        if any(splits) and path not in found.folders:
            found.folders.append(path)
            parts += [File(file, folder=path, errors=errors) for file in files]
        elif not any(splits):
            loose += [File(file, name or path.resolve().name, errors=errors) for file in files]
        return
    below = [one for one in sorted(path.iterdir()) if one.is_dir()]
    inside = [one for one in below if holds_treebank(one) or (one / "ledger.sqlite").is_file()]
    if not inside:
        raise TreegaugeError(f"{path}: nothing in it that a page is made of; expected {KINDS}")
    for one in inside:
        _folder(one, name, found, loose, parts)


def _table(path: Path, found: Inputs, recorded: list[Path]) -> None:
    import polars as pl

    if path.suffix == ".npz":
        recorded.append(path)
        return
    if path.suffix not in _TABLES:
        raise TreegaugeError(f"{path}: not known what this is; expected {KINDS}")
    if path.suffix in {".csv", ".parquet"}:
        try:
            scan = pl.scan_parquet if path.suffix == ".parquet" else pl.scan_csv
            columns = set(scan(path).collect_schema().names())
        except pl.exceptions.PolarsError as error:
            raise TreegaugeError(f"{path}: cannot read this table: {error}") from error
        if "head_logp" in columns:
            recorded.append(path)
            return
        if columns >= _COUNTS:
            found.counts.append(path)
            return
    if path.suffix == ".json" and is_transfer(path):
        found.transfers.append(Transfer.read(path))
        return
    found.scores.append(str(path))


def _pair(
    loose: Iterable[File], parts: Sequence[File], gold: set[str], found: Inputs
) -> list[File]:
    """Group analyses of one text; return the files that stand alone or are gold."""
    files = list(loose)
    texts: dict[str, list[File]] = defaultdict(list)
    for file in files:
        texts[file.text].append(file)
    for file in parts if files else []:
        if file.text in texts:
            texts[file.text].insert(0, file)
    alone = []
    for group in texts.values():
        if len(group) == 1:
            alone.append(group[0])
            continue
        best = min(
            group,
            key=lambda one: (
                str(Path(one.path)) not in gold,
                one.folder is None,
                "gold" not in one.path.lower(),
            ),
        )
        if best.folder is None:
            alone.append(best)
        systems = [one for one in group if one is not best]
        names = _names(systems)
        outputs = {name: one.treebank for name, one in zip(names, systems, strict=True)}
        told = [
            found.told(one.path)
            if name == short_name(one.path)
            else f"{shlex.quote(name)}={found.told(one.path)}"
            for name, one in zip(names, systems, strict=True)
        ]
        if found.errors != "strict":
            told.append(f"--errors {found.errors}")
        found.scored.append(Scored(best.treebank, outputs, (found.told(best.path), *told)))
    return alone


def _names(systems: Sequence[File]) -> list[str]:
    """Name systems as given, by their files, or by the folders of these."""
    given = [one.name for one in systems]
    files = [short_name(one.path) for one in systems]
    folders = [Path(one.path).resolve().parent.name for one in systems]
    for names in (given, files, folders):
        if all(names) and len(set(names)) == len(names):
            return names
    return [f"{folder}/{file}" for folder, file in zip(folders, files, strict=True)]


def _recorded(recording: Recording, path: Path, known: Sequence[File]) -> File:
    wanted = recording.treebank.rpartition("#")[2]
    for file in known:
        if file.treebank.mark.rpartition("#")[2] == wanted:
            return file
    raise TreegaugeError(
        f"{path} is a recording of {recording.treebank}; expected this treebank among the inputs, "
        f"found {', '.join(file.treebank.mark for file in known) or 'none'}"
    )
