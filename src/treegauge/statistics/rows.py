"""Bootstrap over the rows of a table, for statistics that are no function of sums."""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from treegauge.results.errors import TreegaugeError
from treegauge.results.result import sign
from treegauge.statistics._resample import FloatArray, blocks, stream
from treegauge.statistics.checks import check_options
from treegauge.statistics.interval import Interval, Method, check_method, make_interval

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
    r"""Interval of a statistic when the rows (treebanks) could have been others.

    As :func:`treegauge.statistics.bootstrap.bootstrap`, but the statistic sees whole rows, so that
    ranks can be taken anew in every resample.

    Parameters
    ----------
    rows
        (n_rows, n_columns).
    statistic
        Maps rows (..., n_rows, n_columns) to values (..., n_values).
    resamples, level, method, seed
        Number of draws, nominal coverage, ``"bca"`` or ``"percentile"``, seed of the draws.

    Returns
    -------
    Interval

    Notes
    -----
    Agrees with ``scipy.stats.bootstrap(paired=True)`` given the same draws.

    Examples
    --------
    >>> import numpy as np
    >>> rows = np.column_stack([np.arange(20), np.arange(20) % 7])
    >>> mean = bootstrap_rows(rows, lambda rows: rows.mean(axis=-2), seed=1)
    >>> mean.estimate.tolist(), bool(mean.low[0] < 9.5 < mean.high[0])
    ([9.5, 2.85], True)
    """
    check_method(method)
    check_options(seed, resamples, "resamples", level)
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
    return make_interval(
        values(np.arange(n_rows)),
        np.concatenate(drawn),
        level=level,
        method=method,
        factors=[leave_one_out],
        names=None,
        keep=False,
        signature=sign(interval=method, level=level, resamples=resamples, rows=n_rows, seed=seed),
    )
