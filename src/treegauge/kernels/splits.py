"""Kernels of splits: swaps that change a displacement distance, and the paper's sampler.

The sampler takes nearest and furthest sentences with deletion, in n log n.
"""

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
    histograms: Ints, groups: Ints, offsets: Ints, test: npt.NDArray[np.bool_],
    proposals: npt.NDArray[np.int64], sign: float,
) -> float:  # fmt: skip
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


TRAIN, TEST, FREE = 0, 2, 3


@kernel
def _free(links: Ints, i: int) -> int:
    """Follow links past taken places, shortening the way for the next time."""
    root = i
    while links[root] != root:
        root = links[root]
    while links[i] != root:
        links[i], i = root, links[i]
    return root


@kernel
def _nearest(live: Ints, lengths: Ints, home: int) -> int:
    """The bin itself if it has sentences left, else the one with the nearest length."""
    place = np.searchsorted(live, home)
    if place == len(live):
        return int(live[place - 1])
    if live[place] == home or place == 0:
        return int(live[place])
    low, high = live[place - 1], live[place]
    nearer = lengths[home] - lengths[low] <= lengths[high] - lengths[home]
    return int(low if nearer else high)


@kernel
def draw(med: Floats, starts: Ints, lengths: Ints, luck: Floats, adversarial: bool) -> Ints:
    """Deal sentences to train and test.

    Sentences are sorted by length and MED; bin ``b`` is ``starts[b]:starts[b + 1]``. ``luck`` has a
    number from 0 to 1 for the length of each round, and a last one for the MED of the first.
    """
    n = len(med)
    part = np.full(n, FREE, np.int32)
    # links to the nearest free place: to the left, counted from 1 (0: none), and to the right
    left, right = np.arange(n + 1).astype(np.int32), np.arange(n + 1).astype(np.int32)
    live = np.arange(len(lengths)).astype(np.int32)
    remaining = np.diff(starts)
    total, edges, free, rounds = 0.0, 0.0, n, 0
    while free > 0:
        home = live[int(luck[rounds] * len(live))]
        if rounds == 0:
            wanted = med[starts[home] + int(luck[-1] * remaining[home])]
        else:
            wanted = total / edges
        rounds += 1
        for step in range(min(5, free)):
            b = _nearest(live, lengths, home)
            lo, hi = starts[b], starts[b + 1]
            if step == 4 and adversarial:
                small, large = _free(right, lo), _free(left, hi) - 1
                chosen = small if wanted - med[small] > med[large] - wanted else large
            else:
                place = lo + np.searchsorted(med[lo:hi], wanted)
                after, before = _free(right, place), _free(left, place) - 1
                if after >= hi:
                    chosen = before
                elif before < lo:
                    chosen = after
                else:
                    near = wanted - med[before] <= med[after] - wanted
                    chosen = before if near else after
            part[chosen] = TEST if step == 4 else TRAIN
            if step < 4:
                arcs = max(lengths[b] - 1, 1)
                total += med[chosen] * arcs
                edges += arcs
            left[chosen + 1] = chosen
            right[chosen] = chosen + 1
            remaining[b] -= 1
            free -= 1
            if remaining[b] == 0:
                live = live[live != b]
    return part
