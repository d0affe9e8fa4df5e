"""Recording what a parser says of gold trees while it is trained."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields, is_dataclass
from typing import Any, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from treegauge.dynamics.jobs import Progress, TrainingJob, relation_arrays
from treegauge.dynamics.neural_engine import NeuralEngine
from treegauge.dynamics.recording import FLOOR, Recording
from treegauge.kernels.tree_probability import trees_logp
from treegauge.parsers.base import Model, Parser, Probabilistic
from treegauge.parsers.neural.options import BiaffineOptions
from treegauge.parsers.options import read_options
from treegauge.parsers.registry import find_parser, known_parsers
from treegauge.results.errors import TreegaugeError
from treegauge.treebanks.columns import Treebank

__all__ = ["Remembering", "SequentialEngine", "make_engine", "record"]

Floats = npt.NDArray[np.float64]
#: Options that give a parser its probabilities, unless others are asked for.
_PRESETS: dict[str, dict[str, Any]] = {"mst": {"training": "loglinear"}}


@runtime_checkable
class Remembering(Protocol):
    """A model that knows how likely each gold word was when it last learned from it."""

    def training_log_probabilities(self) -> tuple[Floats, Floats]:
        """Return log p of gold heads and gold relations, one each per training word."""


@dataclass(frozen=True, eq=False)
class _Epoch:
    """What is recorded of one treebank after one epoch."""

    head_logp: Floats
    relation_logp: Floats
    head_rival: npt.NDArray[np.int16] | None = None
    head_rival_logp: Floats | None = None
    relation_rival: npt.NDArray[np.int16] | None = None
    relation_rival_logp: Floats | None = None
    trees_logp: Floats | None = None


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
    empty = np.zeros(0)
    p = np.concatenate([*best, empty])
    return {
        "head_logp": _log(np.concatenate([*gold, empty])),
        "head_rival": np.concatenate([*rival, empty]).astype(np.int16),
        "head_rival_logp": _log(np.maximum(p, 0)),
    }


def _relations(
    job: TrainingJob, treebank: Treebank, shares: Floats, known: Sequence[str]
) -> dict[str, Any]:
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


def _recorded(model: Model, job: TrainingJob, split: str, treebank: Treebank) -> _Epoch:
    if job.when == "during":
        if split != "train" or not isinstance(model, Remembering):
            raise TreegaugeError(
                f"{type(model).__name__} cannot say how likely {split} words were during an "
                "epoch; record after the epoch, or use a parser that remembers"
            )
        return _Epoch(*model.training_log_probabilities())
    if not isinstance(model, Probabilistic):
        raise TreegaugeError(
            f"{type(model).__name__} has no probabilities of heads and named relations; expected "
            "a parser such as mst with training=loglinear"
        )
    known = model.relations
    shares = model.head_probabilities(treebank)
    values = _heads(treebank, shares)
    if job.trees:
        values["trees_logp"] = trees_logp(shares)
    values |= _relations(job, treebank, model.relation_probabilities(treebank), list(known))
    return _Epoch(**values)


def record(parser: Parser, job: TrainingJob, label: str = "") -> dict[str, Recording]:
    """Train one model and record what it says of gold heads and relations.

    Parameters
    ----------
    parser
        Any parser whose models are :class:`~treegauge.parsers.base.Probabilistic` and name their
        ``relations``.
    job
        What to train on and what to record.
    label
        The parser with its options, for signatures.

    Returns
    -------
    dict
        Recordings by split.

    Examples
    --------
    >>> from treegauge.parsers.registry import make_parser
    >>> from treegauge.testing.synthetic import synthetic
    >>> train = synthetic(30, seed=1)
    >>> parser = make_parser("mst", training="loglinear", epochs=2, label_epochs=2)
    >>> record(parser, TrainingJob(train, {"train": train}))["train"]
    <Recording of syn-1#4d03d2 (train): 2 epochs, 461 words>
    """
    rows: dict[str, list[_Epoch]] = {split: [] for split in job.read}
    epochs: list[int] = []

    def add(epoch: int, model: Model) -> None:
        epochs.append(epoch)
        for split, treebank in job.read.items():
            if job.every:
                rows[split].append(_recorded(model, job, split, treebank))

    final = parser.fit(job.train, seed=job.seed, on_epoch=add)
    if not job.every:
        for split, treebank in job.read.items():
            rows[split].append(_recorded(final, job, split, treebank))
    if not epochs:
        raise TreegaugeError(f"{label or type(parser).__name__} does not report its epochs")
    numbers = tuple(epochs if job.every else epochs[-1:])
    return {
        split: _joined(rows[split], job, split, numbers, label, final) for split in job.read
    }  # fmt: skip


def _joined(
    rows: Sequence[_Epoch],
    job: TrainingJob,
    split: str,
    epochs: tuple[int, ...],
    label: str,
    final: Model,
) -> Recording:
    arrays: dict[str, Any] = {}
    for one in fields(_Epoch):
        values = [getattr(row, one.name) for row in rows]
        kind = np.int16 if one.name.endswith("rival") else np.float32
        arrays[one.name] = None if values[0] is None else np.stack(values).astype(kind)
    relations = job.relations
    if isinstance(final, Probabilistic) and job.when == "after":
        relations = relations or tuple(final.relations)
    if job.decode:
        parsed = final.parse(job.read[split])
        names = parsed["deprel"].to_list()
        relations = (*relations, *sorted({*names} - {*relations}))
        number = {name: i for i, name in enumerate(relations)}
        arrays["parsed_head"] = parsed.head.astype(np.int16)
        arrays["parsed_relation"] = np.array([number[name] for name in names], np.int16)
    return Recording(
        treebank=job.read[split].mark, split=split, signature=job.signature(split, label),
        epochs=epochs, relations=relations, **arrays,
    )  # fmt: skip


@dataclass(frozen=True)
class SequentialEngine:
    """The engine that trains a parser's models here, one after the other.

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

    def __call__(
        self, jobs: Sequence[TrainingJob], progress: Progress | None = None
    ) -> list[dict[str, Recording]]:
        """Train each job's model and return its recordings by split."""
        recordings = []
        for i, job in enumerate(jobs):
            recordings.append(record(self.parser, job, self.label))
            if progress:
                progress(i + 1, len(jobs))
        return recordings


