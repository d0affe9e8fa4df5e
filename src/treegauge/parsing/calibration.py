r"""Calibration of a model's probabilities on sentences that it has not learned from.

Scores are divided by a temperature before they become probabilities, one for heads and one for
relations, and what comes out is passed through a monotone map: the share of correct words in bins
of about equal size, made monotone by pooling neighbours (isotonic regression), with straight lines
between bins on the logit scale. The probability that a tree is correct is

.. math:: \exp\left(-e^b (-\log p)^a\right)

where p is its share. Whether heads are shares of a word's heads or of all trees is chosen by the
log loss. A relation is correct if it is so for ``treegauge score``: subtypes do not count.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from treegauge.core.errors import TreegaugeError
from treegauge.parsing.evidence import (
    WAYS,
    Doubles,
    SentenceEvidence,
    TreeEvidence,
    gather_evidence,
    head_marginals,
    relation_names,
    ways_to_sum,
)
from treegauge.treebanks.columns import Treebank

Bools = npt.NDArray[np.bool_]

BINS, WORDS_IN_BIN, FEWEST_BINS = 20, 50, 5
MOST_SENTENCES = 2000
"""Sentences that are looked at; more would take time and change nothing."""
_LOW, _HIGH, _STEPS = -2.5, 4.0, 12  # logs of the least and largest temperature
_EDGE = 1e-6


def logit(probabilities: npt.ArrayLike) -> Doubles:
    """Return log-odds, of probabilities that are kept away from 0 and 1."""
    p = np.clip(np.asarray(probabilities, np.float64), _EDGE, 1 - _EDGE)
    return np.log(p) - np.log1p(-p)


@dataclass(frozen=True)
class ProbabilityMap:
    """A temperature, and a monotone map by its knots; without knots nothing is mapped.

    Below the first knot, where the parser's own choices hardly ever are, log-odds are shifted as at
    the knot; above the last one the map is flat.
    """

    temperature: float = 1.0
    logits: Sequence[float] = ()
    probabilities: Sequence[float] = ()

    def __call__(self, probabilities: npt.ArrayLike) -> Doubles:
        """Map probabilities that were made with the temperature."""
        if not len(self.logits):
            return np.asarray(probabilities, np.float64)
        values = logit(probabilities)
        below = values - self.logits[0]
        least = logit(self.probabilities[0])
        mapped = np.interp(values, self.logits, self.probabilities)
        return np.where(below < 0, 1 / (1 + np.exp(-(least + below))), mapped)


@dataclass(frozen=True)
class ModelCalibration:
    """How a model's scores become probabilities.

    Attributes
    ----------
    way
        What probabilities of heads are shares of; see
        :func:`treegauge.parsing.evidence.ways_to_sum`.
    heads, relations
        Maps of heads, and of relations whose head is correct.
    tree
        Exponent a and log factor b, or None for the tree's share as it is.
    fitted_on
        What it was fitted on, in words; empty if it was not.
    """

    way: str
    heads: ProbabilityMap = field(default_factory=ProbabilityMap)
    relations: ProbabilityMap = field(default_factory=ProbabilityMap)
    tree: tuple[float, float] | None = None
    fitted_on: str = ""

    def to_dict(self) -> dict[str, Any]:
        """Return what JSON can hold."""
        return asdict(self)

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> "ModelCalibration":
        """Make a calibration of what :meth:`to_dict` gave, after its way through JSON."""
        try:
            heads, relations = (_read_map(values[name]) for name in ("heads", "relations"))
            tree = None if values["tree"] is None else tuple(map(float, values["tree"]))
            if values["way"] not in WAYS or (tree is not None and len(tree) != 2):
                raise ValueError(f"way {values['way']!r}, tree {tree!r}")
            return cls(values["way"], heads, relations, tree, str(values["fitted_on"]))
        except (KeyError, TypeError, ValueError) as error:
            raise TreegaugeError(
                f"the model's calibration is damaged ({error!r}): train it again"
            ) from error

    def tree_probability(self, log_shares: npt.ArrayLike) -> Doubles:
        """Return P(all heads and relations are correct) from log p(tree)."""
        logs = np.asarray(log_shares, np.float64)
        if self.tree is None:
            return np.exp(logs)
        exponent, factor = self.tree
        return np.asarray(np.exp(-np.exp(factor) * np.maximum(-logs, 0.0) ** exponent))


def _read_map(values: Mapping[str, Any]) -> ProbabilityMap:
    """Read a map, refusing what is none."""
    temperature = float(values["temperature"])
    logits, shares = (list(map(float, values[name])) for name in ("logits", "probabilities"))
    sound = temperature > 0 and len(logits) == len(shares) and logits == sorted(logits)
    if not sound or not all(0 <= share <= 1 for share in shares):
        raise ValueError("a temperature or a map out of range")
    return ProbabilityMap(temperature, logits, shares)


def uncalibrated(model: Any) -> ModelCalibration:
    """Return what takes a model's probabilities as they are."""
    return ModelCalibration(ways_to_sum(model)[0])


