"""Tables from files: the only reader of CSV, TSV, Parquet and JSON tables."""

import csv
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from treegauge.core.errors import ChoiceError, TreegaugeError
from treegauge.core.lazy import pl
from treegauge.core.safe_reading import check_parquet
from treegauge.core.text_formats import parse_json, plain_cell

if TYPE_CHECKING:
    from treegauge.core.result import Result

R = TypeVar("R")
TEXT = (".csv", ".tsv", ".txt")
"""Kinds of files with one row per line."""
SUFFIXES = (*TEXT, ".parquet", ".json")
"""Kinds of files that contain tables."""
_GAPS = {"", "na", "nan", "null", "none"}


class FileTable(NamedTuple):
    """The cells of a table as they are in a file.

    Each row has its position, such as ``line 3``, and one cell per column. `unit` is the unit of
    scores if the file names it, which only JSON does.
    """

    source: str
    header: list[str]
    rows: Sequence[tuple[str, Sequence[Any]]]
    unit: str | None = None

    @property
    def frame(self) -> "pl.DataFrame":
        """The cells as a polars frame; those of a text file are text."""
        rows = [list(row) for _, row in self.rows]
        if Path(self.source).suffix.lower() in TEXT:
            return pl.DataFrame(rows, dict.fromkeys(self.header, pl.String), orient="row")
        try:
            return pl.DataFrame(rows, self.header, orient="row", infer_schema_length=None, strict=False)
        except (pl.exceptions.PolarsError, TypeError) as error:
            raise TreegaugeError(
                f"{self.source}: a column has values of several kinds ({error}); expected texts or numbers"
            ) from error


def read_file(path: str | PathLike[str]) -> FileTable:
    """Read the table in a file, in the format of its ending.

    The output of ``score`` for one gold file gets the columns ``treebank``, ``system``, ``metric``
    and ``score``.

    Parameters
    ----------
    path
        A CSV file (also with semicolons or tabs), TSV, Parquet or the JSON of a verb.

    Raises
    ------
    TreegaugeError
        If the file cannot be read or is not a table; the message says where.
    """
    path = Path(path)
    if path.suffix.lower() not in SUFFIXES:
        raise ChoiceError("kind of table", path.name, [f"*{suffix}" for suffix in SUFFIXES])
    try:
        read = {".parquet": _read_parquet, ".json": _read_json}
        table = read.get(path.suffix.lower(), _read_text)(path)
    except OSError as error:
        raise TreegaugeError(f"{path}: {error.strerror or error}") from error
    except UnicodeDecodeError as error:
        raise TreegaugeError(f"{path}: not UTF-8 text ({error.reason})") from error
    return _one_gold_file(table)


def _one_gold_file(table: FileTable) -> FileTable:
    """Return scores on one gold file in the layout of those on several."""
    if not {"treebank", "system", "metric", "f1"} <= set(table.header):
        return table
    places = [table.header.index(name) for name in ("treebank", "system", "metric", "f1")]
    rows = [(where, [row[i] for i in places]) for where, row in table.rows]
    return table._replace(header=["treebank", "system", "metric", "score"], rows=rows)


def read_saved(path: str | PathLike[str], kind: str, command: str, make: Callable[[dict[str, Any]], R]) -> R:
    """Return what `make` makes of the JSON of a result of this kind, which `command` saved."""
    expected = f"expected a file written by {command}"
    try:
        content = parse_json(Path(path).read_bytes())
        if content["kind"] != kind:
            raise KeyError("kind")
        return make(content)
    except OSError as error:
        raise TreegaugeError(f"{path}: {error.strerror or error}; {expected}") from error
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise TreegaugeError(f"{path}: found another kind of file; {expected}") from error


def polars_frame(table: Any) -> "pl.DataFrame":
    """Return a frame of polars, pandas or Arrow, or columns by name, as a polars frame; missing values are null.

    Examples
    --------
    >>> polars_frame({"LAS": [80.5, None]}).columns
    ['LAS']
    """
    if isinstance(table, pl.DataFrame):
        return table
    if type(table).__module__.partition(".")[0] != "pandas":
        return pl.DataFrame(table, strict=False)
    # The conversion of polars needs pyarrow, which only this would need.
    columns = {
        str(name): [None if absent else value for value, absent in zip(values.tolist(), values.isna(), strict=True)]
        for name, values in table.items()
    }
    return pl.DataFrame(columns, strict=False)


def frame_table(frame: "pl.DataFrame", source: str) -> FileTable:
    """Return the cells of a polars frame."""
    rows = [(f"row {i}", row) for i, row in enumerate(frame.iter_rows(), 1)]
    return FileTable(source, [name.strip() for name in frame.columns], rows)


