"""Quality of probabilities: calibration, proper scores, error detection, risk and coverage; distances of counts.

All functions take one probability (or confidence) and one outcome per case: whether the event
occurred.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from treegauge.core.errors import TreegaugeError
from treegauge.statistics.draws import FloatArray

#: Bins of a reliability diagram; they have equal numbers of cases if probabilities are distinct.
BINS = 15
#: Log loss clips probabilities at this distance from 0 and 1: half of the fourth decimal.
NEAREST = 5e-5
#: Draws of the consistency test, and how many of them are in memory at once.
DRAWS, BLOCK = 999, 111
#: Smaller differences are rounding errors.
TINY = 1e-12

Flags = npt.NDArray[np.bool_]
Ints = npt.NDArray[np.int64]


class ReliabilityBins(NamedTuple):
    """Cases sorted by probability and divided into bins.

    `places` has the bin of each case; the others have one entry per bin: its number of cases, their
    mean probability, and the share of them that occurred.
    """

    places: Ints
    counts: Ints
    probability: FloatArray
    observed: FloatArray


def reliability_bins(probabilities: FloatArray, outcomes: Flags, bins: int = BINS) -> ReliabilityBins:
    """Divide cases into bins of equal mass; equal probabilities are always in the same bin.

    Examples
    --------
    >>> made = reliability_bins(np.array([0.2, 0.4, 0.6, 0.8]), np.array([0, 1, 1, 1]) > 0, bins=2)
    >>> made.counts.tolist(), made.observed.tolist()
    ([2, 2], [0.5, 1.0])
    """
    ordered = np.sort(probabilities)
    cuts = np.unique(ordered[np.arange(1, bins) * len(ordered) // bins])
    places = np.searchsorted(cuts, probabilities, side="right")
    counts = np.bincount(places)
    used = np.flatnonzero(counts)  # below the first cut there may be nothing
    places, counts = np.searchsorted(used, places), counts[used]
    means = [np.bincount(places, values, len(used)) / counts for values in (probabilities, outcomes)]
    return ReliabilityBins(places, counts, *means)


def calibration_error(bins: ReliabilityBins) -> float:
    r"""Return the expected calibration error over bins :math:`b` of :math:`n` cases.

    .. math:: \mathrm{ECE} = \sum_b \frac{n_b}{n} \left|\bar y_b - \bar p_b\right|

    It concerns one event, not classes: :math:`p` is the probability of the prediction, and
    :math:`y` is 1 if the prediction is correct (Naeini et al. 2015; Guo et al. 2017).

    Examples
    --------
    >>> p, y = np.array([0.2, 0.4, 0.6, 0.8]), np.array([0, 1, 1, 1]) > 0
    >>> round(calibration_error(reliability_bins(p, y, bins=2)), 2)
    0.25
    """
    gaps = np.abs(bins.observed - bins.probability)
    return float(bins.counts @ gaps / bins.counts.sum())


class BrierScore(NamedTuple):
    """The Brier score: `reliability` - `resolution` + `uncertainty`."""

    score: float
    reliability: float
    resolution: float
    uncertainty: float


def brier_score(probabilities: FloatArray, outcomes: Flags, made: ReliabilityBins | None = None) -> BrierScore:
    r"""Return the Brier score and its components (Murphy 1973), which add up exactly.

    .. math::
        \frac1n \sum_i (p_i - y_i)^2 = \underbrace{\sum_b \tfrac{n_b}{n} (\bar p_b - \bar y_b)^2
        }_\text{reliability} - \text{resolution} + \underbrace{\bar y (1 - \bar y)
        }_\text{uncertainty}

    Resolution is :math:`\sum_b \frac{n_b}{n} (\bar y_b - \bar y)^2` plus the resolution within
    bins: twice the covariance of probabilities and outcomes there, minus their variance (Stephenson
    et al. 2008).

    Examples
    --------
    >>> p, y = np.array([0.2, 0.4, 0.6, 0.8]), np.array([0, 1, 1, 1]) > 0
    >>> [round(float(part), 4) for part in brier_score(p, y)]
    [0.15, 0.15, 0.1875, 0.1875]
    """
    made = made or reliability_bins(probabilities, outcomes)
    true = outcomes.astype(np.float64)
    score = float(np.mean((probabilities - true) ** 2))
    gaps = made.probability - made.observed
    reliability = float(made.counts @ gaps**2 / made.counts.sum())
    uncertainty = float(true.mean() * (1 - true.mean()))
    return BrierScore(score, reliability, reliability + uncertainty - score, uncertainty)


def log_loss(probabilities: FloatArray, outcomes: Flags) -> float:
    r"""Return the mean of :math:`-\ln` of the probability of the outcome, in nats.

    Probabilities of 0 and 1 count as 0.00005 and 0.99995: files have four decimals, and a single
    outcome with probability 0 would make the mean infinite.

    Examples
    --------
    >>> round(log_loss(np.array([0.5, 0.5]), np.array([True, False])), 4)
    0.6931
    """
    predicted = np.where(outcomes, probabilities, 1 - probabilities)
    return float(-np.log(np.clip(predicted, NEAREST, 1 - NEAREST)).mean())


def auroc(confidence: FloatArray, outcomes: Flags) -> float | None:
    r"""Return how well confidence detects errors: the area under the ROC curve.

    It is the probability that a correct case has a higher confidence than an incorrect one; ties
    count half. None if all cases are correct or all are incorrect.

    Examples
    --------
    >>> auroc(np.array([0.9, 0.8, 0.8, 0.1]), np.array([1, 1, 0, 0]) > 0)
    0.875
    """
    correct = int(outcomes.sum())
    wrong = len(outcomes) - correct
    if not correct or not wrong:
        return None
    _, places, counts = np.unique(confidence, return_inverse=True, return_counts=True)
    ranks = np.cumsum(counts) - (counts - 1) / 2
    above = float(ranks[places][outcomes].sum()) - correct * (correct + 1) / 2
    return above / (correct * wrong)


def risk_coverage(confidence: FloatArray, errors: FloatArray, sizes: FloatArray | None = None) -> FloatArray:
    r"""Return the risk when the 1, 2, ..., n most confident units are kept.

    .. math:: r_k = \sum_{i \le k} e_i \Big/ \sum_{i \le k} s_i

    where units are sorted by decreasing confidence, :math:`e_i` are errors of a unit and
    :math:`s_i` its size (1 where none is given). Units of equal confidence share their errors and
    sizes equally, so that the order of a file does not matter.

    Examples
    --------
    >>> risk_coverage(np.array([0.9, 0.5, 0.7]), np.array([0.0, 1.0, 0.0])).round(2).tolist()
    [0.0, 0.0, 0.33]
    """
    _, places, counts = np.unique(-confidence, return_inverse=True, return_counts=True)
    weights = np.ones(len(errors)) if sizes is None else sizes
    shared = [np.cumsum(np.repeat(np.bincount(places, values) / counts, counts)) for values in (errors, weights)]
    return np.asarray(shared[0] / shared[1])


def aurc(risks: FloatArray) -> float:
    """Return the area under a risk-coverage curve: the mean risk over all coverages.

    Examples
    --------
    >>> aurc(np.array([0.0, 0.0, 0.3]))
    0.09999999999999999
    """
    return float(np.mean(risks))


class ConsistencyTest(NamedTuple):
    """The expected error of calibrated probabilities, and the p-value of the observed error."""

    expected: float
    p_value: float


def consistency_test(
    probabilities: FloatArray,
    outcomes: Flags,
    units: Ints,
    made: ReliabilityBins | None = None,
    *,
    seed: int = 0,
    draws: int = DRAWS,
) -> ConsistencyTest:
    r"""Test whether sampling noise explains the expected calibration error.

    If probabilities are calibrated, outcomes are drawn with these probabilities, and cases of a
    unit :math:`u` (a sentence or a document) may depend on each other: all of them share a shift of
    their log odds with variance :math:`\tau^2`, so that their covariance is :math:`\tau^2 v_i v_j`
    with :math:`v_i = p_i (1 - p_i)`. It is estimated from the residuals :math:`e_i = y_i - p_i`:

    .. math:: \hat\tau^2 = \max\Big(0, \sum_u \sum_{i \ne j \in u} e_i e_j \Big/
        \sum_u \sum_{i \ne j \in u} v_i v_j\Big)

    Noise is drawn for each bin: a binomial number of correct cases, its variance that of its cases
    less their share of the shift, and normal shifts of units. The p-value is the share of draws,
    including the data, whose error is at least the observed one; their mean is the expected error.

    Examples
    --------
    >>> random = np.random.default_rng(1)
    >>> p = random.random(2000)
    >>> honest, units = random.random(2000) < p, np.arange(2000)
    >>> consistency_test(p, honest, units).p_value > 0.05
    True
    >>> consistency_test(np.sqrt(p), honest, units).p_value
    0.001
    """
    made = made or reliability_bins(probabilities, outcomes)
    bins, number, cases = len(made.counts), int(units.max(initial=-1)) + 1, len(outcomes)
    residuals, variances = outcomes - probabilities, probabilities * (1 - probabilities)
    together = np.bincount(units, residuals, number) @ np.bincount(units, residuals, number)
    shared = np.bincount(units, variances, number) @ np.bincount(units, variances, number)
    pairs = shared - variances @ variances
    excess = float(together - residuals @ residuals)
    shift = max(0.0, excess / float(pairs)) if pairs > TINY * shared else 0.0
    own = np.bincount(made.places, variances * np.maximum(0.0, 1 - shift * variances), bins)
    whole = made.counts * made.probability * (1 - made.probability)
    scales = np.sqrt(np.divide(own, whole, out=np.ones(bins), where=whole > 0))
    weights = np.bincount(units * bins + made.places, variances, number * bins)
    table = np.sqrt(shift) * weights.reshape(number, bins)
    random, errors = np.random.default_rng(seed), np.empty(draws)
    for start in range(0, draws, BLOCK):
        size = min(BLOCK, draws - start)
        drawn = random.binomial(made.counts, made.probability, (size, bins))
        noise = scales * (drawn - made.counts * made.probability)
        if shift:
            noise += random.normal(size=(size, number)) @ table
        errors[start : start + size] = np.abs(noise).sum(axis=1) / cases
    reached = int((errors >= calibration_error(made) - TINY).sum())
    return ConsistencyTest(float(errors.mean()), (1 + reached) / (1 + draws))


def wasserstein(p: npt.ArrayLike, q: npt.ArrayLike) -> npt.NDArray[np.float64]:
    r"""Return the Wasserstein-1 distance of counts or shares on the same consecutive integers.

    .. math:: W_1(p, q) = \sum_k \Bigl| \sum_{i \le k} (p_i - q_i) \Bigr|

    Counts (..., values) are divided by their sums first; NaN where a side is empty. Equals
    ``scipy.stats.wasserstein_distance`` with the integers as values and counts as weights.

    Examples
    --------
    >>> float(wasserstein([1, 0, 0], [0, 0, 5]))
    2.0
    """
    left, right = (np.asarray(side, np.float64) for side in (p, q))
    with np.errstate(invalid="ignore"):
        gap = left / left.sum(axis=-1, keepdims=True) - right / right.sum(axis=-1, keepdims=True)
    return np.asarray(np.abs(np.cumsum(gap, axis=-1)).sum(axis=-1))


def cumulative_variance(scores: npt.ArrayLike, by: npt.ArrayLike | None = None) -> npt.NDArray[np.float64]:
    r"""Return the variance of scores over the best 2, 3, ... items.

    .. math:: v_k = \frac{1}{k} \sum_{i \le k} (s_i - \bar s_k)^2, \quad k = 2, \dots, n

    The best have the highest numbers in `by`, by default the highest scores; ties keep their order.

    Examples
    --------
    >>> cumulative_variance([80, 90, 70]).tolist()
    [25.0, 66.66666666666667]
    """
    values = np.asarray(scores, np.float64)
    order = values if by is None else np.asarray(by, np.float64)
    if values.ndim != 1 or values.shape != order.shape or len(values) < 2:
        raise TreegaugeError(
            f"expected two scores or more and as many to order them by, found shapes {values.shape} and {order.shape}"
        )
    if not (np.isfinite(values).all() and np.isfinite(order).all()):
        raise TreegaugeError("scores must be numbers: some are missing or infinite")
    ranked = values[np.argsort(-order, kind="stable")]
    # Centred at the overall mean, sums of squares stay small and keep all digits.
    ranked = ranked - ranked.mean()
    counts = np.arange(1, len(ranked) + 1)
    means = np.cumsum(ranked) / counts
    variances = np.cumsum(ranked**2) / counts - means**2
    return np.asarray(np.maximum(variances[1:], 0.0))
