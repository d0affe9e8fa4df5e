"""One driver at a time on a store."""

import os
import platform
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import IO

from treegauge.results.errors import TreegaugeError

PATIENCE = 0.3
"""Seconds to try for: whoever only asks whether a store is in use holds the lock for an instant."""


class BusyError(TreegaugeError):
    """Another process writes to the store."""


@contextmanager
def locked(path: Path, what: str) -> Iterator[None]:
    """Hold a lock that ends with the process, however it ends."""
    try:
        opened = path.open("a+", encoding="utf-8")
    except OSError as error:
        raise TreegaugeError(f"cannot write to {what}: {error.strerror}") from error
    with opened as file:
        patience = time.monotonic() + PATIENCE
        while not _taken(file):
            if time.monotonic() > patience:
                raise BusyError(
                    f"{what} is in use by {holder(path)}; wait for it, or run into another store "
                    "and merge the two"
                )
            time.sleep(PATIENCE / 10)
        file.truncate(0)
        now = datetime.now(UTC).strftime("%Y-%m-%d %H:%M:%S UTC")
        file.write(f"process {os.getpid()} on {platform.node()} since {now}\n")
        file.flush()
        yield


def _taken(file: IO[str], *, shared: bool = False) -> bool:
    """Try to lock a file; on Windows a byte far behind its end, so that its text can be read."""
    try:
        import fcntl
    except ImportError:
        import msvcrt

        file.seek(1 << 30)
        try:
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined]
        except OSError:
            return False
        return True
    try:
        fcntl.flock(file, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def holder(path: Path) -> str:
    """Return who took the lock last."""
    try:
        return path.read_text(encoding="utf-8").strip() or "another process"
    except OSError:
        return "another process"


def is_locked(path: Path) -> bool:
    """Tell whether somebody holds the lock."""
    if not path.exists():
        return False
    with path.open("r", encoding="utf-8") as file:
        return not _taken(file, shared=True)
