"""Record a parser's probabilities of gold trees during training."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from typing import Any, cast

import numpy as np
import numpy.typing as npt

from treegauge.core.errors import TreegaugeError
from treegauge.core.messages import progress
from treegauge.experiments.cells import Cell, Outcome, Scalar, parse_table
from treegauge.experiments.tasks import Task
from treegauge.learning.dynamics.candidates import tree_context
from treegauge.learning.dynamics.cartography import data_map
from treegauge.learning.dynamics.description_length import DescriptionLength, description_length, read_blocks
from treegauge.learning.dynamics.jobs import (
    Engine,
    NeuralEngine,
    Progress,
    TrainingJob,
    cross_fit,
    relation_arrays,
    relation_names,
)
from treegauge.learning.dynamics.recording import FLOOR, LAYERS, Recording, packed_recordings
from treegauge.learning.dynamics.usable_information import null_input, usable_information
from treegauge.parsing.base import Model, Parser, Probabilistic
from treegauge.parsing.neural.options import BiaffineOptions
from treegauge.parsing.options import preset_options, read_options
from treegauge.parsing.registry import find_parser, fit_parser, known_parsers, parser_with
from treegauge.treebanks.data.columns import Treebank

Floats = npt.NDArray[np.float64]
#: Default options with which a parser gives probabilities.
_START: dict[str, dict[str, Any]] = {"mst": {"training": "loglinear"}}


def _log(p: Floats) -> Floats:
    with np.errstate(divide="ignore"):
        return np.maximum(np.log(p), FLOOR)


def _heads(treebank: Treebank, shares: Sequence[Floats]) -> dict[str, Any]:
    """Return log-probabilities of gold heads and of the best others."""
    gold, rival, best = [], [], []
    for i, share in enumerate(shares):
        heads = treebank.head[treebank.offsets[i] : treebank.offsets[i + 1]]
        words = np.arange(len(share))
        gold.append(share[words, heads])
        others = share.copy()
        others[words, heads] = -1
        others[words, words + 1] = -1
        top = others.argmax(axis=1)
        best.append(others[words, top])
        rival.append(np.where(best[-1] < 0, -1, top))
    p, top, others = (np.concatenate([*one, np.zeros(0)]) for one in (gold, rival, best))
    logs = _log(p), top, _log(np.maximum(others, 0))
    return dict(zip(("head_logp", "head_rival", "head_rival_logp"), logs, strict=True))


def _relations(job: TrainingJob, treebank: Treebank, shares: Floats, known: Sequence[str]) -> dict[str, Any]:
    """Return log-probabilities of gold relations and of the best others."""
    place = {name: i for i, name in enumerate(known)}
    codes, values = treebank.codes("deprel")
    gold = np.array([place.get(value, -1) for value in values], np.int64)[codes]
    words = np.arange(len(gold))
    others = np.array(shares, np.float64)
    p = np.where(gold < 0, 1.0, others[words, gold])
    others[words[gold >= 0], gold[gold >= 0]] = -1
    top = others.argmax(axis=1)
    best = others[words, top]
    rivals, logs = np.where(best < 0, -1, top), _log(np.maximum(best, 0))
    return relation_arrays(job, treebank, known, job.relations or known, _log(p), rivals, logs)


def _recorded(model: Model, job: TrainingJob, split: str) -> dict[str, Any]:
    """Return the recorded arrays of a split after one epoch."""
    treebank = job.read[split]
    if not isinstance(model, Probabilistic):
        raise TreegaugeError(
            f"{type(model).__name__} has no probabilities of heads and named relations; expected "
            "a parser such as mst with training=loglinear"
        )
    values = _heads(treebank, model.head_probabilities(treebank))
    names = model.relation_probabilities(treebank)
    return values | _relations(job, treebank, names, list(model.relations))


def record(parser: Parser, job: TrainingJob, label: str = "") -> dict[str, Recording]:
    """Train one model and return its recordings by split.

    The parser's models are :class:`~treegauge.parsing.base.Probabilistic`; `label` is its name in
    signatures.
    """
    rows: dict[str, list[dict[str, Any]]] = {split: [] for split in job.read}
    epochs: list[int] = []

    def add(epoch: int, model: Model) -> None:
        epochs.append(epoch)
        if job.every:
            for split, own in rows.items():
                own.append(_recorded(model, job, split))

    final = fit_parser(parser, job.train, seed=job.seed, on_epoch=add)
    if not epochs:
        raise TreegaugeError(f"{label or type(parser).__name__} does not report its epochs")
    if not job.every:
        rows = {split: [_recorded(final, job, split)] for split in job.read}
        epochs = epochs[-1:]
    return {split: _joined(own, job, split, epochs, label, final) for split, own in rows.items()}


def _joined(
    rows: Sequence[dict[str, Any]], job: TrainingJob, split: str, epochs: Sequence[int], label: str, final: Model
) -> Recording:
    """Return the recording of a split from the arrays of all epochs and the final model's trees."""
    arrays: dict[str, Any] = {
        name: np.stack([row[name] for row in rows]).astype(np.int16 if name.endswith("rival") else np.float32)
        for name in rows[0]
    }
    relations = job.relations or tuple(cast("Probabilistic", final).relations)
    if job.decode:
        parsed = final.parse(job.read[split])
        names = parsed["deprel"].to_list()
        relations = (*relations, *sorted({*names} - {*relations}))
        number = {name: i for i, name in enumerate(relations)}
        arrays["parsed_head"] = parsed.head.astype(np.int16)
        arrays["parsed_relation"] = np.array([number[name] for name in names], np.int16)
    return Recording(
        job.read[split].mark, split, job.signature(split, label), tuple(epochs), relations=relations, **arrays
    )


