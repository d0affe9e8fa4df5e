"""The kernel of the paper's sampler: nearest and furthest sentences with deletion, in n log n."""

import numpy as np
import numpy.typing as npt

from treegauge.kernels.jit import kernel

Ints = npt.NDArray[np.int32]
Floats = npt.NDArray[np.float64]
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
