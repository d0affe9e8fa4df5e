"""The default pool: a fresh process for each cell, on this machine.

A process of ours starts them (see `starter`): forked, with everything loaded, if possible (a few
milliseconds per cell), else from scratch. Nothing of the caller's own process is changed.
"""

import contextlib
import faulthandler
import math
import os
import pickle
import signal
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import FrameType
from typing import Self

from treegauge.core.platforms import confine_memory, processors
from treegauge.experiments.cells import Cell
from treegauge.experiments.pools import ONE_THREAD, CellLimits, Finished, Pool
from treegauge.experiments.starter import Event, Starter, end_with_starter
from treegauge.experiments.tasks import Report, perform

TAIL = 1500
"""The number of characters kept of the output of a dead process."""
#: Threads of memory allocators survive forks, but fewer of them are safer.
QUIET = {"_RJEM_MALLOC_CONF": "background_thread:false", "JE_ARROW_MALLOC_CONF": "background_thread:false"}
_LOST = "the process that starts cells was killed"


@contextlib.contextmanager
def _interrupts_wait() -> Iterator[None]:
    """Delay interrupts until a process has started completely; otherwise it prints a traceback."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    caught: list[tuple[int, FrameType | None]] = []
    before = signal.signal(signal.SIGINT, lambda *what: caught.append(what))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
        if caught and callable(before):
            before(*caught[0])


@dataclass
class _Running:
    cell: Cell
    path: Path
    """Of its files: what it is given (``.cell``), its report and its output (``.log``)."""
    began: float = math.inf
    status: int | str | None = None
    """The status of its process, or why it has none; None while it runs."""
    late: bool = False

    def file(self, kind: str) -> Path:
        return self.path.with_suffix(f".{kind}")


class Processes(Pool):
    """Runs each cell in a process of its own.

    A process that takes too long is killed with its child processes; on Windows the children are
    not killed, and memory cannot be limited. `parsers` and `tasks` are loaded before
    the first cell.
    """

    def __init__(
        self,
        workers: int | None = None,
        limits: CellLimits | None = None,
        parsers: Sequence[str] = (),
        tasks: Sequence[str] = (),
    ) -> None:
        self.workers = workers or processors()
        self.limits = limits or CellLimits()
        self._preload = [*parsers, *tasks]
        self._starter: Starter | None = None
        self._running: dict[str, _Running] = {}
        self._started = 0

    def __enter__(self) -> Self:
        self._folder = tempfile.TemporaryDirectory(
            prefix="treegauge-",
            ignore_cleanup_errors=True,  # a cell whose starter was killed may still end
        )
        return self

    def __exit__(self, *error: object) -> None:
        for running in self._running.values():
            self._end(running)
        try:
            while any(running.status is None for running in self._running.values()):
                self._hear(1)
            if self._starter is not None:
                self._starter.leave()
                self._starter = None
        finally:  # also if another interrupt comes meanwhile
            self._lose()
            self._running.clear()
            self._folder.cleanup()

    @property
    def room(self) -> int:
        """The number of further cells that it accepts now."""
        return self.workers - len(self._running)

    @property
    def busy(self) -> bool:
        """Whether any cell is running."""
        return bool(self._running)

    def submit(self, cells: Sequence[Cell]) -> None:
        """Start a process for each cell."""
        for cell in cells:
            self._started += 1
            path = Path(self._folder.name, str(self._started))
            running = _Running(cell, path)
            given = pickle.dumps((cell, self.limits.memory, *_surroundings()))
            with _interrupts_wait():
                try:
                    running.file("cell").write_bytes(given)
                    self._start(running)
                except OSError as error:
                    running.status = f"its process could not start: {error}"
                self._running[str(path)] = running

    def _start(self, running: _Running) -> None:
        """Order a process; if the starter has ended, start another one, and try repeatedly."""
        for patience in (0.1, 0.5, None):
            try:
                if self._starter is None:
                    cell = f"{__name__}:{run_cell.__name__}"
                    self._starter = Starter.take(cell, _surroundings()[0])
                    self._starter.order("load", self._preload)
                self._starter.order("run", str(running.path))
            except OSError:
                self._lose()
                if patience is None:
                    raise
                time.sleep(patience)
            else:
                return

    def wait(self) -> Finished:
        """Wait until some cells have ended; kill those over their time limit."""
        finished: Finished = []
        limit = math.inf if self.limits.seconds is None else self.limits.seconds
        while not finished and self._running:
            self._hear(self._patience())
            for path, running in list(self._running.items()):
                if running.status is not None:
                    finished.append((running.cell, self._report(running)))
                    del self._running[path]
                    for kind in ("cell", "report", "log"):
                        running.file(kind).unlink(missing_ok=True)
                elif not running.late and time.monotonic() >= running.began + limit:
                    running.late = True
                    self._end(running)
        return finished

    def _patience(self) -> float:
        """Return the seconds until something must be done; at most 1, so that interrupts pass."""
        if any(running.status is not None for running in self._running.values()):
            return 0.0
        began = [running.began for running in self._running.values() if not running.late]
        if self.limits.seconds is None or not began:
            return 1.0
        return min(1.0, max(0.0, min(began) + self.limits.seconds - time.monotonic()))

    def _hear(self, patience: float) -> None:
        """Note which cells have ended; if the starter has, all of its cells."""
        if self._starter is not None:
            self._note(self._starter.heard(patience))
            if self._starter.ended:
                self._lose()

    def _note(self, events: Sequence[Event]) -> None:
        for path, status in events:
            running = self._running[path]
            if status is not None:
                running.status = status
            else:
                running.began = time.monotonic()

    def _lose(self) -> None:
        """Note that the starter has ended, and with it its cells."""
        starter, self._starter = self._starter, None
        if starter is None:
            return
        starter.close()
        self._note(starter.heard(1))
        for running in self._running.values():
            if running.status is None:
                running.status = _LOST

    def _end(self, running: _Running) -> None:
        """Kill the process of a cell and, if possible, its child processes."""
        if self._starter is not None and running.status is None:
            with contextlib.suppress(OSError):  # it has ended, and its cells do
                self._starter.order("end", str(running.path))

    def _report(self, running: _Running) -> Report:
        """Return the report of a cell whose process has ended."""
        if running.file("report").exists():
            report: Report = pickle.loads(running.file("report").read_bytes())  # noqa: S301 -- ours
            return report
        seconds = max(0.0, time.monotonic() - running.began)
        failed = Report(started=time.time() - seconds, seconds=seconds)
        if running.late:
            limit = f"{self.limits.seconds:g} s"
            return replace(failed, error=f"time limit of {limit} reached", lasting=True)
        status = running.status
        why = status if isinstance(status, str) else f"the process ended with status {status}"
        if isinstance(status, int) and status < 0:
            with contextlib.suppress(ValueError):
                why = f"the process was killed by {signal.Signals(-status).name}"
        if self.limits.memory is not None:
            why += f" under a memory limit of {self.limits.memory / (1 << 20):.0f} MiB"
        return replace(failed, error=f"{why}{_tail(running.file('log'))}")


def _surroundings() -> tuple[dict[str, str], str | None, list[str]]:
    """Return the environment, the folder and the arguments that a cell finds."""
    folder = None
    with contextlib.suppress(OSError):  # it was deleted
        folder = str(Path.cwd())
    return {**os.environ, **ONE_THREAD, **QUIET}, folder, sys.argv


def _tail(log: Path) -> str:
    """Return the end of a log, after a colon."""
    if not log.exists():
        return ""
    text = log.read_bytes()[-64 * TAIL :].decode(errors="replace").strip()
    fault = text.rfind("Fatal Python error")  # the cause comes first, then a long stack
    words = text[fault : fault + TAIL] if fault >= 0 else text[-TAIL:]
    return f": {words}" if words else ""


def run_cell(path: str, watch: int) -> None:  # runs in the cell's process
    """Run one cell in this process, write its report, and exit."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the driver decides what an interrupt means
    end_with_starter(watch)
    try:
        output = os.open(f"{path}.log", os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    except OSError:  # the driver has ended
        os._exit(1)
    os.dup2(output, 1)
    os.dup2(output, 2)
    faulthandler.enable(file=2, all_threads=False)
    cell, memory = _arrive(Path(f"{path}.cell").read_bytes())
    if memory is not None:
        confine_memory(memory)
    part = Path(f"{path}.part")
    part.write_bytes(pickle.dumps(perform(cell)))
    part.replace(f"{path}.report")
    os._exit(0)  # do not wait for anything that a task left behind


def _arrive(given: bytes) -> tuple[Cell, int | None]:
    """Enter the surroundings that a cell was given; return it and its limit of memory."""
    cell, memory, environment, folder, sys.argv = pickle.loads(given)  # noqa: S301 -- from ours
    for name in os.environ.keys() - environment.keys():
        del os.environ[name]
    os.environ.update(environment)
    if folder is not None:
        os.chdir(folder)
    return cell, memory
