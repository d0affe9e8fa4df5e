"""Kernels that find best trees, learn from them by 1-best MIRA, and give probabilities."""

import numpy as np

from libc.math cimport INFINITY
from libc.stdint cimport int32_t, int64_t
from libc.string cimport memcpy, memset

from treegauge.kernels.decoding cimport best_projective, best_spanning
from treegauge.kernels.graph_arcs cimport (
    Seen,
    Sight,
    arc_features,
    relation_features,
    relation_scores,
    score_arcs,
    softmax,
    softmax_heads,
)

ctypedef float* FloatsAt
ctypedef int32_t* IntsAt
ctypedef const int32_t[::1] Ints

cdef struct Table:
    FloatsAt weights, delta
    double* sums
    IntsAt stamp, touched
    Py_ssize_t count


cdef void _favour_one_root(double* scores, Py_ssize_t n) noexcept nogil:
    """Make every tree with more roots worse than any tree with one."""
    cdef double low = INFINITY, high = -INFINITY
    cdef Py_ssize_t h, d
    for h in range(n):
        scores[h * n + h] = 0.0
        for d in range(1, n):
            if h != d:
                low, high = min(low, scores[h * n + d]), max(high, scores[h * n + d])
    for d in range(1, n):
        scores[d] -= (high - low + 1.0) * n


cdef inline void _collect(Table* table, Py_ssize_t place, int sign, int64_t step) noexcept nogil:
    """Add one feature to the difference of this step."""
    if table.stamp[place] != step:
        table.stamp[place] = <int32_t> step
        table.delta[place] = 0
        table.touched[table.count] = <int32_t> place
        table.count += 1
    table.delta[place] += sign


cdef void _collect_arc(
    Seen* seen, Py_ssize_t h, Py_ssize_t d, int sign, int64_t step, Table* table
) noexcept nogil:
    cdef Py_ssize_t k
    for k in range(arc_features(seen, h, d)):
        _collect(table, seen.out[k], sign, step)


cdef void _collect_relation(
    Seen* seen, Py_ssize_t h, Py_ssize_t d, Py_ssize_t r, Py_ssize_t width, int sign, int64_t step,
    Table* table,
) noexcept nogil:
    cdef Py_ssize_t k
    relation_features(seen, h, d)
    for k in range(seen.n_pairs):
        _collect(table, seen.out[k] * width + r, sign, step)


cdef void _change(Table* table, double alpha, int64_t step) noexcept nogil:
    cdef Py_ssize_t k, place
    cdef double change
    for k in range(table.count):
        place = table.touched[k]
        change = alpha * table.delta[place]
        table.weights[place] += <float> change
        table.sums[place] += step * change


cdef double _product(Table* table, const float* other) noexcept nogil:
    """Multiply the difference with weights or with itself."""
    cdef double total = 0.0
    cdef Py_ssize_t k
    for k in range(table.count):
        total += <double> table.delta[table.touched[k]] * other[table.touched[k]]
    return total


def best_trees(
    words, Ints order, arcs, relations, const float[::1] weights, const float[:, ::1] table,
    Py_ssize_t root, bint projective, bint joint, lesson, int32_t[::1] found, int32_t[::1] named,
):
    """Find the best tree of every sentence in order and the best relation of every arc.

    If `joint`, the score of an arc is that of its features and of its best relation.

    Where there is a lesson, weights change after each sentence by ``alpha (f(gold) - f(tree))``,
    ``alpha = (loss - (s(gold) - s(tree))) / |f(gold) - f(tree)|^2`` where that is positive, for
    the tree that the margin is most violated by: each wrong head counts one more, and so does each
    word of which head and relation are not both right.
    """
    cdef Sight sight = Sight(words, arcs, len(weights)), names = Sight(words, relations, len(table))
    cdef Py_ssize_t most = sight.longest + 1, width = table.shape[1], i, s, d, n, first
    cdef double[::1] scores = np.zeros(most * most), others = np.zeros(most * most)
    cdef double[::1] room = np.empty(6 * most * most)
    cdef int32_t[::1] places = np.empty(6 * most * most + 24, np.int32)
    cdef int32_t[::1] best = np.zeros(most * most, np.int32), tree = np.zeros(most + 1, np.int32)
    cdef float[::1] sums = np.empty((4 * most + 1) * width, np.float32)
    cdef bint learning = lesson is not None
    cdef Ints gold, wanted
    cdef Table of_arcs, of_relations
    cdef bint labels = learning and lesson.labels
    cdef int64_t step = lesson.steps if learning else 0
    if learning:
        gold, wanted = lesson.gold, lesson.wanted
        changes = np.empty(2 * most * len(sight.out), np.int32)
        named_changes = np.empty(2 * most * len(names.pairs), np.int32)
        of_arcs = _table(lesson.arcs, changes)
        of_relations = _table(lesson.relations, named_changes)
    with nogil:
        for i in range(order.shape[0]):
            s = order[i]
            first, n = sight.bounds[s], sight.bounds[s + 1] - sight.bounds[s]
            if n == 0:
                continue
            sight.look(s)
            names.look(s)
            memset(&scores[0], 0, (n + 1) * (n + 1) * sizeof(double))
            score_arcs(&sight.seen, &weights[0], &scores[0])
            names.add_relations(
                table, root, &gold[first] if learning else NULL,
                &wanted[first] if learning else NULL, &scores[0] if joint else &others[0],
                &best[0], &sums[0],
            )
            if projective:
                best_projective(&scores[0], n + 1, &tree[0], &room[0], &places[0])
            else:
                _favour_one_root(&scores[0], n + 1)
                best_spanning(&scores[0], n + 1, &tree[0], &room[0], &places[0])
            for d in range(1, n + 1):
                found[first + d - 1] = tree[d]
                named[first + d - 1] = best[tree[d] * (n + 1) + d]
            if learning:
                _learn(
                    sight, names, &gold[first], &wanted[first], &tree[0], &named[first], width,
                    root, labels, step, &of_arcs, &of_relations,
                )
                step += 1


