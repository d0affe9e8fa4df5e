"""Kernels that learn log-linear weights by AdaGrad.

They average: where a change made at step ``t`` adds ``t`` times itself to the sums, the mean over
all steps is ``weights - sums / steps``.
"""

import numpy as np

from treegauge.kernels.graph_arcs import (
    DEPENDENT,
    HEAD,
    Floats,
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
from treegauge.kernels.graph_relations import relation_scores, softmax
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
    words: Words, gold: Ints, order: Ints, arcs: Pairs, weights: Weights, sums: Floats,
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
    words: Words, gold: Ints, wanted: Ints, order: Ints, relations: Pairs, table: Weights,
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
