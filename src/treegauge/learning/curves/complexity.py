"""COMPLEXITY: how much more training data a class of words needs than words overall."""

from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np
import polars as pl

from treegauge.core.errors import ChoiceError, TreegaugeError
from treegauge.core.lazy import scipy
from treegauge.core.result import countersign
from treegauge.learning.curves.class_counts import ALL, CELL, COLUMNS, Attachments, attachments
from treegauge.learning.curves.score_grid import (
    Bools,
    CurveAnalysis,
    Draws,
    Floats,
    ScoreGrid,
    area_between,
    averaged,
    grid_of,
    limits,
    relative,
    uneven,
)
from treegauge.statistics.correlation_coefficients import coefficients
from treegauge.treebanks.sources.languages import kin_of

if TYPE_CHECKING:
    from treegauge.learning.training_settings import CurveBands


Per = Literal["pooled", "language", "treebank"]


@dataclass(frozen=True, eq=False)
class Complexities(CurveAnalysis, kind="complexity"):
    """COMPLEXITY and score at the largest size of every class, with ranks, 1 the simplest.

    The group is ``""`` when pooled, else language or treebank. `correlations` hold Spearman's rho
    of COMPLEXITY and score over classes, for each parser and group.
    """

    correlations: pl.DataFrame = field(repr=False)
    size: int

    @property
    def summary(self) -> dict[str, Any]:
        """Spearman's rho of COMPLEXITY and score, by parser; pooled ones only."""
        rows = self.correlations.filter(group="").to_dicts()
        return {
            f"{row['parser']}: Spearman of complexity and score": f"{row['rho']:.3f}"
            for row in rows
            if row["rho"] is not None
        }

    def shown(self) -> pl.DataFrame:
        """Return the table with metric and size in its headings, without redundant columns."""
        frame = self.frame.with_columns(pl.col("share") * 100)
        idle = [name for name in ("parser", "group") if frame[name].n_unique() == 1]
        if frame["treebanks"].max() == 1:
            idle.append("treebanks")
        return frame.drop(idle).rename({"score": f"{self.metric} at {self.size}", "score_rank": f"{self.metric} rank"})

    def json_fields(self) -> dict[str, Any]:
        """Return rows, notes and correlations."""
        return super().json_fields() | {"correlations": self.correlations.to_dicts()}


def complexities(
    counts: Attachments, bands: "CurveBands", *, per: Per = "pooled", min_presence: float = 0.0, matched: bool = False
) -> Complexities:
    """Return the COMPLEXITY of every class; see :func:`treegauge.curve.complexity`."""
    if per not in get_args(Per):
        raise ChoiceError("group of curves", per, get_args(Per))
    if not 0 <= min_presence <= 1:
        raise TreegaugeError(f"min_presence is {min_presence:g}; expected a share, 0 to 1")
    rows: list[dict[str, Any]] = []
    correlations: list[dict[str, Any]] = []
    notes: list[str] = []
    grids = [grid_of(counts, parser) for parser in counts.parsers]
    for grid in grids:
        own = [*grid.left_out, grid.withheld(bands.over)]
        notes += [note for note in own if note and note not in notes]
        enough = grid.eligible(bands.min_words)
        enough &= enough.mean(axis=0) >= min_presence
        notes += _undefined(grid, enough)
        for group, members in groups(grid, per).items():
            made = _group(grid.only(members), enough[members], matched, bands)
            key = {"parser": grid.parser, "group": group}
            rows += [key | row for row in made[0]]
            correlations.append(key | made[1])
            notes += _hinges(grid, members, enough, made[0], matched)
    if not rows:
        raise TreegaugeError(
            f"no class has {bands.min_words} test words in "
            + (f"{100 * min_presence:g} % of the treebanks" if min_presence else "any treebank")
        )
    notes += uneven(grids) if per == "pooled" else []
    signature = countersign(counts.signature, complexity=per, presence=min_presence, matched=matched, **bands.signed)
    return Complexities(
        signature, tuple(notes), pl.DataFrame(rows, infer_schema_length=None), counts.metric,
        pl.DataFrame(correlations, infer_schema_length=None), int(grids[-1].sizes[-1]),
    )  # fmt: skip


def groups(grid: ScoreGrid, per: Per) -> dict[str, Bools]:
    """Return the treebanks of each group, as masks."""
    if per == "pooled":
        return {"": np.ones(len(grid.treebanks), bool)}
    names = [name if per == "treebank" else kin_of(name, "language") or name for name in grid.treebanks]
    return {group: np.array([name == group for name in names]) for group in dict.fromkeys(names)}


def areas(sizes: Floats, means: Floats, mask: Bools, draws: Draws | None = None, *, matched: bool = False) -> Floats:
    """Return the area between the overall curve and each class's, (..., classes).

    Scores are (..., treebanks, sizes, classes), the first class is that of all words; `mask` is
    (treebanks, classes). If `matched`, the overall curve is that of the class's own treebanks.
    """
    ratios = relative(means)
    own = averaged(ratios, mask, draws)
    if matched:
        overall = averaged(np.where(np.isfinite(ratios), ratios[..., :1], np.nan), mask, draws)
    else:
        overall = averaged(ratios[..., :1], mask[:, :1], draws)
    return area_between(sizes, np.swapaxes(overall, -1, -2), np.swapaxes(own, -1, -2))


