"""One sentence: its words, comments and text, drawn and as it stands."""

from xml.etree import ElementTree

import pytest

from treegauge.core.errors import ChoiceError
from treegauge.treebanks.data.conllu import parse_conllu

from .texts import chain, conllu, row

LINES = [
    "# newdoc id = d1",
    "# sent_id = d1-1",
    "# text = x = y, zum  Haus ",
    "#empty=",
    "#",
    "# just words",
    row("1-2", "zum"),
    row(1, "zu", 3, "case"),
    row(2, "dem", 3, "det"),
    row("2.1", "e", deps="3:dep"),
    row(3, "Haus", 0, "root", misc="SpaceAfter=No"),
]
TEXT = conllu(LINES, chain("b", "<&>"))
TREEBANK = parse_conllu(TEXT)
ONE, TWO = TREEBANK


def test_words():
    assert ONE.form == ["zu", "dem", "Haus"]
    assert ONE.head.tolist() == [3, 3, 0]
    assert ONE.deprel == ["case", "det", "root"]
    assert ONE.upos == ["_"] * 3
    assert ONE.column("misc") == ["_", "_", "SpaceAfter=No"]
    assert (len(ONE), len(TWO)) == (3, 2)
    with pytest.raises(ChoiceError, match="id, form, lemma"):
        ONE.column("word")


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_comments(end):
    one, two = parse_conllu(TEXT.replace("\n", end))
    assert one.comment_lines == LINES[:6]
    assert one.metadata == {"newdoc id": "d1", "sent_id": "d1-1", "text": "x = y, zum  Haus", "empty": ""}
    assert one.id == "d1-1"
    assert (two.comment_lines, two.metadata, two.id) == ([], {}, None)
    assert one.treebank.metadata("sent_id") == ["d1-1", None]


def test_text():
    assert ONE.text == "x = y, zum  Haus"
    assert TWO.text == "b <&>"


def test_how_a_sentence_shows_itself():
    assert repr(ONE) == "<Sentence d1-1: x = y, zum  Haus>"
    assert repr(TWO) == "<Sentence 1: b <&>>"
    assert ONE.conllu + TWO.conllu == TEXT
    drawn = str(ONE)
    for word in ("zu", "dem", "Haus", "case", "det", "root"):
        assert word in drawn
    labels = [text for one in ElementTree.fromstring(TWO._repr_svg_()).iter() if (text := one.text)]
    assert {"b", "<&>", "root", "dep"} <= {label.strip() for label in labels}


def test_sentences_are_equal_where_their_treebanks_and_numbers_are():
    assert parse_conllu(TEXT)[1] == TWO
    assert ONE != TWO
    assert len({ONE, TWO, parse_conllu(TEXT)[0]}) == 2


def test_sentences_of_a_slice():
    assert [one.conllu for one in TREEBANK[::-1]] == [TWO.conllu, ONE.conllu]
    assert TREEBANK[1:][0].form == TWO.form
    assert TREEBANK[::-1].metadata("sent_id") == [None, "d1-1"]
