"""Every kind of problem, with its line, its sentence, what was found and what was expected."""

import pickle
from dataclasses import replace

import pytest

from treegauge.treebanks.data.conllu import parse_conllu, refusals
from treegauge.treebanks.data.problems import BY_NAME, KINDS, ConlluError, ReadingProblem

from .texts import chain, conllu, reading_problems, row

FIRST = chain("a", "b", name="one")  # lines 1 to 4 with its blank line
GO = row(1, "go", 0, "root")


def after(*lines: str) -> bytes:
    """Write lines as a sentence of their own after a sound one, from line 5."""
    return (conllu(FIRST) + conllu(["# sent_id = two", *lines])).encode()


# For each kind: a file, and (line, sent_id, found, expected) of all its problems.
TEN = "10 columns separated by single tabs"
_BLANK = "a blank line with no word before it"
_INNER = [row(3, "", 1), row(4, "", 1)]
CASES = {
    "encoding": (after(GO).replace(b"go", b"g\xe9\xe9"), [(6, "two", "byte 0xE9", "valid UTF-8")]),
    "columns": (
        after(GO, "2\tthere", GO + "\t_", " ", "2 x _ _ _ _ 1 dep _ _"),
        [
            (7, "two", "2 in '2\\tthere'", TEN),
            (8, "two", f"11 in {GO + chr(9) + '_'!r}", TEN),
            (9, "two", "1 in ' '", TEN),
            (10, "two", "1 in '2 x _ _ _ _ 1 dep _ _' (spaces where tabs belong?)", TEN),
        ],
    ),
    "comment-inside": (
        after(GO, "# late"),
        [(7, "two", "'# late'", "comments only before the first word of a sentence")],
    ),
    "empty-sentence": (
        b"\n" + conllu(FIRST).encode() + b"\n\n# sent_id = two\n\n" + conllu([row("1.1")]).encode(),
        [
            (line, name, _BLANK, "at least one word before a blank line")
            for line, name in [(1, None), (6, None), (9, "two"), (10, None)]
        ],
    ),
    "no-final-blank-line": (
        after(GO)[:-1],
        [(7, "two", "the end of the file", "a blank line after the last sentence")],
    ),
    "word-id": (
        after(GO, row(1, "x", 1), row(4, "y", 1), row("b", "z", 1), row("", "e", 1)),
        [
            (7, "two", "ID '1' for 'x'", "ID '2'"),
            (8, "two", "ID '4' for 'y'", "ID '3'"),
            (9, "two", "ID 'b' for 'z'", "ID '4'"),
            (10, "two", "ID '' for 'e'", "ID '5'"),
        ],
    ),
    "multiword-id": (
        after(row("1-x", "gox"), GO, row("-2"), row("2-3-4"), row("-")),
        [
            (line, "two", f"ID {found!r}", "a multiword ID such as 3-4")
            for line, found in [(6, "1-x"), (8, "-2"), (9, "2-3-4"), (10, "-")]
        ],
    ),
    "unfinished-multiword": (
        after(GO, row("2-3", "xy"), row(2, "x", 1)),
        [(7, "two", "ID '2-3'", "all words of the range before the sentence ends")],
    ),
    "empty-form": (
        after(row(1, "", 0), row(2, " \u00a0\u3000", 1), row("3-4", ""), *_INNER),
        [
            (line, "two", f"FORM {form!r}", BY_NAME["empty-form"].expected)
            for line, form in [(6, ""), (7, " \u00a0\u3000"), (8, "")]
        ],
    ),
    "head": (
        after(GO, row(2, "x", "_"), row(3, "y", "1.0"), row(4, "z", -1), row(5, "z", "9" * 5000)),
        [
            (line, "two", f"HEAD {found!r}", "a whole number from 0 to 5")
            for line, found in [(7, "_"), (8, "1.0"), (9, "-1"), (10, "9" * 57 + "...")]
        ],
    ),
    "head-range": (
        after(GO, row(2, "x", 3), row(3, "y", 4), row(4, "z", 5), row(5, "z", 10**12)),
        [(10, "two", "HEAD '1000000000000'", "a whole number from 0 to 5")],
    ),
    "cycle": (
        after(GO, row(2, "x", 3), row(3, "y", 2), row(4, "z", 4), row(5, "v", 4)),
        [
            (7, "two", "the cycle 2 -> 3 -> 2", "every word to reach the root"),
            (9, "two", "the cycle 4 -> 4", "every word to reach the root"),
        ],
    ),
    "no-root": (
        after(row(1, "x", 2), row(2, "y", 1)),
        [(6, "two", "no word with HEAD 0", "exactly one word with HEAD 0")],
    ),
    "several-roots": (
        after(GO, row(2, "x", 1), row(3, "y", 0)),
        [(6, "two", "HEAD 0 at words 1, 3", "exactly one word with HEAD 0")],
    ),
    "multiword-range": (
        after(row("2-3", "ab"), GO, row(2, "b", 1), row("3-3", "c"), row(3, "c", 1), row("2-1")),
        [
            (line, "two", f"ID {found!r}", "a range that starts at the next word and grows")
            for line, found in [(6, "2-3"), (9, "3-3"), (11, "2-1")]
        ],
    ),
    "inner-id": (
        after(row("1-2", "xy"), row(7, "go", 0), row("2-3", "x", 1)),
        [(7, "two", "ID '7' for 'go'", "ID '1'"), (8, "two", "ID '2-3' for 'x'", "ID '2'")],
    ),
    "byte-order-mark": (
        b"\xef\xbb\xbf" + after(GO),
        [(1, None, "a byte order mark at the start of the file", "no byte order mark")],
    ),
    "empty-node-id": (
        after(row("a.b"), GO, row("1.1.1"), row("."), row("1.1")),
        [
            (line, "two", f"ID {found!r}", "an empty node ID such as 3.1")
            for line, found in [(6, "a.b"), (8, "1.1.1"), (9, ".")]
        ],
    ),
    "deps": (
        after(row(1, "go", 0, deps="2:x"), row("1.1", deps="9"), row("2", "x", 1, deps="2:x|1.1:y"))
        + conllu(["# sent_id = three", row(1, "a", 0, deps="x")]).encode(),
        [(11, "three", "DEPS 'x' in a sentence of 1 words", BY_NAME["deps"].expected)],
    ),
}


