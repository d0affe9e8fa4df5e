"""Score tables in any layout, as a list of cells that remember the row they came from."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from treegauge.results.errors import TreegaugeError
from treegauge.results.reading import FileTable, frame_table, parse_number, read_file

if TYPE_CHECKING:
    import polars as pl

METADATA = ("name", "language", "tokens", "family", "stock", "genus", "resource")
_ROLES = ("metric", "treebank", "system", "seed", "score")
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
    found = parse_number(value)
    if found is None or math.isinf(found):
        raise TreegaugeError(
            f"{where}: {str(value)!r} is not a score; expected a number such as 81.23, "
            "or an empty cell for a missing score"
        )
    return None if math.isnan(found) else found


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


def collect_table(table: FileTable, found: Collected) -> None:
    """Add the cells of a table."""
    layout = _Layout(table.header, table.source)
    for place, row in table.rows:
        where = f"{table.source}, {place}"
        seed = layout.key("seed", row, where) if "seed" in layout.role else ""
        for treebank, system, raw in layout.scores(row, where, found):
            cell = f"{where} (treebank {treebank}, system {system})"
            found.cells.append(Cell(treebank, system, seed, number(raw, cell), where))
            if layout.meta and layout.kind != "treebanks":
                known = found.metadata.setdefault(treebank, {})
                known.update({name: row[i] for name, i in layout.meta.items()})


def collect_frame(frame: "pl.DataFrame", source: str, found: Collected) -> None:
    """Add the cells of a polars frame."""
    collect_table(frame_table(frame, source), found)


def collect_file(path: Path, found: Collected) -> None:
    """Add the cells of one file, read as its suffix says."""
    collect_table(read_file(path), found)
