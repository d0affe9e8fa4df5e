"""Maps from evidence to probabilities, and the features of arcs that they read.

Maps are logistic and isotonic regressions, and one of trees; features come in addition to the
parser's own share of an arc.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from treegauge.parsing.probabilities.evidence import SentenceEvidence, TreeEvidence
from treegauge.parsing.probabilities.training_text import KnownSentence

Doubles = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]

BINS, WORDS_IN_BIN, FEWEST_BINS = 20, 250, 5
PRIOR = 20.0
"""Precision of the prior of logistic weights."""
_EDGE = 1e-6


def logit(probabilities: npt.ArrayLike) -> Doubles:
    """Return the log-odds of probabilities, clipped away from 0 and 1."""
    p = within(np.asarray(probabilities, np.float64), _EDGE, 1 - _EDGE)
    return np.log(p) - np.log1p(-p)


def within(values: Doubles, low: float, high: float) -> Doubles:
    """Return values with limits; quicker than numpy's clip for a sentence of words."""
    return np.asarray(np.minimum(np.maximum(values, low), high))


def sigmoid(values: Doubles) -> Doubles:
    """Return the probabilities of log-odds."""
    return np.asarray(1 / (1 + np.exp(-within(values, -30, 30))))


@dataclass(frozen=True)
class ProbabilityMap:
    """A temperature, weights of features, and a monotone map by its knots.

    Without weights the share is used unchanged; without knots there is no further map. Below the
    first knot, which is rare for a parser's own choices, log-odds are shifted as at the knot; above
    the last knot the map is flat.
    """

    temperature: float = 1.0
    weights: Sequence[float] = ()
    logits: Sequence[float] = ()
    probabilities: Sequence[float] = ()

    def __call__(self, shares: npt.ArrayLike, features: Doubles | None = None) -> Doubles:
        """Map shares that were made with the temperature, with the features of their words."""
        plain = np.asarray(shares, np.float64)
        if not len(self.weights) and not len(self.logits):
            return plain
        if len(self.weights) and features is not None:
            values = features @ np.asarray(self.weights, np.float64)
        else:
            values = logit(plain)
        if not len(self.logits):
            return sigmoid(values)
        below = values - self.logits[0]
        least = logit(self.probabilities[0])
        mapped = np.interp(values, self.logits, self.probabilities)
        return np.where(below < 0, sigmoid(least + below), mapped)


def logistic_weights(features: Doubles, right: Bools, start: Doubles) -> Doubles:
    r"""Return weights w that maximise the likelihood of :math:`p = \sigma(w \cdot x)`.

    .. math:: \sum_i \log p(y_i) - \tfrac{\lambda}{2} \lVert w - w_0 \rVert^2

    The prior keeps weights near :math:`w_0`, the `start`, where there are few cases. By Newton's
    method.

    Examples
    --------
    >>> x = np.stack([np.ones(40000), np.tile([0.0, 1.0], 20000)], 1)
    >>> y = np.tile([True, True, True, False, False, False, True, True], 5000)
    >>> logistic_weights(x, y, np.zeros(2)).round(1)  # of 4 cases with x = 0 (1), 3 (2) are correct
    array([ 1.1, -1.1])
    """
    signs = np.where(right, 1.0, -1.0)

    def loss(weights: Doubles) -> float:
        errors = np.logaddexp(0, -signs * (features @ weights)).sum()
        return float(errors + PRIOR / 2 * ((weights - start) ** 2).sum())

    weights, least = start.copy(), loss(start)
    for _ in range(60):
        p = sigmoid(features @ weights)
        gradient = features.T @ (right - p) - PRIOR * (weights - start)
        curvature = (features * (p * (1 - p))[:, None]).T @ features + PRIOR * np.eye(len(weights))
        step = np.linalg.solve(curvature, gradient)
        while (found := loss(weights + step)) > least and np.abs(step).max() > 1e-7:
            step = step / 2
        if np.abs(step).max() < 1e-7:
            break
        weights, least = weights + step, found
    return weights


