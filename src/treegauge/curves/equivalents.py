"""Data-size equivalents: how many annotated sentences a score is worth."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar

import numpy as np
import numpy.typing as npt

from treegauge.curves.attachments import ALL, Attachments
from treegauge.curves.grid import Floats, Over, averaged, grid_of
from treegauge.curves.learning import AVERAGE, MIN_WORDS, check_one
from treegauge.results.errors import TreegaugeError
from treegauge.results.result import countersign
from treegauge.statistics.shown import Analysis

if TYPE_CHECKING:
    import polars as pl


#: Points of a score that are no difference.
_HAIR = 1e-9


def isotonic(curve: npt.ArrayLike) -> Floats:
    r"""Return the non-decreasing curve nearest to a given one, by least squares.

    :math:`\hat y_i = \max_{j \le i} \min_{k \ge i} \frac{1}{k-j+1} \sum_{l=j}^{k} y_l`: wherever a
    curve falls, the points around the fall share their mean. A curve that never falls stays as it
    is.

    Parameters
    ----------
    curve
        (..., sizes).

    Notes
    -----
    Agrees with ``scipy.optimize.isotonic_regression``.

    Examples
    --------
    >>> isotonic([40.0, 55.0, 53.0, 60.0]).tolist()
    [40.0, 54.0, 54.0, 60.0]
    """
    y = np.asarray(curve, float)
    n = y.shape[-1]
    out = np.full(y.shape, -np.inf)
    for i in range(n):
        for j in range(i + 1):
            means = np.cumsum(y[..., j:], axis=-1) / np.arange(1, n - j + 1)
            out[..., i] = np.maximum(out[..., i], means[..., i - j :].min(axis=-1))
    return out


def equivalent_size(sizes: npt.ArrayLike, curve: npt.ArrayLike, score: npt.ArrayLike) -> Floats:
    r"""Return the smallest size at which a curve reaches a score.

    The curve is made non-decreasing (:func:`isotonic`) and linear in :math:`\ln(size)` between its
    points. Where it is flat at the score, the fewest sentences count.

    Parameters
    ----------
    sizes
        Ascending.
    curve
        (..., sizes) scores.
    score
        One score, or one a curve.

    Returns
    -------
    numpy.ndarray
        Sentences; 0 for a score below the curve, infinity for one above: neither is extrapolated.

    Examples
    --------
    >>> equivalent_size([5, 10, 20], [40.0, 50.0, 60.0], [39, 40, 55, 60, 61]).round(2).tolist()
    [0.0, 5.0, 14.14, 20.0, inf]
    """
    points = np.log(np.asarray(sizes, float))
    rising = isotonic(curve)
    if rising.shape[-1] != len(points):
        raise TreegaugeError(f"{len(points)} sizes and {rising.shape[-1]} scores; expected as many")
    wanted = np.asarray(score, float)
    shape = np.broadcast_shapes(rising.shape[:-1], wanted.shape)
    rising = np.broadcast_to(rising, (*shape, len(points)))
    wanted = np.broadcast_to(wanted, shape)
    # Means of levelled stretches are rounded: a score a hair above one still lies on it.
    at = (rising < wanted[..., None] - _HAIR).sum(axis=-1)
    right = np.clip(at, 1, len(points) - 1)
    low = np.take_along_axis(rising, right[..., None] - 1, -1)[..., 0]
    high = np.take_along_axis(rising, right[..., None], -1)[..., 0]
    step = np.where(high > low, high - low, 1.0)
    part = np.minimum((wanted - low) / step, 1.0)
    between = points[right - 1] + part * (points[right] - points[right - 1])
    inside = np.where(at == 0, points[0], between)
    found = np.where(at == len(points), np.inf, np.exp(inside))
    below = wanted < rising[..., 0] - _HAIR
    return np.where(np.isnan(wanted), np.nan, np.where(below, 0.0, found))


def told_size(found: float, sizes: Sequence[float]) -> str:
    """Write a number of sentences, or that it lies beyond the sizes tried.

    Examples
    --------
    >>> [told_size(found, [5, 500]) for found in (0.0, 31.6, float("inf"))]
    ['< 5', '32', '> 500']
    """
    if found < sizes[0] * (1 - 1e-12):
        return f"< {sizes[0]:g}"
    return f"> {sizes[-1]:g}" if np.isinf(found) else f"{found:.0f}"


@dataclass(frozen=True, eq=False)
class Equivalents(Analysis):
    """Scores and the sentences that give a monolingual parser the same.

    Attributes
    ----------
    frame
        treebank (or ``average``), class, name of the scored system, its score, sentences (missing
        where the score lies beyond the curve), and the same as text with the interval's ends:
        ``< 5`` and ``> 500`` are beyond it.
    parser, sizes
        Whose curve it is, and its sizes.
    """

    frame: "pl.DataFrame" = field(repr=False)
    parser: str
    sizes: tuple[float, ...]
    digits: ClassVar[int] = 1

    @property
    def table(self) -> "pl.DataFrame":
        """One row a score."""
        return self.frame

    def shown(self) -> "pl.DataFrame":
        """Return scores and equivalents as text."""
        frame = self.frame.drop("sentences").rename({"equivalent": "sentences"})
        idle = [name for name in ("treebank", "system") if frame[name].n_unique() == 1]
        return frame.drop(idle)


def equivalents(
    counts: Attachments,
    scores: Mapping[str, float] | Mapping[str, Mapping[str, float]],
    *,
    parser: str | None = None,
    treebank: str | None = None,
    min_words: int = MIN_WORDS,
    level: float = 0.95,
    resamples: int = 500,
    over: Over = "samplings",
    seed: int = 0,
) -> Equivalents:
    """Place scores on a monolingual learning curve (section 5 of the paper).

    Parameters
    ----------
    counts
        The monolingual parser's right words; those of
        :func:`treegauge.curves.partition.composites` to place scores over simple and complex words
        as well.
    scores
        Scores in per cent by class (``{"all": 66.1}``), or those of several systems.
    parser, treebank
        Whose curve and on which treebank, by default the average over treebanks.
    min_words
        Treebanks with fewer test words of a class are left out of its average.
    level, resamples, over, seed
        Coverage of the intervals, draws behind them, what is drawn anew, their seed. The scores
        are taken as exact: intervals say how sure the curve is.

    Returns
    -------
    Equivalents
        A score below the curve's lowest point reads ``< 5``, one above its highest ``> 500``.
    """
    import polars as pl

    grid = grid_of(check_one(counts, treebank), parser)
    systems = _systems(scores)
    mask = grid.eligible(1 if treebank else min_words)
    curve = averaged(grid.means, mask)
    draws = grid.draws(resamples, over=over, seed=seed)
    drawn = averaged(draws.means, mask, None if treebank else draws.weights)
    sizes = tuple(grid.sizes.tolist())
    notes = list(grid.left_out)
    rows = []
    for system, given in systems.items():
        for name, score in given.items():
            c = grid.number(name)
            if not np.isfinite(curve[:, c]).all():
                notes.append(f"no treebank has {min_words} test words of {name}")
                continue
            if (np.diff(curve[:, c]) < 0).any():
                note = f"the curve of {name} falls somewhere: levelled by isotonic regression"
                notes += [note] if note not in notes else []
            found = float(equivalent_size(grid.sizes, curve[:, c], score))
            spread = np.sort(equivalent_size(grid.sizes, drawn[:, :, c], score))
            low, high = _ends(spread, level)
            rows.append(
                {
                    "treebank": treebank or AVERAGE,
                    "class": name,
                    "system": system,
                    "score": float(score),
                    "sentences": found if 0 < found < np.inf else None,
                    "equivalent": told_size(found, sizes),
                    "low": told_size(low, sizes),
                    "high": told_size(high, sizes),
                }
            )
    if not rows:
        raise TreegaugeError("; ".join(notes))
    schema = {"sentences": pl.Float64}
    signature = countersign(
        counts.signature, equivalent=grid.parser, on=treebank or AVERAGE, level=level,
        resamples=resamples, over=over, seed=seed,
    )  # fmt: skip
    frame = pl.DataFrame(rows, schema_overrides=schema)
    return Equivalents(signature, tuple(notes), frame, grid.parser, sizes)


def placing(counts: Attachments, treebank: str) -> Callable[[str, float], tuple[str, str, str]]:
    """Return what places a class's score on a treebank's curve: sentences, and the interval's ends.

    Transfer calls the class of all words ``overall``, which is understood too.

    Parameters
    ----------
    counts
        One parser's right words, such as :func:`treegauge.curves.partition.composites` gives.
    treebank
        Whose curve.
    """

    def place(group: str, score: float) -> tuple[str, str, str]:
        name = ALL if group == "overall" else group
        (row,) = equivalents(counts, {name: score}, treebank=treebank).table.to_dicts()
        return row["equivalent"], row["low"], row["high"]

    return place


def _systems(
    scores: Mapping[str, float] | Mapping[str, Mapping[str, float]],
) -> dict[str, dict[str, float]]:
    systems: dict[str, dict[str, float]] = {}
    for name, value in scores.items():
        if isinstance(value, Mapping):
            systems.setdefault(name, {}).update(value)
        else:
            systems.setdefault("", {})[name] = float(value)
    given = [one for system in systems.values() for one in system.items()]
    if not given:
        raise TreegaugeError("no scores to place; expected such as all=66.1")
    for name, score in given:
        if not 0 <= score <= 100:
            raise TreegaugeError(f"the score of {name} is {score:g}; expected per cent, 0 to 100")
    return systems


def _ends(ordered: Floats, level: float) -> tuple[float, float]:
    """Return order statistics: infinite equivalents have no mean to interpolate."""
    last = len(ordered) - 1
    low, high = np.floor((1 - level) / 2 * last), np.ceil((1 + level) / 2 * last)
    return float(ordered[int(low)]), float(ordered[int(high)])
