"""Kernels for features of arcs and relations: a head, a dependent and the tags between them.

Numbers that stand for what is seen of a word alone are made once per sentence; a feature of an arc
is the sum of two of them, mixed with direction and distance. Its place in the table of weights is
given by the top bits of that, so that no table of features is needed. A feature of a relation has
a row of weights, one weight per relation.
"""

import numpy as np

from libc.string cimport memset

ctypedef float* FloatsAt
ctypedef const float* ConstFloatsAt
ctypedef const uint64_t* ConstKeysAt
ctypedef const int32_t* ConstIntsAt


cdef class Sight:
    """What pairs of views see of the sentences of `words`, one of them at a time.

    `places` is the size of the table of weights, a power of two.
    """

    def __init__(self, words, templates, Py_ssize_t places):
        self.letters, self.kinds, self.roots, self.bounds = words
        self.head_rows, self.dependent_rows, self.pairs, self.alone = templates
        self.longest = np.diff(words.offsets).max(initial=0)
        self.heads = np.empty((self.longest + 1, len(self.head_rows)), np.uint64)
        self.dependents = np.empty((self.longest + 1, len(self.dependent_rows)), np.uint64)
        self.out = np.empty(2 * len(self.pairs) + 2 * KINDS, np.int32)
        self.seen.heads, self.seen.head_views = &self.heads[0, 0], len(self.head_rows)
        self.seen.dependents = &self.dependents[0, 0]
        self.seen.dependent_views = len(self.dependent_rows)
        self.seen.pairs, self.seen.n_pairs = &self.pairs[0, 0], len(self.pairs)
        self.seen.out = &self.out[0]
        self.seen.shift = 64
        while places > 1:
            places //= 2
            self.seen.shift -= 1

    cdef void look(self, Py_ssize_t sentence) noexcept nogil:
        """Turn to a sentence."""
        cdef Py_ssize_t root = self.roots[sentence]
        self.seen.n = self.bounds[sentence + 1] - self.bounds[sentence]
        self.seen.kinds = &self.kinds[root]
        _views(self.letters, root, self.seen.n, self.head_rows, 11, self.heads)
        _views(self.letters, root, self.seen.n, self.dependent_rows, 12, self.dependents)

    cdef void add_relations(
        self, const float[:, ::1] table, Py_ssize_t root, const int32_t* gold,
        const int32_t* wanted, double* scores, int32_t* best, float* sums,
    ) noexcept nogil:
        """Add to every arc's score that of its best relation, which is written to `best`.

        Where `gold` heads and `wanted` relations are given (not NULL), every other head and every
        other relation than these counts one more. `sums` has room for ``4 n + 5`` rows.
        """
        cdef Py_ssize_t n = self.seen.n, width = table.shape[1], h, d, r, t, found, place
        cdef Py_ssize_t first = self.alone[0], second = self.alone[1], area = (n + 1) * width
        cdef Py_ssize_t n_pairs = self.seen.n_pairs
        # [before or after, word, relation]; one row
        cdef FloatsAt of_head = sums, of_dependent = sums + 2 * area, row = sums + 4 * area
        cdef const int32_t* pairs = self.seen.pairs
        cdef ConstFloatsAt weights = &table[0, 0], a, b
        cdef ConstKeysAt head, dependent
        cdef uint64_t side, shift = self.seen.shift
        cdef float kept
        memset(sums, 0, 4 * area * sizeof(float))
        _sum_alone(
            self.heads, n, self.dependents[0, self.pairs[0, 1]], self.pairs[:first], 0, table,
            shift, of_head,
        )
        _sum_alone(
            self.dependents, n, self.heads[0, self.pairs[first, 0]], self.pairs[first:second], 1,
            table, shift, of_dependent,
        )
        for d in range(1, n + 1):
            dependent = self.seen.dependents + d * self.seen.dependent_views
            for h in range(n + 1):
                if h == d:
                    continue
                head = self.seen.heads + h * self.seen.head_views
                place, side = h * (n + 1) + d, side_of(h, d)
                a = of_head + ((n + 1) * (h < d) + h) * width
                b = of_dependent + ((n + 1) * (h < d) + d) * width
                for r in range(width):
                    row[r] = a[r] + b[r]
                for t in range(second, n_pairs):
                    a = weights + width * <Py_ssize_t> place_of(
                        (head[pairs[2 * t]] + dependent[pairs[2 * t + 1]]) ^ side, shift
                    )
                    for r in range(width):
                        row[r] += a[r]
                if gold != NULL:
                    kept = row[wanted[d - 1]]
                    for r in range(width):
                        row[r] += 1
                    if gold[d - 1] == h:
                        row[wanted[d - 1]] = kept
                    else:
                        scores[place] += 1.0
                found = root
                if h != 0:
                    found = 1 if root == 0 and width > 1 else 0
                    for r in range(width):
                        if r != root and row[r] > row[found]:
                            found = r
                best[place] = <int32_t> found
                scores[place] += row[found]

    def look_at(self, Py_ssize_t sentence):
        """Turn to a sentence; what follows is about it."""
        self.look(sentence)

    def features(self, Py_ssize_t h, Py_ssize_t d):
        """Places of an arc's features."""
        return np.array(self.out[: arc_features(&self.seen, h, d)])

    def scores(self, const float[::1] weights):
        """Scores of all arcs, [head, dependent]."""
        made = np.zeros((self.seen.n + 1, self.seen.n + 1))
        cdef double[:, ::1] scores = made
        score_arcs(&self.seen, &weights[0], &scores[0, 0])
        return made

    def relation_features(self, Py_ssize_t h, Py_ssize_t d):
        """Rows of the features of an arc's relation."""
        relation_features(&self.seen, h, d)
        return np.array(self.out[: self.seen.n_pairs])

    def best_relations(self, const float[:, ::1] table, Py_ssize_t root, gold, wanted):
        """Best relation of every arc, and its score; `gold` and `wanted` may be None."""
        cdef Py_ssize_t size = self.seen.n + 1
        found, made = np.zeros((size, size), np.int32), np.zeros((size, size))
        cdef int32_t[:, ::1] best = found
        cdef double[:, ::1] scores = made
        cdef float[::1] sums = np.empty((4 * size + 1) * table.shape[1], np.float32)
        cdef const int32_t[::1] heads, names
        cdef ConstIntsAt first = NULL, second = NULL
        if gold is not None:
            heads, names = gold, wanted
            first, second = &heads[0], &names[0]
        self.add_relations(table, root, first, second, &scores[0, 0], &best[0, 0], &sums[0])
        return found, made


