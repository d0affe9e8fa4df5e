"""The stream of problems: pieces, files, bytes that are not UTF-8, and what crashes elsewhere."""

import re
import time
import unicodedata
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import treegauge
from tests.validation.cases import LEVEL_1, LEVEL_2, row, sentence
from tests.validation.cases_content import LEVEL_3
from treegauge.validation.check import validate
from treegauge.validation.problems import RULES
from treegauge.validation.values import MAY_COMBINE, SLOW, character_class

GOOD = sentence("1 go VERB 0 root")
TEN_EMPTY = [f"1.{number} e X _ _ D:1:dep" for number in range(1, 11)]


@pytest.fixture
def problems(tmp_path):
    """Validate texts as the files of one treebank."""

    def found(*texts: str | bytes, **options):
        paths = []
        for number, text in enumerate(texts):
            paths.append(str(tmp_path / f"{number}.conllu"))
            Path(paths[-1]).write_bytes(text if isinstance(text, bytes) else text.encode())
        return list(validate(paths, **options))

    return found


def short(problems) -> list[tuple[int, str]]:
    return [(problem.line, problem.id) for problem in problems]


def test_kernels_number_the_rules_as_the_list_does():
    source = Path(treegauge.__file__).with_name("kernels") / "validation_rules.pxd"
    names = re.findall(r"\bR_([A-Z0-9_]+)", source.read_text())
    assert [name.lower().replace("_", "-") for name in names] == [rule.id for rule in RULES if 0 < rule.level < 4]


@pytest.mark.parametrize("chunk", [1, 300, 3000])
def test_pieces_make_no_difference(problems, chunk):
    """All cases as one file, so that sentences with problems are side by side."""
    cases = {**LEVEL_1, **LEVEL_2, **LEVEL_3}
    texts = [text for case in cases.values() for text in case.texts if "\r" not in text]
    ended = "".join(text if text.endswith("\n\n") else text.rstrip("\n") + "\n\n" for text in texts)
    whole = problems(ended)
    assert len({problem.id for problem in whole}) > 110
    # Problems that wait for the first feature come when it is read.
    assert sorted(problems(ended, chunk=chunk)) == sorted(whole)


def test_files_are_one_treebank_and_lines_start_again(problems):
    found = problems(GOOD, GOOD)
    assert [(Path(one.file).name, one.line, one.id) for one in found] == [("1.conllu", 3, "non-unique-sent-id")]


def test_problems_that_need_a_feature_wait_for_one(problems):
    pronoun = sentence("1 it PRON 0 root", sent_id="a")
    feature = sentence("1 go VERB 0 root F:Mood=Ind", sent_id="b")
    assert problems(pronoun * 3) != []
    assert "pron-det-without-prontype" not in {one.id for one in problems(pronoun)}
    for chunk in (1, 1 << 20):
        found = problems(pronoun, feature, chunk=chunk)
        assert [(Path(one.file).name, *short([one])[0]) for one in found] == [
            ("0.conllu", 3, "pron-det-without-prontype")
        ]


def test_a_problem_says_where_it_is(problems):
    text = sentence("1 né VERB 0 root", "2 je PRON 1 nsubj", sent_id="x").replace("nsubj", "Nsubj")
    (one,) = problems(text)
    assert one.to_dict() | {"file": ""} == {
        "file": "", "line": 4, "sent_id": "x", "node": "2", "form": "je", "level": 2,
        "class": "SYNTAX",
        "id": "invalid-deprel", "severity": "error", "column": 20, "end_column": 25,
        "found": "DEPREL 'Nsubj'", "expected": "a relation such as nsubj or nsubj:pass",
        "message": "found DEPREL 'Nsubj', expected a relation such as nsubj or nsubj:pass",
        "hint": "Write lower-case letters, with at most one subtype after a colon.",
    }  # fmt: skip


# What makes the official program crash is reported, and the next sentence is tested.


