"""Small samples: limits equal those of other packages, and cover what they say."""

from itertools import product

import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.proportion import proportion_confint

from treegauge.core.errors import TreegaugeError
from treegauge.statistics.student_intervals import (
    effective_df,
    jackknife,
    median_interval,
    signed_rank,
    skew_stretch,
    student_mean,
    wilson,
)
from treegauge.statistics.units import LEAST_UNITS


def ratio(sums: np.ndarray) -> np.ndarray:
    return sums[..., [0]] / sums[..., [1]]


@pytest.mark.parametrize("level", [0.9, 0.95])
def test_wilson_equals_statsmodels(level: float) -> None:
    n = np.array([1, 5, 10, 82])
    for share in (0, 0.3, 1):
        wins = np.round(share * n)
        low, high = wilson(wins, n, level)
        expected = proportion_confint(wins, n, alpha=1 - level, method="wilson")
        np.testing.assert_allclose([low, high], expected, atol=1e-12)
    assert wilson(2.5, 5)[0] + wilson(2.5, 5)[1] == pytest.approx(1)  # ties count half
    with pytest.raises(TreegaugeError, match="0 to n successes"):
        wilson(3, 2)


def test_student_equals_scipy() -> None:
    values = np.random.default_rng(0).normal(80, 1, (3, 7))
    low, high = student_mean(values).interval()
    for row, a, b in zip(values, low, high, strict=True):
        expected = stats.ttest_1samp(row, 0).confidence_interval(0.95)
        assert (a, b) == pytest.approx(tuple(expected))
        assert student_mean(row).interval() == pytest.approx(tuple(expected))
    np.testing.assert_allclose(student_mean(values).p_value(80), stats.ttest_1samp(values, 80, axis=1)[1])
    assert np.isnan(student_mean([1.0]).interval()).all()


def test_median_interval_between_order_statistics_of_known_coverage() -> None:
    values = np.arange(1.0, 11)
    # 2nd to 9th of ten cover 97.85 %, 3rd to 8th 89.06 %; asked for exactly one of them, that pair.
    covers = 1 - 2 * stats.binom.cdf([1, 2], 10, 0.5)
    assert median_interval(values, covers[0]) == pytest.approx((2, 9))
    assert median_interval(values, covers[1]) == pytest.approx((3, 8))
    low, high = median_interval(values) or (0, 0)
    assert 2 < low < 3
    assert 8 < high < 9
    assert median_interval(values[:5]) is None
    assert median_interval(values[:6]) is not None


def test_median_interval_covers_for_skewed_data() -> None:
    random = np.random.default_rng(1)
    held = [median_interval(random.exponential(size=6)) for _ in range(2000)]
    share = np.mean([low <= np.log(2) <= high for low, high in held])  # type: ignore[misc]
    assert 0.93 < share < 0.97


def enumerated(differences: list[float]) -> float:
    moved = np.array([d for d in differences if d])
    ranks = stats.rankdata(np.abs(moved))
    plus = ranks[moved > 0].sum()
    sums = np.array([ranks @ signs for signs in product((0, 1), repeat=len(moved))])
    centre = ranks.sum() / 2
    return float((np.abs(sums - centre) >= abs(plus - centre) - 1e-9).mean())


@pytest.mark.parametrize(
    "differences", [[1, 2, 2, 3, 4], [1, 1, 1, -1, 2], [0, 0, 1, -2, 3, 3], [5], [1, -1], [1, 2, 3, -4, 4, 4, 4]]
)
def test_signed_rank_with_ties_equals_enumeration(differences: list[float]) -> None:
    assert signed_rank(differences).p_value == pytest.approx(min(1, enumerated(differences)))


def test_signed_rank_without_ties_equals_scipy() -> None:
    random = np.random.default_rng(2)
    for n in (5, 20, 82, 300):
        differences = random.normal(0.2, 1, n)
        expected = stats.wilcoxon(differences, method="exact").pvalue
        assert signed_rank(differences).p_value == pytest.approx(expected, rel=1e-9)
    differences = np.round(random.normal(0.03, 1, 2000), 1)
    expected = stats.wilcoxon(differences, method="asymptotic", correction=True).pvalue
    assert signed_rank(differences).p_value == pytest.approx(expected, rel=1e-3)
    assert signed_rank([0, 0]) == (1.0, 0.0)


def test_effective_df_is_that_of_the_variance() -> None:
    """The relative variance of the variance of a ratio, simulated, is 2 / df."""
    words = np.array([400, 100, 100, 50, 50, 50, 50, 50])
    random = np.random.default_rng(3)
    noise = random.normal(size=(40_000, len(words))) * np.sqrt(words)
    shares = words / words.sum()
    error = noise - shares * noise.sum(axis=1, keepdims=True)
    variance = (error**2 / (1 - shares)).sum(axis=1)
    df = 2 * variance.mean() ** 2 / variance.var()
    assert effective_df(words) == pytest.approx(df, rel=0.05)
    assert np.isnan(effective_df([3]))


