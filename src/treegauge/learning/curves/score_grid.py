"""One parser's scores as arrays, random draws of its curves, and areas between curves."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple, get_args

import numpy as np
import numpy.typing as npt
import polars as pl

from treegauge.core.errors import ChoiceError, TreegaugeError, check_options
from treegauge.core.lazy import scipy
from treegauge.core.result import countersign
from treegauge.learning.curves.class_counts import ALL, Attachments
from treegauge.learning.training_settings import CurveBands
from treegauge.statistics.variables import Analysis

if TYPE_CHECKING:
    from treegauge.learning.training_settings import CurveBands


Floats = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]
Over = Literal["samples", "treebanks"]
#: The smallest number of training samples per size, or of treebanks, for intervals.
LEAST = 3


class Draws(NamedTuple):
    """Random draws of the curves from Student's distributions.

    Means over training samples are (draws, treebanks, sizes, classes), of one draw where they are
    taken as they are; `pulls` and `squares` move averages over treebanks (see :func:`averaged`).
    """

    means: Floats
    pulls: Floats | None = None
    squares: Floats | None = None


@dataclass(frozen=True, eq=False)
class ScoreGrid:
    """Scores of one parser on every treebank that has all sizes; the first class is ``all``.

    `scores` are (treebanks, sizes, samples, classes) in percent, NaN where a cell was not run or
    the test set has no word of the class; `total` counts test words, (treebanks, classes);
    `left_out` has a note for each treebank that lacks a size.
    """

    parser: str
    treebanks: tuple[str, ...]
    sizes: Floats
    classes: tuple[str, ...]
    scores: Floats
    total: Floats
    left_out: tuple[str, ...]

    @property
    def means(self) -> Floats:
        """Scores averaged over training samples, (treebanks, sizes, classes)."""
        known = np.isfinite(self.scores)
        number = known.sum(axis=2)
        total = np.where(known, self.scores, 0.0).sum(axis=2)
        return np.where(number > 0, total / np.maximum(number, 1), np.nan)

    @property
    def share(self) -> Floats:
        """Share of each class in its treebank's words, (treebanks, classes)."""
        return self.total / self.total[:, :1]

    def number(self, name: str) -> int:
        """Return the index of a class."""
        if name not in self.classes:
            raise ChoiceError("class of words", name, self.classes)
        return self.classes.index(name)

    def eligible(self, min_words: int) -> Bools:
        """Mask of the classes with enough test words, (treebanks, classes)."""
        return self.total >= max(min_words, 1)

    def only(self, members: Bools) -> "ScoreGrid":
        """Return the scores of the given treebanks."""
        names = tuple(name for name, kept in zip(self.treebanks, members, strict=True) if kept)
        return replace(self, treebanks=names, scores=self.scores[members], total=self.total[members])

    @property
    def variance(self) -> Floats:
        """Variance of the mean over training samples, (treebanks, sizes, classes).

        The variance between samples of n sentences is close to V / n; V is the mean over sizes.
        """
        known = np.isfinite(self.scores)
        number = known.sum(axis=2)
        squares = np.where(known, self.scores - self.means[:, :, None], 0.0) ** 2
        each = squares.sum(axis=2) / np.maximum(number - 1, 1) * self.sizes[:, None]
        several = number > 1
        pooled = (each * several).sum(axis=1) / np.maximum(several.sum(axis=1), 1)
        return np.asarray(pooled[:, None] / self.sizes[:, None] / np.maximum(number, 1))

    def withheld(self, over: Over = "samples") -> str:
        """Return the reason why there are no intervals; empty if there are."""
        least = int(np.isfinite(self.scores[..., 0]).sum(axis=2).min())
        what = "training samples of each size"
        if over == "treebanks":
            least, what = len(self.treebanks), "treebanks"
        if least < LEAST:
            return f"no intervals: they need {LEAST} {what}, got {least}"
        return self._identical() if over == "samples" else ""

    def _identical(self) -> str:
        """Return where all samples have equal scores in every class, as one model has."""
        known = np.isfinite(self.scores)
        low, high = (np.where(known, self.scores, end) for end in (np.inf, -np.inf))
        places = np.argwhere((high.max(axis=2) <= low.min(axis=2)).all(axis=2))
        if not len(places):
            return ""
        treebank, size = self.treebanks[places[0, 0]], int(self.sizes[places[0, 1]])
        more = f" (and {len(places) - 1} more)" if len(places) > 1 else ""
        return (
            f"no intervals: all trainings of {self.parser} on {size} sentences of {treebank}{more} "
            "have the same scores in every class, so they do not vary; the parser ignores its "
            "seed, or one model was counted several times"
        )

    def draws(self, bands: CurveBands) -> Draws:
        r"""Return random draws of the curves, which vary over training samples or treebanks.

        A mean of K samples moves by :math:`\sum_k z_k (x_k - \bar x) / \sqrt{K (K - 1)}` times
        :math:`\sqrt{\nu / \chi^2_\nu}`: for every sum over sizes and classes that is Student's
        distribution with K - 1 degrees of freedom, whether samples are nested or independent. An
        average over treebanks has Satterthwaite's degrees. Without enough samples or treebanks
        (:data:`LEAST`) draws are NaN, and so are intervals.
        """
        resamples, over = bands.resamples, bands.over
        check_options(bands.seed, resamples, "resamples")
        if over not in get_args(Over):
            raise ChoiceError("what intervals are over", over, get_args(Over))
        rng = np.random.default_rng(bands.seed)
        n, _, k, _ = self.scores.shape
        if over == "treebanks":
            squares = np.cumsum(rng.standard_normal((resamples, max(n - 1, 1))) ** 2, axis=1)
            return Draws(self.means[None], rng.standard_normal((resamples, n)), squares)
        if self.withheld():
            return Draws(np.full((1, *self.means.shape), np.nan))
        known = np.isfinite(self.scores)
        number = known.sum(axis=2, keepdims=True)
        off = np.where(known, self.scores - self.means[:, :, None], 0.0)
        off = off / np.sqrt(np.maximum(number * (number - 1.0), 1.0))
        share = self.variance[:, 0, 0]
        degrees = (k - 1) * share.sum() ** 2 / (share**2).sum() if share.any() else k - 1.0
        stretch = np.sqrt(degrees / rng.chisquare(degrees, (resamples, 1, 1, 1)))
        moved = np.einsum("bnk,nskc->bnsc", rng.standard_normal((resamples, n, k)), off)
        return Draws(np.clip(self.means + stretch * moved, 0.0, 100.0))


