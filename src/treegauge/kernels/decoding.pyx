"""Kernels over matrices of arc scores: the best tree.

What has ``size`` nodes, the root among them, needs room for ``6 * size ** 2`` numbers of each kind.
"""

import numpy as np

from libc.math cimport INFINITY
from libc.stdint cimport int32_t, int64_t
from libc.string cimport memcpy, memset

ctypedef double* DoublesAt
ctypedef int32_t* IntsAt


def eisner(const double[:, ::1] scores, int32_t[::1] heads):
    """Best projective tree with one root; ``scores[h, d]``, 0 is the root, words from 1."""
    cdef Py_ssize_t size = len(scores)
    cdef double[::1] room = np.empty(6 * size * size)
    cdef int32_t[::1] places = np.empty(6 * size * size + 24, np.int32)
    cdef double total
    with nogil:
        total = best_projective(&scores[0, 0], size, &heads[0], &room[0], &places[0])
    return total


cdef double best_projective(
    const double* scores, Py_ssize_t size, int32_t* heads, double* room, int32_t* places
) noexcept nogil:
    """Spans over the words alone are built bottom up; the root's child is chosen last.

    So there is exactly one. Full spans are held twice, by their left and by their right ends, so
    that loops run along rows.
    """
    cdef Py_ssize_t n = size - 1, area = size * size, length, i, j, k, at, r, root = 1, top = 2
    # [j, i], arc from the right end j to the left end i; [i, j]; full ones both ways
    cdef DoublesAt open_left = room, open_right = room + area
    cdef DoublesAt left_of = room + 2 * area, left_at = room + 3 * area
    cdef DoublesAt right_of = room + 4 * area, right_at = room + 5 * area
    cdef IntsAt split_open = places, split_left = places + area
    cdef int32_t* split_right = places + 2 * area
    cdef int32_t* stack = places + 3 * area  # left end, right end, kind
    cdef double best, value, total = -INFINITY
    cdef int32_t kind
    for i in range(1, size):
        left_of[i * size + i] = left_at[i * size + i] = 0.0
        right_of[i * size + i] = right_at[i * size + i] = 0.0
    for length in range(1, n):
        for i in range(1, size - length):
            j = i + length
            best, at = -INFINITY, i
            for k in range(i, j):
                value = right_of[i * size + k] + left_at[j * size + k + 1]
                if value > best:
                    best, at = value, k
            split_open[i * size + j] = <int32_t> at
            open_left[j * size + i] = best + scores[j * size + i]
            open_right[i * size + j] = best + scores[i * size + j]
            best, at = -INFINITY, i
            for k in range(i, j):
                value = left_of[i * size + k] + open_left[j * size + k]
                if value > best:
                    best, at = value, k
            left_of[i * size + j] = left_at[j * size + i] = best
            split_left[i * size + j] = <int32_t> at
            best, at = -INFINITY, j
            for k in range(i + 1, j + 1):
                value = open_right[i * size + k] + right_at[j * size + k]
                if value > best:
                    best, at = value, k
            right_of[i * size + j] = right_at[j * size + i] = best
            split_right[i * size + j] = <int32_t> at
    for r in range(1, size):
        value = left_of[size + r] + right_of[r * size + n] + scores[r]
        if value > total:
            total, root = value, r
    heads[root] = 0
    stack[0], stack[1], stack[2] = 1, <int32_t> root, 2
    stack[3], stack[4], stack[5] = <int32_t> root, <int32_t> n, 3
    while top:
        top -= 1
        i, j, kind = stack[3 * top], stack[3 * top + 1], stack[3 * top + 2]
        if i == j:
            continue
        if kind < 2:
            heads[i if kind == 0 else j] = <int32_t> (j if kind == 0 else i)
            at = split_open[i * size + j]
            _push(stack + 3 * top, i, at, 3, at + 1, j, 2)
        elif kind == 2:
            at = split_left[i * size + j]
            _push(stack + 3 * top, i, at, 2, at, j, 0)
        else:
            at = split_right[i * size + j]
            _push(stack + 3 * top, i, at, 1, at, j, 3)
        top += 2
    return total


cdef inline void _push(
    int32_t* stack, Py_ssize_t a, Py_ssize_t b, int32_t kind, Py_ssize_t c, Py_ssize_t d,
    int32_t other,
) noexcept nogil:
    stack[0], stack[1], stack[2] = <int32_t> a, <int32_t> b, kind
    stack[3], stack[4], stack[5] = <int32_t> c, <int32_t> d, other


def spanning_tree(const double[:, ::1] scores, int32_t[::1] heads):
    """Best tree, projective or not, by contracting cycles; ``scores[h, d]``, 0 is the root."""
    cdef Py_ssize_t size = len(scores)
    cdef double[::1] room = np.empty(size * size)
    cdef int32_t[::1] places = np.empty(4 * size * size + 7 * size, np.int32)
    with nogil:
        best_spanning(&scores[0, 0], size, &heads[0], &room[0], &places[0])


