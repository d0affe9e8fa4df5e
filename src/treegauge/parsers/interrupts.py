"""Interrupts at bad moments."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType


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
