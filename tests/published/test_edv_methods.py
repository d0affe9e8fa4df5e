"""Statistics of the EDV paper beside the replication: each against plain fits or scipy."""

import numpy as np
import polars as pl
import pytest
from scipy import stats

from studies.edv.drawing import by_length, skewed_histogram
from studies.edv.methods import correlate_lengths, fit_skew_normal
from treegauge.core.errors import TreegaugeError
from treegauge.papers.edv import background_figure, normality, remove_background
from treegauge.statistics.correlation import correlate


@pytest.fixture
def frame():
    random = np.random.default_rng(16)
    size, length, edv, noise = random.normal(size=(4, 50))
    return pl.DataFrame(
        {
            "treebank": [f"T{i}" for i in range(50)],
            "las": (70 + 5 * size) * (1 + 0.03 * length) - 2 * edv + 2 * noise,
            "words": np.exp(10 + size),
            "length": 20 + 4 * length,
            "edv": edv - 2 * size,
        }
    )


def test_normality_is_scipys(frame):
    found = normality(frame, ["las", "words", "length", "edv"])
    assert [row["variable"] for row in found] == ["las", "words", "length", "edv"]
    for row in found:
        name = row["variable"]
        assert (row["W"], row["p_value"]) == pytest.approx(tuple(stats.shapiro(frame[name].to_numpy())))


def test_the_chain_is_fit_divide_and_fit_again(frame):
    found = remove_background(frame, "las", "edv", ["words", "length"], log=["words"])
    left = frame["las"].to_numpy()
    covariates = [None, np.log(frame["words"].to_numpy()), frame["length"].to_numpy()]
    for stage, x in zip(found.stages, covariates, strict=True):
        if x is not None:
            line = stats.linregress(x, left)
            assert (stage.slope, stage.intercept) == pytest.approx((line.slope, line.intercept))
            assert stage.r2 == pytest.approx(line.rvalue**2)
            left = left / (line.intercept + line.slope * x)
        np.testing.assert_allclose(stage.values, left)
        expected = stats.spearmanr(left, frame["edv"])
        assert stage.inference.r == pytest.approx(expected.statistic)
        assert stage.inference.p_value == (pytest.approx(expected.pvalue) if x is None else None)
    assert [stage.removed for stage in found.stages] == [None, "log(words)", "length"]
    titles = [panel["title"] for panel in background_figure(found)["hconcat"]]
    assert titles[:2] == ["divided out: log(words)", "divided out: length"]


def test_a_line_that_changes_sign_cannot_be_divided_out(frame):
    crossing = frame.with_columns(las=pl.col("edv") * 5 + pl.col("length") - 20)
    with pytest.raises(TreegaugeError, match=r"the line through length predicts -?\d.* for T\d+"):
        remove_background(crossing, "las", "edv", ["length"])


def test_an_exact_line_leaves_nothing_to_correlate():
    x = np.arange(1.0, 11)
    with pytest.raises(TreegaugeError, match="nothing of y is left"):
        remove_background(pl.DataFrame({"y": 2 * x + 1, "x": x, "z": x**2}), "y", "z", ["x"])


@pytest.fixture
def binned():
    random = np.random.default_rng(14)
    rows = []
    for length in range(2, 33):
        edv = random.normal(size=30)
        words = random.permutation(30)
        las = 70 - length / 10 * edv + words / 5 + random.normal(size=30)
        rows += [
            {"treebank": f"T{i}", "length": length, "las": las[i], "edv": edv[i], "words": words[i]} for i in range(30)
        ]
    return pl.DataFrame(rows)


def test_each_length_is_a_table_of_its_own(binned):
    found = correlate_lengths(binned, "las", "edv", ["words"])
    assert found.lengths == tuple(range(3, 31))
    one = correlate(binned.filter(length=17), "las", ["edv"], ["words"], resamples=0)
    assert found.table.filter(length=17)["r"].item() == one.rows[-1].inference.r
    p_values = found.table["p_value"].to_numpy()
    assert found.table["p_adjusted"].to_list() == pytest.approx(stats.false_discovery_control(p_values).tolist())
    trend = stats.spearmanr(found.lengths, found.table["r"])
    assert found.trend.r == pytest.approx(trend.statistic)
    assert found.trend.r < -0.5
    assert len(by_length(found)["data"]["values"]) == 28


def test_the_trend_over_lengths_is_tested_over_treebanks(binned):
    found = correlate_lengths(binned, "las", "edv", low=0, high=200)
    even = binned.with_columns(length=pl.col("length") * 2)
    twice = pl.concat([even, even.with_columns(length=pl.col("length") + 1)])
    again = correlate_lengths(twice, "las", "edv", low=0, high=200)
    # The same treebanks again at other lengths are no new evidence.
    assert again.trend.p_value == pytest.approx(found.trend.p_value, rel=0.5)


@pytest.mark.parametrize("seed", range(6))
def test_curves_are_as_likely_as_scipys(seed):
    random = np.random.default_rng(seed)
    parameters = {"a": random.uniform(-6, 6), "loc": random.normal() * 9, "scale": 3.0}
    values = stats.skewnorm.rvs(**parameters, size=120, random_state=random)
    found = fit_skew_normal(values)

    def likelihood(shape, location, scale):
        return stats.skewnorm.logpdf(values, shape, location, scale).sum()

    theirs = likelihood(*stats.skewnorm.fit(values))
    assert likelihood(found.shape, found.location, found.scale) >= theirs - 1e-4
    curve = stats.skewnorm(found.shape, found.location, found.scale)
    assert (found.mean, found.sd) == pytest.approx((curve.mean(), curve.std()))
    np.testing.assert_allclose(found.density(values), curve.pdf(values))


def test_bars_and_curve_both_have_area_one():
    values = np.random.default_rng(2).gamma(4, size=94)
    bars, curve = (layer["data"]["values"] for layer in skewed_histogram(fit_skew_normal(values), "x")["layer"])
    assert sum((bar["right"] - bar["left"]) * bar["height"] for bar in bars) == pytest.approx(1)
    x, y = ([point[axis] for point in curve] for axis in "xy")
    assert np.trapezoid(y, x) == pytest.approx(1, abs=0.02)