def grid_of(counts: Attachments, parser: str | None = None) -> ScoreGrid:
    """Return one parser's scores; treebanks that lack a size are left out, with a note."""
    known = counts.parsers
    if parser is None and len(known) > 1:
        raise TreegaugeError(f"several parsers ({', '.join(known)}): choose one with parser")
    chosen = known[0] if parser is None else parser
    frame = counts.select(parsers=[chosen]).frame
    wanted = sorted(frame["size"].unique().to_list())
    names = frame["treebank"].unique(maintain_order=True).to_list()
    have = {treebank: set(frame.filter(treebank=treebank)["size"].unique().to_list()) for treebank in names}
    treebanks = tuple(treebank for treebank in names if have[treebank] == set(wanted))
    left_out = tuple(_lacking(treebank, have[treebank], wanted) for treebank in names if treebank not in treebanks)
    if not treebanks:
        raise TreegaugeError(f"{chosen}: no treebank has all sizes: " + "; ".join(left_out))
    frame = frame.filter(frame["treebank"].is_in(list(treebanks)))
    classes = (ALL, *sorted(set(frame["class"].unique().to_list()) - {ALL}))
    samples = sorted(frame["sample"].unique().to_list())
    axes = {"treebank": treebanks, "size": wanted, "sample": samples, "class": classes}
    places = [
        np.array([*map({value: i for i, value in enumerate(order)}.get, frame[name])], np.intp)
        for name, order in axes.items()
    ]
    scores = np.full([len(treebanks), len(wanted), len(samples), len(classes)], np.nan)
    total = np.zeros([len(treebanks), len(classes)])
    words = frame["total"].to_numpy().astype(float)
    with np.errstate(divide="ignore", invalid="ignore"):
        scores[tuple(places)] = 100 * frame["correct"].to_numpy() / words
    total[places[0], places[3]] = words
    return ScoreGrid(chosen, treebanks, np.array(wanted, float), classes, scores, total, left_out)


def _lacking(treebank: str, have: set[int], wanted: Sequence[int]) -> str:
    lacks = ", ".join(str(size) for size in wanted if size not in have)
    return f"{treebank} is left out: it has no size {lacks}; its largest is {max(have)}"


