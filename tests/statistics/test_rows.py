"""The bootstrap over rows, against scipy's given the same draws."""

import numpy as np
import pytest
from scipy import stats

from treegauge.core.errors import TreegaugeError
from treegauge.statistics import bootstrap
from treegauge.statistics import draws as resampling
from treegauge.statistics.bootstrap import bootstrap_rows
from treegauge.statistics.correlation_coefficients import coefficients


@pytest.fixture
def table():
    random = np.random.default_rng(11)
    x = random.normal(size=25)
    return np.column_stack([x, x**2 + random.normal(size=25)])


def spearman(values):
    return coefficients(values)[..., 0, 1][..., None]


@pytest.mark.parametrize(("method", "theirs"), [("bca", "BCa"), ("percentile", "percentile")])
def test_intervals_are_scipys(table, method, theirs):
    found = bootstrap_rows(table, spearman, resamples=999, method=method, seed=5)
    draws = np.random.default_rng(np.random.SeedSequence(5, spawn_key=(bootstrap._ROWS,)))
    expected = stats.bootstrap(
        (np.arange(25),),
        lambda index: stats.spearmanr(*table[index].T).statistic,
        n_resamples=999,
        batch=999,
        vectorized=False,
        method=theirs,
        random_state=draws,
    )
    assert found.low[0] == pytest.approx(expected.confidence_interval.low, abs=1e-9)
    assert found.high[0] == pytest.approx(expected.confidence_interval.high, abs=1e-9)
    assert found.standard_error[0] == pytest.approx(expected.standard_error)


def test_blocks_do_not_change_the_draws(table, monkeypatch):
    whole = bootstrap_rows(table, spearman, resamples=101, seed=2)
    monkeypatch.setattr(resampling, "BUDGET", 7 * table.size * 4)
    pieces = bootstrap_rows(table, spearman, resamples=101, seed=2)
    assert (whole.low, whole.high) == (pieces.low, pieces.high)
    other = bootstrap_rows(table, spearman, resamples=101, seed=3)
    assert whole.low != other.low


def test_undefined_resamples_are_left_out():
    table = np.array([[0.0, 1], [0, 2], [0, 5], [1, 9]])  # many draws have no 1
    found = bootstrap_rows(table, spearman, resamples=200)
    assert np.isfinite([found.low[0], found.high[0]]).all()


def test_one_row_is_too_few():
    with pytest.raises(TreegaugeError, match="at least 2 rows"):
        bootstrap_rows([[1.0, 2.0]], spearman)
