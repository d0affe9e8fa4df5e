"""Kernels that learn log-linear weights as neural parsers learn theirs: Adam, batch by batch.

Only the places that a batch touches are moved, and only their moments are kept up. Weights are not
averaged: what is told of them after an epoch is what the last batch left.
"""

from typing import NamedTuple

import numpy as np

from treegauge.kernels.graph_arcs import (
    DEPENDENT,
    HEAD,
    Ints,
    Weights,
    Whole,
    Words,
    arc_features,
    most_features,
    nothing_between,
    score_arcs,
    shift_of,
    views,
)
from treegauge.kernels.graph_features import Pairs
from treegauge.kernels.graph_learning import TINY, softmax_heads
from treegauge.kernels.graph_relations import relation_scores, softmax
from treegauge.kernels.jit import inner, kernel

DECAY = 0.9  # of both moments, as in biaffine parsers
FLOOR = 1e-3  # of deviations: slopes that cancel out but for rounding must not become steps


# What is kept of every weight, side by side so that a look at one of them loads them all: its slope
# in the batch that last touched it, the number of that batch, and means of slopes and squares.
SLOPE, STAMP, MEAN, SQUARE = range(4)


class Moments(NamedTuple):
    """What Adam keeps of weights between batches."""

    kept: Weights
    touched: Ints
    steps: Ints

    @classmethod
    def of(cls, size: int) -> "Moments":
        """Make those of weights that have not moved."""
        kept = np.zeros((size, 4), np.float32)
        kept[:, STAMP] = -1
        return cls(kept, np.empty(size, np.int32), np.zeros(1, np.int64))


@inner
def _gather(place: Whole, slope: float, moments: Moments, count: Whole) -> Whole:
    """Add to the slope of a weight in this batch; returns the number of weights touched."""
    one = moments.kept
    if one[place, STAMP] != moments.steps[0]:
        one[place, STAMP] = moments.steps[0]
        one[place, SLOPE] = 0
        moments.touched[count] = place
        count += 1
    one[place, SLOPE] += np.float32(slope)
    return count


@inner
def _step(weights: Weights, moments: Moments, count: Whole, rate: float) -> None:
    """Move what the batch has touched: ``w -= rate * mean / sqrt(square)``, both unbiased."""
    moments.steps[0] += 1
    one, decay, rest = moments.kept, np.float32(DECAY), np.float32(1 - DECAY)
    bias = np.float32(1 - DECAY ** moments.steps[0])
    for k in range(count):
        place = moments.touched[k]
        slope = one[place, SLOPE]
        one[place, MEAN] = decay * one[place, MEAN] + rest * slope
        one[place, SQUARE] = decay * one[place, SQUARE] + rest * slope * slope
        deviation = np.sqrt(one[place, SQUARE] / bias) + np.float32(FLOOR)
        weights[place] -= np.float32(rate) * (one[place, MEAN] / bias) / deviation


@kernel
def head_batches(
    words: Words, gold: Ints, order: Ints, arcs: Pairs, weights: Weights, moments: Moments,
    batch: int, rate: float,
) -> float:  # fmt: skip
    """Pass once over the sentences with Adam on ``-log p(head | word)``; returns its sum."""
    shift = shift_of(len(weights))
    between, out = nothing_between(), np.empty(most_features(arcs.pairs), np.int32)
    loss = 0.0
    count: Whole = np.int64(0)
    for at in range(len(order)):
        s = order[at]
        first, n = words.offsets[s], words.offsets[s + 1] - words.offsets[s]
        root = words.roots[s]
        kinds = words.kinds[root : root + n + 1]
        heads = views(words.letters, root, n, arcs.heads, HEAD)
        dependents = views(words.letters, root, n, arcs.dependents, DEPENDENT)
        scores, shares = np.zeros((n + 1, n + 1)), np.empty(n + 1)
        score_arcs(heads, dependents, kinds, arcs.pairs, between, shift, weights, out, scores)
        for d in range(1, n + 1):
            softmax_heads(scores, d, shares)
            right = gold[first + d - 1]
            loss -= np.log(max(shares[right], 1e-300))
            shares[right] -= 1.0
            for h in range(n + 1):
                if h == d or abs(shares[h]) < TINY:
                    continue
                for k in range(
                    arc_features(heads, dependents, kinds, h, d, arcs.pairs, between, shift, out)
                ):
                    count = _gather(np.int64(out[k]), shares[h], moments, count)
        if (at + 1) % batch == 0 or at + 1 == len(order):
            _step(weights, moments, count, rate)
            count = np.int64(0)
    return loss


@kernel
def relation_batches(
    words: Words, gold: Ints, wanted: Ints, order: Ints, relations: Pairs, table: Weights,
    moments: Moments, batch: int, rate: float,
) -> float:  # fmt: skip
    """Pass once over gold arcs with Adam on ``-log p(relation | arc)``; returns its sum."""
    shift, width, flat = shift_of(len(table)), table.shape[1], table.reshape(-1)
    rows, shares = np.empty(len(relations.pairs), np.int32), np.empty(width)
    loss = 0.0
    count: Whole = np.int64(0)
    for at in range(len(order)):
        s = order[at]
        first, n = words.offsets[s], words.offsets[s + 1] - words.offsets[s]
        heads = views(words.letters, words.roots[s], n, relations.heads, HEAD)
        dependents = views(words.letters, words.roots[s], n, relations.dependents, DEPENDENT)
        for d in range(1, n + 1):
            h, right = gold[first + d - 1], wanted[first + d - 1]
            relation_scores(heads, dependents, h, d, relations.pairs, table, shift, rows, shares)
            softmax(shares)
            loss -= np.log(max(shares[right], 1e-300))
            shares[right] -= 1.0
            for r in range(width):
                if abs(shares[r]) < TINY:
                    continue
                for k in range(len(rows)):
                    count = _gather(np.int64(rows[k] * width + r), shares[r], moments, count)
        if (at + 1) % batch == 0 or at + 1 == len(order):
            _step(flat, moments, count, rate)
            count = np.int64(0)
    return loss
