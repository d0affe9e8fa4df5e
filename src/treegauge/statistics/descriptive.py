"""Distances between distributions on the integers, and variances of scores."""

import numpy as np
import numpy.typing as npt

from treegauge.core.errors import TreegaugeError


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


FloatArray = npt.NDArray[np.float64]


def cumulative_variance(scores: npt.ArrayLike, by: npt.ArrayLike | None = None) -> FloatArray:
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