def test_bytes_that_are_not_utf8(problems):
    text = sentence("1 gø VERB 0 root").encode().replace(b"\xc3\xb8", b"\xf8")
    assert short(problems(text + GOOD.encode())) == [(2, "invalid-utf"), (3, "invalid-utf"), (7, "non-unique-sent-id")]


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        (["1 go VERB 0 root", "2 it NOUN 1 _"], [(4, "invalid-deprel")]),
        (["1 go VERB 0 root", "2 it _ 1 det"], [(4, "unknown-upos"), (4, "rel-upos-det")]),
        (["1 go VERB 0 root", "2 it _ 1 case"], [(4, "unknown-upos")]),
        (["1 go X 0 flat:foreign"], [(3, "0-is-not-root")]),
        (["1 go X 0 orphan"], [(3, "0-is-not-root")]),
        (["0.1 go X _ _ D:0:root"], [(3, "non-tree")]),
        (["1 go VERB 0 root D:0:root", "01.1 e X _ _ D:1:dep"], []),
        (["1 go VERB 0 root D:0:root", *TEN_EMPTY, "2 on ADV 1 advmod D:1.10:advmod"], []),
    ],
)
def test_what_crashes_elsewhere_is_reported(problems, rows, expected):
    found = problems(sentence(*rows) + sentence("1 go VERB 5 root", sent_id="s2"))
    assert short(found) == [*expected, (len(rows) + 6, "unknown-head")]


# Characters


def test_characters_that_can_combine_get_a_full_look():
    seconds = set()
    for code in range(0x110000):
        parts = unicodedata.decomposition(chr(code)).split()
        if len(parts) == 2 and not parts[0].startswith("<"):
            pair = "".join(chr(int(part, 16)) for part in parts)
            if unicodedata.normalize("NFC", pair) == chr(code):
                seconds.add(ord(pair[1]))
    assert len(seconds) > 60
    assert {code for code in seconds if character_class(code) != SLOW} == set()
    assert {code for code in seconds if code < 0x11000} <= MAY_COMBINE


_MARKS = st.sampled_from("aeé中ก\u0301\u0323\u0327\u093c\u0915\u094d\u064e\u0651\u1100\u1161\u11a8\u2000Å")


@settings(max_examples=60, deadline=None)
@given(st.lists(st.text(_MARKS | st.characters(codec="utf-8"), max_size=6), min_size=1))
def test_normal_form_as_python_sees_it(tmp_path_factory, texts):
    lines = ["# " + re.sub(r"[\r\n]", " ", text) for text in texts]
    path = tmp_path_factory.getbasetemp() / "nfc.conllu"
    path.write_text("\n".join([*lines, GOOD]), encoding="utf-8", newline="")
    found = [one.line for one in validate([str(path)]) if one.id == "unicode-normalization"]
    expected = [number for number, line in enumerate(lines, 1) if not unicodedata.is_normalized("NFC", line)]
    assert found == expected


# Time: what grows with the square of its input would take minutes


def test_the_tenth_empty_node_is_not_the_first(problems):
    lost = [*TEN_EMPTY[:-1], "1.10 e X _ _ D:1.10:dep"]
    found = problems(sentence("1 go VERB 0 root D:0:root", *lost))
    assert short(found) == [(13, "deps-self-loop"), (13, "unconnected-egraph")]


def test_a_repeated_item_of_deps_is_no_other_edge_of_a_split_word(problems):
    part = "2 on X 1 goeswith L:_ D:"
    for deps, expected in (("1:goeswith|1:goeswith", ["repeated-deps"]), ("1:dep|1:goeswith", ["goeswith-edeps"])):
        found = problems(sentence("1 go VERB 0 root F:Typo=Yes D:0:root", part + deps), level=3)
        assert [one.id for one in found if one.line == 4] == expected


def test_case_markers_may_have_letters_that_are_newer_than_python(problems):
    # Three letters and a mark of Unicode 15 to 17; no character, a capital letter, a digit.
    for character in "\u088f\U00031350\u0897\U00016ebb":
        assert short(problems(marked(character), level=2)) == []
    for character in "\U000e0080É1":
        assert short(problems(marked(character), level=2)) == [(4, "invalid-edeprel")]


def marked(character: str) -> str:
    return sentence("1 go VERB 0 root D:0:root", f"2 on ADV 1 advmod D:1:obl:a{character}")


