"""Loops behind :mod:`treegauge.treebanks.data.trees`, over all sentences of a treebank at once.

A word is its row in the treebank here, and its parent the row of its head, so that a treebank is
one forest and only what concerns neighbouring words has to look at sentence boundaries.
Nothing recurses; everything is linear but the two functions that say otherwise.
"""

import numpy as np

from libc.stdint cimport int32_t, int64_t, uint8_t

ctypedef const int32_t[::1] Ints
ctypedef const int64_t[::1] Longs


def parents(Ints heads, Longs offsets):
    """Give the row of each word's head, -1 for roots and for heads that name no word."""
    cdef int32_t[::1] parent = np.full(len(heads), -1, np.int32)
    cdef Py_ssize_t sentence, row, start, stop
    with nogil:
        for sentence in range(offsets.shape[0] - 1):
            start, stop = offsets[sentence], offsets[sentence + 1]
            for row in range(start, stop):
                if 1 <= heads[row] <= stop - start:
                    parent[row] = <int32_t> (start + heads[row] - 1)
    return np.asarray(parent)


def cycles(Ints parent):
    """Give the leftmost word of the cycle each word lies on, -1 for words on none."""
    made = np.full(len(parent), -1, np.int32)
    cdef int32_t[::1] cycle = made, walk = np.full(len(parent), -1, np.int32)
    cdef int32_t start, row, leftmost, step
    with nogil:
        for start in range(<int32_t> parent.shape[0]):
            row = start
            while row >= 0 and walk[row] < 0:
                walk[row] = start
                row = parent[row]
            if row < 0 or walk[row] != start:
                continue
            leftmost, step = row, parent[row]
            while step != row:
                leftmost = min(leftmost, step)
                step = parent[step]
            cycle[row] = leftmost
            step = parent[row]
            while step != row:
                cycle[step] = leftmost
                step = parent[step]
    return made


def preorder(Ints forest):
    """Visit heads before dependents, dependents left to right.

    Returns the rows in that order, the place of each row in it, and the sizes of the subtrees: the
    descendants of a word are the ``size[word]`` rows that begin at its place.
    """
    cdef Py_ssize_t count = len(forest), index
    ordered, placed = np.empty(count, np.int32), np.empty(count, np.int32)
    sizes = np.ones(count, np.int32)
    cdef int32_t[::1] order = ordered, place = placed, size = sizes
    cdef int32_t[::1] child = np.full(count, -1, np.int32), sibling = np.full(count, -1, np.int32)
    cdef int32_t top, row, clock = 0
    with nogil:
        for index in range(count - 1, -1, -1):
            if forest[index] >= 0:
                sibling[index] = child[forest[index]]
                child[forest[index]] = <int32_t> index
        for top in range(<int32_t> count):
            if forest[top] >= 0:
                continue
            row = top
            while True:
                order[clock] = row
                place[row] = clock
                clock += 1
                if child[row] >= 0:
                    row = child[row]
                    continue
                while row != top and sibling[row] < 0:
                    row = forest[row]
                if row == top:
                    break
                row = sibling[row]
        for index in range(count - 1, -1, -1):
            row = order[index]
            if forest[row] >= 0:
                size[forest[row]] += size[row]
    return ordered, placed, sizes


def depths(Ints heads, Ints forest, Ints order):
    """Count the arcs up to a root word, -1 where the way up does not end in one."""
    cdef int32_t[::1] depth = np.full(len(heads), -1, np.int32)
    cdef Py_ssize_t index, row, up
    with nogil:
        for index in range(order.shape[0]):
            row = order[index]
            up = forest[row]
            if up >= 0:
                depth[row] = depth[up] + 1 if depth[up] >= 0 else -1
            elif heads[row] == 0:
                depth[row] = 0
    return np.asarray(depth)


cdef inline bint _dominates(
    Py_ssize_t row, Py_ssize_t other, Ints cycle, Ints place, Ints size
) noexcept nogil:
    """Whether the way up from ``other`` passes ``row``."""
    cdef Py_ssize_t top = cycle[row] if cycle[row] >= 0 else row
    return place[top] <= place[other] < place[top] + size[top]


