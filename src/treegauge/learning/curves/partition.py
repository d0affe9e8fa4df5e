"""Simple and complex classes of words, and comparisons of parsers."""

from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import Any, ClassVar

import numpy as np
import polars as pl

from treegauge.core.errors import ChoiceError, TreegaugeError
from treegauge.core.result import countersign
from treegauge.learning.curves.attachments import ALL, CELL, COLUMNS, Attachments, attachments
from treegauge.learning.curves.complexity import Complexities, Per, areas, groups
from treegauge.learning.curves.grid import grid_of
from treegauge.learning.curves.learning import CurveAnalysis
from treegauge.statistics.regression.coefficients import coefficients

SIMPLE, COMPLEX = "simple", "complex"


@dataclass(frozen=True, eq=False)
class Partition(CurveAnalysis):
    """The simple and complex classes of every treebank, by one parser's curves."""

    parser: str
    kind: ClassVar[str] = "partition"

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
class ParserComplexities(CurveAnalysis):
    """COMPLEXITY and score of every class, for all parsers.

    `agreement` holds Spearman's rho between parsers' COMPLEXITY, and with each parser's score.
    """

    agreement: pl.DataFrame = field(repr=False)
    kind: ClassVar[str] = "parser complexities"

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
