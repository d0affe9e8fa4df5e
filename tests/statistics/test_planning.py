"""Margins, detectable differences, units needed and winners: against scipy and simulation."""

import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.power import TTestPower
from statsmodels.stats.weightstats import ttost_paired

from treegauge.core.errors import TreegaugeError
from treegauge.statistics.planning import best_of, detectable_difference, equivalence, needed_units
from treegauge.statistics.small_samples import student_mean


def test_equivalence_equals_statsmodels() -> None:
    random = np.random.default_rng(0)
    a, b = random.normal(80, 1, (2, 30))
    mean = student_mean(a - b)
    result = equivalence(mean.value, mean.standard_error, mean.df, 0.6)
    expected, worse, better = ttost_paired(a, b, -0.6, 0.6)
    assert result.p_equivalent == pytest.approx(expected)
    assert result.p_not_worse == pytest.approx(worse[1])
    assert 1 - result.p_better == pytest.approx(better[1])
    with pytest.raises(TreegaugeError, match="margin"):
        equivalence(0.1, 0.1, 10, 0)


def test_equivalence_is_wrong_in_five_percent_at_the_margin() -> None:
    values = np.random.default_rng(1).normal(0.5, 1, (4000, 40))
    mean = student_mean(values)
    p = equivalence(mean.value, mean.standard_error, mean.df, 0.5).p_equivalent
    assert (p <= 0.05).mean() == pytest.approx(0.05, abs=0.012)


@pytest.mark.parametrize(("n", "power"), [(5, 0.8), (30, 0.9), (1000, 0.8)])
def test_detectable_difference_equals_statsmodels(n: int, power: float) -> None:
    expected = TTestPower().solve_power(None, nobs=n, alpha=0.05, power=power)
    found = detectable_difference(1 / np.sqrt(n), n - 1, power=power)
    assert found == pytest.approx(expected, rel=1e-4)


def test_needed_units() -> None:
    expected = TTestPower().solve_power(0.25, None, alpha=0.05, power=0.8)
    assert needed_units(0.5, 4.0) == int(np.ceil(expected))
    assert needed_units(0.5, 4.0, fixed=0.1) is None
    more = needed_units(0.5, 4.0, fixed=0.01)
    assert more is not None
    assert more > expected
    assert needed_units(100, 1.0, least=10) == 10
    with pytest.raises(TreegaugeError, match="above 0"):
        needed_units(0, 1)


@pytest.mark.parametrize("absolute", [False, True])
@pytest.mark.parametrize("truth", [np.zeros(6), np.array([0, 0, 0, 0, 1, 1.5])])
def test_the_winner_is_covered_and_not_overestimated(truth: np.ndarray, absolute: bool) -> None:
    random = np.random.default_rng(2)
    spread = 0.5 * np.eye(6) + 0.5
    draws = random.multivariate_normal(truth, spread, 1000)
    winners = [best_of(draw, spread, absolute=absolute) for draw in draws]
    true = np.array([truth[winner.index] for winner in winners])
    covered = [w.low <= t <= w.high for w, t in zip(winners, true, strict=True)]
    assert 0.93 < np.mean(covered) < 0.97
    sign = np.sign([w.observed for w in winners]) if absolute else 1
    assert np.mean(sign * (np.array([w.value for w in winners]) - true) > 0) == pytest.approx(0.5, abs=0.05)


def test_a_clear_winner_keeps_students_interval() -> None:
    winner = best_of([0.0, 20.0], np.eye(2), df=30)
    low, high = stats.t.interval(0.95, 30, loc=20)
    assert winner.index == 1
    assert winner.value == pytest.approx(20, abs=0.01)
    assert (winner.low, winner.high) == pytest.approx((low, high), rel=0.02)
    with pytest.raises(TreegaugeError, match="n x n"):
        best_of([1.0, 2.0], np.eye(3))
