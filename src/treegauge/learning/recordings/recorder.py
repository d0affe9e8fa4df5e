"""Record a parser's probabilities of gold trees during training."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from typing import Any, cast

import numpy as np
import numpy.typing as npt

from treegauge.core.errors import TreegaugeError
from treegauge.kernels.decoding import log_total
from treegauge.learning.recordings.jobs import Progress, TrainingJob, relation_arrays
from treegauge.learning.recordings.neural_engine import NeuralEngine
from treegauge.learning.recordings.recording import FLOOR, Recording
from treegauge.parsing.base import Model, Parser, Probabilistic
from treegauge.parsing.neural.options import BiaffineOptions
from treegauge.parsing.options import read_options
from treegauge.parsing.registry import find_parser, known_parsers
from treegauge.treebanks.data.columns import Treebank

Floats = npt.NDArray[np.float64]
#: Default options with which a parser gives probabilities.
_PRESETS: dict[str, dict[str, Any]] = {"mst": {"training": "loglinear"}}


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
    if job.when == "during":
        raise TreegaugeError(
            f"{type(model).__name__} cannot say how likely {split} words were during an "
            "epoch; record after the epoch, or use a neural parser"
        )
    if not isinstance(model, Probabilistic):
        raise TreegaugeError(
            f"{type(model).__name__} has no probabilities of heads and named relations; expected "
            "a parser such as mst with training=loglinear"
        )
    shares = model.head_probabilities(treebank)
    values = _heads(treebank, shares)
    if job.trees:
        # For each sentence, the log-probability that independently drawn heads form a tree.
        values["trees_logp"] = np.array([log_total(np.ascontiguousarray(p), True) for p in shares])
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

    final = parser.fit(job.train, seed=job.seed, on_epoch=add)
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


def parser_options(name: str, *, epochs: int | None = None, options: Sequence[str] = ()) -> Any:
    """Return the options of a parser, set to give probabilities.

    `epochs` apply to heads and relations; `options` (``name=value``) override them.
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
    preset: dict[str, Any] = dict(_PRESETS.get(name, {}))
    if epochs is not None:
        preset |= {one: epochs for one in ("epochs", "label_epochs") if one in known}
    given = {word.partition("=")[0] for word in options}
    words = [f"{one}={value}" for one, value in preset.items() if one not in given]
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
    entry, label = find_parser(name), parser_label(name, asdict(options))
    if isinstance(options, BiaffineOptions) and options.tags == "gold":
        return NeuralEngine(options, label)
    return SequentialEngine(entry.make(options), label)


def make_engine(
    name: str = "mst", *, epochs: int | None = None, options: Sequence[str] = ()
) -> SequentialEngine | NeuralEngine:
    """Return the engine of a parser by name; parameters are those of :func:`parser_options`."""
    return engine_of(name, parser_options(name, epochs=epochs, options=options))
