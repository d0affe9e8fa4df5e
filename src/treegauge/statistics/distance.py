"""Distances between distributions on the integers."""

import numpy as np
import numpy.typing as npt


def wasserstein(p: npt.ArrayLike, q: npt.ArrayLike) -> npt.NDArray[np.float64]:
    r"""Return the Wasserstein-1 distance of counts or shares on the same consecutive integers.

    .. math:: W_1(p, q) = \sum_k \Bigl| \sum_{i \le k} (p_i - q_i) \Bigr|

    Parameters
    ----------
    p, q
        Counts (..., values); each is divided by its sum first.

    Returns
    -------
    numpy.ndarray
        One distance for each row, NaN where a side is empty. Equals
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