def fitted_map(temperature: float, features: Doubles, right: Bools, start: Doubles) -> ProbabilityMap:
    """Return the map fitted to words with these features, and whether they are correct.

    It is halfway between the logistic and the isotonic regression: the first may have the wrong
    shape, the second follows chance.
    """
    weights = logistic_weights(features, right, start).round(6)
    logits, shares = isotonic_knots(features @ weights, right)
    halfway = (np.array(shares) + sigmoid(np.array(logits))) / 2
    return ProbabilityMap(temperature, weights.tolist(), logits, halfway.round(6).tolist())


def isotonic_knots(values: Doubles, right: Bools) -> tuple[list[float], list[float]]:
    """Return knots of a monotone map from values to the share of correct cases.

    Bins have about the same number of cases, equal values share a bin, and each share is smoothed
    by half a case of either kind. With too few cases for five bins there are no knots.

    Examples
    --------
    >>> isotonic_knots(np.arange(1200.0), np.arange(1200) % 4 < 3)
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

    This is a regression with the log-log link, by Fisher scoring. A weak prior at the identity,
    worth about one tree, keeps it stable if all trees are alike.
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


FEATURES = (
    "constant",
    "head", "head squared", "head below even", "head above 88 %",
    "relation", "mean head of the sentence", "lead", "shortfall", "beam",
    "sentence length", "arc length", "root", "head follows",
    "seen word", "seen neighbours", "seen words of the sentence", "seen pairs of the sentence",
    "arc count", "labelled arc count", "context count", "mean context count",
)  # fmt: skip
"""Columns of :func:`word_features`.

Log-odds of the head's and of the relation's share come first. `lead` is that of the head over the
word's best other head, `shortfall` that over its best one, in logs. `beam` is the log-odds of the
share of the analyses at the end of the beam that have the head; 0 for other parsers. Counts are
those of :class:`~treegauge.parsing.probabilities.training_text.SeenTags`, in logs.
"""
NUMBER = {name: place for place, name in enumerate(FEATURES)}
_MOST = 9.0  # log-odds are clipped to this
_LOGS = 3.0  # logs of counts are divided by this, so that the prior allows them enough weight


def start_at(feature: str) -> Doubles:
    """Return weights that use one feature as the log-odds."""
    weights = np.zeros(len(FEATURES))
    weights[NUMBER[feature]] = 1.0
    return weights


def word_features(
    evidence: SentenceEvidence, tree: TreeEvidence, logs: Doubles, heads: Doubles,
    relations: Doubles, known: KnownSentence | None,
) -> Doubles:  # fmt: skip
    """Return the features of the words of one tree, (words, features).

    Parameters
    ----------
    evidence, tree
        The evidence of the sentence, and one of its trees.
    logs
        Logs of all heads, after the temperature.
    heads, relations
        The shares of the tree's heads and relations.
    known
        What the training set has of the sentence, if that is known.
    """
    n = len(logs)
    words = np.arange(n)
    own = logs[words, tree.heads]
    others = logs.copy()
    others[words, tree.heads] = -np.inf
    odds = within(logit(heads), -_MOST, _MOST)
    lead = own - others.max(1)
    beam = np.zeros(n)
    if evidence.beam_shares is not None:
        beam = within(logit(evidence.beam_shares[words, tree.heads]), -_MOST, _MOST)
    seen, arcs, contexts = np.zeros((n, 2)), np.zeros((n, 2)), np.zeros(n)
    if known is not None:
        seen, contexts = known.words, known.tags.contexts / _LOGS
        arcs = known.tags.arc_counts(tree.heads, tree.relations) / _LOGS
    length = np.where(tree.heads > 0, np.abs(tree.heads - words - 1), 0)
    columns = (
        1.0, odds, odds**2 / 10, np.minimum(odds, 0), np.maximum(odds - 2, 0),
        within(logit(relations), -_MOST, _MOST), np.add.reduce(odds) / n, within(lead, -10, 10),
        within(own - logs.max(1), -10, 0), beam, np.log(n), np.log1p(length), tree.heads == 0,
        tree.heads > words + 1, seen[:, 0], seen[:, 1], *(np.add.reduce(seen) / n),
        arcs[:, 0], arcs[:, 1], contexts, np.add.reduce(contexts) / n,
    )  # fmt: skip
    made = np.empty((n, len(FEATURES)))
    for place, column in enumerate(columns):
        made[:, place] = column
    return made
