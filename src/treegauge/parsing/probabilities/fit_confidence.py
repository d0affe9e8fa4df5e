r"""Calibration of a model's probabilities on sentences that it was not trained on.

Scores are divided by a temperature before they become shares, one for heads and one for relations.
Whether heads are shares of a word's heads or of all trees is chosen by the log loss. The
probability that a head is correct, and the probability that its relation is if the head is, come
from a logistic regression over the :data:`~treegauge.parsing.probabilities.probability_maps.FEATURES` of the
arc and a monotone map of the result: the mean of that probability and of the share of correct words
in bins of about equal size, made monotone by pooling neighbours (isotonic regression), with
straight lines between bins. Both regressions see both shares, so that the product is the
probability of the labelled arc.

The probability that a tree is correct is

.. math:: \exp\left(-e^b (-\log p)^a\right)

where p is the product of the probabilities of its labelled arcs, and at most that of its least
probable arc. A relation is correct as in ``treegauge score``: subtypes do not count.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from treegauge.core.errors import TreegaugeError
from treegauge.parsing.probabilities.evidence import (
    WAYS,
    Doubles,
    SentenceEvidence,
    TreeEvidence,
    evidence_relations,
    gather_evidence,
    head_marginals,
    ways_to_sum,
)
from treegauge.parsing.probabilities.probability_maps import (
    FEATURES,
    Bools,
    ProbabilityMap,
    fitted_map,
    power_map,
    start_at,
    word_features,
)
from treegauge.parsing.probabilities.training_text import KnownSentence, TrainingText, known_sentences
from treegauge.treebanks.data.columns import Treebank
from treegauge.treebanks.data.relations import universal_relation

MOST_SENTENCES = 2000
"""The largest number of sentences of a set that are used; more would not change the result."""
_LOW, _HIGH, _STEPS = -2.5, 4.0, 12  # logs of the least and largest temperature


@dataclass(frozen=True)
class ModelCalibration:
    """How a model's scores become probabilities.

    Attributes
    ----------
    way
        The normalisation of heads; see :func:`treegauge.parsing.probabilities.evidence.ways_to_sum`.
    heads, relations
        Maps of heads, and of relations whose head is correct.
    tree
        Exponent a and log factor b; None leaves the tree's share unchanged.
    text
        The words of the training set and counts of its tags, if they are known.
    fitted_on
        A description of the data it was fitted on; empty if it was not fitted.
    """

    way: str
    heads: ProbabilityMap = field(default_factory=ProbabilityMap)
    relations: ProbabilityMap = field(default_factory=ProbabilityMap)
    tree: tuple[float, float] | None = None
    text: TrainingText | None = None
    fitted_on: str = ""

    def to_dict(self) -> dict[str, Any]:
        """Return data for JSON."""
        text = None if self.text is None else self.text.to_dict()
        return {**asdict(replace(self, text=None)), "text": text}

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> "ModelCalibration":
        """Return the calibration that :meth:`to_dict` wrote, after its way through JSON."""
        try:
            heads, relations = (_read_map(values[name]) for name in ("heads", "relations"))
            tree = None if values["tree"] is None else tuple(map(float, values["tree"]))
            if values["way"] not in WAYS or (tree is not None and len(tree) != 2):
                raise ValueError(f"way {values['way']!r}, tree {tree!r}")
            text = None if values["text"] is None else TrainingText.from_dict(values["text"])
            return cls(values["way"], heads, relations, tree, text, str(values["fitted_on"]))
        except (KeyError, TypeError, ValueError, OverflowError) as error:
            raise TreegaugeError(f"the model's calibration is damaged ({error!r}): train it again") from error

    def tree_probability(self, log_shares: npt.ArrayLike) -> Doubles:
        """Return P(all heads and relations are correct) from log p(tree)."""
        logs = np.asarray(log_shares, np.float64)
        if self.tree is None:
            return np.exp(logs)
        exponent, factor = self.tree
        return np.asarray(np.exp(-np.exp(factor) * np.maximum(-logs, 0.0) ** exponent))


def _read_map(values: Mapping[str, Any]) -> ProbabilityMap:
    """Read a map; refuse invalid values."""
    temperature = float(values["temperature"])
    weights, logits, shares = (list(map(float, values[name])) for name in ("weights", "logits", "probabilities"))
    sound = temperature > 0 and len(logits) == len(shares) and logits == sorted(logits)
    sound &= len(weights) in {0, len(FEATURES)} and bool(np.isfinite([*weights, *logits]).all())
    if not sound or not all(0 <= share <= 1 for share in shares):
        raise ValueError("a temperature or a map out of range")
    return ProbabilityMap(temperature, weights, logits, shares)


def uncalibrated(model: Any) -> ModelCalibration:
    """Return the calibration that leaves a model's probabilities unchanged."""
    return ModelCalibration(ways_to_sum(model)[0])


