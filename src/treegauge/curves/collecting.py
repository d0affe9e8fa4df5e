"""Counts from the results of many runs, joined with the gold test parts."""

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from treegauge.curves.attachments import Attachments, joined
from treegauge.curves.counting import Parse, count
from treegauge.results.errors import TreegaugeError
from treegauge.scoring.attachment import PAPER_CLASSES
from treegauge.scoring.breakdown import By
from treegauge.treebanks.columns import Treebank

if TYPE_CHECKING:
    import polars as pl

_CELL = ("key", "treebank", "data", "parser", "options", "parameters", "size", "sample", "seed")


def collect(
    results: "pl.DataFrame",
    words: "Callable[[str], pl.DataFrame | None]",
    gold: Callable[[str], Treebank],
    *,
    by: By = PAPER_CLASSES,
    metric: str = "UAS",
    punct: bool = False,
) -> Attachments:
    """Count right words in every cell of a store of curves.

    Parameters
    ----------
    results
        One row a cell: key, treebank, data, parser, options, parameters, size, sample, seed.
    words
        Gives the predicted heads and relations of a cell, by its key.
    gold
        Gives a treebank's test part, by its name.
    by, metric, punct
        As for :func:`treegauge.curves.counting.count`.

    Returns
    -------
    Attachments
        A parser that was run with several sets of options is named with them. Samplings and seeds
        of a size are numbered from 0 together: both are training anew.
    """
    import polars as pl

    missing = [name for name in _CELL if name not in results.columns]
    if missing:
        raise TreegaugeError(f"results of runs lack {', '.join(missing)}")
    if results.height == 0:
        raise TreegaugeError("no cells of task curve are done")
    _check_same(results, "data", "releases")
    _check_same(results, "parameters", "parameters")
    several = pl.col("options").n_unique().over("parser") > 1
    named = pl.format("{} {}", "parser", "options").str.strip_chars()
    cells = results.with_columns(
        pl.when(several).then(named).otherwise(pl.col("parser")).alias("parser")
    ).sort("treebank", "parser", "size", "sample", "seed")
    number = pl.int_range(pl.len()).over("treebank", "parser", "size")
    cells = cells.with_columns(number.alias("sample"))
    names = cells["treebank"].unique(maintain_order=True).to_list()
    return joined(
        count(
            gold(name), _parses(cells.filter(treebank=name), words), by=by, metric=metric,
            punct=punct, name=name,
        )
        for name in names
    )  # fmt: skip


def _check_same(results: "pl.DataFrame", column: str, what: str) -> None:
    import polars as pl

    mixed = results.group_by("treebank").agg(pl.col(column).unique().sort())
    for name, found in mixed.sort("treebank").iter_rows():
        if len(found) > 1:
            told = " and ".join(repr(one) for one in found)
            raise TreegaugeError(f"{name} was run with several {what}: {told}; choose one of them")


def _parses(
    cells: "pl.DataFrame", words: "Callable[[str], pl.DataFrame | None]"
) -> Iterator[Parse]:
    for row in cells.iter_rows(named=True):
        found = words(row["key"])
        if found is None:
            raise TreegaugeError(
                f"{row['treebank']}, {row['parser']}, size {row['size']}: the store has no words "
                "of this cell"
            )
        yield Parse(row["parser"], row["size"], row["sample"], found)
