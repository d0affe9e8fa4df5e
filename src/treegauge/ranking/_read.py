"""Score tables in any layout, as a list of cells that remember the row they came from."""

import csv
import json
import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from treegauge.results.errors import ChoiceError, TreegaugeError

if TYPE_CHECKING:
    import polars as pl

METADATA = ("name", "language", "tokens", "family", "stock", "genus", "resource")
_ROLES = ("metric", "treebank", "system", "seed", "score")
_GAPS = {"", "na", "nan", "null", "none"}
_LAYOUTS = (
    "expected a column 'treebank' and either 'system' and 'score' (long), 'system' and one column "
    "per metric, or one column per system (wide); or a column 'system' and one per treebank"
)


@dataclass(frozen=True)
class Cell:
    """One score, or a gap, and where it stands."""

    treebank: str
    system: str
    seed: str
    score: float | None
    where: str


@dataclass
class Collected:
    """What a set of files says about one metric."""

    metric: str
    cells: list[Cell] = field(default_factory=list)
    metrics: dict[str, None] = field(default_factory=dict)
    metadata: dict[str, dict[str, Any]] = field(default_factory=dict)

    def wants(self, metric: object) -> bool:
        """Note a metric that is on offer and say whether it is the one asked for."""
        name = str(metric).strip()
        self.metrics.setdefault(name)
        return name.casefold() == self.metric.casefold()


def number(value: object, where: str) -> float | None:
    """Read one score cell; a gap is None, anything else that is no number an error."""
    if value is None:
        return None
    if isinstance(value, str) and value.strip().casefold() in _GAPS:
        return None
    try:
        found = float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        found = math.inf
    if math.isnan(found):
        return None
    if isinstance(value, bool) or math.isinf(found):
        raise TreegaugeError(
            f"{where}: {str(value)!r} is not a score; expected a number such as 81.23, "
            "or an empty cell for a missing score"
        )
    return found


class _Layout:
    """Which column of a table plays which part."""

    def __init__(self, header: Sequence[str], source: str) -> None:
        names = [str(name).strip() for name in header]
        repeated = sorted({name for name in names if names.count(name) > 1})
        if repeated:
            raise TreegaugeError(f"{source}: column {repeated[0]!r} appears more than once")
        lowered = {name.casefold(): i for i, name in enumerate(names)}
        self.source, self.names = source, names
        self.role = {role: lowered[role] for role in _ROLES if role in lowered}
        self.meta = {name: lowered[name] for name in METADATA if name in lowered}
        has = self.role.keys()
        if {"treebank", "system"} <= has and "score" not in has:
            self.meta = {}  # a column "tokens" is then the metric of that name
        used = {*self.role.values(), *self.meta.values()}
        self.free = [i for i in range(len(names)) if i not in used]
        if {"treebank", "system", "score"} <= has:
            self.kind = "long"
        elif {"treebank", "system"} <= has and self.free:
            self.kind = "metrics"
        elif "treebank" in has and "score" not in has and self.free:
            self.kind = "systems"
        elif "system" in has and "score" not in has and self.free:
            self.kind = "treebanks"
        else:
            raise TreegaugeError(f"{source}: columns {', '.join(names)}; {_LAYOUTS}")

    def key(self, role: str, row: Sequence[object], where: str) -> str:
        text = str(row[self.role[role]] if row[self.role[role]] is not None else "").strip()
        if not text:
            raise TreegaugeError(f"{where}: the {role!r} cell is empty; expected a name")
        return text

    def scores(
        self, row: Sequence[object], where: str, found: Collected
    ) -> Iterator[tuple[str, str, object]]:
        """Yield (treebank, system, raw score) of one row for the metric that is asked for."""
        if "metric" in self.role and not found.wants(self.key("metric", row, where)):
            return
        if self.kind == "long":
            raw = row[self.role["score"]]
            yield self.key("treebank", row, where), self.key("system", row, where), raw
        elif self.kind == "metrics":
            for i in self.free:
                if found.wants(self.names[i]):
                    yield self.key("treebank", row, where), self.key("system", row, where), row[i]
        elif self.kind == "systems":
            for i in self.free:
                yield self.key("treebank", row, where), self.names[i], row[i]
        else:
            for i in self.free:
                yield self.names[i], self.key("system", row, where), row[i]


