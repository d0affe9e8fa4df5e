"""``treegauge difficulty`` and ``tg.difficulty``."""

import json
from functools import partial

import pytest

import treegauge as tg
from treegauge.core.errors import TreegaugeError

information = partial(tg.difficulty, measure="vinfo")
lengths = partial(tg.difficulty, measure="mdl")

FAST = ("--option", "bits=16", "--option", "label_bits=12", "--epochs", 2)
QUICK = {"epochs": 2, "option": {"bits": 16, "label_bits": 12}}


def test_the_command(command, folders, tmp_path):
    args = ("difficulty", *folders, *FAST, "--orders", 1, "--blocks", "5,10")
    done = command(*args, "--format", "json", "--plot", tmp_path / "t.json")
    shown = json.loads(done.out)
    assert [row["treebank"] for row in shown["rows"]] == ["UD_Syn-A", "UD_Syn-B"]
    assert all(row["arc_mdl"] > 0 for row in shown["rows"])
    assert sorted(row["rank"] for row in shown["ranks"]["rows"]) in ([1, 2], [1, 1])


def test_measures_are_those_of_the_other_verbs(folders, tmp_path):
    (row,) = tg.difficulty(folders[0], orders=1, blocks="5,10", seeds=2, **QUICK).table.to_dicts()
    mapped = tg.map(folders[0], seeds=2, **QUICK)[0].values
    assert row["arc_conf"] == pytest.approx(mapped["head"]["confidence"])
    assert row["rel_var"] == pytest.approx(mapped["relation"]["variability"])
    assert row["arc_vinfo"] == pytest.approx(information(folders[0], seeds=2, **QUICK)[0].values["head"])
    length = lengths(folders[0], orders=1, blocks=[5, 10], **QUICK)[0].values
    assert row["rel_mdl"] == pytest.approx(length["relation"]["bits_per_word"])
    parsed = tg.map(folders[0], split="dev", seeds=2, **QUICK)
    assert row["las"] == pytest.approx(parsed.table["LAS"][0])


def test_scores_under_another_convention_say_so(folders):
    table = tg.difficulty(*folders, orders=0, convention="challenges", **QUICK)
    assert "las[challenges]" in table.table.columns
    assert "las[challenges]" in table.attached["ranks"].table.columns
    assert "punct:no" in table.signature


def test_one_parser_at_a_time(folders):
    with pytest.raises(TreegaugeError, match="needs one parser, got 2"):
        tg.difficulty(folders[0], parser=["mst", "mst ending=1"], orders=0, **QUICK)


def test_a_parameter_of_another_measure_is_refused(folders):
    for measure, name, value in (("vinfo", "orders", 2), ("mdl", "null", "upos")):
        with pytest.raises(TreegaugeError, match=f"{name} says nothing about measure {measure}"):
            tg.difficulty(folders[0], measure=measure, **{name: value}, **QUICK)
