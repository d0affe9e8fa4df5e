"""Pools that run cells, and the limits of each cell.

In this process, in others on this machine (`processes`), or on a cluster by dask and Slurm.
"""

import logging
import re
import signal
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from typing import TYPE_CHECKING, Any, Self

from treegauge.core.errors import ChoiceError, TreegaugeError
from treegauge.core.platforms import processors
from treegauge.experiments.cells import Cell
from treegauge.experiments.tasks import Report, perform

if TYPE_CHECKING:
    from treegauge.experiments.processes import Processes

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

    return Cluster(settings)


AHEAD = 8
"""Batches in progress per worker, so that no worker waits for the driver."""
TOGETHER, SHORT = 16, 0.05
"""The largest number of cells in a batch, and the largest duration of a batch of several."""
RECOUNT = 5
"""Seconds after which workers are counted again."""
ANSWER, PATIENCE = 10, 60
"""Seconds to wait for a scheduler by address, and for a cluster to start."""
_SLURM_USUAL: dict[str, Any] = {"walltime": "01:00:00", "memory": "4GB", "cores": 1}
_JOB = "treegauge"
_NO_DASHBOARD = {"dashboard": False, "dashboard_address": ":0"}
"""Any free port: another driver on this machine may use the default one."""


def _needed(name: str) -> Any:
    try:
        return import_module(name)
    except ImportError as error:
        raise TreegaugeError(f"this pool needs {name}: pip install 'treegauge[cluster]' ({error})") from error


def slurm_settings(settings: PoolSettings) -> dict[str, Any]:
    """Return the settings of dask-jobqueue: one cell at a time in each worker, one thread."""
    chosen = _SLURM_USUAL | dict(settings.slurm)
    job = {SLURM[name]: value for name, value in chosen.items()}
    threads = [f"export {name}={value}" for name, value in ONE_THREAD.items()]
    job["job_script_prologue"] = [*threads, *job.get("job_script_prologue", [])]
    return job | {"processes": job["cores"], "job_name": _JOB}


def job_script(settings: PoolSettings) -> str:
    """Return the script that would be submitted to Slurm for each job; nothing is started."""
    job = _needed("dask_jobqueue.slurm").SLURMJob
    made = job(scheduler="tcp://SCHEDULER:PORT", name=_JOB, **slurm_settings(settings))
    return str(made.job_script())