def uneven(grids: Sequence[ScoreGrid]) -> list[str]:
    """Return a note if parsers were run on different treebanks."""
    if len({frozenset(grid.treebanks) for grid in grids}) < 2:
        return []
    numbers = ", ".join(f"{grid.parser} {len(grid.treebanks)}" for grid in grids)
    shared = frozenset.intersection(*(frozenset(grid.treebanks) for grid in grids))
    return [
        f"parsers were run on different treebanks ({numbers}; {len(shared)} of them shared): "
        "averages are not comparable"
    ]


def averaged(values: Floats, eligible: Bools, draws: Draws | None = None) -> Floats:
    r"""Average over the treebanks that count for a class.

    Values are (..., treebanks, sizes, classes); those that are not finite are left out. `eligible`
    is (treebanks, classes). The draws of intervals over treebanks move an average of m values by
    :math:`\sum_t z_t (x_t - \bar x) / \sqrt{m (m - 1)}` times
    :math:`\sqrt{(m - 1) / \chi^2_{m - 1}}`, which is NaN below three treebanks.
    """
    known = np.isfinite(values) & eligible[:, None, :]
    number = known.sum(axis=-3)
    total = np.where(known, values, 0.0).sum(axis=-3)
    mean = np.where(number > 0, total / np.maximum(number, 1), np.nan)
    if draws is None or draws.pulls is None or draws.squares is None:
        return mean
    off = np.where(known, values - mean[..., None, :, :], 0.0)[0]
    many = np.maximum(number[0], 2)
    square = draws.squares[:, many - 2]
    moved = np.einsum("bn,nsc->bsc", draws.pulls, off) / np.sqrt(many * square)
    return np.where(number >= LEAST, mean + moved, np.nan)


def limits(values: Floats, level: float) -> tuple[Floats, Floats]:
    """Return the percentile interval along the first axis; NaN if there are no values."""
    known = np.isfinite(values).any(axis=0)
    filled = np.where(known, values, 0.0)
    low, high = np.nanquantile(filled, [(1 - level) / 2, (1 + level) / 2], axis=0)
    return np.where(known, low, np.nan), np.where(known, high, np.nan)


def order_limits(values: npt.ArrayLike, level: float) -> tuple[float, float]:
    """Return the interval by order statistics, for values that may be infinite."""
    ordered = np.sort(np.asarray(values, float))
    last = len(ordered) - 1
    low, high = np.floor((1 - level) / 2 * last), np.ceil((1 + level) / 2 * last)
    return float(ordered[int(low)]), float(ordered[int(high)])


def relative(means: Floats) -> Floats:
    """Divide scores (..., sizes, classes) by those at the largest size; NaN where these are 0."""
    last = means[..., -1:, :]
    return np.where(last > 0, means / np.where(last > 0, last, 1.0), np.nan)


def area_between(sizes: npt.ArrayLike, overall: npt.ArrayLike, curve: npt.ArrayLike) -> Floats:
    r"""COMPLEXITY of a relative curve: :math:`100\int (R(s) - R_C(s))\,d\ln s`, by Simpson's rule.

    The rule is scipy's composite one for unevenly spaced points: each pair of intervals is
    integrated under the parabola through its three points, a last single interval under the
    parabola through the last three points. Sizes are the last axis of the relative scores. The unit
    is percentage points times units of ln(size); negative: simpler than words overall.
    """
    points = np.asarray(sizes, float)
    if len(points) < 2 or not np.all(np.diff(points) > 0):
        raise TreegaugeError(f"an area needs two or more different sizes in ascending order; got {points.tolist()}")
    gap = np.asarray(overall, float) - np.asarray(curve, float)
    return np.asarray(100 * scipy.integrate.simpson(gap, x=np.log(points), axis=-1))


AVERAGE = "average"


@dataclass(frozen=True, eq=False)
class CurveAnalysis(Analysis):
    """A table about scores by training set size; the metric may name another convention."""

    frame: pl.DataFrame = field(repr=False)
    metric: str
    unit: ClassVar[str | None] = "percent"
    digits: ClassVar[int] = 1

    @property
    def table(self) -> pl.DataFrame:
        """The rows, with the metric of their scores."""
        return self.frame.with_columns(pl.lit(self.metric).alias("metric"))


