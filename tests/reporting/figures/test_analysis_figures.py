"""Figures have the numbers of the results they draw, and only values that JSON allows."""

import json

import numpy as np
import polars as pl
import pytest

from treegauge.data import ud25
from treegauge.reporting.figures import analysis
from treegauge.statistics.regression.background import remove_background
from treegauge.statistics.regression.linear_model import regress
from treegauge.statistics.tables.correlation_tables import correlate_bins, correlation_matrix
from treegauge.statistics.tables.normality import fit_skew_normal


@pytest.fixture(scope="module")
def figures():
    found = {}
    data = ud25()
    found["scatter"] = analysis.scatter(data, "las", ["train_words", "mean_test_length"], log=["train_words"])
    removed = remove_background(
        data, "las", "test_words", ["train_words", "mean_test_length"], log=["train_words"], resamples=0
    )
    found["background"] = analysis.background(removed)
    rows = [{"length": n, "las": (i * n) % 17 if n != 5 else 1, "edv": i} for n in range(3, 9) for i in range(9)]
    found["bins"] = analysis.bins(correlate_bins(pl.DataFrame(rows), "las", "edv"))
    found["matrix"] = analysis.matrix(correlation_matrix(data, ["las", "train_words", "test_words"]))
    model = regress(data, "las", ["train_words"], log=["train_words"])
    found["predictions"] = analysis.predictions(model.predict(data.head(9)))
    found["left_out"] = analysis.predictions(model.leave_one_out())
    found["distributions"] = analysis.distributions(data, ["las", "train_words"], log=["las"])
    las = data["las"].to_numpy()
    found["shape"] = analysis.skew_normal_histogram(fit_skew_normal(las, resamples=0, name="las"))
    return found


def points(panel):
    (layer,) = (layer for layer in panel["layer"] if layer["mark"]["type"] == "point")
    return layer["data"]["values"]


def test_figures_are_json_without_nan(figures):
    for spec in figures.values():
        assert spec["$schema"].endswith("vega-lite/v5.json")
        assert json.loads(json.dumps(spec, allow_nan=False)) == spec


def test_every_treebank_is_a_point_with_its_name(figures):
    panel = figures["scatter"]["concat"][0]
    shown = {row["row"]: (row["x"], row["y"]) for row in points(panel)}
    for row in ud25().iter_rows(named=True):
        assert shown[row["treebank"]] == pytest.approx((row["train_words"], row["las"]))
    assert panel["encoding"]["x"]["scale"]["type"] == "log"
    assert "type" not in figures["scatter"]["concat"][1]["encoding"]["x"]["scale"]


def test_the_line_is_the_fit(figures):
    line = figures["scatter"]["concat"][0]["layer"][1]["data"]["values"]
    slope, intercept = np.polyfit(np.log(ud25()["train_words"]), ud25()["las"], 1)
    for end in line:
        assert end["y"] == pytest.approx(intercept + slope * np.log(end["x"]))


def test_the_triptych_ends_with_what_is_left(figures):
    panels = figures["background"]["hconcat"]
    assert [panel["title"] for panel in panels] == [
        "divided out: log(train_words)",
        "divided out: mean_test_length",
        "what is left: r = -0.166",
    ]
    assert np.mean([row["y"] for row in points(panels[2])]) == pytest.approx(1, abs=0.01)


def test_bins_without_a_coefficient_are_not_drawn(figures):
    assert [row["length"] for row in figures["bins"]["data"]["values"]] == [3, 4, 6, 7, 8]


def test_the_matrix_is_square_and_symmetric(figures):
    cells = {(cell["x"], cell["y"]): cell["r"] for cell in figures["matrix"]["data"]["values"]}
    assert len(cells) == 9
    assert all(cells[x, y] == cells[y, x] for x, y in cells)
    assert cells["las", "las"] == 1
    assert cells["las", "train_words"] == pytest.approx(0.6605, abs=1e-4)


def test_predictions_have_intervals_where_the_result_has(figures):
    assert len(figures["predictions"]["layer"]) == 3
    assert len(figures["left_out"]["layer"]) == 2
    assert len(figures["left_out"]["data"]["values"]) == 94


def test_bars_and_curve_both_have_area_one(figures):
    bars, curve = (layer["data"]["values"] for layer in figures["shape"]["layer"])
    area = sum((bar["right"] - bar["left"]) * bar["height"] for bar in bars)
    assert area == pytest.approx(1)
    x, y = ([point[axis] for point in curve] for axis in "xy")
    assert np.trapezoid(y, x) == pytest.approx(1, abs=0.02)


def test_every_figure_can_be_drawn(figures):
    converter = pytest.importorskip("vl_convert", reason="vl-convert draws the figures")
    for spec in figures.values():
        assert converter.vegalite_to_svg(spec).startswith("<svg")
