"""Linear models, their shares and predictions, against pingouin, statsmodels and refitting."""

import itertools
import json

import numpy as np
import pingouin
import polars as pl
import pytest
import statsmodels.api as sm
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.outliers_influence import variance_inflation_factor

from treegauge.core.errors import TreegaugeError
from treegauge.statistics.correlation_coefficients import (
    collinearity_notes,
    condition_number,
    relative_importance,
    variance_inflation,
)
from treegauge.statistics.linear_model import regress
from treegauge.statistics.student_intervals import effective_df

ON = ["words", "edv", "length"]


@pytest.fixture
def frame():
    random = np.random.default_rng(15)
    size = random.normal(size=35)
    return pl.DataFrame(
        {
            "treebank": [f"T{i}" for i in range(35)],
            "words": np.round(np.exp(11 + size)),
            "edv": (random.normal(size=35) - size) * 1e-3,
            "length": random.normal(20, 5, size=35),
            "las": 75 + 4 * size + random.normal(size=35) * 3,
        }
    )


def design(frame):
    return np.column_stack([np.log(frame["words"]), frame["edv"], frame["length"]])


def test_coefficients_shares_and_fit_are_pingouins(frame):
    model = regress(frame, "las", ON, log=["words"])
    theirs = pingouin.linear_regression(design(frame), frame["las"].to_numpy(), relimp=True)
    assert model.intercept == pytest.approx(theirs["coef"].iloc[0])
    assert model.fit["r2"] == pytest.approx(theirs["r2"].iloc[0])
    assert model.fit["adj_r2"] == pytest.approx(theirs["adj_r2"].iloc[0])
    for i, row in enumerate(model.rows, 1):
        expected = theirs.iloc[i]
        assert row["coefficient"] == pytest.approx(expected["coef"])
        assert row["t"] == pytest.approx(expected["T"])
        assert row["p_value"] == pytest.approx(expected["pval"])
        assert row["importance"] == pytest.approx(expected["relimp_perc"])
        assert (row["low"], row["high"]) == pytest.approx((expected.iloc[7], expected.iloc[8]))


def test_f_test_inflation_and_predictions_are_statsmodels(frame):
    model = regress(frame, "las", ON, log=["words"])
    x = sm.add_constant(design(frame))
    theirs = sm.OLS(frame["las"].to_numpy(), x).fit()
    assert model.fit["p_value"] == pytest.approx(theirs.f_pvalue)
    assert model.fit["rmse"] == pytest.approx(np.sqrt(theirs.mse_resid))
    for i, row in enumerate(model.rows, 1):
        assert row["vif"] == pytest.approx(variance_inflation_factor(x, i))
    new = frame.head(4).with_columns(length=pl.col("length") + 3)
    found = model.predict(new).table
    expected = theirs.get_prediction(sm.add_constant(design(new), has_constant="add"))
    frame95 = expected.summary_frame(alpha=0.05)
    np.testing.assert_allclose(found["predicted"], frame95["mean"])
    np.testing.assert_allclose(found["low"], frame95["obs_ci_lower"])
    np.testing.assert_allclose(found["high"], frame95["obs_ci_upper"])


def test_leaving_one_out_is_fitting_again(frame):
    model = regress(frame, "las", ON, log=["words"])
    found = model.leave_one_out()
    for i in range(0, 35, 6):
        rest = frame.filter(pl.int_range(pl.len()) != i)
        again = regress(rest, "las", ON, log=["words"]).predict(frame[i : i + 1])
        assert found.predicted[i] == pytest.approx(again.predicted[0])
    errors = np.abs(frame["las"].to_numpy() - found.predicted)
    assert model.fit["loo_mae"] == pytest.approx(errors.mean()) == found.mean_absolute_error
    others = [(frame["las"].sum() - las) / 34 for las in frame["las"]]
    assert model.fit["baseline_mae"] == pytest.approx(np.abs(frame["las"].to_numpy() - others).mean())


