"""Loops behind :mod:`treegauge.treebanks.trees`, over all sentences of a treebank at once.

A word is its row in the treebank here, and its parent the row of its head, so that a treebank is
one forest and only what concerns neighbouring words has to look at sentence boundaries.
Nothing recurses; everything is linear but the two functions that say otherwise.
"""

import numpy as np
import numpy.typing as npt

from treegauge.kernels.jit import kernel

Ints = npt.NDArray[np.int32]
Longs = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]


@kernel
def parents(heads: Ints, offsets: Longs) -> Ints:
    """Give the row of each word's head, -1 for roots and for heads that name no word."""
    parent = np.full(len(heads), -1, np.int32)
    for sentence in range(len(offsets) - 1):
        start, stop = offsets[sentence], offsets[sentence + 1]
        for row in range(start, stop):
            if 1 <= heads[row] <= stop - start:
                parent[row] = start + heads[row] - 1
    return parent


@kernel
def cycles(parent: Ints) -> Ints:
    """Give the leftmost word of the cycle each word lies on, -1 for words on none."""
    cycle = np.full(len(parent), -1, np.int32)
    walk = np.full(len(parent), -1, np.int32)
    for start in range(len(parent)):
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
    return cycle


@kernel
def cut(parent: Ints, cycle: Ints) -> Ints:
    """Make a forest of any head array: the leftmost word of each cycle loses its head."""
    forest = parent.copy()
    for row in range(len(parent)):
        if cycle[row] == row:
            forest[row] = -1
    return forest


@kernel
def preorder(forest: Ints) -> tuple[Ints, Ints, Ints]:
    """Visit heads before dependents, dependents left to right.

    Returns the rows in that order, the place of each row in it, and the sizes of the subtrees: the
    descendants of a word are the ``size[word]`` rows that begin at its place.
    """
    count = len(forest)
    child = np.full(count, -1, np.int32)
    sibling = np.full(count, -1, np.int32)
    for last in range(count - 1, -1, -1):
        if forest[last] >= 0:
            sibling[last] = child[forest[last]]
            child[forest[last]] = last
    order = np.empty(count, np.int32)
    place = np.empty(count, np.int32)
    clock = 0
    for top in range(count):
        if forest[top] >= 0:
            continue
        row = np.int32(top)
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
    size = np.ones(count, np.int32)
    for index in range(count - 1, -1, -1):
        row = order[index]
        if forest[row] >= 0:
            size[forest[row]] += size[row]
    return order, place, size


@kernel
def depths(heads: Ints, forest: Ints, order: Ints) -> Ints:
    """Count the arcs up to a root word, -1 where the way up does not end in one."""
    depth = np.full(len(heads), -1, np.int32)
    for row in order:
        up = forest[row]
        if up >= 0:
            depth[row] = depth[up] + 1 if depth[up] >= 0 else -1
        elif heads[row] == 0:
            depth[row] = 0
    return depth


@kernel
def sentence_maxima(values: Ints, offsets: Longs, empty: int) -> Ints:
    """Give the largest value of each sentence, and ``empty`` where it has no word."""
    largest = np.full(len(offsets) - 1, empty, np.int32)
    for sentence in range(len(offsets) - 1):
        for row in range(offsets[sentence], offsets[sentence + 1]):
            largest[sentence] = max(largest[sentence], values[row])
    return largest


@kernel
def bounds(forest: Ints, cycle: Ints, order: Ints) -> Ints:
    """Give the first and the last row of each word's yield."""
    reach = np.empty((len(forest), 2), np.int32)
    for row in range(len(forest)):
        reach[row] = row
    for index in range(len(order) - 1, -1, -1):
        row = order[index]
        up = forest[row]
        if up >= 0:
            reach[up, 0] = min(reach[up, 0], reach[row, 0])
            reach[up, 1] = max(reach[up, 1], reach[row, 1])
    for row in range(len(forest)):
        if cycle[row] >= 0:
            reach[row] = reach[cycle[row]]
    return reach


@kernel
def _dominates(row: int, other: int, cycle: Ints, place: Ints, size: Ints) -> bool:
    """Whether the way up from ``other`` passes ``row``."""
    top = cycle[row] if cycle[row] >= 0 else row
    return bool(place[top] <= place[other] < place[top] + size[top])


@kernel
def projective(parent: Ints, cycle: Ints, place: Ints, size: Ints, offsets: Longs) -> Bools:
    """Say of each word whether everything between it and its head descends from its head.

    Each word grows the unbroken run of its descendants around it. A run met on the way is swallowed
    whole and never looked at again, so that the two sweeps stay linear.
    """
    fine = np.ones(len(parent), np.bool_)
    left = np.empty(len(parent), np.int32)
    right = np.empty(len(parent), np.int32)
    for sentence in range(len(offsets) - 1):
        start, stop = offsets[sentence], offsets[sentence + 1]
        for row in range(start, stop):
            edge = row
            while edge > start and _dominates(row, edge - 1, cycle, place, size):
                edge = left[edge - 1]
            left[row] = edge
        for row in range(stop - 1, start - 1, -1):
            edge = row
            while edge + 1 < stop and _dominates(row, edge + 1, cycle, place, size):
                edge = right[edge + 1]
            right[row] = edge
    for row in range(len(parent)):
        if parent[row] >= 0:
            fine[row] = left[parent[row]] <= row <= right[parent[row]]
    return fine


