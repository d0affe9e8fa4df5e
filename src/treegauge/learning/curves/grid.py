"""One parser's scores as arrays, random draws of its curves, and areas between curves."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple, get_args

import numpy as np
import numpy.typing as npt

from treegauge.core.errors import ChoiceError, TreegaugeError, check_options
from treegauge.learning.curves.attachments import ALL, Attachments
from treegauge.learning.curves.settings import CurveBands

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
    from scipy.integrate import simpson

    points = np.asarray(sizes, float)
    if len(points) < 2 or not np.all(np.diff(points) > 0):
        raise TreegaugeError(f"an area needs two or more different sizes in ascending order; got {points.tolist()}")
    gap = np.asarray(overall, float) - np.asarray(curve, float)
    return np.asarray(100 * simpson(gap, x=np.log(points), axis=-1))