def _group(
    grid: ScoreGrid, mask: Bools, matched: bool, bands: "CurveBands"
) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    values = areas(grid.sizes, grid.means, mask, matched=matched)
    kept = np.flatnonzero(np.isfinite(values[1:])) + 1
    if not len(kept):
        return [], {"rho": None, "classes": 0}
    draws = grid.draws(bands)
    drawn = areas(grid.sizes, draws.means, mask, draws, matched=matched)[:, kept]
    score = averaged(grid.means, mask)[-1, kept]
    low, high = limits(drawn, bands.level)
    rank, score_rank = scipy.stats.rankdata(values[kept]), scipy.stats.rankdata(-score)
    share = np.where(mask, grid.share, np.nan)
    rows: list[dict[str, Any]] = [
        {
            "class": grid.classes[c], "complexity": float(values[c]),
            "low": float(low[i]) if np.isfinite(low[i]) else None,
            "high": float(high[i]) if np.isfinite(high[i]) else None,
            "rank": int(rank[i]), "score": float(score[i]), "score_rank": int(score_rank[i]),
            "share": float(np.nanmean(share[:, c])),
            "treebanks": int((mask[:, c] & (grid.means[:, -1, c] > 0)).sum()),
        }
        for i, c in enumerate(kept.tolist())
    ]  # fmt: skip
    rows.sort(key=lambda row: (row["complexity"], row["class"]))
    rho = None
    if len(kept) > 2:
        found = float(coefficients(np.stack([values[kept], score], axis=-1))[0, 1])
        rho = found if np.isfinite(found) else None
    return rows, {"rho": rho, "classes": len(kept)}


def _hinges(grid: ScoreGrid, members: Bools, enough: Bools, rows: list[dict[str, Any]], matched: bool) -> list[str]:
    """Return notes on averages that one treebank changes by half or more and by 10 points."""
    if members.sum() < 3:
        return []
    notes = []
    without = {}
    for t in np.flatnonzero(members).tolist():
        others = members & (np.arange(len(members)) != t)
        without[t] = areas(grid.sizes, grid.means[others], enough[others], matched=matched)
    for row in rows:
        c = grid.number(row["class"])
        least = max(10.0, abs(row["complexity"]) / 2)
        for t, values in without.items():
            if row["treebanks"] > 2 and enough[t, c] and abs(values[c] - row["complexity"]) > least:
                notes.append(
                    f"{row['class']}, {grid.parser}: {row['complexity']:.1f} hinges on "
                    f"{grid.treebanks[t]} ({grid.total[t, c]:.0f} test words, "
                    f"{grid.means[t, -1, c]:.1f} % correct at the largest size); without it "
                    f"{values[c]:.1f}"
                )
    return notes


def _undefined(grid: ScoreGrid, enough: Bools) -> list[str]:
    nothing = enough & (grid.means[:, -1, :] == 0)
    return [
        f"{grid.treebanks[t]}, {grid.parser}: no word of {grid.classes[c]} is correct at the "
        "largest size; it has no relative curve there"
        for t, c in np.argwhere(nothing).tolist()
    ]


SIMPLE, COMPLEX = "simple", "complex"


@dataclass(frozen=True, eq=False)
class Partition(CurveAnalysis, kind="partition"):
    """The simple and complex classes of every treebank, by one parser's curves."""

    parser: str

    def of(self, treebank: str) -> dict[str, str]:
        """Return the group of each class in one treebank: simple or complex."""
        rows = self.frame.filter(treebank=treebank)
        if not rows.height:
            raise ChoiceError("treebank", treebank, self.frame["treebank"].unique().sort())
        return dict(rows.select("class", "group").iter_rows())


def partition(
    counts: Attachments, parser: str | None = None, *, per: Per = "treebank", min_words: int = 1
) -> Partition:
    """Divide classes into simple (COMPLEXITY below 0) and complex ones.

    Each treebank has its own partition, as in the paper, or each language, or all the same one
    (`per`). A class with no correct word at the largest size counts as complex; one with fewer than
    `min_words` test words in a treebank is in neither group there.
    """
    grid = grid_of(counts, parser)
    enough = grid.eligible(min_words)
    rows = []
    for members in groups(grid, per).values():
        values = areas(grid.sizes, grid.means[members], enough[members])
        for t in np.flatnonzero(members).tolist():
            for c in range(1, len(grid.classes)):
                if enough[t, c]:
                    area = float(values[c]) if np.isfinite(values[c]) else None
                    group = SIMPLE if area is not None and area < 0 else COMPLEX
                    rows.append((grid.treebanks[t], grid.classes[c], area, group))
    if not rows:
        raise TreegaugeError(f"no class has {min_words} test words in any treebank")
    kinds = {"treebank": pl.String, "class": pl.String, "complexity": pl.Float64, "group": pl.String}
    frame = pl.DataFrame(rows, kinds, orient="row").sort("treebank", "complexity", "class")
    signature = countersign(counts.signature, partition=per, by_curves_of=grid.parser, min_words=min_words)
    return Partition(signature, grid.left_out, frame, counts.metric, grid.parser)


