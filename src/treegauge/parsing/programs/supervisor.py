"""A process between treegauge and an external program, which ends with everything it started.

The supervisor's standard input is a pipe that treegauge holds. When it closes, treegauge has ended,
also by kill -9: the supervisor kills the program, all processes that it started, and removes the
temporary folder. It runs no code of the program, and imports nothing but the standard library and
modules of ``treegauge.core`` that need no more.
"""

import json
import os
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NoReturn

from treegauge.core.platforms import adopt_orphans, confining, end_descendants, end_group, own_group, resend_signal

_ROOT = str(Path(__file__).parents[3])
_CODE = (
    "import sys; sys.path.insert(0, sys.argv[1]);"
    "from treegauge.parsing.programs.supervisor import supervise; supervise(sys.argv[2])"
)
STOP = b"x"
"""Sent to end the program while treegauge continues."""
NOT_STARTED = 126
"""Exit status if the program cannot be started, as of shells."""


def start_supervised(
    words: Sequence[str], *, given: Path, folder: Path, temporary: Path | None, memory: int,
    largest: int, environment: Mapping[str, str], stderr: int = subprocess.PIPE,
) -> "subprocess.Popen[bytes]":  # fmt: skip
    """Start a supervisor with its program; its status is that of the program.

    Parameters
    ----------
    words
        The command.
    given
        The file for its standard input.
    folder
        Where it runs.
    temporary
        A folder to remove if treegauge ends first.
    memory, largest
        Bytes of data of a process, 0 for no limit; and bytes of a file.
    environment
        Environment variables.
    stderr
        Where its standard error goes: a pipe of its own, or that of the standard output.
    """
    job = {
        "words": list(words), "given": str(given), "memory": memory, "largest": largest,
        "temporary": temporary and str(temporary),
    }  # fmt: skip
    python = [sys.executable, "-I", "-S", f"-Xutf8={sys.flags.utf8_mode}", "-c", _CODE]
    return subprocess.Popen(  # noqa: S603 -- no shell; the supervisor starts the words as they are
        [*python, _ROOT, json.dumps(job)], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        stderr=stderr, cwd=folder, env=dict(environment), **own_group(),
    )  # fmt: skip


def stop_supervised(process: "subprocess.Popen[bytes]", patience: float = 10) -> None:
    """End a supervisor, its program and everything that the program started."""
    assert process.stdin is not None  # noqa: S101 -- it was started with a pipe
    try:
        process.stdin.write(STOP)
        process.stdin.close()
    except OSError:  # it has ended already
        pass
    try:
        process.wait(patience)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def supervise(job: str) -> NoReturn:  # runs in the supervisor's process
    """Start a program, and end as it does; end it when the standard input closes."""
    settings = json.loads(job)  # our own, with names that may not be UTF-8
    adopt_orphans()
    try:
        with Path(settings["given"]).open("rb") as source:
            program = subprocess.Popen(  # noqa: S603 -- no shell
                settings["words"], stdin=source, **own_group(), **confining(settings["memory"], settings["largest"])
            )
    except (OSError, ValueError, subprocess.SubprocessError) as error:
        sys.stderr.write(f"cannot start {settings['words'][0]!r}: {error}\n")
        sys.exit(NOT_STARTED)
    closing = threading.Event()
    threading.Thread(target=_end_as, args=(program, closing), daemon=True).start()
    stopped = os.read(0, 1) == STOP
    closing.set()
    _end(program)
    if settings["temporary"] and not stopped:
        shutil.rmtree(settings["temporary"], ignore_errors=True)
    os._exit(1)


def _end_as(program: "subprocess.Popen[bytes]", closing: threading.Event) -> None:
    """Wait for the program; end what it left behind, then this process with the same status.

    While the other thread is `closing` this process, that thread ends it.
    """
    status = program.wait()
    if closing.is_set():
        return
    _end(program)
    if status < 0:
        resend_signal(signal.Signals(-status))
    os._exit(status & 0xFF if status >= 0 else 1)


def _end(program: "subprocess.Popen[bytes]") -> None:
    if not end_group(program.pid):
        program.kill()
    end_descendants()
