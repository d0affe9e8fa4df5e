"""Pools that run cells, and the limits of each cell.

In this process or in others; see `cluster` for other machines.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Self

from treegauge.core.errors import ChoiceError, TreegaugeError
from treegauge.experiments.cells import Cell
from treegauge.experiments.tasks import Report, perform

#: Workers run one cell each, so libraries must not start threads.
ONE_THREAD = {
    **dict.fromkeys(
        (
            "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMEXPR_NUM_THREADS",
            "VECLIB_MAXIMUM_THREADS", "POLARS_MAX_THREADS",
        ),
        "1",
    ),
    "PYTHONHASHSEED": "0",  # a task that iterates over a set gives the same result everywhere
}  # fmt: skip
_SECONDS = {"": 1, "s": 1, "m": 60, "h": 3600, "d": 86400}
_BYTES = {"": 1, "k": 1 << 10, "m": 1 << 20, "g": 1 << 30, "t": 1 << 40}


@dataclass(frozen=True)
class CellLimits:
    """Limits of a cell; None means no limit.

    Seconds are by the clock; the process is killed after them. Memory is in bytes beyond what the
    interpreter and libraries have when the cell starts; not on Windows.
    """

    seconds: float | None = None
    memory: int | None = None

    @classmethod
    def read(cls, timeout: str | float | None, memory: str | float | None) -> Self:
        """Read limits such as ``"15m"`` and ``"2GB"``."""
        seconds = None if timeout is None else read_seconds(timeout)
        return cls(seconds, None if memory is None else read_bytes(memory))

    def __bool__(self) -> bool:
        return self.seconds is not None or self.memory is not None


def read_seconds(text: str | float) -> float:
    """Read a time such as ``90``, ``"90s"``, ``"15m"`` or ``"2h"``.

    Examples
    --------
    >>> read_seconds("1.5m")
    90.0
    """
    return _read(text, _SECONDS, "a time such as 90s, 15m or 2h", most=20 * 86400, limit="20d")


def read_bytes(text: str | float) -> int:
    """Read an amount of memory such as ``"500MB"`` or ``"2G"``.

    Examples
    --------
    >>> read_bytes("2GB") == 2 << 30
    True
    """
    short = str(text).strip().lower().removesuffix("b").removesuffix("i")
    expected = "an amount of memory such as 500MB or 2GB"
    return int(_read(short, _BYTES, expected, text, most=1 << 50, limit="1024TB"))


def _read(text: object, units: dict[str, int], expected: str, given: object = None, *, most: int, limit: str) -> float:
    match = re.fullmatch(r"(\d+(?:\.\d*)?)\s*([a-z]?)", str(text).strip().lower())
    value = float(match[1]) * units.get(match[2], 0) if match else 0.0
    if value <= 0:
        raise TreegaugeError(f"found {given or text!r}; expected {expected}")
    if value > most:
        raise TreegaugeError(f"found {given or text!r}; expected at most {limit}")
    return value


POOLS = ("inline", "process", "dask", "dask://HOST:PORT", "slurm")
#: Settings of Slurm jobs, and their names in dask-jobqueue.
SLURM = {
    "queue": "queue", "account": "account", "walltime": "walltime", "memory": "memory",
    "cores": "cores", "directives": "job_extra_directives", "prologue": "job_script_prologue",
    "log_directory": "log_directory", "local_directory": "local_directory", "python": "python",
    "interface": "interface",
}  # fmt: skip
Finished = list[tuple[Cell, Report]]


@dataclass(frozen=True)
class PoolSettings:
    """How to run cells: `workers` at a time, None for one per processor.

    `slurm` has settings of Slurm: queue, account, walltime and so on.
    """

    pool: str = "process"
    workers: int | None = None
    limits: CellLimits = field(default_factory=CellLimits)
    slurm: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.pool not in POOLS and not self.pool.startswith("dask://"):
            raise ChoiceError("pool", self.pool, POOLS)
        if self.workers is not None and self.workers < 1:
            raise TreegaugeError(f"workers is {self.workers}; expected at least 1")
        if self.pool == "inline" and self.limits:
            raise TreegaugeError("pool inline has no limits; choose another pool")
        if self.pool == "inline" and (self.workers or 1) > 1:
            raise TreegaugeError("pool inline runs one cell at a time; choose another pool")
        for name, value in self.slurm.items():
            if name not in SLURM:
                raise ChoiceError("setting of Slurm", name, SLURM)
            kind, expected = _SLURM_KINDS.get(name, (str, "a text"))
            if not isinstance(value, kind) or isinstance(value, bool):
                raise TreegaugeError(f"setting {name} of Slurm is {value!r}; expected {expected}")


_SLURM_KINDS: dict[str, tuple[type[Any], str]] = {
    "cores": (int, "a whole number"),
    "directives": (list, "a list of texts"),
    "prologue": (list, "a list of texts"),
}


class Pool:
    """Runs cells in this process, one after the other, for tests and debugging.

    Leaving a pool ends the cells that are still running.
    """

    def __init__(self) -> None:
        self._waiting: list[Cell] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self._waiting.clear()

    @property
    def room(self) -> int:
        """The number of cells that it accepts now."""
        return 1 - len(self._waiting)

    @property
    def busy(self) -> bool:
        """Whether any cell is running."""
        return bool(self._waiting)

    def submit(self, cells: Sequence[Cell]) -> None:
        """Accept cells, up to the number that fits."""
        self._waiting += cells

    def wait(self) -> Finished:
        """Wait until some cells have ended."""
        cell = self._waiting.pop()
        return [(cell, perform(cell))]


def make_pool(settings: PoolSettings, parsers: Sequence[str] = (), tasks: Sequence[str] = ()) -> Pool:
    """Return a pool; `parsers` and `tasks` are loaded before the first cell."""
    if settings.pool == "inline":
        return Pool()
    if settings.pool == "process":
        from treegauge.experiments.processes import Processes

        return Processes(settings.workers, settings.limits, parsers, tasks)
    from treegauge.experiments.cluster import Cluster

    return Cluster(settings)
