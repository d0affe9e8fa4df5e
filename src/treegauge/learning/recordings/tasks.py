"""Tasks of ``treegauge run``: recordings of training, and measures from them."""

from collections.abc import Mapping

from treegauge.core.messages import progress
from treegauge.experiments.cells import Cell, Outcome, Scalar, parse_table
from treegauge.experiments.tasks import Task
from treegauge.learning.maps.cartography import data_map
from treegauge.learning.maps.description_length import DescriptionLength, description_length, read_blocks
from treegauge.learning.maps.tree_context import tree_context
from treegauge.learning.maps.usable_information import null_input, usable_information
from treegauge.learning.recordings.jobs import Engine, TrainingJob, cross_fit, relation_names
from treegauge.learning.recordings.recorder import engine_of
from treegauge.learning.recordings.recording import LAYERS, Recording
from treegauge.learning.recordings.recording_files import packed_recordings
from treegauge.parsing.registry import find_parser
from treegauge.treebanks.data.columns import Treebank

_HERE = "treegauge.learning.recordings.tasks"
_CODING = {"blocks": "5,10,20,40,80,160,320,360", "training": "prefix", "orders": 5}
MAP = Task(
    "map", "train a parser and record its confidence in the gold trees of a split, epoch by epoch",
    f"{_HERE}:record_map", ("train",), parser=True, sized=False,
    parameters={"split": "train", "folds": 0, "errors": "strict"}, redraws=False,
)  # fmt: skip
VINFO = Task(
    "vinfo", "train a parser with and without its input; usable information in the dev set",
    f"{_HERE}:record_information", ("train", "dev"), parser=True, sized=False,
    parameters={"null": "blank", "trees": False, "errors": "strict"}, redraws=False,
)  # fmt: skip
MDL = Task(
    "mdl", "description length of the training set by online coding",
    f"{_HERE}:measure_length", ("train",), parser=True, sized=False,
    parameters={**_CODING, "errors": "strict"}, redraws=False,
)  # fmt: skip
DIFFICULTY = Task(
    "difficulty", "all measures of dataset difficulty",
    f"{_HERE}:record_difficulty", ("train", "dev"), parser=True, sized=False,
    parameters={"null": "blank", **_CODING, "errors": "strict"}, redraws=False,
)  # fmt: skip


def _engine(cell: Cell) -> Engine:
    return engine_of(cell.parser, find_parser(cell.parser).options(**cell.options))


def _splits(cell: Cell, *names: str) -> list[Treebank]:
    return [cell.read(name, errors=cell.extra["errors"]) for name in names]


def _train(engine: Engine, jobs: list[TrainingJob]) -> list[dict[str, Recording]]:
    with progress("models", len(jobs)) as task:
        return engine(jobs, task.update)


def _packed(**recordings: Recording) -> dict[str, bytes]:
    return {name: packed_recordings({"0": one}, None, ".npz") for name, one in recordings.items()}


def _flat(values: Mapping[str, Mapping[str, Scalar]]) -> dict[str, Scalar]:
    return {f"{layer}_{name}": x for layer in LAYERS for name, x in values[layer].items()}


def _attachment(recording: Recording, gold: Treebank) -> dict[str, Scalar]:
    correct = recording.correct_words(gold)
    return {metric: correct.score(metric) for metric in ("UAS", "LAS")}


def record_map(cell: Cell) -> Outcome:
    """Train one parser and record a split; or, with `folds`, record the training set held out.

    Scalars are the numbers of the data map, and UAS and LAS of the parsed trees after the last
    epoch under the official convention. The recording ``map`` has all probabilities; with `folds`,
    ``context`` has those of the model of the rest of the tree.
    """
    engine, split, folds = _engine(cell), cell.extra["split"], cell.extra["folds"]
    (train,) = _splits(cell, "train")
    if folds:
        with progress("models", folds) as task:
            held_out = cross_fit(train, engine=engine, folds=folds, seed=cell.seed, progress=task.update)
        context = tree_context(train, folds=folds, seed=cell.seed)
        recordings = _packed(map=held_out, context=context)
        return Outcome(_flat(data_map(held_out).values), recordings=recordings)
    gold = train if split == "train" else _splits(cell, split)[0]
    others = _splits(cell, "dev") if split != "dev" and cell.has("dev") else []
    names = relation_names(train, gold, *others)
    job = TrainingJob(train, {split: gold}, seed=cell.seed, relations=names, decode=True)
    recording = _train(engine, [job])[0][split]
    scalars = _flat(data_map(recording).values) | _attachment(recording, gold)
    words = parse_table(recording.parsed(gold)) if split == "test" else None
    return Outcome(scalars, words, _packed(map=recording))


def record_information(cell: Cell) -> Outcome:
    """Train one parser with the words and one with a null input, and record the dev set.

    Scalars are usable information in bits per word (of trees: per sentence). The recordings
    ``dev`` and ``null`` have all probabilities.
    """
    train, dev = _splits(cell, "train", "dev")
    null, trees = cell.extra["null"], cell.extra["trees"]
    names = relation_names(train, dev)
    jobs = [
        TrainingJob(source, {"dev": target}, cell.seed, names, trees=trees)
        for source, target in ((train, dev), (null_input(train, null), null_input(dev, null)))
    ]
    real, hidden = (one["dev"] for one in _train(_engine(cell), jobs))
    measured = usable_information(real, hidden, kind=null, treebank=dev if trees else None)
    scalars: dict[str, Scalar] = {f"{layer}_information": value for layer, value in measured.values.items()}
    if measured.trees is not None:
        scalars["tree_information"] = float(measured.trees[-1].mean())
    return Outcome(scalars, recordings=_packed(dev=real, null=hidden))


def _length(cell: Cell, train: Treebank, engine: Engine) -> DescriptionLength:
    extra = cell.extra
    with progress("models") as task:
        return description_length(
            train, engine=engine, blocks=read_blocks(extra["blocks"], len(train)),
            training=extra["training"], orders=extra["orders"], seed=cell.seed,
            progress=task.update,
        )  # fmt: skip


def measure_length(cell: Cell) -> Outcome:
    """Measure description length; the table has one row per order and block."""
    length = _length(cell, _splits(cell, "train")[0], _engine(cell))
    return Outcome(_flat(length.values), length.code)


def record_difficulty(cell: Cell) -> Outcome:
    """Compute all measures of dataset difficulty, with one parser.

    Scalars are the numbers of tasks map, vinfo and mdl; UAS and LAS are of the dev set. The
    recordings ``train``, ``dev`` and ``null`` have all probabilities; the table is that of mdl.
    """
    train, dev = _splits(cell, "train", "dev")
    engine, null = _engine(cell), cell.extra["null"]
    names = relation_names(train, dev)
    hidden, hidden_dev = (null_input(part, null) for part in (train, dev))
    splits = {"train": train, "dev": dev}
    jobs = [
        TrainingJob(train, splits, seed=cell.seed, relations=names, decode=True),
        TrainingJob(hidden, {"dev": hidden_dev}, seed=cell.seed, relations=names),
    ]
    real, blind = _train(engine, jobs)
    scalars = _flat(data_map(real["train"]).values) | _attachment(real["dev"], dev)
    bits = usable_information(real["dev"], blind["dev"], kind=null).values
    scalars |= {f"{layer}_information": value for layer, value in bits.items()}
    recordings = _packed(train=real["train"], dev=real["dev"], null=blind["dev"])
    if not cell.extra["orders"]:
        return Outcome(scalars, recordings=recordings)
    length = _length(cell, train, engine)
    return Outcome(scalars | _flat(length.values), length.code, recordings)
