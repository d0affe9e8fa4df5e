"""What repair does to a malformed sentence, rule by rule, and that its results are sound."""

import re
import unicodedata
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tools.fuzz.mutation import damaged
from tools.fuzz.official import blocks
from treegauge.testing.synthetic import synthetic
from treegauge.treebanks.data.conllu import parse_conllu
from treegauge.treebanks.data.trees import is_tree

from .texts import chain, conllu, reading_problems, row, sentences

GO = row(1, "go", 0, "root")
NO = row(2, "no", 1, "dep")


def mended(*lines: str) -> list[str]:
    """Repair one sentence and give its lines."""
    treebank = parse_conllu("\n".join([*lines, "", ""]), errors="repair")
    assert len(treebank) == 1
    assert {p.action for p in treebank.problems if p.level == "error"} == {"repaired"}
    return treebank[0].conllu.split("\n")[:-2]


def unmended(*lines: str) -> None:
    """Check that no rule mends a sentence, and that this is said."""
    treebank = parse_conllu("\n".join([*lines, "", ""]) + conllu([GO]), errors="repair")
    assert treebank["form"].to_list() == ["go"]
    assert {p.action for p in treebank.problems if p.level == "error"} == {"skipped"}


def test_bytes_that_are_no_utf8():
    data = conllu([GO]).encode().replace(b"go", b"g\xe9")
    assert parse_conllu(data, errors="repair")["form"].to_list() == ["g\ufffd"]


def test_a_byte_order_mark():
    text = conllu(["# x", row("5-6", "gono"), GO, NO])
    treebank = parse_conllu("\ufeff" + text, errors="repair")
    assert treebank.to_bytes() == text.encode()  # also the odd range, which is but a warning
    assert [(p.kind, p.action) for p in treebank.problems if p.level == "error"] == [("byte-order-mark", "repaired")]


def test_comments_inside():
    assert mended("# a", GO, "# b", NO, "# c") == ["# a", "# b", "# c", GO, NO]


def test_spaces_for_tabs():
    assert mended(GO, "2 no  _ _ _ _ 1 dep _ _") == [GO, NO]
    unmended(GO, "2 no no _ _ _ _ 1 dep _ _")
    unmended(GO, "2\tno")


def test_empty_forms():
    assert mended(row(1, "", 0, "root"), row(2, "\u00a0", 1)) == [row(1, "_", 0, "root"), row(2, "_", 1)]


@pytest.mark.parametrize("form", ["\x85", "\x1c", "\u2028"])
def test_control_characters_are_words(form):
    """They are spaces to Python but not to the official script."""
    assert mended(row(1, form, 0, "root"), row(3, "no", 1, "dep")) == [row(1, form, 0, "root"), NO]


def test_words_are_numbered_anew_and_heads_follow():
    lines = [row(3, "a", 5), row(5, "b", 0, "root"), row(9, "c", 5), row(20, "d", 9)]
    assert mended(*lines) == [row(1, "a", 2), row(2, "b", 0, "root"), row(3, "c", 2), row(4, "d", 3)]


def test_heads_that_name_an_id_twice_used_are_lost():
    lines = [row(1, "a", 2), row(2, "b", 0, "root"), row(2, "c", 1), row(4, "d", 2, "obj")]
    assert mended(*lines) == [row(1, "a", 2), row(2, "b", 0, "root"), row(3, "c", 1), row(4, "d", 2, "obj")]
    lines = [row(1, "r", 0, "root"), row(2, "b", 1), row(2, "c", 2), row(4, "d", 2)]
    assert [line.split("\t")[6] for line in mended(*lines)] == ["0", "1", "1", "1"]


def test_multiword_ranges_are_cut_or_dropped():
    token = [row("1-2", "gono"), GO]
    assert mended(*token) == [GO]  # a range of one word is none
    assert mended(row("1-9", "gonox"), GO, NO) == [row("1-2", "gonox"), GO, NO]
    assert mended(row("5-6", "gono"), GO, row(7, "no", 1, "dep"), row(2, "x", 9)) == [
        row("1-2", "gono"), GO, NO, row(3, "x", 1),
    ]  # fmt: skip
    assert mended(GO, row(3, "no", 1, "dep"), row("9-12", "end")) == [GO, NO]
    assert mended(GO, row("7-2", "end"), row(3, "no", 1, "dep")) == [GO, NO]
    unmended(row("1-x", "gono"), GO, NO)
    unmended(row("1-3", "abc"), GO, row("2-3", "bc"), NO, row(3, "x", 1))


def test_empty_nodes_stay_where_they_are():
    assert mended(row("0.1", "e"), row(2, "go", 0, "root"), row("2.1", "f"), row("2.2", "g")) == [
        row("0.1", "e"), GO, row("1.1", "f"), row("1.2", "g"),
    ]  # fmt: skip
    unmended(GO, row("a.b", "e"), row(7, "x", 1))


