"""Loops between heads and labels; words of a sentence count from 1, heads are within it."""

import numpy as np
import numpy.typing as npt

from treegauge.kernels.jit import kernel

Ints = npt.NDArray[np.int32]
Bytes = npt.NDArray[np.uint8]
Bools = npt.NDArray[np.bool_]

OPEN_LEFT, OPEN_RIGHT, CLOSE_LEFT, CLOSE_RIGHT = 0, 1, 2, 3
"""``<`` ``/`` ``\\`` ``>``: the word before awaits a head, a dependent; this word closes."""

GREEDY, PROPAGATED, DIRECTED = 0, 1, 2
"""Ways to put arcs into planes; the last minds crossings of arcs in one direction only, since the
stacks of the two directions are read apart."""


@kernel
def _ordered_arcs(heads: Ints) -> tuple[Ints, Ints, Ints]:
    """Return left ends, right ends and dependents, by right end, the nearest left end first."""
    n = len(heads)
    left, right = np.empty(n, np.int32), np.empty(n, np.int32)
    word = np.empty(n, np.int32)
    count = 0
    for end in range(1, n + 1):
        for start in range(end - 1, 0, -1):
            if heads[end - 1] == start:
                left[count], right[count], word[count] = start, end, end
                count += 1
            if heads[start - 1] == end:
                left[count], right[count], word[count] = start, end, start
                count += 1
    return left[:count], right[:count], word[:count]


@kernel
def _crosses(a: int, b: int, left: Ints, right: Ints) -> bool:
    i, j, k, m = left[a], right[a], left[b], right[b]
    return bool(i < k < j < m or k < i < m < j)


@kernel
def _greedy(left: Ints, right: Ints, word: Ints, directed: bool, plane: Bytes) -> None:
    for a in range(len(left)):
        for p in range(1, 3):
            free = True
            for b in range(a):
                if directed and (word[a] == left[a]) != (word[b] == left[b]):
                    continue
                if plane[b] == p and _crosses(a, b, left, right):
                    free = False
                    break
            if free:
                plane[a] = p
                break


@kernel
def _propagated(left: Ints, right: Ints, plane: Bytes) -> None:
    """Put arcs into two planes; what an arc's place forbids for others is followed to the end."""
    count = len(left)
    barred = np.zeros((2, count), np.bool_)
    stack = np.empty((2 * count + 2, 2), np.int32)
    for a in range(count):
        if not barred[0, a]:
            plane[a], first = 1, 1
        elif not barred[1, a]:
            plane[a], first = 2, 0
        else:
            continue
        top = 0
        if not barred[first, a]:
            barred[first, a] = True
            stack[0, 0], stack[0, 1] = a, first
            top = 1
        while top:
            top -= 1
            e, p = stack[top]
            for b in range(count):
                if not barred[1 - p, b] and _crosses(e, b, left, right):
                    barred[1 - p, b] = True
                    stack[top, 0], stack[top, 1] = b, 1 - p
                    top += 1


@kernel
def planes(heads: Ints, offsets: Ints, method: int, plane: Bytes) -> None:
    """Write the plane of each word's arc, 1 or 2; 0 for roots and for arcs that find no place."""
    for s in range(len(offsets) - 1):
        start, stop = offsets[s], offsets[s + 1]
        left, right, word = _ordered_arcs(heads[start:stop])
        own = np.zeros(len(left), np.uint8)
        if method == PROPAGATED:
            _propagated(left, right, own)
        else:
            _greedy(left, right, word, method == DIRECTED, own)
        plane[start:stop] = 0
        for a in range(len(left)):
            plane[start + word[a] - 1] = own[a]


@kernel
def brackets(heads: Ints, offsets: Ints, plane: Bytes, counts: Ints) -> None:
    """Count the brackets of each kind in each word's label of each plane: (planes, words, 4)."""
    for s in range(len(offsets) - 1):
        start, stop = offsets[s], offsets[s + 1]
        for d in range(1, stop - start + 1):
            h, p = heads[start + d - 1], plane[start + d - 1]
            if h == 0 or p == 0:
                continue
            own = counts[p - 1]
            if h > d:
                own[start + d, OPEN_LEFT] += 1
                own[start + h - 1, CLOSE_LEFT] += 1
            else:
                own[start + h, OPEN_RIGHT] += 1
                own[start + d - 1, CLOSE_RIGHT] += 1


