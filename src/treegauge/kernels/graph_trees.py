"""Kernels that find best trees, learn from them by 1-best MIRA, and give probabilities."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from treegauge.kernels.decoding import eisner, spanning_tree
from treegauge.kernels.graph_arcs import (
    DEPENDENT,
    HEAD,
    Floats,
    GraphWords,
    Ints,
    Weights,
    Whole,
    arc_features,
    best_relations,
    most_features,
    nothing_between,
    relation_features,
    relation_scores,
    score_arcs,
    shift_of,
    softmax,
    views,
)
from treegauge.kernels.graph_features import Pairs
from treegauge.kernels.graph_learning import softmax_heads
from treegauge.kernels.jit import inner, kernel


class LearnedTable(NamedTuple):
    """Weights that are learned, the sums that their averages need, and the change at hand.

    Where a change made at step ``t`` adds ``t`` times itself to the sums, the mean over all steps
    is ``weights - sums / steps``. `delta` holds where `stamp` is the step.
    """

    weights: Weights
    sums: Floats
    delta: Weights
    stamp: Ints


class Lesson(NamedTuple):
    """What to learn from, from step `steps` on; nothing is learned where there are no gold heads.

    Relations are learned if `labels`.
    """

    gold: Ints
    wanted: Ints
    arcs: LearnedTable
    relations: LearnedTable
    steps: int
    labels: bool


def table_of(weights: Weights, sums: Floats) -> LearnedTable:
    """Make room for changes of weights."""
    return LearnedTable(
        weights.reshape(-1), sums.reshape(-1), np.zeros(weights.size, np.float32),
        np.zeros(weights.size, np.int32),
    )  # fmt: skip


_EMPTY = table_of(np.zeros(0, np.float32), np.zeros(0))
NOTHING = Lesson(_EMPTY.stamp, _EMPTY.stamp, _EMPTY, _EMPTY, 0, False)


@inner
def _favour_one_root(scores: Floats) -> None:
    """Make every tree with more roots worse than any tree with one."""
    n = len(scores)
    low, high = np.inf, -np.inf
    for h in range(n):
        scores[h, h] = 0.0
        for d in range(1, n):
            if h != d:
                low, high = min(low, scores[h, d]), max(high, scores[h, d])
    for d in range(1, n):
        scores[0, d] -= (high - low + 1.0) * n


@inner
def _collect(
    place: Whole, sign: int, step: int, table: LearnedTable, touched: Ints, count: Whole
) -> Whole:
    """Add one feature to the difference of this step; returns the number of its places."""
    if table.stamp[place] != step:
        table.stamp[place] = step
        table.delta[place] = 0
        touched[count] = place
        count += 1
    table.delta[place] += sign
    return count


@inner
def _change(alpha: float, step: int, table: LearnedTable, touched: Ints, count: Whole) -> None:
    for k in range(count):
        change = alpha * table.delta[touched[k]]
        table.weights[touched[k]] += np.float32(change)
        table.sums[touched[k]] += step * change


@inner
def _product(delta: Weights, touched: Ints, count: Whole, weights: Weights) -> float:
    total = 0.0
    for k in range(count):
        total += np.float64(delta[touched[k]]) * weights[touched[k]]
    return total


@kernel
def best_trees(
    words: GraphWords, order: Ints, arcs: Pairs, relations: Pairs, weights: Weights, table: Weights,
    root: int, projective: bool, joint: bool, lesson: Lesson, found: Ints, named: Ints,
) -> None:  # fmt: skip
    """Find the best tree of every sentence in order and the best relation of every arc.

    If `joint`, the score of an arc is that of its features and of its best relation.

    Where there is a lesson, weights change after each sentence by ``alpha (f(gold) - f(tree))``,
    ``alpha = (loss - (s(gold) - s(tree))) / |f(gold) - f(tree)|^2`` where that is positive, for
    the tree that the margin is most violated by: each wrong head counts one more, and so does each
    word of which head and relation are not both right.
    """
    shift, table_shift = shift_of(len(weights)), shift_of(len(table))
    between, out = nothing_between(), np.empty(most_features(arcs.pairs), np.int32)
    rows = np.empty(len(relations.pairs), np.int32)
    steps, width = lesson.steps, table.shape[1]
    of_arcs, of_relations = lesson.arcs, lesson.relations
    for s in order:
        first, n = words.offsets[s], words.offsets[s + 1] - words.offsets[s]
        at = words.roots[s]
        kinds = words.kinds[at : at + n + 1]
        heads = views(words.letters, at, n, arcs.heads, HEAD)
        dependents = views(words.letters, at, n, arcs.dependents, DEPENDENT)
        owners = views(words.letters, at, n, relations.heads, HEAD)
        owned = views(words.letters, at, n, relations.dependents, DEPENDENT)
        gold, wanted = lesson.gold[first : first + n], lesson.wanted[first : first + n]
        scores = np.zeros((n + 1, n + 1))
        score_arcs(heads, dependents, kinds, arcs.pairs, between, shift, weights, out, scores)
        best = np.zeros((n + 1, n + 1), np.int32)
        best_relations(
            owners, owned, relations, table, table_shift, root, gold, wanted,
            scores if joint else scores.copy(), best,
        )  # fmt: skip
        tree = np.zeros(n + 1, np.int32)
        if projective:
            eisner(scores, tree)
        else:
            _favour_one_root(scores)
            spanning_tree(scores, tree)
        for d in range(1, n + 1):
            found[first + d - 1] = tree[d]
            named[first + d - 1] = best[tree[d], d]
        if len(gold) == 0:
            continue
        touched = np.empty(2 * n * len(out), np.int32)
        table_touched = np.empty(2 * n * len(rows), np.int32)
        loss = 0
        count: Whole = np.int64(0)
        table_count: Whole = np.int64(0)
        for d in range(1, n + 1):
            right, guess = np.int64(gold[d - 1]), np.int64(tree[d])
            relation, guessed = wanted[d - 1], best[guess, d]
            if right != guess:
                loss += 1
                for h, sign in ((right, 1), (guess, -1)):
                    size = arc_features(
                        heads, dependents, kinds, h, d, arcs.pairs, between, shift, out
                    )
                    for k in range(size):
                        place = np.int64(out[k])
                        count = _collect(place, sign, steps, of_arcs, touched, count)
            elif relation == guessed or relation == root:  # which is never found elsewhere
                continue
            if lesson.labels:
                loss += 1
                for h, r, sign in ((right, relation, 1), (guess, guessed, -1)):
                    relation_features(owners, owned, h, d, relations.pairs, table_shift, rows)
                    for k in range(len(rows)):
                        table_count = _collect(
                            rows[k] * width + r, sign, steps, of_relations, table_touched,
                            table_count,
                        )  # fmt: skip
        norm = _product(of_arcs.delta, touched, count, of_arcs.delta)
        norm += _product(of_relations.delta, table_touched, table_count, of_relations.delta)
        if norm > 0:
            margin = _product(of_arcs.delta, touched, count, of_arcs.weights)
            margin += _product(of_relations.delta, table_touched, table_count, of_relations.weights)
            alpha = max(0.0, (loss - margin) / norm)
            _change(alpha, steps, of_arcs, touched, count)
            _change(alpha, steps, of_relations, table_touched, table_count)
        steps += 1


@kernel
def head_shares(
    words: GraphWords, arcs: Pairs, relations: Pairs, weights: Weights, table: Weights, root: int,
    joint: bool, starts: npt.NDArray[np.int64], shares: Floats,
) -> None:  # fmt: skip
    """Write p(head | word) of all sentences; word d of s fills n + 1 places from its start on.

    Scores are those that :func:`treegauge.kernels.graph_trees.best_trees` adds up.
    """
    shift, table_shift = shift_of(len(weights)), shift_of(len(table))
    between, out = nothing_between(), np.empty(most_features(arcs.pairs), np.int32)
    nothing = np.empty(0, np.int32)
    for s in range(len(words.offsets) - 1):
        n, at = words.offsets[s + 1] - words.offsets[s], words.roots[s]
        heads = views(words.letters, at, n, arcs.heads, HEAD)
        dependents = views(words.letters, at, n, arcs.dependents, DEPENDENT)
        scores = np.zeros((n + 1, n + 1))
        kinds = words.kinds[at : at + n + 1]
        score_arcs(heads, dependents, kinds, arcs.pairs, between, shift, weights, out, scores)
        if joint:
            owners = views(words.letters, at, n, relations.heads, HEAD)
            owned = views(words.letters, at, n, relations.dependents, DEPENDENT)
            best = np.zeros((n + 1, n + 1), np.int32)
            best_relations(
                owners, owned, relations, table, table_shift, root, nothing, nothing, scores, best
            )
        for d in range(1, n + 1):
            place = starts[s] + (d - 1) * (n + 1)
            softmax_heads(scores, d, shares[place : place + n + 1])


@kernel
def relation_shares(
    words: GraphWords, heads: Ints, relations: Pairs, table: Weights, shares: Floats
) -> None:
    """Write p(relation | word, head) for the given heads, one row per word."""
    shift = shift_of(len(table))
    rows = np.empty(len(relations.pairs), np.int32)
    for s in range(len(words.offsets) - 1):
        first, n = words.offsets[s], words.offsets[s + 1] - words.offsets[s]
        owners = views(words.letters, words.roots[s], n, relations.heads, HEAD)
        owned = views(words.letters, words.roots[s], n, relations.dependents, DEPENDENT)
        for d in range(1, n + 1):
            row = shares[first + d - 1]
            h = heads[first + d - 1]
            relation_scores(owners, owned, h, d, relations.pairs, table, shift, rows, row)
            softmax(row)