def result_table(result: "Result") -> FileTable:
    """Return the table of a result, in the layout of :func:`read_file`."""
    return _one_gold_file(frame_table(result.table, result.kind)._replace(unit=result.unit))


def parse_number(cell: object) -> float | None:
    """Return a cell as a number; NaN if it is empty, None if it is not a number.

    Examples
    --------
    >>> parse_number(" 81.2"), parse_number("NA"), parse_number("good"), parse_number(True)
    (81.2, nan, None, None)
    """
    if cell is None or (isinstance(cell, str) and cell.strip().casefold() in _GAPS):
        return math.nan
    if isinstance(cell, bool):
        return None
    try:
        return float(cell)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return None


def check_percent(scores: Iterable[float], source: str, unit: str | None = None) -> None:
    """Refuse scores that could be fractions: all finite ones are at most 1, and no `unit` says percent.

    Examples
    --------
    >>> check_percent([81.2, 0.5], "scores.csv")
    >>> check_percent([0.812, 0.5], "scores.csv")
    Traceback (most recent call last):
    treegauge.core.errors.TreegaugeError: scores.csv: all scores are at most 1 (the largest is 0.812), so they could be fractions; expected percent, such as 81.2: multiply them by 100
    """  # noqa: E501
    finite = [score for score in scores if math.isfinite(score)]
    if unit == "percent" or not finite or not 0 < max(finite) <= 1:
        return
    raise TreegaugeError(
        f"{source}: all scores are at most 1 (the largest is {max(finite):g}), so they could be "
        f"fractions; expected percent, such as {100 * max(finite):.4g}: multiply them by 100"
    )


def _read_parquet(path: Path) -> FileTable:
    try:
        check_parquet(path)
        return frame_table(pl.read_parquet(path), str(path))
    except pl.exceptions.PolarsError as error:
        raise TreegaugeError(f"{path}: not a readable Parquet file: {error}") from error


def _read_text(path: Path) -> FileTable:
    with path.open(encoding="utf-8-sig", newline="") as file:
        first = file.readline()
        file.seek(0)
        tabs = path.suffix.lower() == ".tsv" or "\t" in first
        delimiter = "\t" if tabs else ";" if ";" in first and "," not in first else ","
        reader = csv.reader(file, delimiter=delimiter)
        header = [plain_cell(name.strip()) for name in next(reader, [])]
        if not header:
            raise TreegaugeError(f"{path}: the file is empty; expected column names in line 1")
        for i, name in enumerate(header):
            if name in header[:i]:
                raise TreegaugeError(f"{path}: column {name!r} appears more than once")
        rows = []
        for row in reader:
            if row and len(row) != len(header):
                raise TreegaugeError(
                    f"{path}, line {reader.line_num}: {len(row)} cells, expected {len(header)}: " + ", ".join(header)
                )
            if row:
                rows.append((f"line {reader.line_num}", [*map(plain_cell, row)]))
    return FileTable(str(path), header, rows)


def _read_json(path: Path) -> FileTable:
    """Read rows from a list or from the JSON of a result."""
    try:
        content = parse_json(path.read_bytes())
        unit = content.get("unit") if isinstance(content, dict) else None
        rows = [dict(row) for row in _json_rows(content, path.stem)]
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise TreegaugeError(
            f"{path}: not a table ({error!r}); expected the JSON of a treegauge command, or a list "
            'of rows such as [{"treebank": "A", "las": 81.2}]'
        ) from error
    header = list(dict.fromkeys(name for row in rows for name in row))
    cells = [(f"row {i}", [row.get(name) for name in header]) for i, row in enumerate(rows, 1)]
    return FileTable(str(path), header, cells, unit)


def _json_rows(content: Any, stem: str) -> Iterator[Mapping[str, Any]]:
    if isinstance(content, list):
        yield from content
    elif "measures" in content:
        yield from _measure_rows(content["measures"])
    elif "treebanks" in content or "systems" in content:
        for group in content.get("treebanks", [content]):
            for system in group["systems"]:
                names = {"treebank": group.get("treebank", stem), "system": system["system"]}
                for metric, values in system["metrics"].items():
                    yield {**names, "metric": metric, "score": values["f1"]}
                    sides = [side for side in ("precision", "recall") if "treebanks" in content and side in values]
                    yield from ({**names, "metric": f"{metric} {side}", "score": values[side]} for side in sides)
    else:
        yield from content["problems"] if "problems" in content else content["rows"]


def _measure_rows(rows: Iterable[Mapping[str, Any]]) -> Iterator[Mapping[str, Any]]:
    """Return one row per number of a measure with several numbers, as in CSV."""
    for row in rows:
        value = row.get("value")
        if isinstance(value, dict):
            for name, number in value.items():
                yield {**row, "measure": f"{row.get('measure')}:{name}", "value": number}
        else:
            yield row
