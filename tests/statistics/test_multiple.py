"""Adjusted p-values against published examples and independent definitions."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from treegauge.core.errors import ChoiceError, TreegaugeError
from treegauge.statistics.multiple import METHODS, adjust

# Benjamini and Hochberg (1995), section 4: fifteen comparisons of two treatments after
# myocardial infarction. Bonferroni and its step-wise forms reject three, theirs four.
MYOCARDIAL = [
    0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344, 0.0459, 0.3240, 0.4262,
    0.5719, 0.6528, 0.7590, 1.0000,
]  # fmt: skip

p_lists = st.lists(st.floats(0, 1), min_size=1, max_size=8)


@pytest.mark.parametrize(("method", "rejected"), [("bonferroni", 3), ("holm", 3), ("benjamini-hochberg", 4)])
def test_published_example(method, rejected):
    assert (adjust(MYOCARDIAL, method) <= 0.05).sum() == rejected


def test_holm_worked_by_hand():
    assert adjust([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])


@settings(max_examples=60, deadline=None)
@given(p_lists)
def test_holm_is_the_closure_of_bonferroni(p_values):
    """A hypothesis falls when every intersection with it falls to a Bonferroni test."""
    indices = range(len(p_values))
    expected = [
        max(
            min(1, len(group) * min(p_values[j] for j in group))
            for size in range(1, len(p_values) + 1)
            for group in combinations(indices, size)
            if i in group
        )
        for i in indices
    ]
    assert adjust(p_values) == pytest.approx(expected)


@settings(max_examples=60, deadline=None)
@given(p_lists)
def test_benjamini_hochberg_equals_scipy(p_values):
    expected = stats.false_discovery_control(p_values)
    assert adjust(p_values, "benjamini-hochberg") == pytest.approx(expected)


@settings(max_examples=60, deadline=None)
@given(p_lists)
def test_order_is_kept_and_methods_are_nested(p_values):
    adjusted = {method: adjust(p_values, method) for method in METHODS}
    for values in adjusted.values():
        assert (values >= np.array(p_values)).all()
        assert (values <= 1).all()
        assert (np.diff(values[np.argsort(p_values, kind="stable")]) >= 0).all()
    assert (adjusted["holm"] <= adjusted["bonferroni"]).all()
    assert (adjusted["benjamini-hochberg"] <= adjusted["holm"] + 1e-15).all()


@pytest.mark.parametrize("method", METHODS)
def test_missing_comparisons_do_not_count_and_shape_stays(method):
    table = [[0.01, None, 0.04], [np.nan, 0.03, 0.005]]
    got = adjust(table, method)
    assert got.shape == (2, 3)
    assert np.isnan(got).tolist() == [[False, True, False], [True, False, False]]
    assert got[~np.isnan(got)].tolist() == adjust([0.01, 0.04, 0.03, 0.005], method).tolist()


def test_nothing_to_adjust():
    assert adjust([]).shape == (0,)
    assert np.isnan(adjust([None, None])).all()
    assert adjust(0.02).shape == ()


def test_input_is_left_alone():
    values = np.array([0.04, 0.01])
    adjust(values)
    assert values.tolist() == [0.04, 0.01]


def test_bad_input_is_named():
    with pytest.raises(ChoiceError, match="choices: holm, bonferroni, benjamini-hochberg"):
        adjust([0.1], "sidak")
    with pytest.raises(TreegaugeError, match=r"found 1\.5"):
        adjust([0.1, 1.5])
    with pytest.raises(TreegaugeError, match="expected numbers or None"):
        adjust(["a"])
