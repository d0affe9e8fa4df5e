from collections import Counter

import numpy as np
import polars as pl
import pytest

import treegauge as tg
from studies.content.figures import variances
from treegauge.core.errors import ChoiceError, TreegaugeError
from treegauge.reporting.figures import scores
from treegauge.reporting.figures.drawing import to_svg
from treegauge.testing.simulated_parser import Accuracy, simulated_parse
from treegauge.testing.synthetic import synthetic
from treegauge.treebanks.data.conllu import parse_conllu

FRAME = pl.DataFrame(
    {"treebank": ["UD_A-X", "UD_B-Y", "UD_C-<b>"], "LAS": [80.0, 90.0, 85.0], "CLAS": [75.0, 88.0, 70.0]}
)


def test_treebanks_are_ordered_by_the_first_score():
    spec = scores.by_treebank(FRAME, ["CLAS", "LAS"])
    assert spec["encoding"]["x"]["sort"] == ["B-Y", "A-X", "C-<b>"]
    assert {(row["treebank"], row["score"]): row["value"] for row in spec["data"]["values"]} == {
        (name.removeprefix("UD_"), metric): value
        for name, *both in FRAME.iter_rows()
        for metric, value in zip(("LAS", "CLAS"), both, strict=True)
    }


def test_variances_are_those_of_the_best():
    rows = variances(FRAME, ["LAS", "CLAS"])["data"]["values"]
    found = {(row["score"], row["best"]): row["variance"] for row in rows}
    assert found["LAS", 2] == pytest.approx(np.var([90, 85]))
    assert found["CLAS", 2] == pytest.approx(np.var([88, 70]))
    assert found["CLAS", 3] == pytest.approx(np.var([88, 70, 75]))


@pytest.mark.parametrize("draw", [scores.by_treebank, variances])
def test_drawn_and_bad_input_told(draw):
    assert "<svg" in to_svg(draw(FRAME, ["LAS", "CLAS"]))
    with pytest.raises(ChoiceError, match="MLAS"):
        draw(FRAME, ["MLAS"])
    with pytest.raises(TreegaugeError, match="missing of UD_B-Y"):
        draw(FRAME.with_columns(LAS=pl.Series([1.0, None, 2.0])), ["LAS"])
    with pytest.raises(TreegaugeError, match="one score"):
        draw(FRAME, [])


def test_classes_are_shaded_by_certainty():
    """Few words are pale; a difference has its full colour where its interval excludes 0."""
    gold = synthetic(90, seed=3)
    text = gold.to_bytes().decode()
    outputs = {
        name: parse_conllu(simulated_parse(text, Accuracy(heads=heads), seed=round(100 * heads)))
        for name, heads in (("good", 0.9), ("poor", 0.8))
    }
    found = tg.breakdown(gold, outputs, by="relation", units="sentences")
    cells, _, column, _ = scores.class_heat(found)["layer"]
    shades = cells["encoding"]["opacity"]
    assert shades["value"] < 1
    assert [one["value"] for one in shades["condition"]] == [1, 0.25]
    drawn = {row["class"]: row["certain"] for row in column["data"]["values"]}
    kinds = set()
    for row in found.differences:
        if not row["gold"]:
            assert row["class"] not in drawn
        elif row["low"] is None:
            kinds.add("no interval")
            assert drawn[row["class"]] == 0
        else:
            excludes = row["low"] > 0 or row["high"] < 0
            kinds.add(excludes)
            assert (abs(drawn[row["class"]]) == 1) == excludes
            assert drawn[row["class"]] * row["difference"] >= 0
    assert kinds == {"no interval", True, False}


def test_confusions_are_shares_of_gold_shaded_by_its_words(tmp_path):
    """Counted here word by word; rows of values with few words are pale."""
    gold = synthetic(200, seed=3)
    output = parse_conllu(simulated_parse(gold.to_bytes().decode(), Accuracy(heads=0.8, relations=0.8), seed=1))
    relations = [[one.field(int(row), 7) for row in one.rows] for one in (gold, output)]
    counted, words = Counter(zip(*relations, strict=True)), Counter(relations[0])
    result = tg.breakdown(gold, {"mine": output}, confusion="deprel")
    spec = result.plot()
    rows = spec["data"]["values"]
    drawn = sorted(words, key=lambda name: (-words[name], name))[: scores.MOST_VALUES]
    assert {(row["gold"], row["system"]): row["count"] for row in rows} == {
        pair: count for pair, count in counted.items() if {*pair} <= {*drawn}
    }
    assert all(row["share"] == pytest.approx(100 * row["count"] / words[row["gold"]]) for row in rows)
    assert {row["words"] >= scores.SURE for row in rows} == {True, False}
    shades = spec["layer"][0]["encoding"]["opacity"]
    assert [one["value"] for one in shades["condition"]] == [1, 0.25] and shades["value"] == 0.55
    result.save(tmp_path / "x.svg")
    assert "What is confused with what" in (tmp_path / "x.svg").read_text()
