"""Running other people's programs: never through a shell, within limits, nothing left behind."""

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from time import monotonic
from typing import NoReturn

from treegauge.results.errors import TreegaugeError

_LINES, _WIDTH = 15, 300  # of a program's last words, as errors show them


class CommandError(TreegaugeError):
    """An external program could not be started, failed, or took more than it was allowed."""


class Clock:
    """Seconds that several steps may take together; 0 is no limit."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self._start = monotonic()

    @property
    def left(self) -> float | None:
        """Seconds that are left, or None where there is no limit."""
        if not self.seconds:
            return None
        return max(self.seconds - (monotonic() - self._start), 0.0)


def run(
    words: Sequence[str],
    *,
    what: str,
    folder: Path,
    log: Path,
    given: Path | None = None,
    output: Path | None = None,
    clock: Clock | None = None,
    memory: float = 0,
) -> None:
    """Run a program to its end.

    Parameters
    ----------
    words
        The program and its arguments, as they are.
    what
        What errors call it.
    folder
        Where it runs.
    log
        File that its standard error is added to, and its standard output unless `output` is given.
    given, output
        Files for its standard input and output.
    clock
        Time limit. When it is over, the program and all it started are killed.
    memory
        GiB of data that each of its processes may hold, 0 for no limit (Linux only).
    """
    clock = clock or Clock(0)
    with (
        _raised_signals(),
        log.open("ab") as said,
        Path(given or os.devnull).open("rb") as source,
        (output or log).open("wb" if output else "ab") as target,
    ):
        try:
            process = subprocess.Popen(  # noqa: S603 -- no shell; words come from a template
                list(words), cwd=folder, stdin=source, stdout=target, stderr=said,
                env={**os.environ, "PYTHONUTF8": "1"}, start_new_session=True,
            )  # fmt: skip
        except (OSError, ValueError) as error:
            raise CommandError(f"{what}: cannot start {words[0]!r}: {error}") from error
        try:
            _limit(process.pid, memory)
            status = process.wait(clock.left)
        except subprocess.TimeoutExpired:
            raise CommandError(
                f"{what} was stopped: it did not end within {clock.seconds:g} seconds "
                f"(option timeout){last_words(log)}"
            ) from None
        finally:
            _end(process)
    if status:
        cause = f"ended with status {status}"
        if status < 0:
            cause = f"was killed by {signal.Signals(-status).name}"
        limit = f" (it was allowed {memory:g} GiB: option memory)" if memory else ""
        raise CommandError(f"{what} {cause}{limit}{last_words(log)}")


def tail(log: Path, size: int) -> str:
    """Return the last bytes of a log as text."""
    with log.open("rb") as file:
        file.seek(max(log.stat().st_size - size, 0))
        return file.read().decode(errors="replace")


def last_words(log: Path) -> str:
    """Return the last lines of a log, set out for an error."""
    text = tail(log, _LINES * _WIDTH).replace("\r", "\n")
    lines = [line[:_WIDTH] for line in text.splitlines() if line.strip()][-_LINES:]
    return "\n".join(["; the last it said:", *(f"  {line}" for line in lines)]) if lines else ""


def check_limit(memory: float) -> None:
    """Refuse a memory limit where there is no way to set one."""
    if memory and not sys.platform.startswith("linux"):
        raise TreegaugeError("option memory: limits need Linux; leave it at 0 here")


@contextmanager
def _raised_signals() -> Iterator[None]:
    """Let a signal that asks us to end be an exception, so that programs end with us.

    They run in sessions of their own, and no terminal or queue would find them afterwards.
    """

    def leave(number: int, _: object) -> NoReturn:
        raise SystemExit(128 + number)

    asked = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]
    ours = threading.current_thread() is threading.main_thread()
    taken = [one for one in asked if ours and signal.getsignal(one) is signal.SIG_DFL]
    for one in taken:
        signal.signal(one, leave)
    try:
        yield
    finally:
        for one in taken:
            signal.signal(one, signal.SIG_DFL)


def _limit(pid: int, memory: float) -> None:
    # Data, not address space: Java and CUDA reserve far more addresses than they use.
    if memory:
        import resource

        size = int(memory * 2**30)
        try:
            resource.prlimit(pid, resource.RLIMIT_DATA, (size, size))
        except ProcessLookupError:  # it has ended already
            return


def _end(process: "subprocess.Popen[bytes]") -> None:
    """Kill whatever is left of a program and of the processes it started."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