@pytest.mark.parametrize("kind", [kind.name for kind in KINDS])
def test_kind(kind, tmp_path):
    """`check` finds exactly these problems, in the order of their lines."""
    data, expected = CASES[kind]
    path = tmp_path / "case.conllu"
    path.write_bytes(data)
    found = list(reading_problems(path))
    assert [(p.line, p.sent_id, p.found, p.expected) for p in found if p.kind == kind] == expected
    also = {"no-root": {"cycle"}, "multiword-range": {"inner-id"}}
    assert {problem.kind for problem in found} == {kind} | also.get(kind, set())
    assert {problem.file for problem in found} == {str(path)}
    assert [problem.line for problem in found] == sorted(problem.line for problem in found)


@pytest.mark.parametrize("end", ["\r\n", "\r"])
@pytest.mark.parametrize("kind", [kind.name for kind in KINDS])
def test_lines_are_counted_in_every_style(kind, end, tmp_path):
    data, _ = CASES[kind]
    path = tmp_path / "case.conllu"
    told = []
    for one in ("\n", end):
        path.write_bytes(data.replace(b"\n", one.encode()))
        told.append([replace(problem, sentence=0) for problem in reading_problems(path)])
    assert told[0] == told[1]


@pytest.mark.parametrize("kind", [kind.name for kind in KINDS if kind.name != "deps"])
def test_what_each_policy_does(kind):
    data, _ = CASES[kind]
    blocks = BY_NAME[kind].level == "error" and not BY_NAME[kind].readable
    if blocks:
        with pytest.raises(ConlluError) as caught:
            parse_conllu(data)
        assert kind in {problem.kind for problem in caught.value.problems}
        assert all(problem.blocks_reading for problem in caught.value.problems)
    else:
        treebank = parse_conllu(data)
        assert treebank.to_bytes() == data
        assert kind in {problem.kind for problem in treebank.problems}
    skipped = parse_conllu(data, errors="skip")
    assert len(skipped) == 2 - (blocks and kind not in {"byte-order-mark"}), skipped.problems
    actions = {problem.action for problem in skipped.problems if problem.kind == kind}
    expected = {"repaired"} if kind == "byte-order-mark" else {"skipped"} if blocks else {""}
    assert actions == expected
    assert skipped[0].conllu == conllu(FIRST)


