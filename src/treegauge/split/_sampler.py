"""The kernel of the paper's sampler: nearest and furthest sentences with deletion, in n log n."""

import numpy as np
import numpy.typing as npt

from treegauge._jit import kernel

Ints = npt.NDArray[np.int32]
Floats = npt.NDArray[np.float64]
TRAIN, TEST, FREE = 0, 2, 3


@kernel
def _alive(links: Ints, i: int) -> int:
    """Follow links past deleted places, shortening the way for the next time."""
    root = i
    while links[root] != root:
        root = links[root]
    while links[i] != root:
        links[i], i = root, links[i]
    return root


@kernel
def _bin(left: Ints, right: Ints, lengths: Ints, b: int) -> int:
    """The bin itself if it has sentences left, else the one with the nearest length."""
    low, high = _alive(left, b + 1) - 1, _alive(right, b)
    if low < 0:
        return high
    if high >= len(lengths):
        return low
    return low if lengths[b] - lengths[low] <= lengths[high] - lengths[b] else high


@kernel
def draw(med: Floats, starts: Ints, lengths: Ints, order: Ints, adversarial: bool) -> Ints:
    """Deal sentences to train and test.

    Sentences are sorted by length and MED; bin ``b`` is ``starts[b]:starts[b + 1]``. ``order`` is
    a random order of the sentences: lengths are those of its free ones in turn, round and round.
    """
    n, bins = len(med), len(lengths)
    part = np.full(n, FREE, np.int32)
    # links to the nearest free place: to the left, counted from 1 (0: none), and to the right
    left, right = np.arange(n + 1).astype(np.int32), np.arange(n + 1).astype(np.int32)
    bin_left = np.arange(bins + 1).astype(np.int32)
    bin_right = np.arange(bins + 1).astype(np.int32)
    remaining = np.diff(starts)
    bin_of = np.empty(n, np.int32)
    for b in range(bins):
        bin_of[starts[b] : starts[b + 1]] = b
    total, words, free, next_in_order, first = 0.0, 0.0, n, 0, True
    while free > 0:
        while part[order[next_in_order]] != FREE:
            next_in_order = (next_in_order + 1) % n
        seed_place = order[next_in_order]
        next_in_order = (next_in_order + 1) % n
        home = bin_of[seed_place]
        target = med[seed_place] if first else total / max(words, 1.0)
        current = 0.0
        for step in range(5):
            if free == 0:
                break
            b = _bin(bin_left, bin_right, lengths, home)
            lo, hi = starts[b], starts[b + 1]
            wanted = target if step == 0 else current
            if step == 4 and adversarial:
                small, large = _alive(right, lo), _alive(left, hi) - 1
                chosen = small if wanted - med[small] > med[large] - wanted else large
            else:
                place = lo + np.searchsorted(med[lo:hi], wanted)
                after, before = _alive(right, place), _alive(left, place) - 1
                if after >= hi:
                    chosen = before
                elif before < lo:
                    chosen = after
                else:
                    near = wanted - med[before] <= med[after] - wanted
                    chosen = before if near else after
            if step == 0:
                current = med[chosen]
            part[chosen] = TEST if step == 4 else TRAIN
            if step < 4:
                edges = max(lengths[b] - 1, 1)
                total += med[chosen] * edges
                words += edges
            left[chosen + 1] = chosen
            right[chosen] = chosen + 1
            remaining[b] -= 1
            if remaining[b] == 0:
                bin_left[b + 1] = b
                bin_right[b] = b + 1
            free -= 1
        first = False
    return part
