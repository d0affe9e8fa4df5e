from libc.stdint cimport int32_t, int64_t, uint64_t

ctypedef double* DoublesAt

cdef extern from *:
    """
    #if defined(__GNUC__)
    #define treegauge_fetch(place) __builtin_prefetch(place)
    #else
    #define treegauge_fetch(place)
    #endif
    """
    void fetch "treegauge_fetch"(const void* place) noexcept nogil

cdef enum:
    SPARSE = 16  # pairs of the longest sparse row, a power of two
    DENSE = -1  # size of a row in the matrix; its `start` is the row's number there

cdef struct Slot:
    uint64_t key
    int32_t start
    int32_t size

cdef struct Pair:
    int32_t action
    float weight


cdef class BeamWeights:
    cdef Slot* slots
    cdef Pair* pairs
    cdef float* matrix
    cdef DoublesAt pair_totals, matrix_totals
    cdef readonly Py_ssize_t actions
    cdef Py_ssize_t n_slots, n_pairs, n_rows  # there is room for
    cdef Py_ssize_t used_slots, used_pairs, used_rows
    cdef int make_room(self, const uint64_t* keys, Py_ssize_t count) except -1 nogil
    cdef void add(
        self, uint64_t key, int32_t action, double change, double clock
    ) noexcept nogil


cdef inline Slot* find(Slot* slots, Py_ssize_t size, uint64_t key) noexcept nogil:
    """Give the slot of a feature, or the free one where it would stand."""
    cdef Py_ssize_t place = <Py_ssize_t> (key >> 8) & (size - 1)
    while slots[place].key != key and slots[place].key != 0:
        place = (place + 1) & (size - 1)
    return &slots[place]


cdef inline void accumulate(
    BeamWeights weights, const uint64_t* keys, Py_ssize_t count, Slot** found, float* sums
) noexcept nogil:
    """Write the sums, over the first `count` features, of the weights of all actions."""
    cdef Slot* slots = weights.slots
    cdef Pair* pairs = weights.pairs
    cdef const float* row
    cdef Py_ssize_t index, pair, action, actions = weights.actions, size = weights.n_slots
    for index in range(count):  # all slots, and then all rows, are waited for at the same time
        fetch(&slots[<Py_ssize_t> (keys[index] >> 8) & (size - 1)])
    for action in range(actions):
        sums[action] = 0
    for index in range(count):
        found[index] = find(slots, size, keys[index])
        if found[index].size > 0:
            fetch(&pairs[found[index].start])
    for index in range(count):
        if found[index].size == DENSE:
            row = weights.matrix + found[index].start * actions
            for action in range(actions):
                sums[action] += row[action]
        else:
            for pair in range(found[index].start, found[index].start + found[index].size):
                sums[pairs[pair].action] += pairs[pair].weight
