"""Coefficients, plain and partial, against scipy, pingouin and the literal formula."""

import hypothesis.strategies as st
import numpy as np
import pandas as pd
import pingouin
import pytest
from hypothesis import given, settings
from hypothesis.extra.numpy import arrays
from scipy import stats

from treegauge.core.errors import ChoiceError
from treegauge.statistics.correlation_coefficients import coefficients, partial

SCIPY = {"pearson": stats.pearsonr, "spearman": stats.spearmanr, "kendall": stats.kendalltau}


def tables(columns: int, least: int = 5):
    # Small whole numbers, so that ties are frequent.
    return st.integers(least, 25).flatmap(
        lambda n: arrays(np.float64, (n, columns), elements=st.integers(-6, 6).map(float))
    )


def literal(values, method):
    """-P_ij / sqrt(P_ii P_jj) of the pseudo-inverted covariance, as the methods state it."""
    if method == "spearman":
        values = stats.rankdata(values, axis=0)
    precision = np.linalg.pinv(np.cov(values, rowvar=False), hermitian=True)
    return -precision[0, 1] / np.sqrt(precision[0, 0] * precision[1, 1])


@pytest.mark.parametrize("method", SCIPY)
@given(values=tables(2))
@settings(max_examples=60, deadline=None)
def test_coefficients_are_scipys(method, values):
    found = coefficients(values, method)[0, 1]
    if (np.ptp(values, axis=0) == 0).any():
        assert np.isnan(found)
    else:
        assert found == pytest.approx(SCIPY[method](values[:, 0], values[:, 1]).statistic, abs=1e-12)


@pytest.mark.parametrize("method", SCIPY)
def test_a_stack_is_what_its_tables_are(method):
    stack = np.random.default_rng(1).integers(5, size=(4, 3, 12, 3)).astype(float)
    found = coefficients(stack, method)
    assert found.shape == (4, 3, 3, 3)
    one = coefficients(stack[2, 1], method)
    np.testing.assert_allclose(found[2, 1], one)
    np.testing.assert_allclose(partial(found)[2, 1], partial(one))


@pytest.mark.parametrize("method", ["pearson", "spearman"])
@pytest.mark.parametrize("covariates", [1, 2, 3])
def test_partial_is_the_stated_formula_and_pingouins(method, covariates):
    random = np.random.default_rng(covariates)
    values = random.normal(size=(40, 2 + covariates)) @ random.normal(size=(2 + covariates,) * 2)
    values = values.round(1)
    found = partial(coefficients(values, method))
    assert found == pytest.approx(literal(values, method), abs=1e-10)
    frame = pd.DataFrame(values, columns=[f"c{i}" for i in range(values.shape[1])])
    theirs = pingouin.partial_corr(frame, "c0", "c1", list(frame.columns[2:]), method=method)
    assert found == pytest.approx(theirs["r"].iloc[0], abs=1e-10)


def test_partial_pearson_correlates_residuals():
    x, y, *z = np.random.default_rng(3).normal(size=(4, 30))
    design = np.column_stack([np.ones(30), *z])
    residuals = [v - design @ np.linalg.lstsq(design, v)[0] for v in (x, y)]
    expected = stats.pearsonr(*residuals).statistic
    found = partial(coefficients(np.column_stack([x, y, *z]), "pearson"))
    assert found == pytest.approx(expected, abs=1e-12)


def test_partial_kendall_is_the_textbook_formula():
    x, y, z = np.random.default_rng(4).normal(size=(3, 20))
    xy, xz, yz = (stats.kendalltau(*pair).statistic for pair in ((x, y), (x, z), (y, z)))
    expected = (xy - xz * yz) / np.sqrt((1 - xz**2) * (1 - yz**2))
    found = partial(coefficients(np.column_stack([x, y, z]), "kendall"))
    assert found == pytest.approx(expected, abs=1e-12)


@given(values=tables(4, least=8))
@settings(max_examples=60, deadline=None)
def test_partial_lies_between_minus_and_plus_one_or_is_missing(values):
    found = partial(coefficients(values, "spearman"))
    assert np.isnan(found) or -1 <= found <= 1


def test_a_repeated_covariate_changes_nothing():
    x, y, z = np.random.default_rng(5).normal(size=(3, 25))
    once = partial(coefficients(np.column_stack([x, y, z])))
    twice = partial(coefficients(np.column_stack([x, y, z, 3 * z - 1])))
    assert twice == pytest.approx(once, abs=1e-9)


def test_equal_columns_stay_equal_given_others_and_opposite_ones_opposite():
    x, z = np.random.default_rng(6).normal(size=(2, 25))
    assert partial(coefficients(np.column_stack([x, x, z]))) == pytest.approx(1)
    assert partial(coefficients(np.column_stack([x, -x, z]))) == pytest.approx(-1)


def test_covariates_that_determine_a_column_leave_nothing_to_correlate():
    x, y, z = np.random.default_rng(7).normal(size=(3, 25))
    assert np.isnan(partial(coefficients(np.column_stack([x + z, y, x, z]), "pearson")))
    assert np.isnan(partial(coefficients(np.column_stack([x, y, np.exp(y)]), "spearman")))


def test_an_unknown_coefficient_is_refused_with_the_choices():
    with pytest.raises(ChoiceError, match=r"'spearmann'.*did you mean 'spearman'.*pearson"):
        coefficients(np.eye(3), "spearmann")
