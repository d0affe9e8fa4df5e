"""Differences between operating systems: locks, permissions, processes, memory, file names.

No other module uses features of single systems; ``tests/test_platforms.py`` checks that.
"""

import os
import re
import signal
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from contextvars import Context
from pathlib import Path
from typing import IO, Any, TypeVar

from treegauge.core.errors import TreegaugeError

PATIENCE = (0.01, 0.03, 0.1, 0.3, 1.0)
"""Seconds between tries to replace a file that another process has open, on Windows."""
_FAR = 1 << 30  # the byte that Windows locks, beyond the end of the file, so that the text can be read


def take_lock(file: IO[Any], *, shared: bool = False, wait: bool = False) -> bool:
    """Lock an open file until it is closed; return False if another process holds the lock.

    If a system has no locks that end with the process, the lock counts as acquired.
    """
    try:
        import fcntl
    except ImportError:
        return _take_windows_lock(file, wait=wait)
    how = fcntl.LOCK_SH if shared else fcntl.LOCK_EX
    try:
        fcntl.flock(file, how if wait else how | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _take_windows_lock(file: IO[Any], *, wait: bool) -> bool:
    try:
        import msvcrt
    except ImportError:
        return True
    while True:
        file.seek(_FAR)
        try:
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined]
        except OSError:
            if not wait:
                return False
            time.sleep(PATIENCE[-1])
        else:
            return True


def replace_file(fresh: Path, target: Path) -> None:
    """Rename a new file or folder to its final name.

    Windows refuses this while another program, such as a virus scanner, has the old file open; it
    is retried for one and a half seconds.
    """
    for seconds in (*PATIENCE, None):
        try:
            fresh.replace(target)
        except PermissionError:
            if os.name != "nt" or seconds is None:
                raise
            time.sleep(seconds)
        else:
            return


def set_usual_mode(path: Path, mode: int) -> None:
    """Give a private file or folder the usual permissions of new ones."""
    mask = os.umask(0)
    os.umask(mask)
    path.chmod(mode & ~mask)


def processors() -> int:
    """Return the number of processors that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def peak_memory() -> int:
    """Return the peak memory of this process in bytes; 0 if unknown."""
    status = Path("/proc/self/status")
    text = status.read_text(encoding="utf-8", errors="replace") if status.exists() else ""
    if match := re.search(r"VmHWM:\s*(\d+)", text):
        return int(match[1]) * 1024
    try:
        import resource
    except ImportError:
        return 0
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most if sys.platform == "darwin" else most * 1024


def confine_memory(size: int) -> None:
    """Limit this process to this number of bytes beyond its current use; more is a MemoryError."""
    try:
        import resource
    except ImportError:
        raise TreegaugeError("memory cannot be limited on this platform") from None
    held = 0
    statm = Path("/proc/self/statm")
    if statm.exists():
        held = int(statm.read_text(encoding="ascii").split()[0]) * os.sysconf("SC_PAGESIZE")
    limit, (_, most) = held + size, resource.getrlimit(resource.RLIMIT_AS)
    if most != resource.RLIM_INFINITY:
        limit = min(limit, most)  # a limit set from outside cannot be raised
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))


def can_confine_programs() -> bool:
    """Whether :func:`confining` limits memory on this system."""
    return sys.platform.startswith("linux")


def confining(memory: int, largest: int) -> dict[str, Any]:
    """Return options of ``subprocess.Popen`` for a program that ends with this process.

    `memory` is the most bytes of data of each process, 0 for no limit (Linux only); data, not
    address space: Java and CUDA reserve far more addresses than they use. `largest` is the most
    bytes of each file that it writes. Windows has no such limits.
    """
    try:
        import resource
    except ImportError:
        return {}
    wanted = [(resource.RLIMIT_FSIZE, largest), (resource.RLIMIT_CORE, 0)]
    wanted += [(resource.RLIMIT_DATA, memory)] * bool(memory)
    limits = []
    for kind, size in wanted:
        most = resource.getrlimit(kind)[1]  # a limit set from outside cannot be raised
        bound = size if most == resource.RLIM_INFINITY else min(size, most)
        limits.append((kind, (bound, bound)))
    control = _control()

    def prepare() -> None:  # in the new process, before the program
        if control is not None:
            control(_END_WITH_PARENT, signal.SIGKILL)
        for kind, bounds in limits:
            resource.setrlimit(kind, bounds)

    return {"preexec_fn": prepare}


_END_WITH_PARENT, _ADOPT_ORPHANS = 1, 36  # PR_SET_PDEATHSIG, PR_SET_CHILD_SUBREAPER


def _control() -> Callable[[int, int], int] | None:
    """Return the system call ``prctl`` (Linux only)."""
    if not sys.platform.startswith("linux"):
        return None
    import ctypes

    try:
        call: Callable[[int, int], int] = ctypes.CDLL(None).prctl
    except (OSError, AttributeError):
        return None
    return call


def end_with_parent() -> None:
    """Kill this process when its parent ends, even while a library blocks it (Linux only)."""
    parent, control = os.getppid(), _control()
    if control is not None:
        control(_END_WITH_PARENT, signal.SIGKILL)
        if os.getppid() != parent:  # it ended in the meantime
            os._exit(1)


def adopt_orphans() -> None:
    """Become the parent of descendants whose parents end, so that they can be found (Linux)."""
    control = _control()
    if control is not None:
        control(_ADOPT_ORPHANS, 1)


def end_descendants(patience: float = 5) -> None:
    """Kill all processes that this one started, also in sessions of their own (Linux only).

    After :func:`adopt_orphans` none of them can leave.
    """
    end = time.monotonic() + patience
    while (pids := _descendants()) and time.monotonic() < end:
        for pid in pids:
            with suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
        time.sleep(PATIENCE[0])


def _descendants() -> set[int]:
    """Return the numbers of living processes below this one."""
    children: dict[int, list[int]] = {}
    for stat in Path("/proc").glob("[0-9]*/stat") if sys.platform.startswith("linux") else ():
        with suppress(OSError, ValueError):
            state, parent = stat.read_text(encoding="ascii", errors="replace").rpartition(")")[2].split()[:2]
            if state not in "ZX":
                children.setdefault(int(parent), []).append(int(stat.parent.name))
    found: set[int] = set()
    level = [os.getpid()]
    while level:
        level = [child for pid in level for child in children.get(pid, ()) if child not in found]
        found.update(level)
    return found


def resend_signal(number: signal.Signals) -> None:
    """End this process by the signal that ended another one, without writing its memory."""
    try:
        import resource
    except ImportError:
        return
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    with suppress(OSError, ValueError):  # SIGKILL has no handler
        signal.signal(number, signal.SIG_DFL)
    os.kill(os.getpid(), number)
    time.sleep(1)  # another thread may receive it


def own_group() -> dict[str, Any]:
    """Return options of ``subprocess.Popen`` for a program that :func:`end_group` can end."""
    if os.name == "nt":
        import subprocess

        return {"creationflags": getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0)}
    return {"start_new_session": True}


def lead_group() -> None:
    """Make this process a group leader, so that all it starts can be ended with it."""
    if hasattr(os, "setsid"):
        os.setsid()


def fork_leader() -> int:
    """Fork this process; the new one leads a group. Return its number, and 0 in it."""
    pid = os.fork()
    if pid == 0:
        lead_group()
    return pid


def wake_at_ends(pipe: int) -> None:
    """Write to a pipe whenever a child process ends; -1 stops this."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL if pipe < 0 else lambda *_: None)
    if pipe >= 0:
        os.set_blocking(pipe, False)
    signal.set_wakeup_fd(pipe)


