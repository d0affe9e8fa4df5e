"""Kernels of subsets of treebanks: random ones, and searches that exchange one for another.

In a search a subset is an order of all treebanks whose first `size` are chosen. `room` says which exchanges
are legal: (may leave, may enter, codes, lows, highs, weights, cap), where codes [bound, treebank]
are groups whose chosen members must number between lows and highs [bound, group], and the weights
of the chosen must not exceed the cap.
"""

import numpy as np

from libc.math cimport INFINITY, fabs
from libc.stdint cimport int64_t, uint8_t, uint64_t

ctypedef double* DoublesAt

ctypedef fused Count:
    uint64_t
    double


cdef class _Room:
    """Which exchanges are legal, and the chosen so far: of every group, and their weight."""

    cdef const uint8_t[::1] leave, enter
    cdef const int64_t[:, ::1] codes, lows, highs
    cdef const int64_t[::1] weights
    cdef int64_t cap, total
    cdef int64_t[:, ::1] tally

    def __init__(self, room):
        self.leave, self.enter, self.codes, self.lows, self.highs, self.weights, self.cap = room
        self.tally = np.zeros(room[3].shape, np.int64)

    cdef void count(self, const int64_t[::1] order, Py_ssize_t size) noexcept nogil:
        """Count the chosen of every group and their weight."""
        cdef Py_ssize_t i, bound
        self.tally[:] = 0
        self.total = 0
        for i in range(size):
            self.total += self.weights[order[i]]
            for bound in range(self.codes.shape[0]):
                self.tally[bound, self.codes[bound, order[i]]] += 1

    cdef bint legal(self, int64_t leaving, int64_t entering) noexcept nogil:
        """Say whether one treebank may be exchanged for another."""
        cdef Py_ssize_t bound
        cdef int64_t old, new
        if not self.leave[leaving] or not self.enter[entering]:
            return False
        if self.total - self.weights[leaving] + self.weights[entering] > self.cap:
            return False
        for bound in range(self.codes.shape[0]):
            old, new = self.codes[bound, leaving], self.codes[bound, entering]
            if old != new and (
                self.tally[bound, old] <= self.lows[bound, old]
                or self.tally[bound, new] >= self.highs[bound, new]
            ):
                return False
        return True

    cdef void exchange(self, int64_t[::1] order, Py_ssize_t i, Py_ssize_t j) noexcept nogil:
        """Exchange two places of the order and keep the counts right."""
        cdef Py_ssize_t bound
        self.total += self.weights[order[j]] - self.weights[order[i]]
        for bound in range(self.codes.shape[0]):
            self.tally[bound, self.codes[bound, order[i]]] -= 1
            self.tally[bound, self.codes[bound, order[j]]] += 1
        order[i], order[j] = order[j], order[i]


def wander(int64_t[:, ::1] orders, Py_ssize_t size, const int64_t[:, :, ::1] steps, room):
    """Walk every order through random legal exchanges; steps [order, step, 2] are places."""
    cdef _Room rules = _Room(room)
    cdef Py_ssize_t row, step, i, j
    cdef int64_t[::1] order
    with nogil:
        for row in range(orders.shape[0]):
            order = orders[row]
            rules.count(order, size)
            for step in range(steps.shape[1]):
                i, j = steps[row, step, 0], steps[row, step, 1]
                if rules.legal(order[i], order[j]):
                    rules.exchange(order, i, j)


