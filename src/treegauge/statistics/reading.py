"""Tables from files: CSV, TSV, Parquet, and the JSON of other commands."""

import csv
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from treegauge.results.errors import ChoiceError, TreegaugeError
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
    import polars as pl

    path = Path(path)
    readers: dict[str, Callable[[Path], pl.DataFrame]] = {
        ".csv": _read_csv,
        ".tsv": _read_csv,
        ".txt": _read_csv,
        ".parquet": pl.read_parquet,
        ".json": _read_json,
    }
    reader = readers.get(path.suffix.lower())
    if reader is None:
        raise ChoiceError("kind of table", path.name, [f"*{suffix}" for suffix in readers])
    try:
        frame = reader(path)
    except OSError as error:
        raise TreegaugeError(f"{path}: {error.strerror or error}") from error
    except UnicodeDecodeError as error:
        raise TreegaugeError(f"{path}: not UTF-8 text ({error.reason})") from error
    except pl.exceptions.PolarsError as error:
        raise TreegaugeError(f"{path}: not a readable table: {error}") from error
    if not frame.height:
        raise TreegaugeError(f"{path}: the table has no rows")
    return Table(_spread(frame, str(path)), str(path))


def _read_csv(path: Path) -> "pl.DataFrame":
    import polars as pl

    with path.open(encoding="utf-8-sig", newline="") as file:
        first = file.readline()
        file.seek(0)
        tabs = path.suffix.lower() == ".tsv" or "\t" in first
        delimiter = "\t" if tabs else ";" if ";" in first and "," not in first else ","
        reader = csv.reader(file, delimiter=delimiter)
        header = [name.strip() for name in next(reader, [])]
        repeated = [name for i, name in enumerate(header) if name in header[:i]]
        if repeated or not header:
            problem = f"column {repeated[0]!r} appears twice" if repeated else "the file is empty"
            raise TreegaugeError(f"{path}: {problem}")
        rows = list(_rows(reader, len(header), path))
    return pl.DataFrame(rows, schema=dict.fromkeys(header, pl.String), orient="row")


def _rows(reader: Any, width: int, path: Path) -> Iterator[list[str]]:
    for row in reader:
        if row and len(row) != width:
            raise TreegaugeError(
                f"{path}, line {reader.line_num}: found {len(row)} cells, expected {width} as in "
                "the first line"
            )
        if row:
            yield row


def _read_json(path: Path) -> "pl.DataFrame":
    import polars as pl

    try:
        content = json.loads(path.read_bytes())
        rows = (
            content if isinstance(content, list) else content.get("rows", content.get("measures"))
        )
        return pl.DataFrame(list(_flat(rows)), infer_schema_length=None, strict=False)
    except (ValueError, TypeError, AttributeError, pl.exceptions.PolarsError) as error:
        raise TreegaugeError(
            f"{path}: not a table ({error}); expected a list of rows such as "
            '[{"treebank": "A", "las": 81.2}], or one under "rows" or "measures"'
        ) from error


def _flat(rows: Any) -> Iterator[dict[str, Any]]:
    """Make a row of its own of every number of a measure that has several, as in CSV."""
    for row in rows:
        if isinstance(row, dict) and isinstance(value := row.get("value"), dict):
            measure = row.get("measure")
            yield from (
                row | {"measure": f"{measure}:{name}", "value": value[name]} for name in value
            )
        else:
            yield row


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
