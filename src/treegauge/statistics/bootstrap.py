"""Bootstrap intervals of scores, from per-unit statistics that add."""

from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt

from treegauge.core.errors import check_options
from treegauge.core.result import sign
from treegauge.statistics.interval import Interval, LeaveOneOut, Method, check_method, make_interval
from treegauge.statistics.resampling import (
    RUNS,
    FloatArray,
    Statistic,
    Units,
    bootstrap_values,
    evaluate,
    jackknife_values,
    runs_of,
    stream,
)


def bootstrap(
    counts: npt.ArrayLike,
    statistic: Statistic,
    *,
    resamples: int = 1000,
    level: float = 0.95,
    method: Method = "percentile",
    seed: int = 0,
    names: Sequence[str] | None = None,
    keep: bool = False,
) -> Interval:
    r"""Interval of a score when the units (sentences), and runs, could have been others.

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
        Statistics that add, (n_units, n_columns) or (n_runs, n_units, n_columns).
    statistic
        Maps column sums (..., n_columns) to values (..., n_metrics).
    resamples, level, method, seed
        Number of draws, nominal coverage, ``"percentile"`` or ``"bca"``, seed of the draws.
    names
        Metric names for the table.
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
    check_method(method)
    check_options(seed, resamples, "resamples", level)
    units = Units(runs_of(counts))
    n_runs = len(units.arrays)
    scores = evaluate(statistic, units.total())
    values = bootstrap_values(units, statistic, resamples, seed)
    drawn = stream(seed, RUNS).integers(n_runs, size=(resamples, n_runs))
    values = np.take_along_axis(values, drawn[:, :, None], axis=1).mean(axis=1)

    def leave_unit_out() -> Iterator[FloatArray]:
        return (values.mean(axis=1) for values in jackknife_values(units, statistic))

    def leave_run_out() -> Iterator[FloatArray]:
        yield (scores.sum(axis=0) - scores) / (n_runs - 1)

    factors: list[LeaveOneOut] = [leave_unit_out] if units.n_units > 1 else []
    return make_interval(
        scores.mean(axis=0), values, level=level, method=method,
        factors=[*factors, leave_run_out] if n_runs > 1 else factors, names=names, keep=keep,
        signature=sign(
            interval=method, level=level, resamples=resamples, units=units.n_units,
            runs=n_runs if n_runs > 1 else None, seed=seed,
        ),
    )  # fmt: skip
