"""Bootstrap intervals of scores over additive units, and of statistics over rows of a table."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

import numpy as np
import numpy.typing as npt

from treegauge.core.errors import ChoiceError, TreegaugeError, check_options
from treegauge.statistics.draws import (
    RUNS,
    TIE,
    FloatArray,
    Statistic,
    Units,
    apply_statistic,
    blocks,
    bootstrap_values,
    jackknife_values,
    runs_of,
    stream,
)

Method = Literal["percentile", "bca"]
#: Yields blocks (units, metrics) of values with one unit left out; can be started again.
LeaveOneOut = Callable[[], Iterator[FloatArray]]


@dataclass(frozen=True, eq=False)
class Interval:
    """Estimates with their intervals, one entry per metric; NaN where undefined.

    ``values`` has the resampled values (resamples, metrics) if requested.
    """

    estimate: FloatArray
    low: FloatArray
    high: FloatArray
    standard_error: FloatArray
    values: FloatArray | None = field(default=None, repr=False)


def bootstrap(
    counts: npt.ArrayLike,
    statistic: Statistic,
    *,
    resamples: int = 1000,
    level: float = 0.95,
    method: Method = "percentile",
    seed: int = 0,
    keep: bool = False,
) -> Interval:
    r"""Return the bootstrap interval of a score over units (sentences) and runs.

    With :math:`\hat\theta` the score of all units and :math:`\theta^*_b` that of the b-th draw of
    as many units with replacement, the percentile interval runs between the
    :math:`\alpha = (1 - level)/2` and :math:`1 - \alpha` quantiles of :math:`\theta^*`. The
    bias-corrected and accelerated one (BCa) moves each level to
    :math:`\Phi(z_0 + (z_0 + z_\alpha) / (1 - a (z_0 + z_\alpha)))`, where
    :math:`z_0 = \Phi^{-1}` of the share of :math:`\theta^*` below :math:`\hat\theta` (ties count
    half) and :math:`a = \sum_i d_i^3 / 6 (\sum_i d_i^2)^{3/2}` from the jackknife deviations
    :math:`d_i`. Of several runs (training seeds) the score is the mean; each resample draws the
    units, one draw for all runs, and the runs. The acceleration adds the jackknife over both.

    Parameters
    ----------
    counts
        Additive statistics, (n_units, n_columns) or (n_runs, n_units, n_columns).
    statistic
        Maps column sums (..., n_columns) to values (..., n_metrics).
    resamples, level, method, seed
        Number of draws, nominal coverage, ``"percentile"`` or ``"bca"``, seed of the draws.
    keep
        Keep the resampled values.

    Returns
    -------
    Interval
        When nothing varies (one unit, equal units, equal resamples) both limits are the estimate.
        Resamples in which a metric is undefined are left out for that metric.

    Notes
    -----
    Efron and Tibshirani (1993), An Introduction to the Bootstrap, sections 13.3 and 14.3. Agrees
    with ``scipy.stats.bootstrap`` up to the random draws. Resampling few runs understates their
    variance by the factor (R - 1)/R: with three runs, by a third of it.

    Examples
    --------
    >>> import numpy as np
    >>> correct_and_words = np.array([[8, 10], [5, 5], [9, 12], [3, 9], [7, 7], [11, 14]])
    >>> las = bootstrap(correct_and_words, lambda sums: sums[..., [0]] / sums[..., [1]], seed=1)
    >>> print(f"{las.estimate[0]:.3f} [{las.low[0]:.2f}, {las.high[0]:.2f}]")
    0.754 [0.59, 0.90]
    """
    check_interval_options(method, seed, resamples, level)
    units = Units(runs_of(counts))
    n_runs = len(units.arrays)
    scores = apply_statistic(statistic, units.total())
    values = bootstrap_values(units, statistic, resamples, seed)
    drawn = stream(seed, RUNS).integers(n_runs, size=(resamples, n_runs))
    values = np.take_along_axis(values, drawn[:, :, None], axis=1).mean(axis=1)

    def leave_unit_out() -> Iterator[FloatArray]:
        return (values.mean(axis=1) for values in jackknife_values(units, statistic))

    def leave_run_out() -> Iterator[FloatArray]:
        yield (scores.sum(axis=0) - scores) / (n_runs - 1)

    factors: list[LeaveOneOut] = [leave_unit_out] if units.n_units > 1 else []
    if n_runs > 1:
        factors.append(leave_run_out)
    return make_interval(scores.mean(axis=0), values, level=level, method=method, factors=factors, keep=keep)


#: Maps rows (..., n_rows, n_columns) to values (..., n_values); NaN where undefined.
RowStatistic = Callable[[FloatArray], npt.NDArray[Any]]

_ROWS = 4  # the purpose in the random stream; 0 to 3 are taken


def bootstrap_rows(
    rows: npt.ArrayLike,
    statistic: RowStatistic,
    *,
    resamples: int = 2000,
    level: float = 0.95,
    method: Method = "bca",
    seed: int = 0,
) -> Interval:
    r"""Return the bootstrap interval of a statistic over rows (treebanks).

    As :func:`treegauge.statistics.bootstrap.bootstrap`, but the statistic sees whole rows, so that
    ranks can be computed again in every resample. Agrees with
    ``scipy.stats.bootstrap(paired=True)`` given the same draws.
    """
    check_interval_options(method, seed, resamples, level)
    table = np.asarray(rows, dtype=np.float64)
    if table.ndim != 2 or len(table) < 2:
        raise TreegaugeError(f"rows: expected at least 2 rows of numbers, found {table.shape}")
    n_rows = len(table)

    def values(index: npt.NDArray[np.intp]) -> FloatArray:
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.asarray(statistic(table[index]), dtype=np.float64)

    def leave_one_out() -> Iterator[FloatArray]:
        others = np.arange(n_rows - 1)
        for start in range(0, n_rows, 256):
            left = np.arange(start, min(start + 256, n_rows))[:, None]
            yield values(others + (others >= left))

    random = stream(seed, _ROWS)
    drawn = [
        # Whole resamples at a time, so that the blocks do not change the draws.
        values(random.integers(n_rows, size=(block, n_rows)))
        for block in blocks(resamples, table.size * 4)
    ]
    estimate, resampled = values(np.arange(n_rows)), np.concatenate(drawn)
    return make_interval(estimate, resampled, level=level, method=method, factors=[leave_one_out])


def make_interval(
    estimate: FloatArray,
    values: FloatArray,
    *,
    level: float,
    method: Method,
    factors: Iterable[LeaveOneOut],
    keep: bool = False,
) -> Interval:
    """Return the interval of every metric from its resampled values (resamples, metrics).

    `factors` has jackknife values of every resampled factor, for BCa.
    """
    ties = TIE * np.abs(estimate)
    bca = method == "bca"
    accelerations = _acceleration(estimate, factors, ties) if bca else np.zeros(len(estimate))
    low, high, error = estimate.copy(), estimate.copy(), np.where(np.isnan(estimate), np.nan, 0.0)
    for i, centre in enumerate(estimate):
        sample = values[:, i][np.isfinite(values[:, i])]
        if np.isnan(centre) or len(sample) < 2 or np.ptp(sample) <= ties[i]:
            continue
        levels = ((1 - level) / 2, (1 + level) / 2)
        if bca:
            levels = _bca_levels(sample, centre, accelerations[i], levels, ties[i])
        low[i], high[i] = np.quantile(sample, levels)
        error[i] = sample.std(ddof=1)
    return Interval(estimate, low, high, error, values if keep else None)


def _bca_levels(
    sample: FloatArray, centre: float, acceleration: float, levels: tuple[float, float], tie: float
) -> tuple[float, float]:
    from statistics import NormalDist

    normal = NormalDist()
    below = np.mean(sample < centre - tie) / 2 + np.mean(sample <= centre + tie) / 2
    # An estimate outside all resamples would move both limits to infinity.
    edge = 0.5 / len(sample)
    bias = normal.inv_cdf(float(np.clip(below, edge, 1 - edge)))

    def move(level: float) -> float:
        z = bias + normal.inv_cdf(level)
        slope = 1 - acceleration * z
        # Beyond its pole the formula would jump to the other tail.
        return normal.cdf(bias + z / slope) if slope > 0 else float(z > 0)

    return move(levels[0]), move(levels[1])


def _acceleration(estimate: FloatArray, factors: Iterable[LeaveOneOut], ties: FloatArray) -> FloatArray:
    """Acceleration over independent factors, as for a statistic of several samples."""
    squares, cubes = np.zeros(len(estimate)), np.zeros(len(estimate))
    for leave_one_out in factors:
        number, shift = np.zeros(len(estimate)), np.zeros(len(estimate))
        for values in leave_one_out():
            number += np.isfinite(values).sum(axis=0)
            shift += np.nansum(values - estimate, axis=0)
        number = np.maximum(number, 1)
        centre = estimate + shift / number
        for values in leave_one_out():
            influence = np.nan_to_num((centre - values) * (number - 1) / number)
            squares += (influence**2).sum(axis=0)
            cubes += (influence**3).sum(axis=0)
    varies = np.sqrt(squares) > ties
    return np.where(varies, cubes, 0.0) / (6 * np.where(varies, squares, 1.0) ** 1.5)


def check_interval_options(method: str, seed: int, resamples: int, level: float) -> None:
    """Refuse an unknown kind of interval and impossible options."""
    check_options(seed, resamples, "resamples", level)
    if method not in get_args(Method):
        raise ChoiceError("interval method", method, get_args(Method))
