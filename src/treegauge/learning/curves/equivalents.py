"""Data-size equivalents: how many annotated sentences a score is worth."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl

from treegauge.core.errors import TreegaugeError
from treegauge.core.lazy import scipy
from treegauge.core.result import countersign
from treegauge.learning.curves.class_counts import ALL, Attachments
from treegauge.learning.curves.score_grid import (
    AVERAGE,
    LEAST,
    CurveAnalysis,
    Curves,
    Floats,
    ScoreGrid,
    mean_curves,
    order_limits,
)
from treegauge.learning.training_settings import CurveBands

#: Exponents of the laws in the mixture; near 0 a power law is a logarithm.
EXPONENTS = np.geomspace(0.02, 2.0, 31)
#: Prior of the exponent: ln(exponent) is normal around ln(0.4) with this standard deviation.
TYPICAL, SPREAD = 0.4, 0.8
#: Deviation of curves from any law, per unit of ln(size), as a share of their mean slope.
MISFIT = 0.1
#: Share of the binomial variance of the test words that differs from size to size; least error.
TESTED, FLOOR = 0.4, 0.2
#: The weight of the error above, in sizes, relative to the curve's own residuals.
PRIOR = 2.0
#: For classes: the share of the binomial variance, and of the squared gain.
CLASS_TESTED, CLASS_GAIN = 0.2, 0.12
#: Range in which intervals were checked: sizes, their span, distance beyond, test words.
SIZES, SPAN, REACH, WORDS = 4, 10.0, 10.0, 100

#: Minimum number of treebanks that gave a parser's factors, and least share of its gains of 95 % that came, or of
#: its 95 % intervals that held.
CHOSEN, HELD = 4, 0.9


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

    def class_error(self, n: float, curves: Floats, variance: Floats, words: Floats) -> Floats:
        """Return the error of the scores of classes that follow these laws, as :meth:`error` does."""
        weights, last = self.level(n), np.clip(curves[-1], 5.0, 95.0)
        tested = CLASS_TESTED * last * (100 - last) / words
        gain = weights @ curves - curves[-1]
        return np.asarray(np.sqrt(tested + CLASS_GAIN * gain**2 + weights**2 @ variance))

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
    """Return the results of ``python -m tools.calibrate.advice --choose``.

    Under ``all`` and ``classes``: ``factors`` that multiply errors for an interval of 1, 2, ... 98
    percent, and, on other treebanks than those that gave the factors, ``hits`` of the 95 % interval
    by parser, with the number of predictions. Under ``chance``, by parser: the treebanks that gave
    factors, and the gains with a chance of 95 % that came, of how many.
    """
    text = files("treegauge.data").joinpath("extrapolation.json").read_text("utf-8")
    found: dict[str, Any] = json.loads(text)
    return found


def factor(level: float, kind: str = "all") -> float:
    """Return the half-width of an interval in units of the error; NaN above 98 %."""
    factors = checked()[kind]["factors"]
    places = np.arange(1, len(factors) + 1)
    return float(np.interp(100 * level, places, factors, right=np.nan))


def chance(error: float, half: float, kind: str = "all") -> float:
    """Return the chance that a score is at least as much above its prediction as `error`.

    `half` is the error that is expected (:meth:`Mixture.error`); the chances are those of the
    intervals: the errors of 1 minus LEVEL of the scores are as likely to be above as below.
    """
    factors = checked()[kind]["factors"]
    inside = np.interp(abs(error) / half, factors, np.arange(1, len(factors) + 1) / 100, left=0.0, right=0.99)
    return float(0.5 - np.sign(error) * inside / 2)


def no_chance(parser: str) -> str:
    """Return the reason why there is no chance of a parser's gain; empty if chances held for it."""
    treebanks, came, number = checked()["chance"].get(parser, (0, 0, 0))
    if treebanks < CHOSEN:
        return f"no chance of the gain: factors of {parser} come from {treebanks} treebanks, needs {CHOSEN}"
    if came < HELD * number:
        return f"no chance of the gain: of gains of {parser} with a chance of 95 %, {came} of {number} came"
    return ""


def unreliable(parser: str) -> str:
    """Return the reason why the score of all words has no interval for a parser; empty if there is one."""
    hits = checked()["all"]["hits"]
    inside, number = hits.get(parser, (0, 0))
    if inside >= HELD * number:
        return ""
    others = " and ".join(name for name, (held, of) in hits.items() if held >= HELD * of)
    return (
        f"no interval for all words: 95 % intervals of {parser} contained {inside} of {number} gains on other "
        f"treebanks; those of {others} hold"
    )


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
    """Return a sentence on the coverage of 95 % intervals on other treebanks, by parser."""
    hits = checked()[kind]["hits"]
    total = sum(number for _, number in hits.values())
    rates = ", ".join(f"{100 * inside / number:.0f} % ({name})" for name, (inside, number) in hits.items())
    return (
        f"checked on {total:,} gains that were promised and measured: 95 % intervals contained {rates} "
        "of them; the width of intervals comes from other treebanks"
    )


#: Smaller differences of scores, in points, are rounding errors.
_TINY = 1e-9


def isotonic(curve: npt.ArrayLike) -> Floats:
    """Return the non-decreasing curves nearest to given ones (..., sizes), by least squares."""
    return np.apply_along_axis(lambda y: scipy.optimize.isotonic_regression(y).x, -1, np.asarray(curve, float))


