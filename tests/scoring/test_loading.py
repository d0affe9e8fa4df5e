"""Section 2 of the specification: which files are scored, and which are refused."""

import pytest
from udtools import udeval

from treegauge.core.errors import TreegaugeError
from treegauge.scoring.evaluation import evaluate
from treegauge.treebanks.data.conllu import parse_conllu
from treegauge.treebanks.data.problems import ConlluError

from .oracle import TOTALS, assert_parity, chain, conllu, four, official, ours, row

AB = chain("a", "b")
PLAIN = conllu(AB)
MULTI = [row("1-2", "ab"), row(1, "a", 2, "det"), row(2, "b", 0, "root"), row(3, "c", 2, "punct")]


def field(text: str) -> str:
    """Write a sentence with some text as its first lemma."""
    return conllu([row(1, "a", 0, "root", lemma=text), row(2, "b", 1, "obj")])


def inner(**changes: str) -> str:
    """Write a sentence with changes to the second word inside its multiword token."""
    values = {"number": "2", "form": "b", "head": "0", "deprel": "root"} | changes
    return conllu([*MULTI[:2], row(**values), MULTI[3]])


# Files that the official script scores: same counts against themselves and against `PLAIN`.
SCORED = {
    "comments before the first token": "# x\n#\n# sent_id = 1\n" + PLAIN,
    "trailing comments at the end of the file": PLAIN + "# newdoc\n# more\n",
    "CRLF": PLAIN.replace("\n", "\r\n"),
    "lone CR as a line end": PLAIN.replace("\n", "\r"),
    "U+2028 in a field": field("x\u2028y"),
    "U+0085 in a field": field("x\u0085y"),
    "vertical tab and form feed in a field": field("x\x0by\x0c"),
    "empty node": conllu([AB[0], row("1.1", "e"), AB[1]]),
    "empty node before the first word": conllu([row("0.1", "e"), *AB]),
    "ID a.b is an empty node": conllu([*AB, row("a.b", "e")]),
    "ID +2": conllu([AB[0], row("+2", "b", 1, "obj")]),
    "ID with a space": conllu([AB[0], row(" 2", "b", 1, "obj")]),
    "ID 02": conllu([AB[0], row("02", "b", 1, "obj")]),
    "ID in full-width digits": conllu([AB[0], row("２", "b", 1, "obj")]),
    "HEAD +1": conllu([AB[0], row(2, "b", "+1", "obj")]),
    "HEAD with a space": conllu([AB[0], row(2, "b", " 1", "obj")]),
    "HEAD 01": conllu([AB[0], row(2, "b", "01", "obj")]),
    "HEAD in full-width digits": conllu([AB[0], row(2, "b", "１", "obj")]),
}
# The same with a multiword token: three words over "abc".
SCORED_MULTIWORD = {
    "empty node inside a multiword token": conllu([*MULTI[:2], row("1.1", "e"), *MULTI[2:]]),
    "multiword start is wrong": conllu([row("5-6", "ab"), *MULTI[1:]]),
    "inner IDs are wrong": conllu([row("1-2", "ab"), row(7, "a", 2, "det"), row(8, "b", 0, "root"), MULTI[3]]),
    "multiword ID with odd numbers": conllu([row("+1-０2", "ab"), *MULTI[1:]]),
    "blank form inside a multiword token": inner(form="\u00a0"),
    "empty form inside a multiword token": inner(form=""),
    "odd head inside a multiword token": inner(number="9", head="+0"),
}
# What is refused on purpose: their message, our kind of problem.
REFUSED = {
    "comment after the first token": (conllu([AB[0], "# x", AB[1]]), "10 tab", "comment-inside"),
    "comment-only block": ("# x\n\n" + PLAIN, "0 tokens", "empty-sentence"),
    "double blank line": (PLAIN + "\n" + PLAIN, "0 tokens", "empty-sentence"),
    "leading blank line": ("\n" + PLAIN, "0 tokens", "empty-sentence"),
    "only empty nodes": (conllu([row("1.1", "e")]), "0 tokens", "empty-sentence"),
    "missing final blank line": (PLAIN[:-1], "end with empty", "no-final-blank-line"),
    "missing final line end": (PLAIN[:-2], "end with empty", "no-final-blank-line"),
    "lone CR in a field": (field("x\ry"), "10 tab", "columns"),
    "line with only a space": (conllu([*AB, " "]), "10 tab", "columns"),
    "nine columns": (conllu([AB[0][:-2]]), "10 tab", "columns"),
    "eleven columns": (conllu([AB[0] + "\t_"]), "10 tab", "columns"),
    "empty node with nine columns": (conllu([row("0.1", "e")[:-2], *AB]), "10 tab", "columns"),
    "BOM before a comment": ("\ufeff# x\n" + PLAIN, "10 tab", "byte-order-mark"),
    "BOM before a token": ("\ufeff" + PLAIN, "parse word ID", "byte-order-mark"),
    "multiword ID 1-x": (conllu([row("1-x", "ab"), *MULTI[1:]]), "multi-word", "multiword-id"),
    "multiword ID 1-2-3": (conllu([row("1-2-3", "ab"), *MULTI[1:]]), "multi-word", "multiword-id"),
    "negative ID": (conllu([row("-1", "a", 0, "root")]), "multi-word", "multiword-id"),
    "multiword token runs past the sentence": (
        conllu([row("1-3", "ab"), *MULTI[1:3]]),
        "unfinished MWT",
        "unfinished-multiword",
    ),
    "word ID is a letter": (conllu([row("x", "a", 0, "root")]), "parse word ID", "word-id"),
    "gap in word IDs": (conllu([AB[0], row(3, "b", 1, "obj")]), "Incorrect word", "word-id"),
    "duplicate word ID": (conllu([AB[0], row(1, "b", 1, "obj")]), "Incorrect word", "word-id"),
    "HEAD _": (conllu([AB[0], row(2, "b", "_", "obj")]), "parse HEAD", "head"),
    "HEAD 2.0": (conllu([AB[0], row(2, "b", "2.0", "obj")]), "parse HEAD", "head"),
    "HEAD -1": (conllu([AB[0], row(2, "b", -1, "obj")]), "negative", "head"),
    "HEAD -1 inside a multiword token": (inner(head="-1"), "points outside", "head"),
    "HEAD beyond the sentence": (conllu([AB[0], row(2, "b", 3, "obj")]), "outside", "head-range"),
    "self-loop": (conllu([AB[0], row(2, "b", 2, "obj")]), "cycle", "cycle"),
    "cycle": (conllu([*AB, row(3, "c", 4), row(4, "d", 3)]), "cycle", "cycle"),
    "two roots": (conllu([AB[0], row(2, "b", 0, "root")]), "multiple roots", "several-roots"),
    "empty FORM": (conllu([row(1, "", 0, "root")]), "empty FORM", "empty-form"),
    "FORM of spaces": (conllu([row(1, " \u3000", 0, "root")]), "empty FORM", "empty-form"),
    "FORM of a multiword token of spaces": (conllu([row("1-2", "\u2009"), *MULTI[1:]]), "empty FORM", "empty-form"),
}
# Where the official script stops by accident.
ACCIDENTS = {
    "invalid UTF-8": (PLAIN.encode() + b"# \xff\n", UnicodeDecodeError, "encoding"),
    "surrogate in UTF-8": (b"# \xed\xa0\x80\n" + PLAIN.encode(), UnicodeDecodeError, "encoding"),
    "HEAD _ inside a multiword token": (inner(head="_"), ValueError, "head"),
    "HEAD 2.0 inside a multiword token": (inner(head="2.0"), ValueError, "head"),
}


