"""Probabilities of arcs over all trees equal sums over an enumeration of trees."""

import numpy as np
import pytest

from treegauge.parsing.probabilities.evidence import projective_marginals, spanning_marginals
from treegauge.parsing.registry import make_parser
from treegauge.testing.synthetic import synthetic

from .all_trees import all_trees, summed
from .graphs import SMALL

WAYS = {"spanning": spanning_marginals, "projective": projective_marginals}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("n", [1, 2, 3, 4, 5])
def test_random_scores(way, n):
    random = np.random.default_rng(n)
    for scale in (0.3, 3.0, 8.0):
        scores = random.normal(0, scale, (n, n + 1)) + random.normal(0, 50, (n, 1))
        shares, log_total = WAYS[way](scores)
        wanted, total = summed(scores, projective=way == "projective")
        np.testing.assert_allclose(shares, wanted, atol=1e-9)
        assert log_total == pytest.approx(np.log(total), abs=1e-8)


@pytest.mark.parametrize("way", WAYS)
def test_equal_scores_count_trees(way):
    trees = list(all_trees(4, projective=way == "projective"))
    assert np.exp(WAYS[way](np.zeros((4, 5)))[1]) == pytest.approx(len(trees))
    assert len(trees) == {"spanning": 64, "projective": 30}[way]


@pytest.mark.parametrize("way", WAYS)
def test_one_root_and_one_head_each(way):
    scores = np.random.default_rng(0).normal(0, 20, (40, 41))
    shares, log_total = WAYS[way](scores)
    np.testing.assert_allclose(shares.sum(1), 1)
    assert shares[:, 0].sum() == pytest.approx(1, abs=1e-6)
    assert (shares[np.arange(40), np.arange(40) + 1] == 0).all()
    assert np.isfinite(log_total)


@pytest.mark.parametrize("way", WAYS)
def test_words_that_prefer_each_other(way):
    """The best heads form a cycle, which only an arc of a tiny weight leaves."""
    scores = np.array([[-18.0, -np.inf, 0.0], [-19.0, 0.0, -np.inf]])
    odds = np.exp(-18) / (np.exp(-18) + np.exp(-19))
    shares, _ = WAYS[way](np.where(np.isinf(scores), 0, scores))
    np.testing.assert_allclose(shares[:, 0], [odds, 1 - odds], atol=1e-6)


@pytest.mark.parametrize("training", ["mira", "loglinear"])
@pytest.mark.parametrize("projective", [True, False])
def test_marginals_of_the_graph_parser(training, projective):
    options = {"training": training, "projective": projective, "epochs": 2, **SMALL}
    model = make_parser("mst", **options).fit(synthetic(40, seed=1), seed=0)
    test = synthetic(60, seed=2)
    short = test.take(np.flatnonzero(test.lengths <= 5)[:3])
    assert len(short) > 1
    way = WAYS["projective" if model.projective else "spanning"]
    for shares in model.head_probabilities(short):
        logs = np.log(np.maximum(shares, 1e-300))
        wanted, _ = summed(logs, projective=projective)
        np.testing.assert_allclose(way(logs)[0], wanted, atol=1e-8)
