"""Kernels that learn weights: 1-best MIRA over trees, and log-linear models by AdaGrad.

All of them average: where a change made at step ``t`` adds ``t`` times itself to the sums, the
mean over all steps is ``weights - sums / steps``.
"""

import numpy as np

from treegauge._jit import inner, kernel
from treegauge.parse._decoding import eisner, spanning_tree
from treegauge.parse.graph._arcs import (
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
from treegauge.parse.graph._relations import (
    best_relations,
    relation_features,
    relation_scores,
    softmax,
)
from treegauge.parse.graph.templates import Pairs

TINY = 1e-3  # smaller gradients change nothing that can be seen and would cost most of the time
HEAD, DEPENDENT = np.uint64(11), np.uint64(12)  # tell the views of the two ends apart


@kernel
def decode(scores: Floats, projective: bool, heads: Ints) -> None:
    """Best tree with one root; the scores of the root's arcs are changed."""
    n = len(scores)
    if projective:
        eisner(scores, heads)
        return
    low, high = np.inf, -np.inf
    for h in range(n):
        scores[h, h] = 0.0
        for d in range(1, n):
            if h != d:
                low, high = min(low, scores[h, d]), max(high, scores[h, d])
    for d in range(1, n):
        scores[0, d] -= (high - low + 1.0) * n
    spanning_tree(scores, heads)


@inner
def _collect(
    place: Whole, sign: int, step: int, delta: Weights, stamp: Ints, touched: Ints, count: Whole
) -> Whole:
    """Add one feature to the difference of this step; returns the number of its places."""
    if stamp[place] != step:
        stamp[place] = step
        delta[place] = 0
        touched[count] = place
        count += 1
    delta[place] += sign
    return count


@inner
def _change(
    alpha: float, step: int, delta: Weights, touched: Ints, count: Whole, weights: Weights,
    sums: Floats,
) -> None:  # fmt: skip
    for k in range(count):
        change = alpha * delta[touched[k]]
        weights[touched[k]] += np.float32(change)
        sums[touched[k]] += step * change


@inner
def _product(delta: Weights, touched: Ints, count: Whole, weights: Weights) -> float:
    total = 0.0
    for k in range(count):
        total += np.float64(delta[touched[k]]) * weights[touched[k]]
    return total


@kernel
def mira_epoch(
    words: Words, gold: Ints, wanted: Ints, order: Ints, arcs: Pairs, relations: Pairs,
    weights: Weights, sums: Floats, table: Weights, table_sums: Floats, root: int, steps: int,
    projective: bool, labels: bool,
) -> int:  # fmt: skip
    """Pass once over the sentences; returns the number of wrong heads.

    ``alpha = (loss - (s(gold) - s(tree))) / |f(gold) - f(tree)|^2`` where that is positive, for
    the tree that the margin is most violated by: each wrong head counts one more, and so does each
    word of which head and relation are not both right. Relations are learned if `labels`.
    """
    shift, table_shift = shift_of(len(weights)), shift_of(len(table))
    between, out = nothing_between(), np.empty(most_features(arcs.pairs), np.int32)
    rows = np.empty(len(relations.pairs), np.int32)
    delta, stamp = np.zeros(len(weights), np.float32), np.full(len(weights), -1, np.int32)
    flat, flat_sums, width = table.reshape(-1), table_sums.reshape(-1), table.shape[1]
    table_delta, table_stamp = np.zeros(len(flat), np.float32), np.full(len(flat), -1, np.int32)
    wrong = 0
    for s in order:
        first, n = words.offsets[s], words.offsets[s + 1] - words.offsets[s]
        at = words.roots[s]
        kinds = words.kinds[at : at + n + 1]
        heads = views(words.letters, at, n, arcs.heads, HEAD)
        dependents = views(words.letters, at, n, arcs.dependents, DEPENDENT)
        owners = views(words.letters, at, n, relations.heads, HEAD)
        owned = views(words.letters, at, n, relations.dependents, DEPENDENT)
        scores = np.zeros((n + 1, n + 1))
        score_arcs(heads, dependents, kinds, arcs.pairs, between, shift, weights, out, scores)
        best = np.zeros((n + 1, n + 1), np.int32)
        best_relations(
            owners, owned, relations, table, table_shift, root, gold[first : first + n],
            wanted[first : first + n], 1.0, scores, best,
        )  # fmt: skip
        found = np.zeros(n + 1, np.int32)
        decode(scores, projective, found)
        touched = np.empty(2 * n * len(out), np.int32)
        table_touched = np.empty(2 * n * len(rows), np.int32)
        loss = 0
        count: Whole = np.int64(0)
        table_count: Whole = np.int64(0)
        for d in range(1, n + 1):
            right, guess = np.int64(gold[first + d - 1]), np.int64(found[d])
            relation, guessed = wanted[first + d - 1], best[guess, d]
            if right != guess:
                loss += 1
                wrong += 1
                for h, sign in ((right, 1), (guess, -1)):
                    size = arc_features(
                        heads, dependents, kinds, h, d, arcs.pairs, between, shift, out
                    )
                    for k in range(size):
                        count = _collect(
                            np.int64(out[k]), sign, steps, delta, stamp, touched, count
                        )
            elif relation == guessed or relation == root:  # which is never found elsewhere
                continue
            if labels:
                loss += 1
                for h, r, sign in ((right, relation, 1), (guess, guessed, -1)):
                    relation_features(owners, owned, h, d, relations.pairs, table_shift, rows)
                    for k in range(len(rows)):
                        table_count = _collect(
                            rows[k] * width + r, sign, steps, table_delta, table_stamp,
                            table_touched, table_count,
                        )  # fmt: skip
        norm = _product(delta, touched, count, delta)
        norm += _product(table_delta, table_touched, table_count, table_delta)
        if norm > 0:
            margin = _product(delta, touched, count, weights)
            margin += _product(table_delta, table_touched, table_count, flat)
            alpha = max(0.0, (loss - margin) / norm)
            _change(alpha, steps, delta, touched, count, weights, sums)
            _change(alpha, steps, table_delta, table_touched, table_count, flat, flat_sums)
        steps += 1
    return wrong


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
