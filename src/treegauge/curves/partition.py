"""Simple and complex words: classes parted by the sign of their COMPLEXITY, and their scores."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from treegauge.curves.attachments import ALL, CELL, COLUMNS, Attachments, attachments
from treegauge.curves.complexity import Per, areas, groups
from treegauge.curves.grid import grid_of
from treegauge.results.errors import ChoiceError, TreegaugeError
from treegauge.results.result import countersign
from treegauge.statistics.shown import Analysis

if TYPE_CHECKING:
    import polars as pl

SIMPLE, COMPLEX = "simple", "complex"


@dataclass(frozen=True, eq=False)
class Partition(Analysis):
    """Which classes are simple and which complex, for every treebank.

    Attributes
    ----------
    parser
        Whose curves decided.
    frame
        treebank, class, complexity (of the treebank, its language or all, as asked for), side.
    """

    parser: str
    frame: "pl.DataFrame" = field(repr=False)

    @property
    def table(self) -> "pl.DataFrame":
        """One row a treebank and class."""
        return self.frame

    def of(self, treebank: str) -> dict[str, str]:
        """Return the side of each class in one treebank."""
        rows = self.frame.filter(treebank=treebank)
        if not rows.height:
            raise ChoiceError("treebank", treebank, self.frame["treebank"].unique().sort())
        return dict(rows.select("class", "side").iter_rows())


def partition(
    counts: Attachments,
    parser: str | None = None,
    *,
    per: Per = "treebank",
    sizes: Sequence[int] = (),
    min_words: int = 1,
) -> Partition:
    """Part classes into simple (COMPLEXITY below 0) and complex ones.

    Parameters
    ----------
    counts
        Right words by cell and class.
    parser
        Whose curves decide; needed where there are several parsers.
    per
        Whether each treebank has its own partition, as in the paper, each language, or all the
        same.
    sizes
        Between which sizes areas are taken, by default all.
    min_words
        Classes with fewer test words in a treebank are on neither side there. The default parts
        all words, so that simple and complex ones together are the whole.

    Returns
    -------
    Partition
        A class of which nothing is learned at all counts as complex.
    """
    import polars as pl

    grid = grid_of(counts, parser, sizes=sizes)
    enough = grid.eligible(min_words)
    rows = []
    for members in groups(grid, per).values():
        found = areas(grid.sizes, grid.means[members], enough[members])
        for t in np.flatnonzero(members).tolist():
            for c in range(1, len(grid.classes)):
                if enough[t, c]:
                    value = float(found[c]) if np.isfinite(found[c]) else None
                    rows.append(
                        {
                            "treebank": grid.treebanks[t],
                            "class": grid.classes[c],
                            "complexity": value,
                            "side": SIMPLE if value is not None and value < 0 else COMPLEX,
                        }
                    )
    if not rows:
        raise TreegaugeError(f"no class has {min_words} test words in any treebank")
    frame = pl.DataFrame(rows, infer_schema_length=None).sort("treebank", "complexity", "class")
    signature = countersign(
        counts.signature, partition=per, by_curves_of=grid.parser, min=min_words
    )
    return Partition(signature, grid.left_out, grid.parser, frame)


def composites(
    counts: Attachments,
    parted: Partition | Mapping[str, Partition] | None = None,
) -> Attachments:
    """Sum counts over simple and over complex classes: a table of three classes.

    Everything that takes counts takes these as well: curves, equivalents, advice.

    Parameters
    ----------
    counts
        Right words by cell and class; classes must not overlap.
    parted
        One partition for all parsers (Table 2 of the paper: that of BEAM), one for each parser, or
        nothing: each parser its own, treebank by treebank (Fig. 3).

    Returns
    -------
    Attachments
        Classes ``all``, ``simple`` and ``complex``, of the treebanks in the partition.

    Examples
    --------
    >>> import polars as pl
    >>> rows = [("A", "beam", n, 0, name, right, 50)
    ...         for n, *both in ((5, 40, 10), (10, 42, 20), (20, 45, 40))
    ...         for name, right in zip("xy", both)]
    >>> rows += [(*row[:4], "all", 0, 100) for row in rows[::2]]
    >>> frame = pl.DataFrame(rows, schema=COLUMNS, orient="row")
    >>> sums = frame.filter(pl.col("class") != "all").group_by(CELL).agg(pl.col("correct").sum())
    >>> whole = sums.with_columns(pl.lit("all").alias("class"), pl.lit(100).alias("total"))
    >>> counts = attachments(
    ...     pl.concat([frame.filter(pl.col("class") != "all"), whole.select(COLUMNS)],
    ...               how="vertical_relaxed"))
    >>> composites(counts).table.filter(size=5)["class", "correct"].rows()
    [('all', 50), ('complex', 10), ('simple', 40)]
    """
    import polars as pl

    parts = []
    told = []
    for parser in counts.parsers:
        if isinstance(parted, Partition):
            chosen = parted
        elif parted is None:
            chosen = partition(counts, parser)
        elif parser in parted:
            chosen = parted[parser]
        else:
            raise ChoiceError("parser with a partition", parser, parted)
        frame = counts.select(parsers=[parser]).frame
        frame = frame.filter(pl.col("treebank").is_in(chosen.frame["treebank"].unique().to_list()))
        sides = chosen.frame.select("treebank", "class", "side")
        summed = (
            frame.join(sides, on=["treebank", "class"])
            .group_by(*CELL, pl.col("side").alias("class"))
            .agg(pl.col("correct", "total").sum())
        )
        parts += [frame.filter(pl.col("class") == ALL), summed.select(COLUMNS)]
        told.append(chosen.signature.split("|partition:")[-1])
    frame = pl.concat(parts)
    made = attachments(frame, source="composite scores")
    note = f"{parted.parser}'s" if isinstance(parted, Partition) else "own"
    kind = told[0].split("|")[0]
    return Attachments(made.frame, countersign(counts.signature, composite=note, partition=kind))
