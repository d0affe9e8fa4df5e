"""Margins, detectable differences, units needed and winners: against scipy and simulation."""

import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.power import TTestPower
from statsmodels.stats.weightstats import ttost_paired

from treegauge.core.errors import TreegaugeError
from treegauge.statistics.planning import (
    best_of,
    detectable_difference,
    equivalence,
    needed_units,
    signed_rank_difference,
    significant_errors,
)
from treegauge.statistics.student_intervals import signed_rank, student_mean


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
    known = detectable_difference(1 / np.sqrt(n), n - 1, pilot=np.inf, power=power)
    assert known == pytest.approx(expected, rel=3e-3)
    assert detectable_difference(1 / np.sqrt(n), n - 1, power=power) > known


@pytest.mark.parametrize("n", [3, 6, 30])
def test_what_a_pilot_calls_detectable_is_found_in_80_percent(n: int) -> None:
    pilot, again = np.random.default_rng(n).normal(size=(2, 20_000, n))
    least = detectable_difference(student_mean(pilot).standard_error, n - 1)
    found = student_mean(again + least[:, None])
    assert ((found.p_value() <= 0.05) & (found.value > 0)).mean() == pytest.approx(0.8, abs=0.015)


def test_errors_of_significant_results() -> None:
    # Gelman and Carlin (2014), beauty and the ratio of sexes; political views by cycle
    weak = significant_errors(0.1, 3.28, 1e9)
    assert (weak.power, weak.type_s) == pytest.approx((0.05, 0.46), abs=0.005)
    assert weak.type_m == pytest.approx(77, abs=1)
    few = significant_errors(0.4, 0.5, 5)
    mean = student_mean(np.random.default_rng(3).normal(0.4, 0.5 * np.sqrt(6), (400_000, 6)))
    found = mean.value[mean.p_value() <= 0.05]
    assert few.power == pytest.approx(len(found) / 400_000, abs=0.002)
    assert few.type_s == pytest.approx((found < 0).mean(), abs=0.005)
    assert few.type_m == pytest.approx(np.abs(found).mean() / 0.4, rel=0.02)
    with pytest.raises(TreegaugeError, match="above 0"):
        significant_errors(0.0, 1.0, 9)


@pytest.mark.parametrize("n", [7, 12])
def test_the_signed_rank_test_finds_its_difference(n: int) -> None:
    values = np.random.default_rng(n).normal(signed_rank_difference(1.0, n), 1, (2000, n))
    assert np.mean([signed_rank(row).p_value <= 0.05 for row in values]) == pytest.approx(0.8, abs=0.03)
    assert signed_rank_difference(1.0, 5) == np.inf


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