def test_trees_are_mended():
    lines = [row(1, "a", 2), row(2, "b", 1), row(3, "c", 0, "root"), row(4, "d", 0, "root")]
    assert mended(*lines, row(5, "e", "_"), row(6, "f", 77)) == [
        row(1, "a", 3), row(2, "b", 1), row(3, "c", 0, "root"), row(4, "d", 3, "dep"),
        row(5, "e", 3), row(6, "f", 3),
    ]  # fmt: skip
    assert mended(row(1, "a", 2, "x"), row(2, "b", 2, "y")) == [row(1, "a", 2, "x"), row(2, "b", 0, "root")]


def test_blocks_without_words_are_dropped():
    text = "\n\n" + conllu([GO]) + "# nothing\n\n" + conllu([row("1.1", "e")])
    treebank = parse_conllu(text, errors="repair")
    assert treebank.to_bytes() == conllu([GO]).encode()
    assert [p.action for p in treebank.problems] == ["skipped"] * 3


def test_the_last_blank_line_is_added():
    for text in (conllu([GO])[:-1], conllu([GO])[:-2]):
        treebank = parse_conllu(text, errors="repair")
        assert treebank.to_bytes() == conllu([GO]).encode()
        assert [(p.kind, p.action) for p in treebank.problems] == [("no-final-blank-line", "repaired")]


def test_ids_that_no_number_holds():
    unmended(row("9" * 5000, "a", 0))
    unmended(row("1-" + "9" * 5000, "a"), GO)
    assert mended(GO, row(2, "no", "9" * 5000, "dep")) == [GO, NO]


def test_sound_sentences_stay_byte_for_byte():
    sound = [one.conllu.replace("\n", "\r\n") for one in synthetic(6, seed=2)]
    broken = conllu([row(1, "x", 1)])
    treebank = parse_conllu("".join([*sound[:3], broken, *sound[3:]]), errors="repair")
    assert treebank.to_bytes().decode() == "".join([*sound[:3], conllu([row(1, "x", 0, "root")]), *sound[3:]])


def test_mended_and_left_out_are_told_apart():
    text = conllu([row(1, "a", 1)], ["x"], chain("b"), [row(1, "c", 1), "# d", "x y"])
    treebank = parse_conllu(text, errors="repair")
    assert treebank["form"].to_list() == ["a", "b"]
    told = [(p.sentence, p.action) for p in treebank.problems]
    assert set(told) == {(0, "repaired"), (1, "skipped"), (3, "skipped")}


@settings(max_examples=75, deadline=None)
@given(st.lists(sentences(), min_size=1, max_size=3), st.integers(0, 2**32))
def test_results_are_sound_and_words_stay(tmp_path_factory, rows, seed):
    """Nothing is left to mend, and no word comes or goes."""
    random = Random(seed)
    data = conllu(*(["\t".join(fields) for fields in one] for one in rows)).encode()
    for _ in range(3):
        data = damaged(data, random)
    treebank = parse_conllu(data, errors="repair")
    assert parse_conllu(treebank.to_bytes(), errors="repair") == treebank
    assert is_tree(treebank.head, treebank.offsets).all()
    path = tmp_path_factory.getbasetemp() / "mended.conllu"
    path.write_bytes(treebank.to_bytes())
    assert not [problem for problem in reading_problems(path) if problem.level == "error"]
    lost = {p.sentence for p in treebank.problems if p.action == "skipped"}
    found, _ = blocks(data.removeprefix(b"\xef\xbb\xbf"))
    kept = [block.data for i, block in enumerate(found) if i not in lost]
    assert len(kept) == len(treebank)
    for one, block in zip(treebank, kept, strict=True):
        lines = re.split("\r\n|\n|\r", block.decode(errors="replace"))
        tabs = [line.split("\t") for line in lines if line and not line.startswith("#")]
        if all(len(fields) == 10 and re.fullmatch(r" *\+?\d+ *", fields[0]) for fields in tabs):
            assert one.form == [_form(fields[1]) for fields in tabs]


def _form(found: str) -> str:
    """The form that repair makes of one: the official script drops spaces of category Zs only."""
    blank = all(unicodedata.category(character) == "Zs" for character in found)
    return "_" if blank else found


@pytest.mark.parametrize("errors", ["skip", "repair"])
def test_a_large_file_of_broken_sentences(errors):
    """Time grows with the number of problems, not with its square."""
    text = conllu([row(1, "a", 7), row(2, "b", 0)]) * 20_000
    treebank = parse_conllu(text, errors=errors)
    assert len(treebank.problems) == 20_000
    assert len(treebank) == (0 if errors == "skip" else 20_000)