def test_units_do_not_matter(frame):
    plain = regress(frame, "las", ON)
    scaled = frame.with_columns(pl.col("words") * 1e9, pl.col("edv") * 1e-9)
    other = regress(scaled, "las", ON)
    assert other.fit["r2"] == pytest.approx(plain.fit["r2"], rel=1e-12)
    assert [row["importance"] for row in other.rows] == pytest.approx(
        [row["importance"] for row in plain.rows], rel=1e-9
    )
    assert other.rows[1]["coefficient"] == pytest.approx(plain.rows[1]["coefficient"] * 1e9)


@given(st.integers(1, 4), st.integers(0, 1000))
@settings(max_examples=25, deadline=None)
def test_shares_are_mean_gains_over_all_orderings(size, seed):
    values = np.random.default_rng(seed).normal(size=(12, size + 1))
    values[:, -1] += values[:, 0]

    def r2(columns):
        if not columns:
            return 0.0
        x = np.column_stack([np.ones(12), values[:, list(columns)]])
        residuals = values[:, -1] - x @ np.linalg.lstsq(x, values[:, -1], rcond=None)[0]
        return 1 - residuals.var() / values[:, -1].var()

    gains = np.zeros(size)
    orders = list(itertools.permutations(range(size)))
    for order in orders:
        for place, j in enumerate(order):
            gains[j] += r2(order[: place + 1]) - r2(order[:place])
    correlations = np.atleast_2d(np.corrcoef(values, rowvar=False))
    np.testing.assert_allclose(relative_importance(correlations), gains / len(orders), atol=1e-9)


def test_shares_have_no_interval_and_a_note_says_why(frame):
    model = regress(frame, "las", ON, log=["words"])
    assert [name for name in model.table.columns if name.startswith("importance")] == ["importance"]
    assert "importance has no interval" in model.notes[-1]
    with pytest.raises(TreegaugeError, match="level: expected a number between 0 and 1"):
        regress(frame, "las", ON, level=95)


def test_collinear_predictors_are_noted_and_identical_ones_refused(frame):
    near = frame.with_columns(twin=pl.col("length") + pl.col("edv") * 100)
    model = regress(near, "las", ["length", "twin"])
    assert model.notes[0].startswith("collinear: variance inflation length")
    same = frame.with_columns(twin=pl.col("length") * 2 + 1)
    with pytest.raises(TreegaugeError, match="predictors length, twin determine one another"):
        regress(same, "las", ["edv", "length", "twin"])


def test_condition_number_and_inflation_of_two_predictors():
    matrix = np.array([[1, 0.9], [0.9, 1]])
    assert condition_number(matrix) == pytest.approx(np.sqrt(1.9 / 0.1))
    assert variance_inflation(matrix) == pytest.approx([1 / 0.19] * 2)
    assert condition_number(np.ones((2, 2))) == np.inf
    assert collinearity_notes(["a"], np.ones((1, 1))) == []


def test_an_exact_line_is_found_without_nan():
    x = np.arange(10.0)
    model = regress({"y": 3 * x + 2, "x": x}, "y", ["x"])
    assert model.rows[0]["coefficient"] == pytest.approx(3)
    assert model.intercept == pytest.approx(2)
    assert model.fit["r2"] == pytest.approx(1)
    json.dumps(model.to_dict(), allow_nan=False)


def test_a_row_that_alone_fixes_a_coefficient_has_no_prediction():
    dummy = [0.0] * 9 + [1.0]
    model = regress({"y": np.arange(10.0) ** 2, "x": dummy}, "y", ["x"])
    assert model.fit["loo_mae"] is None
    assert model.leave_one_out().table["predicted"].is_null().to_list() == [False] * 9 + [True]


