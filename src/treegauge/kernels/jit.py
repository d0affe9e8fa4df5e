"""The ways kernels are compiled here: lazily, cached on disk, without the GIL."""

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any, TypeVar, cast

import numba

F = TypeVar("F", bound=Callable[..., Any])
# Nothing here is called from C, so that no way in from there is compiled.
_OPTIONS: dict[str, Any] = {"nogil": True, "no_cfunc_wrapper": True}
# What only kernels call is part of them in the cache and has no way in from Python, where a call of
# it would end the process; ``kernel(function.py_func)`` makes one that may be called from there.
_WITHIN = _OPTIONS | {"no_cpython_wrapper": True}


def kernel(function: F) -> F:
    """Compile a loop over arrays with numba, keeping its Python type."""
    return cast("F", numba.njit(cache=True, **_OPTIONS)(function))


def part(function: F) -> F:
    """Compile a function that only kernels call."""
    return cast("F", numba.njit(**_WITHIN)(function))


def inner(function: F) -> F:
    """Compile a function that only kernels call, in their innermost loops.

    It must not make arrays or return them: references are not counted in it, which is what the
    calls of a small function on many arrays otherwise spend their time with.
    """
    options = _WITHIN | {"_nrt": False}
    return cast("F", numba.njit(**options)(function))


@contextmanager
def interrupts_wait() -> Iterator[None]:
    """Hold Ctrl-C back until the block is done, for kernels that run long and return arrays.

    What a compiled kernel returns becomes Python objects through Python code that numba calls
    without asking whether it succeeded. An interrupt that came while the kernel ran would be raised
    in there, and end the process with a crash.

    Examples
    --------
    >>> with interrupts_wait():
    ...     total = sum(range(10))
    >>> total
    45
    """
    usual = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or not callable(usual):
        yield  # nothing would be raised here
        return
    came: list[tuple[int, FrameType | None]] = []
    signal.signal(signal.SIGINT, lambda number, frame: came.append((number, frame)))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, usual)
        if came:
            usual(*came[-1])