@dataclass(frozen=True, eq=False)
class Curves(CurveAnalysis, kind="curve"):
    """Learning curves, one row per parser, treebank, class and size.

    Attributes
    ----------
    frame
        parser, treebank (or ``average``), class, size; score with its interval; relative score
        (1 at the largest size) with its interval; test words of the class (in averages: mean
        number), share of the class in all words, number of treebanks.
    relative
        Whether printed tables and figures show relative scores.
    """

    relative: bool = False

    def shown(self) -> pl.DataFrame:
        """Return one row per curve and one column per size, in percent."""
        value = pl.col("relative") * 100 if self.relative else pl.col("score")
        keys = ["parser", "treebank", "class", "share", "treebanks"]
        wide = self.frame.with_columns(value.alias("value"), pl.col("share") * 100).pivot(
            "size", index=keys, values="value"
        )
        idle = [name for name in ("parser", "treebank") if wide[name].n_unique() == 1]
        if wide["treebanks"].max() == 1:
            idle.append("treebanks")
        return wide.drop(idle)

    def _lines(self) -> list[str]:
        of_largest = ", relative to the largest size" if self.relative else ""
        first = f"{self.metric} in % by number of training sentences{of_largest}"
        return [first, *super()._lines()]


def learning_curves(
    counts: Attachments, bands: "CurveBands", *, classes: Sequence[str] = (), each: bool = False, relative: bool = False
) -> Curves:
    """Return the curve of every class, averaged over treebanks or per treebank."""
    rows, notes = [], []
    grids = [grid_of(counts, parser) for parser in counts.parsers]
    for grid in grids:
        chosen = _chosen(grid, classes)
        least = 1 if each else bands.min_words
        alone = np.eye(len(grid.treebanks), dtype=bool)
        for part in [grid.only(one) for one in alone] if each else [grid]:
            rows += _rows(part, chosen, least, bands, part.treebanks[0] if each else AVERAGE)
        rare = [grid.classes[c] for c in chosen if not grid.eligible(least)[:, c].any()]
        own = [*grid.left_out, (grid.only(alone[0]) if each else grid).withheld(bands.over)]
        if rare and not each:
            own.append(f"no treebank has {bands.min_words} test words of: {', '.join(rare)}")
        notes += [note for note in own if note and note not in notes]
    if not rows:
        raise TreegaugeError("; ".join(notes))
    notes += [] if each else uneven(grids)
    signature = countersign(counts.signature, curves="each" if each else AVERAGE, **bands.signed)
    return Curves(signature, tuple(notes), pl.DataFrame(rows), counts.metric, relative)


def _chosen(grid: ScoreGrid, classes: Sequence[str]) -> list[int]:
    """Return the requested classes, or all: all words first, then by frequency."""
    if classes:
        return [grid.number(name) for name in classes]
    frequent = np.argsort(-grid.share.mean(axis=0), kind="stable").tolist()
    return sorted(frequent, key=lambda c: grid.classes[c] != ALL)


def _rows(grid: ScoreGrid, chosen: Sequence[int], least: int, bands: "CurveBands", name: str) -> list[dict[str, Any]]:
    draws, enough = grid.draws(bands), grid.eligible(least)
    columns = {}
    for prefix, of in (("", np.asarray), ("relative", relative)):
        low, high = limits(averaged(of(draws.means), enough, draws), bands.level)
        columns[prefix or "score"] = averaged(of(grid.means), enough)
        columns |= {f"{prefix}_low".strip("_"): low, f"{prefix}_high".strip("_"): high}
    return [
        {"parser": grid.parser, "treebank": name, "class": grid.classes[c], "size": int(size)}
        | {key: float(value[s, c]) if np.isfinite(value[s, c]) else None for key, value in columns.items()}
        | {"words": float(grid.total[:, c].mean()), "share": float(grid.share[:, c].mean())}
        | {"treebanks": int(enough[:, c].sum())}
        for c in chosen
        if enough[:, c].any()
        for s, size in enumerate(grid.sizes.tolist())
    ]


def mean_curves(counts: Attachments, bands: "CurveBands", treebank: str | None) -> tuple[ScoreGrid, Floats, Floats]:
    """Return a parser's scores, its curves on one treebank or on average, and draws of them."""
    grid = grid_of(of_treebank(counts, treebank))
    mask = grid.eligible(1 if treebank else bands.min_words)
    draws = grid.draws(bands)
    return grid, averaged(grid.means, mask), averaged(draws.means, mask, draws)


def of_treebank(counts: Attachments, treebank: str | None) -> Attachments:
    """Return the counts of one treebank; all if none is named."""
    if treebank is None:
        return counts
    if treebank not in counts.treebanks:
        raise ChoiceError("treebank", treebank, counts.treebanks)
    return counts.select(treebanks=[treebank])
