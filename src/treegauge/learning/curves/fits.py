"""Fitted learning curves, a - b n^-c and a + b ln n, and predicted scores at other sizes."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple, get_args

import numpy as np
import numpy.typing as npt
import polars as pl

from treegauge.core.errors import ChoiceError, TreegaugeError
from treegauge.core.result import countersign
from treegauge.learning.curves.class_counts import ALL, Attachments
from treegauge.learning.curves.equivalents import factor, hit_rate, mix_laws, unreliable, withheld
from treegauge.learning.curves.score_grid import (
    AVERAGE,
    CurveAnalysis,
    Floats,
    ScoreGrid,
    averaged,
    limits,
    mean_curves,
)

if TYPE_CHECKING:
    from treegauge.learning.training_settings import CurveBands

Law = Literal["power", "log"]
LAWS: tuple[Law, ...] = get_args(Law)
#: Range of exponents searched. Below it a power law is indistinguishable from a logarithm.
EXPONENTS = (0.01, 5.0)
ENDS = ("low", "high")
PARAMETERS: dict[Law, int] = {"power": 3, "log": 2}


class Fitted(NamedTuple):
    """A law fitted to curves: parameters (...,), each curve its own; c is NaN for a logarithm."""

    law: Law
    a: Floats
    b: Floats
    c: Floats

    def at(self, sizes: npt.ArrayLike) -> Floats:
        """Return the law's scores, (..., sizes)."""
        line = self.b[..., None] * regressor(self.law, sizes, self.c)
        return np.asarray(self.a[..., None] + line)

    @property
    def at_bound(self) -> npt.NDArray[np.bool_]:
        """Mask of the curves whose exponent is at a bound of the range."""
        if self.law == "log":
            return np.zeros(self.a.shape, bool)
        low, high = EXPONENTS
        return np.asarray((self.c < 1.02 * low) | (self.c > 0.98 * high))


def regressor(law: Law, sizes: npt.ArrayLike, exponent: npt.ArrayLike = np.nan) -> Floats:
    """Return the regressor of the scores: ln n, or -n^-c for each exponent, (..., sizes)."""
    n = np.asarray(sizes, float)
    if law == "log":
        return np.asarray(np.log(n))
    return np.asarray(-(n ** -np.asarray(exponent, float)[..., None]))


def fit_law(law: Law, sizes: npt.ArrayLike, curves: npt.ArrayLike, weights: npt.ArrayLike) -> Fitted:
    r"""Fit a law to every curve: :math:`\min \sum_s w_s (y_s - f(s))^2`.

    The laws are ``"power"`` (a - b n^-c) and ``"log"`` (a + b ln n); curves are (..., sizes). For a
    given exponent a power law is linear in a and b, so only the exponent is searched for, on a
    logarithmic grid that narrows around the best one. Agrees with ``scipy.optimize.curve_fit``.
    """
    n, y = np.asarray(sizes, float), np.asarray(curves, float)
    if law not in LAWS:
        raise ChoiceError("law", law, LAWS)
    if len(n) <= PARAMETERS[law]:
        raise TreegaugeError(
            f"a {law} law has {PARAMETERS[law]} parameters and needs at least {PARAMETERS[law] + 1} sizes, got {len(n)}"
        )
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


@dataclass(frozen=True, eq=False)
class Fits(CurveAnalysis, kind="fit"):
    """Laws fitted to curves, and predicted scores.

    Rows of laws have parameters with intervals, which are valid if the law is, rms of residuals,
    `held_out` (error at the largest size when it is not fitted) and, of power laws, whether they
    are identified. Predictions of the mixture of laws have intervals that were checked on held-out
    sizes; those of one law have none.
    """

    predictions: pl.DataFrame = field(repr=False)
    parser: str
    digits: ClassVar[int] = 2

    def shown(self) -> pl.DataFrame:
        """Return parameters and predicted scores; no asymptote if none is identified."""
        frame = self.frame.select("class", "law", "a", "b", "c", "rms", "held_out", "identified")
        sure = pl.col("identified")
        frame = frame.with_columns(
            pl.when(~sure).then(None).otherwise(pl.col("a")).alias("a"),
            sure.replace_strict({True: "yes", False: "no"}, return_dtype=pl.String),
        )
        for size in self.predictions["size"].unique(maintain_order=True).to_list():
            rows = self.predictions.filter(size=size)["score", "low", "high"].rows()
            ends = ["" if low is None else f" ({low:.1f}–{high:.1f})" for _, low, high in rows]
            texts = [f"{row[0]:.1f}{end}" for row, end in zip(rows, ends, strict=True)]
            frame = frame.with_columns(pl.Series(f"at {size}", texts))
        return frame

    def json_fields(self) -> dict[str, Any]:
        """Return parameters, notes and predictions."""
        return super().json_fields() | {"predictions": self.predictions.to_dicts()}


