"""Student's t without scipy, whose import takes longer than scoring a test set."""

import math

import numpy as np
import numpy.typing as npt

from treegauge.core.lazy import scipy
from treegauge.statistics.draws import FloatArray

_TINY = 1e-300
# More degrees of freedom do not change the first twelve digits of a quantile.
_MOST = 1e7
# Above this number of values, scipy is faster in spite of its import.
_MANY = 200


def student_tail(t: npt.ArrayLike, df: npt.ArrayLike) -> FloatArray:
    r"""Return the probability that Student's t exceeds a value.

    For :math:`t \ge 0` half the regularised incomplete beta function
    :math:`I_x(\nu/2, 1/2)` at :math:`x = \nu / (\nu + t^2)`, by its continued fraction.

    Notes
    -----
    Agrees with ``scipy.stats.t.sf`` to 12 digits.

    Examples
    --------
    >>> round(student_tail(2.262157, 9).item(), 6)
    0.025
    """
    if np.size(t) + np.size(df) > _MANY:
        return np.asarray(scipy.special.stdtr(df, -np.asarray(t)))
    ts, dfs = np.broadcast_arrays(np.asarray(t, np.float64), np.asarray(df, np.float64))
    tails = [_tail(*pair) for pair in zip(ts.ravel().tolist(), dfs.ravel().tolist(), strict=True)]
    return np.array(tails).reshape(ts.shape)


def student_quantile(share: float, df: npt.ArrayLike) -> FloatArray:
    """Return the value below which Student's t lies with a probability of at least a half.

    Newton's method from below: the tail is convex, so every step stays below the solution.

    Examples
    --------
    >>> student_quantile(0.975, [1, 9, 1000]).round(3).tolist()
    [12.706, 2.262, 1.962]
    """
    if np.size(df) > _MANY:
        return np.asarray(scipy.special.stdtrit(df, share))
    values, places = np.unique(np.asarray(df, np.float64), return_inverse=True)
    quantiles = np.array([_quantile(share, freedom) for freedom in values.tolist()])
    return np.asarray(quantiles[places].reshape(np.shape(df)))


def _quantile(share: float, df: float) -> float:
    if not df > 0:
        return math.nan
    df = min(df, _MOST)
    t, scale = 0.0, math.lgamma((df + 1) / 2) - math.lgamma(df / 2) - math.log(df * math.pi) / 2
    for _ in range(200):
        density = math.exp(scale - (df + 1) / 2 * math.log1p(t * t / df))
        step = (_tail(t, df) - (1 - share)) / density
        t += step
        if abs(step) <= 1e-13 * max(t, 1.0):
            break
    return t


def _tail(t: float, df: float) -> float:
    if math.isnan(t) or not df > 0:
        return math.nan
    df = min(df, _MOST)
    if t < 0:
        return 1 - _tail(-t, df)
    if math.isinf(t):
        return 0.0
    x, y = df / (df + t * t), t * t / (df + t * t)
    a, b = df / 2, 0.5
    if y == 0:
        return 0.5
    front = math.exp(math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + b * math.log(y))
    if x < (a + 1) / (a + b + 2):
        return front * _fraction(x, a, b) / a / 2
    return (1 - front * _fraction(y, b, a) / b) / 2


def _fraction(x: float, a: float, b: float) -> float:
    """Evaluate the continued fraction of the incomplete beta function (Lentz)."""
    c, d = 1.0, 1 / (1 - (a + b) * x / (a + 1))
    value = d
    for m in range(1, 10_000):
        for part in (
            m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
            -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1)),
        ):
            d = 1 / (1 + part * d or _TINY)
            c = 1 + part / c or _TINY
            value *= c * d
        if abs(c * d - 1) < 1e-15:
            break
    return value
