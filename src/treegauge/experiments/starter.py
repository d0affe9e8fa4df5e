"""The process that starts those of cells: the starter, and the line between it and the driver.

The driver is the process of the caller, whose environment, ``__main__`` and fork server are left
alone: the starter has its own. It runs until its standard input closes, that is, until the driver
ends, also by kill -9. Where processes can be forked, it has everything loaded, and forks itself for
each cell in a few milliseconds; elsewhere it starts a new interpreter.

Orders and events are lines of JSON. An order is ``["load", NAMES]``, ``["run", PATH]`` or
``["end", PATH]``; an event is ``[PATH, STATUS]``: the process of the cell at PATH has started
(null), has ended (its exit status), or could not start (a text).
"""

import atexit
import contextlib
import gc
import json
import os
import queue
import select
import signal
import subprocess
import sys
import threading
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib import import_module
from multiprocessing.spawn import get_executable
from pathlib import Path
from typing import Any, NoReturn

from treegauge.core.platforms import end_child, end_group, ended_children, fork_leader, own_group, wake_at_ends

METHOD = "fork" if hasattr(os, "fork") else "spawn"
_RUN_STARTER = "import sys; sys.path[:] = {path!a}; from {module} import starter; starter.{call}"
Event = tuple[str, int | str | None]
_SPARE: "dict[int, Starter]" = {}  # of this process, by its number: forks of it have none


class Starter:
    """A process that starts those of cells. One pool at a time uses it.

    Parameters
    ----------
    cell
        Module and function that run one cell: given its path, and a pipe that closes when this
        process has ended.
    environment
        Environment variables of the starter.
    """

    def __init__(self, cell: str, environment: Mapping[str, str]) -> None:
        self._made_for = (cell, METHOD, _import_path())
        self._process = subprocess.Popen(  # noqa: S603 -- our own code
            [*_python(), "-c", _code(f"serve({cell!r}, {METHOD!r})")],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0, env=dict(environment),
            **own_group(),
        )  # fmt: skip
        self._events: queue.SimpleQueue[Event | None] = queue.SimpleQueue()
        self._listener = threading.Thread(target=self._listen, daemon=True)
        self._listener.start()
        self.ended = False

    @classmethod
    def take(cls, cell: str, environment: Mapping[str, str]) -> "Starter":
        """Return the starter that the last pool left, if it still fits, else a new one."""
        spare = _SPARE.pop(os.getpid(), None)
        if spare is not None:
            spare.heard(0)
            if not spare.ended and spare._made_for == (cell, METHOD, _import_path()):
                return spare
            spare.close()
        return cls(cell, environment)

    def leave(self) -> None:
        """Keep this starter, none of whose cells is running, for the next pool."""
        if self.ended or _SPARE.setdefault(os.getpid(), self) is not self:
            self.close()

    def order(self, what: str, argument: "str | Sequence[str]") -> None:
        """Send an order; OSError means that the starter has ended."""
        assert self._process.stdin is not None  # noqa: S101 -- it was started with a pipe
        _send(self._process.stdin.fileno(), [what, argument])

    def heard(self, patience: float) -> list[Event]:
        """Return paths and statuses of cells that started or ended; wait for the first."""
        events: list[Event] = []
        with contextlib.suppress(queue.Empty):
            while not self.ended:
                event = self._events.get(timeout=0 if events else patience)
                if event is None:
                    self.ended = True
                else:
                    events.append(event)
        return events

    def close(self) -> None:
        """Kill the starter; its cells end themselves."""
        self._process.kill()
        self._process.wait()
        self._listener.join()
        for stream in (self._process.stdin, self._process.stdout):
            assert stream is not None  # noqa: S101 -- it was started with pipes
            stream.close()

    @property
    def pid(self) -> int:
        """The number of the process."""
        return self._process.pid

    def _listen(self) -> None:
        assert self._process.stdout is not None  # noqa: S101 -- it was started with a pipe
        for path, status in _received(self._process.stdout.fileno()):
            self._events.put((path, status))
        self._events.put(None)


@atexit.register
def _close_spare() -> None:
    spare = _SPARE.pop(os.getpid(), None)
    if spare is not None:
        spare.close()


def _import_path() -> list[str]:
    """Return where this process looks for modules, whatever the folder of another one is."""
    return [str(Path(place).absolute()) for place in sys.path if isinstance(place, str)]


def _python() -> list[str]:
    """Return the command of an interpreter like this one."""
    options: list[str] = subprocess._args_from_interpreter_flags()  # type: ignore[attr-defined]
    return [get_executable(), *options]


def _code(call: str) -> str:
    """Return code that calls a function of this module in another process."""
    module = __name__.rpartition(".")[0]
    return _RUN_STARTER.format(path=_import_path(), module=module, call=call)


def _send(pipe: int, message: object) -> None:
    data = json.dumps(message).encode() + b"\n"
    while data:
        data = data[os.write(pipe, data) :]


def _received(pipe: int) -> Iterator[Any]:
    """Yield messages until the pipe closes."""
    rest = b""
    while data := os.read(pipe, 1 << 16):
        *lines, rest = (rest + data).split(b"\n")
        yield from map(json.loads, lines)


# ---------------------------------------------------------------------------- in the starter