@pytest.mark.parametrize("data", SCORED.values(), ids=SCORED)
def test_scored_as_the_official_script_does(data):
    assert four(assert_parity(data, data), "Words") == (2, 2, 2, None)
    assert_parity(PLAIN, data)
    assert_parity(data, PLAIN)


@pytest.mark.parametrize("data", SCORED_MULTIWORD.values(), ids=SCORED_MULTIWORD)
def test_multiword_tokens_scored_as_the_official_script_does(data):
    assert four(assert_parity(data, data), "Words") == (3, 3, 3, None)
    assert_parity(conllu(MULTI), data)
    assert_parity(data, conllu(chain("a", "b", "c")))


def test_reversed_multiword_token_is_a_token_without_words():
    data = conllu([row("2-1", "ab"), row(1, "c", 0, "root")])
    scores = assert_parity(data, data)
    assert four(scores, "Tokens") == (2, 2, 2, None)
    assert four(scores, "Words") == (1, 1, 1, None)
    assert_parity(data, conllu(chain("a", "b", "c")))
    assert_parity(conllu(chain("a", "b", "c")), data)


@pytest.mark.parametrize(("data", "theirs", "kind"), REFUSED.values(), ids=REFUSED)
def test_refused_as_the_official_script_does(data, theirs, kind, tmp_path):
    with pytest.raises(udeval.UDError, match=theirs):
        official(data, data)
    for arguments in ((data, PLAIN), (PLAIN, data), (data, data)):
        with pytest.raises(ConlluError) as caught:
            ours(*arguments)
        assert kind in {problem.kind for problem in caught.value.problems}
    path = tmp_path / "file.conllu"
    path.write_bytes(data.encode())
    with pytest.raises(ConlluError, match=rf"file.conllu:\d+: error: .*{kind}"):
        evaluate(path, path, options=TOTALS)


