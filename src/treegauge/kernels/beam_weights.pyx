"""Weights of a sparse linear model: for each feature a row of weights of the actions it has met.

Features are 64-bit keys in an open-addressing table. Few of them ever meet more than a handful of
the actions, so rows are lists of (action, weight) pairs, which takes a fraction of the memory of a
matrix; a row that outgrows `SPARSE` pairs moves to a matrix of the frequent features. Two features
share a key with a chance of about features**2 / 2**64.

A sparse row that grows moves to the end of all pairs with twice the room, so a row whose size is a
power of two is full. Totals hold for each weight the sum of its changes, each times the number of
sentences before it: what averaging subtracts.
"""

import numpy as np

from libc.stdlib cimport calloc, free, malloc, realloc
from libc.string cimport memcpy, memset


cdef class BeamWeights:
    """A table without features; `slots` is a power of two, the others are room to begin with."""

    def __cinit__(
        self, Py_ssize_t actions, Py_ssize_t slots=4096, Py_ssize_t pairs=16384, Py_ssize_t rows=64
    ):
        self.actions, self.n_slots, self.n_pairs, self.n_rows = actions, slots, pairs, rows
        self.slots = <Slot*> calloc(slots, sizeof(Slot))
        self.pairs = <Pair*> malloc(max(pairs, 1) * sizeof(Pair))
        self.pair_totals = <double*> malloc(max(pairs, 1) * sizeof(double))
        self.matrix = <float*> calloc(max(rows, 1) * actions, sizeof(float))
        self.matrix_totals = <double*> calloc(max(rows, 1) * actions, sizeof(double))
        if not (
            self.slots and self.pairs and self.pair_totals and self.matrix and self.matrix_totals
        ):
            raise MemoryError

    def __dealloc__(self):
        free(self.slots)
        free(self.pairs)
        free(self.pair_totals)
        free(self.matrix)
        free(self.matrix_totals)

    cdef int make_room(self, const uint64_t* keys, Py_ssize_t count) except -1 nogil:
        """Make room for one call of `add` with each of some keys, or two."""
        cdef Py_ssize_t index, need = self.used_pairs + 8 * SPARSE, old = self.n_rows, rows
        cdef Slot* larger
        if 2 * (self.used_slots + count) > self.n_slots:
            larger = <Slot*> calloc(4 * self.n_slots, sizeof(Slot))
            if larger == NULL:
                with gil:
                    raise MemoryError
            for index in range(self.n_slots):
                if self.slots[index].key != 0:
                    find(larger, 4 * self.n_slots, self.slots[index].key)[0] = self.slots[index]
            free(self.slots)
            self.slots, self.n_slots = larger, 4 * self.n_slots
        for index in range(count):
            need += 9 + 4 * max(0, find(self.slots, self.n_slots, keys[index]).size)
        if need > self.n_pairs:
            self.pairs = <Pair*> _grown(self.pairs, 2 * need * sizeof(Pair))
            self.pair_totals = <double*> _grown(self.pair_totals, 2 * need * sizeof(double))
            self.n_pairs = 2 * need
        if self.used_rows + count > self.n_rows:
            rows = 2 * (self.used_rows + count)
            self.matrix = <float*> _grown(self.matrix, rows * self.actions * sizeof(float))
            self.matrix_totals = <double*> _grown(
                self.matrix_totals, rows * self.actions * sizeof(double)
            )
            index = (rows - old) * self.actions
            memset(self.matrix + old * self.actions, 0, index * sizeof(float))
            memset(self.matrix_totals + old * self.actions, 0, index * sizeof(double))
            self.n_rows = rows
        return 0

    cdef void add(
        self, uint64_t key, int32_t action, double change, double clock
    ) noexcept nogil:
        """Change one weight when `clock` sentences are done; there must be room for it."""
        cdef Slot* slot = find(self.slots, self.n_slots, key)
        cdef Pair* pairs = self.pairs
        cdef Py_ssize_t pair, place
        if slot.key == 0:
            slot.key = key
            self.used_slots += 1
        if slot.size != DENSE:
            for pair in range(slot.start, slot.start + slot.size):
                if pairs[pair].action == action:
                    pairs[pair].weight += change
                    self.pair_totals[pair] += change * clock
                    return
        if slot.size == SPARSE:
            for pair in range(slot.start, slot.start + SPARSE):
                place = self.used_rows * self.actions + pairs[pair].action
                self.matrix[place] = pairs[pair].weight
                self.matrix_totals[place] = self.pair_totals[pair]
            slot.start, slot.size = <int32_t> self.used_rows, DENSE
            self.used_rows += 1
        if slot.size == DENSE:
            place = slot.start * self.actions + action
            self.matrix[place] += change
            self.matrix_totals[place] += change * clock
            return
        if slot.size & (slot.size - 1) == 0:  # full
            memcpy(pairs + self.used_pairs, pairs + slot.start, slot.size * sizeof(Pair))
            memcpy(
                self.pair_totals + self.used_pairs, self.pair_totals + slot.start,
                slot.size * sizeof(double),
            )
            slot.start = <int32_t> self.used_pairs
            self.used_pairs += max(1, 2 * slot.size)
        pairs[slot.start + slot.size] = Pair(action, <float> change)
        self.pair_totals[slot.start + slot.size] = change * clock
        slot.size += 1

    def change(self, uint64_t key, int32_t action, double change, double clock):
        """Add to one weight when `clock` sentences are done."""
        self.make_room(&key, 1)
        self.add(key, action, change, clock)

    def sums(self, uint64_t[::1] keys):
        """Sum the weights of some features for each action."""
        made = np.zeros(self.actions, np.float32)
        cdef float[::1] sums = made
        cdef Slot** found = <Slot**> malloc(len(keys) * sizeof(void*))
        if found == NULL:
            raise MemoryError
        accumulate(self, &keys[0], len(keys), found, &sums[0])
        free(found)
        return made

    def averaged(self, Py_ssize_t sentences):
        """Average the weights after each of all sentences; leave out what comes out as zero.

        Returns keys of features, where the row of each begins, and actions and weights of rows.
        """
        cdef Py_ssize_t most = self.used_pairs + self.used_rows * self.actions
        cdef Py_ssize_t rows = 0, end = 0, place, index, at
        cdef uint64_t[::1] keys = np.empty(self.used_slots, np.uint64)
        cdef int32_t[::1] bounds = np.zeros(self.used_slots + 1, np.int32)
        cdef int32_t[::1] actions = np.empty(most, np.int32)
        cdef float[::1] values = np.empty(most, np.float32)
        cdef Slot slot
        cdef double value
        with nogil:
            for place in range(self.n_slots):
                slot = self.slots[place]
                for index in range(self.actions if slot.size == DENSE else slot.size):
                    if slot.size == DENSE:
                        at = slot.start * self.actions + index
                        value = self.matrix[at] - self.matrix_totals[at] / sentences
                        actions[end] = <int32_t> index
                    else:
                        at = slot.start + index
                        value = self.pairs[at].weight - self.pair_totals[at] / sentences
                        actions[end] = self.pairs[at].action
                    if <float> value != 0:
                        values[end] = <float> value
                        end += 1
                if end > bounds[rows]:
                    keys[rows] = slot.key
                    rows += 1
                    bounds[rows] = <int32_t> end
        return (
            np.array(keys[:rows]), np.array(bounds[: rows + 1]), np.array(actions[:end]),
            np.array(values[:end]),
        )

    @staticmethod
    def restored(
        const uint64_t[::1] keys, const int32_t[::1] bounds, const int32_t[::1] actions,
        const float[::1] values, Py_ssize_t columns,
    ):
        """Make the table of a finished model again."""
        cdef Py_ssize_t size = 16, row, pair, length
        cdef Slot* slot
        while 3 * size < 4 * len(keys):
            size *= 2
        cdef BeamWeights made = BeamWeights(
            columns, size, len(actions), int((np.diff(bounds) > SPARSE).sum())
        )
        made.used_slots, made.used_pairs = len(keys), len(actions)
        with nogil:
            for pair in range(actions.shape[0]):
                made.pairs[pair] = Pair(actions[pair], values[pair])
            for row in range(keys.shape[0]):
                slot = find(made.slots, size, keys[row])
                length = bounds[row + 1] - bounds[row]
                slot.key, slot.start, slot.size = keys[row], bounds[row], <int32_t> length
                if length > SPARSE:
                    for pair in range(bounds[row], bounds[row + 1]):
                        made.matrix[made.used_rows * columns + actions[pair]] = values[pair]
                    slot.start, slot.size = <int32_t> made.used_rows, DENSE
                    made.used_rows += 1
        return made


cdef void* _grown(void* memory, size_t size) except NULL nogil:
    cdef void* larger = realloc(memory, size)
    if larger == NULL:
        with gil:
            raise MemoryError
    return larger