def chain(n: int) -> str:
    rows = [row(f"{i} a X {i - 1} punct D:{i - 1}:dep") for i in range(1, n + 1)]
    return "\n".join(rows) + "\n\n"


def crossing(n: int) -> str:
    """Return a sentence in which every word but the first is punctuation that crosses the next."""
    rows = [row(f"{i} a PUNCT {max(0, i - 2)} punct") for i in range(1, n + 1)]
    return "\n".join(rows).replace("\t0\tpunct", "\t1\tpunct").replace("\t1\t", "\t0\t", 1) + "\n\n"


@pytest.mark.parametrize(
    ("text", "least"),
    [
        (chain(50_000), 50_000),
        (crossing(2_000), 2_000),
        ("x\n" * 20_000 + "\n", 20_000),
        ("\n" * 20_000, 20_000),
        (row("1 a X 0 root") + "\n" + "# x\n" * 20_000 + "\n", 20_000),
        (row("1 a X 0 root D:" + "|".join(["1:x"] * 20_000)) + "\n\n", 20_000),
        (row("1 a X 0 root M:" + "|" * 20_000) + "\n\n", 20_000),
        (GOOD * 20_000, 19_999),
    ],
    ids=["chain", "crossing", "lines", "blank", "comments", "deps", "misc", "ids"],
)
def test_large_and_broken_files_take_seconds(problems, text, least):
    start = time.process_time()
    found = Counter(one.id for one in problems(text))
    assert time.process_time() - start < 5
    assert found.total() >= least


WORDS = [
    ("word-id-sequence", ["1 a X 0 root", "2 b X 1 dep", "3 c X 1 dep", "5 d X 1 dep"],
     "ID '5' where 4 should be (line 6)"),
    ("word-id-sequence", ["1 a X 0 root", "2 b X 1 dep", "2 c X 1 dep"],
     "ID '2' where 3 should be (line 5)"),
    ("non-tree", ["1 a X 0 root", "2 b X 4 dep", "3 c X 2 dep", "4 d X 3 dep", "5 e X 4 dep"],
     "the cycle 2 'b', 4 'd', 3 'c' (each depends on the next, the last on the first)"),
    ("non-tree", ["0.1 go X _ _ D:0:root"], "no word, only empty nodes"),
    ("multiple-roots", ["1 a X 0 root", "2 b X 0 root", "3 c X 1 dep"],
     "2 words with HEAD 0: 1 'a', 2 'b'"),
]  # fmt: skip


@pytest.mark.parametrize(("rule", "words", "found"), WORDS)
def test_problems_of_a_sentence_name_its_words(tmp_path, rule, words, found):
    path = tmp_path / "a.conllu"
    path.write_text(sentence(*words))
    (one,) = [one for one in validate([str(path)]) if one.id == rule]
    assert (one.line, one.start, one.found, one.form) == (3, 1, found, None)
    assert str(one).endswith(f"{one.expected} (sent_id s1)")


def test_a_long_cycle_is_shortened_and_found_in_linear_time(tmp_path):
    n = 50_000
    heads = [*(f"{i} w X {i + 1} dep" for i in range(1, n)), f"{n} w X {n - 19} dep"]
    path = tmp_path / "a.conllu"
    path.write_text(sentence(*heads))
    (one,) = [one for one in validate([str(path)]) if one.id == "non-tree"]
    assert one.found.startswith(f"the cycle {n - 19} 'w', {n - 18} 'w', ")
    assert "'w', and 10 more (each depends" in one.found


def test_every_problem_of_a_word_names_it(tmp_path):
    path = tmp_path / "a.conllu"
    path.write_text(sentence("1-2 im X _ _", "1 a X 0 root", "2 b X 1 Dep"))
    (one,) = [one for one in validate([str(path)]) if one.id == "invalid-deprel"]
    assert str(one).endswith("(sent_id s1, word 2 'b')")
    assert one.to_dict()["form"] == "b"
    path.write_text(GOOD + GOOD)
    (one,) = validate([str(path)])
    assert str(one).endswith("expected a sent_id that no other sentence has (sent_id s1)")
