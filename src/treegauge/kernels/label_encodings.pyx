"""Loops between heads and labels; words of a sentence count from 1, heads are within it."""

import numpy as np

from libc.stdint cimport int32_t, uint8_t
from libc.string cimport memset

ctypedef const int32_t[::1] Ints
ctypedef const uint8_t[::1] Bytes

cdef enum:  # ``<`` ``/`` ``\\`` ``>``: the word before awaits a head, a dependent; this one closes
    OPEN_LEFT, OPEN_RIGHT, CLOSE_LEFT, CLOSE_RIGHT

cdef struct Arcs:  # by right end, the nearest left end first
    Py_ssize_t count
    int32_t* left
    int32_t* right
    int32_t* word


cdef void _order(const int32_t* heads, Py_ssize_t n, Arcs* arcs) noexcept nogil:
    cdef int32_t start, end
    arcs.count = 0
    for end in range(1, <int32_t> n + 1):
        for start in range(end - 1, 0, -1):
            if heads[end - 1] == start:
                _put(arcs, start, end, end)
            if heads[start - 1] == end:
                _put(arcs, start, end, start)


cdef inline void _put(Arcs* arcs, int32_t left, int32_t right, int32_t word) noexcept nogil:
    arcs.left[arcs.count], arcs.right[arcs.count], arcs.word[arcs.count] = left, right, word
    arcs.count += 1


cdef inline bint _cross(Arcs* arcs, Py_ssize_t a, Py_ssize_t b) noexcept nogil:
    cdef int32_t i = arcs.left[a], j = arcs.right[a], k = arcs.left[b], m = arcs.right[b]
    return i < k < j < m or k < i < m < j


cdef void _greedy(Arcs* arcs, bint directed, uint8_t* plane) noexcept nogil:
    cdef Py_ssize_t a, b
    cdef uint8_t p
    cdef bint free
    for a in range(arcs.count):
        for p in range(1, 3):
            free = True
            for b in range(a):
                if directed and (arcs.word[a] == arcs.left[a]) != (arcs.word[b] == arcs.left[b]):
                    continue
                if plane[b] == p and _cross(arcs, a, b):
                    free = False
                    break
            if free:
                plane[a] = p
                break


def planes(Ints heads, Ints offsets, bint directed, uint8_t[::1] plane):
    """Write the plane of each word's arc, 1 or 2; 0 for roots and for arcs that find no place.

    `directed` minds crossings of arcs in one direction only, since the stacks of the two directions
    are read apart.
    """
    cdef Py_ssize_t longest = np.diff(offsets).max(initial=0), s, a, start
    cdef int32_t[:, ::1] room = np.empty((3, longest + 1), np.int32)
    cdef uint8_t[::1] own = np.empty(longest + 1, np.uint8)
    cdef Arcs arcs = Arcs(0, &room[0, 0], &room[1, 0], &room[2, 0])
    plane[:] = 0
    with nogil:
        for s in range(offsets.shape[0] - 1):
            start = offsets[s]
            _order(&heads[start], offsets[s + 1] - start, &arcs)
            memset(&own[0], 0, arcs.count)
            _greedy(&arcs, directed, &own[0])
            for a in range(arcs.count):
                plane[start + arcs.word[a] - 1] = own[a]


def brackets(Ints heads, Ints offsets, Bytes plane, int32_t[:, :, ::1] counts):
    """Count the brackets of each kind in each word's label of each plane: (planes, words, 4)."""
    cdef Py_ssize_t s, d, h, p, start
    for s in range(len(offsets) - 1):
        start = offsets[s]
        for d in range(1, offsets[s + 1] - start + 1):
            h, p = heads[start + d - 1], plane[start + d - 1]
            if h == 0 or p == 0:
                continue
            if h > d:
                counts[p - 1, start + d, OPEN_LEFT] += 1
                counts[p - 1, start + h - 1, CLOSE_LEFT] += 1
            else:
                counts[p - 1, start + h, OPEN_RIGHT] += 1
                counts[p - 1, start + d - 1, CLOSE_RIGHT] += 1


def match_brackets(
    const int32_t[:, ::1] codes, Bytes parts, const int32_t[:, ::1] bounds, Bytes roots,
    Ints offsets, int32_t[::1] heads,
):
    """Read heads from labels, -1 where none is said.

    `codes` is (planes, words); label c of plane p consists of ``parts[bounds[p, c]:bounds[p, c +
    1]]``.
    """
    cdef Py_ssize_t s, i, p, k, start, stop, size, longest = 1
    cdef uint8_t part
    cdef int32_t code, at
    for s in range(len(offsets) - 1):
        for p in range(len(codes)):
            size = 1
            for i in range(offsets[s], offsets[s + 1]):
                size += bounds[p, codes[p, i] + 1] - bounds[p, codes[p, i]]
            longest = max(longest, size)
    cdef int32_t[:, :, ::1] stack = np.empty((len(codes), 2, longest), np.int32)
    cdef int32_t[:, ::1] top = np.zeros((len(codes), 2), np.int32)
    with nogil:
        for s in range(offsets.shape[0] - 1):
            start, stop = offsets[s], offsets[s + 1]
            top[:] = 0
            for i in range(start, stop):
                heads[i] = 0 if roots[i] else -1
            for i in range(1, stop - start + 1):
                for p in range(codes.shape[0]):
                    code = codes[p, start + i - 1]
                    for k in range(bounds[p, code], bounds[p, code + 1]):
                        part = parts[k]
                        if part == OPEN_LEFT or part == OPEN_RIGHT:
                            stack[p, part, top[p, part]] = <int32_t> (i - 1)
                            top[p, part] += 1
                        elif part == CLOSE_LEFT:
                            at = stack[p, 0, top[p, 0] - 1] if top[p, 0] > 0 else 0
                            if at != 0:
                                top[p, 0] -= 1
                                heads[start + at - 1] = <int32_t> i
                        elif top[p, 1] > 0:
                            top[p, 1] -= 1
                            heads[start + i - 1] = stack[p, 1, top[p, 1]]


def repair(int32_t[::1] heads, Bytes roots, Ints offsets, uint8_t[::1] made_root):
    """Make every sentence a tree with one root; notes words that became root unasked."""
    cdef Py_ssize_t s, i, start, n, at
    cdef int32_t root
    cdef int32_t* own
    cdef int32_t[::1] seen = np.zeros(np.diff(offsets).max(initial=0) + 1, np.int32)
    with nogil:
        for s in range(offsets.shape[0] - 1):
            start = offsets[s]
            n = offsets[s + 1] - start
            if n == 0:
                continue
            own = &heads[start]
            root = 0
            for i in range(n, 0, -1):
                if own[i - 1] == 0:
                    root = <int32_t> i
            if root == 0:
                for i in range(n, 0, -1):
                    if roots[start + i - 1]:
                        own[i - 1] = 0
                        root = <int32_t> i
            if root == 0:
                root = 1
                own[0] = 0
                made_root[start] = True
            for i in range(1, n + 1):
                if i != root and own[i - 1] <= 0:
                    own[i - 1] = root
            seen[: n + 1] = 0
            for i in range(1, n + 1):
                at = i
                while at != 0 and seen[at] != i:
                    seen[at] = <int32_t> i
                    at = own[at - 1]
                if at != 0:
                    own[at - 1] = root
