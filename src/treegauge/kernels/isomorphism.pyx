"""Kernels that give trees of the same shape the same number, and others almost surely not."""

import numpy as np

from libc.stdint cimport int32_t, int64_t, uint64_t

ctypedef const int32_t[::1] Ints
ctypedef const int64_t[::1] Longs


cdef inline uint64_t _mix(uint64_t value) noexcept nogil:
    """Scatter 64 bits (the finaliser of splitmix64)."""
    value = value + <uint64_t> 0x9E3779B97F4A7C15U
    value = (value ^ (value >> 30)) * <uint64_t> 0xBF58476D1CE4E5B9U
    value = (value ^ (value >> 27)) * <uint64_t> 0x94D049BB133111EBU
    return value ^ (value >> 31)


def rooted(Ints parent, Longs order, Ints sentence_of, Py_ssize_t sentences):
    """Hash rooted trees; ``order`` has dependents before heads.

    The hashes of a word's dependents are added, so that their order does not matter.
    """
    made = np.zeros(sentences, np.uint64)
    cdef uint64_t[::1] shape = made, below = np.zeros(len(parent), np.uint64)
    cdef Py_ssize_t index, word
    cdef uint64_t whole
    with nogil:
        for index in range(order.shape[0]):
            word = order[index]
            whole = _mix(below[word])
            if parent[word] >= 0:
                below[parent[word]] += whole
            else:
                shape[sentence_of[word]] += _mix(whole)
    return made


def free(Ints parent, Longs order, Ints sentence_of, Py_ssize_t sentences):
    """Hash trees without a root: the sum over all words of the tree's hash as rooted there.

    Going down again, what a word sees upwards is all that its head sees, less the word's own part.
    """
    made = np.zeros(sentences, np.uint64)
    cdef uint64_t[::1] shape = made, around = np.zeros(len(parent), np.uint64)
    cdef uint64_t[::1] below = np.zeros(len(parent), np.uint64)
    cdef Py_ssize_t index, word, up
    with nogil:
        for index in range(order.shape[0]):
            word = order[index]
            below[word] = _mix(around[word])
            if parent[word] >= 0:
                around[parent[word]] += below[word]
        for index in range(order.shape[0] - 1, -1, -1):
            word = order[index]
            up = parent[word]
            if up >= 0:
                around[word] += _mix(around[up] - below[word])
            shape[sentence_of[word]] += _mix(_mix(around[word]))
    return made


def sequences(Longs values, Ints sentence_of, Py_ssize_t sentences):
    """Hash the values of each sentence's words in their order."""
    cdef uint64_t[::1] shape = np.zeros(sentences, np.uint64)
    cdef Py_ssize_t word, place
    with nogil:
        for word in range(values.shape[0]):
            place = sentence_of[word]
            shape[place] = _mix(shape[place] ^ _mix(<uint64_t> values[word]))
    return np.asarray(shape)
