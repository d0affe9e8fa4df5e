"""Tables of numbers by column name: read, joined, grouped, and cut down to complete rows."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any, Union

import numpy as np
import numpy.typing as npt

from treegauge.results.errors import ChoiceError, TreegaugeError
from treegauge.results.reading import read_file

if TYPE_CHECKING:
    import polars as pl


FloatArray = npt.NDArray[np.float64]
_GAPS = {"", "na", "nan", "null", "none"}


@dataclass(frozen=True)
class Sample:
    """Rows in which every wanted column has a number.

    Attributes
    ----------
    names
        The columns; ``log(x)`` where the logarithm was taken.
    values
        (rows, columns).
    labels, rows
        What each row is called, and where in the table it stands.
    notes
        What was left out, for the reader of the result.
    """

    names: tuple[str, ...]
    values: FloatArray
    labels: tuple[str, ...]
    rows: tuple[int, ...]
    notes: tuple[str, ...] = ()

    def constant(self) -> list[str]:
        """Return the names of columns that have only one value."""
        if not len(self.values):
            return []
        return [self.names[j] for j in np.flatnonzero(np.ptp(self.values, axis=0) == 0)]


@dataclass(frozen=True)
class DataTable:
    """A frame that knows its origin, and that tells the row of whatever is wrong.

    Examples
    --------
    >>> table = as_table({"treebank": ["a", "b"], "las": ["80.5", ""], "words": [100, 10]})
    >>> table.numeric()
    ['las', 'words']
    >>> table.complete(["las", "words"], log=["words"]).notes
    ("left out for want of 'las': b",)
    """

    frame: "pl.DataFrame"
    source: str = "table"

    @property
    def name(self) -> str:
        """The table's name in signatures: file names without their folders."""
        return "+".join(PurePath(part).name for part in self.source.split(" + "))

    def check(self, names: Sequence[str], what: str = "column") -> None:
        """Refuse names that are no columns."""
        for name in names:
            if name not in self.frame.columns:
                raise ChoiceError(f"{what} in {self.source}:", name, self.frame.columns)

    @property
    def labels(self) -> tuple[str, ...]:
        """What each row is called: its cell in the first column of text, else its number."""
        for name in self.frame.columns:
            if self.frame[name].dtype.to_python() is str and not self._is_numeric(name):
                return tuple("" if cell is None else str(cell) for cell in self.frame[name])
        return tuple(f"row {i + 1}" for i in range(self.frame.height))

    def numeric(self) -> list[str]:
        """Return the columns that hold numbers, be some of their cells missing or wrong."""
        return [name for name in self.frame.columns if self._is_numeric(name)]

    def _is_numeric(self, name: str) -> bool:
        column = self.frame[name]
        if column.dtype.is_numeric():
            return True
        if column.dtype.to_python() is not str:
            return False
        cells = [cell for cell in column if cell is not None and cell.strip().lower() not in _GAPS]
        return 2 * sum(map(_is_number, cells)) > len(cells)

    def numbers(self, name: str) -> FloatArray:
        """Return a column as numbers, NaN for a missing one."""
        self.check([name])
        column = self.frame[name]
        parsed = [_parse(cell) for cell in column]
        for i, number in enumerate(parsed):
            if number is None or math.isinf(number):
                raise TreegaugeError(
                    f"{self.source}, row {i + 1} ({self.labels[i]}), column {name!r}: "
                    f"{column[i]!r} is not a number; expected one such as 81.23, or an empty cell "
                    "for a missing one"
                )
        return np.array(parsed, dtype=np.float64)

    def complete(
        self, names: Sequence[str], *, log: Sequence[str] = (), rows: Sequence[int] | None = None
    ) -> Sample:
        """Return the rows in which none of the columns is missing.

        Parameters
        ----------
        names
            Columns, in the order wanted.
        log
            Those of which the natural logarithm is taken.
        rows
            Only these rows.
        """
        here = np.arange(self.frame.height) if rows is None else np.asarray(rows, dtype=np.intp)
        values, shown = self.columns(names, log=log)
        values, labels = values[here], np.array(self.labels, dtype=object)[here]
        known = np.isfinite(values)
        whole = known.all(axis=1)
        wanting: dict[tuple[str, ...], list[str]] = {}
        for j, name in enumerate(names):
            if not known[:, j].all():
                wanting.setdefault(tuple(labels[~known[:, j]]), []).append(repr(name))
        notes = tuple(
            f"left out for want of {', '.join(columns)}: {_listed(gone)}"
            for gone, columns in wanting.items()
        )
        return Sample(
            shown, values[whole], tuple(labels[whole]), tuple(here[whole].tolist()), notes
        )

    def columns(
        self, names: Sequence[str], *, log: Sequence[str] = ()
    ) -> tuple[FloatArray, tuple[str, ...]]:
        """Return columns as (rows, columns), NaN where missing, and what to call them."""
        self.check(names)
        self.check(log, "column to take the logarithm of")
        values = np.empty((self.frame.height, len(names)))
        for j, name in enumerate(names):
            values[:, j] = self.numbers(name)
            if name in log:
                bad = np.flatnonzero(values[:, j] <= 0)
                if len(bad):
                    raise TreegaugeError(
                        f"{self.source}: no logarithm of {name!r} = {values[bad[0], j]:g} "
                        f"({self.labels[bad[0]]}); expected numbers above 0"
                    )
                values[:, j] = np.log(values[:, j])
        return values, tuple(f"log({name})" if name in log else name for name in names)


