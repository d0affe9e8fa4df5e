"""Votes, oracles, and errors that systems share."""

import csv
import io
from itertools import product

import numpy as np
import pytest

import treegauge as tg
from treegauge.core.errors import ChoiceError, TreegaugeError
from treegauge.scoring.alignment.align import align
from treegauge.scoring.classes.confusion import error_overlap
from treegauge.scoring.metrics.correct_words import correct_words
from treegauge.scoring.vote import voted
from treegauge.treebanks.data import trees
from treegauge.treebanks.data.conllu import read_conllu

from .oracle import conllu, ok, row
from .perturb import perturb


@pytest.fixture(scope="module")
def three(invented):
    return {
        name: tg.parse_conllu(perturb(invented["gold"], "annotation", seed=s, rate=0.2), name=name)
        for s, name in enumerate("abc")
    }


@pytest.fixture(scope="module")
def combined(treebanks, three):
    return tg.vote(treebanks["gold"], three)


def sentence(*heads, relation="dep"):
    lines = [row(i, f"w{i}", head=h, deprel="root" if h == 0 else relation) for i, h in enumerate(heads, 1)]
    return tg.parse_conllu(conllu(lines))


def test_the_majority_wins_and_the_result_is_a_tree():
    parses = {"a": sentence(2, 0, 2), "b": sentence(2, 0, 2), "c": sentence(0, 3, 1)}
    assert voted(parses).head.tolist() == [2, 0, 2]
    assert voted(parses, ["c=3"]).head.tolist() == [0, 3, 1]
    # Word by word, 1 is the head of 2 and 2 of 1: a circle, which no tree may have.
    parses = {"a": sentence(2, 0, 2), "b": sentence(0, 1, 2), "c": sentence(2, 3, 0), "d": sentence(3, 1, 0)}
    made = voted(parses)
    assert trees.is_tree(made.head, made.offsets).all()

    def votes(heads):
        return sum(int(one.head[i] == h) for one in parses.values() for i, h in enumerate(heads))

    best = max(
        votes(heads)
        for heads in product(range(4), repeat=3)
        if trees.is_tree(np.array(heads, np.int32), np.array([0, 3], np.int32))[0]
    )
    assert votes(made.head.tolist()) == best


def test_ties_go_to_the_first_system():
    parses = {"a": sentence(2, 0, relation="obj"), "b": sentence(0, 1, relation="nsubj")}
    assert voted(parses) == parses["a"]
    assert voted(dict(reversed(parses.items()))) == parses["b"]


def test_relations_are_those_of_most_systems_with_the_arc():
    parses = {str(i): sentence(2, 0, relation=one) for i, one in enumerate(("obj", "obl", "obl"))}
    assert voted(parses)["deprel"].to_list() == ["obl", "root"]


def test_a_vote_is_scored_like_any_system(treebanks, three, combined):
    assert combined.treebank == voted(three)
    assert (combined.treebank.name, combined.kind) == ("voted", "combination")
    scores = tg.score(treebanks["gold"], {**three, "voted": combined.treebank}, resamples=0)
    assert combined.rows[1]["LAS"] == pytest.approx(scores["voted"]["LAS"].f1)
    assert scores["voted"]["LAS"].f1 > max(scores[name]["LAS"].f1 for name in "abc")


def test_oracles_choose_by_word_and_by_sentence(treebanks, three, combined):
    rows = {one["combination"]: one for one in combined.rows}
    gold = treebanks["gold"]
    scores = tg.score(gold, three, resamples=0)
    for metric in ("UAS", "LAS"):
        masks = [correct_words(align(gold, one)).mask(metric) for one in three.values()]
        by_word = sum(any(mask[i] for mask in masks) for i in range(gold.n_words))
        assert rows["oracle by word"][metric] == pytest.approx(100 * by_word / gold.n_words)
        by_sentence = sum(
            max(int(mask[start:stop].sum()) for mask in masks)
            for start, stop in zip(gold.offsets[:-1], gold.offsets[1:], strict=True)
        )
        assert rows["oracle by sentence"][metric] == pytest.approx(100 * by_sentence / gold.n_words)
        best = max(scores[name][metric].f1 for name in "abc")
        assert rows["oracle by word"][metric] >= rows["oracle by sentence"][metric] >= best


