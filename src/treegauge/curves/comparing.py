"""Parsers beside each other: what each finds simple, and what it gets right (Table 1)."""

from dataclasses import dataclass, field
from itertools import combinations
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from treegauge.curves.complexity import Complexities
from treegauge.results.errors import TreegaugeError
from treegauge.results.result import countersign
from treegauge.statistics.partial import coefficients
from treegauge.statistics.shown import Analysis

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True, eq=False)
class Comparison(Analysis):
    """COMPLEXITY and score of every class, all parsers side by side.

    Attributes
    ----------
    frame
        class, then for each parser PARSER_complexity, PARSER_rank, PARSER_score, PARSER_score_rank.
    agreement
        Spearman's rho between parsers' COMPLEXITY, and with each parser's score.
    """

    frame: "pl.DataFrame" = field(repr=False)
    agreement: "pl.DataFrame" = field(repr=False)
    digits: ClassVar[int] = 1

    @property
    def table(self) -> "pl.DataFrame":
        """One row a class, ordered by the first parser's COMPLEXITY."""
        return self.frame

    @property
    def summary(self) -> dict[str, Any]:
        """The rank correlations."""
        return {
            f"rho of {one} and {other}": f"{rho:.3f}"
            for one, other, rho in self.agreement["one", "other", "rho"].iter_rows()
        }

    def to_dict(self) -> dict[str, Any]:
        """Return rows, notes and rank correlations."""
        return super().to_dict() | {"agreement": self.agreement.to_dicts()}


def compare_parsers(found: Complexities) -> Comparison:
    """Put the pooled COMPLEXITY of several parsers side by side, over the classes all of them have.

    Parameters
    ----------
    found
        What :func:`treegauge.curves.complexity.complexities` gave, pooled.

    Returns
    -------
    Comparison
        Ranks are over the shared classes. Notes name the class in which a parser's two rankings
        differ most, which the paper highlights.
    """
    import polars as pl

    pooled = found.frame.filter(group="")
    parsers = pooled["parser"].unique(maintain_order=True).to_list()
    if not parsers:
        raise TreegaugeError("parsers are compared by their pooled complexity, of all treebanks")
    shared = set.intersection(
        *(set(pooled.filter(parser=parser)["class"].to_list()) for parser in parsers)
    )
    if len(shared) < 3:
        raise TreegaugeError(f"the parsers share {len(shared)} classes; expected 3 or more")
    first = pooled.filter(parser=parsers[0])["class"].to_list()
    frame = pl.DataFrame({"class": [name for name in first if name in shared]})
    notes = list(found.notes)
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
            f"{parser}: ranks by complexity and by score differ most, by {max(gaps)}, "
            f"for {' and '.join(widest)}"
        )
    columns = {f"{one} complexity": frame[f"{one}_complexity"].to_numpy() for one in parsers}
    pairs = list(combinations(columns, 2))
    for one in parsers:
        columns[f"{one} score"] = frame[f"{one}_score"].to_numpy()
    pairs = [(f"{one} complexity", f"{one} score") for one in parsers] + pairs
    rows = [
        {
            "one": one,
            "other": other,
            "rho": float(coefficients(np.stack([columns[one], columns[other]], axis=-1))[0, 1]),
            "classes": len(shared),
        }
        for one, other in pairs
    ]
    signature = countersign(found.signature, compared="+".join(parsers))
    return Comparison(signature, tuple(notes), frame, pl.DataFrame(rows))