def ended_children() -> Iterator[tuple[int, int]]:
    """Yield numbers and statuses of child processes that have ended; minus the signal if killed."""
    with suppress(ChildProcessError):
        while (ended := os.waitpid(-1, os.WNOHANG))[0]:
            yield ended[0], os.waitstatus_to_exitcode(ended[1])


def end_child(pid: int) -> None:
    """Kill a child process, which may not lead its group yet, and all it started."""
    end_group(pid)
    with suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)


def end_group(pid: int) -> bool:
    """Kill a process and all it started; return False if only the process itself can be killed."""
    if not hasattr(os, "killpg"):
        return False
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(pid, signal.SIGKILL)
    return True


def ending_signals() -> list[signal.Signals]:
    """Return the signals with which a terminal or a queue ends a process."""
    names = ("SIGTERM", "SIGHUP")
    return [getattr(signal, name) for name in names if hasattr(signal, name)]


def use_utf8_streams() -> None:
    """Print UTF-8 with plain line ends everywhere, whatever the system's own encoding is.

    What cannot be encoded, such as the name of a file that is not UTF-8, is printed escaped.
    """
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace", newline="\n")


_RESERVED = re.compile(r"(?i)(con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin\$|conout\$)( *)(\.|:|$)")


def portable_name(name: str) -> bool:
    r"""Whether a file name is valid on every system.

    Windows treats names such as ``nul.txt`` as devices, forbids some characters, and drops dots and
    spaces at the end.

    Examples
    --------
    >>> [portable_name(name) for name in ("a.conllu", "NUL.txt", "a:b", "a.", "console.txt")]
    [True, False, False, False, True]
    """
    return not (
        not name
        or _RESERVED.match(name)
        or re.search(r"[\x00-\x1f\x7f<>:\"|?*/\\\ud800-\udfff]", name)
        or name.endswith((".", " "))
        or len(name.encode(errors="replace")) > 255
    )


T = TypeVar("T")
R = TypeVar("R")


def map_threads(work: Callable[[T], R], items: Iterable[T], workers: int) -> Iterator[R]:
    """Yield the result of `work` for each item, in order; threads start only for several items.

    Examples
    --------
    >>> list(map_threads(abs, [-1, 2], 4))
    [1, 2]
    """
    items = list(items)
    if min(workers, len(items)) < 2:
        # As in a thread, notes and progress are not shown.
        yield from (Context().run(work, item) for item in items)
        return
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(workers) as pool:
        yield from pool.map(work, items)


def worker_count(workers: int | None) -> int:
    """Return the number of threads: `workers`, or all processors this process may use."""
    if workers is None:
        return processors()
    if workers < 1:
        raise TreegaugeError(f"workers {workers}: expected 1 or more")
    return workers
