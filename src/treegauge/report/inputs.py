"""What lies behind the paths that a page is made of: each file says by its contents what it is."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import sha256
from pathlib import Path

from treegauge.dynamics.recording import Recording
from treegauge.errors import TreegaugeError
from treegauge.ranking.scores import PACKAGED
from treegauge.report.learning import Transfer, is_transfer
from treegauge.report.scores import Scored, file_name
from treegauge.score.align import segmentation
from treegauge.treebank.columns import Treebank
from treegauge.treebank.conllu import read_conllu
from treegauge.treebank.entries import holds_treebank
from treegauge.treebank.sources import ENDINGS, find, short_name, split_of

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

    @cached_property
    def treebank(self) -> Treebank:
        """Its sentences."""
        folder = self.folder
        name = f"{folder.resolve().name}/{split_of(self.path)}" if folder else None
        return read_conllu(self.path, name=name)

    @cached_property
    def text(self) -> str:
        """A digest of its characters without spaces: analyses of one text share it."""
        return sha256(segmentation(self.treebank).text.tobytes()).hexdigest()


@dataclass(frozen=True)
class Inputs:
    """Everything a page can be made of.

    Attributes
    ----------
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

    folders: list[Path] = field(default_factory=list)
    files: list[File] = field(default_factory=list)
    scored: list[Scored] = field(default_factory=list)
    scores: list[str] = field(default_factory=list)
    counts: list[Path] = field(default_factory=list)
    stores: list[Path] = field(default_factory=list)
    transfers: list[Transfer] = field(default_factory=list)
    recordings: list[tuple[Path, Recording, Treebank]] = field(default_factory=list)


def read_inputs(sources: Sequence[str], *, gold: Sequence[str] = ()) -> Inputs:
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
    """
    found, loose, parts, recorded = Inputs(), list[File](), list[File](), list[Path]()
    for source in [*gold, *sources]:
        for path, name in _expanded(source):
            if name and path in PACKAGED:
                found.scores.append(path)
            elif _is_conllu(path):
                loose.append(File(path, name))
            elif Path(path).is_dir():
                _folder(Path(path), name, found, loose, parts)
            else:
                _table(Path(path), found, recorded)
    loose = list({file.path: file for file in loose}.values())
    found.files.extend(_pair(loose, parts, {str(Path(one)) for one in gold}, found.scored))
    known = [*parts, *loose]
    for file in recorded:
        recording = Recording.load(file)
        found.recordings.append((file, recording, _recorded(recording, file, known)))
    return found


def _expanded(source: str) -> Iterator[tuple[str, str]]:
    """Return paths with the names given to them; a packaged table has its own."""
    if source in PACKAGED and not Path(source).exists():
        yield source, source
        return
    name, mark, path = source.partition("=")
    if mark and not Path(source).exists():
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
        if any(splits):
            found.folders.append(path)
            parts += [File(file, folder=path) for file in files]
        else:
            loose += [File(file, name or path.resolve().name) for file in files]
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
    loose: Iterable[File], parts: Sequence[File], gold: set[str], scored: list[Scored]
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
        told = {name: file_name(one.path) for name, one in zip(names, systems, strict=True)}
        outputs = {name: one.treebank for name, one in zip(names, systems, strict=True)}
        scored.append(Scored(best.treebank, outputs, {"": file_name(best.path), **told}))
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


def _recorded(recording: Recording, path: Path, known: Sequence[File]) -> Treebank:
    wanted = recording.treebank.rpartition("#")[2]
    for file in known:
        if file.treebank.mark.rpartition("#")[2] == wanted:
            return file.treebank
    raise TreegaugeError(
        f"{path} is a recording of {recording.treebank}; expected this treebank among the inputs, "
        f"found {', '.join(file.treebank.mark for file in known) or 'none'}"
    )
