"""Laws of growth, a - b n^-c and a + b ln n, by weighted least squares on many curves at once."""

from typing import Literal, NamedTuple, get_args

import numpy as np
import numpy.typing as npt

from treegauge.results.errors import ChoiceError, TreegaugeError

Floats = npt.NDArray[np.float64]
Law = Literal["power", "log"]
LAWS: tuple[Law, ...] = get_args(Law)
#: Exponents that are tried. Below the least a power cannot be told from a logarithm.
EXPONENTS = (0.01, 5.0)
PARAMETERS: dict[Law, int] = {"power": 3, "log": 2}


class Fitted(NamedTuple):
    """A law fitted to curves: parameters (...,), each curve its own; c is NaN for a logarithm."""

    law: Law
    a: Floats
    b: Floats
    c: Floats

    def at(self, sizes: npt.ArrayLike) -> Floats:
        """Return the law's scores, (..., sizes)."""
        n = np.asarray(sizes, float)
        if self.law == "log":
            return np.asarray(self.a[..., None] + self.b[..., None] * np.log(n))
        return np.asarray(self.a[..., None] - self.b[..., None] * n ** -self.c[..., None])

    @property
    def at_bound(self) -> npt.NDArray[np.bool_]:
        """Say whose exponent lies at the end of the range, where a power law says nothing."""
        if self.law == "log":
            return np.zeros(self.a.shape, bool)
        low, high = EXPONENTS
        return np.asarray((self.c < 1.02 * low) | (self.c > 0.98 * high))


def regressor(law: Law, sizes: npt.ArrayLike, exponent: npt.ArrayLike = np.nan) -> Floats:
    """Return what scores are linear in: ln n, or -n^-c for each exponent, (..., sizes)."""
    n = np.asarray(sizes, float)
    if law == "log":
        return np.asarray(np.log(n))
    return np.asarray(-(n ** -np.asarray(exponent, float)[..., None]))


def check_law(law: Law, points: int) -> None:
    """Refuse an unknown law, and one with as many parameters as there are points."""
    if law not in LAWS:
        raise ChoiceError("law of growth", law, LAWS)
    number = PARAMETERS[law]
    if points <= number:
        raise TreegaugeError(
            f"a {law} law has {number} parameters and needs at least {number + 1} sizes, "
            f"found {points}"
        )


def fit_law(
    law: Law, sizes: npt.ArrayLike, curves: npt.ArrayLike, weights: npt.ArrayLike
) -> Fitted:
    r"""Fit a law to every curve: :math:`\min \sum_s w_s (y_s - f(s))^2`.

    For a given exponent a power law is linear in a and b, so that only the exponent is searched
    for: on a logarithmic grid that narrows around the best one.

    Parameters
    ----------
    law
        ``"power"`` (a - b n^-c) or ``"log"`` (a + b ln n).
    sizes
        Ascending.
    curves
        (..., sizes).
    weights
        One a size.

    Notes
    -----
    Agrees with ``scipy.optimize.curve_fit``.

    Examples
    --------
    >>> sizes = np.array([5, 10, 20, 50, 100])
    >>> found = fit_law("power", sizes, 80 - 60 * sizes**-0.5, np.ones(5))
    >>> [round(float(value), 6) for value in (found.a, found.b, found.c)]
    [80.0, 60.0, 0.5]
    """
    n, y = np.asarray(sizes, float), np.asarray(curves, float)
    check_law(law, len(n))
    w = np.asarray(weights, float) / np.sum(weights)
    if law == "log":
        a, b, _ = _line(regressor(law, n), y, w)
        return Fitted(law, a, b, np.full(a.shape, np.nan))
    flat = y.reshape(-1, len(n))
    low, high = np.log(EXPONENTS)
    centre, reach = np.full(len(flat), (low + high) / 2), (high - low) / 2
    steps = np.linspace(-1, 1, 41)
    for _ in range(9):
        tried = np.clip(centre[:, None] + reach * steps, low, high)
        _, _, loss = _line(regressor(law, n, np.exp(tried)), flat[:, None, :], w)
        centre = np.take_along_axis(tried, np.argmin(loss, axis=1)[:, None], 1)[:, 0]
        reach *= 0.1
    c = np.exp(centre).reshape(y.shape[:-1])
    a, b, _ = _line(regressor(law, n, c), y, w)
    return Fitted(law, a, b, c)


def _line(x: Floats, y: Floats, w: Floats) -> tuple[Floats, Floats, Floats]:
    """Weighted line through (x, y): intercept, slope, loss; the last axis is summed over."""
    dx = x - (x @ w)[..., None]
    dy = y - (y @ w)[..., None]
    xx, xy, yy = (dx**2) @ w, (dx * dy) @ w, (dy**2) @ w
    slope = xy / xx
    return y @ w - slope * (x @ w), slope, yy - slope * xy


def operator(fitted: Fitted, sizes: Floats, weights: Floats, at: float) -> Floats:
    """Return the weights of the measured scores in the law's score at a size, (..., sizes).

    With the exponent given, a fit is linear in the scores: the same operator applied to the curves
    of classes gives parts that add up to the whole.
    """
    w = weights / weights.sum()
    x = regressor(fitted.law, sizes, fitted.c)
    new = regressor(fitted.law, np.array([at]), fitted.c)[..., 0]
    centre = x @ w
    dx = x - centre[..., None]
    return np.asarray(w + ((new - centre) / ((dx**2) @ w))[..., None] * w * dx)
