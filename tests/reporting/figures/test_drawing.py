"""Every result with a figure is drawn by one call, and the page draws the same data."""

import base64
import json
from importlib import import_module

import numpy as np
import pytest

import treegauge as tg
from treegauge.cli.verbs import VERBS
from treegauge.core.errors import ChoiceError, TreegaugeError
from treegauge.ranking.reading import read_leaderboard
from treegauge.reporting.figures.drawing import FIGURES, to_svg
from treegauge.reporting.figures.ranking import pair_matrix, rank_boxes
from treegauge.reporting.sections.ranking import RankedTable, ranking_section
from treegauge.testing.synthetic import synthetic


@pytest.mark.parametrize("kind", FIGURES)
def test_every_figure_exists(kind):
    module, _, name = FIGURES[kind].partition(".")
    assert callable(getattr(import_module(f"treegauge.reporting.figures.{module}"), name))


@pytest.fixture(scope="module")
def scores():
    gold = synthetic(30, seed=1)
    other = synthetic(30, seed=1)
    return tg.score(gold, {"a": gold, "b": other}, resamples=50)


def test_a_result_is_drawn_to_a_file(scores, tmp_path):
    spec = tg.draw(scores, tmp_path / "figure.json", dark=True)
    assert json.loads((tmp_path / "figure.json").read_text()) == spec
    assert spec["usermeta"]["signature"] == scores.signature
    rows = {(row["metric"], row["system"]): row for row in spec["data"]["values"]}
    assert rows["LAS", "a"]["score"] == scores["a"]["LAS"].f1
    ends = scores["a"]["LAS"].interval or (scores["a"]["LAS"].f1,) * 2
    assert (rows["LAS", "a"]["low"], rows["LAS", "a"]["high"]) == ends


def test_of_a_breakdown_the_classes_are_drawn():
    gold = synthetic(30, seed=1)
    found = tg.breakdown(gold, {"a": gold, "b": gold}, by="upos")
    rows = tg.draw(found)["data"]["values"]
    assert {row["system"] for row in rows} == {"a", "b"}
    assert {row["class"] for row in rows} == set(gold["upos"].to_list())
    assert all(row["f1"] == 100 for row in rows)


def test_a_result_without_a_figure_is_refused(scores):
    gold = synthetic(30, seed=1)
    with pytest.raises(ChoiceError, match="kind of result with a figure"):
        tg.draw(tg.diff(gold, gold))
    with pytest.raises(TreegaugeError, match="no difference has an interval"):
        tg.draw(scores.attached["comparisons"])  # of equal systems


def test_verbs_with_a_figure_are_those_whose_results_have_one():
    verbs = {name: command for verbs in VERBS.values() for name, command in verbs.items()}
    drawn = {name for name, command in verbs.items() if command.plot}
    assert {"breakdown", "curve", "difficulty", "map", "measure", "rank", "score"} <= drawn


def test_the_page_draws_the_data_of_the_figures():
    table = read_leaderboard("conll18")
    names = table.table["system"][:5].to_list()
    few = table.select(systems=names, treebanks=table.treebanks[:8])
    data = ranking_section(RankedTable(few, "x.csv"), subsets=300).data["boards"][0]
    at = data["usual"]
    size = data["sizes"][at]
    boxes = np.frombuffer(base64.b64decode(data["boxes"]["f32"]), "<f4").reshape(-1, 5, 5)[at]
    figure = rank_boxes(tg.rank(few, size=size, subsets=300))["datasets"]["boxes"]
    drawn = {row["system"]: row for row in figure}
    for system, box in zip(data["systems"], boxes.tolist(), strict=True):
        assert box == [drawn[system][name] for name in ("best", "q1", "median", "q3", "worst")]
    above = np.frombuffer(base64.b64decode(data["above"]["f32"]), "<f4").reshape(-1, 5, 5)[at]
    for row in pair_matrix(tg.rank(few, size=size, subsets="all"))["data"]["values"]:
        a, b = (data["systems"].index(row[name]) for name in ("system", "other"))
        assert above[a, b] == pytest.approx(row["above"], rel=1e-6)


def test_a_drawing_does_not_depend_on_those_before():
    pytest.importorskip("vl_convert")
    spec = pair_matrix(tg.rank("conll18", metric="las", size=10, subsets=1000))
    first, second = to_svg(spec), to_svg(spec)
    assert "gradient_0" in first
    assert first == second