class UniversalRelations:
    """Which relations are equal without their subtypes."""

    def __init__(self, names: Sequence[str]) -> None:
        plain = np.array(list(map(universal_relation, names)), object)
        self.same = np.equal.outer(plain, plain).astype(bool)

    def shares(self, tree: TreeEvidence, temperature: float) -> Doubles:
        """Return the probability of each word's relation, whatever its subtype."""
        logs = tree.relation_logs / temperature
        shares = np.exp(logs - logs.max(1, keepdims=True, initial=-np.inf))
        chosen = (shares * self.same[tree.relations]).sum(1)
        return np.asarray(chosen / shares.sum(1))


def tempered(logs: Doubles, temperature: float) -> Doubles:
    """Return logs divided by a temperature, with the best of each row at 0."""
    return np.asarray((logs - logs.max(1, keepdims=True, initial=-np.inf)) / temperature)


class CalibrationSet(NamedTuple):
    """A model, sentences that it was not trained on, and its training text if known."""

    model: Any
    gold: Treebank
    text: TrainingText | None = None


def fit_calibration(model: Any, gold: Treebank, fitted_on: str, *, train: Treebank | None = None) -> ModelCalibration:
    """Fit the calibration of a model on sentences with gold trees.

    `train` is the training set, if available: words and arcs that it has are more often correct.

    Examples
    --------
    >>> from treegauge.parsing.registry import make_parser
    >>> from treegauge.testing.synthetic import synthetic
    >>> model = make_parser("mst", epochs=1).fit(synthetic(30, seed=1), seed=0)
    >>> fit_calibration(model, synthetic(40, seed=2), "dev").way
    'projective'
    """
    text = None if train is None else TrainingText.of(train)
    return pooled_calibration([CalibrationSet(model, gold, text)], fitted_on, text)


def pooled_calibration(
    held_out: Sequence[CalibrationSet], fitted_on: str, text: TrainingText | None, *, first: int | None = None
) -> ModelCalibration:
    """Fit one calibration on the sentences of several models, such as those of folds.

    Parameters
    ----------
    held_out
        Models and sentences.
    fitted_on
        A description of them.
    text
        The training text of the calibrated model.
    first
        Fit temperatures only on this number of sets; by default on all.
    """
    cases = [WordCases(own._replace(gold=_some(own.gold, MOST_SENTENCES))) for own in held_out]
    tempering = cases[:first]
    losses = {
        way: _best_temperature(partial(_mean_loss, tempering, partial(WordCases.head_loss, way=way)))
        for way in ways_to_sum(held_out[0].model)
    }
    way = min(losses, key=lambda each: losses[each][1])
    temperature = losses[way][0]
    relation_temperature, _ = _best_temperature(partial(_mean_loss, tempering, WordCases.relation_loss))
    temperatures = temperature, relation_temperature
    features = np.concatenate([one.features(*temperatures, way) for one in cases])
    right = np.concatenate([one.right_heads for one in cases])
    right_relations = np.concatenate([one.right_relations for one in cases])
    heads = fitted_map(temperature, features, right, start_at("head"))
    relations = fitted_map(relation_temperature, features[right], right_relations[right], start_at("relation"))
    nothing = np.zeros(len(right))
    arcs = heads(nothing, features) * relations(nothing, features)
    sizes = [size for one in cases for size in one.sizes]
    trees = _by_sentence(np.log(np.maximum(arcs, 1e-12)), sizes)
    whole = _by_sentence(~(right & right_relations), sizes) == 0
    return ModelCalibration(way, heads, relations, power_map(trees, whole), text, fitted_on)


def _mean_loss(cases: Sequence["WordCases"], loss: Callable[["WordCases", float], float], temperature: float) -> float:
    """Return the mean over words of a loss of several sets."""
    sizes = [len(one.right_heads) for one in cases]
    losses = [loss(one, temperature) for one in cases]
    return float(np.average(losses, weights=sizes) if sum(sizes) else 0.0)