@kernel
def match_brackets(
    codes: Ints, parts: Bytes, bounds: Ints, roots: Bools, offsets: Ints, heads: Ints
) -> None:
    """Read heads from labels, -1 where none is said.

    `codes` is (planes, words); label c of plane p consists of ``parts[bounds[p, c]:bounds[p, c +
    1]]``.
    """
    n_planes = len(codes)
    for s in range(len(offsets) - 1):
        start, stop = offsets[s], offsets[s + 1]
        longest = 1
        for p in range(n_planes):
            size = 1
            for i in range(start, stop):
                size += bounds[p, codes[p, i] + 1] - bounds[p, codes[p, i]]
            longest = max(longest, size)
        stack = np.empty((n_planes, 2, longest), np.int32)
        top = np.zeros((n_planes, 2), np.int32)
        for i in range(start, stop):
            heads[i] = 0 if roots[i] else -1
        for i in range(1, stop - start + 1):
            for p in range(n_planes):
                code = codes[p, start + i - 1]
                for k in range(bounds[p, code], bounds[p, code + 1]):
                    part = parts[k]
                    if part == OPEN_LEFT or part == OPEN_RIGHT:
                        stack[p, part, top[p, part]] = i - 1
                        top[p, part] += 1
                    elif part == CLOSE_LEFT:
                        if top[p, 0] > 0 and stack[p, 0, top[p, 0] - 1] != 0:
                            top[p, 0] -= 1
                            heads[start + stack[p, 0, top[p, 0]] - 1] = i
                    elif top[p, 1] > 0:
                        top[p, 1] -= 1
                        heads[start + i - 1] = stack[p, 1, top[p, 1]]


@kernel
def count_tags(heads: Ints, tags: Ints, offsets: Ints, steps: Ints) -> None:
    """Count the words with the head's tag from each word to its head, which is counted, too."""
    for s in range(len(offsets) - 1):
        start, stop = offsets[s], offsets[s + 1]
        for i in range(start, stop):
            if heads[i] == 0:
                steps[i] = 0
                continue
            head = start + heads[i] - 1
            way = 1 if head > i else -1
            seen, at = 0, i
            while at != head:
                at += way
                if tags[at] == tags[head]:
                    seen += 1
            steps[i] = way * seen


@kernel
def follow_tags(
    steps: Ints, wanted: Ints, tags: Ints, offsets: Ints, everything: bool, heads: Ints
) -> None:
    """Find heads by counting words with the wanted tag, or all words; -1 where there are too few.

    A step of 0 is the root.
    """
    for s in range(len(offsets) - 1):
        start, stop = offsets[s], offsets[s + 1]
        for i in range(start, stop):
            left = abs(steps[i])
            if left == 0:
                heads[i] = 0
                continue
            way = 1 if steps[i] > 0 else -1
            at = i
            while left and start <= at + way < stop:
                at += way
                if everything or tags[at] == wanted[i]:
                    left -= 1
            heads[i] = -1 if left else at - start + 1


@kernel
def repair(heads: Ints, roots: Bools, offsets: Ints, made_root: Bools) -> None:
    """Make every sentence a tree with one root; notes words that became root unasked."""
    for s in range(len(offsets) - 1):
        start, stop = offsets[s], offsets[s + 1]
        n = stop - start
        if n == 0:
            continue
        own = heads[start:stop]
        root = 0
        for i in range(n, 0, -1):
            if own[i - 1] == 0:
                root = i
        if root == 0:
            for i in range(n, 0, -1):
                if roots[start + i - 1]:
                    own[i - 1] = 0
                    root = i
        if root == 0:
            root = 1
            own[0] = 0
            made_root[start] = True
        for i in range(1, n + 1):
            if i != root and own[i - 1] <= 0:
                own[i - 1] = root
        seen = np.zeros(n + 1, np.int32)
        for i in range(1, n + 1):
            at = i
            while at != 0 and seen[at] != i:
                seen[at] = i
                at = own[at - 1]
            if at != 0:
                own[at - 1] = root
