"""Rank systems on numbered samples and count: whole numbers only, so any order gives the same."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from treegauge._jit import kernel
from treegauge.ranking._draw import draw

LANES = 64
WIDTH = 32
"""Systems are padded to a multiple of this, or the compiler's vector loops would not be entered."""


@kernel
def _totals(
    first: int,
    lanes: int,
    table: NDArray[np.int32],
    seed: np.uint64,
    plan: Any,
    scratch: Any,
    totals: NDArray[np.int32],
) -> Any:
    """Draw samples first, first + 1, ... and put the systems' sums over each into a row."""
    chosen = scratch[4]
    for lane in range(lanes):
        size = draw(first + lane, seed, *plan, *scratch)
        if size < 0:
            return False
        for a in range(table.shape[1]):
            totals[lane, a] = table[chosen[0], a]
        for i in range(1, size):
            column = chosen[i]
            for a in range(table.shape[1]):
                totals[lane, a] += table[column, a]
    return True


@kernel
def count(
    first: int,
    last: int,
    table: NDArray[np.int32],
    seed: np.uint64,
    plan: Any,
    scratch: Any,
    tie: int,
    full: NDArray[np.int32],
    leads: NDArray[np.bool_],
    ranks: NDArray[np.int64],
    above: NDArray[np.int64],
    tied: NDArray[np.int64],
    extremes: NDArray[np.int64],
    concord: NDArray[np.int64],
    leading: NDArray[np.int64],
) -> Any:
    """Add samples first..last-1 to the counts; ranks are kept doubled and from 0.

    table: treebanks x systems (padded, see WIDTH); tie: what equals add to a doubled rank; full:
    sign of every pair in the ranking over all treebanks; leads: who is first there. Counts: ranks
    [system, doubled rank]; above, tied [a, b] for a < b; extremes [best rank, its sample, worst
    rank, its sample] per system; concord [size, tied pairs, (samples, sum, sum of squares)] of
    concordant minus discordant pairs; leading [size].
    """
    systems = len(full)
    drawn = np.empty((LANES, table.shape[1]), dtype=table.dtype)
    totals = np.empty((systems, LANES), dtype=table.dtype)
    doubled = np.empty((systems, LANES), dtype=np.int32)
    agree = np.empty(LANES, dtype=np.int32)
    equal = np.empty(LANES, dtype=np.int32)
    sizes = len(plan[0])
    for start in range(first, last, LANES):
        lanes = min(LANES, last - start)
        if not _totals(start, lanes, table, seed, plan, scratch, drawn):
            return False
        for a in range(systems):
            for lane in range(lanes):
                totals[a, lane] = drawn[lane, a]
        doubled[:] = 0
        agree[:] = 0
        equal[:] = 0
        for a in range(systems):
            for b in range(a + 1, systems):
                sign = full[a, b]
                wins = np.int32(0)
                same = np.int32(0)
                for lane in range(lanes):
                    more = np.int32(totals[a, lane] > totals[b, lane])
                    less = np.int32(totals[a, lane] < totals[b, lane])
                    draws = np.int32(1) - more - less
                    doubled[a, lane] += 2 * less + tie * draws
                    doubled[b, lane] += 2 * more + tie * draws
                    agree[lane] += sign * (more - less)
                    equal[lane] += draws
                    wins += more
                    same += draws
                above[a, b] += wins
                tied[a, b] += same
        for a in range(systems):
            for lane in range(lanes):
                place = doubled[a, lane]
                ranks[a, place] += 1
                if place < extremes[a, 0]:
                    extremes[a, 0], extremes[a, 1] = place, start + lane
                if place > extremes[a, 2]:
                    extremes[a, 2], extremes[a, 3] = place, start + lane
        for lane in range(lanes):
            which = (start + lane) % sizes
            value = np.int64(agree[lane])
            concord[which, equal[lane], 0] += 1
            concord[which, equal[lane], 1] += value
            concord[which, equal[lane], 2] += value * value
            best = totals[0, lane]
            for a in range(1, systems):
                best = max(best, totals[a, lane])
            for a in range(systems):
                if leads[a] and totals[a, lane] == best:
                    leading[which] += 1
                    break
    return True


@kernel
def behind(
    first: int,
    last: int,
    table: NDArray[np.int32],
    seed: np.uint64,
    plan: Any,
    scratch: Any,
    tie: int,
    systems: int,
    system: int,
    low: int,
    high: int,
    members: NDArray[np.int64],
    found: NDArray[np.int64],
) -> Any:
    """Count the samples in which one system's doubled rank lies in low..high.

    members counts how often each treebank is in such a sample; found keeps the first samples'
    numbers. Returns how many there are, or -1 if drawing failed.
    """
    drawn = np.empty((1, table.shape[1]), dtype=table.dtype)
    chosen = scratch[4]
    number = 0
    for sample in range(first, last):
        if not _totals(sample, 1, table, seed, plan, scratch, drawn):
            return -1
        place = -tie
        for a in range(systems):
            if drawn[0, a] > drawn[0, system]:
                place += 2
            elif drawn[0, a] == drawn[0, system]:
                place += tie
        if low <= place <= high:
            if number < len(found):
                found[number] = sample
            for i in range(plan[0][sample % len(plan[0])]):
                members[chosen[i]] += 1
            number += 1
    return number
