"""The default pool: a fresh process for each cell, on this machine.

The standard library starts the processes: forked from a server that has everything loaded if
possible (``forkserver``, a few milliseconds per cell), else from scratch (``spawn``).
"""

import contextlib
import faulthandler
import math
import multiprocessing
import os
import pickle
import signal
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from multiprocessing.connection import Connection, wait
from pathlib import Path
from types import FrameType, ModuleType
from typing import Any, Self

from treegauge.core.platforms import confine_memory, end_group, lead_group, processors
from treegauge.experiments.cells import Cell
from treegauge.experiments.pools import ONE_THREAD, CellLimits, Finished, Pool
from treegauge.experiments.tasks import Report, perform

TAIL = 1500
"""The number of characters kept of the output of a dead process."""
METHOD = "forkserver" if "forkserver" in multiprocessing.get_all_start_methods() else "spawn"
#: Threads of memory allocators survive forks, but fewer of them are safer.
QUIET = {
    "_RJEM_MALLOC_CONF": "background_thread:false",
    "JE_ARROW_MALLOC_CONF": "background_thread:false",
}
PRELOAD = "TREEGAUGE_PRELOAD"
"""Environment variable with the parsers and tasks that the fork server loads."""


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
    process: Any
    reader: "Connection[Any, Any]"
    log: Path
    began: float
    data: bytes = b""
    late: bool = False


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
        self._context = multiprocessing.get_context(METHOD)
        self._preload = " ".join([*parsers, *tasks])
        self._running: list[_Running] = []
        self._started = 0

    def __enter__(self) -> Self:
        self._logs = tempfile.TemporaryDirectory(prefix="treegauge-")
        if METHOD == "forkserver":
            self._context.set_forkserver_preload(["treegauge.experiments.preloading"])
        return self

    def __exit__(self, *error: object) -> None:
        for running in self._running:
            _end(running.process)
            self._forget(running)
        self._running.clear()
        self._logs.cleanup()

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
            log = Path(self._logs.name) / f"{self._started}.log"
            with _interrupts_wait():
                reader, writer = self._context.Pipe(duplex=False)
                with writer, _prepared({PRELOAD: self._preload}):
                    process = self._start(cell, self.limits.memory, writer, str(log))
                self._running.append(_Running(cell, process, reader, log, time.monotonic()))

    def _start(self, *what: Any) -> Any:
        """Start a process; if that fails repeatedly, return a process that never ran."""
        for patience in (0.1, 0.5, 0.0):
            process = self._context.Process(target=_run, args=what)  # type: ignore[attr-defined]
            try:
                process.start()
            except (
                OSError,
                EOFError,
            ):  # the server was killed; the next attempt starts another one
                if process.pid is not None:
                    break
                time.sleep(patience)
            else:
                break
        return process

    def wait(self) -> Finished:
        """Wait until some cells have ended; kill those over their time limit."""
        finished: Finished = []
        limit = math.inf if self.limits.seconds is None else self.limits.seconds
        while not finished and self._running:
            sources: dict[Any, _Running] = {}
            for running in self._running:
                if not running.data:
                    sources[running.reader] = running
                if running.process.pid is not None:
                    sources[running.process.sentinel] = running
            for source in wait(list(sources), self._patience()):
                if not isinstance(source, int):  # the other sources are sentinels
                    _read(sources[source])
            for running in list(self._running):
                if _ended(running.process):
                    _read(running)
                    finished.append((running.cell, self._report(running)))
                    self._running.remove(running)
                    self._forget(running)
                elif not running.late and time.monotonic() >= running.began + limit:
                    running.late = True
                    _end(running.process)
        return finished

    def _patience(self) -> float | None:
        if any(_ended(running.process) for running in self._running):
            return 0.0
        if self.limits.seconds is None:
            return None
        began = [running.began for running in self._running if not running.late]
        return max(0.0, min(began) + self.limits.seconds - time.monotonic()) if began else None

    def _forget(self, running: _Running) -> None:
        if running.process.pid is not None:
            running.process.join()
            running.process.close()
        running.reader.close()
        running.log.unlink(missing_ok=True)

    def _report(self, running: _Running) -> Report:
        """Return the report of a cell whose process has ended."""
        status = running.process.exitcode if running.process.pid is not None else None
        _end(running.process)  # processes that the cell left behind
        if running.data:
            report: Report = pickle.loads(running.data)  # noqa: S301 -- from our own process
            return report
        seconds = time.monotonic() - running.began
        failed = Report(started=time.time() - seconds, seconds=seconds)
        if running.late:
            limit = f"{self.limits.seconds:g} s"
            return replace(failed, error=f"time limit of {limit} reached", lasting=True)
        why = f"the process ended with status {status}"
        if status is None or status == 255:
            why = "the process that starts cells was killed"
        elif status < 0:
            with contextlib.suppress(ValueError):
                why = f"the process was killed by {signal.Signals(-status).name}"
        if self.limits.memory is not None:
            why += f" under a memory limit of {self.limits.memory / (1 << 20):.0f} MiB"
        return replace(failed, error=f"{why}{_tail(running.log)}")


@contextlib.contextmanager
def _prepared(more: dict[str, str]) -> Iterator[None]:
    """Prepare a process to start with one thread, without importing the user's script."""
    environment = {**ONE_THREAD, **QUIET, **more}
    before = {name: os.environ.get(name) for name in environment}
    main = sys.modules["__main__"]
    os.environ.update(environment)
    sys.modules["__main__"] = ModuleType("__main__")
    try:
        yield
    finally:
        sys.modules["__main__"] = main
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


def _ended(process: Any) -> bool:
    return process.pid is None or process.exitcode is not None


def _read(running: _Running) -> None:
    """Return the report of a cell, if it is complete."""
    with contextlib.suppress(OSError, EOFError):
        if not running.data and running.reader.poll():
            running.data = running.reader.recv_bytes()


def _end(process: Any) -> None:
    """Kill the process of a cell and, if possible, its child processes."""
    if process.pid is None:
        return
    end_group(process.pid)
    if process.exitcode is None:
        process.kill()


def _tail(log: Path) -> str:
    """Return the end of a log, after a colon."""
    if not log.exists():
        return ""
    text = log.read_bytes()[-64 * TAIL :].decode(errors="replace").strip()
    fault = text.rfind("Fatal Python error")  # the cause comes first, then a long stack
    words = text[fault : fault + TAIL] if fault >= 0 else text[-TAIL:]
    return f": {words}" if words else ""


def _run(
    cell: Cell, memory: int | None, writer: "Connection[Any, Any]", log: str
) -> None:  # runs in the cell's process
    """Run one cell in this process, send its report, and exit."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the driver decides what an interrupt means
    lead_group()  # so that its child processes can be ended with it
    os.environ.update(ONE_THREAD)  # the server may have been started by others
    threading.Thread(target=_end_with_driver, daemon=True).start()
    try:
        output = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    except OSError:  # the driver has ended
        os._exit(1)
    os.dup2(output, 1)
    os.dup2(output, 2)
    faulthandler.enable(file=2, all_threads=False)
    if memory is not None:
        confine_memory(memory)
    writer.send_bytes(pickle.dumps(perform(cell)))
    writer.close()
    os._exit(0)  # do not wait for anything that a task left behind


def _end_with_driver() -> None:
    """End this process and its child processes when the driver has ended."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        wait([parent.sentinel])
        end_group(0)
        os._exit(1)
