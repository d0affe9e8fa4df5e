"""Learning curves: scores by training set size, overall and by class."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import polars as pl

from treegauge.core.errors import ChoiceError, TreegaugeError
from treegauge.core.result import countersign
from treegauge.learning.curves.attachments import ALL, Attachments
from treegauge.learning.curves.grid import Floats, ScoreGrid, averaged, grid_of, limits, relative, uneven
from treegauge.statistics.tables.variables import Analysis

if TYPE_CHECKING:
    from treegauge.learning.curves.settings import CurveBands

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
class Curves(CurveAnalysis):
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
    kind: ClassVar[str] = "curve"

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
