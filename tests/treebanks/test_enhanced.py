"""Enhanced dependencies read word by word, and told about where they are malformed."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from udtools import udeval

from studies.treebanks import treebank_files
from treegauge.testing.synthetic import synthetic
from treegauge.treebanks.data.columns import concat
from treegauge.treebanks.data.conllu import parse_conllu, read_conllu
from treegauge.treebanks.data.relations import Edge, check_deps, parse_deps

from .texts import conllu, row


@pytest.mark.parametrize(
    ("deps", "edges"),
    [
        ("_", []),
        ("", []),
        ("0:root", [Edge(0, ("root",))]),
        ("2:nsubj|12:conj:and", [Edge(2, ("nsubj",)), Edge(12, ("conj:and",))]),
        ("3:conj>nsubj:pass", [Edge(3, ("conj", "nsubj:pass"))]),
        ("1:x|1:x", [Edge(1, ("x",)), Edge(1, ("x",))]),
        ("5.1:obj|2:y", [Edge(2, ("y",))]),
        ("0.1:obj", []),
        ("02:x", [Edge(2, ("x",))]),
        ("+2:x", [Edge(2, ("x",))]),
        ("２:x", [Edge(2, ("x",))]),
        (" 2 :x", [Edge(2, ("x",))]),
        ("9" * 10 + ":x", [Edge(2**31 - 1, ("x",))]),
    ],
)
def test_edges(deps, edges):
    assert parse_deps(deps) == edges


@pytest.mark.parametrize(
    "deps", ["2", "x:y", ":x", "-1:x", "2:x|", "|", "2:x||3:y", "2.:x", ".1:x", "1.2.3:x", "+:x", "9" * 5000 + ":x"]
)
def test_malformed(deps):
    assert parse_deps(deps) is None


def test_real_edges_are_those_of_the_official_script(ud):
    """It gives heads as text and relations as lists of steps; so do we but for empty nodes."""
    files = treebank_files("*-ud-test.conllu")
    values = {value for path in files for value in read_conllu(path).codes("deps").values}
    assert len(values) > 500
    for value in values:
        theirs = udeval.process_enhanced_deps(value)
        plain = [(int(head), tuple(steps)) for head, steps in theirs if "." not in head]
        assert [tuple(edge) for edge in parse_deps(value)] == plain


@settings(max_examples=150, deadline=None)
@given(st.text(st.sampled_from("0123456789.:|>_x "), max_size=14))
def test_what_the_script_reads_we_read_or_call_malformed(value):
    edges = parse_deps(value)
    if edges:
        theirs = udeval.process_enhanced_deps(value)
        plain = [(int(head), tuple(steps)) for head, steps in theirs if "." not in head]
        assert [tuple(edge) for edge in edges] == plain


def test_checking():
    text = conllu(
        ["# sent_id = a", row("1-2", "xy"), row(1, "x", 2, deps="2:a"), row(2, "y", 0, deps="3:b")],
        [row(1, "z", 0, deps="0:root|1.1:x"), row("1.1", deps="nonsense")],
        ["# sent_id = c", row(1, "v", 0, deps="nonsense" * 20)],
    )
    found = list(check_deps(parse_conllu(text), "f"))
    assert [(p.line, p.sent_id, p.sentence) for p in found] == [(4, "a", 0), (10, "c", 2)]
    assert found[0].found == "DEPS '3:b' in a sentence of 2 words"
    assert len(found[1].found) < 110
    assert {problem.level for problem in found} == {"warning"}
    part = parse_conllu(text)[2:]
    assert [problem.line for problem in check_deps(part, "f")] == [10]


def test_sound_treebanks_have_no_such_problem():
    treebank = concat([synthetic(50, seed=1), parse_conllu(conllu([row(1, "a", 0)]))])
    assert any(value != "_" for value in treebank["deps"])
    assert list(check_deps(treebank, "f")) == []
