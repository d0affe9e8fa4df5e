"""Words that meet conditions on gold and systems, counted by hand and on random trees."""

import numpy as np
import polars as pl
import pytest

import treegauge as tg
from studies.corrections.injected_errors import inject_errors
from treegauge.core.errors import ChoiceError, TreegaugeError
from treegauge.testing.synthetic import synthetic
from treegauge.treebanks.data.conllu import parse_conllu
from treegauge.treebanks.data.relations import universal_relation

from .oracle import conllu, row

GOLD = parse_conllu(
    "# sent_id = dog\n"
    + conllu(
        [
            row(1, "A", 2, "det", upos="DET"),
            row(2, "dog", 3, "nsubj", upos="NOUN"),
            row(3, "barks", 0, "root", upos="VERB"),
            row(4, "now", 3, "advmod", upos="ADV"),
        ],
        [row(1, "It", 2, "nsubj", upos="PRON"), row(2, "barks", 0, "root", upos="VERB")],
    ),
    name="gold",
)
# "barks now" is one token, and "It" is the root.
SYSTEM = parse_conllu(
    conllu(
        [
            row(1, "A", 2, "det", upos="DET"),
            row(2, "dog", 3, "obj", upos="NOUN"),
            row(3, "barks now", 0, "root", upos="VERB"),
        ],
        [row(1, "It", 0, "root", upos="DET"), row(2, "barks", 1, "dep", upos="VERB")],
    ),
    name="system",
)


def found(*where, systems=None, **options):
    cells = tg.breakdown(GOLD, systems or {"mine": SYSTEM, "perfect": GOLD}, where=where, **options)
    return cells.attached["found"]


def test_both_analyses_of_the_wrong_words():
    table = found("mine=wrong", "relation=nsubj").table
    assert table.select("sentence", "sent_id", "word", "form", "deprel", "head").rows() == [
        (1, "dog", 2, "dog", "nsubj", 3),
        (2, None, 1, "It", "nsubj", 2),
    ]
    # "barks now" begins with "barks", but is another token
    assert table.select("mine", "mine deprel", "mine head").rows() == [("wrong", "obj", None), ("wrong", "root", 0)]
    assert table["perfect"].to_list() == ["right"] * 2


def test_words_that_the_system_lacks():
    (line,) = found("lemma=_", "form=now").table.to_dicts()
    assert (line["mine"], line["mine deprel"], line["mine head"]) == ("missing", None, None)
    assert "4 now: advmod of barks\n    mine: no such word\n    perfect: right, advmod of barks" in str(
        found("form=now")
    )


def test_text_draws_the_gold_trees_a_page_at_a_time():
    text = str(found("mine=wrong", "relation=nsubj"))
    assert text.startswith(f"# dog: A dog barks now\n{GOLD[0]}\n  2 dog: nsubj of barks\n    mine: wrong, obj of")
    assert f"# 2: It barks\n{GOLD[1]}\n" in text
    assert "2 words in 2 sentences; sentences 1 to 2 are shown" in text
    later = str(found("mine=wrong", "relation=nsubj", skip=1))
    assert later.startswith("# 2: It barks")
    assert "no word meets all conditions" in str(found("mine=wrong", "mine=right"))


def test_random_trees_equal_an_own_count():
    gold = synthetic(200, seed=1)
    systems = {
        name: inject_errors(gold, share, seed=i).treebank for i, (name, share) in enumerate([("A", 0.2), ("B", 0.4)])
    }
    cells = tg.breakdown(gold, systems, where=["A=wrong", "B=right", "arc>=3", "upos=NOUN,VERB"])
    table = cells.attached["found"].table

    def right(system):
        same = [
            universal_relation(a) == universal_relation(b)
            for a, b in zip(system["deprel"], gold["deprel"], strict=True)
        ]
        return (system.head == gold.head) & np.array(same)

    arc = np.where(gold.head > 0, np.abs(gold.head - gold.positions), 0)
    own = ~right(systems["A"]) & right(systems["B"]) & (arc >= 3)
    own &= gold["upos"].cast(pl.String).is_in(["NOUN", "VERB"]).to_numpy()
    assert table.height == own.sum() > 10
    places = list(zip((gold.sentence_of[own] + 1).tolist(), gold.positions[own].tolist(), strict=True))
    assert table.select("sentence", "word").rows() == places
    none_right = tg.breakdown(gold, systems, where=["right=0"]).attached["found"].table
    assert none_right.height == (~right(systems["A"]) & ~right(systems["B"])).sum()


def test_conllu_marks_the_errors(tmp_path):
    cells = tg.breakdown(GOLD, {"mine": SYSTEM, "perfect": GOLD}, where=["mine=wrong"])
    cells.save(tmp_path / "errors.conllu")
    back = tg.read_conllu(tmp_path / "errors.conllu")
    assert len(back) == 2
    marks = dict(zip(back["form"].to_list(), back["misc"].to_list(), strict=True))
    assert marks["dog"] == "Wrong=mine:other:obj"
    assert marks["It"] == "Wrong=mine:0:root"
    with pytest.raises(TreegaugeError, match="say which with --where"):
        tg.breakdown(GOLD, SYSTEM).to_conllu()


def test_mistakes_in_conditions():
    with pytest.raises(ChoiceError, match=r"unknown column 'mien'; did you mean 'mine'"):
        found("mien=wrong")
    with pytest.raises(TreegaugeError, match="a system is called 'right'"):
        found("right=0", systems={"right": GOLD})
    with pytest.raises(TreegaugeError, match="expected for example"):
        found("mine")
