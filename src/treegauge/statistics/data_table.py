"""Tables of numbers by column name: read, joined, grouped, and cut down to complete rows."""

import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from hashlib import sha256
from pathlib import Path, PurePath
from typing import Any, NamedTuple, Union

import numpy as np
import numpy.typing as npt

from treegauge.core.conditions import frame_where, told_apart
from treegauge.core.errors import ChoiceError, TreegaugeError
from treegauge.core.lazy import pl
from treegauge.core.reading import check_percent, parse_number, polars_frame, read_file
from treegauge.core.result import Result
from treegauge.statistics.variables import Names, name_list

FloatArray = npt.NDArray[np.float64]
#: Packaged tables, by the name of the function of :mod:`treegauge.data` that loads each.
PACKAGED = ("published", "ud25", "ud26", "difficulty_table1")
#: Columns with scores in percent in any table.
SCORES = {"las", "uas", "clas", "mlas", "blex"}
#: Clusters that can be derived from names of treebanks.
KIN = ("genus", "family", "language")
_MOST = 60  # groups


@dataclass(frozen=True)
class Sample:
    """Rows in which every requested column has a number; notes list what was left out.

    The name of a log-transformed column is ``log(x)``; `rows` are row numbers in the table.
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

    def check(self, source: str, least: int) -> None:
        """Refuse too few rows for a model, and columns that have only one value."""
        rows, columns = self.values.shape
        if rows < least:
            raise TreegaugeError(f"{source}: {rows} complete rows for {columns} columns, expected at least {least}")
        if self.constant():
            raise TreegaugeError(f"{source}: {', '.join(self.constant())} has one value only")


@dataclass(frozen=True)
class DataTable:
    """A frame with its source; its errors name the row.

    `full_names` has columns whose names leave out what a table of several splits or systems would
    say: ``words`` may be ``words (train)``, and ``LAS`` ``LAS:alpha``.
    """

    frame: "pl.DataFrame"
    source: str = "table"
    inputs: tuple[str, ...] = ()
    full_names: Mapping[str, str] = field(default_factory=dict)

    @cached_property
    def name(self) -> str:
        """The table in signatures: names of files without folders, each with a checksum.

        The checksum is of the cells, the same for every kind of file.
        """
        if self.inputs:
            return "+".join(self.inputs)
        digest = sha256()
        for name in sorted(self.frame.columns):
            parsed = ((parse_number(cell), cell) for cell in self.frame[name])
            cells = [cell if number is None else number for number, cell in parsed]
            digest.update(repr((name, cells)).encode())
        return f"{PurePath(self.source).name}#{digest.hexdigest()[:6]}"

    def pick(self, names: Names) -> list[str]:
        """Return names of columns given as a list, separated by commas, or both."""
        return name_list(names, self.frame.columns)

    def check(self, names: Sequence[str], what: str = "column") -> None:
        """Refuse names that are not columns."""
        for name in names:
            if name not in self.frame.columns:
                raise ChoiceError(f"{what} in {self.source}:", name, self.frame.columns)

    @property
    def labels(self) -> tuple[str, ...]:
        """The name of each row: its cell in the first column of text, else its number."""
        for name in self.frame.columns:
            if self.frame[name].dtype.to_python() is str and not self._is_numeric(name):
                return tuple("" if cell is None else str(cell) for cell in self.frame[name])
        return tuple(f"row {i + 1}" for i in range(self.frame.height))

    def numeric(self) -> list[str]:
        """Return the numeric columns, in which some cells may be missing or invalid."""
        return [name for name in self.frame.columns if self._is_numeric(name)]

    def _is_numeric(self, name: str) -> bool:
        column = self.frame[name]
        if column.dtype.is_numeric():
            return True
        if column.dtype.to_python() is not str:
            return False
        known = _known(column)
        gaps = sum(map(math.isnan, known))
        return 2 * (len(known) - gaps) > len(column) - gaps

    def numbers(self, name: str) -> FloatArray:
        """Return a column as numbers, NaN for a missing one."""
        self.check([name])
        column = self.frame[name]
        parsed = [parse_number(cell) for cell in column]
        for i, number in enumerate(parsed):
            if number is None or math.isinf(number):
                raise TreegaugeError(
                    f"{self.source}, row {i + 1} ({self.labels[i]}), column {name!r}: "
                    f"{column[i]!r} is not a number; expected one such as 81.23, or an empty cell "
                    "for a missing one"
                )
        return np.array(parsed, dtype=np.float64)

    def kinds(self, name: str) -> list[str | None] | None:
        """Return the cluster of each row, None where unknown; None for ``"none"``."""
        if name == "none":
            return None
        if name in self.frame.columns:
            return [str(cell) if cell not in (None, "") else None for cell in self.frame[name]]
        if name not in KIN:
            raise ChoiceError("column of clusters", name, [*KIN, *self.frame.columns, "none"])
        if "treebank" not in self.frame.columns:
            return None
        from treegauge.treebanks.sources.languages import kin_of

        return [kin_of(str(treebank), name) for treebank in self.frame["treebank"]]

    def complete(self, names: Sequence[str], *, log: Sequence[str] = (), rows: Sequence[int] | None = None) -> Sample:
        """Return the rows without missing values in these columns, some of them log-transformed."""
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
            f"left out, missing {', '.join(columns)}: {names_and_more(gone)}" for gone, columns in wanting.items()
        )
        return Sample(shown, values[whole], tuple(labels[whole]), tuple(here[whole].tolist()), notes)

    def columns(self, names: Sequence[str], *, log: Sequence[str] = ()) -> tuple[FloatArray, tuple[str, ...]]:
        """Return columns as (rows, columns), NaN if missing, and their names."""
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


#: What analyses accept as one table.
TableLike = Union[DataTable, "pl.DataFrame", Mapping[str, Any], Result, str, os.PathLike[str]]
#: What analyses accept: a table, or several that are joined.
Tables = TableLike | Sequence[TableLike]


def as_table(data: TableLike, source: str = "table", where: Sequence[str] = ()) -> DataTable:
    """Return a table from a frame, a dictionary of columns, a result, a file or a packaged name.

    The output of ``measure`` becomes one column per measure, that of ``score`` one column per
    metric (and system, if there are several). Scores must be in percent. `where` has conditions on
    the columns as they are before.
    """
    raw = raw_table(data, source)
    frame = frame_where(raw.frame, raw.source, where)
    if raw.given:
        return raw.given if not where else replace(raw.given, frame=frame)
    return _one_row_per_treebank(frame, raw.source, raw.unit) if raw.long else DataTable(frame, raw.source)


class RawTable(NamedTuple):
    """A table as it was given; a long one becomes one with a row per treebank."""

    frame: "pl.DataFrame"
    source: str
    long: bool = True
    unit: str | None = None
    given: DataTable | None = None


def raw_table(data: TableLike, source: str = "table") -> RawTable:
    """Return a table as it was given."""
    from treegauge import data as packaged

    if isinstance(data, DataTable):
        return RawTable(data.frame, data.source, given=data)
    if isinstance(data, Result):
        return RawTable(data.saved, data.kind, unit=data.unit)
    if not isinstance(data, str | os.PathLike):
        return RawTable(polars_frame(data), source, long=False)
    name = os.fspath(data)
    if name in PACKAGED:
        return RawTable(getattr(packaged, name)(), name)
    if not Path(name).suffix and not Path(name).exists():
        raise ChoiceError("table", name, [*PACKAGED, "FILE.csv", "FILE.parquet", "FILE.json"])
    content = read_file(name)
    if not content.rows:
        raise TreegaugeError(f"{name}: the table has no rows")
    return RawTable(content.frame, name, unit=content.unit)


def _one_row_per_treebank(frame: "pl.DataFrame", source: str, unit: str | None) -> DataTable:
    """Turn a long table of measures or scores into one column per measure or metric."""
    columns = set(frame.columns)
    if {"measure", "treebank", "value"} <= columns:
        if "averaged" in columns:
            frame = frame.filter(frame["averaged"].cast(str).fill_null("").is_in(["", "0"]))
        split = "split" if "split" in columns else None
        return _pivot(frame, ("measure", split, "value"), "{name} ({part})", source)
    if {"treebank", "system"} <= columns and not {"metric", "score"} <= columns:
        if "failure" in columns:
            frame = frame.filter(frame["failure"].fill_null("") == "")
        metrics = [n for n in frame.columns if n not in {"treebank", "system", "seed", "failure"}]
        frame = frame.unpivot(metrics, index=["treebank", "system"], variable_name="metric", value_name="score")
    if {"treebank", "system", "metric", "score"} <= set(frame.columns):
        frame = told_apart(frame)
        check_percent(_known(frame["score"]), source, unit)
        if frame["system"].n_unique() > 1:
            frame = frame.with_columns(metric=frame["metric"] + ":" + frame["system"])
            return _pivot(frame, ("metric", None, "score"), "", source)
        return _pivot(frame, ("metric", "system", "score"), "{name}:{part}", source)
    for name in frame.columns:
        if name.casefold() in SCORES:
            check_percent(_known(frame[name]), f"{source}, column {name!r}", unit)
    return DataTable(frame, source)


def _known(column: "pl.Series") -> list[float]:
    return [number for cell in column if (number := parse_number(cell)) is not None]


def _pivot(frame: "pl.DataFrame", columns: tuple[str, str | None, str], form: str, source: str) -> DataTable:
    """Return one column per name, or per name and part (split, system) if it has several parts.

    `columns` are those of names, parts and values; `form` is that of a full name.
    """
    names, parts, values = columns
    full: dict[str, dict[str, str]] = {}
    if parts is not None:
        for name, part in frame.select(names, parts).drop_nulls().iter_rows():
            full.setdefault(name, {})[part] = form.format(name=name, part=part)
        cells = [
            full[name].get(part, name) if len(full.get(name, ())) > 1 else name
            for name, part in frame.select(names, parts).iter_rows()
        ]
        frame = frame.with_columns(pl.Series(names, cells, pl.String))
    full_names = {name: next(iter(own.values())) for name, own in full.items() if len(own) == 1}
    twice = frame.filter(frame.select(names, "treebank").is_duplicated())
    if twice.height:
        row = twice.row(0, named=True)
        raise TreegaugeError(
            f"{source}: {names} {row[names]!r} of {row['treebank']!r} appears twice; expected one value each"
        )
    pivoted = frame.pivot(on=names, index="treebank", values=values)
    return DataTable(pivoted, source, full_names=full_names)


def names_and_more(names: Sequence[Any], most: int = 8) -> str:
    """Return the first names separated by commas, and the number of the others."""
    shown = ", ".join(map(str, names[:most]))
    return shown if len(names) <= most else f"{shown} and {len(names) - most} more"


#: Rows by the name of their group.
Groups = Mapping[str, Sequence[int]]


def group_rows(table: DataTable, by: str, cut: str | float | None = None) -> dict[str, list[int]]:
    """Divide rows by a column, or at a number, mean or median of it; ignore missing values."""
    table.check([by], "column to group by")
    if cut is not None:
        numbers = table.numbers(by)
        known = numbers[~np.isnan(numbers)]
        if not len(known):
            raise TreegaugeError(f"{table.source}: column {by!r} has no numbers to cut")
        try:
            middle = {"mean": known.mean(), "median": np.median(known)}
            edge = float(middle.get(str(cut), cut))
        except ValueError:
            raise TreegaugeError(f"cut: expected mean, median or a number, found {cut!r}") from None
        above, below = (np.flatnonzero(side).tolist() for side in (numbers > edge, numbers <= edge))
        return {f"{by} > {edge:.6g}": above, f"{by} <= {edge:.6g}": below}
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
    return {name: [i for i, cell in enumerate(cells) if cell == name] for name in names}
