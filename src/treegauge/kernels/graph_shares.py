"""Kernels that turn scores into probabilities of heads and of relations."""

import numpy as np
import numpy.typing as npt

from treegauge.kernels.graph_arcs import (
    DEPENDENT,
    HEAD,
    Floats,
    Ints,
    Weights,
    Words,
    most_features,
    nothing_between,
    score_arcs,
    shift_of,
    views,
)
from treegauge.kernels.graph_features import Pairs
from treegauge.kernels.graph_learning import softmax_heads
from treegauge.kernels.graph_relations import best_relations, relation_scores, softmax
from treegauge.kernels.jit import kernel


@kernel
def head_shares(
    words: Words, arcs: Pairs, relations: Pairs, weights: Weights, table: Weights, root: int,
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
    words: Words, heads: Ints, relations: Pairs, table: Weights, shares: Floats
) -> None:
    """Write p(relation | word, head) for the given heads, one row a word."""
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