def _some(gold: Treebank, most: int) -> Treebank:
    """Return at most this number of sentences, spread over the treebank."""
    if len(gold) <= most:
        return gold
    return gold.take(np.linspace(0, len(gold) - 1, most).astype(np.int64))


def _by_sentence(values: npt.NDArray[Any], sizes: Sequence[int]) -> Doubles:
    sums = np.concatenate(([0.0], np.cumsum(values, dtype=np.float64)))
    ends = np.concatenate(([0], np.cumsum(sizes, dtype=np.int64)))
    return np.asarray(sums[ends[1:]] - sums[ends[:-1]])


class WordCases:
    """Evidence about the words of gold sentences, and whether they are correct."""

    def __init__(self, held_out: CalibrationSet) -> None:
        model, gold, text = held_out
        parsed = model.parse(gold)
        names = evidence_relations(model)
        universal = UniversalRelations(names)
        known = known_sentences(text, parsed, names)
        self.evidence: list[tuple[SentenceEvidence, UniversalRelations, KnownSentence | None]] = [
            (one, universal, own)
            for one, own in zip(gather_evidence(model, parsed), known, strict=True)
            if len(one.head_logs)
        ]
        self.right_heads: Bools = parsed.head == gold.head
        columns = []
        for treebank in (parsed, gold):
            codes, values = treebank.codes("deprel")
            plain = np.array(list(map(universal_relation, values)), object)
            columns.append(plain[codes] if len(codes) else plain)
        self.right_relations: Bools = np.equal(*columns).astype(np.bool_)

    @property
    def sizes(self) -> list[int]:
        """The number of words of each sentence."""
        return [len(one.head_logs) for one, _, _ in self.evidence]

    def heads(self, temperature: float, way: str) -> Doubles:
        """Return the share of each word's head."""
        words = [np.zeros(0)]
        for one, _, _ in self.evidence:
            heads = one.tree.heads
            shares, _ = head_marginals(tempered(one.head_logs, temperature), way)
            words.append(shares[np.arange(len(heads)), heads])
        return np.concatenate(words)

    def relations(self, temperature: float) -> Doubles:
        """Return the share of each word's relation at its head."""
        shares = [names.shares(one.tree, temperature) for one, names, _ in self.evidence]
        return np.concatenate([np.zeros(0), *shares])

    def features(self, temperature: float, relation_temperature: float, way: str) -> Doubles:
        """Return the features of all words."""
        ends = np.cumsum(self.sizes)[:-1]
        heads = np.split(self.heads(temperature, way), ends)
        relations = np.split(self.relations(relation_temperature), ends)
        made = [np.zeros((0, len(FEATURES)))]
        of_words = zip(self.evidence, heads, relations, strict=False)
        for (one, _, known), head_shares, relation_shares in of_words:
            logs = tempered(one.head_logs, temperature)
            made.append(word_features(one, one.tree, logs, head_shares, relation_shares, known))
        return np.concatenate(made)

    def head_loss(self, temperature: float, way: str) -> float:
        """Return the log loss of shares of heads."""
        return _log_loss(self.heads(temperature, way), self.right_heads)

    def relation_loss(self, temperature: float) -> float:
        """Return the log loss of shares of relations, of words with a correct head."""
        right = self.right_heads
        return _log_loss(self.relations(temperature)[right], self.right_relations[right])


def _log_loss(probabilities: Doubles, right: Bools) -> float:
    p = np.clip(probabilities, 1e-3, 1 - 1e-3)
    return float(-np.log(np.where(right, p, 1 - p)).mean()) if len(p) else 0.0


def _best_temperature(loss: Callable[[float], float]) -> tuple[float, float]:
    """Return the temperature with the smallest loss, and the loss, by golden-section search."""
    golden = (np.sqrt(5) - 1) / 2
    low, high = _LOW, _HIGH
    points = [high - golden * (high - low), low + golden * (high - low)]
    losses = [loss(float(np.exp(point))) for point in points]
    for _ in range(_STEPS):
        if losses[0] <= losses[1]:
            high, points, losses = points[1], [0.0, points[0]], [0.0, losses[0]]
            points[0] = high - golden * (high - low)
            losses[0] = loss(float(np.exp(points[0])))
        else:
            low, points, losses = points[0], [points[1], 0.0], [losses[1], 0.0]
            points[1] = low + golden * (high - low)
            losses[1] = loss(float(np.exp(points[1])))
    best = int(np.argmin(losses))
    return float(np.exp(points[best])), losses[best]
