"""Kernels that score relations: a row of weights for each feature, one weight a relation."""

import numpy as np

from treegauge.kernels.graph_arcs import Floats, Ints, Keys, Weights, Whole, place_of, side_of
from treegauge.kernels.graph_features import Pairs
from treegauge.kernels.jit import inner, part


@inner
def relation_features(
    heads: Keys, dependents: Keys, h: Whole, d: Whole, pairs: Ints, shift: np.uint64, out: Ints
) -> None:
    """Write the rows of the features that tell an arc's relation, as many as there are pairs."""
    side = side_of(h, d)
    for t in range(len(pairs)):
        out[t] = place_of((heads[h, pairs[t, 0]] + dependents[d, pairs[t, 1]]) ^ side, shift)


@inner
def relation_scores(
    heads: Keys, dependents: Keys, h: Whole, d: Whole, pairs: Ints, table: Weights,
    shift: np.uint64, out: Ints, scores: Floats,
) -> None:  # fmt: skip
    """Score the relations of one arc."""
    relation_features(heads, dependents, h, d, pairs, shift, out)
    for r in range(len(scores)):
        scores[r] = 0.0
    for t in range(len(pairs)):
        for r in range(len(scores)):
            scores[r] += table[out[t], r]


@inner
def softmax(scores: Floats) -> None:
    """Turn scores into probabilities in place."""
    top = -np.inf
    for r in range(len(scores)):
        top = max(top, scores[r])
    total = 0.0
    for r in range(len(scores)):
        scores[r] = np.exp(scores[r] - top)
        total += scores[r]
    for r in range(len(scores)):
        scores[r] /= total


@part
def _alone(
    views: Keys, empty: np.uint64, pairs: Ints, column: Whole, table: Weights, shift: np.uint64
) -> Weights:
    """Sum, for both directions and every word, the rows of features of one end of an arc."""
    sums = np.zeros((2, len(views), table.shape[1]), np.float32)
    for after in range(2):
        side = side_of(1 - after, after)
        for k in range(len(views)):
            for t in range(len(pairs)):
                row = place_of((views[k, pairs[t, column]] + empty) ^ side, shift)
                for r in range(table.shape[1]):
                    sums[after, k, r] += table[row, r]
    return sums


@part
def best_relations(
    heads: Keys, dependents: Keys, pairs: Pairs, table: Weights, shift: np.uint64, root: int,
    gold: Ints, wanted: Ints, scores: Floats, best: Ints,
) -> None:  # fmt: skip
    """Add to every arc's score that of its best relation, which is written to `best`.

    Where `gold` heads and `wanted` relations are given (not empty), every other head and every
    other relation than these counts one more.
    """
    n = len(scores) - 1
    first, second = pairs.alone
    left, right = np.int64(0), np.int64(1)
    of_head = _alone(
        heads, dependents[0, pairs.pairs[0, 1]], pairs.pairs[:first], left, table, shift
    )
    of_dependent = _alone(
        dependents, heads[0, pairs.pairs[first, 0]], pairs.pairs[first:second], right, table, shift
    )
    both = pairs.pairs[second:]
    row = np.empty(table.shape[1], np.float32)
    for d in range(1, n + 1):
        for h in range(n + 1):
            if h == d:
                continue
            after = 1 if h < d else 0
            side = side_of(h, d)
            for r in range(len(row)):
                row[r] = of_head[after, h, r] + of_dependent[after, d, r]
            for t in range(len(both)):
                key = (heads[h, both[t, 0]] + dependents[d, both[t, 1]]) ^ side
                place = place_of(key, shift)
                for r in range(len(row)):
                    row[r] += table[place, r]
            if len(gold):
                scores[h, d] += 0.0 if gold[d - 1] == h else 1.0
                for r in range(len(row)):
                    row[r] += 0.0 if gold[d - 1] == h and wanted[d - 1] == r else 1.0
            found = root
            if h != 0:
                found = 1 if root == 0 and len(row) > 1 else 0
                for r in range(len(row)):
                    if r != root and row[r] > row[found]:
                        found = r
            best[h, d] = found
            scores[h, d] += row[found]
