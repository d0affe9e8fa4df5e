"""What the verbs of training dynamics share: their settings, their inputs and their cells."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal, cast

from treegauge.results.errors import ChoiceError, TreegaugeError
from treegauge.results.result import Result, joined_signature
from treegauge.results.verbs import Settings

if TYPE_CHECKING:
    import polars as pl

    from treegauge.experiments.running import CellResult
    from treegauge.experiments.store import Store
    from treegauge.treebanks.columns import Treebank
    from treegauge.treebanks.inputs import Input

Layer = Literal["head", "relation"]
TABLES = (".csv", ".parquet")


@dataclass(frozen=True)
class TrainingSettings(Settings):
    """How parsers are trained whose probabilities are recorded.

    Attributes
    ----------
    parser
        A parser with probabilities, such as ``mst`` or ``biaffine``; 'mst rate=0.01' sets options
        of this one.
    option
        An option of the parser, ``name=value``; in Python also a mapping.
    epochs
        Number of epochs; the parser's default if not given.
    seed
        Same seed, same numbers.
    store
        Keep everything that is trained in this folder, and reuse what is there; ``treegauge run``
        uses the same store.
    workers
        Number of models trained at the same time, each in its own process.
    errors
        What to do about malformed sentences.
    """

    parser: Sequence[str] | str = ("mst",)
    option: Sequence[str] | Mapping[str, Any] = ()
    epochs: int | None = None
    seed: int = 0
    store: "Store | str | PathLike[str] | None" = None
    workers: int = 1
    errors: Literal["strict", "skip", "repair"] = "strict"

    @property
    def parsers(self) -> list[tuple[str, dict[str, Any]]]:
        """Names and all options of the parsers.

        Examples
        --------
        >>> [(name, options["rate"]) for name, options in
        ...  TrainingSettings(parser=["mst", "mst rate=0.01"]).parsers]
        [('mst', 0.05), ('mst', 0.01)]
        """
        from treegauge.dynamics.recorder import parser_options

        texts = self._texts
        given = self.option
        words = [f"{k}={v}" for k, v in given.items()] if isinstance(given, Mapping) else [*given]
        chosen = []
        for text in texts:
            name, *own = text.split()
            options = parser_options(name, epochs=self.epochs, options=[*words, *own])
            chosen.append((name, asdict(options)))
        return chosen

    @property
    def _texts(self) -> list[str]:
        texts = [self.parser] if isinstance(self.parser, str) else list(self.parser)
        if not texts:
            raise TreegaugeError("got no parser, expected at least one such as mst")
        return texts

    @property
    def first_parser(self) -> str:
        """The first parser that was given."""
        return self._texts[0]

    def seeds(self, count: int) -> list[int]:
        """Return consecutive seeds."""
        if count < 1:
            raise TreegaugeError(f"seeds is {count}; expected at least 1")
        return list(range(self.seed, self.seed + count))

    def run(
        self, task: str, data: "TrainingData", seeds: Iterable[int], **parameters: Any
    ) -> "list[CellResult]":
        """Run one cell per parser and seed, those that the store lacks, and return their results.

        Parameters
        ----------
        task
            ``map``, ``vinfo``, ``mdl`` or ``difficulty``.
        data
            The treebank.
        seeds
            Of the parsers.
        **parameters
            Of the task.
        """
        from treegauge.experiments.cells import Cell
        from treegauge.experiments.plans import make_setup
        from treegauge.experiments.running import run_cells
        from treegauge.parsers.registry import find_parser

        cells: list[Cell] = []
        numbers = list(seeds)
        for name, options in self.parsers:
            find_parser(name).prepare()
            setup = make_setup(
                task, data.source, name, options=options, name=data.name,
                parameters={**parameters, "errors": self.errors},
            )  # fmt: skip
            cells += [Cell(setup, seed=seed) for seed in numbers]
        return run_cells(cells, self.store, workers=self.workers, what="models")


@dataclass(frozen=True, eq=False)
class TrainingData:
    """A treebank to train on.

    Attributes
    ----------
    name
        What results call it.
    source
        A folder, or treebanks by split.
    folder
        The folder as it was recognised.
    """

    name: str
    source: "str | Mapping[str, Treebank]"
    folder: "Input | None" = None

    @property
    def splits(self) -> Collection[str]:
        """The sets there are: train, dev, test."""
        return self.folder.splits if self.folder is not None else cast("Any", self.source)

    def __getitem__(self, split: str) -> "Treebank":
        if split not in self.splits:
            raise TreegaugeError(
                f"{self.name} has no {split} set, only {', '.join(self.splits)}; expected a "
                f"treebank folder with one{', or --dev FILE' if split == 'dev' else ''}"
            )
        if self.folder is not None:
            return self.folder.read(split)
        treebank: Treebank = cast("Any", self.source)[split]
        return treebank


def training_data(
    sources: Iterable[Any], *, dev: Any = None, errors: Any = "strict"
) -> list[TrainingData]:
    """Recognise treebanks to train on.

    Parameters
    ----------
    sources
        Folders, names or codes under ``TREEGAUGE_UD``, training files, treebanks, or mappings
        such as ``{"train": ..., "dev": ...}`` of files or treebanks.
    dev
        A dev set in place of the treebanks' own.
    errors
        What to do about malformed sentences.
    """
    from treegauge.treebanks.inputs import read_treebank, recognise_treebanks

    held = {} if dev is None else {"dev": read_treebank(dev, errors=errors)}
    data, plain = [], []
    for source in sources:
        if not isinstance(source, Mapping):
            plain.append(source)
            continue
        splits = {split: read_treebank(one, errors=errors) for split, one in source.items()}
        data.append(TrainingData(next(iter(splits.values())).name, splits | held))
    for one in recognise_treebanks(plain, errors=errors):
        if one.kind == "treebank":
            splits = {split: one.read(split) for split in one.splits} | held if held else {}
            data.append(TrainingData(one.name, splits or str(one.path), None if splits else one))
        else:
            data.append(TrainingData(one.name, {"train": one.read()} | held))
    for own in data:
        if "train" not in own.splits:
            raise TreegaugeError(
                f"{own.name} has no training set, only {', '.join(own.splits) or 'nothing'}"
            )
    if not data:
        raise TreegaugeError("got no treebank, expected at least one")
    return data


def label_of(result: "CellResult") -> str:
    """Return the parser of a cell, with the options that are not its defaults."""
    from treegauge.dynamics.recorder import parser_label

    return parser_label(result.cell.parser, result.cell.options)


@dataclass(frozen=True, eq=False)
class JoinedResult(Result):
    """Results of one kind for several treebanks or parsers in one table.

    Attributes
    ----------
    results
        One per treebank (and parser).
    layer
        What a figure shows: ``head`` or ``relation``.
    labels
        The parser of each result; a column where there are several.
    """

    results: tuple[Any, ...]
    signature: str = ""
    layer: Layer = "head"
    labels: tuple[str, ...] = ()
    digits: ClassVar[int] = 3

    def __post_init__(self) -> None:
        if not self.signature:
            joined = joined_signature([one.signature for one in self.results])
            object.__setattr__(self, "signature", joined)

    def __len__(self) -> int:
        return len(self.results)

    def __iter__(self) -> Iterator[Any]:
        return iter(self.results)

    def __getitem__(self, number: int) -> Any:
        return self.results[number]

    @property
    def table(self) -> "pl.DataFrame":
        """The rows of all results."""
        import polars as pl

        tables = [one.table for one in self.results]
        if len({*self.labels}) > 1:
            tables = [
                one.insert_column(1, pl.lit(label).alias("parser"))
                for one, label in zip(tables, self.labels, strict=True)
            ]
        joined: pl.DataFrame = pl.concat(tables, how="diagonal_relaxed")
        return joined

    def json_fields(self) -> dict[str, Any]:
        """Return the rows, and the signature of each result."""
        return {"rows": self.json_rows(), "signatures": [one.signature for one in self.results]}


def check_ending(path: str | PathLike[str] | None, what: str, endings: Iterable[str]) -> None:
    """Refuse a file of a kind that cannot be written, before anything is trained."""
    if path is not None and Path(path).suffix.lower() not in endings:
        raise ChoiceError(what, Path(path).suffix, endings)


def check_single(data: Sequence[TrainingData], **files: object) -> None:
    """Refuse files that are about one treebank where there are several."""
    for name, value in files.items():
        if value is not None and len(data) > 1:
            flag = f"--{name.replace('_', '-')}"
            raise TreegaugeError(f"{flag} needs one treebank, got {len(data)}")


def save_table(frame: "pl.DataFrame", path: str | PathLike[str]) -> None:
    """Write a table to ``.csv`` or ``.parquet``, atomically."""
    from treegauge.results.files import atomic

    with atomic(path) as file:
        if Path(path).suffix == ".csv":
            frame.write_csv(file)
        else:
            frame.write_parquet(file)