def serve(cell: str, method: str) -> NoReturn:
    """Obey orders until the standard input closes; then end all cells."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the driver decides what an interrupt means
    orders, events = _own_pipe(0), _own_pipe(1)
    server = _Forks(cell, orders, events) if method == "fork" else _Spawns(cell, orders, events)
    try:
        for what, argument in server.orders():
            if what == "load":
                server.load(argument)
            elif what == "run":
                try:
                    server.run(argument)
                    server.tell(argument, None)
                except OSError as error:
                    server.tell(argument, f"its process could not start: {error}")
            else:
                server.end(argument)
    except BrokenPipeError:  # the driver has ended
        pass
    finally:
        for path in list(server.running):
            server.end(path)
        os._exit(0)


def _own_pipe(number: int) -> int:
    """Take over the standard input or output, which programs of cells must not have."""
    pipe = os.dup(number)
    null = os.open(os.devnull, os.O_RDWR)
    os.dup2(null, number)
    os.close(null)
    return pipe


class _Forks:
    """Forks this process for each cell; without threads, which do not survive that."""

    def __init__(self, cell: str, orders: int, events: int) -> None:
        self.running: dict[str, int] = {}
        self._cell, self._orders, self._events = _function(cell), orders, events
        self._watch, self._life = os.pipe()  # the latter is this process's only
        self._wake, woken = os.pipe()
        self._inherited = [orders, events, self._life, self._wake, woken]
        wake_at_ends(woken)

    def orders(self) -> Iterator[Any]:
        """Yield orders, and tell the ends of cells meanwhile."""
        driver, rest = os.getppid(), b""
        while os.getppid() == driver:  # forks of the driver may keep the pipe open
            ready = select.select([self._orders, self._wake], [], [], 1)[0]
            if self._wake in ready:
                os.read(self._wake, 1 << 16)
            self._tell_ends()
            if self._orders in ready:
                data = os.read(self._orders, 1 << 16)
                if not data:
                    return
                *lines, rest = (rest + data).split(b"\n")
                yield from map(json.loads, lines)

    def load(self, names: Sequence[str]) -> None:
        with contextlib.suppress(Exception):  # each cell reports its own error
            preload(names)
        # Later versions of Python warn about forks with any threads, even harmless ones.
        warnings.filterwarnings("ignore", message=".*multi-threaded", category=DeprecationWarning)
        gc.collect()
        gc.freeze()

    def run(self, path: str) -> None:
        self.running[path] = pid = fork_leader()
        if pid:
            return
        try:
            wake_at_ends(-1)
            for pipe in self._inherited:
                os.close(pipe)
            self._cell(path, self._watch)
        except BaseException:
            sys.excepthook(*sys.exc_info())
            sys.stderr.flush()
        finally:
            os._exit(1)

    def end(self, path: str) -> None:
        if path in self.running:
            end_child(self.running[path])

    def tell(self, path: str, status: int | str | None) -> None:
        _send(self._events, [path, status])

    def _tell_ends(self) -> None:
        paths = {pid: path for path, pid in self.running.items()}
        for pid, status in ended_children():
            if pid in paths:
                end_group(pid)  # processes that the cell left behind
                del self.running[paths[pid]]
                self.tell(paths[pid], status)


class _Spawns:
    """Starts a new interpreter for each cell, and a thread that waits for its end."""

    def __init__(self, cell: str, orders: int, events: int) -> None:
        self.running: dict[str, subprocess.Popen[bytes]] = {}
        self._cell, self._orders, self._events = cell, orders, events
        self._lock = threading.Lock()

    def orders(self) -> Iterator[Any]:
        """Yield orders."""
        return _received(self._orders)

    def load(self, names: Sequence[str]) -> None:
        """Load nothing: new interpreters have nothing of it."""

    def run(self, path: str) -> None:
        process = subprocess.Popen(  # noqa: S603 -- our own code
            [*_python(), "-c", _code(f"run_alone({self._cell!r}, {path!a})")], stdin=subprocess.PIPE, **own_group()
        )
        self.running[path] = process
        threading.Thread(target=self._tell_end, args=(path, process), daemon=True).start()

    def end(self, path: str) -> None:
        process = self.running.get(path)
        if process is not None:
            end_group(process.pid)
            process.kill()

    def tell(self, path: str, status: int | str | None) -> None:
        with self._lock:
            _send(self._events, [path, status])

    def _tell_end(self, path: str, process: "subprocess.Popen[bytes]") -> None:
        status = process.wait()
        end_group(process.pid)  # processes that the cell left behind
        with contextlib.suppress(OSError):
            self.running.pop(path, None)
            self.tell(path, status)


def run_alone(cell: str, path: str) -> NoReturn:
    """Run one cell in this new interpreter, whose standard input closes with the starter."""
    _function(cell)(path, _own_pipe(0))
    os._exit(1)


def _function(cell: str) -> Callable[[str, int], object]:
    module, _, name = cell.partition(":")
    function: Callable[[str, int], object] = getattr(import_module(module), name)
    return function


def end_with_starter(watch: int) -> None:
    """End this process and its child processes when the starter has ended."""

    def wait() -> None:
        os.read(watch, 1)
        end_group(0)
        os._exit(1)

    threading.Thread(target=wait, daemon=True).start()


def preload(names: Sequence[str]) -> None:
    """Load those of the named parsers and tasks that are part of treegauge, before the cells.

    This loads modules and kernels but nothing that starts threads (polars starts its own with the
    first query): threads do not survive a fork. Tasks and parsers of other packages are therefore
    loaded by each cell.
    """
    import polars  # noqa: F401

    from treegauge.experiments.tasks import BUILT_IN, EXTENSIONS, environment, find_task
    from treegauge.parsing.registry import known_parsers

    environment("")
    for name in {*BUILT_IN, *(EXTENSIONS & names)}:
        find_task(name).function()
    for name, parser in known_parsers().items():
        if name in names and parser.home.startswith("treegauge."):
            environment(name)
            parser.options  # noqa: B018 -- loads the parser's module
