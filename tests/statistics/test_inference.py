"""Intervals, p-values and power from a coefficient, against scipy and pingouin."""

import math

import numpy as np
import pingouin
import pytest
from scipy import stats

from studies.edv.methods import needed_rows
from treegauge.core.errors import TreegaugeError
from treegauge.statistics.correlation_coefficients import Inference, correlated_pair, inference
from treegauge.statistics.planning import correlation_power, detectable


@pytest.fixture
def pair():
    random = np.random.default_rng(8)
    x = random.normal(size=30)
    return np.column_stack([x, 0.5 * x + random.normal(size=30)])


@pytest.mark.parametrize("level", [0.9, 0.95, 0.99])
def test_pearson_is_scipys(pair, level):
    theirs = stats.pearsonr(*pair.T)
    found = correlated_pair(pair, method="pearson", level=level)
    assert found.r == pytest.approx(theirs.statistic)
    assert found.p_value == pytest.approx(theirs.pvalue)
    limits = theirs.confidence_interval(level)
    assert (found.low, found.high) == pytest.approx((limits.low, limits.high))


def test_spearman_is_scipys_and_pingouins(pair):
    found = correlated_pair(pair)
    theirs = stats.spearmanr(*pair.T)
    assert (found.r, found.p_value) == pytest.approx((theirs.statistic, theirs.pvalue))
    table = pingouin.corr(*pair.T, method="spearman")
    assert [round(found.low, 2), round(found.high, 2)] == table.iloc[0, 2].tolist()
    assert found.power == pytest.approx(table["power"].iloc[0])


def test_kendall_is_exact_for_few_rows_and_allows_for_ties(pair):
    few = pair[:9]
    assert correlated_pair(few, method="kendall").p_value == pytest.approx(
        stats.kendalltau(*few.T, method="exact").pvalue
    )
    tied = pair.round()
    assert correlated_pair(tied, method="kendall").p_value == pytest.approx(
        stats.kendalltau(*tied.T, method="asymptotic").pvalue
    )


def test_kendall_without_ties_and_covariates_is_near_the_tie_free_normal_test(pair):
    tau = stats.kendalltau(*pair.T)
    found = inference(tau.statistic, len(pair), method="kendall")
    assert found.p_value == pytest.approx(stats.kendalltau(*pair.T, method="asymptotic").pvalue, rel=1e-9)
    reach = 1.959964 * math.sqrt(0.437 / 26)
    assert found.high == pytest.approx(math.tanh(math.atanh(tau.statistic) + reach), abs=1e-6)
    assert found.r2 is found.adjusted_r2 is found.power is None


def test_adjusted_square_is_that_of_a_regression_for_pearson(pair):
    model = pingouin.linear_regression(pair[:, :1], pair[:, 1])
    found = correlated_pair(pair, method="pearson")
    assert found.adjusted_r2 == pytest.approx(model["adj_r2"].iloc[0])


def test_too_few_rows_leave_out_what_they_cannot_tell():
    assert inference(0.5, n=2) == Inference(r=0.5, r2=0.25)
    few = inference(0.5, n=9, k=2)
    assert few.low is few.high is few.p_value is None
    assert inference(0.5, n=10, k=2, method="pearson").p_value == pytest.approx(
        2 * stats.t.sf(0.5 * math.sqrt(6 / 0.75), 6)
    )
    assert inference(0.5, n=7, method="kendall").low is None
    assert inference(0.5, n=30, k=1, method="kendall").p_value is None


def test_perfect_coefficients_have_no_width():
    found = inference(-1.0, n=21, k=1)
    assert (found.low, found.high, found.p_value, found.power) == (-1, -1, 0, 1)


@pytest.mark.parametrize(("r", "n", "k"), [(1.2, 10, 0), (0.2, -1, 0), (0.2, 10, -1), (math.nan, 9, 0)])
def test_impossible_requests_are_refused(r, n, k):
    with pytest.raises(TreegaugeError, match="expected"):
        inference(r, n, k)


@pytest.mark.parametrize("level", [0, 1, 95])
def test_levels_lie_between_zero_and_one(level):
    with pytest.raises(TreegaugeError, match=f"level: expected .* found {level}"):
        inference(0.2, 10, level=level)


@pytest.mark.parametrize("n", [5, 20, 94])
@pytest.mark.parametrize("r", [-0.9, -0.265, 0.0, 0.1, 0.5])
def test_power_is_pingouins(r, n):
    expected = pingouin.power_corr(r=r, n=n, power=None, alpha=0.05)
    assert correlation_power(r, n) == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("r", [0.1, -0.3, 0.7])
def test_needed_rows_are_the_fewest(r):
    n = needed_rows(r)
    assert correlation_power(r, n) >= 0.8 > correlation_power(r, n - 1)
    assert n == math.ceil(pingouin.power_corr(r=r, n=None, power=0.8))


def test_detectable_is_the_inverse_of_power():
    assert correlation_power(detectable(60, 0.9), 60) == pytest.approx(0.9)
    assert detectable(4, power=0.01) == 0


def test_power_counts_the_rejections_of_simulated_tests():
    random = np.random.default_rng(9)
    x, noise = random.normal(size=(2, 4000, 40))
    y = 0.4 * x + math.sqrt(1 - 0.16) * noise
    rejected = stats.pearsonr(x, y, axis=1).pvalue < 0.05
    assert correlation_power(0.4, 40) == pytest.approx(rejected.mean(), abs=0.02)