def test_jackknife_is_the_delete_one_formula() -> None:
    random = np.random.default_rng(4)
    words = random.integers(3, 40, 15)
    correct = random.binomial(words, 0.8)
    estimate = jackknife(np.stack([correct, words], 1), ratio, words)
    left = [(correct.sum() - c) / (words.sum() - w) for c, w in zip(correct, words, strict=True)]
    theta = correct.sum() / words.sum()
    variance = 14 / 15 * ((np.array(left) - theta) ** 2).sum()
    assert estimate.value[0] == pytest.approx(theta)
    assert estimate.standard_error[0] == pytest.approx(np.sqrt(variance))
    equal = jackknife(np.stack([correct, np.full(15, 40)], 1), ratio)
    expected = stats.ttest_1samp(correct / 40, 0).confidence_interval(0.95)
    np.testing.assert_allclose(np.ravel(equal.interval()), expected)


def test_no_interval_below_the_least_number_of_units_or_without_errors() -> None:
    counts = np.stack([np.arange(1, LEAST_UNITS), np.arange(2, LEAST_UNITS + 1)], 1)
    assert np.isnan(jackknife(counts, ratio).interval()).all()
    assert np.isnan(jackknife([[3, 4]], ratio).interval()).all()
    perfect = np.stack([np.full(20, 5), np.full(20, 5)], 1)
    assert np.isnan(jackknife(perfect, ratio).interval(share=True)).all()


@pytest.mark.parametrize("accuracy", [0.6, 0.85, 0.95])
def test_interval_of_a_share_covers_at_the_least_size(accuracy: float) -> None:
    random = np.random.default_rng(5)
    words = random.geometric(0.06, (1500, LEAST_UNITS)) + 2
    chances = random.beta(15 * accuracy, 15 * (1 - accuracy), words.shape)
    correct = random.binomial(words, chances)
    covered = []
    for c, w in zip(correct, words, strict=True):
        low, high = jackknife(np.stack([c, w], 1), ratio, w).interval(share=True)
        covered.append(low[0] <= accuracy <= high[0])
    assert 0.92 < np.mean(covered) < 0.98


@pytest.mark.parametrize("runs", [2, 3])
def test_one_parser_against_itself_over_seeds(runs: int) -> None:
    """Runs differ by the seed, everywhere and sentence by sentence; sentences are shared."""
    random = np.random.default_rng(6)
    found = 0
    for _ in range(400):
        easy = 0.8 + 0.1 * random.normal(size=200)
        seeds = 0.005 * random.normal(size=(2 * runs, 1)) + 0.1 * random.normal(size=(2 * runs, 200))
        counts = np.stack([20 * (easy + seeds), np.full(seeds.shape, 20)], axis=2)
        found += jackknife(counts[:runs], ratio, other=counts[runs:]).p_value()[0] <= 0.05
    assert found / 400 <= 0.07


def test_a_difference_between_systems_is_found() -> None:
    random = np.random.default_rng(7)
    words = random.integers(5, 40, 300)
    a, b = random.binomial(words, 0.85), random.binomial(words, 0.8)
    stacked = [np.stack([c, words], 1) for c in (a, b)]
    apart = jackknife(stacked[0], ratio, words, other=stacked[1])
    assert apart.value[0] == pytest.approx((a.sum() - b.sum()) / words.sum())
    assert apart.p_value()[0] < 0.01


def test_an_interval_is_longer_on_the_side_of_the_long_tail() -> None:
    lengths = np.random.default_rng(3).lognormal(3, 1, 20)
    left = (lengths.sum() - lengths) / 19
    skewness = stats.skew(lengths, bias=False)  # the influence of a unit is proportional to its length
    z = stats.norm.ppf(0.975)
    term = skewness * (2 * z**2 + 1) / (6 * z * np.sqrt(20))
    assert skew_stretch(left) == (1.0, pytest.approx(1 + 1.5 * term))
    assert skew_stretch(-left) == (pytest.approx(1 + 1.5 * term), 1.0)
    assert skew_stretch(left, known=skewness / np.sqrt(20)) == pytest.approx((1.0, 1.0))
    assert skew_stretch(left, known=1.0) == (1.0, 1.0)  # what is known is never taken off the other side
    # A mean over documents: the term moves both ends, and a rare long document may be missing.
    assert skew_stretch(left, rare=True) == (pytest.approx(max(1 - term, 0.5)), pytest.approx(1.35 + term))
    assert skew_stretch(-left, rare=True) == (pytest.approx(1 + term), 1.35)