class Cluster(Pool):
    """Runs cells on workers of a dask cluster: started here, found by address, or through Slurm.

    A worker runs cells one after the other in its own process, which takes less than a millisecond;
    with limits of time or memory it starts a process for each, as the default pool does.
    """

    def __init__(self, settings: PoolSettings) -> None:
        self.settings = settings
        self._distributed = _needed("distributed")
        if settings.pool == "slurm":
            _needed("dask_jobqueue")
        self._cells: dict[str, list[Cell]] = {}
        self._together = 1
        self._last = 0
        self._threads, self._counted = 1, float("-inf")
        self._suspects: set[str] = set()
        self._gone = False

    def __enter__(self) -> Self:
        self._cluster = self._started()
        try:
            self._client = self._connected()
        except BaseException:
            if self._cluster is not None:
                self._cluster.close()
            raise
        self._finished = self._distributed.as_completed(
            [], loop=self._client.loop, with_results=True, raise_errors=False
        )
        return self

    def _started(self) -> Any:
        """Start the requested cluster; return None if there is one already."""
        pool, workers = self.settings.pool, self.settings.workers or processors()
        if pool == "dask":
            return self._distributed.LocalCluster(
                n_workers=workers, threads_per_worker=1, processes=True, env=ONE_THREAD,
                silence_logs=logging.CRITICAL, memory_limit=0, preload=[__name__],
                dashboard_address=None, scheduler_kwargs=_NO_DASHBOARD,
            )  # fmt: skip
        if pool == "slurm":
            settings = slurm_settings(self.settings)
            cluster = _needed("dask_jobqueue").SLURMCluster(**settings, scheduler_options=_NO_DASHBOARD)
            cluster.scale(jobs=max(1, workers // settings["cores"]))
            return cluster
        return None

    def _connected(self) -> Any:
        address = self._cluster or "tcp://" + self.settings.pool.removeprefix("dask://")
        try:
            client = self._distributed.Client(
                address, timeout=PATIENCE if self._cluster else ANSWER, set_as_default=False
            )
        except (OSError, ValueError, TimeoutError) as error:
            raise TreegaugeError(
                f"no dask scheduler answers at {address}: {error}; start one with `dask scheduler` "
                "and workers with `dask worker ADDRESS --nthreads 1`"
            ) from error
        if self.settings.pool.startswith("dask://"):
            try:
                client.wait_for_workers(1, timeout=PATIENCE)
            except TimeoutError:
                client.close()
                raise TreegaugeError(
                    f"the scheduler at {address} has no workers; start some with `dask worker ADDRESS --nthreads 1`"
                ) from None
        return client

    def __exit__(self, *error: object) -> None:
        self._finished.clear()
        futures = list(self._finished.futures)
        if futures and not self._gone:
            self._client.cancel(futures, force=True)
        self._client.close()
        if self._cluster is not None:
            self._cluster.close()

    @property
    def room(self) -> int:
        """The number of further cells that it accepts now, in batches."""
        self._check()
        if time.monotonic() - self._counted > RECOUNT:  # workers come and go
            try:
                self._threads = max(1, sum(self._client.nthreads().values()))
            except (OSError, RuntimeError):
                self._gone = True
                self._check()
            self._counted = time.monotonic()
        most = self._threads * AHEAD * self._together
        under_way = sum(map(len, self._cells.values()))
        return most - under_way if under_way <= most // 2 else 0

    @property
    def busy(self) -> bool:
        """Whether any cell is running."""
        return bool(self._cells)

    def submit(self, cells: Sequence[Cell]) -> None:
        """Send cells to the scheduler, short ones in batches."""
        for group in self._groups(cells):
            self._last += 1
            name = f"cell-{group[0].key}-{self._last}"
            self._cells[name] = group
            work = (_remote, group, self.settings.limits)
            self._finished.add(self._client.submit(*work, key=name, pure=False, retries=0))

    def _groups(self, cells: Sequence[Cell]) -> Iterator[list[Cell]]:
        """Return batches of cells; cells that were lost together run alone, to find the cause."""
        others = [cell for cell in cells if cell.key not in self._suspects]
        yield from ([cell] for cell in cells if cell.key in self._suspects)
        for start in range(0, len(others), self._together):
            yield others[start : start + self._together]

    def _check(self) -> None:
        if self._gone:
            logging.getLogger("distributed").setLevel(logging.CRITICAL)  # it logs this at length
            raise TreegaugeError(
                "the dask scheduler has ended, or dropped the cells; those that are done are kept: "
                "run the plan again to resume"
            )

    def wait(self) -> Finished:
        """Wait until some cells have ended."""
        finished: Finished = []
        longest = 0.0
        for future, result in self._finished.next_batch(block=True):
            cells = self._cells.pop(future.key)
            if future.status in {"cancelled", "lost"}:
                self._gone = True
                continue
            if isinstance(result, list):
                longest = max(longest, *(report.seconds for report in result))
                finished += zip(cells, result, strict=True)
            else:
                longest = SHORT
                self._suspects |= {cell.key for cell in cells}
                finished += [(cell, _lost(result)) for cell in cells]
            future.release()
        if not finished:
            self._check()
        self._together = max(1, min(TOGETHER, int(SHORT / max(longest, 1e-6))))
        return finished


def dask_setup(worker: object) -> None:
    """Make local workers ignore Ctrl-C; dask calls this when they start."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _lost(result: Any) -> Report:
    """Return the report of a cell that failed in dask, such as one that kills its workers."""
    error = result[1] if isinstance(result, tuple) else result  # a raised exception has its traceback
    return Report(error=f"{type(error).__name__}: {error}"[:2000])


_own: "list[Processes]" = []
_lock = threading.Lock()


def _remote(cells: Sequence[Cell], limits: CellLimits) -> list[Report]:
    """Run cells on a worker: in its process or, with limits, each in a process of its own."""
    if not limits:
        return [perform(cell) for cell in cells]
    from treegauge.experiments.processes import Processes

    reports = []
    with _lock:
        for cell in cells:
            if _own and _own[0].limits != limits:
                _own.pop().__exit__()
            if not _own:
                _own.append(Processes(1, limits, [cell.parser], [cell.task]).__enter__())
            _own[0].submit([cell])
            reports.append(_own[0].wait()[0][1])
    return reports
