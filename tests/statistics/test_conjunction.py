"""Partial conjunction against scipy's combination and by its guarantee."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from treegauge.core.errors import TreegaugeError
from treegauge.statistics.multiple import adjust, partial_conjunction

p_lists = st.lists(st.floats(1e-6, 1), min_size=1, max_size=10)


@settings(max_examples=60, deadline=None)
@given(p_lists)
def test_fisher_combines_the_largest_p_values(p_values):
    ordered = sorted(p_values)
    combined = [stats.combine_pvalues(ordered[k:], method="fisher").pvalue for k in range(len(ordered))]
    expected = [max(combined[: k + 1]) for k in range(len(ordered))]
    assert partial_conjunction(p_values).fisher == pytest.approx(expected, rel=1e-9)


@settings(max_examples=60, deadline=None)
@given(p_lists)
def test_bonferroni_by_definition(p_values):
    ordered, n = sorted(p_values), len(p_values)
    expected = [max(min(1, (n - j + 1) * ordered[j - 1]) for j in range(1, k + 1)) for k in range(1, n + 1)]
    assert partial_conjunction(p_values).bonferroni == pytest.approx(expected)


@settings(max_examples=60, deadline=None)
@given(p_lists, st.floats(0.001, 0.3))
def test_counts_are_monotone_and_match_holm(p_values, alpha):
    got = partial_conjunction(p_values, alpha=alpha)
    for values, count in ((got.bonferroni, got.k_hat), (got.fisher, got.k_hat_fisher)):
        assert (np.diff(values) >= 0).all()
        assert ((values >= 0) & (values <= 1)).all()
        assert (values[:count] <= alpha).all()
        assert (values[count:] > alpha).all()
    assert got.k_hat == (adjust(p_values) <= alpha).sum() == len(got.significant)


def test_global_null_is_the_usual_combination():
    p_values = [0.02, 0.2, 0.1, 0.08]
    got = partial_conjunction(p_values)
    assert got.fisher[0] == pytest.approx(stats.combine_pvalues(p_values).pvalue)
    assert got.bonferroni == pytest.approx([0.08, 0.24, 0.24, 0.24])


@pytest.mark.parametrize("true_count", [0, 2, 5])
def test_claims_too_much_at_most_alpha_of_the_time(true_count):
    random = np.random.default_rng(true_count)
    too_many = {"bonferroni": 0, "fisher": 0}
    found = 0
    for _ in range(1000):
        scores = random.normal(size=8)
        scores[:true_count] += 4
        got = partial_conjunction(stats.norm.sf(scores))
        too_many["bonferroni"] += got.k_hat > true_count
        too_many["fisher"] += got.k_hat_fisher > true_count
        found += got.k_hat_fisher
    assert max(too_many.values()) <= 0.05 * 1000 + 3 * np.sqrt(0.05 * 0.95 * 1000)
    assert found >= 0.7 * true_count * 1000


def test_missing_data_sets_are_left_out():
    got = partial_conjunction([0.001, None, 0.01, np.nan], names=["el", "fi", "hu", "tr"])
    assert len(got.bonferroni) == 2
    assert got.significant == ("el", "hu")
    assert np.isnan(got.holm).tolist() == [False, True, False, True]


def test_extreme_and_empty():
    sure = partial_conjunction([0.0, 0.0, 1.0])
    assert (sure.k_hat, sure.k_hat_fisher) == (2, 2)
    assert sure.fisher.tolist() == [0, 0, 1]
    none = partial_conjunction([])
    assert (none.k_hat, none.k_hat_fisher, none.significant) == (0, 0, ())


def test_bad_input_is_named():
    with pytest.raises(TreegaugeError, match="one per data set"):
        partial_conjunction([[0.1, 0.2]])
    with pytest.raises(TreegaugeError, match="alpha"):
        partial_conjunction([0.1], alpha=5)
    with pytest.raises(TreegaugeError, match="found 1 for 2"):
        partial_conjunction([0.1, 0.2], names=["el"])
    with pytest.raises(TreegaugeError, match="from 0 to 1"):
        partial_conjunction([-0.1])
