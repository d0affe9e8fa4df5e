"""The k best trees are the k best of all trees."""

from itertools import product

import numpy as np
import pytest

from treegauge.kernels.tree_sums import projective_maxima
from treegauge.parsing.probabilities import trees as k_best
from treegauge.parsing.probabilities.trees import k_best_trees

from .all_trees import all_trees


def enumerated(arcs, relations, *, projective):
    """Return the scores of all labelled trees, best first."""
    n, _, width = relations.shape
    words = np.arange(n)
    scores = [
        arcs[words, heads].sum() + relations[words, heads, names].sum()
        for heads in all_trees(n, projective=projective)
        for names in product(range(width), repeat=n)
    ]
    return sorted((score for score in scores if np.isfinite(score)), reverse=True)


@pytest.mark.parametrize("projective", [False, True])
@pytest.mark.parametrize(("n", "width"), [(1, 3), (2, 2), (3, 2), (4, 2)])
def test_all_trees_in_order(projective, n, width):
    random = np.random.default_rng(n)
    arcs = random.normal(0, 3, (n, n + 1))
    relations = random.normal(0, 2, (n, n + 1, width))
    wanted = enumerated(arcs, relations, projective=projective)
    found = k_best_trees(arcs, relations, 200, projective=projective)
    assert [tree.score for tree in found] == pytest.approx(wanted[:200])
    marks = {(*tree.heads.tolist(), *tree.relations.tolist()) for tree in found}
    assert len(marks) == len(found)
    for tree in found:
        assert (tree.heads == 0).sum() == 1
        words = np.arange(n)
        score = arcs[words, tree.heads].sum() + relations[words, tree.heads, tree.relations].sum()
        assert tree.score == pytest.approx(score)


def test_arcs_and_relations_may_be_barred():
    random = np.random.default_rng(0)
    arcs, relations = random.normal(size=(3, 4)), random.normal(size=(3, 4, 2))
    arcs[0, 2] = arcs[1, 0] = -np.inf
    relations[2, 1, 0] = relations[0, 0, 1] = -np.inf
    wanted = enumerated(arcs, relations, projective=False)
    found = k_best_trees(arcs, relations, 1000)
    assert [tree.score for tree in found] == pytest.approx(wanted)


def test_no_tree():
    arcs = np.zeros((2, 3))
    arcs[:, 0] = -np.inf  # no word may be root
    assert k_best_trees(arcs, np.zeros((2, 3, 1)), 3) == []


@pytest.mark.parametrize("n", [1, 2, 3, 5])
def test_the_best_projective_tree_with_each_arc(n):
    scores = np.random.default_rng(n).normal(0, 2, (n + 1, n + 1))
    best, wanted = np.zeros((n + 1, n + 1)), np.full((n + 1, n + 1), -np.inf)
    for heads in all_trees(n, projective=True):
        arcs = heads, np.arange(1, n + 1)
        wanted[arcs] = np.maximum(wanted[arcs], scores[arcs].sum())
    projective_maxima(scores, best)
    np.testing.assert_allclose(best, wanted)


@pytest.mark.parametrize("projective", [False, True])
def test_a_long_sentence_takes_few_searches(projective, monkeypatch):
    """Without bounds there would be one search per word and tree."""
    random = np.random.default_rng(5)
    arcs, relations = random.normal(0, 3, (40, 41)), random.normal(0, 1, (40, 41, 3))
    searches = []
    name = "projective_tree" if projective else "spanning_tree"
    decode = getattr(k_best, name)
    monkeypatch.setattr(k_best, name, lambda square: searches.append(1) or decode(square))
    found = k_best_trees(arcs, relations, 10, projective=projective)
    assert len(found) == 10
    scores = [tree.score for tree in found]
    assert scores == sorted(scores, reverse=True)
    assert len(searches) < 10 * 40 / 2
