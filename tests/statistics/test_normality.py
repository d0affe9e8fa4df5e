"""Normality tests and skew-normal curves, against scipy."""

import json

import numpy as np
import pytest
from scipy import stats

from treegauge.core.errors import TreegaugeError
from treegauge.statistics.tables.normality import fit_skew_normal, normality


def test_normality_is_scipys():
    random = np.random.default_rng(17)
    data = {"a": random.normal(size=40), "b": np.exp(random.normal(size=40)), "c": ["x"] * 40}
    found = normality(data)
    for row in found.rows:
        values = np.asarray(data[row["variable"]])
        w, p = stats.shapiro(values)
        k2, p_k2 = stats.normaltest(values)
        assert (row["w"], row["p_value"], row["k2"]) == pytest.approx((w, p, k2))
        # From samples of this size rather than the chi-square of infinitely many rows.
        assert row["p_k2"] == pytest.approx(p_k2, abs=0.02)
        assert row["skewness"] == pytest.approx(stats.skew(values))
        assert row["sd"] == pytest.approx(np.std(values, ddof=1))
    assert [row["normal"] for row in found.rows] == [True, False]
    adjusted = stats.false_discovery_control([row["p_value"] for row in found.rows])
    assert [row["p_adjusted"] for row in found.rows] == pytest.approx(adjusted.tolist())
    logs = normality(data, ["b"], log=["b"])
    assert logs.rows[0]["variable"] == "log(b)"
    assert logs.rows[0]["normal"]


def test_normality_of_what_cannot_be_tested_is_missing():
    data = {"flat": [1.0] * 10, "few": [1.0, 2.0, *[None] * 8], "fine": list(range(10))}
    found = normality(data)
    assert found.table["w"].is_null().to_list() == [True, True, False]
    assert found.table["k2"].is_null().all()  # fewer than 20 rows
    assert "flat: missing, because the column has one value only" in found.notes
    assert "few: missing, because the test needs at least 3 rows, found 2" in found.notes
    json.dumps(found.to_dict(), allow_nan=False)
    with pytest.raises(TreegaugeError, match="nothing to test"):
        normality(data, ["flat"])
    with pytest.raises(TreegaugeError, match="level"):
        normality(data, level=1)


def test_normality_of_many_rows_gives_no_warning():
    assert normality({"x": np.random.default_rng(1).normal(size=5001)}).rows[0]["w"] > 0.999


@pytest.mark.parametrize("seed", range(6))
def test_curves_are_as_likely_as_scipys(seed):
    random = np.random.default_rng(seed)
    parameters = {"a": random.uniform(-6, 6), "loc": random.normal() * 9, "scale": 3.0}
    values = stats.skewnorm.rvs(**parameters, size=120, random_state=random)
    found = fit_skew_normal(values, resamples=0)

    def likelihood(shape, location, scale):
        return stats.skewnorm.logpdf(values, shape, location, scale).sum()

    theirs = likelihood(*stats.skewnorm.fit(values))
    ours = likelihood(found.shape, found.location, found.scale)
    assert ours >= theirs - 1e-4
    curve = stats.skewnorm(found.shape, found.location, found.scale)
    assert (found.mean, found.sd) == pytest.approx((curve.mean(), curve.std()))
    assert found.skewness == pytest.approx(float(curve.stats("s")))
    assert found.ks == pytest.approx(stats.kstest(values, curve.cdf).statistic)
    np.testing.assert_allclose(found.density(values), curve.pdf(values))
    edges = curve.ppf(np.linspace(0, 1, 13))
    observed = np.histogram(values, edges)[0]
    chi2 = stats.chisquare(observed).statistic
    assert (found.chi2, found.chi2_df) == pytest.approx((chi2, 8))
    assert found.p_chi2 is found.p_ks is None
    assert found.p_normal == pytest.approx(stats.skewtest(values).pvalue)


def test_the_curve_follows_shifts_scales_and_mirrors():
    values = np.random.default_rng(3).gamma(3, size=80)
    one = fit_skew_normal(values, resamples=0)
    other = fit_skew_normal(5 - 1e-6 * values, resamples=0)
    assert other.mean == pytest.approx(5 - 1e-6 * one.mean, rel=1e-9)
    assert other.sd == pytest.approx(1e-6 * one.sd, rel=1e-4)
    assert other.shape == pytest.approx(-one.shape, rel=1e-3)


def test_samples_of_the_curve_have_p_values_of_all_sizes_and_others_none():
    random = np.random.default_rng(4)
    fits = [fit_skew_normal(stats.skewnorm.rvs(3, size=60, random_state=random), resamples=19) for _ in range(8)]
    for good in ([fit.p_ks for fit in fits], [fit.p_chi2 for fit in fits]):
        assert 0.25 < np.mean(good) < 0.75
        assert max(good) - min(good) > 0.3
    bad = np.concatenate([random.normal(-4, 0.5, size=75), random.normal(4, 0.5, size=75)])
    found = fit_skew_normal(bad, resamples=29)
    assert found.p_ks == found.p_chi2 == pytest.approx(1 / 30)


def test_half_of_a_normal_curve_is_told():
    values = np.abs(np.random.default_rng(5).normal(size=200))
    found = fit_skew_normal(values, resamples=0, name="delta")
    assert found.notes == ("delta: the shape is at its limit; the curve is a half-normal one",)


def test_few_numbers_have_no_chi_square_and_fewer_no_curve():
    found = fit_skew_normal([1.0, 2, 2, 3, 3, 3, 4, 7, None], resamples=0)
    assert found.n == 8
    assert found.chi2 is found.p_chi2 is found.chi2_df is None
    assert "chi2" not in found.shown().columns
    json.dumps(found.to_dict(), allow_nan=False)
    with pytest.raises(TreegaugeError, match="at least 8 finite numbers, found 2"):
        fit_skew_normal([1.0, 2.0])
    with pytest.raises(TreegaugeError, match="all numbers are 3"):
        fit_skew_normal([3.0] * 20)
    with pytest.raises(TreegaugeError, match="seed"):
        fit_skew_normal(range(20), seed=-1)
