"""The matrix-tree theorem against an enumeration of all trees, and against a determinant."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from treegauge.core.errors import TreegaugeError
from treegauge.kernels.decoding import log_total
from treegauge.learning.dynamics.cartography import sentence_table
from treegauge.learning.dynamics.jobs import TrainingJob
from treegauge.testing.synthetic import synthetic


def all_trees(n, single):
    for heads in product(range(n + 1), repeat=n):
        if single and heads.count(0) != 1:
            continue
        if all(reaches_root(heads, d) for d in range(1, n + 1)):
            yield heads


def reaches_root(heads, d):
    for _ in heads:
        d = heads[d - 1]
        if d == 0:
            return True
    return False


def log_partition(scores, *, single_root=True):
    """Log of the sum over trees of the exponential of their score; no word is its own head."""
    values, words = np.array(scores), np.arange(len(scores))
    values[words, words + 1] = -np.inf
    tops = values.max(axis=1)
    return tops.sum() + log_total(np.exp(values - tops[:, None]), single_root)


def counted(scores, single):
    n = len(scores)
    return np.logaddexp.reduce([sum(scores[d, h] for d, h in enumerate(heads)) for heads in all_trees(n, single)])


def by_determinant(scores, single):
    """Koo et al. (2007): the Laplacian, its first row replaced by root weights for one root."""
    n = len(scores)
    w = np.exp(scores)
    laplacian = np.zeros((n, n))
    for d in range(n):
        for h in range(n):
            if h != d:
                laplacian[h, d] -= w[d, h + 1]
                laplacian[d, d] += w[d, h + 1]
    if single:
        laplacian[0] = w[:, 0]
    else:
        laplacian += np.diag(w[:, 0])
    return np.linalg.slogdet(laplacian)[1]


@pytest.mark.parametrize("single", [True, False])
@settings(max_examples=25, deadline=None)
@given(st.integers(1, 5), st.integers(0, 2**32 - 1), st.sampled_from([0.1, 2.0, 15.0]))
def test_all_trees_are_counted(single, n, seed, scale):
    scores = scale * np.random.default_rng(seed).normal(size=(n, n + 1))
    assert log_partition(scores, single_root=single) == pytest.approx(counted(scores, single))


@pytest.mark.parametrize("single", [True, False])
def test_long_sentences_agree_with_the_determinant(single):
    scores = np.random.default_rng(3).normal(size=(60, 61))
    expected = by_determinant(scores, single)
    assert log_partition(scores, single_root=single) == pytest.approx(expected, rel=1e-12)


def test_the_number_of_trees_is_cayleys():
    for n in (1, 4, 30):
        assert np.exp(log_partition(np.zeros((n, n + 1)))) == pytest.approx(n ** (n - 1))
        several = log_partition(np.zeros((n, n + 1)), single_root=False)
        assert several == pytest.approx((n - 1) * np.log(n + 1))


def test_nothing_is_lost_where_a_determinant_cancels():
    # Two words prefer each other by 60 nats: the only trees with one root break that circle.
    scores = np.array([[0.0, -np.inf, 60.0], [0.0, 60.0, -np.inf]])
    assert log_partition(scores) == pytest.approx(60 + np.log(2), rel=1e-12)
    # From three words on the Laplacian's digits are used up by 1 + 1e-26.
    scores = np.full((3, 4), -60.0)
    scores[0, 2] = scores[1, 1] = scores[2, 1] = 0.0
    assert log_partition(scores) == pytest.approx(counted(scores, True), rel=1e-12)


def test_heads_that_cannot_be_are_no_trouble():
    scores = np.full((3, 4), -np.inf)
    scores[0, 2], scores[1, 0], scores[2, 1] = 0.0, 0.0, 0.0  # one tree
    assert log_partition(scores) == pytest.approx(0.0, abs=1e-9)


def test_probabilities_of_trees_sum_to_one(quick):
    train = synthetic(40, seed=1)
    short = train.take(train.lengths <= 5)[:3]
    assert len(short)
    total = np.zeros(len(short))
    model = quick.parser.fit(train, seed=0)
    for i, shares in enumerate(model.head_probabilities(short)):
        with np.errstate(divide="ignore"):
            logs = np.log(shares)
        z = log_partition(logs)
        for heads in all_trees(len(shares), single=True):
            total[i] += np.exp(sum(logs[d, h] for d, h in enumerate(heads)) - z)
    np.testing.assert_allclose(total, 1)


def test_recorded_trees_are_those_of_the_model(quick):
    train = synthetic(30, seed=1)
    found = quick([TrainingJob(train, {"train": train}, trees=True)])[0]["train"]
    model = quick.parser.fit(train, seed=0)
    logp = found.tree_logp(train)
    assert logp.shape == (3, 30)
    with np.errstate(divide="ignore"):
        for i, shares in enumerate(model.head_probabilities(train)):
            logs = np.log(shares)
            gold = sum(logs[d, h] for d, h in enumerate(train[i].head)) - log_partition(logs)
            assert logp[-1, i] == pytest.approx(gold, abs=2e-4)
    table = sentence_table(found, train)
    np.testing.assert_allclose(table["confidence"], np.exp(logp / train.lengths).mean(axis=0), rtol=1e-6)
    assert table.height == 30
    bare = quick([TrainingJob(train, {"train": train})])[0]["train"]
    with pytest.raises(TreegaugeError, match="trees=True"):
        bare.tree_logp(train)