def test_the_vote_is_written(cli, files, tmp_path):
    target = tmp_path / "voted.conllu"
    words = [files["gold"], files["good"], files["poor"], files["again"]]
    code, text, said = cli(*words, "--out", str(target), verb="vote")
    assert code == 0
    assert said.endswith(f"wrote {target}\n")
    assert "oracle by word" in text
    parses = {name: read_conllu(files[name]) for name in ("good", "poor", "again")}
    assert read_conllu(target) == voted(parses)
    heavy = ok(cli(*words, "--votes", "poor=9", verb="vote")).split("\n")
    alone = tg.score(files["gold"], files["poor"], resamples=0).systems[0]
    assert heavy[3].split() == ["voted", *(f"{alone[name].f1:.2f}" for name in ("UAS", "LAS"))]


def test_mistakes(cli, files, treebanks):
    two = [files["gold"], files["good"], files["poor"]]
    for words, message in (
        ([*two, "--votes", "best=2"], "system to weigh"),
        ([*two, "--votes", "good=much"], "expected NAME=WEIGHT"),
        (two[:2], "needs at least two systems; got 1"),
        ([*two, files["cut"]], "are not of the same sentences"),
        ([two[0], f"voted={two[1]}", two[2]], "give the system another one"),
    ):
        code, _, said = cli(*words, verb="vote")
        assert code == 2, words
        assert message in said
    with pytest.raises(ChoiceError):
        voted({"a": treebanks["good"], "b": treebanks["poor"]}, ["c=1"])
    with pytest.raises(TreegaugeError):
        error_overlap({"a": align(treebanks["gold"], treebanks["good"])}, best=3)


# --------------------------------------------------------------------------------------- overlap


def test_errors_of_all_and_of_one():
    gold = sentence(2, 0, 2, 3)
    a, b = sentence(2, 0, 2, 2), sentence(3, 0, 2, 2)
    found = error_overlap({"a": align(gold, a), "b": align(gold, b)}, best=2)
    assert {name: found.words[columns].tolist() for name, columns in found.groups.items()} == {
        "all systems": [3], "only a": [], "only b": [0],
    }  # fmt: skip
    assert [one["errors"] for one in found.summary()] == [1, 2]
    assert [one["only its own"] for one in found.summary()] == [0, 1]
    rows = found.table.to_dicts()
    assert [(one["wrong"], one["form"], one["gold"], one["b"]) for one in rows] == [
        ("all systems", "w4", "dep of w3", "dep of w2"),
        ("only b", "w1", "dep of w2", "dep of w3"),
    ]


def test_the_best_systems_are_compared(treebanks):
    alignments = {name: align(treebanks["gold"], treebanks[name]) for name in ("poor", "good", "cut")}
    found = error_overlap(alignments, best=2)
    order = sorted(alignments, key=lambda name: correct_words(alignments[name]).relations.sum())
    assert list(found.systems) == order[::-1][:2]


def test_counts_add_up(three, treebanks):
    broken = tg.breakdown(treebanks["gold"], three, overlap=3)
    found = broken.attached["overlap"]
    fields = found.json_fields()
    assert sum(one["words"] for one in fields["by_number_of_systems"]) == treebanks["gold"].n_words
    errors = sum(one["errors"] for one in fields["summary"])
    assert sum(one["systems"] * one["words"] for one in fields["by_number_of_systems"]) == errors
    text = str(broken)
    assert "systems that are wrong" in text
    assert text.count("\nonly a ") == 5


def test_csv_lists_the_words(cli, files):
    words = [files["gold"], files["good"], files["poor"], "--overlap", "2", "--format", "csv"]
    rows = list(csv.DictReader(io.StringIO(ok(cli(*words, verb="breakdown")))))
    code, _, said = cli(*words[:3], "--overlap", "1", verb="breakdown")
    assert code == 2 and "at least two systems" in said
    assert {one["wrong"] for one in rows} == {"all systems", "only good", "only poor"}
    assert set(rows[0]) >= {"sent_id", "word", "form", "gold", "good", "poor"}
