"""Background removal, step by step and against plain fits."""

import json

import numpy as np
import polars as pl
import pytest
from scipy import stats

from treegauge.core.errors import TreegaugeError
from treegauge.statistics.regression.background import _left, remove_background


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


@pytest.mark.parametrize("method", ["spearman", "pearson", "kendall"])
def test_the_chain_is_fit_divide_and_fit_again(frame, method):
    found = remove_background(frame, "las", "edv", ["words", "length"], log=["words"], method=method, resamples=0)
    left = frame["las"].to_numpy()
    coefficient = {"spearman": stats.spearmanr, "pearson": stats.pearsonr, "kendall": stats.kendalltau}[method]
    for stage, x in zip(
        found.stages, [None, np.log(frame["words"].to_numpy()), frame["length"].to_numpy()], strict=True
    ):
        if x is not None:
            line = stats.linregress(x, left)
            assert (stage.slope, stage.intercept) == pytest.approx((line.slope, line.intercept))
            assert stage.r2 == pytest.approx(line.rvalue**2)
            left = left / (line.intercept + line.slope * x)
        np.testing.assert_allclose(stage.values, left)
        expected = coefficient(left, frame["edv"])
        assert stage.inference.r == pytest.approx(expected.statistic)
        # Only the bootstrap allows for fitted lines.
        p_value = pytest.approx(expected.pvalue) if x is None else None
        assert stage.inference.p_value == p_value
    assert found.table["removed"].to_list() == [None, "log(words)", "length"]


def test_what_the_covariates_carry_disappears_and_the_rest_stays(frame):
    found = remove_background(frame, "las", "edv", ["words", "length"], log=["words"], resamples=0)
    before, after = found.stages[0].inference.r, found.stages[-1].inference.r
    assert before < -0.6
    assert -0.5 < after < -0.1
    spurious = frame.with_columns(edv=-pl.col("words").log())
    gone = remove_background(spurious, "las", "edv", ["words"], log=["words"], resamples=0)
    assert abs(gone.stages[1].inference.r) < 0.2 < abs(gone.stages[0].inference.r)


@pytest.mark.parametrize("method", ["spearman", "pearson", "kendall"])
def test_the_bootstrap_fits_anew_in_every_resample(frame, method):
    how = {"log": ["words"], "method": method, "resamples": 0}
    found = remove_background(frame, "las", "edv", ["words", "length"], **how)
    index = np.random.default_rng(0).integers(50, size=(5, 50))
    stacked = _left(found.sample.values[index], method)
    for one, rows in zip(stacked, index, strict=True):
        again = remove_background(frame[rows.tolist()], "las", "edv", ["words", "length"], **how)
        assert one == pytest.approx(again.stages[-1].inference.r)


def test_the_interval_holds_the_last_coefficient_and_comes_from_the_seed(frame):
    one, two, other = (
        remove_background(frame, "las", "edv", ["words"], resamples=200, seed=seed) for seed in (1, 1, 2)
    )
    assert one.bca[0] < one.stages[-1].inference.r < one.bca[1]
    assert one.to_csv() == two.to_csv() != other.to_csv()
    assert one.table["bca_low"].to_list() == [None, one.bca[0]]


def test_a_line_that_changes_sign_cannot_be_divided_out(frame):
    crossing = frame.with_columns(las=pl.col("edv") * 5 + pl.col("length") - 20)
    with pytest.raises(TreegaugeError, match=r"the line through length predicts -?\d.* for T\d+"):
        remove_background(crossing, "las", "edv", ["length"])


def test_negative_targets_work_as_positive_ones_do(frame):
    found = remove_background(frame, "las", "edv", ["words"], log=["words"], resamples=0)
    mirrored = remove_background(
        frame.with_columns(-pl.col("las")), "las", "edv", ["words"], log=["words"], resamples=0
    )
    np.testing.assert_allclose(mirrored.stages[1].values, found.stages[1].values)


@pytest.mark.parametrize(
    ("change", "given", "message"),
    [
        ({}, [], "at least one covariate; choices: las, words, length, edv"),
        ({}, ["edv"], "'edv' is named twice"),
        ({"length": 1.0}, ["length"], "length has one value only"),
        ({"length": None}, ["length"], "0 complete rows for 3 columns, expected at least 4"),
    ],
)
def test_errors_name_the_trouble(frame, change, given, message):
    data = frame.with_columns(**{name: pl.lit(value) for name, value in change.items()})
    with pytest.raises(TreegaugeError, match=message):
        remove_background(data, "las", "edv", given)


def test_an_exact_line_leaves_nothing_to_correlate():
    x = np.arange(1.0, 11)
    data = {"y": 2 * x + 1, "x": x, "z": x**2}
    for method in ("pearson", "spearman"):
        with pytest.raises(TreegaugeError, match="nothing of y is left"):
            remove_background(data, "y", "z", ["x"], resamples=0, method=method)


def test_json_has_no_nan(frame):
    found = remove_background(frame, "las", "edv", ["words"], resamples=20)
    assert json.loads(json.dumps(found.to_dict(), allow_nan=False))["rows"][0]["removed"] is None