class UniversalRelations:
    """Which relations are the same but for their subtypes."""

    def __init__(self, names: Sequence[str]) -> None:
        plain = [name.partition(":")[0] for name in names]
        self.same = np.array([[one == other for other in plain] for one in plain], bool)

    def shares(self, tree: TreeEvidence, temperature: float) -> Doubles:
        """Return the probability of each word's relation, whatever its subtype."""
        logs = tree.relation_logs / temperature
        shares = np.exp(logs - logs.max(1, keepdims=True, initial=-np.inf))
        chosen = (shares * self.same[tree.relations]).sum(1)
        return np.asarray(chosen / shares.sum(1))


def tempered(logs: Doubles, temperature: float) -> Doubles:
    """Return logs over a temperature, the best of each row at 0."""
    return np.asarray((logs - logs.max(1, keepdims=True, initial=-np.inf)) / temperature)


def fit_calibration(model: Any, gold: Treebank, fitted_on: str) -> ModelCalibration:
    """Fit the calibration of a model on sentences with gold trees.

    Examples
    --------
    >>> from treegauge.parsing.registry import make_parser
    >>> from treegauge.testing.synthetic import synthetic
    >>> model = make_parser("mst", epochs=1).fit(synthetic(30, seed=1), seed=0)
    >>> fit_calibration(model, synthetic(40, seed=2), "dev").way
    'projective'
    """
    return pooled_calibration([(model, gold)], fitted_on)


