"""Examples: the words of a class that went wrong, beside what the system made of them."""

import json

import pytest

from treegauge.core.errors import ChoiceError
from treegauge.scoring.classes.class_scores import class_scores, examples
from treegauge.treebanks.data.conllu import parse_conllu

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
CELLS = class_scores(GOLD, SYSTEM)


def test_both_analyses_of_the_wrong_words():
    found = examples(CELLS, "nsubj")
    keys = ("sentence", "sent_id", "word", "form", "upos", "relation", "head")
    ours = [tuple(line[key] for key in keys) for line in found.words()]
    assert ours == [(1, "dog", 2, "dog", "NOUN", "nsubj", "barks"), (2, None, 1, "It", "PRON", "nsubj", "barks")]
    theirs = [tuple(line[f"system_{key}"] for key in keys[4:]) for line in found.words()]
    assert theirs == [("NOUN", "obj", "barks now"), ("DET", "root", "ROOT")]
    assert found.table.height == 2
    assert json.loads(json.dumps(found.to_dict()))["rows"] == found.words()


def test_words_that_the_system_lacks():
    (line,) = examples(CELLS, "advmod").words()
    assert (line["system_upos"], line["system_relation"], line["system_head"]) == (None,) * 3
    assert "4 now: ADV, advmod of barks; system: no such word" in str(examples(CELLS, "advmod"))


def test_text_draws_the_gold_trees():
    text = str(examples(CELLS, "nsubj"))
    assert text.startswith(f"# dog: A dog barks now\n{GOLD[0]}\n  2 dog: NOUN, nsubj of barks")
    assert f"# 2: It barks\n{GOLD[1]}\n" in text
    assert text.endswith("|errors_of:nsubj|limit:5")


def test_limits_and_mistakes():
    assert len(examples(CELLS, "nsubj", limit=1).places) == 1
    none = examples(class_scores(GOLD, GOLD), "det")
    assert str(none).startswith("no word of this class is incorrect")
    assert none.table.is_empty()
    with pytest.raises(ChoiceError, match="unknown class 'obj'"):
        examples(CELLS, "obj")
