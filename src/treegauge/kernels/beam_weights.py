"""Weights of a sparse linear model: for each feature a row of weights of the actions it has met.

Features are 64-bit keys in an open-addressing table. Few of them ever meet more than a handful of
the actions, so rows are lists of (action, weight) pairs, which takes a fraction of the memory of a
matrix; a row that outgrows `SPARSE` pairs moves to a matrix of the frequent features. Two features
share a key with a chance of about features**2 / 2**64.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from treegauge.kernels.beam_states import Int, Records
from treegauge.kernels.jit import inner, kernel, part

SLOT = np.dtype([("key", "u8"), ("start", "i4"), ("size", "i4")])
PAIR = np.dtype([("action", "i4"), ("weight", "f4")])
SPARSE = 16
"""Pairs of the longest sparse row, a power of two."""
DENSE = -1
"""Size of a row in the matrix; its `start` is the row's number there."""

Keys = npt.NDArray[np.uint64]
Ints = npt.NDArray[np.int32]
Floats = npt.NDArray[np.float32]
Doubles = npt.NDArray[np.float64]

Rows = tuple[Keys, Ints, Ints, Floats]
"""Keys of features, where the row of each begins, and the actions and weights of rows."""


class BeamWeights(NamedTuple):
    """The table of rows; `used` counts slots, pairs and matrix rows in use.

    A sparse row that grows moves to the end of `pairs` with twice the room, so a row whose size is
    a power of two is full. `pair_totals` and `matrix_totals` hold for each weight the sum of its
    changes, each times the number of sentences before it: what averaging subtracts.
    """

    slots: Records
    pairs: Records
    pair_totals: Doubles
    matrix: Floats
    matrix_totals: Doubles
    used: npt.NDArray[np.int64]


def empty(slots: Int, pairs: Int, rows: Int, actions: Int) -> BeamWeights:
    """Make a table without features; `slots` is a power of two."""
    return BeamWeights(
        np.zeros(slots, SLOT), np.empty(pairs, PAIR), np.empty(pairs),
        np.zeros((rows, actions), np.float32), np.zeros((rows, actions)), np.zeros(3, np.int64),
    )  # fmt: skip


@inner
def find(slots: Records, key: np.uint64) -> Int:
    """Give the slot of a feature, or the free one where it would stand."""
    mask = len(slots) - 1
    place = np.int64(key >> np.uint64(8)) & mask
    while slots[place].key != key and slots[place].key != 0:
        place = (place + 1) & mask
    return place


@inner
def accumulate(weights: BeamWeights, keys: Keys, count: Int, sums: Floats) -> None:
    """Add the rows of the first `count` features to the actions' sums; the keys are used up."""
    slots, pairs = weights.slots, weights.pairs
    for index in range(count):  # in a loop of its own, for these waits for memory overlap
        slot = slots[find(slots, keys[index])]
        keys[index] = (np.uint64(slot.start) << np.uint64(32)) | np.uint64(np.uint32(slot.size))
    for index in range(count):
        start = np.int64(keys[index] >> np.uint64(32))
        size = np.int32(np.uint32(keys[index] & np.uint64(0xFFFFFFFF)))
        if size == DENSE:
            row = weights.matrix[start]
            for action in range(len(sums)):
                sums[action] += row[action]
        else:
            for pair in range(start, start + size):
                sums[pairs[pair].action] += pairs[pair].weight


@part
def roomy(weights: BeamWeights, keys: Keys, count: Int) -> BeamWeights:
    """Give a table with room for one call of :func:`add` with each of some keys, or two."""
    slots, pairs, pair_totals, matrix, matrix_totals, used = weights
    if 2 * (used[0] + count) > len(slots):
        larger = np.zeros(4 * len(slots), SLOT)
        for old in range(len(slots)):
            if slots[old].key != 0:
                larger[find(larger, slots[old].key)] = slots[old]
        slots = larger
    need = used[1] + 8 * SPARSE
    for index in range(count):
        need += 1 + 4 * (2 + max(0, slots[find(slots, keys[index])].size))
    if need > len(pairs):
        more_pairs, more_totals = np.empty(2 * need, PAIR), np.empty(2 * need)
        for pair in range(used[1]):
            more_pairs[pair] = pairs[pair]
            more_totals[pair] = pair_totals[pair]
        pairs, pair_totals = more_pairs, more_totals
    if used[2] + count > len(matrix):
        rows, actions = 2 * (used[2] + count), matrix.shape[1]
        more_rows, more_sums = np.zeros((rows, actions), np.float32), np.zeros((rows, actions))
        for row in range(used[2]):
            for action in range(actions):
                more_rows[row, action] = matrix[row, action]
                more_sums[row, action] = matrix_totals[row, action]
        matrix, matrix_totals = more_rows, more_sums
    return BeamWeights(slots, pairs, pair_totals, matrix, matrix_totals, used)