@dataclass(frozen=True)
class SequentialEngine:
    """The engine that trains a parser's models in this process, one after the other.

    Examples
    --------
    >>> from treegauge.testing.synthetic import synthetic
    >>> train = synthetic(30, seed=1)
    >>> engine = make_engine("mst", epochs=2, options=["bits=14"])
    >>> engine.label
    'mst training=loglinear epochs=2 label_epochs=2 bits=14'
    >>> len(engine([TrainingJob(train, {"train": train}, seed=seed) for seed in (1, 2)]))
    2
    """

    parser: Parser
    label: str

    def __call__(self, jobs: Sequence[TrainingJob], progress: Progress | None = None) -> list[dict[str, Recording]]:
        """Train each job's model and return its recordings by split."""
        recordings = []
        for i, job in enumerate(jobs):
            recordings.append(record(self.parser, job, self.label))
            if progress:
                progress(i + 1, len(jobs))
        return recordings


def parser_options(
    name: str, *, epochs: int | None = None, options: Sequence[str] = (), preset: str | None = None
) -> Any:
    """Return the options of a parser, set to give probabilities.

    They are those of a `preset`, if any, over which `epochs` go (of heads and relations), and over
    all `options` (``name=value``).
    """
    kind = find_parser(name).options
    known = {one.name for one in fields(kind)}
    if "epochs" not in known:
        able = [
            entry.name
            for entry in known_parsers().values()
            if any(one.name == "epochs" for one in fields(entry.options))
        ]
        raise TreegaugeError(f"{name} does not report its epochs; choose {', '.join(able)}")
    start: dict[str, Any] = {**_START.get(name, {}), **preset_options(name, preset, {})}
    if epochs is not None:
        start |= {one: epochs for one in ("epochs", "label_epochs") if one in known}
    given = {word.partition("=")[0] for word in options}
    words = [f"{one}={value}" for one, value in start.items() if one not in given]
    return read_options(kind, [*words, *options])


def parser_label(name: str, options: Mapping[str, Any]) -> str:
    """Return a parser and its options that are not the defaults, on one line."""
    words = [
        f"{key}={str(options[key]).lower() if isinstance(value, bool) else options[key]}"
        for key, value in asdict(find_parser(name).options()).items()
        if options[key] != value
    ]
    return " ".join([name, *words])


def engine_of(name: str, options: Any) -> SequentialEngine | NeuralEngine:
    """Return the engine of a parser with its options.

    Neural parsers that score arcs are trained at once on a GPU.
    """
    label = parser_label(name, asdict(options))
    if isinstance(options, BiaffineOptions) and options.tags == "gold":
        return NeuralEngine(options, label)
    return SequentialEngine(parser_with(name, options), label)


def make_engine(
    name: str = "mst", *, epochs: int | None = None, options: Sequence[str] = ()
) -> SequentialEngine | NeuralEngine:
    """Return the engine of a parser by name; parameters are those of :func:`parser_options`."""
    return engine_of(name, parser_options(name, epochs=epochs, options=options))


_HERE = "treegauge.learning.dynamics.recorder"
_CODING = {"blocks": "5,10,20,40,80,160,320,360", "training": "prefix", "orders": 5}
MAP = Task(
    "map", "train a parser and record its confidence in the gold trees of a split, epoch by epoch",
    f"{_HERE}:record_map", ("train",), parser=True, sized=False,
    parameters={"split": "train", "folds": 0, "errors": "strict"}, redraws=False,
)  # fmt: skip
VINFO = Task(
    "vinfo", "train a parser with and without its input; usable information in the dev set",
    f"{_HERE}:record_information", ("train", "dev"), parser=True, sized=False,
    parameters={"null": "blank", "errors": "strict"}, redraws=False,
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
    return {name: packed_recordings({"0": one}) for name, one in recordings.items()}


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

    Scalars are usable information in bits per word. The recordings ``dev`` and ``null`` have all
    probabilities.
    """
    train, dev = _splits(cell, "train", "dev")
    null = cell.extra["null"]
    names = relation_names(train, dev)
    jobs = [
        TrainingJob(source, {"dev": target}, cell.seed, names)
        for source, target in ((train, dev), (null_input(train, null), null_input(dev, null)))
    ]
    real, hidden = (one["dev"] for one in _train(_engine(cell), jobs))
    measured = usable_information(real, hidden, kind=null)
    scalars: dict[str, Scalar] = {f"{layer}_information": value for layer, value in measured.values.items()}
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
