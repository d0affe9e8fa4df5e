"""What a cell may use: seconds, memory, one thread."""

import os
import re
import sys
from dataclasses import dataclass
from pathlib import Path

from treegauge.results.errors import TreegaugeError

#: Workers run one cell each, so that libraries must not start threads of their own.
ONE_THREAD = {
    **dict.fromkeys(
        (
            "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMEXPR_NUM_THREADS",
            "VECLIB_MAXIMUM_THREADS", "NUMBA_NUM_THREADS", "POLARS_MAX_THREADS",
        ),
        "1",
    ),
    "PYTHONHASHSEED": "0",  # a task that iterates over a set gives the same everywhere
}  # fmt: skip
_SECONDS = {"": 1, "s": 1, "m": 60, "h": 3600, "d": 86400}
_BYTES = {"": 1, "k": 1 << 10, "m": 1 << 20, "g": 1 << 30, "t": 1 << 40}


@dataclass(frozen=True)
class Limits:
    """Limits of a cell; None is no limit.

    Attributes
    ----------
    seconds
        By the clock; the process is killed after them.
    memory
        Bytes that a cell may take beyond what the interpreter and libraries have when it starts.
    """

    seconds: float | None = None
    memory: int | None = None

    def __bool__(self) -> bool:
        return self.seconds is not None or self.memory is not None


def read_seconds(text: str | float) -> float:
    """Read a time such as ``90``, ``"90s"``, ``"15m"`` or ``"2h"``.

    Examples
    --------
    >>> read_seconds("1.5m")
    90.0
    """
    return _read(text, _SECONDS, "a time such as 90s, 15m or 2h")


def read_bytes(text: str | float) -> int:
    """Read an amount of memory such as ``"500MB"`` or ``"2G"``.

    Examples
    --------
    >>> read_bytes("2GB") == 2 << 30
    True
    """
    short = str(text).strip().lower().removesuffix("b").removesuffix("i")
    return int(_read(short, _BYTES, "an amount of memory such as 500MB or 2GB", text))


def _read(text: object, units: dict[str, int], expected: str, given: object = None) -> float:
    found = re.fullmatch(r"(\d+(?:\.\d*)?)\s*([a-z]?)", str(text).strip().lower())
    value = float(found[1]) * units.get(found[2], 0) if found else 0.0
    if value <= 0:
        raise TreegaugeError(f"found {given or text!r}; expected {expected}")
    return value


def confine(memory: int) -> None:
    """Limit this process to so many bytes beyond what it holds; more is a MemoryError."""
    import resource

    held = 0
    statm = Path("/proc/self/statm")
    if statm.exists():
        held = int(statm.read_text().split()[0]) * os.sysconf("SC_PAGESIZE")
    limit, (_, most) = held + memory, resource.getrlimit(resource.RLIMIT_AS)
    if most != resource.RLIM_INFINITY:
        limit = min(limit, most)  # a limit set from outside cannot be raised
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))


def peak() -> int:
    """Return the most bytes this process ever held."""
    status = Path("/proc/self/status")
    found = re.search(r"VmHWM:\s*(\d+)", status.read_text()) if status.exists() else None
    if found:
        return int(found[1]) * 1024
    try:
        import resource
    except ImportError:  # where there is neither, memory stays unknown
        return 0
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most if sys.platform == "darwin" else most * 1024
