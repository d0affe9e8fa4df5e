"""Plans as TOML files."""

import os
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from treegauge.experiments.plans import Plan, grid
from treegauge.experiments.pools import CellLimits, read_bytes, read_seconds
from treegauge.results.errors import ChoiceError, TreegaugeError
from treegauge.treebanks.sources import Source

GRID = ("task", "treebanks", "parsers", "sizes", "samples", "seeds", "parameters")
PLAN = ("name", "root", *GRID)
RUN = ("pool", "workers", "timeout", "memory", "retries")
TABLES = ("plan", "grid", "run", "slurm")
_KINDS: dict[str, tuple[type[Any] | tuple[type[Any], ...], str]] = {
    "name": (str, "a text"), "root": (str, "a text"), "task": (str, "a text"),
    "treebanks": ((str, list), "a list of texts"), "parsers": ((str, list), "a list of parsers"),
    "parameters": (dict, "a table"), "options": (dict, "a table"), "pool": (str, "a text"),
    "workers": (int, "a whole number"), "retries": (int, "a whole number"),
}  # fmt: skip


@dataclass(frozen=True)
class PlanFile:
    """A plan, how it is to be run, and what Slurm is to be told."""

    plan: Plan
    run: Mapping[str, Any] = field(default_factory=dict)
    slurm: Mapping[str, Any] = field(default_factory=dict)

    @property
    def limits(self) -> CellLimits:
        """The limits of a cell that the file sets."""
        return CellLimits(
            read_seconds(self.run["timeout"]) if "timeout" in self.run else None,
            read_bytes(self.run["memory"]) if "memory" in self.run else None,
        )


def read_plan(path: Source) -> PlanFile:
    """Read a plan from a file.

    Table ``[plan]`` holds the grid, or what several ``[[grid]]`` tables have in common; ``[run]``
    and ``[slurm]`` hold what the options of ``treegauge run`` say otherwise.
    """
    try:
        with Path(path).open("rb") as file:
            data = tomllib.load(file)
    except OSError as error:
        raise TreegaugeError(f"{path}: {error.strerror or error}") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise TreegaugeError(f"{path}: no valid TOML: {error}") from error
    try:
        return _plan_file(data, Path(path))
    except TreegaugeError as error:
        raise TreegaugeError(f"{path}: {error}") from error


def _plan_file(data: dict[str, Any], path: Path) -> PlanFile:
    _check("table", data, TABLES)
    shared = _table(data, "plan")
    _check("key of [plan]", shared, PLAN)
    run, slurm = _table(data, "run"), _table(data, "slurm")
    _check("key of [run]", run, RUN)
    grids = data.get("grid", [{}])
    if not isinstance(grids, list):
        raise TreegaugeError("[grid] is one table; write [[grid]], of which there may be several")
    if not grids or not all(isinstance(one, dict) for one in grids):
        raise TreegaugeError(f"grid is {grids!r}; expected tables [[grid]]")
    for one in grids:
        _check("key of [[grid]]", one, GRID)
    common = {name: value for name, value in shared.items() if name in GRID}
    made = []
    for one in grids:
        values = common | one
        for needed in ("task", "treebanks"):
            if needed not in values:
                raise TreegaugeError(f"no {needed}: expected it in [plan] or in every [[grid]]")
        made.append(grid(**values))
    root = shared.get("root")
    if root is not None:
        root = str(path.parent / Path(os.path.expandvars(root)).expanduser())
    return PlanFile(Plan(tuple(made), shared.get("name", path.stem), root), run, slurm)


def _table(data: Mapping[str, Any], name: str) -> dict[str, Any]:
    table = data.get(name, {})
    if not isinstance(table, dict):
        raise TreegaugeError(f"{name} is {table!r}; expected a table [{name}]")
    return table


def _check(what: str, found: Mapping[str, Any], legal: tuple[str, ...]) -> None:
    for name in found:
        if name not in legal:
            raise ChoiceError(what, name, legal)
        kind, expected = _KINDS.get(name, (object, ""))
        if not isinstance(found[name], kind) or (kind is int and isinstance(found[name], bool)):
            raise TreegaugeError(f"{name} is {found[name]!r}; expected {expected}")
