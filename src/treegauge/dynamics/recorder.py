"""Recording what a parser thinks of gold trees while it is trained."""

from collections.abc import Sequence
from dataclasses import dataclass, fields, is_dataclass
from typing import Any, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from treegauge.dynamics.jobs import Job, Progress
from treegauge.dynamics.recording import FLOOR, Recording
from treegauge.dynamics.together import Together
from treegauge.kernels.tree_probability import trees_logp
from treegauge.parsers.base import Model, Parser, Probabilistic
from treegauge.parsers.neural.options import BiaffineOptions
from treegauge.parsers.options import read_options
from treegauge.parsers.registry import PARSERS, find_parser
from treegauge.results.errors import ChoiceError, TreegaugeError
from treegauge.results.result import sign
from treegauge.treebanks.columns import Treebank

__all__ = ["InTurn", "Remembering", "probabilistic", "record"]

Floats = npt.NDArray[np.float64]
#: Options that give a parser its probabilities, unless others are asked for.
_PRESETS: dict[str, dict[str, Any]] = {"mst": {"training": "loglinear"}}


@runtime_checkable
class Remembering(Protocol):
    """A model that knows what it thought of each word when it last learned from it."""

    def training_log_probabilities(self) -> tuple[Floats, Floats]:
        """Return log p of gold heads and gold relations, one each for every word of train."""


@dataclass(frozen=True, eq=False)
class _Moment:
    """What is known of one treebank after one epoch."""

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
    """Look up gold heads and the best others."""
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
    treebank: Treebank, shares: Floats, known: Sequence[str], every: Sequence[str], seen: int
) -> dict[str, Any]:
    """Look up gold relations and the best others.

    Relations that the model does not know share the probability U / (N + U) of something new
    after N words with U relations (Witten & Bell 1991), and the others what is left.
    """
    names = [*known, *(name for name in every if name not in known)]
    place = {name: i for i, name in enumerate(every)}
    codes, values = treebank.codes("deprel")
    numbers = {name: i for i, name in enumerate(names)}
    missing = [value for value in values if value not in numbers]
    if missing:
        raise ChoiceError("relation", missing[0], names)
    gold = np.array([numbers[value] for value in values], np.int64)[codes]
    p = np.asarray(shares, np.float64)
    if len(names) > len(known):
        new = len(known) / (seen + len(known))
        rest = len(names) - len(known)
        p = np.hstack([p * (1 - new), np.full((len(p), rest), new / rest)])
    words = np.arange(len(p))
    others = p.copy()
    others[words, gold] = -1
    top = others.argmax(axis=1) if len(names) > 1 else np.zeros(len(p), np.int64)
    best = others[words, top]
    rivals = np.array([place.get(name, -1) for name in names], np.int16)[top]
    return {
        "relation_logp": _log(p[words, gold]),
        "relation_rival": np.where(best < 0, -1, rivals).astype(np.int16),
        "relation_rival_logp": _log(np.maximum(best, 0)),
    }


def _look(model: Model, job: Job, part: str, treebank: Treebank) -> _Moment:
    if job.when == "during":
        if part != "train" or not isinstance(model, Remembering):
            raise TreegaugeError(
                f"{type(model).__name__} does not tell what it thought of {part} words during an "
                "epoch; expected recording after the epoch, or a parser that remembers"
            )
        return _Moment(*model.training_log_probabilities())
    if not isinstance(model, Probabilistic):
        raise TreegaugeError(
            f"{type(model).__name__} has no probabilities of heads and named relations; expected "
            "a parser such as mst with training=loglinear"
        )
    known = model.relations
    shares = model.head_probabilities(treebank)
    found = _heads(treebank, shares)
    if job.trees:
        found["trees_logp"] = trees_logp(shares)
    every = job.relations or tuple(known)
    found |= _relations(
        treebank, model.relation_probabilities(treebank), list(known), every, job.train.n_words
    )
    return _Moment(**found)


