"""Equivalence tests, power, detectable effects, sample sizes, and the best of many."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from statistics import NormalDist
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from treegauge.core.errors import TreegaugeError
from treegauge.core.lazy import scipy
from treegauge.statistics.draws import FloatArray
from treegauge.statistics.student import student_quantile


class Equivalence(NamedTuple):
    """p-values of three one-sided claims about a difference A - B with a margin.

    Attributes
    ----------
    p_equivalent
        Small if the difference lies between -margin and +margin.
    p_not_worse
        Small if A is at most `margin` worse than B (non-inferiority).
    p_better
        Small if A is better than B by more than `margin` (superiority by a margin).
    """

    p_equivalent: FloatArray
    p_not_worse: FloatArray
    p_better: FloatArray


def equivalence(value: npt.ArrayLike, standard_error: npt.ArrayLike, df: npt.ArrayLike, margin: float) -> Equivalence:
    r"""Test whether a difference is smaller than a margin: two one-sided t tests.

    With :math:`F` Student's distribution and :math:`t_\pm = (\hat\delta \pm m)/se`,
    :math:`p = \max(1 - F(t_+), F(t_-))`. Equivalent at level .05 means that the 90 % interval lies
    inside the margins.

    Parameters
    ----------
    value, standard_error, df
        As in :class:`~treegauge.statistics.student_intervals.StudentEstimate`.
    margin
        The largest difference that does not matter, in the unit of the difference.

    Notes
    -----
    Schuirmann (1987). Agrees with ``statsmodels.stats.weightstats.ttost_paired``. A p-value above
    .05 in the usual test does not show that two systems are equivalent; a small one here does.

    Examples
    --------
    >>> round(float(equivalence(0.1, 0.15, 40, margin=0.5).p_equivalent), 4)
    0.0055
    """
    if not margin > 0:
        raise TreegaugeError(f"margin: expected a number above 0, found {margin!r}")
    difference, error = np.asarray(value, np.float64), np.asarray(standard_error, np.float64)
    with np.errstate(divide="ignore"):
        above, below = (difference + margin) / error, (difference - margin) / error
    not_worse, not_better = scipy.special.stdtr(df, -above), scipy.special.stdtr(df, below)
    return Equivalence(
        np.maximum(not_worse, not_better), np.asarray(not_worse), np.asarray(scipy.special.stdtr(df, -below))
    )


def margin_claims(
    value: npt.ArrayLike, standard_error: npt.ArrayLike, df: npt.ArrayLike, margin: float
) -> dict[str, FloatArray]:
    """Return the p-values of three claims about a difference A - B: equivalent, A or B not worse.

    They are twice the one-sided p-values of :func:`equivalence`, so that a claim holds if the
    interval that is shown lies on its side of the margin.

    Examples
    --------
    >>> {name: round(float(p), 3) for name, p in margin_claims(0.1, 0.15, 40, margin=0.5).items()}
    {'p_equivalent': 0.011, 'p_a_not_worse': 0.0, 'p_b_not_worse': 0.011}
    """
    difference = np.asarray(value, np.float64)
    ours, theirs = (equivalence(sign * difference, standard_error, df, margin) for sign in (1, -1))
    claims = {"equivalent": ours.p_equivalent, "a_not_worse": ours.p_not_worse, "b_not_worse": theirs.p_not_worse}
    return {f"p_{name}": np.asarray(np.minimum(2 * p, 1.0)) for name, p in claims.items()}


def detectable_difference(
    standard_error: npt.ArrayLike, df: npt.ArrayLike, *, pilot: npt.ArrayLike | None = None, level: float = 0.95,
    power: float = 0.8,
) -> FloatArray:  # fmt: skip
    r"""Return the smallest true difference that a two-sided t test finds with this power.

    About 2.8 standard errors for many units. The standard error is itself an estimate: with few
    units it is often too small, and with it the difference that seems detectable. So this is the
    :math:`\lambda` times the standard error with which the power is right on average over estimates,

    .. math:: P\bigl(\lambda \sqrt{W_p} + Z > t_\nu \sqrt{W_\nu}\bigr) = \text{power},

    for normal Z and chi-squares W over their degrees of freedom, of the pilot and of the test. It is
    solved with the normal approximation of :math:`\sqrt W` (Jennett and Welch), whose error in the
    power is below .005 from two degrees of freedom on.

    Parameters
    ----------
    standard_error, df
        Of the test.
    pilot
        Degrees of freedom of the estimated standard error; by default those of the test, infinite if
        it is known.
    level, power
        Of the test.

    Examples
    --------
    >>> detectable_difference(0.5, [9, 30, 1000]).round(2).tolist()
    [1.73, 1.49, 1.4]
    """
    check_shares(level=level, power=power)
    freedom, known = (np.asarray(one, np.float64) for one in (df, df if pilot is None else pilot))
    z, critical = NormalDist().inv_cdf(power), student_quantile((1 + level) / 2, freedom)
    root, ours = mean_root(freedom), mean_root(known)
    # (lambda ours - critical root)^2 = z^2 (1 + lambda^2 (1 - ours^2) + critical^2 (1 - root^2)).
    first, second = ours**2 - z**2 * (1 - ours**2), critical * root * ours
    third = (critical * root) ** 2 - z**2 * (1 + critical**2 * (1 - root**2))
    with np.errstate(invalid="ignore"):
        around = math.copysign(1, z) * np.sqrt(second**2 - first * third)
    factor = np.where(first > 0, (second + around) / np.where(first > 0, first, 1), np.inf)
    return np.asarray(factor * np.asarray(standard_error))


def planned_power(
    difference: float, standard_error: float, df: float, *, pilot: float = math.inf, level: float = 0.95
) -> float:
    """Return the power with which a two-sided t test finds a true difference.

    It has the formula of :func:`detectable_difference`.

    Examples
    --------
    >>> round(planned_power(1.49, 0.5, 30, pilot=30), 2)
    0.8
    """
    if not standard_error > 0:
        return 1.0
    times, critical = difference / standard_error, float(student_quantile((1 + level) / 2, df))
    root, ours = float(mean_root(df)), float(mean_root(pilot))
    spread = 1 + times**2 * (1 - ours**2) + critical**2 * (1 - root**2)
    return NormalDist().cdf((times * ours - critical * root) / math.sqrt(spread))


def mean_root(df: npt.ArrayLike) -> FloatArray:
    """Return the mean of the square root of a chi-square over its degrees of freedom (a series).

    Examples
    --------
    >>> mean_root([2, 9, np.inf]).round(3).tolist()
    [0.888, 0.973, 1.0]
    """
    x = 1 / np.asarray(df, np.float64)
    return np.asarray(1 - x / 4 + x**2 / 32 + 5 * x**3 / 128)


class SignificantErrors(NamedTuple):
    """What a significant result is worth, if a difference of this size is true.

    Attributes
    ----------
    power
        Probability of a significant result.
    type_s, type_m
        Of significant results: the share with the wrong sign, and the mean ratio of their size to the
        true one (exaggeration).
    """

    power: FloatArray
    type_s: FloatArray
    type_m: FloatArray


def significant_errors(
    difference: float, standard_error: npt.ArrayLike, df: npt.ArrayLike, level: float = 0.95
) -> SignificantErrors:
    r"""Return the power and the type S and type M errors of a t test of a difference of this size.

    Means over the chi-square distribution of the estimated variance, of normal probabilities.

    Notes
    -----
    Gelman and Carlin (2014), Beyond power calculations, Perspectives on Psychological Science 9.

    Examples
    --------
    >>> print(*(f"{float(value):.2f}" for value in significant_errors(2.0, 8.1, 1e9)))
    0.06 0.24 9.54
    """
    if not difference > 0:
        raise TreegaugeError(f"expected a difference above 0, found {difference}")
    error, freedom = np.asarray(standard_error, np.float64)[..., None], np.asarray(df, np.float64)[..., None]
    nodes = (np.arange(_NODES) + 0.5) / _NODES
    bar = student_quantile((1 + level) / 2, freedom) * np.sqrt(scipy.special.chdtri(freedom, 1 - nodes) / freedom)
    with np.errstate(divide="ignore"):
        true = difference / error
    above, below = scipy.special.ndtr(true - bar), scipy.special.ndtr(-true - bar)
    density = [np.exp(-((bar + sign * true) ** 2) / 2) / math.sqrt(2 * math.pi) for sign in (-1, 1)]
    size = true * (above - below) + density[0] + density[1]
    found = (above + below).mean(axis=-1)
    return SignificantErrors(found, below.mean(axis=-1) / found, size.mean(axis=-1) / found / true[..., 0])


_NODES = 200


def needed_units(
    difference: float, variance: float, fixed: float = 0.0, *, pilot: float = math.inf, level: float = 0.95,
    power: float = 0.8, least: int = 2, samples: int = 1,
) -> int | None:  # fmt: skip
    r"""Return the number of units needed to find a difference with this power.

    The smallest n of at least `least` for which :func:`detectable_difference` of the standard error
    :math:`\sqrt{v_0 + v/n}` with n - 1 degrees of freedom (of each sample) is at most the difference.

    Parameters
    ----------
    difference
        The true difference to be found.
    variance
        Variance of one unit (v): n times the squared standard error of a pilot with n units. Units
        can be sentences, documents, seeds or treebanks.
    fixed
        Variance that more units do not reduce (v0), such as that of seeds when sentences are added.
    pilot
        Degrees of freedom of the variance, if it is an estimate.
    level, power
        Of the test.
    least
        Smallest number of units to return.
    samples
        Number of samples of n units, each with n - 1 degrees of freedom: 2 for runs of two systems.

    Returns
    -------
    int or None
        None if no number of units is enough, because of the fixed variance.

    Examples
    --------
    >>> needed_units(0.5, variance=4.0), needed_units(0.5, variance=4.0, fixed=0.05)
    (128, None)
    >>> needed_units(0.5, variance=4.0, pilot=9)
    154
    """
    if not (difference > 0 and variance >= 0 and fixed >= 0):
        raise TreegaugeError(
            f"expected a difference above 0 and variances of at least 0, found {difference}, {variance}, {fixed}"
        )

    def enough(n: int) -> bool:
        error = math.sqrt(fixed + variance / n)
        return bool(
            detectable_difference(error, samples * (n - 1), pilot=pilot, level=level, power=power) <= difference
        )

    if fixed and detectable_difference(math.sqrt(fixed), 1e9, pilot=pilot, level=level, power=power) > difference:
        return None
    return smallest(enough, least)


def power_of_units(
    difference: float, number: int, variance: float, fixed: float = 0.0, *, pilot: float = math.inf,
    level: float = 0.95, samples: int = 1,
) -> float:  # fmt: skip
    """Return the power of this number of units, with the parameters of :func:`needed_units`.

    Examples
    --------
    >>> round(power_of_units(1.5, 11, variance=2.0, pilot=8, samples=2), 3)
    0.839
    """
    error = math.sqrt(fixed + variance / number)
    return planned_power(difference, error, samples * (number - 1), pilot=pilot, level=level)


def signed_rank_power(
    deviation: float, number: int, difference: float, *, pilot: float = math.inf, level: float = 0.95
) -> float:
    """Return the power of the signed-rank test of this many units, as :func:`signed_rank_difference` has it.

    Examples
    --------
    >>> round(signed_rank_power(1.0, 8, 1.25), 2), signed_rank_power(1.0, 5, 1.25)
    (0.8, 0.0)
    """
    reached = _signed_rank_level(number, level)
    if not reached:
        return 0.0
    error = deviation * math.sqrt(math.pi / 3 / number)
    return planned_power(difference, error, number - 1, pilot=pilot, level=1 - reached)


def signed_rank_difference(deviation: float, number: int, *, pilot: float = math.inf, level: float = 0.95) -> float:
    r"""Return the mean difference that the signed-rank test of this many units finds with power .8.

    Of normal units with this standard deviation. The test needs :math:`\pi/3` times the units of a t
    test, and with few units its level is below the nominal one: the largest p-value that it can have.

    Examples
    --------
    >>> round(signed_rank_difference(1.0, 8), 2), signed_rank_difference(1.0, 5)
    (1.25, inf)
    """
    reached = _signed_rank_level(number, level)
    if not reached:
        return math.inf
    error = deviation * math.sqrt(math.pi / 3 / number)
    return float(detectable_difference(error, number - 1, pilot=pilot, level=1 - reached))


@cache
def _signed_rank_level(number: int, level: float) -> float:
    """Return the largest p-value of the signed-rank test of this many units that is significant."""
    tails = np.ones(1)
    for rank in range(1, min(number, _MOST_RANKS) + 1):
        tails = (np.pad(tails, (0, rank)) + np.pad(tails, (rank, 0))) / 2
    p_values = 2 * np.cumsum(tails)
    return float(p_values[p_values <= 1 - level + 1e-12].max(initial=0.0))


_MOST_RANKS = 60


def smallest(enough: Callable[[int], bool], least: int) -> int:
    """Return the smallest whole number from `least` on from which all numbers are enough."""
    low, high = least - 1, least
    while not enough(high):
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high


@dataclass(frozen=True)
class Winner:
    """The best of several estimates, corrected for its selection.

    Attributes
    ----------
    index, observed
        Its index, and its uncorrected estimate.
    value, low, high
        Median-unbiased estimate and interval of its true value.
    """

    index: int
    observed: float
    value: float
    low: float
    high: float


def best_of(
    values: npt.ArrayLike,
    covariance: npt.ArrayLike,
    df: float = math.inf,
    *,
    level: float = 0.95,
    absolute: bool = False,
) -> Winner:
    r"""Correct the largest of several estimates for the winner's curse.

    The largest of noisy estimates is too large on average. Given that estimate j is the largest,
    and given the others relative to it, it has a normal distribution cut off below at the point
    where another would win; the true values at which the observed one is at its 50 %, 97.5 % and
    2.5 % quantile are the estimate and the limits. If the others are close, the cut-off alone is
    not informative, so the true value is also bounded by a simultaneous interval of 99.5 %
    (hybrid).

    Parameters
    ----------
    values, covariance
        Estimates (n,) and their covariance (n, n), such as means over treebanks and the covariance
        of systems divided by the number of treebanks.
    df
        Degrees of freedom of the covariance.
    level
        Confidence level.
    absolute
        Whether the one farthest from 0 was selected, as in a table of correlations.

    Notes
    -----
    Andrews, Kitagawa and McCloskey (2024), Inference on winners, Quarterly Journal of Economics.

    Examples
    --------
    >>> best = best_of([81.0, 80.9, 80.8, 80.9], 0.04 * np.eye(4))
    >>> print(f"{best.observed:.2f} -> {best.value:.2f} ({best.low:.2f} to {best.high:.2f})")
    81.00 -> 80.79 (80.36 to 81.37)
    """
    estimates, spread = np.asarray(values, np.float64), np.asarray(covariance, np.float64)
    if estimates.ndim != 1 or spread.shape != (len(estimates),) * 2 or not len(estimates):
        raise TreegaugeError(f"expected n values and a covariance n x n, found {estimates.shape} and {spread.shape}")
    j = int(np.argmax(np.abs(estimates) if absolute else estimates))
    observed, error = float(estimates[j]), math.sqrt(spread[j, j])
    turn = -1.0 if absolute and observed < 0 else 1.0
    x = turn * observed
    others = np.arange(len(estimates)) != j
    slopes = (spread[j] / spread[j, j])[others]
    rest = turn * estimates[others] - slopes * x
    slopes, rest = (np.r_[slopes, -slopes], np.r_[rest, -rest]) if absolute else (slopes, rest)
    # Estimate j wins where x (1 - slope) >= rest, for all others.
    rising, falling = slopes < 1 - 1e-9, slopes > 1 + 1e-9
    lowest = np.max(rest[rising] / (1 - slopes[rising]), initial=0.0 if absolute else -math.inf)
    highest = np.min(rest[falling] / (1 - slopes[falling]), initial=math.inf)
    alpha = 1 - level
    outside = alpha / 10
    reach = float(scipy.special.stdtrit(df, 1 - outside / (2 * len(estimates)))) * error

    def share_below(true: float) -> float:
        edges = (max(lowest, true - reach), x, min(highest, true + reach))
        # Both tails, so that differences of numbers near 1 keep their digits.
        z = (np.array(edges) - true) / error
        z = -z[::-1] if z[0] > 0 else z
        a, b, c = scipy.special.stdtr(df, z)
        inner = (c - b) if edges[0] > true else (b - a)
        return float(inner / (c - a)) if c > a else 0.5

    def solve(share: float) -> float:
        low, high = x - reach * (1 - 1e-9), x + reach * (1 - 1e-9)
        if share_below(low) <= share:
            return low
        if share_below(high) >= share:
            return high
        return float(scipy.optimize.brentq(lambda true: share_below(true) - share, low, high))

    tail = (alpha - outside) / (1 - outside) / 2
    ends = sorted(turn * solve(share) for share in (1 - tail, tail))
    return Winner(j, observed, turn * solve(0.5), ends[0], ends[1])


def check_shares(**shares: float) -> None:
    """Refuse numbers that are not between 0 and 1."""
    for name, share in shares.items():
        if not 0 < share < 1:
            raise TreegaugeError(f"{name}: expected a number between 0 and 1, found {share!r}")


def correlation_power(r: float, n: float, alpha: float = 0.05) -> float:
    r"""Return the two-sided power of the test that a correlation differs from zero.

    With :math:`t` the critical value of Student's distribution with :math:`n - 2` degrees of
    freedom and :math:`r_c = \sqrt{t^2 / (t^2 + n - 2)}` the smallest coefficient it detects,

    .. math:: \Phi\bigl((z - \operatorname{atanh} r_c)\sqrt{n - 3}\bigr)
              + \Phi\bigl((-z - \operatorname{atanh} r_c)\sqrt{n - 3}\bigr),
              \qquad z = \operatorname{atanh} r + \frac{r}{2 (n - 1)}

    Parameters
    ----------
    r
        The true coefficient. With an observed one, this is the "achieved power" of the EDV paper,
        which adds no information to the p-value.
    n
        Number of rows, less the number of covariates for a partial correlation.

    Notes
    -----
    Cohen (1988), section 3; agrees with ``pingouin.power_corr`` and R's ``pwr.r.test``.

    Examples
    --------
    >>> round(correlation_power(-0.265, 93), 3)
    0.735
    """
    check_shares(alpha=alpha)
    if not -1 <= r <= 1:
        raise TreegaugeError(f"r: expected a coefficient from -1 to 1, found {r!r}")
    if not n > 3:
        raise TreegaugeError(f"n: the power of a correlation test needs more than 3 rows, found {n}")
    if abs(r) == 1:
        return 1.0
    critical = scipy.special.stdtrit(n - 2, 1 - alpha / 2)
    least = math.atanh(math.sqrt(critical**2 / (critical**2 + n - 2)))
    size = math.atanh(abs(r)) + abs(r) / (2 * (n - 1))
    scale = math.sqrt(n - 3)
    return float(scipy.special.ndtr((size - least) * scale) + scipy.special.ndtr((-size - least) * scale))


def detectable(n: float, power: float = 0.8, alpha: float = 0.05) -> float:
    """Return the smallest coefficient that `n` rows detect with this power.

    Examples
    --------
    >>> round(detectable(94), 3)
    0.284
    """
    check_shares(power=power)
    if correlation_power(0.0, n, alpha) >= power:
        return 0.0
    return float(scipy.optimize.brentq(lambda r: correlation_power(r, n, alpha) - power, 0.0, 1 - 1e-12))
