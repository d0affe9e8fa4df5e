"""Pools: where cells are run. Here or in processes; see `cluster` for other machines."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, Protocol, Self

from treegauge.experiments.cells import Cell
from treegauge.experiments.limits import Limits
from treegauge.experiments.work import Report, perform
from treegauge.results.errors import ChoiceError, TreegaugeError

POOLS = ("inline", "process", "dask", "dask://HOST:PORT", "slurm")
#: What a Slurm job is told, and what dask-jobqueue calls it.
SLURM = {
    "queue": "queue", "account": "account", "walltime": "walltime", "memory": "memory",
    "cores": "cores", "directives": "job_extra_directives", "prologue": "job_script_prologue",
    "log_directory": "log_directory", "local_directory": "local_directory", "python": "python",
    "interface": "interface",
}  # fmt: skip
Finished = list[tuple[Cell, Report]]


@dataclass(frozen=True)
class Wanted:
    """How cells are to be run.

    Attributes
    ----------
    pool
        One of ``inline``, ``process``, ``dask``, ``dask://HOST:PORT``, ``slurm``.
    workers
        How many cells at a time; None: as many as there are processors.
    limits
        Of one cell.
    slurm
        What Slurm is told: queue, account, walltime and so on.
    """

    pool: str = "process"
    workers: int | None = None
    limits: Limits = field(default_factory=Limits)
    slurm: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.pool not in POOLS and not self.pool.startswith("dask://"):
            raise ChoiceError("pool", self.pool, POOLS)
        if self.workers is not None and self.workers < 1:
            raise TreegaugeError(f"workers is {self.workers}; expected at least 1")
        if self.pool == "inline" and self.limits:
            raise TreegaugeError("pool inline knows no limits; choose another pool")
        if self.pool == "inline" and (self.workers or 1) > 1:
            raise TreegaugeError("pool inline runs one cell at a time; choose another pool")
        for name, value in self.slurm.items():
            if name not in SLURM:
                raise ChoiceError("setting of Slurm", name, SLURM)
            kind, expected = _SLURM_KINDS.get(name, (str, "a text"))
            if not isinstance(value, kind) or isinstance(value, bool):
                raise TreegaugeError(f"setting {name} of Slurm is {value!r}; expected {expected}")


_SLURM_KINDS: dict[str, tuple[type[Any], str]] = {
    "cores": (int, "a whole number"), "directives": (list, "a list of texts"),
    "prologue": (list, "a list of texts"),
}  # fmt: skip


class Pool(Protocol):
    """Runs cells; leaving it ends those that still run."""

    def __enter__(self) -> Self: ...
    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None: ...
    @property
    def room(self) -> int:
        """How many more cells it takes now."""

    @property
    def busy(self) -> bool:
        """Whether any cell is running."""

    def submit(self, cells: Sequence[Cell]) -> None:
        """Take cells, at most as many as there is room for."""

    def wait(self) -> Finished:
        """Wait until some cells have ended."""


class Inline:
    """Runs cells in this process, one after the other: for tests and for finding errors."""

    def __init__(self) -> None:
        self._cells: list[Cell] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self._cells.clear()

    @property
    def room(self) -> int:
        """One cell at a time."""
        return 1 - len(self._cells)

    @property
    def busy(self) -> bool:
        """Whether a cell waits."""
        return bool(self._cells)

    def submit(self, cells: Sequence[Cell]) -> None:
        """Take a cell."""
        self._cells += cells

    def wait(self) -> Finished:
        """Run it."""
        cell = self._cells.pop()
        return [(cell, perform(cell))]


def make_pool(wanted: Wanted, parsers: Sequence[str] = (), tasks: Sequence[str] = ()) -> Pool:
    """Make a pool; `parsers` and `tasks` are got ready before the first cell."""
    if wanted.pool == "inline":
        return Inline()
    if wanted.pool == "process":
        from treegauge.experiments.processes import Processes

        return Processes(wanted.workers, wanted.limits, parsers, tasks)
    from treegauge.experiments.cluster import Cluster

    return Cluster(wanted)
