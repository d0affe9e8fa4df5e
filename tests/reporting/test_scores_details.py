"""The confusions of a page add up to the errors that LAS counts."""

import pytest

from treegauge.reporting.sections.scores_details import (
    mean_confusions,
    relation_confusions,
    system_confusions,
    tag_confusions,
)
from treegauge.scoring.alignment.align import align
from treegauge.scoring.classes.confusion import confusion
from treegauge.scoring.metrics.convention import Convention
from treegauge.scoring.metrics.correct_words import correct_words
from treegauge.testing.simulated_parser import Accuracy, simulated_parse
from treegauge.testing.synthetic import synthetic
from treegauge.treebanks.data.conllu import parse_conllu

ROWS = [
    ("The", "DET", 2, "det"),
    ("dogs", "NOUN", 3, "nsubj"),
    ("chased", "VERB", 0, "root"),
    ("a", "DET", 5, "det"),
    ("cat", "NOUN", 3, "obj:dir"),
    (".", "PUNCT", 3, "punct"),
]


def treebank(changes=None):
    rows = [(changes or {}).get(i, row) for i, row in enumerate(ROWS, 1)]
    lines = [f"{i}\t{form}\t_\t{upos}\t_\t_\t{head}\t{rel}\t_\t_" for i, (form, upos, head, rel) in enumerate(rows, 1)]
    return parse_conllu("\n".join([*lines, "", ""]), name="a")


def confusion_data(alignment, convention):
    return {of: one.data() for of, one in system_confusions(alignment, convention).items()}


def cells(found):
    names = [*found["names"], None]
    return {(names[g], names[s]): (count, heads) for g, s, count, heads in found["cells"]}


def test_several_runs_of_a_system_are_means():
    """A word that one of two runs gets wrong counts as half an error; tags differ in the second run only."""
    runs = [
        treebank({1: ("The", "DET", 3, "det"), 2: ("dogs", "NOUN", 3, "obj")}),
        treebank({1: ("The", "DET", 3, "det"), 2: ("dogs", "VERB", 3, "iobj")}),
        treebank({1: ("The", "DET", 3, "det")}),
    ]
    found = mean_confusions([system_confusions(align(treebank(), run), Convention()) for run in runs])
    assert cells(found["relation"]) == {
        ("det", "det"): (1, 1),
        ("nsubj", "obj"): (0.3333, 0),
        ("nsubj", "iobj"): (0.3333, 0),
    }
    assert dict(zip(found["relation"]["names"], found["relation"]["words"], strict=True)) == {
        "det": 2, "nsubj": 1, "obj": 1, "punct": 1, "root": 1, "iobj": 0,
    }  # fmt: skip
    assert cells(found["upos"]) == {("NOUN", "VERB"): (0.3333, 0)}


def test_a_hand_counted_tree():
    changes = {
        1: ("The", "DET", 3, "det"),  # a wrong head
        2: ("dogs", "PROPN", 3, "obj"),  # a wrong relation and tag
        5: ("cat", "NOUN", 2, "obl"),  # both wrong
        6: (".", "PUNCT", 5, "punct"),
    }
    found = confusion_data(align(treebank(), treebank(changes)), Convention())
    assert cells(found["relation"]) == {
        ("det", "det"): (1, 1),
        ("nsubj", "obj"): (1, 0),
        ("obj", "obl"): (1, 1),
        ("punct", "punct"): (1, 1),
    }
    assert dict(zip(found["relation"]["names"], found["relation"]["words"], strict=True)) == {
        "det": 2, "nsubj": 1, "obj": 1, "punct": 1, "root": 1, "obl": 0,
    }  # fmt: skip
    assert cells(found["upos"]) == {("NOUN", "PROPN"): (1, 0)}
    without = confusion_data(align(treebank(), treebank(changes)), Convention(punct=False))
    assert ("punct", "punct") not in cells(without["relation"])
    full = confusion_data(align(treebank(), treebank(changes)), Convention(subtypes=True))
    assert ("obj:dir", "obl") in cells(full["relation"])


def test_words_that_the_system_does_not_have():
    joined = parse_conllu(
        "1\tThedogs\t_\tX\t_\t_\t2\tdep\t_\t_\n2\tchased\t_\tVERB\t_\t_\t0\troot\t_\t_\n"
        "3\ta\t_\tDET\t_\t_\t4\tdet\t_\t_\n4\tcat\t_\tNOUN\t_\t_\t2\tobj\t_\t_\n"
        "5\t.\t_\tPUNCT\t_\t_\t2\tpunct\t_\t_\n\n",
        name="b",
    )
    found = confusion_data(align(treebank(), joined), Convention())
    assert cells(found["relation"]) == {("det", None): (1, 1), ("nsubj", None): (1, 1)}
    assert "upos" not in found


@pytest.mark.parametrize("convention", [Convention(), Convention(punct=False)])
def test_cells_add_up_to_the_errors_and_agree_with_the_confusion_matrix(convention):
    gold = synthetic(40, seed=1)
    parsed = simulated_parse(gold.to_bytes().decode(), Accuracy(heads=0.8), seed=2)
    alignment = align(gold, parse_conllu(parsed))
    found = relation_confusions(alignment, convention)
    correct = correct_words(alignment, convention)
    rows = found.cells()
    assert sum(row[2] for row in rows) == correct.gold.sum() - correct.relations.sum() > 20
    assert sum(row[3] for row in rows) == correct.gold.sum() - correct.heads.sum()
    assert [row[2] for row in rows] == sorted((row[2] for row in rows), reverse=True)
    if convention.punct:
        table = confusion(alignment, of="relation").table.iter_rows()
        expected = {(gold, system): count for gold, system, count, _ in table}
        mine = {pair: n for pair, (n, _) in cells(found.data()).items() if pair[0] != pair[1]}
        assert mine == expected
    for row, examples in zip(rows, found.examples(gold, limit=10**6), strict=False):
        assert sum(len(place.words) for place in examples) == row[2]


def test_tags_that_are_all_of_gold_have_no_matrix():
    gold = synthetic(5, seed=1)
    assert tag_confusions(align(gold, gold), Convention()) is None
