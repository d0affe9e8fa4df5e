"""Equivalence tests, power, detectable effects, sample sizes, and the best of many."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from treegauge.core.errors import TreegaugeError
from treegauge.statistics.draws import FloatArray


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
        As in :class:`~treegauge.statistics.small_samples.StudentEstimate`.
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
    from scipy.special import stdtr

    if not margin > 0:
        raise TreegaugeError(f"margin: expected a number above 0, found {margin!r}")
    difference, error = np.asarray(value, np.float64), np.asarray(standard_error, np.float64)
    with np.errstate(divide="ignore"):
        above, below = (difference + margin) / error, (difference - margin) / error
    not_worse, not_better = stdtr(df, -above), stdtr(df, below)
    return Equivalence(np.maximum(not_worse, not_better), np.asarray(not_worse), np.asarray(stdtr(df, -below)))


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


def verdict(a: str, b: str, difference: float, p_value: float | None, claims: Mapping[str, Any], alpha: float) -> str:
    """Return the strongest claim about two systems that tests support, in the words of all verbs.

    Parameters
    ----------
    a, b, difference, p_value
        The systems, A - B, and the p-value of that difference; None if it was not tested.
    claims
        p-values of :func:`margin_claims`, perhaps corrected for the number of pairs.
    alpha
        The largest p-value at which a claim holds.

    Examples
    --------
    >>> verdict("A", "B", 0.1, 0.51, margin_claims(0.1, 0.15, 40, margin=0.5), 0.05)
    'equivalent'
    >>> verdict("A", "B", 0.4, 0.01, margin_claims(0.4, 0.15, 40, margin=0.5), 0.05)
    'A better'
    """
    shown = {name: p is not None and p <= alpha for name, p in claims.items()}
    ahead, behind = ("a", "b") if difference > 0 else ("b", "a")
    named = {"a": a, "b": b}
    if shown["p_equivalent"]:
        return "equivalent"
    if p_value is not None and p_value <= alpha:
        return f"{named[ahead]} better"
    for side in (ahead, behind):
        if shown[f"p_{side}_not_worse"]:
            return f"{named[side]} not worse"
    return "undecided"


def detectable_difference(
    standard_error: npt.ArrayLike, df: npt.ArrayLike, *, level: float = 0.95, power: float = 0.8
) -> FloatArray:
    r"""Return the smallest true difference that a two-sided t test finds with this power.

    The noncentrality :math:`\lambda` at which a noncentral t exceeds the critical value with
    probability `power`, times the standard error; about 2.8 standard errors for many units.

    Examples
    --------
    >>> round(float(detectable_difference(0.5, 30)), 2)
    1.45
    """
    from scipy.special import nctdtrinc, stdtrit

    check_shares(level=level, power=power)
    freedom = np.asarray(df, np.float64)
    critical = stdtrit(freedom, (1 + level) / 2)
    return np.asarray(nctdtrinc(freedom, 1 - power, critical) * np.asarray(standard_error))


def needed_units(
    difference: float, variance: float, fixed: float = 0.0, *, level: float = 0.95, power: float = 0.8, least: int = 2
) -> int | None:
    r"""Return the number of units needed to find a difference with this power.

    The smallest n of at least `least` for which :func:`detectable_difference` of the standard error
    :math:`\sqrt{v_0 + v/n}` with n - 1 degrees of freedom is at most the difference.

    Parameters
    ----------
    difference
        The true difference to be found.
    variance
        Variance of one unit (v): n times the squared standard error of a pilot with n units. Units
        can be sentences, documents, seeds or treebanks.
    fixed
        Variance that more units do not reduce (v0), such as that of seeds when sentences are added.
    level, power
        Of the test.
    least
        Smallest number of units to return.

    Returns
    -------
    int or None
        None if no number of units is enough, because of the fixed variance.

    Examples
    --------
    >>> needed_units(0.5, variance=4.0), needed_units(0.5, variance=4.0, fixed=0.05)
    (128, None)
    """
    if not (difference > 0 and variance >= 0 and fixed >= 0):
        raise TreegaugeError(
            f"expected a difference above 0 and variances of at least 0, found {difference}, {variance}, {fixed}"
        )

    def enough(n: int) -> bool:
        error = math.sqrt(fixed + variance / n)
        return bool(detectable_difference(error, n - 1, level=level, power=power) <= difference)

    if fixed and detectable_difference(math.sqrt(fixed), 1e9, level=level, power=power) > difference:
        return None
    return smallest(enough, least)


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
    from scipy.optimize import brentq
    from scipy.special import stdtr, stdtrit

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
    reach = float(stdtrit(df, 1 - outside / (2 * len(estimates)))) * error

    def share_below(true: float) -> float:
        edges = (max(lowest, true - reach), x, min(highest, true + reach))
        # Both tails, so that differences of numbers near 1 keep their digits.
        z = (np.array(edges) - true) / error
        z = -z[::-1] if z[0] > 0 else z
        a, b, c = stdtr(df, z)
        inner = (c - b) if edges[0] > true else (b - a)
        return float(inner / (c - a)) if c > a else 0.5

    def solve(share: float) -> float:
        low, high = x - reach * (1 - 1e-9), x + reach * (1 - 1e-9)
        if share_below(low) <= share:
            return low
        if share_below(high) >= share:
            return high
        return float(brentq(lambda true: share_below(true) - share, low, high))

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
    from scipy import special

    check_shares(alpha=alpha)
    if not -1 <= r <= 1:
        raise TreegaugeError(f"r: expected a coefficient from -1 to 1, found {r!r}")
    if not n > 3:
        raise TreegaugeError(f"n: the power of a correlation test needs more than 3 rows, found {n}")
    if abs(r) == 1:
        return 1.0
    critical = special.stdtrit(n - 2, 1 - alpha / 2)
    least = math.atanh(math.sqrt(critical**2 / (critical**2 + n - 2)))
    size = math.atanh(abs(r)) + abs(r) / (2 * (n - 1))
    scale = math.sqrt(n - 3)
    return float(special.ndtr((size - least) * scale) + special.ndtr((-size - least) * scale))


def needed_rows(r: float, power: float = 0.8, alpha: float = 0.05) -> int:
    """Return the smallest number of rows with which the test has at least this power.

    Add the number of covariates for a partial correlation.

    Examples
    --------
    >>> needed_rows(0.3)
    85
    """
    check_shares(power=power)
    if not 0 < abs(r) <= 1:
        raise TreegaugeError(f"r: expected a coefficient other than 0, at most 1, found {r!r}")
    return smallest(lambda n: correlation_power(r, n, alpha) >= power, 4)


def detectable(n: float, power: float = 0.8, alpha: float = 0.05) -> float:
    """Return the smallest coefficient that `n` rows detect with this power.

    Examples
    --------
    >>> round(detectable(94), 3)
    0.284
    """
    from scipy.optimize import brentq

    check_shares(power=power)
    if correlation_power(0.0, n, alpha) >= power:
        return 0.0
    return float(brentq(lambda r: correlation_power(r, n, alpha) - power, 0.0, 1 - 1e-12))