cdef Table _table(learned, int32_t[::1] touched):
    cdef float[::1] weights = learned.weights, delta = learned.delta
    cdef double[::1] sums = learned.sums
    cdef int32_t[::1] stamp = learned.stamp
    return Table(&weights[0], &delta[0], &sums[0], &stamp[0], &touched[0], 0)


cdef void _learn(
    Sight sight, Sight names, const int32_t* gold, const int32_t* wanted, const int32_t* tree,
    const int32_t* named, Py_ssize_t width, Py_ssize_t root, bint labels, int64_t step,
    Table* arcs, Table* relations,
) noexcept nogil:
    """Learn from one sentence."""
    cdef Py_ssize_t d, right, guess, relation, guessed, loss = 0
    cdef double norm, margin, alpha
    arcs.count = relations.count = 0
    for d in range(1, sight.seen.n + 1):
        right, guess = gold[d - 1], tree[d]
        relation, guessed = wanted[d - 1], named[d - 1]
        if right != guess:
            loss += 1
            _collect_arc(&sight.seen, right, d, 1, step, arcs)
            _collect_arc(&sight.seen, guess, d, -1, step, arcs)
        elif relation == guessed or relation == root:  # which is never found elsewhere
            continue
        if labels:
            loss += 1
            _collect_relation(&names.seen, right, d, relation, width, 1, step, relations)
            _collect_relation(&names.seen, guess, d, guessed, width, -1, step, relations)
    norm = _product(arcs, arcs.delta)
    norm += _product(relations, relations.delta)
    if norm > 0:
        margin = _product(arcs, arcs.weights)
        margin += _product(relations, relations.weights)
        alpha = max(0.0, (loss - margin) / norm)
        _change(arcs, alpha, step)
        _change(relations, alpha, step)


def head_shares(
    words, arcs, relations, const float[::1] weights, const float[:, ::1] table, Py_ssize_t root,
    bint joint, const int64_t[::1] starts, double[::1] shares,
):
    """Write p(head | word) of all sentences; word d of s fills n + 1 places from its start on.

    Scores are those that :func:`treegauge.kernels.graph_trees.best_trees` adds up.
    """
    cdef Sight sight = Sight(words, arcs, len(weights)), names = Sight(words, relations, len(table))
    cdef Py_ssize_t most = sight.longest + 1, s, d, n
    cdef double[::1] scores = np.zeros(most * most)
    cdef int32_t[::1] best = np.zeros(most * most, np.int32)
    cdef float[::1] sums = np.empty((4 * most + 1) * table.shape[1], np.float32)
    with nogil:
        for s in range(sight.bounds.shape[0] - 1):
            sight.look(s)
            n = sight.seen.n
            score_arcs(&sight.seen, &weights[0], &scores[0])
            if joint:
                names.look(s)
                names.add_relations(table, root, NULL, NULL, &scores[0], &best[0], &sums[0])
            for d in range(1, n + 1):
                softmax_heads(&scores[0], n + 1, d, &shares[starts[s] + (d - 1) * (n + 1)])


def relation_shares(words, Ints heads, relations, const float[:, ::1] table, double[:, ::1] shares):
    """Write p(relation | word, head) for the given heads, one row per word."""
    cdef Sight sight = Sight(words, relations, len(table))
    cdef Py_ssize_t s, d, word
    with nogil:
        for s in range(sight.bounds.shape[0] - 1):
            sight.look(s)
            for d in range(1, sight.seen.n + 1):
                word = sight.bounds[s] + d - 1
                relation_scores(&sight.seen, heads[word], d, table, &shares[word, 0])
                softmax(&shares[word, 0], table.shape[1])
