"""Scores beyond the sizes measured: a mixture of laws, its errors checked on held-out sizes."""

import json
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

import numpy as np
import numpy.typing as npt

from treegauge.learning.curves.grid import LEAST, Floats, ScoreGrid

#: Exponents of the laws in the mixture; near 0 a power law is a logarithm.
EXPONENTS = np.geomspace(0.02, 2.0, 31)
#: Prior of the exponent: ln(exponent) is normal around ln(0.25) with this standard deviation.
TYPICAL, SPREAD = 0.25, 0.8
#: Deviation of curves from any law, per unit of ln(size), as a share of their mean slope.
MISFIT = 0.2
#: Share of the binomial variance of the test words that differs from size to size; least error.
TESTED, FLOOR = 0.2, 0.3
#: The weight of the error above, in sizes, relative to the curve's own residuals.
PRIOR = 2.0
#: Range in which intervals were checked: sizes, their span, distance beyond, test words.
SIZES, SPAN, REACH, WORDS = 4, 10.0, 10.0, 100


def bend(ratio: npt.ArrayLike) -> Floats:
    r"""Return :math:`(1 - r^{-c}) / c` for every exponent, (exponents, ratios)."""
    return np.asarray((1 - np.asarray(ratio, float) ** -EXPONENTS[:, None]) / EXPONENTS[:, None])


@dataclass(frozen=True, eq=False)
class Mixture:
    r"""Power laws of many exponents through one curve, weighted by how well they fit.

    .. math:: y(n) = y_N + g_c \, \frac{1 - (n / N)^{-c}}{c}

    with N the largest size: :math:`g_c` is the slope there in points per unit of ln(size), by
    weighted least squares, and small c give a logarithm. The weight of a law is its probability
    given the curve (Student's likelihood, a lognormal prior of c). Errors grow with the distance
    from N in ln(size), with the test words that are few, and with the residuals of the curve.

    Attributes
    ----------
    sizes, chances
        The sizes measured, and the probability of each exponent.
    slopes
        The weights of the scores in each law's slope, (exponents, sizes); the same for all classes
        of words, so that contributions of classes add up.
    """

    sizes: Floats
    chances: Floats
    slopes: Floats

    def level(self, n: float) -> Floats:
        """Return the weights of the measured scores in the score at n sentences, (sizes,)."""
        level = np.zeros(len(self.sizes))
        x, target = np.log(self.sizes), np.log(min(n, self.sizes[-1]))
        right = int(np.clip(np.searchsorted(x, target), 1, len(x) - 1))
        part = (target - x[right - 1]) / (x[right] - x[right - 1])
        level[right - 1 : right + 1] = 1 - part, part
        if n <= self.sizes[-1]:
            return level
        return np.asarray(level + (self.chances * bend(n / self.sizes[-1])[:, 0]) @ self.slopes)

    def error(self, n: float, curves: Floats, variance: Floats, words: Floats) -> Floats:
        """Return the error of the score at n sentences beyond the sizes, for curves (sizes, n).

        `variance` is that of the measured means, `words` the number of test words of each curve.
        It is on the scale of a standard deviation; :func:`factor` makes an interval of it.
        """
        noise, further = _noise(self.sizes, curves, variance, words, n)
        start = np.eye(len(self.sizes))[-1]
        reach = bend(n / self.sizes[-1])
        slope = self.slopes @ curves
        lines = bend(self.sizes / self.sizes[-1])[..., None] * slope[:, None]
        centred = curves - lines
        mean = (centred / noise).sum(axis=1) / (1 / noise).sum(axis=0)
        square = _square(((centred - mean[:, None]) ** 2 / noise).sum(axis=1), len(self.sizes))
        weights = start + reach * self.slopes
        scores = weights @ curves
        middle = self.chances @ scores
        own = square * (weights**2 @ noise + further)
        return np.asarray(np.sqrt(self.chances @ (own + (scores - middle) ** 2)))

    def flattening(self, curve: Floats, worth: float) -> float | None:
        """Return the size from which a doubling gains less than a threshold, if it is in reach."""
        each = self.chances * (self.slopes @ curve)
        tried = np.geomspace(self.sizes[0], REACH * self.sizes[-1], 400)
        last = self.sizes[-1]
        gains = each @ (bend(2 * tried / last) - bend(tried / last))
        flat = np.flatnonzero(gains < worth)
        return float(tried[flat[0]]) if len(flat) else None


