"""Kernels that learn log-linear weights, word by word (AdaGrad) or in batches (Adam).

AdaGrad averages: where a change made at step ``t`` adds ``t`` times itself to the sums, the mean
over all steps is ``weights - sums / steps``. Adam learns as neural parsers do: a batch moves only
the places that it touches, and only their moments are kept up. Its weights are not averaged; after
an epoch they are what the last batch left.
"""

from typing import NamedTuple

import numpy as np

from treegauge.kernels.graph_arcs import (
    DEPENDENT,
    HEAD,
    Floats,
    GraphWords,
    Ints,
    Weights,
    Whole,
    arc_features,
    most_features,
    nothing_between,
    relation_scores,
    score_arcs,
    shift_of,
    softmax,
    views,
)
from treegauge.kernels.graph_features import Pairs
from treegauge.kernels.jit import inner, kernel

TINY = 1e-3  # smaller gradients change nothing that can be seen and would cost most of the time


@inner
def softmax_heads(scores: Floats, d: int, shares: Floats) -> None:
    """Probabilities of the heads of a word, its own place left out."""
    n = len(scores)
    top = -np.inf
    for h in range(n):
        if h != d:
            top = max(top, scores[h, d])
    total = 0.0
    for h in range(n):
        shares[h] = np.exp(scores[h, d] - top) if h != d else 0.0
        total += shares[h]
    for h in range(n):
        shares[h] /= total


@inner
def _adagrad(
    place: Whole, slope: float, rate: float, step: int, weights: Weights, sums: Floats,
    squares: Weights,
) -> None:  # fmt: skip
    squares[place] += np.float32(slope * slope)
    change = -rate * slope / np.sqrt(squares[place])
    weights[place] += np.float32(change)
    sums[place] += step * change


@kernel
def head_epoch(
    words: GraphWords, gold: Ints, order: Ints, arcs: Pairs, weights: Weights, sums: Floats,
    squares: Weights, steps: int, rate: float,
) -> float:  # fmt: skip
    """Pass once over the sentences with AdaGrad on ``-log p(head | word)``; returns its sum."""
    shift = shift_of(len(weights))
    between, out = nothing_between(), np.empty(most_features(arcs.pairs), np.int32)
    loss = 0.0
    for s in order:
        first, n = words.offsets[s], words.offsets[s + 1] - words.offsets[s]
        at = words.roots[s]
        kinds = words.kinds[at : at + n + 1]
        heads = views(words.letters, at, n, arcs.heads, HEAD)
        dependents = views(words.letters, at, n, arcs.dependents, DEPENDENT)
        scores = np.zeros((n + 1, n + 1))
        score_arcs(heads, dependents, kinds, arcs.pairs, between, shift, weights, out, scores)
        shares = np.empty(n + 1)
        for d in range(1, n + 1):
            softmax_heads(scores, d, shares)
            right = gold[first + d - 1]
            loss -= np.log(max(shares[right], 1e-300))
            for h in range(n + 1):
                slope = shares[h] - (1.0 if h == right else 0.0)
                if h == d or abs(slope) < TINY:
                    continue
                for k in range(
                    arc_features(heads, dependents, kinds, h, d, arcs.pairs, between, shift, out)
                ):
                    _adagrad(out[k], slope, rate, steps, weights, sums, squares)
        steps += 1
    return loss


@kernel
def relation_epoch(
    words: GraphWords, gold: Ints, wanted: Ints, order: Ints, relations: Pairs, table: Weights,
    sums: Floats, squares: Weights, steps: int, rate: float,
) -> float:  # fmt: skip
    """Pass once over gold arcs with AdaGrad on ``-log p(relation | arc)``; returns its sum."""
    shift, width = shift_of(len(table)), table.shape[1]
    rows, shares = np.empty(len(relations.pairs), np.int32), np.empty(width)
    flat, flat_sums, flat_squares = table.reshape(-1), sums.reshape(-1), squares.reshape(-1)
    loss = 0.0
    for s in order:
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
                    place = rows[k] * width + r
                    _adagrad(place, shares[r], rate, steps, flat, flat_sums, flat_squares)
        steps += 1
    return loss


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
    words: GraphWords, gold: Ints, order: Ints, arcs: Pairs, weights: Weights, moments: Moments,
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
    words: GraphWords, gold: Ints, wanted: Ints, order: Ints, relations: Pairs, table: Weights,
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
