"""Figures of measured treebanks hold the numbers that were measured."""

import json

import pytest

from tests.commands import invoke
from treegauge.core.errors import TreegaugeError
from treegauge.measures.measure import measure
from treegauge.measures.structure import word_dependency_entropy
from treegauge.reporting.figures.drawing import figure_json
from treegauge.reporting.figures.treebanks import displacement_spectrum, relation_spectrum
from treegauge.testing.synthetic import synthetic
from treegauge.treebanks.data.conllu import write_conllu


def test_displacements_are_the_shares_that_were_measured():
    found = measure("displacements", synthetic(80, seed=2))
    rows = displacement_spectrum(found, reach=5)["data"]["values"]
    assert {row["displacement"] for row in rows} == set(range(-5, 6)) - {0}
    for row in rows:
        assert row["share"] == found["displacements"][str(row["displacement"])]


def test_relations_are_sorted_by_entropy_and_coloured_by_class():
    treebank = synthetic(80, seed=2)
    spec = relation_spectrum(measure("wde", treebank), dark=True)
    rows = spec["data"]["values"]
    assert [row["wde"] for row in rows] == sorted(row["wde"] for row in rows)
    assert {row["relation"]: row["wde"] for row in rows} == word_dependency_entropy(treebank)
    classes = {row["relation"]: row["class"] for row in rows}
    assert classes["nsubj"] == "content"
    assert classes["case"] == "function"
    assert classes["punct"] == "other"
    assert json.loads(figure_json(spec)) == spec


def test_the_average_is_drawn_and_is_no_treebank_of_its_own():
    found = measure("wde", *(synthetic(40, seed=seed) for seed in (1, 2, 3)))
    spec = relation_spectrum(found)
    assert spec["title"]["text"].endswith("3 treebanks")
    average = next(one.value for one in found.measured if one.averaged == 3)
    for row in spec["data"]["values"]:
        assert row["wde"] == pytest.approx(average[row["relation"]], abs=1e-12)


def test_other_measures_cannot_be_drawn():
    with pytest.raises(TreegaugeError, match="expected the measure 'wde', found edv"):
        relation_spectrum(measure("edv", synthetic(9, seed=1), synthetic(9, seed=2)))


def test_the_command_writes_a_figure(tmp_path):
    write_conllu(synthetic(30, seed=1), tmp_path / "a.conllu")
    target = tmp_path / "figure.json"
    arguments = ["measure", "wde", str(tmp_path / "a.conllu"), "--plot", str(target)]
    assert invoke(arguments).exit_code == 0
    assert json.loads(target.read_text())["usermeta"]["signature"].startswith("treegauge:")
    result = invoke(["measure", "ttr,wde", str(tmp_path / "a.conllu"), "--plot", str(target)])
    assert "choices: ttr" in result.stderr