def _noise(sizes: Floats, curves: Floats, variance: Floats, words: Floats, n: float) -> tuple[Floats, Floats]:
    """Return the variances of measured scores about a law, (sizes, ...), and of one at n."""
    away = np.log(sizes[-1] / sizes)
    steep = np.abs(curves[-1] - curves[0]) / away[0]
    last = np.clip(curves[-1], 5.0, 95.0)
    least = FLOOR**2 + TESTED * last * (100 - last) / words
    off = (MISFIT * steep * away.reshape(-1, *[1] * (curves.ndim - 1))) ** 2
    return variance + least + off, least + (MISFIT * steep * np.log(n / sizes[-1])) ** 2


def _square(residual: Floats, sizes: int) -> Floats:
    """Return the ratio of a curve's residual variance to the expected noise."""
    return np.asarray((PRIOR + residual) / (PRIOR + sizes - 2))


def mix_laws(sizes: Floats, curve: Floats, variance: Floats, words: float) -> Mixture:
    """Fit the mixture to a curve of three sizes or more."""
    noise, _ = _noise(sizes, curve, variance, np.asarray(words, float), sizes[-1])
    weights = 1 / noise
    x = bend(sizes / sizes[-1])
    away = x - (x @ weights / weights.sum())[:, None]
    spread = away**2 @ weights
    slopes = weights * away / spread[:, None]
    centred = curve - weights @ curve / weights.sum()
    residual = weights @ centred**2 - (slopes @ curve) ** 2 * spread
    likely = -(PRIOR + len(sizes) - 2) / 2 * np.log(_square(residual, len(sizes)))
    prior = -0.5 * (np.log(EXPONENTS / TYPICAL) / SPREAD) ** 2
    logs = likely - 0.5 * np.log(spread) + prior
    chances = np.exp(logs - logs.max())
    return Mixture(sizes, chances / chances.sum(), slopes)


@cache
def checked() -> dict[str, Any]:
    """Return the results of ``python -m studies.challenges.extrapolation`` on held-out sizes.

    Under ``all`` and ``classes``: ``factors`` that multiply errors for an interval of 1, 2, ... 98
    percent, and ``hits`` of the 95 % interval by parser, with the number of
    predictions.
    """
    text = files("treegauge.data").joinpath("extrapolation.json").read_text("utf-8")
    found: dict[str, Any] = json.loads(text)
    return found


def factor(level: float, kind: str = "all") -> float:
    """Return the half-width of an interval in units of the error; NaN above 98 %."""
    factors = checked()[kind]["factors"]
    places = np.arange(1, len(factors) + 1)
    return float(np.interp(100 * level, places, factors, right=np.nan))


def withheld(grid: ScoreGrid, n: float, level: float) -> str:
    """Return the reason why there is no interval at n sentences; empty if there is one."""
    samples = int(np.isfinite(grid.scores[..., 0]).sum(axis=2).min())
    largest, span = grid.sizes[-1], grid.sizes[-1] / grid.sizes[0]
    if len(grid.sizes) < SIZES or span < SPAN:
        why = f"{SIZES} sizes or more, the largest {SPAN:g} times the smallest"
        return f"no interval of the prediction: it needs {why}"
    if samples < LEAST:
        return f"no interval of the prediction: it needs {LEAST} training samples of each size"
    if n > REACH * largest:
        return (
            f"no interval of the prediction at {n:g} sentences: intervals were checked up to "
            f"{REACH:g} times the largest size"
        )
    if np.isnan(factor(level)):
        return f"no interval of the prediction: {100 * level:g} % intervals were not checked"
    return ""


def hit_rate(kind: str = "all") -> str:
    """Return a sentence on the coverage of 95 % intervals on held-out scores, by parser."""
    hits = checked()[kind]["hits"]
    total = sum(number for _, number in hits.values())
    rates = ", ".join(f"{100 * inside / number:.0f} % ({name})" for name, (inside, number) in hits.items())
    return (
        f"checked on {total:,} held-out scores: 95 % intervals contained {rates} of them, each "
        "predicted from smaller sizes; the width of intervals comes from other treebanks"
    )