def size_weights(variance: Floats) -> Floats:
    """Weights of sizes by the precision of their scores: 1 / (variance + mean variance).

    Adding the mean keeps any size from dominating the fit.
    """
    mean = variance.mean()
    return np.ones(len(variance)) if mean <= 0 else np.asarray(mean / (variance + mean))


def fit_curves(
    counts: Attachments, bands: "CurveBands", *, treebank: str | None = None,
    classes: Sequence[str] = (), laws: Sequence[Law] = LAWS, at: Sequence[int] = (),
) -> Fits:  # fmt: skip
    """Fit laws to curves and predict scores at other sizes; see :func:`treegauge.curve`."""
    grid, curve, drawn = mean_curves(counts, bands, treebank)
    sizes = grid.sizes
    targets = [int(size) for size in at] or [int(sizes[-1]) * times for times in (2, 4)]
    if min(targets) < 1:
        raise TreegaugeError(f"sizes to predict are {targets}; expected 1 or more")
    mask = grid.eligible(1 if treebank else bands.min_words)
    variance = averaged(grid.variance, mask) / np.maximum(mask.sum(axis=0), 1)
    words = np.where(mask, grid.total, 0.0).sum(axis=0)
    whole = ClassCurve(curve[:, 0], variance[:, 0], float(words[0]))
    rows: list[dict[str, Any]] = []
    predictions: list[dict[str, Any]] = []
    notes = list(grid.left_out)
    for name in classes or [ALL]:
        c = grid.number(name)
        if not np.isfinite(curve[:, c]).all():
            notes.append(f"no treebank has {bands.min_words} test words of {name}")
            continue
        known = drawn[np.isfinite(drawn[:, :, c]).all(axis=1), :, c]
        weights = size_weights(variance[:, c])
        key: dict[str, Any] = {"treebank": treebank or AVERAGE, "class": name}
        for law in laws:
            fitted = fit_law(law, sizes, curve[:, c], weights)
            spread = fit_law(law, sizes, known, weights) if len(known) else fitted
            why = unidentified(fitted, spread, bands.level)
            notes += [f"{name}, {law} law: {why}"] if why else []
            residual = fitted.at(sizes) - curve[:, c]
            rows.append(
                key
                | {"law": law}
                | _with_limits(fitted, spread if len(known) else None, bands.level)
                | {"rms": float(np.sqrt(np.mean(residual**2)))}
                | {"held_out": held_out(law, sizes, curve[:, c], weights)}
                | {"identified": None if law == "log" else not why}
            )
            scores = np.minimum(fitted.at(targets), 100)
            predictions += [
                key | {"law": law, "size": n, "score": float(s), "low": None, "high": None}
                for n, s in zip(targets, scores, strict=True)
            ]
        if len(sizes) > 2:
            of_class = whole if name == ALL else ClassCurve(curve[:, c], variance[:, c], float(words[c]))
            rows.append(key | {"law": "mixture", "held_out": _missed(sizes, of_class, whole)})
            for n in targets:
                found, why = predicted(grid, of_class, whole, n, bands.level)
                predictions.append(key | {"law": "mixture", "size": n} | found)
                notes += [why] if why and why not in notes else []
    if not rows:
        raise TreegaugeError("; ".join(notes))
    notes += [note for note in [grid.withheld(bands.over)] if note]
    if any(row["low"] is not None for row in predictions):
        notes.append(f"intervals at other sizes are those of the mixture, {hit_rate()}")
    signature = countersign(
        counts.signature, fit="+".join(laws), parser=grid.parser, on=treebank or AVERAGE, **bands.signed
    )
    numbers = ("a", "b", "c", "rms", "held_out", *(f"{n}_{end}" for n in "abc" for end in ENDS))
    schema = dict.fromkeys(numbers, pl.Float64) | {"identified": pl.Boolean}
    frame = pl.DataFrame(rows, schema_overrides=schema, infer_schema_length=None)
    return Fits(
        signature, tuple(notes), frame, counts.metric, pl.DataFrame(predictions, infer_schema_length=None), grid.parser
    )


