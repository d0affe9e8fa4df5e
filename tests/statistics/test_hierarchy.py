"""Differences over treebanks in families: agreement with analysis of variance, and coverage."""

import time

import numpy as np
import pytest
from scipy import stats

from treegauge.core.errors import TreegaugeError
from treegauge.statistics.hierarchy import hierarchy
from treegauge.statistics.kappa_and_alpha import agreement
from treegauge.statistics.student_intervals import StudentEstimate, heavy_tailed_df
from treegauge.statistics.units import LEAST_TREEBANKS


def test_without_families_it_is_students_interval_of_the_mean() -> None:
    values = np.random.default_rng(0).uniform(-1, 2, 40)  # light tails: no fewer degrees of freedom
    alike = hierarchy(values).alike
    expected = stats.ttest_1samp(values, 0).confidence_interval(0.95)
    np.testing.assert_allclose(np.ravel(alike.interval()), expected)
    low, high = hierarchy(values).new.interval()
    spread = values.std(ddof=1) * np.sqrt(1 + 1 / 40) * stats.t.ppf(0.975, 39)
    np.testing.assert_allclose([low, high], [values.mean() - spread, values.mean() + spread])


def test_components_of_balanced_families_equal_the_analysis_of_variance() -> None:
    random = np.random.default_rng(1)
    table = random.normal(size=(12, 1)) * 2 + random.normal(size=(12, 5))
    split = hierarchy(table.ravel(), np.repeat(np.arange(12), 5).tolist())
    within = table.var(axis=1, ddof=1).mean()
    between = table.mean(axis=1).var(ddof=1) - within / 5
    assert split.between_treebanks == pytest.approx(within)
    assert split.between_groups == pytest.approx(between)
    expected = stats.ttest_1samp(table.mean(axis=1), 0).confidence_interval(0.95)
    limits = np.ravel(split.alike.interval())
    if heavy_tailed_df(table.mean(axis=1) - table.mean()) >= 11:
        np.testing.assert_allclose(limits, expected)
    else:
        assert limits[0] < expected.low < expected.high < limits[1]


def test_variance_within_treebanks() -> None:
    values = np.random.default_rng(2).normal(size=30)
    errors = StudentEstimate(values, np.full(30, 0.5), np.full(30, 99.0))
    split = hierarchy(values, within=errors)
    assert split.here is not None
    assert split.here.standard_error == pytest.approx(0.5 / np.sqrt(30))
    assert split.here.df == pytest.approx(30 * 99)
    assert split.within == pytest.approx(0.25)
    assert split.between_treebanks == pytest.approx(max(values.var(ddof=1) - 0.25, 0))
    assert hierarchy(values).here is None


def test_too_few_treebanks_or_families_say_nothing_about_others() -> None:
    few = hierarchy(np.arange(LEAST_TREEBANKS - 1.0))
    assert np.isnan(few.alike.interval()).all()
    assert np.isnan(few.new.interval()).all()
    assert np.isfinite(hierarchy(np.arange(float(LEAST_TREEBANKS))).alike.interval()).all()
    grouped = hierarchy(np.arange(30.0), [str(t % 9) for t in range(30)])
    assert np.isnan(grouped.alike.interval()).all()
    with pytest.raises(TreegaugeError, match="found 2 for 3 treebanks"):
        hierarchy([1.0, 2.0, 3.0], ["a", "b"])


@pytest.mark.parametrize("share", [0.0, 0.25, 0.5])
def test_coverage_in_families_of_unequal_size(share: float) -> None:
    random = np.random.default_rng(3)
    families = np.repeat(np.arange(20), [10, 8, 5] + [1] * 17)
    effects = random.normal(size=(3000, 20))[:, families] * np.sqrt(share)
    values = effects + random.normal(size=(3000, 40)) * np.sqrt(1 - share)
    split = hierarchy(values, families.tolist())
    low, high = split.alike.interval()
    assert 0.93 < ((low <= 0) & (high >= 0)).mean() < 0.975
    new = random.normal(size=3000)
    low, high = split.new.interval()
    assert 0.93 < ((low <= new) & (new <= high)).mean() < 0.97


def test_all_pairs_of_the_shared_task_within_five_seconds() -> None:
    random = np.random.default_rng(4)
    scores = random.normal(75, 8, (26, 82))
    a, b = np.triu_indices(26, 1)
    start = time.perf_counter()
    split = hierarchy(scores[a] - scores[b], [f"genus {t % 26}" for t in range(82)])
    assert time.perf_counter() - start < 5
    assert split.alike.value.shape == (325,)


@pytest.mark.parametrize("values", [[0, 0, 0, 0, 0, 6], [-1, 1, -1, 1], [1, 1, 1, 1, 1]])
def test_degrees_of_freedom_have_the_unbiased_kurtosis_of_scipy(values: list[int]) -> None:
    n, known = len(values), np.ptp(values) > 0
    excess = stats.kurtosis(values, bias=False) if known else 0.0
    expected = 2 / (2 / (n - 1) + max(excess, 0) / n)
    assert heavy_tailed_df(values) == pytest.approx(expected)
    assert heavy_tailed_df(np.column_stack([values, values])) == pytest.approx([expected] * 2)


def test_intervals_of_agreement_have_the_same_degrees_of_freedom_for_heavy_tails() -> None:
    """Ten of sixty sentences have a disagreement."""
    random = np.random.default_rng(0)
    codes = np.repeat(random.integers(0, 3, (60, 8)), 2).reshape(-1, 2)
    codes[np.arange(10) * 48, 1] = 3
    unit = np.repeat(np.arange(60), 8)
    left = [agreement(codes[unit != u], unit[unit != u]).value[2] for u in range(60)]
    whole = agreement(codes, unit)
    assert whole.df[2] == pytest.approx(heavy_tailed_df(np.array(left) - whole.value[2]), rel=1e-6)


def test_heavy_tails_leave_fewer_degrees_of_freedom() -> None:
    values = np.r_[np.zeros(29), 30.0]
    assert heavy_tailed_df(values) < 3
    spread = np.random.default_rng(5).laplace(size=(500, 2000))
    df = 2 * spread.var(axis=0).mean() ** 2 / spread.var(axis=0).var()
    assert np.median(heavy_tailed_df(spread)) == pytest.approx(df, rel=0.2)
