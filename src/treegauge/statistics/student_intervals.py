"""Intervals and tests that hold with few units: Student's t, the jackknife, shares, medians, signed ranks."""

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from treegauge.core.errors import TreegaugeError
from treegauge.core.lazy import scipy
from treegauge.statistics.draws import FloatArray, Statistic, Units, apply_statistic, jackknife_values, runs_of
from treegauge.statistics.student import student_quantile, student_tail
from treegauge.statistics.units import LEAST_UNITS

#: Minimum number of values for an interval of their median.
LEAST_MEDIAN = 6
# Above this number of differences, the normal approximation of signed ranks is accurate.
_MOST_EXACT = 500
# Ratio of the skewness of a population to that of a sample, chosen on documents of four treebanks.
_UNSEEN = 1.5
# Where a rare unit may be far above all others: how much longer the upper half is, and the least length
# of the lower one. Chosen on documents of the same four: most cases cover .92 to .97, none is .03 outside.
_RARE, _SHORTEST = 0.35, 0.5


def wilson(successes: npt.ArrayLike, n: npt.ArrayLike, level: float = 0.95) -> tuple[FloatArray, FloatArray]:
    r"""Return the limits of a share: Wilson's score interval.

    .. math:: \frac{\hat p + z^2/2n \pm z \sqrt{\hat p (1 - \hat p)/n + z^2/4n^2}}{1 + z^2/n}

    A share of 0 or 1 also has an interval: 5 of 5 is compatible with 0.57.

    Parameters
    ----------
    successes, n
        Number of successes and of trials; a tie counts half.
    level
        Confidence level.

    Notes
    -----
    Agrees with ``statsmodels.stats.proportion.proportion_confint(method="wilson")``.

    Examples
    --------
    >>> [round(float(limit), 2) for limit in wilson(5, 5)]
    [0.57, 1.0]
    """
    trials = np.asarray(n, np.float64)
    share = np.asarray(successes, np.float64) / trials
    if not ((trials > 0) & (share >= 0) & (share <= 1)).all():
        raise TreegaugeError(f"a share needs 0 to n successes of n > 0, found {successes!r} of {n!r}")
    z = scipy.special.ndtri((1 + level) / 2)
    centre = share + z**2 / (2 * trials)
    reach = z * np.sqrt(share * (1 - share) / trials + z**2 / (4 * trials**2))
    scale = 1 + z**2 / trials
    return np.maximum((centre - reach) / scale, 0.0), np.minimum((centre + reach) / scale, 1.0)


@dataclass(frozen=True)
class StudentEstimate:
    """Estimates with standard errors and degrees of freedom, for Student's t.

    The three have the same shape; a missing standard error is NaN.
    """

    value: FloatArray
    standard_error: FloatArray
    df: FloatArray

    def reshape(self, shape: tuple[int, ...]) -> "StudentEstimate":
        """Return the same in another shape."""
        return StudentEstimate(self.value.reshape(shape), self.standard_error.reshape(shape), self.df.reshape(shape))

    def interval(self, level: float = 0.95, *, share: bool = False) -> tuple[FloatArray, FloatArray]:
        r"""Return the limits :math:`\hat\theta \pm t\, se`; NaN without a standard error.

        The interval of a share (LAS as a fraction) is computed on the log odds scale, which keeps
        it between 0 and 1 and its coverage near `level` even with few errors; a share of exactly 0
        or 1 has none.
        """
        reach = student_quantile((1 + level) / 2, self.df) * self.standard_error
        if not share:
            return self.value - reach, self.value + reach
        inside = (self.value > 0) & (self.value < 1)
        value = np.where(inside, self.value, 0.5)
        odds, reach = value / (1 - value), np.where(inside, reach / (value * (1 - value)), np.nan)
        return 1 / (1 + np.exp(reach) / odds), 1 / (1 + np.exp(-reach) / odds)

    def limited(self, units: npt.NDArray[np.int64], least: int) -> "StudentEstimate":
        """Return the same with at most the degrees of freedom of `units`; NaN where these are fewer than `least`."""
        error = np.where(units >= least, self.standard_error, np.nan)
        return StudentEstimate(self.value, error, np.minimum(self.df, np.maximum(units - 1, 1)))

    def p_value(self, null: float = 0.0) -> FloatArray:
        """Return the two-sided p-value of the t test against `null`; 1 if nothing differs."""
        away = np.abs(self.value - null)
        with np.errstate(divide="ignore", invalid="ignore"):
            t = np.where(away == 0, 0.0, away / self.standard_error)
        return 2 * student_tail(t, self.df)


