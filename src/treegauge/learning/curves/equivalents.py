"""Data-size equivalents: how many annotated sentences a score is worth."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import numpy.typing as npt
import polars as pl

from treegauge.core.errors import TreegaugeError
from treegauge.core.result import countersign
from treegauge.learning.curves.attachments import ALL, Attachments
from treegauge.learning.curves.grid import Floats, order_limits
from treegauge.learning.curves.learning import AVERAGE, CurveAnalysis, Curves, mean_curves
from treegauge.learning.curves.settings import CurveBands

#: Smaller differences of scores, in points, are rounding errors.
_TINY = 1e-9


def isotonic(curve: npt.ArrayLike) -> Floats:
    """Return the non-decreasing curves nearest to given ones (..., sizes), by least squares."""
    from scipy.optimize import isotonic_regression

    return np.apply_along_axis(lambda y: isotonic_regression(y).x, -1, np.asarray(curve, float))


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
class Equivalents(CurveAnalysis):
    """Scores, and the number of annotated sentences with which a monolingual parser reaches them.

    `equivalent` and the interval's ends are text in whole sentences: ``< 5`` and ``> 500`` are
    beyond the curve, where `sentences` is missing.
    """

    parser: str
    sizes: tuple[float, ...]
    curves: Curves | None = None
    kind: ClassVar[str] = "equivalent"

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
