"""Rank the systems on every sample and count the ranks, block by block, on several threads."""

from collections.abc import Callable
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from treegauge.core.errors import TreegaugeError
from treegauge.core.platforms import map_threads, worker_count
from treegauge.ranking.leaderboard import Leaderboard
from treegauge.ranking.stability.sampler import BLOCK, Mask, Sampler

_SLICE = 64
# OpenBLAS multiplies larger matrices on threads of its own, which wait for each other.
_PRODUCT = 2**18
_KEPT = 32  # blocks of samples


class ScoreSums(NamedTuple):
    """Scores for summing: systems in the order of their totals over all treebanks, best first.

    The numbers are integers, and their sums are small enough to be exact in floating point,
    in any order of addition.
    """

    order: NDArray[np.int64]
    numbers: NDArray[Any]
    totals: NDArray[np.int64]

    @classmethod
    def of(cls, board: Leaderboard) -> "ScoreSums":
        """Return the scores of a leaderboard in this order, as narrow floats."""
        numbers, _ = board.fixed_point()
        totals = numbers.sum(axis=1)
        order = np.argsort(-totals, kind="stable")
        largest = int(np.abs(numbers).sum(axis=1).max())
        if largest >= 2**53:
            raise TreegaugeError("the scores are too large for their sums to be exact")
        kind = np.float32 if largest < 2**24 else np.float64
        return cls(order, numbers[order].astype(kind), totals[order])

    def sums(self, mask: Mask) -> NDArray[Any]:
        """Return systems x samples: the sum of each system's scores over each sample.

        Slices are small, so that the linear algebra library starts no threads of its own.
        """
        treebanks, samples = mask.shape
        width = max(1, min(_SLICE, _PRODUCT // self.numbers.size))
        slices = -(-samples // width)
        chosen = np.zeros((treebanks, slices * width), dtype=self.numbers.dtype)
        chosen[:, :samples] = mask
        sums = np.empty((len(self.numbers), slices * width), dtype=self.numbers.dtype)
        apart = (part.reshape(len(part), slices, width).transpose(1, 0, 2) for part in (chosen, sums))
        np.matmul(self.numbers, next(apart), out=next(apart))
        return sums[:, :samples]


class RankTally:
    """Integer counts of ranks, pairs, extremes and agreement; the order of addition is irrelevant.

    Systems are in the table's order. Ranks are doubled and count from 0. `extremes` has each
    system's best doubled rank, its first sample, the worst, and its first sample; `concord` is
    sizes x tied pairs x (samples, sum, sum of squares) of concordant minus discordant pairs;
    `leading` counts, by size, the samples in which a leader over all treebanks leads.
    """

    def __init__(self, systems: int, sizes: int) -> None:
        self.ranks = np.zeros((systems, 2 * systems - 1), dtype=np.int64)
        self.above = np.zeros((systems, systems), dtype=np.int64)
        self.extremes = np.tile(np.array([2 * systems, 0, -1, 0]), (systems, 1))
        self.concord = np.zeros((sizes, systems * (systems - 1) // 2 + 1, 3), dtype=np.int64)
        self.leading = np.zeros(sizes, dtype=np.int64)

    def merge(self, other: "RankTally") -> None:
        """Add another thread's counts."""
        for name in ("ranks", "above", "concord", "leading"):
            getattr(self, name)[...] += getattr(other, name)
        self._extend(other.extremes)

    def _extend(self, extremes: NDArray[np.int64]) -> None:
        """Keep the more extreme best and worst ranks; on ties the earlier sample."""
        for place, sign in ((0, 1), (2, -1)):
            mine, theirs = sign * self.extremes[:, place], sign * extremes[:, place]
            earlier = extremes[:, place + 1] < self.extremes[:, place + 1]
            take = (theirs < mine) | ((theirs == mine) & earlier)
            self.extremes[take, place : place + 2] = extremes[take, place : place + 2]

    def count(self, table: ScoreSums, mask: Mask, first: int, tie: int) -> None:
        """Add the samples of a mask; the first of them has the number `first`."""
        sums, samples = table.sums(mask), mask.shape[1]
        systems = len(sums)
        upper, lower = np.triu_indices(systems, 1)
        kind = np.uint8 if systems < 256 else np.uint16
        beaten = np.zeros((systems, samples), dtype=kind)
        won, lost = (np.zeros((len(upper), BLOCK // 8), dtype=np.uint8) for _ in range(2))
        agree = np.full(samples, len(upper), dtype=np.int32)
        octets, pair = -(-samples // 8), 0
        for a in range(systems - 1):
            more, less = sums[a] > sums[a + 1 :], sums[a] < sums[a + 1 :]
            upsets = np.add.reduce(less.view(np.uint8), axis=0, dtype=kind)
            beaten[a] += upsets
            beaten[a + 1 :] += more.view(np.uint8)
            agree -= upsets  # twice: one pair fewer is concordant, one more is discordant
            agree -= upsets
            rows = slice(pair, pair + len(more))
            won[rows, :octets] = np.packbits(more, axis=1)
            lost[rows, :octets] = np.packbits(less, axis=1)
            pair += len(more)
        wins, losses = _true(won), _true(lost)
        self.above[upper, lower] += wins
        self.above[lower, upper] += losses
        equal = np.zeros_like(beaten)
        ties = np.zeros(samples, dtype=np.int64)
        tied = np.flatnonzero(wins + losses < samples)
        if len(tied):
            which, columns = _zeros(won[tied] | lost[tied], samples)
            np.add.at(equal, (upper[tied[which]], columns), 1)
            np.add.at(equal, (lower[tied[which]], columns), 1)
            ties = np.bincount(columns, minlength=samples)
        for same in np.flatnonzero(table.totals[upper] == table.totals[lower]):
            # Such a pair is tied over all treebanks, so a sample cannot agree with its order.
            agree -= np.unpackbits(won[same], count=samples)
            agree += np.unpackbits(lost[same], count=samples)
        self._ranks(2 * beaten.astype(np.int16) + tie * equal.astype(np.int16), first)
        self._agreement(table, sums, agree - ties, ties, first)

    def _ranks(self, doubled: NDArray[np.int16], first: int) -> None:
        for system, row in enumerate(doubled):
            self.ranks[system] += np.bincount(row, minlength=self.ranks.shape[1])
        best, worst = doubled.argmin(axis=1), doubled.argmax(axis=1)
        ends = doubled.min(axis=1), first + best, doubled.max(axis=1), first + worst
        self._extend(np.stack(ends, axis=1))

    def _agreement(self, table: ScoreSums, sums: Any, agree: Any, ties: NDArray[np.int64], first: int) -> None:
        sizes, pairs = self.concord.shape[:2]
        which = (first + np.arange(len(agree))) % sizes
        for power in range(3):
            # Sums of squares of a block stay far below 2**53, so bincount's floats are exact.
            sums_ = np.bincount(which * pairs + ties, agree**power, sizes * pairs)
            self.concord[:, :, power] += sums_.reshape(sizes, pairs).astype(np.int64)
        leaders = int((table.totals == table.totals[0]).sum())
        leads = sums[:leaders].max(axis=0) == sums.max(axis=0)
        self.leading += np.bincount(which[leads], minlength=sizes)


def _true(bits: NDArray[np.uint8]) -> NDArray[np.int64]:
    """Count the bits that are set in each row."""
    return np.asarray(np.bitwise_count(bits.view(np.uint64)).sum(axis=1, dtype=np.int64))


def _zeros(bits: NDArray[np.uint8], columns: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return rows and columns of the bits that are not set."""
    rows, octets = np.nonzero(bits != 255)
    which, bit = np.nonzero(np.unpackbits(~bits[rows, octets][:, None], axis=1))
    column = 8 * octets[which] + bit
    real = column < columns  # the last octet may be padded
    return rows[which][real], column[real]


def tally_ranks(
    sampler: Sampler, samples: int, tie: int, workers: int | None, progress: Callable[[int], None] | None
) -> tuple[RankTally, ScoreSums]:
    """Count over samples 0 to samples - 1."""
    table = ScoreSums.of(sampler.board)
    blocks, threads = -(-samples // BLOCK), worker_count(workers)

    def work(worker: int) -> RankTally:
        counts = RankTally(len(table.numbers), len(sampler.sizes))
        for number in range(worker, blocks, threads):
            first = number * BLOCK
            mask = sampler.block(number)[:, : samples - first]
            counts.count(table, mask, first, tie)
            if progress is not None:
                progress(mask.shape[1])
        return counts

    _ = sampler.plan  # computed once, before threads need it
    total = RankTally(len(table.numbers), len(sampler.sizes))
    for part in map_threads(work, range(threads), threads):
        total.merge(part)
    return total, table


class SampleSearch:
    """Search for the samples in which a system has certain ranks.

    Keeps blocks of samples and their sums for the next search if they are few.
    """

    def __init__(self, sampler: Sampler, samples: int, tie: int) -> None:
        self.sampler, self.samples, self.tie = sampler, samples, tie
        self.table = ScoreSums.of(sampler.board)
        self._drawn = lru_cache(maxsize=_KEPT)(self._draw)

    def _draw(self, first: int) -> tuple[Mask, NDArray[Any]]:
        mask = self.sampler.block(first // BLOCK)[:, : self.samples - first]
        return mask, self.table.sums(mask)

    def find(self, system: int, low: int, high: int, limit: int) -> tuple[int, NDArray[np.int64], tuple[int, ...]]:
        """Find the samples where a system's doubled rank lies in low..high.

        Returns their number, the count of each treebank in them, and the numbers of the first few.
        """
        row = int(np.flatnonzero(self.table.order == system)[0])
        members = np.zeros(len(self.sampler.board.treebanks), dtype=np.int64)
        number, numbers = 0, np.zeros(0, dtype=np.int64)
        for first in range(0, self.samples, BLOCK):
            mask, sums = self._drawn(first)
            better = (sums > sums[row]).sum(axis=0)
            doubled = 2 * better + self.tie * ((sums == sums[row]).sum(axis=0) - 1)
            hits = np.flatnonzero((low <= doubled) & (doubled <= high))
            number += len(hits)
            members += mask[:, hits].sum(axis=1, dtype=np.int64)
            if len(numbers) < limit:
                numbers = np.concatenate([numbers, first + hits])[:limit]
        return number, members, tuple(numbers.tolist())
