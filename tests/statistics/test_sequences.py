"""Confidence sequences: against the integral that defines them, and under continuous looking."""

import numpy as np
import pytest
from scipy import integrate, stats

from treegauge.statistics.multiple import (
    SEED_WIDTH,
    TREEBANK_WIDTH,
    evidence_over,
    least_looks,
    log_evidence,
    reach,
    sequence_interval,
)
from treegauge.statistics.student_intervals import student_mean


@pytest.mark.parametrize(("t", "n", "width"), [(2.5, 8, 1.0), (-4.0, 20, 0.25), (0.3, 5, 0.5)])
def test_evidence_is_the_mean_likelihood_ratio_over_normal_effects(t: float, n: int, width: float) -> None:
    def ratio(effect: float) -> float:
        return float(stats.nct.pdf(t, n - 1, effect * np.sqrt(n)) * stats.norm.pdf(effect, scale=width))

    expected = integrate.quad(ratio, -6 * width, 6 * width)[0] / stats.t.pdf(t, n - 1)
    assert np.exp(log_evidence(t, n, width)) == pytest.approx(expected, rel=1e-4)


def test_the_error_holds_at_all_looks_and_that_of_a_repeated_t_test_does_not() -> None:
    values = np.random.default_rng(0).normal(size=(4000, 60))
    assert (evidence_over(values, SEED_WIDTH).max(axis=1) >= np.log(20)).mean() < 0.04
    tests = [student_mean(values[:, :n]).p_value() <= 0.05 for n in range(5, 61)]
    assert np.any(tests, axis=0).mean() > 0.2


def test_the_interval_ends_where_the_evidence_is_enough() -> None:
    for number, width in ((5, SEED_WIDTH), (12, TREEBANK_WIDTH), (400, 0.05)):
        t = reach(number, width)
        assert log_evidence(t, number, width) == pytest.approx(np.log(20))
    assert reach(4, SEED_WIDTH) == np.inf
    assert (least_looks(SEED_WIDTH), least_looks(TREEBANK_WIDTH)) == (5, 12)


def test_evidence_does_not_depend_on_the_unit_of_measurement() -> None:
    values = np.random.default_rng(1).normal(1, 2, 12)
    assert evidence_over(values, 1.0) == pytest.approx(evidence_over(100 * values, 1.0))
    low, high = sequence_interval(student_mean(values), 12, SEED_WIDTH)
    shifted = student_mean(values - low)
    assert sequence_interval(shifted, 12, SEED_WIDTH) == pytest.approx((0, high - low))
    assert np.isfinite(evidence_over([2.0, 2.0, 2.0], 1.0)).all()