@pytest.mark.parametrize(("data", "theirs", "kind"), ACCIDENTS.values(), ids=ACCIDENTS)
def test_our_own_error_where_the_official_script_leaks_one(data, theirs, kind):
    with pytest.raises(theirs):
        official(data, data)
    with pytest.raises(ConlluError) as caught:
        ours(data, data)
    assert {problem.kind for problem in caught.value.problems} == {kind}


def test_no_root_at_all_is_refused():
    data = conllu([row(1, "a", 2, "obj"), row(2, "b", 1, "obj")])
    with pytest.raises(udeval.UDError, match="cycle"):
        official(data, data)
    with pytest.raises(ConlluError, match="no-root"):
        ours(data, data)


def test_several_roots_are_scored_if_they_are_allowed():
    data = conllu([row(1, "a", 0, "root"), row(2, "b", 0, "root"), row(3, "c", 2, "obj")])
    scores = assert_parity(data, data, allow=("several-roots",), multiple_roots_okay=True)
    assert four(scores, "UAS") == (3, 3, 3, 3)
    other = conllu(chain("a", "b", "c"))
    assert_parity(data, other, allow=("several-roots",), multiple_roots_okay=True)


@pytest.mark.parametrize("length", [300, 1000, 20_000])
def test_long_chain(length):
    data = conllu([row(i, "a", (i + 1) % (length + 1), "dep") for i in range(1, length + 1)])
    if length < 500:
        assert_parity(data, data)
    else:
        with pytest.raises(RecursionError):
            official(data, data)
    assert four(ours(data, data), "LAS") == (length,) * 4


@pytest.mark.parametrize(("deps", "theirs"), [("2", ValueError), ("5:obj", IndexError), ("x:obj", ValueError)])
def test_malformed_deps_matter_only_where_enhanced_edges_are_scored(deps, theirs):
    data = conllu([row(1, "a", 0, "root", deps=deps), row(2, "b", 1, "obj")])
    with pytest.raises(theirs):
        official(data, data)
    with pytest.raises(ConlluError, match="deps: found DEPS"):
        ours(data, data, enhanced=True)
    assert four(ours(data, data), "LAS") == (2, 2, 2, 2)


def test_all_problems_are_told_at_once_with_their_lines():
    bad = [AB[0], row(2, "b", 7, "obj")], [AB[0], row(2, "b", "_", "obj")]
    data = "# sent_id = one\n" + conllu(*bad)
    with pytest.raises(ConlluError) as caught:
        ours(data, PLAIN)
    first, second = caught.value.problems
    assert (first.kind, first.line, first.sent_id) == ("head-range", 3, "one")
    assert (second.kind, second.line, second.sent_id) == ("head", 6, None)


def test_text_that_is_yet_to_be_parsed_cannot_be_scored():
    data = conllu([row(1, "a"), row(2, "b")])
    blind = parse_conllu(data, need_heads=False)
    with pytest.raises(TreegaugeError, match="2 words have no HEAD"):
        evaluate(parse_conllu(PLAIN), blind)
