"""Run the counting kernels over threads and add up what they counted."""

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treegauge.errors import TreegaugeError
from treegauge.ranking.scores import Scores
from treegauge.ranking.subsets import Sampler

_CHUNK = 1 << 15
TIE = {"average": 1, "min": 0, "max": 2}


class Tally:
    """Counts of ranks, pairs, extremes and agreement; whole numbers, so any order adds up alike."""

    def __init__(self, systems: int, sizes: int) -> None:
        pairs = systems * (systems - 1) // 2
        self.ranks = np.zeros((systems, 2 * systems - 1), dtype=np.int64)
        self.above = np.zeros((systems, systems), dtype=np.int64)
        self.tied = np.zeros((systems, systems), dtype=np.int64)
        self.extremes = np.tile(np.array([2 * systems, 0, -1, 0]), (systems, 1))
        self.concord = np.zeros((sizes, pairs + 1, 3), dtype=np.int64)
        self.leading = np.zeros(sizes, dtype=np.int64)

    def arrays(self) -> tuple[NDArray[np.int64], ...]:
        """Return the counters in the order the kernel takes them."""
        return self.ranks, self.above, self.tied, self.extremes, self.concord, self.leading

    def add(self, other: "Tally") -> None:
        """Add another thread's counts; of equal extremes the earlier sample stays."""
        for name in ("ranks", "above", "tied", "concord", "leading"):
            getattr(self, name)[...] += getattr(other, name)
        for at, sign in ((0, 1), (2, -1)):
            mine, theirs = sign * self.extremes[:, at], sign * other.extremes[:, at]
            earlier = other.extremes[:, at + 1] < self.extremes[:, at + 1]
            take = (theirs < mine) | ((theirs == mine) & earlier)
            self.extremes[take, at : at + 2] = other.extremes[take, at : at + 2]


def threads_of(threads: int | None) -> int:
    """Return how many threads to use: all processors this process may use, unless told."""
    if threads is None:
        allowed = getattr(os, "sched_getaffinity", lambda _: range(os.cpu_count() or 1))
        return len(allowed(0))
    if threads < 1:
        raise TreegaugeError(f"threads {threads}: expected 1 or more")
    return threads


def _spans(samples: int, threads: int) -> list[tuple[int, int]]:
    edges = [samples * i // threads for i in range(threads + 1)]
    return [(first, last) for first, last in pairwise(edges) if first < last]


def _narrow(scores: Scores) -> NDArray[Any]:
    """Return treebanks x systems as the narrowest whole numbers whose sums fit, padded."""
    from treegauge.ranking._count import WIDTH

    numbers, _ = scores.fixed_point()
    largest = int(np.abs(numbers).sum(axis=1).max())
    padded = -(-len(numbers) // WIDTH) * WIDTH
    table = np.zeros((numbers.shape[1], padded), np.int32 if largest < 2**31 else np.int64)
    table[:, : len(numbers)] = numbers.T
    return table


def tally(
    sampler: Sampler,
    samples: int,
    tie: int,
    threads: int | None,
    progress: Callable[[int], None] | None,
) -> Tally:
    """Count over samples 0 to samples - 1."""
    from treegauge.ranking._count import count

    table, plan, seed = _narrow(sampler.scores), sampler.plan, np.uint64(sampler.seed)
    totals = sampler.scores.fixed_point()[0].sum(axis=1)
    full = np.sign(totals[:, None] - totals[None, :]).astype(np.int32)
    leads = totals == totals.max()

    def work(span: tuple[int, int]) -> Tally:
        counts, scratch = Tally(len(totals), len(sampler.sizes)), plan.scratch()
        for first in range(*span, _CHUNK):
            last = min(first + _CHUNK, span[1])
            request = (first, last, table, seed, tuple(plan), scratch, tie, full, leads)
            if not count(*request, *counts.arrays()):
                raise sampler.too_tight()
            if progress is not None:
                progress(last - first)
        return counts

    merged = Tally(len(totals), len(sampler.sizes))
    spans = _spans(samples, threads_of(threads))
    with ThreadPoolExecutor(len(spans)) as pool:
        for part in pool.map(work, spans):
            merged.add(part)
    return merged


def search(
    sampler: Sampler, samples: int, tie: int, system: int, low: int, high: int, limit: int
) -> tuple[int, NDArray[np.int64], tuple[int, ...]]:
    """Find the samples where a system's doubled rank lies in low..high.

    Returns how many there are, how often each treebank is in them, and the first few's numbers.
    """
    from treegauge.ranking._count import behind

    table, plan, seed = _narrow(sampler.scores), sampler.plan, np.uint64(sampler.seed)
    spans = _spans(samples, threads_of(None))
    members = np.zeros((len(spans), len(table)), dtype=np.int64)
    found = np.full((len(spans), limit), -1, dtype=np.int64)
    asked = (tie, len(sampler.scores.systems), system, low, high)

    def work(part: int) -> int:
        request = (*spans[part], table, seed, tuple(plan), plan.scratch(), *asked)
        return int(behind(*request, members[part], found[part]))

    with ThreadPoolExecutor(len(spans)) as pool:
        number = sum(pool.map(work, range(len(spans))))
    return number, members.sum(axis=0), tuple(int(n) for n in found[found >= 0][:limit])
