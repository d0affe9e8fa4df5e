"""Kernels that find the best tree of a matrix of arc scores."""

import numpy as np
import numpy.typing as npt

from treegauge.kernels.jit import inner, kernel

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int32]


@kernel
def eisner(scores: Floats, heads: Ints) -> float:
    """Best projective tree with one root; ``scores[h, d]``, 0 is the root, words from 1.

    Spans over the words alone are built bottom up; the root's child is chosen last, so that there
    is exactly one.
    """
    n = len(scores) - 1
    open_left = np.full((n + 1, n + 1), -np.inf)  # arc from the right end to the left end
    open_right = np.full((n + 1, n + 1), -np.inf)
    full_left = np.full((n + 1, n + 1), -np.inf)  # headed by the right end
    full_right = np.full((n + 1, n + 1), -np.inf)
    split_open = np.zeros((n + 1, n + 1), np.int32)
    split_left = np.zeros((n + 1, n + 1), np.int32)
    split_right = np.zeros((n + 1, n + 1), np.int32)
    for i in range(1, n + 1):
        full_left[i, i] = full_right[i, i] = 0.0
    for size in range(1, n):
        for i in range(1, n + 1 - size):
            j = i + size
            best, at = -np.inf, i
            for k in range(i, j):
                value = full_right[i, k] + full_left[k + 1, j]
                if value > best:
                    best, at = value, k
            split_open[i, j] = at
            open_left[i, j] = best + scores[j, i]
            open_right[i, j] = best + scores[i, j]
            best, at = -np.inf, i
            for k in range(i, j):
                value = full_left[i, k] + open_left[k, j]
                if value > best:
                    best, at = value, k
            full_left[i, j], split_left[i, j] = best, at
            best, at = -np.inf, j
            for k in range(i + 1, j + 1):
                value = open_right[i, k] + full_right[k, j]
                if value > best:
                    best, at = value, k
            full_right[i, j], split_right[i, j] = best, at
    total, root = -np.inf, 1
    for r in range(1, n + 1):
        value = full_left[1, r] + full_right[r, n] + scores[0, r]
        if value > total:
            total, root = value, r
    heads[root] = 0
    stack = np.empty((4 * n + 8, 3), np.int32)  # left end, right end, kind
    stack[0, 0], stack[0, 1], stack[0, 2] = 1, root, 2
    stack[1, 0], stack[1, 1], stack[1, 2] = root, n, 3
    top = 2
    while top:
        top -= 1
        i, j, kind = stack[top]
        if i == j:
            continue
        if kind < 2:
            heads[i if kind == 0 else j] = j if kind == 0 else i
            k = split_open[i, j]
            stack[top, 0], stack[top, 1], stack[top, 2] = i, k, 3
            stack[top + 1, 0], stack[top + 1, 1], stack[top + 1, 2] = k + 1, j, 2
        elif kind == 2:
            k = split_left[i, j]
            stack[top, 0], stack[top, 1], stack[top, 2] = i, k, 2
            stack[top + 1, 0], stack[top + 1, 1], stack[top + 1, 2] = k, j, 0
        else:
            k = split_right[i, j]
            stack[top, 0], stack[top, 1], stack[top, 2] = i, k, 1
            stack[top + 1, 0], stack[top + 1, 1], stack[top + 1, 2] = k, j, 3
        top += 2
    return total


@inner
def _cycle(best: Ints, alive: npt.NDArray[np.bool_], seen: Ints, found: Ints) -> int:
    """Write the nodes of one cycle of best arcs; returns their number, 0 if there is none."""
    n = len(best)
    for v in range(n):
        seen[v] = 0
    for v in range(1, n):
        if not alive[v] or seen[v]:
            continue
        at = v
        while at != 0 and seen[at] == 0:
            seen[at] = v
            at = best[at]
        if at != 0 and seen[at] == v:
            size, node = 0, at
            while True:
                found[size] = node
                size += 1
                node = best[node]
                if node == at:
                    return size
    return 0


@inner
def _best_head(score: Floats, alive: npt.NDArray[np.bool_], v: int | np.int64) -> int:
    """Give the node with the best arc to another one, the first if there are several."""
    at = -1
    for u in range(len(score)):
        if alive[u] and u != v and (at < 0 or score[u, v] > score[at, v]):
            at = u
    return at


@inner
def _fix(arc: int, heads: Ints, fixed: npt.NDArray[np.bool_]) -> None:
    """Put an arc into the tree."""
    head, dependent = divmod(arc, len(heads))
    heads[dependent] = head
    fixed[dependent] = True


@kernel
def spanning_tree(scores: Floats, heads: Ints) -> None:
    """Best tree, projective or not, by contracting cycles; ``scores[h, d]``, 0 is the root.

    A contraction changes the best head of no other node: where it lay in the cycle it is the cycle
    now, with the same score. So only the new node looks for one, and all takes n squared steps.
    """
    n = len(scores)
    score = scores.copy()
    tables, lists = np.zeros((4, n, n), np.int32), np.zeros((5, n), np.int32)
    arc = tables[0]  # head * n + dependent: the arc of words behind an arc of contracted nodes
    members, arcs, groups = tables[1], tables[2], tables[3]  # of each contraction
    best, group, seen, found, sizes = lists[0], lists[1], lists[2], lists[3], lists[4]
    alive, inside = np.ones(n, np.bool_), np.zeros(n, np.bool_)
    for h in range(n):
        group[h] = h
        for d in range(n):
            arc[h, d] = h * n + d
    levels = 0
    for v in range(1, n):
        best[v] = _best_head(score, alive, v)
    while True:
        size = _cycle(best, alive, seen, found)
        if size == 0:
            break
        c = found[0]
        sizes[levels] = size
        for v in range(n):
            groups[levels, v] = group[v]
            inside[v] = False
        for k in range(size):
            v = found[k]
            members[levels, k], arcs[levels, k] = v, arc[best[v], v]
            inside[v] = True
        for u in range(n):
            if not alive[u] or inside[u]:
                continue
            into, out, entry, leave = -np.inf, -np.inf, c, c
            for k in range(size):
                v = found[k]
                gain = score[u, v] - score[best[v], v]
                if gain > into or k == 0:
                    into, entry = gain, v
                if score[v, u] > out or k == 0:
                    out, leave = score[v, u], v
            score[u, c], arc[u, c] = into, arc[u, entry]
            score[c, u], arc[c, u] = out, arc[leave, u]
        for k in range(1, size):
            alive[found[k]] = False
        for v in range(n):
            if inside[group[v]]:
                group[v] = c
            if inside[best[v]]:
                best[v] = c
        best[c] = _best_head(score, alive, np.int64(c))
        levels += 1
    fixed = inside
    fixed[:] = False
    for v in range(1, n):
        if alive[v]:
            _fix(arc[best[v], v], heads, fixed)
    for level in range(levels - 1, -1, -1):
        entered = -1
        for w in range(1, n):
            if fixed[w]:
                for k in range(sizes[level]):
                    if groups[level, w] == members[level, k]:
                        entered = members[level, k]
        for k in range(sizes[level]):
            if members[level, k] != entered:
                _fix(arcs[level, k], heads, fixed)