def test_predictions_tell_errors_gaps_and_extrapolation(frame):
    model = regress(frame, "las", ["length", "edv"])
    new = pl.DataFrame(
        {"treebank": ["A", "A", "C"], "length": [20.0, 90, None], "edv": [0.0] * 3, "las": [70.0, None, 1]}
    )
    found = model.predict(new)
    assert found.notes == ("left out, missing 'length': C", "outside the range the model was fitted on: A")
    assert found.table["actual"].to_list() == [70.0, None]
    assert found.mean_absolute_error == pytest.approx(abs(70 - found.predicted[0]))
    blind = model.predict(new.drop("las"))
    assert blind.mean_absolute_error is None
    assert "actual" not in blind.table.columns
    with pytest.raises(TreegaugeError, match="unknown predictor in table: 'edv'"):
        model.predict(new.drop("edv"))
    with pytest.raises(TreegaugeError, match="no row has all predictors"):
        model.predict(new.tail(1))


@pytest.mark.parametrize(
    ("rows", "on", "message"),
    [
        (35, [], "at least one predictor; choices: words, edv, length, las"),
        (35, ["las"], "'las' is named twice"),
        (4, ["edv", "length"], "4 complete rows for 3 columns, expected at least 5"),
        (35, ["flat"], "flat has one value only"),
        (35, ["edw"], "unknown column in table: 'edw'"),
    ],
)
def test_errors_name_the_trouble(frame, rows, on, message):
    data = frame.head(rows).with_columns(flat=pl.lit(1)) if "flat" in on else frame.head(rows)
    with pytest.raises(TreegaugeError, match=message):
        regress(data, "las", on)


def test_many_predictors_have_shares_and_too_many_are_refused():
    values = np.random.default_rng(1).normal(size=(40, 16))
    names = [f"x{i}" for i in range(16)]
    data = dict(zip(names, values.T, strict=True))
    model = regress(data, "x0", names[1:10])
    assert sum(row["importance"] for row in model.rows) == pytest.approx(100)
    with pytest.raises(TreegaugeError, match="at most 14 predictors, found 15"):
        regress(data, "x0", names[1:])


def test_errors_over_clusters_are_those_of_fits_without_each(frame):
    kin = [f"G{i % 9}" for i in range(35)]
    model = regress(frame.with_columns(kin=pl.Series(kin)), "las", ON, cluster="kin")
    x, y = sm.add_constant(frame[ON].to_numpy()), frame["las"].to_numpy()
    whole = sm.OLS(y, x).fit().params
    without = np.array([sm.OLS(y[rest], x[rest]).fit().params for g in sorted(set(kin))
                        for rest in [np.array(kin) != g]])  # fmt: skip
    errors = np.sqrt(8 / 9 * ((without - whole) ** 2).sum(axis=0))  # the jackknife of nine clusters
    t = [row["t"] for row in model.rows]
    assert t == pytest.approx((whole / errors)[1:], rel=1e-6)
    df = effective_df(np.bincount([int(g[1:]) for g in kin]))
    reach = stats.t.ppf(0.975, df) * errors[1:]
    assert [row["high"] - row["coefficient"] for row in model.rows] == pytest.approx(reach, rel=1e-6)
    assert "35 rows in 9 clusters (kin)" in " ".join(model.notes)
    assert "|units:kin" in model.signature
    free = regress(frame, "las", ON, cluster="none")
    assert "|units:rows" in free.signature
    # A new row of a new cluster is less certain than one of the same.
    row = {"treebank": ["mine"], **{name: [float(frame[name].mean())] for name in ON}}
    assert all(one.predict(row).low[0] < one.predict(row).predicted[0] for one in (model, free))


def test_few_clusters_have_no_intervals(frame):
    kin = pl.Series([f"G{i % 7}" for i in range(35)])
    model = regress(frame.with_columns(kin=kin), "las", ON, cluster="kin")
    assert all(row["low"] is row["p_value"] is None for row in model.rows)
    assert model.fit["p_value"] is None
    assert "7 clusters (kin) are too few" in " ".join(model.notes)


def test_a_cluster_that_alone_has_a_predictor_leaves_no_errors(frame):
    kin = [f"G{i % 9}" for i in range(35)]
    only = pl.Series([float(i) * (g == "G3") for i, g in enumerate(kin)])
    model = regress(frame.with_columns(kin=pl.Series(kin), only=only), "las", ["length", "only"], cluster="kin")
    assert all(row["p_value"] is None for row in model.rows)
    json.loads(model.to_json())