def equivalent_size(sizes: npt.ArrayLike, curve: npt.ArrayLike, score: npt.ArrayLike) -> Floats:
    r"""Return the smallest size at which a curve reaches a score.

    The curve is made non-decreasing (:func:`isotonic`) and linear in :math:`\ln(size)` between its
    points. If it is flat at the score, the smallest size counts.

    Sizes are ascending, `curve` is (..., sizes), `score` one number or one per curve. The result is
    0 for a score below the curve and infinity for one above; nothing is extrapolated.
    """
    points = np.log(np.asarray(sizes, float))
    rising = isotonic(curve)
    if rising.shape[-1] != len(points):
        raise TreegaugeError(f"{len(points)} sizes and {rising.shape[-1]} scores; expected the same number")
    target = np.asarray(score, float)
    shape = np.broadcast_shapes(rising.shape[:-1], target.shape)
    rising = np.broadcast_to(rising, (*shape, len(points)))
    target = np.broadcast_to(target, shape)
    # Means of flat stretches are rounded: a score slightly above one still lies on it.
    position = (rising < target[..., None] - _TINY).sum(axis=-1)
    right = np.clip(position, 1, len(points) - 1)
    low = np.take_along_axis(rising, right[..., None] - 1, -1)[..., 0]
    high = np.take_along_axis(rising, right[..., None], -1)[..., 0]
    step = np.where(high > low, high - low, 1.0)
    part = np.minimum((target - low) / step, 1.0)
    between = points[right - 1] + part * (points[right] - points[right - 1])
    inside = np.where(position == 0, points[0], between)
    size = np.where(position == len(points), np.inf, np.exp(inside))
    below = target < rising[..., 0] - _TINY
    return np.where(np.isnan(target), np.nan, np.where(below, 0.0, size))


def size_text(size: float, sizes: Sequence[float]) -> str:
    """Return a number of sentences as text, such as 31, < 5 or > 500."""
    if size < sizes[0] * (1 - 1e-12):
        return f"< {sizes[0]:g}"
    return f"> {sizes[-1]:g}" if np.isinf(size) else f"{size:.0f}"


@dataclass(frozen=True, eq=False)
class Equivalents(CurveAnalysis, kind="equivalent"):
    """Scores, and the number of annotated sentences with which a monolingual parser reaches them.

    `equivalent` and the interval's ends are text in whole sentences: ``< 5`` and ``> 500`` are
    beyond the curve, where `sentences` is missing.
    """

    parser: str
    sizes: tuple[float, ...]
    curves: Curves | None = None

    def shown(self) -> pl.DataFrame:
        """Return scores and equivalents as text."""
        frame = self.frame.drop("sentences").rename({"equivalent": "sentences", "score": self.metric})
        idle = [name for name in ("treebank", "system") if frame[name].n_unique() == 1]
        return frame.drop(idle)


def equivalents(
    counts: Attachments,
    scores: Mapping[str, float] | Mapping[str, Mapping[str, float]],
    bands: CurveBands,
    *,
    treebank: str | None = None,
) -> Equivalents:
    """Place scores in percent on a monolingual learning curve; intervals are the curve's."""
    grid, curve, drawn = mean_curves(counts, bands, treebank)
    sizes = tuple(grid.sizes.tolist())
    notes = [*grid.left_out, grid.withheld(bands.over)]
    notes = [note for note in notes if note]
    rows = []
    for system, given in _systems(scores).items():
        for name, score in given.items():
            c = grid.number(name)
            if not np.isfinite(curve[:, c]).all():
                notes.append(f"no treebank has {bands.min_words} test words of {name}")
                continue
            if (np.diff(curve[:, c]) < 0).any():
                note = f"the curve of {name} is not monotone: smoothed by isotonic regression"
                notes += [note] if note not in notes else []
            size = float(equivalent_size(grid.sizes, curve[:, c], score))
            low = high = None
            if np.isfinite(drawn[:, :, c]).all():
                spread = equivalent_size(grid.sizes, drawn[:, :, c], score)
                low, high = (size_text(end, sizes) for end in order_limits(spread, bands.level))
            rows.append(
                {
                    "treebank": treebank or AVERAGE, "class": name, "system": system,
                    "score": float(score), "sentences": size if 0 < size < np.inf else None,
                    "equivalent": size_text(size, sizes), "low": low, "high": high,
                }
            )  # fmt: skip
    if not rows:
        raise TreegaugeError("; ".join(notes))
    signature = countersign(counts.signature, equivalent=grid.parser, on=treebank or AVERAGE, **bands.signed)
    kinds = {"sentences": pl.Float64, "low": pl.String, "high": pl.String}
    frame = pl.DataFrame(rows, schema_overrides=kinds, infer_schema_length=None)
    return Equivalents(signature, tuple(notes), frame, counts.metric, grid.parser, sizes)


def placing(counts: Attachments, treebank: str) -> Callable[[str, float], tuple[str, str | None, str | None]]:
    """Return a function that places a class's score on a treebank's curve.

    It returns the number of sentences and the ends of the interval, if there is one. The class of
    all words may be called ``overall``, as in transfer.
    """
    bands = CurveBands()

    def place(group: str, score: float) -> tuple[str, str | None, str | None]:
        name = ALL if group == "overall" else group
        (row,) = equivalents(counts, {name: score}, bands, treebank=treebank).table.to_dicts()
        return row["equivalent"], row["low"], row["high"]

    return place


def _systems(scores: Mapping[str, float] | Mapping[str, Mapping[str, float]]) -> dict[str, dict[str, float]]:
    systems: dict[str, dict[str, float]] = {}
    for name, value in scores.items():
        if isinstance(value, Mapping):
            systems.setdefault(name, {}).update(value)
        else:
            systems.setdefault("", {})[name] = float(value)
    given = [pair for system in systems.values() for pair in system.items()]
    if not given:
        raise TreegaugeError("no scores to place; expected for example all=66.1")
    for name, score in given:
        if not 0 <= score <= 100:
            raise TreegaugeError(f"the score of {name} is {score:g}; expected percent, 0 to 100")
    return systems