def descend(
    numbers, const uint8_t[:, ::1] decided, const double[:, ::1] errors, double weight,
    Py_ssize_t size, const int64_t[:, ::1] orders, room,
):
    """Find the subset that keeps the order of systems and their differences best.

    numbers: systems, best first over all treebanks, x treebanks; decided [a, b]: whether these two
    differ over all treebanks. What is minimised is the share of decided pairs in the wrong order,
    twice, plus `weight` times the sum of errors [s, t] over members s, t, divided by `size`. Each
    start takes the best exchange until none helps; the best end of all is returned.
    """
    # As doubles, which hold whole numbers up to 2**53, more of them are compared at a time.
    cdef double[:, ::1] scores = np.ascontiguousarray(numbers, np.float64)
    cdef Py_ssize_t systems = scores.shape[0], held = scores.shape[1], others = held - size
    cdef Py_ssize_t row, i, j, a, b, k, at, to
    cdef int64_t pairs = max(np.sum(decided, dtype=np.int64) // 2, 1), old, new
    cdef double[:, ::1] outside = np.zeros((systems, others)), tried = np.zeros((systems, others))
    cdef double[::1] sums = np.zeros(systems), agree = np.zeros(others), spread = np.zeros(held)
    cdef int64_t[::1] order = np.zeros(held, np.int64), found = np.array(orders[0, :size])
    cdef double least = INFINITY, base, reached, best, squared, change, value
    cdef DoublesAt upper, lower
    cdef _Room rules = _Room(room)
    with nogil:
        for row in range(orders.shape[0]):
            order[:] = orders[row]
            rules.count(order, size)
            spread[:] = 0
            sums[:] = 0
            for i in range(size):
                for k in range(held):
                    spread[k] += errors[order[i], k]
                for a in range(systems):
                    sums[a] += scores[a, order[i]]
            squared = 0.0
            for i in range(size):
                squared += spread[order[i]]
            for a in range(systems):
                for j in range(others):
                    outside[a, j] = scores[a, order[size + j]]
            reached = INFINITY
            while True:
                best, at, to = reached - 1e-9, -1, -1
                for i in range(size):
                    old = order[i]
                    for a in range(systems):
                        base = sums[a] - scores[a, old]
                        for j in range(others):
                            tried[a, j] = base + outside[a, j]
                    agree[:] = 0
                    for a in range(systems):
                        upper = &tried[a, 0]
                        for b in range(a + 1, systems):
                            if decided[a, b]:
                                lower = &tried[b, 0]
                                for j in range(others):
                                    agree[j] += (upper[j] > lower[j]) - (upper[j] < lower[j])
                    for j in range(others):
                        new = order[size + j]
                        change = 2 * (spread[new] - spread[old] - errors[old, new])
                        change += errors[old, old] + errors[new, new]
                        value = 1 - agree[j] / pairs + weight * (squared + change) / size
                        if value < best and rules.legal(old, new):
                            best, at, to = value, i, j
                if at < 0:
                    break
                old, new = order[at], order[size + to]
                squared += 2 * (spread[new] - spread[old] - errors[old, new])
                squared += errors[old, old] + errors[new, new]
                for k in range(held):
                    spread[k] += errors[new, k] - errors[old, k]
                for a in range(systems):
                    sums[a] += scores[a, new] - scores[a, old]
                    outside[a, to] = scores[a, old]
                rules.exchange(order, at, size + to)
                reached = best
            if reached < least:
                least = reached
                found[:] = order[:size]
    return np.asarray(found)


def climb(
    const int64_t[:, :] leads, Py_ssize_t size, const int64_t[:, ::1] orders, int64_t tie,
    const double[::1] widths,
):
    """Find a subset on which as many rivals as possible are ahead.

    leads [rival, treebank] is the rival's score minus the system's. What is climbed is the sum over
    rivals of a smooth step lead / (width + |lead|), for ever smaller widths: a wide step pulls
    rivals that are behind towards the edge, a narrow one counts those that are over it. Returns the
    largest doubled number of rivals ahead (a tie counts `tie`) and its subset.
    """
    cdef Py_ssize_t rivals = leads.shape[0], held = leads.shape[1], row, i, j, k, rival, at, to
    cdef int64_t[::1] sums = np.zeros(rivals, np.int64), order = np.zeros(held, np.int64)
    cdef int64_t[::1] found = np.array(orders[0, :size])
    cdef int64_t most = -1, ahead
    cdef double width, best, now, value, lead
    cdef double[:, ::1] by_treebank = np.ascontiguousarray(np.asarray(leads).T, np.float64)
    cdef double[::1] base = np.zeros(rivals)
    with nogil:
        for row in range(orders.shape[0]):
            order[:] = orders[row]
            sums[:] = 0
            for i in range(size):
                for rival in range(rivals):
                    sums[rival] += leads[rival, order[i]]
            for k in range(widths.shape[0]):
                width = widths[k]
                while True:
                    best, at, to = 1e-9, -1, -1
                    now = 0.0
                    for rival in range(rivals):
                        now += sums[rival] / (width + fabs(<double> sums[rival]))
                    for i in range(size):
                        for rival in range(rivals):
                            base[rival] = <double> (sums[rival] - leads[rival, order[i]])
                        for j in range(size, held):
                            value = -now
                            for rival in range(rivals):
                                lead = base[rival] + by_treebank[order[j], rival]
                                value += lead / (width + fabs(lead))
                            if value > best:
                                best, at, to = value, i, j
                    if at < 0:
                        break
                    for rival in range(rivals):
                        sums[rival] += leads[rival, order[to]] - leads[rival, order[at]]
                    order[at], order[to] = order[to], order[at]
            ahead = 0
            for rival in range(rivals):
                ahead += 2 if sums[rival] > 0 else tie if sums[rival] == 0 else 0
            if ahead > most:
                most = ahead
                found[:] = order[:size]
    return most, np.asarray(found)


def draw_subsets(const double[:, ::1] uniform, const int64_t[::1] sizes, Py_ssize_t held):
    """Draw a random subset of `held` treebanks per column, by Floyd's method.

    `sizes` are at most the number of rows of `uniform`. Returns a mask, treebanks x columns.
    """
    made = np.zeros((held, sizes.shape[0]), np.uint8)
    cdef uint8_t[:, ::1] mask = made
    cdef Py_ssize_t i, j, last, place
    with nogil:
        for i in range(uniform.shape[0]):
            for j in range(sizes.shape[0]):
                if i < sizes[j]:
                    last = held - sizes[j] + i
                    place = <Py_ssize_t> (uniform[i, j] * (last + 1))
                    mask[last if mask[place, j] else place, j] = 1
    return made


def add_items(
    Count[::1] cells, const int64_t[::1] items, const int64_t[:, ::1] lows,
    const int64_t[:, ::1] highs, const int64_t[::1] bases,
):
    """Count subsets of 0, 1, ... items by their sum, one more item at a time.

    ``lows[i, j]`` and ``highs[i, j]`` are the least and largest sum of j of the first i items. The
    subsets of j items with sum s are counted in cell ``bases[j] + s``; rows do not overlap.
    """
    cdef Py_ssize_t i, j, s, most = bases.shape[0] - 1
    cdef Count* target
    cdef const Count* source
    with nogil:
        for i in range(items.shape[0]):
            # Larger subsets first, so that an item is used once.
            for j in range(min(i + 1, most), 0, -1):
                source = &cells[bases[j - 1] + lows[i, j - 1]]
                target = &cells[bases[j] + lows[i, j - 1] + items[i]]
                for s in range(highs[i, j - 1] - lows[i, j - 1] + 1):
                    target[s] += source[s]
