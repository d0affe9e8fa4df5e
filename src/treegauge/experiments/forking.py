"""A process that has everything loaded and forks a fresh one for each cell.

Starting Python and loading kernels takes more than a second, a fork some milliseconds. The server
loads modules and kernels but leaves alone what starts threads (polars starts its own with the first
query), since threads do not survive a fork.
"""

import contextlib
import ctypes
import faulthandler
import gc
import os
import pickle
import select
import signal
import socket
import struct
import sys
import traceback
import warnings
from collections.abc import Sequence
from pathlib import Path

from treegauge.experiments.limits import confine
from treegauge.experiments.work import perform

ORDER = struct.Struct("<qq")
"""What the driver sends: RUN or KILL, and the number of a cell."""
NEWS = struct.Struct("<qqq")
"""What the server sends: the number of a cell, its process, and its exit status or STARTED."""
START = """
import json, sys
descriptor, parsers, tasks, sys.path[:] = json.loads(sys.argv[1])
from treegauge.experiments.forking import serve
serve(descriptor, parsers, tasks)
"""
LENGTH = struct.Struct("<q")
RUN, KILL = 0, 1
STARTED, READY = -(1 << 32), -1
#: Threads of memory allocators see to forks themselves, but fewer of them are better still.
QUIET = {
    "_RJEM_MALLOC_CONF": "background_thread:false",
    "JE_ARROW_MALLOC_CONF": "background_thread:false",
}


def threads() -> int:
    """Count the threads of this process, 1 where that cannot be told."""
    tasks = Path("/proc/self/task")
    return len(list(tasks.iterdir())) if tasks.is_dir() else 1


def warm(parsers: Sequence[str], tasks: Sequence[str]) -> None:
    """Load what cells need: modules, and the kernels of reading, parsing and scoring."""
    import polars  # noqa: F401
    import pyarrow  # noqa: F401

    from treegauge.experiments.provenance import environment
    from treegauge.experiments.tasks import BUILT_IN, find_task
    from treegauge.parsers.registry import PARSERS

    for name in {*BUILT_IN, *tasks}:
        find_task(name).function()
    for name in {"", *parsers}:
        environment(name)
        if name in PARSERS:
            PARSERS[name].options  # noqa: B018 -- loads the parser's module
            PARSERS[name].prepare()


def serve(descriptor: int, parsers: Sequence[str], tasks: Sequence[str]) -> None:
    """Fork on demand until the driver is gone, then end all that still runs."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the driver decides what an interrupt means
    driver = socket.socket(fileno=descriptor)
    import polars  # noqa: F401
    import pyarrow  # noqa: F401

    before = threads()
    warm(parsers, tasks)
    if threads() > before:
        raise SystemExit(f"loading {', '.join([*parsers, *tasks])} started threads: no safe fork")
    # Later versions of Python warn of forks beside any thread, also of those that do no harm.
    warnings.filterwarnings("ignore", message=".*multi-threaded", category=DeprecationWarning)
    gc.collect()
    gc.freeze()
    driver.sendall(NEWS.pack(READY, os.getpid(), STARTED))
    _Server(driver).loop()


class _Server:
    def __init__(self, driver: socket.socket) -> None:
        self.driver = driver
        self.cells: dict[int, int] = {}  # process: number
        self.wake, wake = socket.socketpair()
        wake.setblocking(False)
        self.wake.setblocking(False)
        self._kept = wake
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.set_wakeup_fd(wake.fileno(), warn_on_full_buffer=False)

    def loop(self) -> None:
        while True:
            ready, _, _ = select.select([self.driver, self.wake], [], [])
            if self.wake in ready:
                self.wake.recv(4096)
                self.reap()
            if self.driver in ready and not self.obey():
                break
        for process in self.cells:
            _end(process)

    def obey(self) -> bool:
        try:
            message, handles, _, _ = socket.recv_fds(self.driver, ORDER.size, 2)
            while message and len(message) < ORDER.size:
                message += self.driver.recv(ORDER.size - len(message))
        except ConnectionError:
            return False
        if len(message) < ORDER.size:
            return False
        order, number = ORDER.unpack(message)
        if order == RUN:
            self.fork(number, *handles)
        else:
            for process, running in self.cells.items():
                if running == number:
                    _end(process)
        return True

    def fork(self, number: int, channel: int, log: int) -> None:
        process = os.fork()
        if process == 0:
            try:
                self.driver.close()
                _cell(channel, log)
                os._exit(0)
            except BaseException:  # a cell must never go on as a server
                traceback.print_exc()
                sys.stderr.flush()
            finally:
                os._exit(1)
        os.close(channel)
        os.close(log)
        self.cells[process] = number
        self.tell(number, process, STARTED)

    def reap(self) -> None:
        while self.cells:
            try:
                process, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return
            if process == 0:
                return
            number = self.cells.pop(process, None)
            if number is not None:
                _end(process, own=False)  # whatever the cell left behind
                self.tell(number, process, os.waitstatus_to_exitcode(status))

    def tell(self, number: int, process: int, status: int) -> None:
        with contextlib.suppress(OSError):  # a driver that is gone shows with the next order
            self.driver.sendall(NEWS.pack(number, process, status))


def _end(process: int, *, own: bool = True) -> None:
    """Kill a cell's process and those it started."""
    for kill in (os.killpg, *([os.kill] if own else [])):
        try:
            kill(process, signal.SIGKILL)
        except (ProcessLookupError, PermissionError):
            continue


def _cell(channel: int, log: int) -> None:
    """Be the process of one cell: read what to do, do it, answer, end."""
    signal.set_wakeup_fd(-1)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    os.setsid()  # so that all it starts can be ended with it
    if sys.platform == "linux":  # end with the server, however that ends
        ctypes.CDLL(None).prctl(1, signal.SIGKILL)
    os.dup2(log, 1)
    os.dup2(log, 2)
    faulthandler.enable(file=2)
    with socket.socket(fileno=channel) as driver:
        cell, memory = pickle.loads(receive(driver))  # noqa: S301 -- from the driver itself
        if memory is not None:
            confine(memory)
        data = pickle.dumps(perform(cell))
        driver.sendall(LENGTH.pack(len(data)) + data)


def receive(channel: socket.socket) -> bytes:
    """Read a message with its length in front."""
    data = b""
    while len(data) < LENGTH.size or len(data) < LENGTH.size + LENGTH.unpack_from(data)[0]:
        part = channel.recv(1 << 16)
        if not part:
            raise EOFError
        data += part
    return data[LENGTH.size :]