def composite_counts(counts: Attachments, parted: Partition | None = None) -> Attachments:
    """Sum counts over simple and over complex classes.

    The result has the classes ``all``, ``simple`` and ``complex``, of the treebanks in the
    partition; all functions of counts accept it. `parted` is one partition for all parsers (Table 2
    of the paper: that of BEAM), or None: each parser has its own (Fig. 3).
    """
    parts, kinds = [], []
    for parser in counts.parsers:
        chosen = parted or partition(counts, parser)
        frame = counts.select(parsers=[parser]).frame
        frame = frame.filter(pl.col("treebank").is_in(chosen.frame["treebank"].unique().to_list()))
        summed = (
            frame.join(chosen.frame.select("treebank", "class", "group"), on=["treebank", "class"])
            .group_by(*CELL, pl.col("group").alias("class"))
            .agg(pl.col("correct", "total").sum())
        )
        parts += [frame.filter(pl.col("class") == ALL), summed.select(COLUMNS)]
        kinds.append(chosen.signature.split("|partition:")[-1].split("|")[0])
    whose = f"{parted.parser}'s" if parted else "own"
    made = attachments(pl.concat(parts), source="composite scores")
    choices = {**counts.choices, "composite": whose, "partition": kinds[0]}
    return replace(counts, frame=made.frame, choices=choices)


@dataclass(frozen=True, eq=False)
class ParserComplexities(CurveAnalysis, kind="parser complexities"):
    """COMPLEXITY and score of every class, for all parsers.

    `agreement` holds Spearman's rho between parsers' COMPLEXITY, and with each parser's score.
    """

    agreement: pl.DataFrame = field(repr=False)

    @property
    def summary(self) -> dict[str, Any]:
        """The rank correlations."""
        return {
            f"rho of {left} and {right}": f"{rho:.3f}"
            for left, right, rho in self.agreement["one", "other", "rho"].iter_rows()
        }

    def json_fields(self) -> dict[str, Any]:
        """Return rows, notes and rank correlations."""
        return super().json_fields() | {"agreement": self.agreement.to_dicts()}


LEAST_CLASSES = 3
"""The smallest number of shared classes for a comparison of parsers."""


def shared_classes(complexities: Complexities) -> set[str]:
    """Return the classes for which all parsers have a pooled COMPLEXITY."""
    pooled = complexities.frame.filter(group="")
    groups = pooled.group_by("parser").agg("class")["class"].to_list()
    return set.intersection(*map(set, groups)) if groups else set()


def compare_parsers(complexities: Complexities) -> ParserComplexities:
    """Return the pooled COMPLEXITY of several parsers, over their shared classes.

    Ranks are over the shared classes. Notes name the class in which a parser's two rankings differ
    most, which the paper highlights.
    """
    pooled = complexities.frame.filter(group="")
    parsers = pooled["parser"].unique(maintain_order=True).to_list()
    if not parsers:
        raise TreegaugeError("parsers are compared by pooled complexity: use per=pooled")
    shared = shared_classes(complexities)
    if len(shared) < LEAST_CLASSES:
        raise TreegaugeError(f"the parsers share {len(shared)} classes; expected {LEAST_CLASSES} or more")
    frame = pooled.filter(pl.col("class").is_in(shared), parser=parsers[0]).select("class")
    notes = list(complexities.notes)
    for parser in parsers:
        own = frame.join(pooled.filter(parser=parser), on="class", maintain_order="left")
        rank = own["complexity"].rank().cast(pl.Int64)
        score_rank = (-own["score"]).rank().cast(pl.Int64)
        frame = frame.with_columns(
            own["complexity"].alias(f"{parser}_complexity"),
            rank.alias(f"{parser}_rank"),
            own["score"].alias(f"{parser}_score"),
            score_rank.alias(f"{parser}_score_rank"),
        )
        gaps = (rank - score_rank).abs().to_list()
        widest = [name for name, gap in zip(frame["class"], gaps, strict=True) if gap == max(gaps)]
        notes.append(
            f"{parser}: ranks by complexity and by score differ most, by {max(gaps)}, for {' and '.join(widest)}"
        )
    pairs = [(f"{name} complexity", f"{name} score") for name in parsers]
    pairs += combinations([f"{name} complexity" for name in parsers], 2)
    rows: list[dict[str, Any]] = []
    for pair in pairs:
        values = frame.select(name.replace(" ", "_") for name in pair).to_numpy()
        rho = float(coefficients(values)[0, 1])
        rows.append({"one": pair[0], "other": pair[1], "rho": rho, "classes": len(shared)})
    signature = countersign(complexities.signature, compared="+".join(parsers))
    return ParserComplexities(signature, tuple(notes), frame, complexities.metric, pl.DataFrame(rows))
