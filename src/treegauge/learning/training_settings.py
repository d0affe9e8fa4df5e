"""Settings, inputs and results that the verbs of training dynamics share."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple, cast

from treegauge.core.errors import ChoiceError, TreegaugeError
from treegauge.core.file_kinds import STORE
from treegauge.core.lazy import pl
from treegauge.core.result import Result, joined_signature
from treegauge.core.verbs import Limits, Settings
from treegauge.learning.dynamics.recording import Recording, unpacked_recordings

if TYPE_CHECKING:
    from treegauge.experiments.cell_store import Store
    from treegauge.experiments.cells import Cell
    from treegauge.treebanks.data.columns import Treebank
    from treegauge.treebanks.sources.inputs import Input


FilePath = str | PathLike[str]
TABLES = (".csv", ".parquet")


class TrainedModels(NamedTuple):
    """The result of a cell: the parser's label, its seed, the cell's table and its recordings."""

    label: str
    seed: int
    table: "pl.DataFrame"
    recordings: dict[str, Recording]


@dataclass(frozen=True, eq=False)
class TrainingData:
    """A treebank to train on: its name, and its folder or treebanks by split."""

    name: str
    source: "str | Mapping[str, Treebank]"
    folder: "Input | None" = None

    @property
    def splits(self) -> Collection[str]:
        """The available sets: train, dev, test."""
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

    def named(self, recording: Recording) -> Recording:
        """Return a recording under the treebank's name, which includes its release."""
        if self.folder is None:
            return recording
        name, _, digest = recording.treebank.rpartition("#")
        return replace(recording, treebank=f"{self.name}/{name.rpartition('/')[2]}#{digest}")


@dataclass(frozen=True)
class TrainingSettings(Settings):
    """Settings of the training of parsers whose probabilities are recorded.

    Attributes
    ----------
    parser
        A parser with probabilities, such as ``mst`` or ``biaffine``; 'mst rate=0.01' sets options
        of this one.
    preset
        Start from the options of a publication, such as ``difficulty``.
    option
        An option of the parser, ``name=value``; in Python also a mapping.
    epochs
        Number of epochs; the parser's default if not given.
    seed
        Random seed; the same seed gives the same numbers.
    store
        Store trainings in this folder, and reuse those in it; ``treegauge run`` uses the same
        store.
    workers
        Number of cells trained at the same time, each in its own process.
    errors
        What to do about malformed sentences.
    """

    outputs: ClassVar[Mapping[str, str]] = {"store": STORE}

    parser: Sequence[str] | str = ("mst",)
    preset: str | None = None
    option: Sequence[str] | Mapping[str, Any] = ()
    epochs: int | None = None
    seed: int = 0
    store: "Store | str | PathLike[str] | None" = None
    workers: int = 1
    errors: Literal["strict", "skip", "repair"] = "strict"

    def __post_init__(self) -> None:
        texts = (self.parser,) if isinstance(self.parser, str) else tuple(self.parser)
        if not texts:
            raise TreegaugeError("got no parser, expected at least one such as mst")
        object.__setattr__(self, "parser", texts)

    def seeds(self, count: int) -> list[int]:
        """Return consecutive seeds."""
        if count < 1:
            raise TreegaugeError(f"seeds is {count}; expected at least 1")
        return list(range(self.seed, self.seed + count))

    def data(self, sources: Iterable[Any], dev: Any = None, **files: object) -> list[TrainingData]:
        """Return treebanks to train on; `dev` replaces their own dev sets.

        Sources are folders, names or codes under ``TREEGAUGE_UD``, training files, treebanks, or
        mappings such as ``{"train": ..., "dev": ...}``. Output `files` need a single treebank.
        """
        from treegauge.treebanks.sources.inputs import recognise_treebanks
        from treegauge.treebanks.sources.resolver import read_treebank

        held = {} if dev is None else {"dev": read_treebank(dev, errors=self.errors)}
        data, plain = [], []
        for source in sources:
            if not isinstance(source, Mapping):
                plain.append(source)
                continue
            splits = {key: read_treebank(one, errors=self.errors) for key, one in source.items()}
            data.append(TrainingData(next(iter(splits.values())).name, splits | held))
        for one in recognise_treebanks(plain, errors=self.errors):
            if one.kind != "treebank":
                data.append(TrainingData(one.name, {"train": one.read()} | held))
            elif held:
                splits = {split: one.read(split) for split in one.splits} | held
                data.append(TrainingData(one.name, splits))
            else:
                data.append(TrainingData(one.name, str(one.path), one))
        for own in data:
            if "train" not in own.splits:
                raise TreegaugeError(f"{own.name} has no training set, only {', '.join(own.splits) or 'nothing'}")
        if not data:
            raise TreegaugeError("got no treebank, expected at least one")
        for name, value in files.items():
            if value is not None and len(data) > 1:
                flag = f"--{name.replace('_', '-')}"
                raise TreegaugeError(f"{flag} needs one treebank, got {len(data)}")
        return data

    def run(self, task: str, data: TrainingData, seeds: Iterable[int], **parameters: Any) -> list[TrainedModels]:
        """Run a task once per parser and seed, unless the store has the result already."""
        from treegauge.experiments.grid import cells_of
        from treegauge.experiments.plans import make_setup
        from treegauge.experiments.training import run_cells
        from treegauge.learning.dynamics.recorder import parser_label, parser_options

        given = self.option
        words = [f"{k}={v}" for k, v in given.items()] if isinstance(given, Mapping) else [*given]
        cells: list[Cell] = []
        if not (numbers := list(seeds)):
            return []
        for text in self.parser:
            name, *own = text.split()
            options = parser_options(name, epochs=self.epochs, options=[*words, *own], preset=self.preset)
            setup = make_setup(
                task, data.source, name, options=asdict(options), name=data.name,
                parameters={**parameters, "errors": self.errors},
            )  # fmt: skip
            cells += cells_of(setup, seeds=numbers)
        return [
            TrainedModels(
                parser_label(one.cell.parser, one.cell.options),
                one.cell.seed,
                cast("pl.DataFrame", one.words),
                {
                    name: data.named(unpacked_recordings(packed, name)[0]["0"])
                    for name, packed in one.recordings.items()
                },
            )
            for one in run_cells(cells, self.store, workers=self.workers, what="cells")
        ]


