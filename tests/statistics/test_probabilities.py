"""Calibration, proper scores, error detection and risk-coverage against slow, obvious oracles."""

from itertools import permutations
from math import log

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from treegauge.statistics.probabilities import (
    aurc,
    auroc,
    brier_score,
    calibration_error,
    consistency_test,
    log_loss,
    reliability_bins,
    risk_coverage,
)

cases = st.lists(st.tuples(st.integers(0, 20).map(lambda n: n / 20), st.booleans()), min_size=1, max_size=80)


def split(listed):
    return np.array([p for p, _ in listed]), np.array([y for _, y in listed])


def test_the_calibration_error_of_equal_bins_is_the_sum_of_their_gaps():
    random = np.random.default_rng(3)
    p = random.random(150)
    y = random.random(150) < p**2
    order = sorted(range(150), key=lambda i: p[i])
    expected = 0.0
    for start in range(0, 150, 10):
        here = order[start : start + 10]
        expected += 10 / 150 * abs(sum(y[i] for i in here) / 10 - sum(p[i] for i in here) / 10)
    made = reliability_bins(p, y)
    assert made.counts.tolist() == [10] * 15
    assert calibration_error(made) == pytest.approx(expected)


def test_a_hand_counted_diagram_with_equal_probabilities():
    p = np.array([0.5] * 4 + [0.9] * 5 + [1.0])
    y = np.array([1, 0, 0, 0, 1, 1, 1, 1, 1, 0]) > 0
    made = reliability_bins(p, y, bins=3)
    assert made.counts.tolist() == [4, 6]  # a third bin would part the words with 0.9
    assert made.observed.tolist() == [0.25, 5 / 6]
    assert calibration_error(made) == pytest.approx(0.4 * 0.25 + 0.6 * (5.5 - 5) / 6)


@given(cases, st.integers(1, 20))
def test_bins_keep_equal_probabilities_together_in_order(listed, bins):
    p, y = split(listed)
    made = reliability_bins(p, y, bins)
    assert made.counts.sum() == len(p)
    assert (made.counts > 0).all()
    assert len(made.counts) <= bins
    assert (np.diff(made.probability) > 0).all()
    for value in set(p.tolist()):
        assert len(set(made.places[p == value].tolist())) == 1


@given(cases)
def test_the_parts_of_the_brier_score_are_murphys_where_bins_hold_one_probability(listed):
    p, y = split(listed)
    found = brier_score(p, y, reliability_bins(p, y, bins=10_000))
    n, mean = len(p), y.mean()
    groups = [(value, y[p == value]) for value in sorted(set(p.tolist()))]
    assert found.score == pytest.approx(sum((a - b) ** 2 for a, b in listed) / n)
    reliability = sum(len(own) * (value - own.mean()) ** 2 for value, own in groups) / n
    resolution = sum(len(own) * (own.mean() - mean) ** 2 for _, own in groups) / n
    assert found.reliability == pytest.approx(reliability)
    assert found.resolution == pytest.approx(resolution)
    assert found.uncertainty == pytest.approx(mean * (1 - mean))


def test_the_resolution_within_bins_is_stephensons():
    random = np.random.default_rng(1)
    p = random.random(900)
    y = random.random(900) < p
    made = reliability_bins(p, y)
    inner = between = 0.0
    for b in range(15):
        here = made.places == b
        covariance = np.cov(p[here], y[here], bias=True)
        inner += here.sum() / 900 * (2 * covariance[0, 1] - covariance[0, 0])
        between += here.sum() / 900 * (y[here].mean() - y.mean()) ** 2
    assert brier_score(p, y, made).resolution == pytest.approx(between + inner)


def test_the_log_loss_is_the_mean_surprise_and_never_infinite():
    p, y = np.array([0.9, 0.4, 1.0]), np.array([True, False, False])
    assert log_loss(p, y) == pytest.approx(-(log(0.9) + log(0.6) + log(5e-5)) / 3)


@given(cases)
def test_auroc_counts_pairs(listed):
    p, y = split(listed)
    pairs = [(a > b) + (a == b) / 2 for a in p[y] for b in p[~y]]
    expected = pytest.approx(sum(pairs) / len(pairs)) if pairs else None
    assert auroc(p, y) == expected


@settings(deadline=None)
@given(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 1)), min_size=1, max_size=6))
def test_risk_is_the_mean_over_all_orders_of_equal_confidence(listed):
    confidence, errors = (np.array(column, float) for column in zip(*listed, strict=True))
    totals, orders = np.zeros(len(listed)), 0
    for order in permutations(range(len(listed))):
        ranked = confidence[list(order)]
        if (np.diff(ranked) <= 0).all():
            totals += np.cumsum(errors[list(order)]) / np.arange(1, len(listed) + 1)
            orders += 1
    risks = risk_coverage(confidence, errors)
    assert risks == pytest.approx(totals / orders)
    assert aurc(risks) == pytest.approx((totals / orders).mean())


def test_risk_of_units_of_different_size():
    risks = risk_coverage(np.array([0.2, 0.9]), np.array([3.0, 1.0]), np.array([6.0, 10.0]))
    assert risks.tolist() == [0.1, 0.25]


def test_the_consistency_test_knows_that_a_unit_is_one_observation():
    random = np.random.default_rng(5)
    p = random.random(150)
    y = random.random(150) < np.clip(p + 0.05, 0, 1)
    units = np.arange(150)
    copies = [np.repeat(values, 10) for values in (p, y, units)]
    once, whole = consistency_test(p, y, units), consistency_test(*copies)
    naive = consistency_test(*copies[:2], np.arange(1500))
    assert whole.expected == pytest.approx(once.expected, rel=0.05)
    assert whole.p_value == pytest.approx(once.p_value, abs=0.05)
    assert naive.p_value < whole.p_value / 2
    assert consistency_test(p, y, units, seed=1) == consistency_test(p, y, units, seed=1)


def test_the_expected_error_is_that_of_calibrated_probabilities():
    random = np.random.default_rng(6)
    p = random.random(600)
    errors = [calibration_error(reliability_bins(p, random.random(600) < p)) for _ in range(200)]
    found = consistency_test(p, random.random(600) < p, np.arange(600)).expected
    assert found == pytest.approx(np.mean(errors), rel=0.15)