@kernel
def _heavy_paths(forest: Ints, order: Ints, size: Ints) -> Ints:
    """Split the forest into paths along the largest subtrees; give each word's path's top."""
    heavy = np.full(len(forest), -1, np.int32)
    for row in order:
        up = forest[row]
        if up >= 0 and (heavy[up] < 0 or size[row] > size[heavy[up]]):
            heavy[up] = row
    top = np.empty(len(forest), np.int32)
    for row in order:
        up = forest[row]
        top[row] = top[up] if up >= 0 and heavy[up] == row else row
    return top


@kernel
def gaps(forest: Ints, cycle: Ints, order: Ints, place: Ints, size: Ints, offsets: Longs) -> Ints:
    """Count the gaps in each word's yield, n log n at worst.

    A yield has as many blocks as words, less the pairs of neighbours in it; a pair is in the yields
    of its lowest common ancestor and all above. On a cycle only the leftmost word is counted for.
    """
    top = _heavy_paths(forest, order, size)
    blocks = np.ones(len(forest), np.int32)
    for sentence in range(len(offsets) - 1):
        for row in range(offsets[sentence] + 1, offsets[sentence + 1]):
            one, two = np.int32(row - 1), np.int32(row)
            while one >= 0 and two >= 0 and top[one] != top[two]:
                if place[top[one]] > place[top[two]]:
                    one = forest[top[one]]
                else:
                    two = forest[top[two]]
            if one >= 0 and two >= 0:
                blocks[one if place[one] < place[two] else two] -= 1
    for index in range(len(order) - 1, -1, -1):
        row = order[index]
        if forest[row] >= 0:
            blocks[forest[row]] += blocks[row]
    for row in range(len(forest)):
        if cycle[row] >= 0:
            blocks[row] = blocks[cycle[row]]
    return blocks - np.int32(1)


@kernel
def crossings(heads: Ints, offsets: Longs, root_arc: bool) -> Longs:
    """Count pairs of arcs a < c < b < d, sentence by sentence, n log n.

    Sweeping right, an arc that ends crosses the arcs still open that began inside it; a Fenwick
    tree over left ends counts those.
    """
    total = np.zeros(len(offsets) - 1, np.int64)
    longest = 0
    for sentence in range(len(offsets) - 1):
        longest = max(longest, offsets[sentence + 1] - offsets[sentence])
    fenwick = np.zeros(longest + 2, np.int32)
    opening = np.zeros(longest + 1, np.int32)
    ending = np.full(longest + 1, -1, np.int32)
    chain = np.full(longest + 1, -1, np.int32)
    for sentence in range(len(offsets) - 1):
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
            ending[max(head, word)] = word
        opened = 0
        for position in range(length + 1):
            word = ending[position]
            while word >= 0:
                index = min(heads[start + word - 1], word) + 1
                while index <= length + 1:
                    fenwick[index] -= 1
                    index += index & -index
                opened -= 1
                word = chain[word]
            word = ending[position]
            while word >= 0:
                index = min(heads[start + word - 1], word) + 1
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
    return total


@kernel
def dependents(parent: Ints) -> tuple[Longs, Ints]:
    """Group rows by parent: bounds of the groups, and the rows in them from left to right."""
    bound = np.zeros(len(parent) + 1, np.int64)
    for up in parent:
        if up >= 0:
            bound[up + 1] += 1
    for row in range(len(parent)):
        bound[row + 1] += bound[row]
    rows = np.empty(bound[-1], np.int32)
    filled = bound[:-1].copy()
    for row in range(len(parent)):
        up = parent[row]
        if up >= 0:
            rows[filled[up]] = row
            filled[up] += 1
    return bound, rows


@kernel
def sibling_order(parent: Ints) -> Ints:
    """Count dependents outwards from their head, to the left with negative numbers."""
    rank = np.zeros(len(parent), np.int32)
    seen = np.zeros(len(parent), np.int32)
    for row in range(len(parent)):
        up = parent[row]
        if 0 <= up < row:
            seen[up] += 1
            rank[row] = seen[up]
    seen[:] = 0
    for row in range(len(parent) - 1, -1, -1):
        up = parent[row]
        if up > row:
            seen[up] += 1
            rank[row] = -seen[up]
    return rank


@kernel
def repaired(heads: Ints, forest: Ints, offsets: Longs) -> Ints:
    """Hang every tree of each sentence's forest under one of its roots."""
    fixed = heads.copy()
    for sentence in range(len(offsets) - 1):
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
            fixed[row] = 0 if row == root else root - start + 1
    return fixed