def projective(Ints parent, Ints cycle, Ints place, Ints size, Longs offsets):
    """Say of each word whether everything between it and its head descends from its head.

    Each word grows the unbroken run of its descendants around it. A run met on the way is swallowed
    whole and never looked at again, so that the two sweeps stay linear.
    """
    made = np.ones(len(parent), np.bool_)
    cdef uint8_t[::1] fine = made
    cdef int32_t[:, ::1] runs = np.empty((2, len(parent)), np.int32)
    cdef int32_t[::1] left = runs[0], right = runs[1]
    cdef Py_ssize_t sentence, start, stop, row, edge
    with nogil:
        for sentence in range(offsets.shape[0] - 1):
            start, stop = offsets[sentence], offsets[sentence + 1]
            for row in range(start, stop):
                edge = row
                while edge > start and _dominates(row, edge - 1, cycle, place, size):
                    edge = left[edge - 1]
                left[row] = <int32_t> edge
            for row in range(stop - 1, start - 1, -1):
                edge = row
                while edge + 1 < stop and _dominates(row, edge + 1, cycle, place, size):
                    edge = right[edge + 1]
                right[row] = <int32_t> edge
        for row in range(parent.shape[0]):
            if parent[row] >= 0:
                fine[row] = left[parent[row]] <= row <= right[parent[row]]
    return made


cdef void _heavy_paths(
    Ints forest, Ints order, Ints size, int32_t[::1] heavy, int32_t[::1] top
) noexcept nogil:
    """Split the forest into paths along the largest subtrees; write each word's path's top."""
    cdef Py_ssize_t index, row, up
    for index in range(order.shape[0]):
        row = order[index]
        up = forest[row]
        if up >= 0 and (heavy[up] < 0 or size[row] > size[heavy[up]]):
            heavy[up] = <int32_t> row
    for index in range(order.shape[0]):
        row = order[index]
        up = forest[row]
        top[row] = top[up] if up >= 0 and heavy[up] == row else <int32_t> row


def gaps(Ints forest, Ints cycle, Ints order, Ints place, Ints size, Longs offsets):
    """Count the gaps in each word's yield, n log n at worst.

    A yield has as many blocks as words, less the pairs of neighbours in it; a pair is in the yields
    of its lowest common ancestor and all above. On a cycle only the leftmost word is counted for.
    """
    made = np.ones(len(forest), np.int32)
    cdef int32_t[::1] blocks = made, top = np.empty(len(forest), np.int32)
    cdef int32_t[::1] heavy = np.full(len(forest), -1, np.int32)
    cdef Py_ssize_t sentence, index, row, one, two
    with nogil:
        _heavy_paths(forest, order, size, heavy, top)
        for sentence in range(offsets.shape[0] - 1):
            for row in range(offsets[sentence] + 1, offsets[sentence + 1]):
                one, two = row - 1, row
                while one >= 0 and two >= 0 and top[one] != top[two]:
                    if place[top[one]] > place[top[two]]:
                        one = forest[top[one]]
                    else:
                        two = forest[top[two]]
                if one >= 0 and two >= 0:
                    blocks[one if place[one] < place[two] else two] -= 1
        for index in range(order.shape[0] - 1, -1, -1):
            row = order[index]
            if forest[row] >= 0:
                blocks[forest[row]] += blocks[row]
        for row in range(forest.shape[0]):
            if cycle[row] >= 0:
                blocks[row] = blocks[cycle[row]]
    return made - np.int32(1)


