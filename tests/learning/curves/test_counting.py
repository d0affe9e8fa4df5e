"""Correct words by class, against plain loops and the scorer."""

from collections import Counter

import numpy as np
import polars as pl
import pytest

from treegauge.core.errors import ChoiceError, TreegaugeError
from treegauge.learning.curves.class_counts import Parse, count_attachments
from treegauge.scoring.classes.class_scores import class_scores
from treegauge.scoring.evaluation import evaluate
from treegauge.scoring.metrics.convention import CONVENTIONS
from treegauge.scoring.metrics.correct_words import PAPER_CLASSES
from treegauge.scoring.metrics.registry import metric_label
from treegauge.scoring.settings import ScoreOptions
from treegauge.testing.synthetic import synthetic
from treegauge.treebanks.data.conllu import parse_conllu

GOLD = parse_conllu(
    "1\tthe\t_\tDET\t_\t_\t2\tdet\t_\t_\n"
    "2\tcat\t_\tNOUN\t_\t_\t3\tnsubj\t_\t_\n"
    "3\tsat\t_\tVERB\t_\t_\t0\troot\t_\t_\n"
    "4\tdown\t_\tADV\t_\t_\t3\tadvmod:lmod\t_\t_\n"
    "5\t.\t_\tPUNCT\t_\t_\t3\tpunct\t_\t_\n\n"
)


def shuffled(gold, seed):
    """Give half of the sentences a chain for a tree, and some words the relation dep."""
    rng = np.random.default_rng(seed)
    chained = (rng.random(len(gold)) < 0.5)[gold.sentence_of]
    heads = np.where(chained, gold.positions - 1, gold.head)
    labels = np.where(rng.random(gold.n_words) < 0.3, "dep", gold["deprel"].to_numpy())
    labels = np.where(heads == 0, "root", np.where(labels == "root", "dep", labels))
    return pl.DataFrame({"head": heads.astype(np.int32), "deprel": labels})


CHALLENGES = CONVENTIONS["challenges"]


def test_the_papers_classes_count_roots_as_head_right_and_no_punctuation():
    words = pl.DataFrame({"head": [2, 3, 0, 2, 3]})
    found = count_attachments(
        GOLD, [Parse("p", 5, 0, words)], by=PAPER_CLASSES, metric="UAS", convention=CHALLENGES, name="UD_A-B"
    )
    assert found.table.select("class", "correct", "total").rows() == [
        ("all", 3, 4),
        ("ADV × head left", 0, 1),
        ("DET × head right", 1, 1),
        ("NOUN × head right", 1, 1),
        ("VERB × head right", 1, 1),
    ]
    assert found.table["treebank"].unique().to_list() == ["UD_A-B"]
    assert "m:UAS[challenges]|by:upos,binary-direction|tb:text#" in found.signature
    assert found.table["metric"].unique().to_list() == ["UAS[challenges]"]


def test_las_compares_universal_relations():
    words = pl.DataFrame({"head": [2, 3, 0, 3, 3], "deprel": "det obj root advmod punct".split()})
    found = count_attachments(GOLD, [Parse("p", 5, 0, words)], metric="las", by="relation")
    rows = dict(found.table.select("class", "correct").rows())
    assert rows == {"all": 4, "det": 1, "nsubj": 0, "root": 1, "advmod": 1, "punct": 1}


@pytest.mark.parametrize("by", ["upos,direction", "relation", "distance", "depth"])
@pytest.mark.parametrize("metric", ["UAS", "LAS"])
def test_counts_are_those_of_the_breakdown(by, metric):
    gold = synthetic(60, seed=3)
    words = shuffled(gold, 1)
    system = gold.with_columns({"head": words["head"], "deprel": words["deprel"]})
    found = count_attachments(gold, [Parse("p", 5, 0, words)], by=by, metric=metric)
    ours = {row["class"]: (row["correct"], row["total"]) for row in found.table.to_dicts()}
    theirs = class_scores(gold, system, by=by, metric=metric).table.filter(pl.col("gold") > 0)
    del ours["all"]
    assert ours == {row["class"]: (row["correct"], row["gold"]) for row in theirs.to_dicts()}


@pytest.mark.parametrize("convention", CONVENTIONS.values(), ids=CONVENTIONS)
def test_the_whole_is_the_scorers_score_to_the_last_count(convention):
    gold = synthetic(80, seed=5)
    words = shuffled(gold, 2)
    system = gold.with_columns({"head": words["head"], "deprel": words["deprel"]})
    options = ScoreOptions(convention=convention, resamples=0)
    scores = evaluate(gold, system, options=options).systems[0]
    for metric in ("UAS", "LAS"):
        parse = Parse("p", 5, 0, words)
        row = count_attachments(gold, [parse], metric=metric, convention=convention).table.row(0, named=True)
        assert (row["correct"], row["total"]) == (scores[metric].correct, scores[metric].gold)
        assert row["metric"] == metric_label(metric, convention)


def test_classes_part_the_words():
    gold = synthetic(50, seed=4)
    parses = [Parse("p", size, 0, shuffled(gold, size)) for size in (5, 10)]
    for _, cell in count_attachments(gold, parses).table.group_by("size"):
        whole = cell.filter(pl.col("class") == "all").row(0, named=True)
        rest = cell.filter(pl.col("class") != "all")
        assert rest["correct"].sum() == whole["correct"]
        assert rest["total"].sum() == whole["total"]


def test_a_class_of_ones_own():
    def long(treebank):
        return treebank["form"].str.len_chars() > 3

    found = count_attachments(GOLD, [Parse("p", 5, 0, GOLD)], by=long)
    assert Counter(found.table["class"].to_list()) == Counter(["all", "False", "True"])


@pytest.mark.parametrize(
    ("words", "metric", "message"),
    [
        (pl.DataFrame({"head": [1, 2]}), "UAS", "2 words were parsed; expected the 5"),
        (pl.DataFrame({"h": [0] * 5}), "UAS", "no column 'head'; got h"),
        (pl.DataFrame({"head": [0] * 5}), "LAS", "no column 'deprel'"),
    ],
)
def test_tables_that_do_not_fit_are_refused(words, metric, message):
    with pytest.raises(TreegaugeError, match=message):
        count_attachments(GOLD, [Parse("p", 5, 0, words)], metric=metric)


def test_las_of_trees_without_relations_is_refused():
    bare = pl.DataFrame({"head": GOLD.head, "deprel": ["dep", "dep", "root", "dep", "dep"]})
    assert count_attachments(GOLD, [Parse("p", 5, 0, bare)], metric="UAS").table["correct"][0] == 5
    with pytest.raises(TreegaugeError, match="p, size 5, sample 0: the trees have no relations"):
        count_attachments(GOLD, [Parse("p", 5, 0, bare)], metric="LAS")
    gold = GOLD.with_columns({"deprel": ["dep", "dep", "root", "dep", "dep"]})
    assert count_attachments(gold, [Parse("p", 5, 0, bare)], metric="LAS").table["correct"][0] == 5


def test_unknown_metrics_and_reserved_names_are_refused():
    with pytest.raises(ChoiceError, match="unknown metric over words 'CLAS'"):
        count_attachments(GOLD, [Parse("p", 5, 0, GOLD)], metric="CLAS")
    with pytest.raises(TreegaugeError, match="may not be called 'all'"):
        count_attachments(GOLD, [Parse("p", 5, 0, GOLD)], by=lambda treebank: ["all"] * treebank.n_words)
    with pytest.raises(TreegaugeError, match="no parses"):
        count_attachments(GOLD, [])