cdef void _views(
    const uint64_t[:, ::1] letters, Py_ssize_t root, Py_ssize_t n, const int32_t[:, ::1] rows,
    uint64_t salt, uint64_t[:, ::1] out,
) noexcept nogil:
    """Write the hashes of all views of the root and the words of a sentence.

    The salt tells the views of the two ends of an arc apart.
    """
    cdef Py_ssize_t k, i, c
    cdef int32_t code
    cdef uint64_t key
    for k in range(n + 1):
        for i in range(rows.shape[0]):
            key = mix(salt, <uint64_t> i << 8)
            for c in range(rows.shape[1]):
                code = rows[i, c]
                if code >= 0:
                    key = mix(key, letters[code // SPAN, root + k + code % SPAN - REACH])
            out[k, i] = mix(key, salt)


cdef void _sum_alone(
    uint64_t[:, ::1] views, Py_ssize_t n, uint64_t empty, const int32_t[:, ::1] pairs,
    Py_ssize_t column, const float[:, ::1] table, uint64_t shift, float* sums,
) noexcept nogil:
    """Sum, for both directions and every word, the rows of features of one end of an arc."""
    cdef Py_ssize_t after, k, t, r, width = table.shape[1]
    cdef uint64_t side
    cdef const float* row
    for after in range(2):
        side = side_of(1 - after, after)
        for k in range(n + 1):
            for t in range(pairs.shape[0]):
                row = &table[place_of((views[k, pairs[t, column]] + empty) ^ side, shift), 0]
                for r in range(width):
                    sums[r] += row[r]
            sums += width
