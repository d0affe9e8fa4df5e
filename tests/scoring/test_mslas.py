"""MSLAS of trees of content nodes, counted by hand."""

import json

import numpy as np
import pytest

import treegauge as tg
from treegauge.core.errors import TreegaugeError
from treegauge.scoring.metrics.mslas import feature_f1, node_counts, read_nodes

from .oracle import conllu, ok, row


def node(number, form, head, relation, feats):
    return row(number, form, head, relation, feats=feats)


def function(number, form):
    return row(number, form)


GOLD = [
    node(1, "dogs", 3, "nsubj", "Number=Plur|Definite=Ind"),
    function(2, "will"),
    node(3, "bark", 0, "root", "Tense=Fut|VerbForm=Fin"),
    function(4, "at"),
    node(5, "there", 3, "advmod:x", "|"),
    node("5.1", "_", 3, "obj", "Person=3"),
]


def changed(number: int, line: str) -> list[str]:
    return [line if i == number else old for i, old in enumerate(GOLD)]


def counted(system: list[str], gold: list[str] = GOLD) -> list[float]:
    sides = [[one.nodes for one in read_nodes(conllu(side), "x")] for side in (gold, system)]
    return node_counts(*sides)[0].tolist()


@pytest.mark.parametrize(
    ("system", "expected"),
    [
        (GOLD, [4, 4, 4, 4, 4]),
        # one feature of two is other: F1 is 1/2
        (changed(0, node(1, "dogs", 3, "nsubj", "Number=Sing|Definite=Ind")), [4, 4, 3.5, 4, 3.5]),
        # a feature more: 2 * 2 / (2 + 3)
        (changed(2, node(3, "bark", 0, "root", "Tense=Fut|VerbForm=Fin|Mood=Ind")), [4, 4, 3.8, 4, 3.8]),
        # what UD does not list as universal does not count
        (changed(2, node(3, "bark", 0, "root", "Tense=Fut|VerbForm=Fin|Own=1")), [4, 4, 4, 4, 4]),
        # an incorrect relation costs the features of the node, too; subtypes do not count
        (changed(0, node(1, "dogs", 3, "obj", "Number=Plur|Definite=Ind")), [4, 4, 3, 3, 4]),
        (changed(4, node(5, "there", 3, "advmod", "|")), [4, 4, 4, 4, 4]),
        # none against some
        (changed(4, node(5, "there", 3, "advmod", "Case=Loc")), [4, 4, 3, 4, 3]),
        # an abstract node that is missing costs itself only
        (GOLD[:5], [4, 3, 3, 3, 3]),
        # a function word that is given features is a node more: from the end, two are aligned
        (changed(1, node(2, "will", 3, "aux", "Tense=Fut")), [4, 5, 3, 3, 3]),
    ],
)
def test_hand_counted_nodes(system, expected):
    assert counted(system) == pytest.approx(expected)


def test_alignment_is_from_the_start_or_from_the_end():
    gold = [node(1, "a", 2, "nsubj", "|"), node(2, "b", 0, "root", "|"), node(3, "c", 2, "obj", "|")]
    extra = [node(1, "x", 3, "dep", "|"), node(2, "a", 3, "nsubj", "|"),
             node(3, "b", 0, "root", "|"), node(4, "c", 3, "obj", "|")]  # fmt: skip
    assert counted(extra, gold) == [3, 4, 3, 3, 3]  # from the end all are correct
    late = [*gold, node(4, "x", 2, "dep", "|")]
    assert counted(late, gold) == [3, 4, 3, 3, 3]  # from the start


def test_features():
    assert feature_f1({}, {}) == 1
    assert feature_f1({}, {"Case": "Nom"}) == feature_f1({"Case": "Nom"}, {}) == 0
    assert feature_f1({"Case": "Ine;Atr"}, {"Case": "Ine"}) == 0


@pytest.fixture
def written(tmp_path):
    random = np.random.default_rng(0)
    gold, systems = [], {"good": [], "poor": []}
    for _ in range(60):
        gold.append(GOLD)
        for name, rate in (("good", 0.1), ("poor", 0.5)):
            wrong = random.random() < rate
            systems[name].append(changed(0, node(1, "dogs", 3, "obj", "|")) if wrong else GOLD)
    paths = {}
    for name, sentences in {"gold": gold, **systems}.items():
        paths[name] = str(tmp_path / f"{name}.conllu")
        (tmp_path / f"{name}.conllu").write_text(conllu(*sentences), "utf-8")
    return paths, {name: sum(one is not GOLD for one in own) for name, own in systems.items()}


def test_scores_have_intervals_and_tests(cli, written):
    files, wrong = written
    words = [files["gold"], files["good"], files["poor"]]
    found = json.loads(ok(cli(*words, "--metric", "MSLAS", "--format", "json")))
    for one in found["systems"]:
        bad = wrong[one["system"]]
        assert one["metrics"]["MSLAS"]["f1"] == pytest.approx(100 * (240 - bad) / 240)
        assert one["metrics"]["NodeLAS"]["f1"] == pytest.approx(100 * (240 - bad) / 240)
        low, high = one["metrics"]["MSLAS"]["interval"]
        assert low < one["metrics"]["MSLAS"]["f1"] < high
    (pair,) = found["comparisons"]["rows"]
    assert pair["metric"] == "MSLAS"
    assert pair["p_corrected"] < 0.001
    assert "|trees:msp25|errors:strict|" in found["signature"]
    text = ok(cli(*words, "--metric", "MSLAS,NodeLAS"))
    assert text.split("\n")[2].startswith("MSLAS")
    latex = ok(cli(*words, "--metric", "MSLAS,NodeLAS", "--format", "latex"))
    assert "system & MSLAS & NodeLAS" in latex
    assert r"\dag" in latex


def test_mistakes(cli, written, tmp_path, treebanks):
    files, _ = written
    for words, message in (
        ([files["gold"], files["good"], "--metric", "MSLAS,LAS"], "of trees of content nodes; score LAS apart"),
    ):
        code, _, said = cli(*words)
        assert code == 2
        assert message in said
    for lines, message in (
        ([node(1, "a", 7, "root", "|")], "bad.conllu:1: a node with features has the head '7'"),
        ([node(1, "a", 0, "root", "|"), node(2, "b", 0, "root", "|")], "has 2 roots"),
        ([node(1, "a", 0, "root", "Case")], "found feature 'Case'"),
        (["1\ta"], "found 2 columns, expected 10"),
    ):
        path = tmp_path / "bad.conllu"
        path.write_text(conllu(lines), "utf-8")
        code, _, said = cli(files["gold"], str(path), "--metric", "MSLAS")
        assert code == 2
        assert message in said
    short = tmp_path / "short.conllu"
    short.write_text(conllu(GOLD), "utf-8")
    assert "gold has 60 sentences and the system 1" in cli(files["gold"], str(short), "--metric", "MSLAS")[2]
    with pytest.raises(TreegaugeError, match="scored from files"):
        tg.score(treebanks["gold"], treebanks["good"], metric="MSLAS")
