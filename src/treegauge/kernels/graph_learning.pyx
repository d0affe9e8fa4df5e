"""Kernels that learn log-linear weights, word by word (AdaGrad) or in batches (Adam).

AdaGrad averages: where a change made at step ``t`` adds ``t`` times itself to the sums, the mean
over all steps is ``weights - sums / steps``. Adam learns as neural parsers do: a batch moves only
the places that it touches, and only their moments are kept up. Its weights are not averaged; after
an epoch they are what the last batch left.
"""

import numpy as np

from libc.math cimport fabs, log, pow, sqrtf
from libc.stdint cimport int32_t, int64_t

from treegauge.kernels.graph_arcs cimport (
    Sight,
    arc_features,
    relation_scores,
    score_arcs,
    softmax,
    softmax_heads,
)

ctypedef float* FloatsAt

TINY = 1e-3
"""Smaller gradients change nothing that can be seen and would cost most of the time."""

ctypedef const int32_t[::1] Ints

cdef double LEAST_SLOPE = TINY
cdef double DECAY = 0.9  # of both moments, as in biaffine parsers
cdef float FLOOR = 1e-3  # of deviations: slopes that cancel out but for rounding must not be steps

cdef enum:  # what is kept of a weight, side by side so that a look at one of them loads them all
    SLOPE  # in the batch that last touched it
    STAMP  # the number of that batch
    MEAN  # of slopes
    SQUARE  # mean of squares

cdef struct Learner:
    float* weights
    double* sums  # of AdaGrad, as squares
    FloatsAt squares, kept  # the latter is of Adam, as are touched and count
    int32_t* touched
    Py_ssize_t count
    double rate
    int64_t step


cdef inline void _adagrad(Learner* learner, Py_ssize_t place, double slope) noexcept nogil:
    learner.squares[place] += <float> (slope * slope)
    cdef double change = -learner.rate * slope / sqrtf(learner.squares[place])
    learner.weights[place] += <float> change
    learner.sums[place] += learner.step * change


cdef inline void _gather(Learner* learner, Py_ssize_t place, double slope) noexcept nogil:
    """Add to the slope of a weight in this batch."""
    cdef float* one = learner.kept + 4 * place
    if one[STAMP] != <double> learner.step:
        one[STAMP] = <float> learner.step
        one[SLOPE] = 0
        learner.touched[learner.count] = <int32_t> place
        learner.count += 1
    one[SLOPE] += <float> slope


cdef double _power(double base, int64_t exponent) noexcept nogil:
    """Raise to a whole power by squaring; the C library's last bit may be another."""
    cdef double made = 1.0
    if exponent > 0x10000:
        return pow(base, <double> exponent)
    while exponent != 0:
        if exponent & 1:
            made *= base
        exponent >>= 1
        base *= base
    return made


cdef void _move(Learner* learner) noexcept nogil:
    """Move what the batch has touched: ``w -= rate * mean / sqrt(square)``, both unbiased."""
    learner.step += 1
    cdef float decay = <float> DECAY, rest = <float> (1 - DECAY), rate = <float> learner.rate
    cdef float bias = <float> (1 - _power(DECAY, learner.step)), slope
    cdef float* one
    cdef Py_ssize_t k, place
    for k in range(learner.count):
        place = learner.touched[k]
        one = learner.kept + 4 * place
        slope = one[SLOPE]
        one[MEAN] = decay * one[MEAN] + rest * slope
        one[SQUARE] = decay * one[SQUARE] + rest * slope * slope
        learner.weights[place] -= rate * (one[MEAN] / bias) / (sqrtf(one[SQUARE] / bias) + FLOOR)
    learner.count = 0