def pooled_calibration(pairs: Sequence[tuple[Any, Treebank]], fitted_on: str) -> ModelCalibration:
    """Fit one calibration on the sentences of several models, such as those of folds."""
    cases = _Cases()
    for model, gold in pairs:
        cases.add(model, _some(gold, MOST_SENTENCES // len(pairs)))
    ways = ways_to_sum(pairs[0][0])
    fitted = [_best_temperature(partial(cases.head_loss, way)) for way in ways]
    way, (temperature, _) = min(zip(ways, fitted, strict=True), key=lambda each: each[1][1])
    relation_temperature, _ = _best_temperature(cases.relation_loss)
    heads, logs = cases.heads(temperature, way)
    relations = cases.relations(relation_temperature)
    right = cases.right_heads
    head_map = ProbabilityMap(temperature, *isotonic_knots(logit(heads), right))
    relation_map = ProbabilityMap(
        relation_temperature,
        *isotonic_knots(logit(relations[right]), cases.right_relations[right]),
    )
    trees = logs + _by_sentence(np.log(np.maximum(relations, 1e-12)), cases.sizes)
    whole = _by_sentence(~(right & cases.right_relations), cases.sizes) == 0
    return ModelCalibration(way, head_map, relation_map, power_map(trees, whole), fitted_on)


def _some(gold: Treebank, most: int) -> Treebank:
    """Return at most so many sentences, from all over the treebank."""
    if len(gold) <= most:
        return gold
    return gold.take(np.linspace(0, len(gold) - 1, most).astype(np.int64))


def _by_sentence(values: npt.NDArray[Any], sizes: Sequence[int]) -> Doubles:
    sums = np.concatenate(([0.0], np.cumsum(values, dtype=np.float64)))
    ends = np.concatenate(([0], np.cumsum(sizes, dtype=np.int64)))
    return np.asarray(sums[ends[1:]] - sums[ends[:-1]])


class _Cases:
    """Evidence about the words of gold sentences, and which of them are correct."""

    def __init__(self) -> None:
        self.evidence: list[tuple[SentenceEvidence, UniversalRelations]] = []
        self.right_heads: Bools = np.zeros(0, np.bool_)
        self.right_relations: Bools = np.zeros(0, np.bool_)

    def add(self, model: Any, gold: Treebank) -> None:
        """Add the parses of one model."""
        parsed = model.parse(gold)
        universal = UniversalRelations(relation_names(model))
        own = [(one, universal) for one in gather_evidence(model, parsed)]
        kept = [(one, universal) for one, _ in own if len(one.head_logs)]
        self.evidence += kept
        self.right_heads = np.append(self.right_heads, parsed.head == gold.head)
        columns = []
        for treebank in (parsed, gold):
            codes, values = treebank.codes("deprel")
            plain = np.array([value.partition(":")[0] for value in values], object)
            columns.append(plain[codes] if len(codes) else plain)
        self.right_relations = np.append(self.right_relations, np.equal(*columns).astype(np.bool_))

    @property
    def sizes(self) -> list[int]:
        return [len(one.head_logs) for one, _ in self.evidence]

    def heads(self, temperature: float, way: str) -> tuple[Doubles, Doubles]:
        """Return the probability of each word's head, and the log of each tree's heads."""
        words, trees = [np.zeros(0)], []
        for one, _ in self.evidence:
            logs, heads = tempered(one.head_logs, temperature), one.trees[0].heads
            shares, total = head_marginals(logs, way)
            rows = np.arange(len(heads))
            words.append(shares[rows, heads])
            trees.append(float(logs[rows, heads].sum()) - total)
        return np.concatenate(words), np.array(trees)

    def relations(self, temperature: float) -> Doubles:
        """Return the probability of each word's relation at its head."""
        shares = [names.shares(one.trees[0], temperature) for one, names in self.evidence]
        return np.concatenate([np.zeros(0), *shares])

    def head_loss(self, way: str, temperature: float) -> float:
        return _log_loss(self.heads(temperature, way)[0], self.right_heads)

    def relation_loss(self, temperature: float) -> float:
        right = self.right_heads
        return _log_loss(self.relations(temperature)[right], self.right_relations[right])


def _log_loss(probabilities: Doubles, right: Bools) -> float:
    p = np.clip(probabilities, 1e-3, 1 - 1e-3)
    return float(-np.log(np.where(right, p, 1 - p)).mean()) if len(p) else 0.0


def _best_temperature(loss: Callable[[float], float]) -> tuple[float, float]:
    """Return the temperature with the least loss, and the loss, by golden sections."""
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


def isotonic_knots(values: Doubles, right: Bools) -> tuple[list[float], list[float]]:
    """Return knots of a monotone map from values to the share of correct cases.

    Bins hold about as many cases each, equal values share a bin, and each share counts half a case
    of either kind more. Fewer cases than fill five bins give no knots.

    Examples
    --------
    >>> isotonic_knots(np.repeat([0.0, 1.0], 200), np.arange(400) % 4 < 3)
    ([], [])
    """
    bins = min(BINS, len(values) // WORDS_IN_BIN)
    if bins < FEWEST_BINS:
        return [], []
    edges = np.unique(np.quantile(values, np.arange(1, bins) / bins))
    number = np.searchsorted(edges, values, side="right")
    counts = np.bincount(number)
    full = np.flatnonzero(counts)
    if len(full) < FEWEST_BINS:
        return [], []
    centres = np.bincount(number, values)[full] / counts[full]
    shares = (np.bincount(number, right)[full] + 0.5) / (counts[full] + 1)
    blocks: list[list[float]] = []
    for share, count in zip(shares.tolist(), counts[full].tolist(), strict=True):
        blocks.append([share, count, 1])
        while len(blocks) > 1 and blocks[-2][0] >= blocks[-1][0]:
            (a, m, i), (b, n, j) = blocks[-2:]
            blocks[-2:] = [[(a * m + b * n) / (m + n), m + n, i + j]]
    pooled = [round(share, 6) for share, _, size in blocks for _ in range(int(size))]
    return [round(one, 6) for one in centres.tolist()], pooled


def power_map(log_shares: Doubles, right: Bools) -> tuple[float, float]:
    """Return exponent and log factor of the map of trees, by maximum likelihood.

    This is a regression with the log-log link, by Fisher scoring. A weak prior at the map that
    changes nothing, worth about one tree, holds it where all trees are alike.
    """
    design = np.stack([np.log(np.clip(-log_shares, 1e-4, 1e3)), np.ones(len(log_shares))], 1)
    targets = right.astype(np.float64)
    start = np.array([1.0, 0.0])
    weights = start.copy()
    for _ in range(100):
        rate = np.exp(np.clip(design @ weights, -12, 4))
        p = np.clip(np.exp(-rate), 1e-9, 1 - 1e-9)
        slope = -rate * p
        strength = slope**2 / (p * (1 - p))
        gradient = design.T @ ((targets - p) * slope / (p * (1 - p))) - (weights - start)
        step = np.linalg.solve((design * strength[:, None]).T @ design + np.eye(2), gradient)
        weights = weights + np.clip(step, -0.5, 0.5)
        if np.abs(step).max() < 1e-9:
            break
    return max(round(float(weights[0]), 6), 0.05), round(float(weights[1]), 6)