@inner
def add(weights: BeamWeights, key: np.uint64, action: Int, change: float, clock: float) -> None:
    """Change one weight when `clock` sentences are done; there must be room for it."""
    slots, pairs, pair_totals, matrix, matrix_totals, used = weights
    slot = slots[find(slots, key)]
    if slot.key == 0:
        slot.key = key
        used[0] += 1
    start, size = slot.start, slot.size
    if size != DENSE:
        for pair in range(start, start + size):
            if pairs[pair].action == action:
                pairs[pair].weight += change
                pair_totals[pair] += change * clock
                return
    if size == SPARSE:
        row = used[2]
        used[2] += 1
        for pair in range(start, start + size):
            matrix[row, pairs[pair].action] = pairs[pair].weight
            matrix_totals[row, pairs[pair].action] = pair_totals[pair]
        slot.start = row
        slot.size = DENSE
        start, size = slot.start, slot.size
    if size == DENSE:
        matrix[start, action] += change
        matrix_totals[start, action] += change * clock
        return
    if size & (size - 1) == 0:  # full
        moved = used[1]
        for pair in range(size):
            pairs[moved + pair] = pairs[start + pair]
            pair_totals[moved + pair] = pair_totals[start + pair]
        used[1] += max(1, 2 * size)
        slot.start = moved
        start = slot.start
    pairs[start + size].action = action
    pairs[start + size].weight = change
    pair_totals[start + size] = change * clock
    slot.size = size + 1


@kernel
def averaged(weights: BeamWeights, sentences: Int) -> Rows:
    """Average the weights after each of all sentences; leave out what comes out as zero."""
    slots, pairs, pair_totals, matrix, matrix_totals, used = weights
    most = used[1] + used[2] * matrix.shape[1]
    keys = np.empty(used[0], np.uint64)
    bounds = np.zeros(used[0] + 1, np.int32)
    actions = np.empty(most, np.int32)
    values = np.empty(most, np.float32)
    rows, end = 0, 0
    for place in range(len(slots)):
        slot = slots[place]
        for index in range(matrix.shape[1] if slot.size == DENSE else slot.size):
            if slot.size == DENSE:
                action = np.int32(index)
                value = matrix[slot.start, index] - matrix_totals[slot.start, index] / sentences
            else:
                action = pairs[slot.start + index].action
                weight = pairs[slot.start + index].weight
                value = weight - pair_totals[slot.start + index] / sentences
            if np.float32(value) != 0:
                actions[end] = action
                values[end] = value
                end += 1
        if end > bounds[rows]:
            keys[rows] = slot.key
            rows += 1
            bounds[rows] = end
    return keys[:rows].copy(), bounds[: rows + 1].copy(), actions[:end].copy(), values[:end].copy()


def mean_rows(tables: list[Rows]) -> Rows:
    """Average the weights of several learners; what one of them lacks counts as zero.

    Examples
    --------
    >>> one = np.uint64([7]), np.int32([0, 2]), np.int32([0, 3]), np.float32([1, -4])
    >>> two = np.uint64([5, 7]), np.int32([0, 1, 2]), np.int32([0, 3]), np.float32([6, 1])
    >>> [column.tolist() for column in mean_rows([one, two])]
    [[5, 7], [0, 1, 3], [0, 0, 3], [3.0, 0.5, -1.5]]
    """
    names = np.concatenate([np.repeat(keys, np.diff(bounds)) for keys, bounds, _, _ in tables])
    actions, values = (np.concatenate([table[column] for table in tables]) for column in (2, 3))
    order = np.lexsort((actions, names))
    names, actions, values = names[order], actions[order], values[order].astype(np.float64)
    new_row = np.ones(len(names), bool)
    new_row[1:] = names[1:] != names[:-1]
    new = new_row.copy()
    new[1:] |= actions[1:] != actions[:-1]
    firsts = np.flatnonzero(new)
    means = (np.add.reduceat(values, firsts) / len(tables)).astype(np.float32)
    bounds = np.append(np.flatnonzero(new_row[firsts]), len(firsts)).astype(np.int32)
    return names[firsts[bounds[:-1]]], bounds, actions[firsts], means


def restored(keys: Keys, bounds: Ints, actions: Ints, values: Floats, columns: Int) -> BeamWeights:
    """Make the table of a finished model again."""
    size = 16
    while 3 * size < 4 * len(keys):
        size *= 2
    weights = empty(size, len(actions), int((np.diff(bounds) > SPARSE).sum()), columns)
    weights.pairs["action"], weights.pairs["weight"] = actions, values
    weights.used[:2] = len(keys), len(actions)
    _place(weights, keys, bounds)
    return weights


@kernel
def _place(weights: BeamWeights, keys: Keys, bounds: Ints) -> None:
    """Let the slots of features point at their pairs; long rows go to the matrix."""
    slots, pairs, matrix, used = weights.slots, weights.pairs, weights.matrix, weights.used
    for row in range(len(keys)):
        slot = slots[find(slots, keys[row])]
        slot.key = keys[row]
        slot.start = bounds[row]
        slot.size = bounds[row + 1] - bounds[row]
        if slot.size > SPARSE:
            for pair in range(bounds[row], bounds[row + 1]):
                matrix[used[2], pairs[pair].action] = pairs[pair].weight
            slot.start = used[2]
            slot.size = DENSE
            used[2] += 1
