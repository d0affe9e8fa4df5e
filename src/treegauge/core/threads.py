"""Parallel work in threads."""

from collections.abc import Callable, Iterable, Iterator
from contextvars import Context
from typing import TypeVar

from treegauge.core.errors import TreegaugeError
from treegauge.core.platforms import processors

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