cdef double _learn_heads(
    Sight sight, Ints gold, Ints order, Learner* learner, Py_ssize_t batch, double[::1] scores,
    double[::1] shares,
) noexcept nogil:
    """Pass once over the sentences; without batches each is a step of AdaGrad."""
    cdef Py_ssize_t at, s, first, n, d, h, k, right
    cdef double loss = 0.0, slope
    for at in range(order.shape[0]):
        s = order[at]
        sight.look(s)
        first, n = sight.bounds[s], sight.seen.n
        score_arcs(&sight.seen, learner.weights, &scores[0])
        for d in range(1, n + 1):
            softmax_heads(&scores[0], n + 1, d, &shares[0])
            right = gold[first + d - 1]
            loss -= log(max(shares[right], 1e-300))
            shares[right] -= 1.0
            for h in range(n + 1):
                slope = shares[h]
                if h == d or fabs(slope) < LEAST_SLOPE:
                    continue
                for k in range(arc_features(&sight.seen, h, d)):
                    if batch:
                        _gather(learner, sight.seen.out[k], slope)
                    else:
                        _adagrad(learner, sight.seen.out[k], slope)
        _finish(learner, at, order.shape[0], batch)
    return loss


cdef double _learn_relations(
    Sight sight, Ints gold, Ints wanted, Ints order, const float[:, ::1] table, Learner* learner,
    Py_ssize_t batch, double[::1] shares,
) noexcept nogil:
    """Pass once over gold arcs; without batches each sentence is a step of AdaGrad."""
    cdef Py_ssize_t at, s, first, d, r, k, right, width = table.shape[1]
    cdef double loss = 0.0
    for at in range(order.shape[0]):
        s = order[at]
        sight.look(s)
        first = sight.bounds[s]
        for d in range(1, sight.seen.n + 1):
            right = wanted[first + d - 1]
            relation_scores(&sight.seen, gold[first + d - 1], d, table, &shares[0])
            softmax(&shares[0], width)
            loss -= log(max(shares[right], 1e-300))
            shares[right] -= 1.0
            for r in range(width):
                if fabs(shares[r]) < LEAST_SLOPE:
                    continue
                for k in range(sight.seen.n_pairs):
                    if batch:
                        _gather(learner, sight.seen.out[k] * width + r, shares[r])
                    else:
                        _adagrad(learner, sight.seen.out[k] * width + r, shares[r])
        _finish(learner, at, order.shape[0], batch)
    return loss


cdef inline void _finish(
    Learner* learner, Py_ssize_t at, Py_ssize_t size, Py_ssize_t batch
) noexcept nogil:
    if not batch:
        learner.step += 1
    elif (at + 1) % batch == 0 or at + 1 == size:
        _move(learner)


cdef Learner _learner(float* weights, memory, Py_ssize_t batch, double rate):
    """Make the learner that takes up what there is in memory."""
    cdef float[::1] floats = memory[0].reshape(-1)
    cdef double[::1] sums
    cdef int32_t[::1] touched
    if batch:
        touched = memory.touched
        return Learner(weights, NULL, NULL, &floats[0], &touched[0], 0, rate, memory.steps[0])
    sums = memory.sums
    return Learner(weights, &sums[0], &floats[0], NULL, NULL, 0, rate, memory.steps[0])


def head_epoch(
    words, Ints gold, Ints order, arcs, float[::1] weights, memory, Py_ssize_t batch, double rate
):
    """Pass once over the sentences to raise ``log p(head | word)``; returns its sum, negative.

    In batches Adam learns, from moments; without, AdaGrad, from sums and squares.
    """
    cdef Learner learner = _learner(&weights[0], memory, batch, rate)
    cdef Sight sight = Sight(words, arcs, len(weights))
    cdef double[::1] scores = np.zeros((sight.longest + 1) ** 2)
    cdef double[::1] shares = np.empty(sight.longest + 1)
    cdef double loss
    with nogil:
        loss = _learn_heads(sight, gold, order, &learner, batch, scores, shares)
    memory.steps[0] = learner.step
    return loss


def relation_epoch(
    words, Ints gold, Ints wanted, Ints order, relations, float[:, ::1] table, memory,
    Py_ssize_t batch, double rate,
):
    """Pass once over gold arcs to raise ``log p(relation | arc)``; returns its sum, negative."""
    cdef Learner learner = _learner(&table[0, 0], memory, batch, rate)
    cdef Sight sight = Sight(words, relations, len(table))
    cdef double[::1] shares = np.empty(table.shape[1])
    cdef double loss
    with nogil:
        loss = _learn_relations(sight, gold, wanted, order, table, &learner, batch, shares)
    memory.steps[0] = learner.step
    return loss