def record(parser: Parser, job: Job, label: str = "") -> dict[str, Recording]:
    """Train one model and record what it thinks of gold heads and relations.

    Parameters
    ----------
    parser
        Any parser whose models are :class:`~treegauge.parsers.base.Probabilistic` and name their
        ``relations``.
    job
        What to train on and what to look at.
    label
        The parser with its options, for signatures.

    Returns
    -------
    dict
        Recordings by part.

    Examples
    --------
    >>> from treegauge.parsers.registry import make_parser
    >>> from treegauge.testing.synthetic import synthetic
    >>> train = synthetic(30, seed=1)
    >>> parser = make_parser("mst", training="loglinear", epochs=2, label_epochs=2)
    >>> record(parser, Job(train, {"train": train}))["train"]
    <Recording of syn-1#4d03d2 (train): 2 epochs, 461 words>
    """
    seen: dict[str, list[_Moment]] = {part: [] for part in job.read}
    epochs: list[int] = []

    def look(epoch: int, model: Model) -> None:
        epochs.append(epoch)
        for part, treebank in job.read.items():
            if job.every:
                seen[part].append(_look(model, job, part, treebank))

    final = parser.fit(job.train, seed=job.seed, on_epoch=look)
    if not job.every:
        for part, treebank in job.read.items():
            seen[part].append(_look(final, job, part, treebank))
    if not epochs:
        raise TreegaugeError(f"{label or type(parser).__name__} does not tell of its epochs")
    numbers = tuple(epochs if job.every else epochs[-1:])
    return {
        part: _joined(moments, job, part, numbers, label) for part, moments in seen.items()
    }  # fmt: skip


def _joined(
    moments: Sequence[_Moment], job: Job, part: str, epochs: tuple[int, ...], label: str
) -> Recording:
    arrays: dict[str, Any] = {}
    for one in fields(_Moment):
        rows = [getattr(moment, one.name) for moment in moments]
        kind = np.int16 if one.name.endswith("rival") else np.float32
        arrays[one.name] = None if rows[0] is None else np.stack(rows).astype(kind)
    signature = sign(v="recording", tb=job.read[part].mark, parser=label or None, **job.words)
    return Recording(
        treebank=job.read[part].mark, part=part, signature=signature, epochs=epochs,
        relations=job.relations, **arrays,
    )  # fmt: skip


@dataclass(frozen=True)
class InTurn:
    """The engine that trains a parser's models here, one after the other.

    Examples
    --------
    >>> from treegauge.testing.synthetic import synthetic
    >>> train = synthetic(30, seed=1)
    >>> engine = probabilistic("mst", epochs=2, options=["bits=14"])
    >>> engine.label
    'mst training=loglinear epochs=2 label_epochs=2 bits=14'
    >>> len(engine([Job(train, {"train": train}, seed=seed) for seed in (1, 2)]))
    2
    """

    parser: Parser
    label: str

    @property
    def key(self) -> str:
        """The label with every option, default ones too: another default is another parser."""
        return f"{self.label} {getattr(self.parser, 'options', None)!r}"

    def __call__(
        self, jobs: Sequence[Job], progress: Progress | None = None
    ) -> list[dict[str, Recording]]:
        """Train each job's model and return its recordings by part."""
        made = []
        for i, job in enumerate(jobs):
            made.append(record(self.parser, job, self.label))
            if progress:
                progress(i + 1, len(jobs))
        return made


def probabilistic(
    name: str = "mst", *, epochs: int | None = None, options: Sequence[str] = ()
) -> InTurn | Together:
    """Make the engine of a parser by name, set to give probabilities.

    Neural parsers that score arcs learn side by side where there is a GPU.

    Parameters
    ----------
    name
        A parser of :mod:`treegauge.parsers.registry`.
    epochs
        Passes over the data, for heads and relations alike; the parser's own unless given.
    options
        ``name=value`` each, as on the command line; they win.
    """
    entry = find_parser(name)
    kind = entry.options
    known = {one.name for one in fields(kind)} if is_dataclass(kind) else set()
    if "epochs" not in known:
        able = [other.name for other in PARSERS.values() if _has_epochs(other.options)]
        raise TreegaugeError(f"{name} does not tell of its epochs; expected one of {able}")
    wanted: dict[str, Any] = dict(_PRESETS.get(name, {}))
    if epochs is not None:
        wanted |= {one: epochs for one in ("epochs", "label_epochs") if one in known}
    given = {word.partition("=")[0] for word in options}
    words = [f"{one}={value}" for one, value in wanted.items() if one not in given]
    words += options
    chosen, label = read_options(kind, words), " ".join([name, *words])
    parser = entry.make(chosen)
    return Together(chosen, label) if isinstance(chosen, BiaffineOptions) else InTurn(parser, label)


def _has_epochs(kind: Any) -> bool:
    return any(one.name == "epochs" for one in fields(kind))
