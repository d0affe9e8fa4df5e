from libc.math cimport INFINITY, exp
from libc.stdint cimport int32_t, uint64_t

ctypedef uint64_t* KeysAt

cpdef enum:
    KINDS = 64  # kinds of tags that can be told apart between two words
    REACH = 2  # how far beside a word is looked
    SPAN = 5  # places that are looked at, the word's own among them

cdef struct Seen:
    Py_ssize_t n  # words of the sentence at hand
    const int32_t* kinds  # of its root and its words
    KeysAt heads, dependents  # [word, view]
    const int32_t* pairs
    Py_ssize_t head_views, dependent_views, n_pairs
    uint64_t shift
    int32_t* out
    Py_ssize_t between  # kinds of tags between two words
    int32_t between_kinds[KINDS]  # in order
    int32_t counts[KINDS]  # how often each occurs


cdef class Sight:
    cdef Seen seen
    cdef const uint64_t[:, ::1] letters
    cdef const int32_t[::1] kinds, roots
    cdef const int32_t[::1] bounds, alone
    cdef const int32_t[:, ::1] head_rows, dependent_rows, pairs
    cdef uint64_t[:, ::1] heads, dependents
    cdef int32_t[::1] out
    cdef readonly Py_ssize_t longest
    cdef void look(self, Py_ssize_t sentence) noexcept nogil
    cdef void add_relations(
        self, const float[:, ::1] table, Py_ssize_t root, const int32_t* gold,
        const int32_t* wanted, double* scores, int32_t* best, float* sums,
    ) noexcept nogil


cdef inline uint64_t mix(uint64_t key, uint64_t value) noexcept nogil:
    """Mix a value into a hash."""
    key = (key ^ value) * <uint64_t> 0x9E3779B97F4A7C15U
    return key ^ (key >> 32)


cdef inline int32_t place_of(uint64_t key, uint64_t shift) noexcept nogil:
    """Give the place of a feature in a table of ``2 ** (64 - shift)`` weights."""
    key *= <uint64_t> 0xD6E8FEB86659FD93U
    key ^= key >> 32
    return <int32_t> ((key * <uint64_t> 0x9E3779B97F4A7C15U) >> shift)


cdef inline uint64_t side_of(Py_ssize_t h, Py_ssize_t d) noexcept nogil:
    """Hash of the direction."""
    return mix(71, 1 if h < d else 2)


cdef inline uint64_t step_of(Py_ssize_t h, Py_ssize_t d) noexcept nogil:
    """Hash of direction and binned distance."""
    cdef Py_ssize_t gap = h - d if h > d else d - h
    cdef Py_ssize_t size = 5 + (gap > 5) + (gap > 7) + (gap > 10) + (gap > 15) + (gap > 25)
    return mix(side_of(h, d), <uint64_t> (gap if gap < size else size))


cdef inline void note(Seen* seen, int32_t kind) noexcept nogil:
    """Note one more tag between."""
    if seen.counts[kind] == 0:
        seen.between_kinds[seen.between] = kind
        seen.between += 1
    seen.counts[kind] += 1


cdef inline void clear(Seen* seen) noexcept nogil:
    cdef Py_ssize_t k
    for k in range(seen.between):
        seen.counts[seen.between_kinds[k]] = 0
    seen.between = 0


cdef inline Py_ssize_t features(Seen* seen, Py_ssize_t h, Py_ssize_t d) noexcept nogil:
    """Write the places of an arc's features, given what is between; returns their number."""
    cdef uint64_t side = side_of(h, d), step = step_of(h, d), shift = seen.shift, key, base
    cdef const uint64_t* head = seen.heads + h * seen.head_views
    cdef const uint64_t* dependent = seen.dependents + d * seen.dependent_views
    cdef const int32_t* pairs = seen.pairs
    cdef int32_t* out = seen.out
    cdef Py_ssize_t t, k, n = 2 * seen.n_pairs
    cdef int32_t kind
    for t in range(seen.n_pairs):
        key = head[pairs[2 * t]] + dependent[pairs[2 * t + 1]]
        out[2 * t] = place_of(key ^ side, shift)
        out[2 * t + 1] = place_of(key ^ step, shift)
    base = mix(mix(side, <uint64_t> seen.kinds[h]), <uint64_t> seen.kinds[d])
    for k in range(seen.between):
        kind = seen.between_kinds[k]
        key = mix(base, <uint64_t> kind)
        out[n] = place_of(key, shift)
        out[n + 1] = place_of(mix(key, <uint64_t> min(seen.counts[kind], 3)), shift)
        n += 2
    return n


cdef inline Py_ssize_t arc_features(Seen* seen, Py_ssize_t h, Py_ssize_t d) noexcept nogil:
    """Write the places of an arc's features in the table of weights; returns their number."""
    cdef Py_ssize_t step = 1 if h > d else -1, k = d + step
    clear(seen)
    while k != h:
        note(seen, seen.kinds[k])
        k += step
    return features(seen, h, d)


cdef inline void score_arcs(Seen* seen, const float* weights, double* scores) noexcept nogil:
    """Score every arc of a sentence; ``scores[h, d]``, 0 is the root; others are left alone."""
    cdef Py_ssize_t n = seen.n, d, h, k, step
    cdef double total
    for d in range(1, n + 1):
        for step in range(-1, 2, 2):
            clear(seen)
            h = d + step
            while 0 <= h <= n:
                total = 0.0
                for k in range(features(seen, h, d)):
                    total += weights[seen.out[k]]
                scores[h * (n + 1) + d] = total
                note(seen, seen.kinds[h])
                h += step


cdef inline void relation_features(Seen* seen, Py_ssize_t h, Py_ssize_t d) noexcept nogil:
    """Write the rows of the features that tell an arc's relation, as many as there are pairs."""
    cdef uint64_t side = side_of(h, d)
    cdef const uint64_t* head = seen.heads + h * seen.head_views
    cdef const uint64_t* dependent = seen.dependents + d * seen.dependent_views
    cdef Py_ssize_t t
    for t in range(seen.n_pairs):
        seen.out[t] = place_of(
            (head[seen.pairs[2 * t]] + dependent[seen.pairs[2 * t + 1]]) ^ side, seen.shift
        )


cdef inline void relation_scores(
    Seen* seen, Py_ssize_t h, Py_ssize_t d, const float[:, ::1] table, double* scores
) noexcept nogil:
    """Score the relations of one arc."""
    cdef Py_ssize_t t, r, width = table.shape[1]
    cdef const float* row
    relation_features(seen, h, d)
    for r in range(width):
        scores[r] = 0.0
    for t in range(seen.n_pairs):
        row = &table[seen.out[t], 0]
        for r in range(width):
            scores[r] += row[r]


cdef inline void softmax(double* scores, Py_ssize_t size) noexcept nogil:
    """Turn scores into probabilities in place."""
    cdef double top = -INFINITY, total = 0.0
    cdef Py_ssize_t r
    for r in range(size):
        top = max(top, scores[r])
    for r in range(size):
        scores[r] = exp(scores[r] - top)
        total += scores[r]
    for r in range(size):
        scores[r] /= total


cdef inline void softmax_heads(
    const double* scores, Py_ssize_t size, Py_ssize_t d, double* shares
) noexcept nogil:
    """Probabilities of the heads of a word, its own place left out."""
    cdef Py_ssize_t h
    for h in range(size):
        shares[h] = scores[h * size + d]
    shares[d] = -INFINITY
    softmax(shares, size)
