"""Kernels that give trees of the same shape the same number, and others almost surely not."""

import numpy as np
import numpy.typing as npt

from treegauge.kernels.jit import kernel

Ints = npt.NDArray[np.int32]
Longs = npt.NDArray[np.int64]
Hashes = npt.NDArray[np.uint64]


@kernel
def _mix(value: np.uint64) -> np.uint64:
    """Scatter 64 bits (the finaliser of splitmix64)."""
    value = value + np.uint64(0x9E3779B97F4A7C15)
    value = (value ^ (value >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    value = (value ^ (value >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return value ^ (value >> np.uint64(31))


@kernel
def rooted(parent: Ints, order: Longs, sentence_of: Ints, sentences: int) -> Hashes:
    """Hash rooted trees; ``order`` has dependents before heads.

    The hashes of a word's dependents are added, so that their order does not matter.
    """
    below = np.zeros(len(parent), np.uint64)
    shape = np.zeros(sentences, np.uint64)
    for word in order:
        whole = _mix(below[word])
        if parent[word] >= 0:
            below[parent[word]] += whole
        else:
            shape[sentence_of[word]] += _mix(whole)
    return shape


@kernel
def free(parent: Ints, order: Longs, sentence_of: Ints, sentences: int) -> Hashes:
    """Hash trees without a root: the sum over all words of the tree's hash as rooted there.

    Going down again, what a word sees upwards is all that its head sees, less the word's own part.
    """
    around = np.zeros(len(parent), np.uint64)
    below = np.zeros(len(parent), np.uint64)
    for word in order:
        below[word] = _mix(around[word])
        if parent[word] >= 0:
            around[parent[word]] += below[word]
    shape = np.zeros(sentences, np.uint64)
    for index in range(len(order) - 1, -1, -1):
        word = order[index]
        up = parent[word]
        if up >= 0:
            around[word] += _mix(around[up] - below[word])
        shape[sentence_of[word]] += _mix(_mix(around[word]))
    return shape


@kernel
def sequences(values: Longs, sentence_of: Ints, sentences: int) -> Hashes:
    """Hash the values of each sentence's words in their order."""
    shape = np.zeros(sentences, np.uint64)
    for word in range(len(values)):
        place = sentence_of[word]
        shape[place] = _mix(shape[place] ^ _mix(np.uint64(values[word])))
    return shape
