"""Exchange one treebank for another as long as it helps: kernels of the searches over subsets.

A subset is an order of all treebanks whose first `size` are chosen. `room` says which exchanges
are legal: (may leave, may enter, codes, lows, highs, weights, cap), where codes [bound, treebank]
are groups whose chosen members must number between lows and highs [bound, group], and the weights
of the chosen must not exceed the cap.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from treegauge.kernels.jit import kernel


@kernel
def tallied(order: NDArray[np.int64], size: int, room: Any, tally: NDArray[np.int64]) -> Any:
    """Count the chosen of every group into `tally` and return their weight."""
    codes, weights = room[2], room[5]
    tally[:] = 0
    total = np.int64(0)
    for i in range(size):
        total += weights[order[i]]
        for bound in range(len(codes)):
            tally[bound, codes[bound, order[i]]] += 1
    return total


@kernel
def legal(leaving: int, entering: int, room: Any, tally: NDArray[np.int64], total: int) -> Any:
    """Say whether one treebank may be exchanged for another."""
    leave, enter, codes, lows, highs, weights, cap = room
    if not leave[leaving] or not enter[entering]:
        return False
    if total - weights[leaving] + weights[entering] > cap:
        return False
    for bound in range(len(codes)):
        old, new = codes[bound, leaving], codes[bound, entering]
        if old != new and (
            tally[bound, old] <= lows[bound, old] or tally[bound, new] >= highs[bound, new]
        ):
            return False
    return True


@kernel
def exchange(order: NDArray[np.int64], i: int, j: int, room: Any, tally: NDArray[np.int64]) -> None:
    """Exchange two places of the order and keep the tally right."""
    codes = room[2]
    for bound in range(len(codes)):
        tally[bound, codes[bound, order[i]]] -= 1
        tally[bound, codes[bound, order[j]]] += 1
    order[i], order[j] = order[j], order[i]


@kernel
def wander(orders: NDArray[np.int64], size: int, steps: NDArray[np.int64], room: Any) -> None:
    """Walk every order through random legal exchanges; steps [order, step, 2] are places."""
    tally = np.zeros(room[3].shape, dtype=np.int64)
    for row in range(len(orders)):
        order = orders[row]
        total = tallied(order, size, room, tally)
        for step in range(steps.shape[1]):
            i, j = steps[row, step, 0], steps[row, step, 1]
            if legal(order[i], order[j], room, tally, total):
                total += room[5][order[j]] - room[5][order[i]]
                exchange(order, i, j, room, tally)


@kernel
def descend(
    numbers: NDArray[Any], decided: NDArray[np.bool_], errors: NDArray[np.float64], weight: float,
    size: int, orders: NDArray[np.int64], room: Any,
) -> Any:  # fmt: skip
    """Find the subset that keeps the order of systems and their differences best.

    numbers: systems, best first over all treebanks, x treebanks; decided [a, b]: whether these two
    differ over all treebanks. What is minimised is the share of decided pairs in the wrong order,
    twice, plus `weight` times the sum of errors [s, t] over members s, t, divided by `size`. Each
    start takes the best exchange until none helps; the best end of all is returned.
    """
    systems, held = numbers.shape
    others = held - size
    pairs = max(decided.sum() // 2, 1)
    tally = np.zeros(room[3].shape, dtype=np.int64)
    sums = np.zeros(systems, dtype=numbers.dtype)
    outside = np.zeros((systems, others), dtype=numbers.dtype)
    tried = np.zeros((systems, others), dtype=numbers.dtype)
    agree = np.zeros(others, dtype=np.int32)
    found = orders[0][:size].copy()
    least = np.inf
    for row in range(len(orders)):
        order = orders[row].copy()
        total = tallied(order, size, room, tally)
        spread = np.zeros(held)
        sums[:] = 0
        for i in range(size):
            spread += errors[order[i]]
            sums += numbers[:, order[i]]
        squared = spread[order[:size]].sum()
        for j in range(others):
            outside[:, j] = numbers[:, order[size + j]]
        reached = np.inf
        while True:
            best, at, to = reached - 1e-9, -1, -1
            for i in range(size):
                old = order[i]
                for a in range(systems):
                    base = sums[a] - numbers[a, old]
                    for j in range(others):
                        tried[a, j] = base + outside[a, j]
                agree[:] = 0
                for a in range(systems):
                    upper = tried[a]
                    for b in range(a + 1, systems):
                        if decided[a, b]:
                            lower = tried[b]
                            for j in range(others):
                                agree[j] += np.int32(upper[j] > lower[j]) - np.int32(
                                    upper[j] < lower[j]
                                )
                for j in range(others):
                    new = order[size + j]
                    change = 2 * (spread[new] - spread[old] - errors[old, new])
                    change += errors[old, old] + errors[new, new]
                    value = 1 - agree[j] / pairs + weight * (squared + change) / size
                    if value < best and legal(old, new, room, tally, total):
                        best, at, to = value, i, j
            if at < 0:
                break
            old, new = order[at], order[size + to]
            squared += 2 * (spread[new] - spread[old] - errors[old, new])
            squared += errors[old, old] + errors[new, new]
            spread += errors[new] - errors[old]
            sums += numbers[:, new] - numbers[:, old]
            outside[:, to] = numbers[:, old]
            total += room[5][new] - room[5][old]
            exchange(order, at, size + to, room, tally)
            reached = best
        if reached < least:
            least = reached
            found = order[:size].copy()
    return found


@kernel
def climb(
    leads: NDArray[np.int64], size: int, orders: NDArray[np.int64], tie: int, widths: NDArray[Any]
) -> Any:
    """Find a subset on which as many rivals as possible are ahead.

    leads [rival, treebank] is the rival's score minus the system's. What is climbed is the sum over
    rivals of a smooth step lead / (width + |lead|), for ever smaller widths: a wide step pulls
    rivals that are behind towards the edge, a narrow one counts those that are over it. Returns the
    largest doubled number of rivals ahead (a tie counts `tie`) and its subset.
    """
    rivals, held = leads.shape
    found = orders[0][:size].copy()
    most = np.int64(-1)
    sums = np.zeros(rivals, dtype=np.int64)
    for row in range(len(orders)):
        order = orders[row].copy()
        sums[:] = 0
        for i in range(size):
            sums += leads[:, order[i]]
        for width in widths:
            while True:
                best, at, to = 1e-9, -1, -1
                now = 0.0
                for rival in range(rivals):
                    now += sums[rival] / (width + abs(sums[rival]))
                for i in range(size):
                    for j in range(size, held):
                        value = -now
                        for rival in range(rivals):
                            lead = sums[rival] - leads[rival, order[i]] + leads[rival, order[j]]
                            value += lead / (width + abs(lead))
                        if value > best:
                            best, at, to = value, i, j
                if at < 0:
                    break
                sums += leads[:, order[to]] - leads[:, order[at]]
                order[at], order[to] = order[to], order[at]
        ahead = 2 * (sums > 0).sum() + tie * (sums == 0).sum()
        if ahead > most:
            most = ahead
            found = order[:size].copy()
    return most, found