def parser_options(name: str, *, epochs: int | None = None, options: Sequence[str] = ()) -> Any:
    """Return the options of a parser, set to give probabilities.

    Parameters
    ----------
    name
        A parser of :mod:`treegauge.parsers.registry`.
    epochs
        Passes over the data, for heads and relations alike; the parser's default if None.
    options
        ``name=value`` each, as on the command line; they win.
    """
    kind = find_parser(name).options
    known = {one.name for one in fields(kind)} if is_dataclass(kind) else set()
    if "epochs" not in known:
        able = [
            other.name
            for other in known_parsers().values()
            if any(one.name == "epochs" for one in fields(other.options))
        ]
        raise TreegaugeError(f"{name} does not report its epochs; expected one of {able}")
    preset: dict[str, Any] = dict(_PRESETS.get(name, {}))
    if epochs is not None:
        preset |= {one: epochs for one in ("epochs", "label_epochs") if one in known}
    given = {word.partition("=")[0] for word in options}
    words = [f"{one}={value}" for one, value in preset.items() if one not in given]
    return read_options(kind, [*words, *options])


def parser_label(name: str, options: Mapping[str, Any]) -> str:
    """Return a parser with those of its options that are not the defaults, on one line."""
    words = [
        f"{key}={str(options[key]).lower() if isinstance(value, bool) else options[key]}"
        for key, value in asdict(find_parser(name).options()).items()
        if options[key] != value
    ]
    return " ".join([name, *words])


def engine_of(name: str, options: Any) -> SequentialEngine | NeuralEngine:
    """Return the engine of a parser with its options.

    Neural parsers that score arcs learn side by side where there is a GPU.
    """
    entry, label = find_parser(name), parser_label(name, asdict(options))
    if isinstance(options, BiaffineOptions):
        return NeuralEngine(options, label)
    return SequentialEngine(entry.make(options), label)


def make_engine(
    name: str = "mst", *, epochs: int | None = None, options: Sequence[str] = ()
) -> SequentialEngine | NeuralEngine:
    """Return the engine of a parser by name; parameters are those of :func:`parser_options`."""
    return engine_of(name, parser_options(name, epochs=epochs, options=options))