def _collect_table(
    header: Sequence[str],
    rows: Iterable[tuple[str, Sequence[object]]],
    source: str,
    found: Collected,
) -> None:
    layout = _Layout(header, source)
    for place, row in rows:
        where = f"{source}, {place}"
        if len(row) != len(layout.names):
            raise TreegaugeError(
                f"{where}: {len(row)} cells, expected {len(layout.names)}: "
                + ", ".join(layout.names)
            )
        seed = layout.key("seed", row, where) if "seed" in layout.role else ""
        for treebank, system, raw in layout.scores(row, where, found):
            cell = f"{where} (treebank {treebank}, system {system})"
            found.cells.append(Cell(treebank, system, seed, number(raw, cell), where))
            if layout.meta and layout.kind != "treebanks":
                known = found.metadata.setdefault(treebank, {})
                known.update({name: row[i] for name, i in layout.meta.items()})


def _collect_csv(path: Path, found: Collected) -> None:
    with path.open(encoding="utf-8-sig", newline="") as file:
        first = file.readline()
        file.seek(0)
        tabs = path.suffix.lower() == ".tsv" or "\t" in first
        delimiter = "\t" if tabs else ";" if ";" in first and "," not in first else ","
        reader = csv.reader(file, delimiter=delimiter)
        header = next(reader, None)
        if header is None:
            raise TreegaugeError(f"{path}: the file is empty; {_LAYOUTS}")
        rows = ((f"line {reader.line_num}", row) for row in reader if row)
        _collect_table(header, rows, str(path), found)


def collect_frame(frame: "pl.DataFrame", source: str, found: Collected) -> None:
    """Add the cells of a polars frame."""
    rows = ((f"row {i}", row) for i, row in enumerate(frame.iter_rows(), 1))
    _collect_table(frame.columns, rows, source, found)


def _collect_parquet(path: Path, found: Collected) -> None:
    import polars as pl

    try:
        frame = pl.read_parquet(path)
    except pl.exceptions.PolarsError as error:
        raise TreegaugeError(f"{path}: not a readable Parquet file: {error}") from error
    collect_frame(frame, str(path), found)


def _collect_json(path: Path, found: Collected) -> None:
    """Read what ``treegauge score --format json`` prints: F1 between 0 and 1, here in percent."""
    try:
        content = json.loads(path.read_bytes())
        groups = content.get("treebanks", [{"treebank": path.stem, **content}])
        for group in groups:
            for entry in group["systems"]:
                where = f"{path} (treebank {group['treebank']}, system {entry['system']})"
                for metric, values in entry["metrics"].items():
                    if found.wants(metric):
                        f1 = number(values["f1"], where)
                        score = None if f1 is None else 100 * f1
                        names = str(group["treebank"]), str(entry["system"])
                        found.cells.append(Cell(*names, str(entry.get("seed", "")), score, where))
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise TreegaugeError(
            f"{path}: not the output of `treegauge score --format json` ({error!r}); expected "
            '{"systems": [{"system": NAME, "metrics": {"LAS": {"f1": 0.81}}}]}'
        ) from error


_READERS = {
    ".csv": _collect_csv,
    ".tsv": _collect_csv,
    ".txt": _collect_csv,
    ".parquet": _collect_parquet,
    ".json": _collect_json,
}


def collect_file(path: Path, found: Collected) -> None:
    """Add the cells of one file, read as its suffix says."""
    reader = _READERS.get(path.suffix.lower())
    if reader is None:
        raise ChoiceError("kind of score file", path.name, [f"*{suffix}" for suffix in _READERS])
    try:
        reader(path, found)
    except OSError as error:
        raise TreegaugeError(f"{path}: {error.strerror or error}") from error
    except UnicodeDecodeError as error:
        raise TreegaugeError(f"{path}: not UTF-8 text ({error.reason})") from error
