"""Exchange one treebank for another as long as it helps: kernels of the searches over subsets.

A subset is an order of all treebanks whose first `size` are chosen. `room` says which exchanges
are legal: (may leave, may enter, codes, lows, highs, weights, cap), where codes [bound, treebank]
are groups whose chosen members must number between lows and highs [bound, group], and the weights
of the chosen must not exceed the cap.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from treegauge._jit import kernel


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
def descend(errors: NDArray[np.float64], size: int, orders: NDArray[np.int64], room: Any) -> Any:
    """Find the subset S with the least sum of errors[s, t] over s, t in S, from several starts.

    Each start takes the best exchange until none helps; the best end of all is returned.
    """
    held = len(errors)
    tally = np.zeros(room[3].shape, dtype=np.int64)
    found = orders[0][:size].copy()
    least = np.inf
    for row in range(len(orders)):
        order = orders[row].copy()
        total = tallied(order, size, room, tally)
        sums = np.zeros(held)
        for i in range(size):
            sums += errors[order[i]]
        # Less than this is rounding, and taking it could go in circles.
        least_gain = -1e-9 * (1.0 + np.abs(sums[order[:size]].sum()))
        while True:
            gain, at, to = least_gain, -1, -1
            for i in range(size):
                old = order[i]
                for j in range(size, held):
                    new = order[j]
                    change = 2 * (sums[new] - sums[old] - errors[old, new])
                    change += errors[old, old] + errors[new, new]
                    if change < gain and legal(old, new, room, tally, total):
                        gain, at, to = change, i, j
            if at < 0:
                break
            sums += errors[order[to]] - errors[order[at]]
            total += room[5][order[to]] - room[5][order[at]]
            exchange(order, at, to, room, tally)
        end = sums[order[:size]].sum()
        if end < least:
            least = end
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