class ClassCurve(NamedTuple):
    """A measured curve, the variance of its scores, and the number of test words behind it."""

    curve: Floats
    variance: Floats
    words: float


def predicted(
    grid: ScoreGrid, measured: ClassCurve, whole: ClassCurve, n: int, level: float
) -> tuple[dict[str, float | None], str]:
    """Return the score of a class at n sentences with its interval, or why it has none.

    As in advice, classes follow the laws of the `whole`, the curve of all words.
    """
    curve, variance, words = measured
    mixture = mix_laws(grid.sizes, *whole)
    score = float(np.clip(mixture.level(n) @ curve, 0, 100))
    why = withheld(grid, n, level) or (unreliable(grid.parser) if measured is whole else "")
    if n <= grid.sizes[-1] or why:
        return {"score": score, "low": None, "high": None}, why
    kind, error = ("all", mixture.error) if measured is whole else ("classes", mixture.class_error)
    half = factor(level, kind) * float(error(n, curve[:, None], variance[:, None], np.array([words]))[0])
    return {"score": score, "low": max(score - half, 0), "high": min(score + half, 100)}, ""


def _missed(sizes: Floats, measured: ClassCurve, whole: ClassCurve) -> float | None:
    """Return the mixture's error at the largest size when that size is held out."""
    if len(sizes) < 4:
        return None
    mixture = mix_laws(sizes[:-1], whole.curve[:-1], whole.variance[:-1], whole.words)
    return float(mixture.level(sizes[-1]) @ measured.curve[:-1] - measured.curve[-1])


def held_out(law: Law, sizes: Floats, curve: Floats, weights: Floats) -> float | None:
    """Return predicted minus measured score at the largest size when it is held out."""
    if len(sizes) - 1 <= PARAMETERS[law]:
        return None
    fitted = fit_law(law, sizes[:-1], curve[:-1], weights[:-1])
    return float(fitted.at(sizes[-1:])[0] - curve[-1])


def unidentified(fitted: Fitted, spread: Fitted, level: float) -> str:
    """Return the reason why the data do not identify a law; empty if they do."""
    share = float(np.mean(spread.at_bound))
    why = ""
    if float(fitted.b) <= 0:
        why = "the curve does not rise"
    elif bool(fitted.at_bound) and float(fitted.c) < 1:
        why = f"the exponent reaches {EXPONENTS[0]}, where a power law is a logarithm and has no asymptote"
    elif bool(fitted.at_bound):
        why = f"the exponent reaches {EXPONENTS[1]}, a step at the first size"
    elif share > 1 - level:
        why = f"in {100 * share:.0f} % of the resamples the exponent reaches the end of its range"
    elif fitted.law == "power" and float(fitted.a) > 100:
        why = f"its asymptote is {float(fitted.a):.1f}, above 100"
    return f"not identified: {why}" if why else ""


def _with_limits(fitted: Fitted, spread: Fitted | None, level: float) -> dict[str, float | None]:
    row: dict[str, float | None] = {}
    for name in ("a", "b", "c"):
        value = getattr(fitted, name)
        ends = (np.nan, np.nan) if spread is None else limits(getattr(spread, name), level)
        for key, number in zip((name, f"{name}_low", f"{name}_high"), (value, *ends), strict=True):
            row[key] = float(number) if np.isfinite(number) else None
    return row
