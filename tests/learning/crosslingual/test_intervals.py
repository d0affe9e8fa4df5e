"""Student's interval of a ratio: by hand, against scipy, and its coverage."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from treegauge.core.errors import TreegaugeError
from treegauge.learning.weights import RatioEstimate, ratio_estimate


@given(st.lists(st.integers(0, 9), min_size=10, max_size=20), st.floats(0.5, 0.99))
@settings(max_examples=60, deadline=None)
def test_equal_sentences_give_the_interval_of_a_mean(counts, level):
    found = ratio_estimate(counts, np.ones(len(counts)), level=level)
    expected = stats.ttest_1samp(counts, 0).confidence_interval(level) if np.ptp(counts) else None
    assert found.value == pytest.approx(np.mean(counts))
    if expected is not None:
        assert (found.low, found.high) == pytest.approx((expected.low, expected.high))
    else:
        assert found.low == pytest.approx(found.high) == pytest.approx(found.value)


def test_ten_sentences_cover_as_often_as_they_say():
    """Of 2,000 handfuls, 95 % of intervals hold the truth; the bootstrap's hold it less often."""
    random = np.random.default_rng(1)
    trials, n = 2000, 10
    words = random.integers(5, 40, size=(trials, n))
    rates = random.beta(8, 2, size=(trials, n))
    right = random.binomial(words, rates)
    covered = boot = 0
    for x, w in zip(right, words, strict=True):
        found = ratio_estimate(x, w)
        covered += found.low <= 0.8 <= found.high
        drawn = random.integers(n, size=(200, n))
        values = x[drawn].sum(axis=1) / w[drawn].sum(axis=1)
        low, high = np.quantile(values, [0.025, 0.975])
        boot += low <= 0.8 <= high
    assert 0.93 < covered / trials < 0.97
    assert boot < covered - 40


def test_too_few_sentences_have_no_interval():
    assert ratio_estimate([3], [4]) == RatioEstimate(0.75, None, None, None)
    assert ratio_estimate([3, 0], [4, 0]) == RatioEstimate(0.75, None, None, None)
    assert ratio_estimate([3] * 9 + [0], [4] * 9 + [0]) == RatioEstimate(0.75, None, None, None)
    assert ratio_estimate([3] * 9 + [2], [4] * 10).low is not None
    assert ratio_estimate([4] * 10, [4] * 10, share=True).low is None  # not a single error
    assert np.isnan(ratio_estimate([], []).value)
    assert ratio_estimate([3], [4]).sentences_needed(1) is None
    assert not ratio_estimate([3], [4]).excludes_zero


def test_units_and_signs():
    found = ratio_estimate([2, 3, 2, 3] * 3, [4, 5, 4, 5] * 3)
    assert found.excludes_zero
    assert not ratio_estimate([1, -1, 2, -2] * 3, [4, 4, 4, 4] * 3).excludes_zero
    percent = found.times(100)
    assert (percent.value, percent.error) == pytest.approx((100 * found.value, 100 * found.error))
    with pytest.raises(TreegaugeError, match="the level is 1"):
        ratio_estimate([1], [1], level=1)


def test_as_many_sentences_as_asked_for_show_the_difference():
    """Drawing as many sentences as advised finds the difference about four times in five."""
    random = np.random.default_rng(3)
    pilot = random.normal(0.3, 1.0, 4000)
    base = ratio_estimate(pilot[:40], np.ones(40))
    typical = RatioEstimate(0.3, 0.3 - 2.0227 / 40**0.5, 0.3 + 2.0227 / 40**0.5, 1 / 40**0.5)
    needed = typical.sentences_needed(40)
    assert base.error == pytest.approx(typical.error, rel=0.25)
    hits = [ratio_estimate(random.normal(0.3, 1.0, needed), np.ones(needed)).excludes_zero for _ in range(400)]
    assert 0.74 < np.mean(hits) < 0.89
