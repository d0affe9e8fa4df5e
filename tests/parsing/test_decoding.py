"""Decoders against all trees of short sentences, and against networkx."""

from functools import cache
from itertools import product

import networkx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from treegauge.core.errors import TreegaugeError
from treegauge.treebanks.data import trees
from treegauge.treebanks.data.decoding import projective_tree, spanning_tree


@cache
def all_trees(n):
    heads = np.array(list(product(range(n + 1), repeat=n)), np.int32)
    offsets = np.arange(len(heads) + 1) * n
    tree = trees.is_tree(heads.reshape(-1), offsets)
    projective = trees.is_projective(heads.reshape(-1), offsets)
    return heads[tree], heads[tree & projective]


def value(scores, heads):
    return sum(scores[h, d + 1] for d, h in enumerate(heads))


@pytest.mark.parametrize("n", [1, 2, 3, 4, 5, 6])
@pytest.mark.parametrize("seed", range(12))
def test_decoders_equal_brute_force(n, seed):
    random = np.random.default_rng([n, seed])
    scores = random.normal(size=(n + 1, n + 1)) if seed % 2 else random.integers(-2, 3, (n + 1, n + 1))
    every, projective = all_trees(n)
    for decode, choices in ((spanning_tree, every), (projective_tree, projective)):
        best = max(value(scores, heads) for heads in choices)
        found = decode(scores)
        assert found.tolist() in choices.tolist()
        assert value(scores, found) == pytest.approx(best)


@settings(max_examples=60, deadline=None)
@given(st.integers(2, 40), st.integers(0, 10**6), st.booleans())
def test_spanning_tree_equals_networkx(n, seed, whole):
    random = np.random.default_rng(seed)
    scores = random.normal(size=(n + 1, n + 1))
    if whole:
        scores = np.rint(2 * scores)
    found = spanning_tree(scores)
    assert trees.is_tree(found)[0]
    graph = networkx.DiGraph()
    penalty = 1000.0
    for h in range(n + 1):
        for d in range(1, n + 1):
            if h != d:
                graph.add_edge(h, d, weight=scores[h, d] - penalty * (h == 0))
    best = networkx.maximum_spanning_arborescence(graph, preserve_attrs=True)
    expected = sum(data["weight"] for _, _, data in best.edges(data=True)) + penalty
    assert value(scores, found) == pytest.approx(expected)


def test_long_sentences_and_one_word():
    random = np.random.default_rng(1)
    scores = random.normal(size=(301, 301))
    for decode in (spanning_tree, projective_tree):
        found = decode(scores)
        assert trees.is_tree(found)[0]
        assert decode([[0.0, 0.0], [0.0, 0.0]]).tolist() == [0]
    assert trees.is_projective(projective_tree(scores))[0]


def test_a_scored_tree_is_found_again():
    heads = [2, 4, 4, 0, 7, 7, 2, 4]
    scores = np.zeros((9, 9))
    for d, h in enumerate(heads):
        scores[h, d + 1] = 1
    assert spanning_tree(scores).tolist() == heads


@pytest.mark.parametrize("bad", [[[1.0]], np.zeros((2, 3)), np.full((3, 3), np.nan)])
def test_bad_scores_are_refused(bad):
    for decode in (spanning_tree, projective_tree):
        with pytest.raises(TreegaugeError, match="arc scores"):
            decode(bad)


@pytest.mark.parametrize("decode", [spanning_tree, projective_tree])
def test_the_order_of_scores_in_memory_plays_no_part(decode):
    scores = np.random.default_rng(5).random((6, 6))
    assert decode(np.asfortranarray(scores)).tolist() == decode(scores).tolist()
