"""Figures have the numbers of the results they draw, and only values that JSON allows."""

import json

import numpy as np
import pytest

from treegauge.data import ud25
from treegauge.reporting.figures import analysis
from treegauge.statistics.analyse import correlation_matrix
from treegauge.statistics.linear_model import regress


@pytest.fixture(scope="module")
def figures():
    found = {}
    data = ud25()
    found["scatter"] = analysis.scatter(data, "las", ["train_words", "mean_test_length"], log=["train_words"])
    found["matrix"] = analysis.matrix(correlation_matrix(data, ["las", "train_words", "test_words"]))
    model = regress(data, "las", ["train_words"], log=["train_words"])
    found["predictions"] = analysis.predictions(model.predict(data.head(9)))
    found["left_out"] = analysis.predictions(model.leave_one_out())
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


def test_every_figure_can_be_drawn(figures):
    converter = pytest.importorskip("vl_convert", reason="vl-convert draws the figures")
    for spec in figures.values():
        assert converter.vegalite_to_svg(spec).startswith("<svg")
