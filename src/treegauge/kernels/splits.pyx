"""Kernels of splits: swaps that change a displacement distance, and the paper's sampler.

The sampler takes nearest and furthest sentences with deletion, in n log n.
"""

import numpy as np

from libc.math cimport fabs
from libc.stdint cimport int32_t, int64_t, uint8_t

ctypedef const int32_t[::1] Ints
ctypedef const double[::1] Floats

cpdef enum:
    TRAIN = 0, TEST = 2, FREE = 3


cpdef double distance(Floats inside, Floats outside) noexcept nogil:
    """Wasserstein-1 distance of two histograms over the same integers."""
    cdef double a = 0.0, b = 0.0, running = 0.0, total = 0.0
    cdef Py_ssize_t d
    for d in range(inside.shape[0]):
        a += inside[d]
        b += outside[d]
    if a == 0.0 or b == 0.0:
        return 0.0
    for d in range(inside.shape[0]):
        running += inside[d] / a - outside[d] / b
        total += fabs(running)
    return total


def swap(
    const int32_t[:, ::1] histograms, Ints groups, Ints offsets, uint8_t[::1] test,
    const int64_t[:, ::1] proposals, double sign,
):
    """Swap units of equal group between train and test wherever that raises sign x distance.

    ``groups`` lists units group by group (``offsets``); a proposal names a unit and, by a large
    random number, its partner in the same group. Returns the distance reached.
    """
    cdef Py_ssize_t bins = histograms.shape[1], k, d, u, v, g
    cdef double[::1] inside = np.zeros(bins), outside = np.zeros(bins)
    cdef int32_t[::1] group_of = np.empty(len(groups), np.int32)
    cdef double best, reached, change
    with nogil:
        for g in range(offsets.shape[0] - 1):
            for k in range(offsets[g], offsets[g + 1]):
                group_of[groups[k]] = <int32_t> g
        for u in range(histograms.shape[0]):
            for d in range(bins):
                if test[u]:
                    inside[d] += histograms[u, d]
                else:
                    outside[d] += histograms[u, d]
        best = distance(inside, outside)
        for k in range(proposals.shape[0]):
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


cdef int32_t _free(int32_t[::1] links, Py_ssize_t i) noexcept nogil:
    """Follow links past taken places, shortening the way for the next time."""
    cdef int32_t root = <int32_t> i, after
    while links[root] != root:
        root = links[root]
    while links[i] != root:
        after = links[i]
        links[i] = root
        i = after
    return root


cdef int32_t _nearest(
    int32_t[::1] live, Py_ssize_t count, Ints lengths, int32_t home
) noexcept nogil:
    """The bin itself if it has sentences left, else the one with the nearest length."""
    cdef Py_ssize_t low = 0, high = count, middle
    while low < high:
        middle = (low + high) // 2
        if live[middle] < home:
            low = middle + 1
        else:
            high = middle
    if low == count:
        return live[low - 1]
    if live[low] == home or low == 0:
        return live[low]
    if lengths[home] - lengths[live[low - 1]] <= lengths[live[low]] - lengths[home]:
        return live[low - 1]
    return live[low]


def draw(Floats med, Ints starts, Ints lengths, Floats luck, bint adversarial):
    """Deal sentences to train and test.

    Sentences are sorted by length and MED; bin ``b`` is ``starts[b]:starts[b + 1]``. ``luck`` has a
    number from 0 to 1 for the length of each round, and a last one for the MED of the first.
    """
    cdef Py_ssize_t n = len(med), count = len(lengths), free = n, rounds = 0, step, lo, hi, k, kept
    cdef int32_t[::1] part = np.full(n, FREE, np.int32), remaining = np.diff(starts)
    # links to the nearest free place: to the left, counted from 1 (0: none), and to the right
    cdef int32_t[::1] left = np.arange(n + 1, dtype=np.int32)
    cdef int32_t[::1] right = np.arange(n + 1, dtype=np.int32)
    cdef int32_t[::1] live = np.arange(count, dtype=np.int32)
    cdef int32_t home, b, small, large, chosen, after, before, arcs
    cdef double total = 0.0, edges = 0.0, wanted
    with nogil:
        while free > 0:
            home = live[<Py_ssize_t> (luck[rounds] * count)]
            if rounds == 0:
                wanted = med[
                    starts[home] + <Py_ssize_t> (luck[luck.shape[0] - 1] * remaining[home])
                ]
            else:
                wanted = total / edges
            rounds += 1
            for step in range(min(<Py_ssize_t> 5, free)):
                b = _nearest(live, count, lengths, home)
                lo, hi = starts[b], starts[b + 1]
                if step == 4 and adversarial:
                    small, large = _free(right, lo), _free(left, hi) - 1
                    chosen = small if wanted - med[small] > med[large] - wanted else large
                else:
                    k, kept = lo, hi
                    while k < kept:
                        if med[(k + kept) // 2] < wanted:
                            k = (k + kept) // 2 + 1
                        else:
                            kept = (k + kept) // 2
                    after, before = _free(right, k), _free(left, k) - 1
                    if after >= hi:
                        chosen = before
                    elif before < lo:
                        chosen = after
                    elif wanted - med[before] <= med[after] - wanted:
                        chosen = before
                    else:
                        chosen = after
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
                    kept = 0
                    for k in range(count):
                        if live[k] != b:
                            live[kept] = live[k]
                            kept += 1
                    count = kept
    return np.asarray(part)
