"""Distances between distributions on the integers."""

import numpy as np
import numpy.typing as npt


def wasserstein(p: npt.ArrayLike, q: npt.ArrayLike) -> float:
    r"""Return the Wasserstein-1 distance of two histograms over the same consecutive integers.

    .. math:: W_1(p, q) = \sum_k \Bigl| \sum_{i \le k} (p_i - q_i) \Bigr|

    after both have been scaled to sum to one. Equals ``scipy.stats.wasserstein_distance`` with
    the integers as values and the counts as weights. NaN where a histogram is empty.

    Examples
    --------
    >>> wasserstein([1, 1, 0], [0, 1, 1])
    1.0
    """
    left, right = (np.asarray(side, np.float64) for side in (p, q))
    if left.sum() == 0 or right.sum() == 0:
        return float("nan")
    return float(np.abs(np.cumsum(left / left.sum() - right / right.sum())).sum())
