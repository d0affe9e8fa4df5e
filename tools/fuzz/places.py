"""A folder in memory for fuzzers of files."""

import atexit
import shutil
import tempfile
from functools import cache
from pathlib import Path

_MEMORY = Path("/dev/shm")


@cache
def folder() -> Path:
    """Return a folder of this process, which is deleted with it."""
    place = Path(tempfile.mkdtemp(prefix="fuzz-", dir=_MEMORY if _MEMORY.is_dir() else None))
    atexit.register(shutil.rmtree, place, ignore_errors=True)
    return place


def written(name: str, data: bytes) -> Path:
    """Write a file there."""
    path = folder() / name
    path.write_bytes(data)
    return path