def student_mean(values: npt.ArrayLike) -> StudentEstimate:
    """Return means over the last axis with standard errors, NaN for a single value.

    For approximately normal numbers, such as the scores of several training seeds.

    Examples
    --------
    >>> [round(float(limit), 2) for limit in student_mean([81.2, 81.9, 80.8]).interval()]
    [79.92, 82.68]
    """
    table = np.asarray(values, np.float64)
    n = table.shape[-1]
    error = table.std(axis=-1, ddof=1) / np.sqrt(n) if n > 1 else np.full(table.shape[:-1], np.nan)
    return StudentEstimate(table.mean(axis=-1), np.asarray(error), np.full(error.shape, n - 1.0))


def median_interval(values: npt.ArrayLike, level: float = 0.95) -> tuple[float, float] | None:
    r"""Return an interval of the median that holds for any distribution; None below six values.

    Between order statistics :math:`x_{(k)}` and :math:`x_{(k+1)}` (and their mirror images), whose
    coverages are binomial and lie around `level`, the limits are interpolated.

    Notes
    -----
    Hettmansperger and Sheather (1986), Statistics and Probability Letters 4. Means of few treebanks
    have no such interval: one outlier can move the mean arbitrarily.

    Examples
    --------
    >>> low, high = median_interval([0.3, 1.1, -0.2, 0.8, 2.5, 0.6, 0.9, 7.0])
    >>> round(low, 2), round(high, 2)
    (0.27, 2.79)
    """
    ordered = np.sort(np.asarray(values, np.float64))
    n = len(ordered)
    # Coverage between the k-th smallest and the k-th largest.
    covers = 1 - 2 * scipy.special.bdtr(np.arange(n // 2), n, 0.5)
    if n < LEAST_MEDIAN or covers[0] < level:
        return None
    k = int(np.flatnonzero(covers >= level)[-1]) + 1
    if k == len(covers):
        return float(ordered[k - 1]), float(ordered[n - k])
    share = (covers[k - 1] - level) / (covers[k - 1] - covers[k])
    part = (n - k) * share / (k + (n - 2 * k) * share)
    low = (1 - part) * ordered[k - 1] + part * ordered[k]
    high = (1 - part) * ordered[n - k] + part * ordered[n - k - 1]
    return float(low), float(high)


class SignedRank(NamedTuple):
    """Wilcoxon's signed-rank test.

    Attributes
    ----------
    p_value
        Two-sided.
    correlation
        Matched-pairs rank-biserial correlation (W+ - W-) / (W+ + W-), from -1 to 1.
    """

    p_value: float
    correlation: float


def signed_rank(differences: npt.ArrayLike) -> SignedRank:
    r"""Test whether differences are symmetric around 0 by their signed ranks, exactly.

    Zeros are left out; equal sizes share their mean rank. The distribution of the sum of positive
    ranks over all :math:`2^n` signs is computed exactly, also with ties, for up to 500 differences.
    Above that, it is normal with a correction for ties and continuity.

    Notes
    -----
    Wilcoxon (1945); with ties, equal to enumerating all signs. The smallest p-value of n
    differences is :math:`2 / 2^n`.

    Examples
    --------
    >>> signed_rank([1, 2, 2, 3, 4])  # all five won: no p-value can be smaller
    SignedRank(p_value=0.0625, correlation=1.0)
    """
    values = np.asarray(differences)
    moved = values[values != 0]
    if not len(moved):
        return SignedRank(1.0, 0.0)
    # Mean ranks are halves: twice a rank is a whole number.
    ranks = np.rint(2 * scipy.stats.rankdata(np.abs(moved))).astype(np.int64)
    total, plus = int(ranks.sum()), int(ranks[moved > 0].sum())
    correlation = (2 * plus - total) / total
    least = min(plus, total - plus)
    if len(moved) > _MOST_EXACT:
        spread = np.sqrt((ranks.astype(np.float64) ** 2).sum()) / 2
        z = min(least + 1 - total / 2, 0) / spread
        return SignedRank(min(1.0, 2 * float(scipy.special.ndtr(z))), correlation)
    # chances[s]: probability that the doubled ranks of positive sign sum to s.
    chances = np.zeros(total + 1)
    chances[0], reached = 1.0, 0
    for rank in ranks:
        chances[rank : reached + rank + 1] += chances[: reached + 1].copy()
        chances[: reached + rank + 1] /= 2
        reached += rank
    return SignedRank(min(1.0, 2 * float(chances[: least + 1].sum())), correlation)


def effective_df(weights: npt.ArrayLike) -> float:
    r"""Return the degrees of freedom of a jackknife variance over units of unequal size.

    With shares :math:`h_i` of the total size and :math:`s_i = h_i^2 / (1 - h_i)`,
    :math:`1 / (\sum h_i^2 + (\sum s_i)^2 - \sum s_i^2)`: n - 1 for equal sizes, less where few
    units have most words.

    Notes
    -----
    Bell and McCaffrey (2002), Survey Methodology 28, for a mean of clusters.

    Examples
    --------
    >>> round(effective_df([10, 10, 10, 10]), 6), round(effective_df([100, 10, 10, 10]), 2)
    (3.0, 1.41)
    """
    sizes = np.asarray(weights, np.float64)
    shares = sizes / sizes.sum()
    if len(shares) < 2 or shares.max() >= 1:
        return math.nan
    ratios = shares**2 / (1 - shares)
    return float(1 / ((shares**2).sum() + ratios.sum() ** 2 - (ratios**2).sum()))


def heavy_tailed_df(values: npt.ArrayLike) -> FloatArray:
    r"""Return the degrees of freedom of a variance over the first axis, fewer for heavy tails.

    A sample variance has the relative variance :math:`2/(n-1) + \gamma/n` with :math:`\gamma` the
    excess kurtosis, estimated without bias and at least 0; the chi-square with
    :math:`2 / (2/(n-1) + \gamma/n)` degrees of freedom has the same. The sample's own kurtosis
    would be too small: that of n values is at most about n.

    Examples
    --------
    >>> heavy_tailed_df([-1, 1, -1, 1, -1, 1]).item()
    5.0
    >>> round(heavy_tailed_df([0, 0, 0, 0, 0, 6]).item(), 2)
    1.43
    """
    table = np.asarray(values, np.float64)
    n = len(table)
    if n < 4:
        return np.full(table.shape[1:], max(n - 1.0, 1.0))
    centred = table - table.mean(axis=0)
    square = np.asarray((centred**2).mean(axis=0))
    least = np.ones_like(square)
    kurtosis = np.divide((centred**4).mean(axis=0), square**2, out=least, where=square > 0)
    excess = (n - 1) / ((n - 2) * (n - 3)) * ((n + 1) * (kurtosis - 3) + 6)
    return np.asarray(2 / (2 / (n - 1) + np.maximum(excess, 0.0) / n))


def skew_stretch(
    values: npt.ArrayLike, level: float = 0.95, known: float = 0.0, *, rare: bool = False
) -> tuple[float, float]:
    r"""Return the factors by which skewness lengthens an interval's lower and upper half.

    `values` are leave-one-out values. The Cornish-Fisher term of Student's t for the skewness g of
    n influences is :math:`g (2 z^2 + 1) / (6 z \sqrt n)`. It lengthens the half on the side of the
    long tail; the other half is not shortened. The term is multiplied by 1.5, since few units are
    less skewed than their population: the rare large unit is missing. `known` is the part of
    :math:`g / \sqrt n` that the interval already allows for.

    `rare` is for means over documents, of which few are likely to lack a rare one with very long
    sentences. Then the term itself moves both ends (the short half keeps at least half its length),
    and the upper half is 0.35 longer also where the sample shows no skewness.

    Examples
    --------
    >>> skew_stretch([1, 2, 2, 1])
    (1.0, 1.0)
    >>> [round(half, 2) for half in skew_stretch([5, 5, 5, 5, 5, 5, 5, 5, 5, 2])]
    [1.0, 2.11]
    >>> [round(half, 2) for half in skew_stretch([1, 2, 2, 1], rare=True)]
    [1.0, 1.35]
    """
    influence = -np.asarray(values, np.float64)
    n, z = len(influence), float(scipy.special.ndtri((1 + level) / 2))
    centred = influence - influence.mean()
    square = float((centred**2).mean())
    if n < 3 or square <= 0:
        return 1.0, 1.0 + _RARE * rare
    skewness = float((centred**3).mean()) / square**1.5 * math.sqrt(n * (n - 1)) / (n - 2)
    rest = skewness / math.sqrt(n) - known
    term = rest * (2 * z**2 + 1) / (6 * z) if rest * skewness > 0 else 0.0
    if rare:
        return max(1 - term, _SHORTEST), 1 + max(term, 0.0) + _RARE
    term *= _UNSEEN
    return 1 + max(-term, 0.0), 1 + max(term, 0.0)


def jackknife(
    counts: npt.ArrayLike,
    statistic: Statistic,
    weights: npt.ArrayLike | None = None,
    *,
    other: npt.ArrayLike | None = None,
    least: int = LEAST_UNITS,
) -> StudentEstimate:
    r"""Return the score of a system, or the difference of two, with a standard error.

    With :math:`\hat\theta_{(i)}` the score without unit i, the variance over units is
    :math:`\frac{n-1}{n} \sum_i (\hat\theta_{(i)} - \hat\theta)^2`. Several runs (training seeds)
    add the variance of their scores over their number; the part that varies by run and unit is in
    both and is subtracted once. Degrees of freedom: :func:`effective_df` for units, runs minus one,
    combined by Satterthwaite's rule.

    Parameters
    ----------
    counts
        Additive statistics, (n_units, n_columns), or (n_runs, n_units, n_columns).
    statistic
        Maps column sums (..., n_columns) to values (..., n_metrics).
    weights
        Size of each unit (its words); by default all are equal.
    other
        Counts of a second system on the same units, to be subtracted; runs are not paired.
    least
        Minimum number of units for a standard error.

    Returns
    -------
    StudentEstimate
        One entry per metric. With a single run it generalises to other units, not to other training
        seeds.

    Examples
    --------
    >>> words = np.array([10, 5, 12, 9, 7, 14, 8, 11, 20, 6])
    >>> correct = np.array([8, 5, 9, 3, 7, 11, 6, 9, 17, 5])
    >>> las = jackknife(np.stack([correct, words], 1), lambda s: s[..., [0]] / s[..., [1]], words)
    >>> low, high = las.interval(share=True)
    >>> print(f"{las.value[0]:.3f} ({low[0]:.3f} to {high[0]:.3f})")
    0.784 (0.652 to 0.876)
    """
    systems = [runs_of(table) for table in ([counts] if other is None else [counts, other])]
    units = Units([run for runs in systems for run in runs])
    scores = apply_statistic(statistic, units.total())
    n, done = units.n_units, 0
    left = np.empty((n, *scores.shape))  # filled in place: millions of units are there once
    for values in jackknife_values(units, statistic):
        np.subtract(values, scores, out=left[done : done + len(values)])
        done += len(values)
    sizes = np.ones(n) if weights is None else np.asarray(weights, np.float64)
    df = effective_df(sizes) if n >= least else math.nan
    value, over_units = np.zeros(scores.shape[1]), left[:, 0]
    variance, curvature, shared, start = 0 * value, 0 * value, 0 * value, 0
    for sign, runs in zip((1, -1), systems, strict=False):
        held, here = len(runs), slice(start, start + len(runs))
        start += held
        value += sign * scores[here].mean(axis=0)
        moved = left[:, here].mean(axis=1) if held > 1 else left[:, here.start]
        over_units = moved if sign > 0 else over_units - moved
        if held > 1:
            between = scores[here].var(axis=0, ddof=1) / held
            variance, curvature = variance + between, curvature + between**2 / (held - 1)
            shared += (n - 1) / n * left[:, here].var(axis=1, ddof=1).sum(axis=0) / held
    within = np.maximum((n - 1) / n * (over_units**2).sum(axis=0) - shared, 0.0)
    variance, curvature = variance + within, curvature + within**2 / df
    known = np.isfinite(variance) & (n >= least)
    freedom = np.divide(variance**2, curvature, out=np.full_like(value, df), where=curvature > 0)
    return StudentEstimate(value, np.where(known, np.sqrt(variance), np.nan), freedom)
