"""Weights of a sparse linear model: for each feature a short row of (action, weight) pairs.

Features are 64-bit keys in an open-addressing table; few features ever meet more than a handful of
the actions, so that rows of pairs take a fraction of the memory of a matrix, and unseen features
cost one look. Two features share a key once in about 2**64 / features**2 models.
"""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from treegauge._jit import kernel

SLOT = np.dtype([("key", "u8"), ("start", "i4"), ("size", "i4")])
PAIR = np.dtype([("action", "i4"), ("weight", "f4")])
import os
DENSE = int(os.environ.get('DENSE','8'))
Keys = npt.NDArray[np.uint64]
Ints = npt.NDArray[np.int32]
Floats = npt.NDArray[np.float32]


class Weights(NamedTuple):
    """The table; `used` counts its slots and pairs in use.

    A row that grows moves to the end of `pairs` with twice the room, so a row's size being a power
    of two means that it is full. `totals` holds for each pair the sum of its changes, each times
    the number of sentences before it: what :func:`averaged` subtracts.
    """

    slots: npt.NDArray[Any]
    pairs: npt.NDArray[Any]
    totals: npt.NDArray[np.float64]
    used: npt.NDArray[np.int64]
    dense: Floats


@kernel
def empty(slots: int, pairs: int) -> Weights:
    """Make a table without features; `slots` is a power of two."""
    return Weights(
        np.zeros(slots, SLOT), np.empty(pairs, PAIR), np.empty(pairs), np.zeros(2, np.int64), np.zeros((1, 1), np.float32)
    )


@kernel
def find(slots: npt.NDArray[Any], key: np.uint64) -> int:
    """Give the slot of a feature, or the free one where it would stand."""
    mask = len(slots) - 1
    place = np.int64(key >> np.uint64(8)) & mask
    while slots[place].key != key and slots[place].key != 0:
        place = (place + 1) & mask
    return place


@kernel
def accumulate(weights: Weights, keys: Keys, count: int, sums: Floats) -> None:
    """Add the rows of some features to the scores of the actions."""
    slots, pairs = weights.slots, weights.pairs
    for index in range(count):
        slot = slots[find(slots, keys[index])]
        keys[index] = (np.uint64(slot.start) << np.uint64(32)) | (np.uint64(slot.size) & np.uint64(0xffffffff))
    for index in range(count):
        start = np.int64(keys[index] >> np.uint64(32))
        size = np.int64(keys[index] & np.uint64(0xFFFFFFFF))
        if size == 0xffffffff:
            row = weights.dense[start]
            for action in range(len(sums)):
                sums[action] += row[action]
        else:
            for pair in range(start, start + size):
                sums[pairs[pair].action] += pairs[pair].weight


@kernel
def roomy(weights: Weights, keys: Keys, count: int, actions: int) -> Weights:
    """Give a table with room for `actions` more actions in the rows of some features."""
    slots, pairs, totals, used, _ = weights
    if 2 * (used[0] + count) > len(slots):
        larger = np.zeros(4 * len(slots), SLOT)
        for old in range(len(slots)):
            if slots[old].key != 0:
                larger[find(larger, slots[old].key)] = slots[old]
        slots = larger
    need = used[1]
    for index in range(count):
        need += 1 + 4 * (actions + slots[find(slots, keys[index])].size)
    if need > len(pairs):
        more_pairs, more_totals = np.empty(2 * need, PAIR), np.empty(2 * need)
        more_pairs[: used[1]] = pairs[: used[1]]
        more_totals[: used[1]] = totals[: used[1]]
        pairs, totals = more_pairs, more_totals
    return Weights(slots, pairs, totals, used, weights.dense)


@kernel
def add(weights: Weights, key: np.uint64, action: int, change: float, clock: float) -> None:
    """Change one weight; there must be room (see :func:`roomy`)."""
    slots, pairs, totals, used, _ = weights
    slot = slots[find(slots, key)]
    if slot.key == 0:
        slot.key = key
        used[0] += 1
    start, size = slot.start, slot.size
    for pair in range(start, start + size):
        if pairs[pair].action == action:
            pairs[pair].weight += change
            totals[pair] += change * clock
            return
    if size & (size - 1) == 0:  # full
        moved = used[1]
        for pair in range(size):
            pairs[moved + pair] = pairs[start + pair]
            totals[moved + pair] = totals[start + pair]
        used[1] += max(1, 2 * size)
        start = moved
        slot.start = start
    pairs[start + size].action = action
    pairs[start + size].weight = change
    totals[start + size] = change * clock
    slot.size = size + 1


@kernel
def averaged(weights: Weights, sentences: float) -> tuple[Keys, Ints, Ints, Floats]:
    """Average the weights over all sentences seen.

    Returns keys, row bounds, actions and weights; what comes out as zero is left out.
    """
    slots, pairs, totals, used, _ = weights
    keys = np.empty(used[0], np.uint64)
    bounds = np.zeros(used[0] + 1, np.int32)
    actions = np.empty(used[1], np.int32)
    values = np.empty(used[1], np.float32)
    rows, end = 0, 0
    for place in range(len(slots)):
        slot = slots[place]
        for pair in range(slot.start, slot.start + slot.size):
            value = np.float32(pairs[pair].weight - totals[pair] / sentences)
            if value != 0:
                actions[end] = pairs[pair].action
                values[end] = value
                end += 1
        if end > bounds[rows]:
            keys[rows] = slot.key
            rows += 1
            bounds[rows] = end
    return keys[:rows], bounds[: rows + 1], actions[:end], values[:end]


@kernel
def restored(keys: Keys, bounds: Ints, actions: Ints, values: Floats) -> Weights:
    """Make the table of a finished model again."""
    size = 16
    while 3 * size < 4 * len(keys):
        size *= 2
    weights = empty(size, len(actions))
    for row in range(len(keys)):
        slot = weights.slots[find(weights.slots, keys[row])]
        slot.key = keys[row]
        slot.start = bounds[row]
        slot.size = bounds[row + 1] - bounds[row]
    for pair in range(len(actions)):
        weights.pairs[pair].action = actions[pair]
        weights.pairs[pair].weight = values[pair]
    weights.used[0] = len(keys)
    weights.used[1] = len(actions)
    many = 0
    for row in range(len(keys)):
        many += bounds[row + 1] - bounds[row] > DENSE
    dense = np.zeros((many, np.max(actions)+1), np.float32)
    many = 0
    for row in range(len(keys)):
        if bounds[row + 1] - bounds[row] > DENSE:
            for pair in range(bounds[row], bounds[row+1]):
                dense[many, actions[pair]] = values[pair]
            slot = weights.slots[find(weights.slots, keys[row])]
            slot.start = many
            slot.size = -1
            many += 1
    return Weights(weights.slots, weights.pairs, weights.totals, weights.used, dense)