cdef Py_ssize_t _cycle(
    Py_ssize_t n, int32_t* best, int32_t* alive, int32_t* seen, int32_t* found
) noexcept nogil:
    """Write the nodes of one cycle of best arcs; returns their number, 0 if there is none."""
    cdef Py_ssize_t v, at, node, size
    memset(seen, 0, n * sizeof(int32_t))
    for v in range(1, n):
        if not alive[v] or seen[v]:
            continue
        at = v
        while at != 0 and seen[at] == 0:
            seen[at] = <int32_t> v
            at = best[at]
        if at != 0 and seen[at] == v:
            size, node = 0, at
            while True:
                found[size] = <int32_t> node
                size += 1
                node = best[node]
                if node == at:
                    return size
    return 0


cdef int32_t _best_head(Py_ssize_t n, double* score, int32_t* alive, Py_ssize_t v) noexcept nogil:
    """Give the node with the best arc to another one, the first if there are several."""
    cdef Py_ssize_t u, at = -1
    for u in range(n):
        if alive[u] and u != v and (at < 0 or score[u * n + v] > score[at * n + v]):
            at = u
    return <int32_t> at


cdef void best_spanning(
    const double* scores, Py_ssize_t n, int32_t* heads, double* score, int32_t* places
) noexcept nogil:
    """A contraction changes the best head of no other node: where it lay in the cycle it is the
    cycle now, with the same score. So only the new node looks for one, and all takes n squared
    steps.
    """
    cdef int32_t* arc = places  # head * n + dependent: the arc of words behind that of nodes
    cdef IntsAt members = places + n * n, arcs = places + 2 * n * n  # of each contraction
    cdef IntsAt groups = places + 3 * n * n, best = places + 4 * n * n, group = best + n
    cdef IntsAt seen = best + 2 * n, found = best + 3 * n, sizes = best + 4 * n
    cdef IntsAt alive = best + 5 * n, inside = best + 6 * n, fixed = inside
    cdef Py_ssize_t h, u, v, w, c, k, size, entry, leave, level, levels = 0, entered
    cdef double into, out, gain
    memcpy(score, scores, n * n * sizeof(double))
    for h in range(n):
        group[h] = <int32_t> h
        alive[h] = 1
    for k in range(n * n):
        arc[k] = <int32_t> k
    best[0] = 0
    for v in range(1, n):
        best[v] = _best_head(n, score, alive, v)
    while True:
        size = _cycle(n, best, alive, seen, found)
        if size == 0:
            break
        c = found[0]
        sizes[levels] = <int32_t> size
        memcpy(groups + levels * n, group, n * sizeof(int32_t))
        memset(inside, 0, n * sizeof(int32_t))
        for k in range(size):
            v = found[k]
            members[levels * n + k], arcs[levels * n + k] = <int32_t> v, arc[best[v] * n + v]
            inside[v] = 1
        for u in range(n):
            if not alive[u] or inside[u]:
                continue
            into, out, entry, leave = -INFINITY, -INFINITY, c, c
            for k in range(size):
                v = found[k]
                gain = score[u * n + v] - score[best[v] * n + v]
                if gain > into or k == 0:
                    into, entry = gain, v
                if score[v * n + u] > out or k == 0:
                    out, leave = score[v * n + u], v
            score[u * n + c], arc[u * n + c] = into, arc[u * n + entry]
            score[c * n + u], arc[c * n + u] = out, arc[leave * n + u]
        for k in range(1, size):
            alive[found[k]] = 0
        for v in range(n):
            if inside[group[v]]:
                group[v] = <int32_t> c
            if inside[best[v]]:
                best[v] = <int32_t> c
        best[c] = _best_head(n, score, alive, c)
        levels += 1
    memset(fixed, 0, n * sizeof(int32_t))
    for v in range(1, n):
        if alive[v]:
            _fix(arc[best[v] * n + v], n, heads, fixed)
    for level in range(levels - 1, -1, -1):
        entered = -1
        for w in range(1, n):
            if fixed[w]:
                for k in range(sizes[level]):
                    if groups[level * n + w] == members[level * n + k]:
                        entered = members[level * n + k]
        for k in range(sizes[level]):
            if members[level * n + k] != entered:
                _fix(arcs[level * n + k], n, heads, fixed)


cdef inline void _fix(int32_t arc, Py_ssize_t n, int32_t* heads, int32_t* fixed) noexcept nogil:
    """Put an arc into the tree."""
    heads[arc % n] = <int32_t> (arc // n)
    fixed[arc % n] = 1
