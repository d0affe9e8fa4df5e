"""The kernel that moves a split towards a smaller or larger displacement distance by swaps."""

import numpy as np
import numpy.typing as npt

from treegauge.kernels.jit import kernel

Ints = npt.NDArray[np.int32]
Floats = npt.NDArray[np.float64]


@kernel
def distance(inside: Floats, outside: Floats) -> float:
    """Wasserstein-1 distance of two histograms over the same integers."""
    a, b = inside.sum(), outside.sum()
    if a == 0.0 or b == 0.0:
        return 0.0
    running = total = 0.0
    for d in range(len(inside)):
        running += inside[d] / a - outside[d] / b
        total += abs(running)
    return total


@kernel
def swap(
    histograms: Ints,
    groups: Ints,
    offsets: Ints,
    test: npt.NDArray[np.bool_],
    proposals: npt.NDArray[np.int64],
    sign: float,
) -> float:
    """Swap units of equal group between train and test wherever that raises sign x distance.

    ``groups`` lists units group by group (``offsets``); a proposal names a unit and, by a large
    random number, its partner in the same group. Returns the distance reached.
    """
    bins = histograms.shape[1]
    inside, outside = np.zeros(bins), np.zeros(bins)
    group_of = np.empty(len(groups), np.int32)
    for g in range(len(offsets) - 1):
        for k in range(offsets[g], offsets[g + 1]):
            group_of[groups[k]] = g
    for u in range(len(histograms)):
        if test[u]:
            inside += histograms[u]
        else:
            outside += histograms[u]
    best = distance(inside, outside)
    for k in range(len(proposals)):
        u = proposals[k, 0]
        g = group_of[u]
        v = groups[offsets[g] + proposals[k, 1] % (offsets[g + 1] - offsets[g])]
        if test[u] == test[v]:
            continue
        if test[v]:
            u, v = v, u
        for d in range(bins):
            change = histograms[v, d] - histograms[u, d]
            inside[d] += change
            outside[d] -= change
        reached = distance(inside, outside)
        if sign * reached > sign * best:
            best = reached
            test[u], test[v] = False, True
        else:
            for d in range(bins):
                change = histograms[v, d] - histograms[u, d]
                inside[d] -= change
                outside[d] += change
    return best
