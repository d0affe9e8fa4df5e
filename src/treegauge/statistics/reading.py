"""Tables from files: CSV, TSV, Parquet, and the JSON of other commands."""

from pathlib import Path
from typing import TYPE_CHECKING

from treegauge.results.errors import TreegaugeError
from treegauge.results.reading import read_file
from treegauge.statistics.table import Table

if TYPE_CHECKING:
    import polars as pl


def read_table(path: str | Path) -> Table:
    """Read a table from CSV, TSV, Parquet, or the JSON of another treegauge command.

    A long table with the columns ``measure``, ``treebank`` and ``value``, as ``treegauge measure``
    prints, is turned into one column a measure.

    Parameters
    ----------
    path
        The file; its suffix says how it is read.
    """
    frame = read_file(path).frame
    if not frame.height:
        raise TreegaugeError(f"{path}: the table has no rows")
    return Table(_spread(frame, str(path)), str(path))


def _spread(frame: "pl.DataFrame", source: str) -> "pl.DataFrame":
    """Turn a long table of measures into one column a measure, averages over treebanks left out."""
    if not {"measure", "treebank", "value"} <= set(frame.columns):
        return frame
    if "averaged" in frame.columns:
        frame = frame.filter(frame["averaged"].cast(str).fill_null("").is_in(["", "0"]))
    twice = frame.filter(frame.select("measure", "treebank").is_duplicated())
    if twice.height:
        row = twice.row(0, named=True)
        raise TreegaugeError(
            f"{source}: measure {row['measure']!r} of {row['treebank']!r} appears twice; expected "
            "one value each, so that measures can become columns"
        )
    return frame.pivot(on="measure", index="treebank", values="value")