@dataclass(frozen=True, eq=False)
class JoinedResult(Result):
    """Results of one kind for several treebanks or parsers in one table.

    `labels` are the parsers of the results: a column if there are several.
    """

    results: tuple[Any, ...]
    signature: str = ""
    labels: tuple[str, ...] = ()
    digits: ClassVar[int] = 3

    def __post_init__(self) -> None:
        if not self.signature:
            joined = joined_signature([one.signature for one in self.results])
            object.__setattr__(self, "signature", joined)
        notes = dict.fromkeys(note for one in self.results for note in one.unit_notes)
        object.__setattr__(self, "unit_notes", tuple(notes))

    def __len__(self) -> int:
        return len(self.results)

    def __iter__(self) -> Iterator[Any]:
        return iter(self.results)

    def __getitem__(self, number: int) -> Any:
        return self.results[number]

    @property
    def table(self) -> "pl.DataFrame":
        """The rows of all results."""
        tables = [one.table for one in self.results]
        if len({*self.labels}) > 1:
            for one, label in zip(tables, self.labels, strict=True):
                one.insert_column(1, pl.lit(label).alias("parser"))
        joined: pl.DataFrame = pl.concat(tables, how="diagonal_relaxed")
        return joined

    def json_fields(self) -> dict[str, Any]:
        """Return the rows, and the signature of each result."""
        return {"rows": self.json_rows(), "signatures": [result.signature for result in self.results]}


def check_file(path: FilePath | None, what: str, endings: Iterable[str]) -> None:
    """Refuse a file of an unknown kind, before training."""
    if path is not None and Path(path).suffix.lower() not in endings:
        raise ChoiceError(what, Path(path).suffix, endings)


def save_table(frame: "pl.DataFrame", path: FilePath) -> None:
    """Write a table to ``.csv`` or ``.parquet``, atomically."""
    from treegauge.core.files import atomic
    from treegauge.core.text_formats import to_csv_text

    with atomic(path) as file:
        if Path(path).suffix == ".csv":
            file.write(to_csv_text(frame).encode())
        else:
            frame.write_parquet(file)


@dataclass(frozen=True)
class CurveTraining(Settings):
    """Settings of training and counting.

    Attributes
    ----------
    parser
        Parser to train (beam by default), or to choose from counts; repeatable. 'mst epochs=5' sets
        options of this one.
    preset
        Start from the options of a publication, such as mstparser.
    option
        Option of the parser, such as epochs=5; repeatable.
    sizes
        Training set sizes in sentences, such as 5,10,20. Default: all sizes in counts; for training
        5,10,20,50,100,200,500, and all sentences of a single treebank.
    samples
        Number of training samples per size.
    store
        Folder that stores the trainings; trainings in it are not repeated. By default none.
    root
        Folder of the treebanks that a store was trained on, or of their releases; by default
        TREEGAUGE_UD.
    workers
        Number of trainings at a time; by default one per processor.
    by
        Classes of words: upos, direction, relation, distance, depth, feats:Case ...; upos,direction
        (the default) crosses two.
    metric
        LAS (the default), UAS, or a registered metric.
    """

    outputs: ClassVar[Mapping[str, str]] = {"store": STORE}
    limits: ClassVar[Limits] = {"samples": (1, 10**4)}

    parser: Sequence[str] | str = ()
    preset: str | None = None
    option: Sequence[str] | Mapping[str, Any] = ()
    sizes: Sequence[int | str] | str = ()
    samples: int = 5
    store: "Store | str | PathLike[str] | None" = None
    root: str | PathLike[str] | None = None
    workers: int | None = None
    by: str | None = None
    metric: str | None = None


@dataclass(frozen=True)
class CurveBands(Settings):
    """Settings of confidence intervals, and of classes with enough words.

    Attributes
    ----------
    min_words
        The smallest number of test words for a class to count in a treebank.
    level
        Confidence level of the intervals.
    resamples
        Number of random draws for intervals.
    over
        The source of variation: training samples, or treebanks (with their samples).
    seed
        Seed of the draws.
    """

    min_words: int = 30
    level: float = 0.95
    resamples: int = 1000
    over: Literal["samples", "treebanks"] = "samples"
    seed: int = 0

    @property
    def signed(self) -> dict[str, object]:
        """These choices as part of a signature."""
        return {"units" if name == "over" else name: value for name, value in vars(self).items()}