def crossings(Ints heads, Longs offsets, bint root_arc):
    """Count pairs of arcs a < c < b < d, sentence by sentence, n log n.

    Sweeping right, an arc that ends crosses the arcs still open that began inside it; a Fenwick
    tree over left ends counts those.
    """
    cdef int64_t[::1] total = np.zeros(len(offsets) - 1, np.int64)
    cdef Py_ssize_t longest = np.diff(offsets).max(initial=0)
    cdef int32_t[::1] fenwick = np.zeros(longest + 2, np.int32)
    cdef int32_t[::1] opening = np.zeros(longest + 1, np.int32)
    cdef int32_t[::1] ending = np.full(longest + 1, -1, np.int32)
    cdef int32_t[::1] chain = np.full(longest + 1, -1, np.int32)
    cdef Py_ssize_t sentence, start, length, word, head, position, index, inside, opened
    with nogil:
        for sentence in range(offsets.shape[0] - 1):
            start, length = offsets[sentence], offsets[sentence + 1] - offsets[sentence]
            fenwick[: length + 2] = 0
            opening[: length + 1] = 0
            ending[: length + 1] = -1
            for word in range(1, length + 1):
                head = heads[start + word - 1]
                if head < (0 if root_arc else 1) or head > length or head == word:
                    continue
                opening[min(head, word)] += 1
                chain[word] = ending[max(head, word)]
                ending[max(head, word)] = <int32_t> word
            opened = 0
            for position in range(length + 1):
                word = ending[position]
                while word >= 0:
                    index = min(<Py_ssize_t> heads[start + word - 1], word) + 1
                    while index <= length + 1:
                        fenwick[index] -= 1
                        index += index & -index
                    opened -= 1
                    word = chain[word]
                word = ending[position]
                while word >= 0:
                    index = min(<Py_ssize_t> heads[start + word - 1], word) + 1
                    inside = opened
                    while index > 0:
                        inside -= fenwick[index]
                        index -= index & -index
                    total[sentence] += inside
                    word = chain[word]
                if opening[position]:
                    opened += opening[position]
                    index = position + 1
                    while index <= length + 1:
                        fenwick[index] += opening[position]
                        index += index & -index
    return np.asarray(total)


def dependents(Ints parent):
    """Group rows by parent: bounds of the groups, and the rows in them from left to right."""
    made = np.zeros(len(parent) + 2, np.int64)
    cdef int64_t[::1] bound = made
    cdef Py_ssize_t row, up
    with nogil:
        for row in range(parent.shape[0]):
            if parent[row] >= 0:
                bound[parent[row] + 2] += 1
        for row in range(parent.shape[0]):
            bound[row + 2] += bound[row + 1]
    listed = np.empty(bound[len(parent) + 1], np.int32)
    cdef int32_t[::1] rows = listed
    with nogil:
        for row in range(parent.shape[0]):  # moves each bound to the end of its group
            up = parent[row]
            if up >= 0:
                rows[bound[up + 1]] = <int32_t> row
                bound[up + 1] += 1
    return made[: len(parent) + 1], listed


def sibling_order(Ints parent):
    """Count dependents outwards from their head, to the left with negative numbers."""
    cdef int32_t[::1] rank = np.zeros(len(parent), np.int32), seen = np.zeros(len(parent), np.int32)
    cdef Py_ssize_t row, up
    with nogil:
        for row in range(parent.shape[0]):
            up = parent[row]
            if 0 <= up < row:
                seen[up] += 1
                rank[row] = seen[up]
        seen[:] = 0
        for row in range(parent.shape[0] - 1, -1, -1):
            up = parent[row]
            if up > row:
                seen[up] += 1
                rank[row] = -seen[up]
    return np.asarray(rank)


def repaired(Ints heads, Ints forest, Longs offsets):
    """Hang every tree of each sentence's forest under one of its roots."""
    cdef int32_t[::1] fixed = np.array(heads)
    cdef Py_ssize_t sentence, start, stop, row, root
    with nogil:
        for sentence in range(offsets.shape[0] - 1):
            start, stop = offsets[sentence], offsets[sentence + 1]
            root = -1
            for row in range(start, stop):
                if heads[row] == 0:
                    root = row
                    break
            for row in range(start, stop):
                if forest[row] >= 0:
                    continue
                if root < 0:
                    root = row
                fixed[row] = 0 if row == root else <int32_t> (root - start + 1)
    return np.asarray(fixed)