#: What the analyses accept as a table.
TableLike = Union[DataTable, "pl.DataFrame", Mapping[str, Any]]


def as_table(data: TableLike, source: str = "table") -> DataTable:
    """Wrap a frame or a dictionary of columns."""
    import polars as pl

    if isinstance(data, DataTable):
        return data
    frame = data if isinstance(data, pl.DataFrame) else pl.DataFrame(dict(data), strict=False)
    return DataTable(frame, source)


def join_tables(tables: Sequence[DataTable], on: str = "treebank") -> DataTable:
    """Join tables side by side on a column of names; rows that only some have keep gaps.

    A leading ``UD_`` does not count. The first table's rows come first and its cells win.

    Examples
    --------
    >>> sizes = as_table({"treebank": ["A-X", "B-Y"], "words": [10, 20]})
    >>> measured = as_table({"treebank": ["UD_B-Y"], "edv": [0.25]})
    >>> join_tables([sizes, measured]).frame.rows()
    [('A-X', 10, None), ('B-Y', 20, 0.25)]
    """
    import polars as pl

    if len(tables) == 1:
        return tables[0]
    joined: pl.DataFrame | None = None
    key = "__key__"
    for table in tables:
        table.check([on], "column to join on")
        frame = table.frame.with_columns(
            pl.col(on).cast(pl.String).str.strip_prefix("UD_").alias(key)
        )
        twice = frame.filter(pl.col(key).is_duplicated())[on].to_list()
        if twice:
            raise TreegaugeError(f"{table.source}: {twice[0]!r} has more than one row")
        if joined is None:
            joined = frame
            continue
        fresh = [name for name in frame.columns if name not in joined.columns]
        joined = joined.join(
            frame.select(key, on, *fresh),
            on=key,
            how="full",
            coalesce=True,
            maintain_order="left_right",
        )
        joined = joined.with_columns(pl.coalesce(on, f"{on}_right").alias(on)).drop(f"{on}_right")
    if joined is None:
        raise TreegaugeError("expected at least one table, found none")
    return DataTable(joined.drop(key), " + ".join(table.source for table in tables))


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True


def _parse(cell: Any) -> float | None:
    """Return a cell as a number, NaN for a gap, None for what is neither."""
    if cell is None or (isinstance(cell, str) and cell.strip().lower() in _GAPS):
        return math.nan
    try:
        return float(cell)
    except (TypeError, ValueError):
        return None


def _listed(names: Sequence[Any], most: int = 8) -> str:
    shown = ", ".join(map(str, names[:most]))
    return shown if len(names) <= most else f"{shown} and {len(names) - most} more"


def read_table(path: str | Path) -> DataTable:
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
    return DataTable(_spread(frame, str(path)), str(path))


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


_MOST = 60


@dataclass(frozen=True)
class Group:
    """Some rows and what they are called."""

    name: str
    rows: tuple[int, ...]


def group_rows(table: DataTable, by: str, cut: str | float | None = None) -> list[Group]:
    """Divide rows by a column.

    Parameters
    ----------
    table
        The table.
    by
        The column. Rows without a value belong to no group.
    cut
        Divide at this number, ``"mean"`` or ``"median"``, into above and not above, instead of by
        value.

    Examples
    --------
    >>> from treegauge.statistics.data_table import as_table
    >>> table = as_table({"mc": [0.2, 0.4, 0.9], "family": ["a", None, "b"]})
    >>> [(group.name, group.rows) for group in group_rows(table, "mc", "mean")]
    [('mc > 0.5', (2,)), ('mc <= 0.5', (0, 1))]
    >>> [group.name for group in group_rows(table, "family")]
    ['a', 'b']
    """
    table.check([by], "column to group by")
    if cut is not None:
        return _halves(table, by, cut)
    if by in table.numeric():
        numbers = table.numbers(by)
        cells = [None if np.isnan(number) else f"{number:g}" for number in numbers]
        order = {f"{number:g}": number for number in numbers if not np.isnan(number)}
        names = sorted(order, key=order.__getitem__)
    else:
        cells = [None if cell is None else str(cell) for cell in table.frame[by]]
        names = sorted({cell for cell in cells if cell})
    if len(names) > _MOST:
        raise TreegaugeError(
            f"{table.source}: column {by!r} has {len(names)} values, more than {_MOST} groups; "
            "give a cut (mean, median or a number) to divide its numbers in two"
        )
    return [Group(name, tuple(i for i, cell in enumerate(cells) if cell == name)) for name in names]


def _halves(table: DataTable, by: str, cut: str | float) -> list[Group]:
    numbers = table.numbers(by)
    known = numbers[~np.isnan(numbers)]
    if not len(known):
        raise TreegaugeError(f"{table.source}: column {by!r} has no numbers to cut")
    at: float
    if cut in ("mean", "median"):
        at = float(known.mean() if cut == "mean" else np.median(known))
    else:
        try:
            at = float(cut)
        except ValueError:
            raise TreegaugeError(f"cut: expected mean, median or a number, found {cut!r}") from None
    above = np.flatnonzero(numbers > at)
    below = np.flatnonzero(numbers <= at)
    return [
        Group(f"{by} > {at:.6g}", tuple(above.tolist())),
        Group(f"{by} <= {at:.6g}", tuple(below.tolist())),
    ]