def test_a_file_with_many_problems_tells_all_of_them():
    """One pass over all the cases that do not hide each other."""
    kinds = [kind for kind in CASES if kind not in {"byte-order-mark", "no-final-blank-line"}]
    data = b"\xef\xbb\xbf" + b"".join(CASES[kind][0] for kind in kinds)
    with pytest.raises(ConlluError) as caught:
        parse_conllu(data[:-1])
    told = {problem.kind for problem in caught.value.problems}
    assert told == {kind.name for kind in KINDS if kind.level == "error" and not kind.readable}
    lines = [problem.line for problem in caught.value.problems]
    assert lines == sorted(lines)
    alone = [p for kind in kinds for p in parse_conllu(CASES[kind][0], errors="skip").problems]
    together = parse_conllu(data, errors="skip").problems
    assert len(together) == len(alone) + 1


def test_the_message_shows_ten_problems_and_what_to_do():
    with pytest.raises(ConlluError) as caught:
        parse_conllu("x\n" * 12 + "\n")
    lines = str(caught.value).split("\n")
    assert lines[0] == f"text:1: error: columns: found 1 in 'x', expected {TEN}"
    assert lines[10] == "... and 2 more problems"
    assert lines[11].startswith("hint: ")
    assert len(caught.value.problems) == 12


def test_long_lines_are_counted_whole_and_shown_short():
    long = "\t".join(["x" * 3000] * 12)
    with pytest.raises(ConlluError, match=r"found 12 in 'x{57}\.\.\.', expected 10"):
        parse_conllu(long + "\n\n")


def test_a_byte_order_mark_inside_a_file_is_none(tmp_path):
    data = conllu(FIRST).encode() + b"\xef\xbb\xbf" + conllu(chain("c")).encode()
    path = tmp_path / "a.conllu"
    path.write_bytes(data)
    for chunk in (1, 50, 1000):
        assert [problem.kind for problem in reading_problems(path, chunk=chunk)] == ["word-id"]


def test_problems_of_comments_after_the_last_sentence():
    data = conllu(FIRST).encode() + b"# \xff\n"
    (problem,) = parse_conllu(data, errors="skip").problems
    assert (problem.line, problem.sent_id, problem.action) == (5, None, "skipped")
    assert parse_conllu(data, errors="skip").to_bytes() == conllu(FIRST).encode()
    mended = parse_conllu(data, errors="repair")
    assert mended.to_bytes() == conllu(FIRST).encode() + "# \ufffd\n".encode()
    assert [p.action for p in mended.problems] == ["repaired"]


def test_only_scoring_insists_on_the_last_blank_line():
    treebank = parse_conllu(conllu(FIRST)[:-1])
    assert [problem.kind for problem in refusals(treebank)] == ["no-final-blank-line"]
    assert refusals(parse_conllu(conllu(FIRST))) == []


def test_errors_travel_between_processes():
    with pytest.raises(ConlluError) as caught:
        parse_conllu("x\n\n")
    back = pickle.loads(pickle.dumps(caught.value))
    assert back.problems == caught.value.problems
    assert str(back) == str(caught.value)


def test_how_a_problem_reads():
    problem = ReadingProblem("head", "a.conllu", 7, None, "HEAD '_'", "a number")
    assert str(problem) == "a.conllu:7: error: head: found HEAD '_', expected a number"
    told = str(replace(problem, sent_id="s1", action="repaired"))
    assert told.endswith("expected a number (sent_id s1) [repaired]")
