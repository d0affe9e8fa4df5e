"""The default pool: a fresh process for each cell, on this machine."""

import contextlib
import json
import os
import pickle
import selectors
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import IO, Self

from treegauge.experiments.cells import Cell
from treegauge.experiments.forking import (
    KILL,
    LENGTH,
    NEWS,
    ORDER,
    QUIET,
    RUN,
    START,
    STARTED,
)
from treegauge.experiments.limits import ONE_THREAD, Limits
from treegauge.experiments.pools import Finished
from treegauge.experiments.work import Report
from treegauge.results.errors import TreegaugeError

TAIL = 1500
"""Characters of a dead process's last words."""


def processors() -> int:
    """Return how many processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


@dataclass
class _Running:
    cell: Cell
    channel: socket.socket
    log: IO[bytes]
    began: float
    deadline: float | None
    process: int | None = None
    data: bytearray = field(default_factory=bytearray)
    late: bool = False


class Processes:
    """Forks a process for each cell from one that has all loaded.

    Parameters
    ----------
    workers
        How many at a time; None: as many as there are processors.
    limits
        Of each cell. A process that takes too long is killed with all it started.
    parsers, tasks
        What to load, and to compile on first use, before the first cell.
    """

    def __init__(
        self,
        workers: int | None = None,
        limits: Limits | None = None,
        parsers: Sequence[str] = (),
        tasks: Sequence[str] = (),
    ) -> None:
        if not hasattr(os, "fork"):
            raise TreegaugeError("pool process needs fork; choose pool dask or inline")
        self.workers = workers or processors()
        self.limits = limits or Limits()
        self.parsers, self.tasks = list(parsers), list(tasks)
        self._running: dict[int, _Running] = {}
        self._last = 0

    def __enter__(self) -> Self:
        self._selector = selectors.DefaultSelector()
        self._start()
        return self

    def __exit__(self, *error: object) -> None:
        self._stop()
        for one in self._running.values():
            self._forget(one)
        self._running.clear()
        self._selector.close()

    def _start(self) -> None:
        """Start a server; what cannot be loaded in it, each cell loads for itself."""
        try:
            self._start_server()
        except TreegaugeError:
            if not (self.parsers or self.tasks):
                raise
            self.parsers, self.tasks = [], []
            self._start_server()

    def _start_server(self) -> None:
        ours, theirs = socket.socketpair()
        path = [os.path.abspath(place) for place in sys.path]  # noqa: PTH100 -- texts
        told = json.dumps([theirs.fileno(), self.parsers, self.tasks, path])
        self._log = tempfile.TemporaryFile()  # noqa: SIM115 -- closed in _stop
        with theirs:
            self._server = subprocess.Popen(  # noqa: S603
                [sys.executable, "-c", START, told],
                pass_fds=[theirs.fileno()], stdin=subprocess.DEVNULL, stdout=self._log,
                stderr=self._log, start_new_session=True,
                env={**os.environ, **ONE_THREAD, **QUIET},
            )  # fmt: skip
        self._link, self._news = ours, bytearray()
        try:
            while len(self._news) < NEWS.size:
                part = ours.recv(NEWS.size)
                if not part:
                    self._server.wait()
                    raise TreegaugeError(f"the process that starts cells ended{_tail(self._log)}")
                self._news += part
        except BaseException:
            self._stop()
            raise
        self._news.clear()  # it says READY
        ours.setblocking(False)
        self._selector.register(ours, selectors.EVENT_READ, None)

    def _stop(self) -> None:
        with contextlib.suppress(KeyError):
            self._selector.unregister(self._link)
        self._link.close()  # on which the server ends, and all cells with it
        try:
            self._server.wait(5)
        except subprocess.TimeoutExpired:
            self._server.kill()
            self._server.wait()
        self._log.close()

    @property
    def room(self) -> int:
        """How many more cells it takes now."""
        return self.workers - len(self._running)

    @property
    def busy(self) -> bool:
        """Whether any cell is running."""
        return bool(self._running)

    def submit(self, cells: Sequence[Cell]) -> None:
        """Start a process for each cell."""
        for cell in cells:
            self._submit(cell)

    def _submit(self, cell: Cell) -> None:
        self._last += 1
        now = time.monotonic()
        deadline = None if self.limits.seconds is None else now + self.limits.seconds
        ours, theirs = socket.socketpair()
        log = tempfile.TemporaryFile()  # noqa: SIM115 -- closed in _forget
        data = pickle.dumps((cell, self.limits.memory))
        self._running[self._last] = _Running(cell, ours, log, now, deadline)
        with contextlib.suppress(ConnectionError):  # `wait` will notice a dead server
            with theirs:
                order = ORDER.pack(RUN, self._last)
                socket.send_fds(self._link, [order], [theirs.fileno(), log.fileno()])
            ours.sendall(LENGTH.pack(len(data)) + data)  # last: a large cell needs a reader
        ours.setblocking(False)
        self._selector.register(ours, selectors.EVENT_READ, self._last)

    def wait(self) -> Finished:
        """Wait until some cells have ended, killing those that are out of time."""
        finished: Finished = []
        while not finished and self._running:
            for key, _ in self._selector.select(self._patience()):
                if key.data is None:
                    finished += self._hear()
                elif key.data in self._running:
                    self._read(self._running[key.data])
            now = time.monotonic()
            for number, one in self._running.items():
                if one.deadline is not None and now >= one.deadline and not one.late:
                    one.late = True
                    with contextlib.suppress(ConnectionError):
                        self._link.sendall(ORDER.pack(KILL, number))
        return finished

    def _patience(self) -> float | None:
        times = [one.deadline for one in self._running.values() if one.deadline and not one.late]
        return max(0.0, min(times) - time.monotonic()) if times else None

    def _read(self, one: _Running) -> bool:
        """Read what a cell has sent so far; False when there is no more."""
        try:
            part = one.channel.recv(1 << 20)
        except BlockingIOError:
            return False
        except ConnectionError:  # killed before it read what to do
            part = b""
        if not part:
            self._selector.unregister(one.channel)
        one.data += part
        return bool(part)

    def _hear(self) -> Finished:
        """Take the server's news: processes started and ended."""
        try:
            part = self._link.recv(1 << 16)
        except ConnectionError:
            part = b""
        if not part:
            return self._bury()
        self._news += part
        finished: Finished = []
        while len(self._news) >= NEWS.size:
            number, process, status = NEWS.unpack(self._news[: NEWS.size])
            del self._news[: NEWS.size]
            one = self._running.get(number)
            if one is None:
                continue
            if status == STARTED:
                one.process = process
                continue
            while one.channel in self._selector.get_map() and self._read(one):
                pass
            finished.append((one.cell, self._report(one, status)))
            self._forget(self._running.pop(number))
        return finished

    def _bury(self) -> Finished:
        """Deal with a server that died: its cells are to be run again by a new one."""
        failed = Report(error=f"the process that starts cells was killed{_tail(self._log)}")
        finished: Finished = [(one.cell, failed) for one in self._running.values()]
        for one in self._running.values():
            if one.process is not None:
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    os.killpg(one.process, signal.SIGKILL)
            self._forget(one)
        self._running.clear()
        self._stop()
        self._start()
        return finished

    def _forget(self, one: _Running) -> None:
        if one.channel in self._selector.get_map():
            self._selector.unregister(one.channel)
        one.channel.close()
        one.log.close()

    def _report(self, one: _Running, status: int) -> Report:
        """Make out what became of a cell whose process has ended."""
        whole = len(one.data) >= LENGTH.size
        if whole and len(one.data) == LENGTH.size + LENGTH.unpack_from(one.data)[0]:
            report: Report = pickle.loads(one.data[LENGTH.size :])  # noqa: S301 -- our own process
            return report
        seconds = time.monotonic() - one.began
        failed = Report(started=time.time() - seconds, seconds=seconds)
        if one.late:
            limit = f"{self.limits.seconds:g} s"
            return replace(failed, error=f"time limit of {limit} reached", lasting=True)
        why = f"the process ended with status {status}"
        if status < 0:
            with contextlib.suppress(ValueError):
                why = f"the process was killed by {signal.Signals(-status).name}"
        if self.limits.memory is not None:
            why += f" under a memory limit of {self.limits.memory / (1 << 20):.0f} MiB"
        return replace(failed, error=f"{why}{_tail(one.log)}")


def _tail(log: IO[bytes]) -> str:
    """Return the last words in a log, after a colon."""
    log.seek(max(0, log.seek(0, os.SEEK_END) - 4 * TAIL))  # a character has four bytes at most
    words = log.read().decode(errors="replace").strip()[-TAIL:]
    return f": {words}" if words else ""
