"""Slices, samples, joins and new columns of treebanks."""

import pickle
from dataclasses import replace
from itertools import chain as flat

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from treegauge.core.errors import ChoiceError, TreegaugeError
from treegauge.testing.synthetic import synthetic
from treegauge.treebanks.data.columns import COLUMNS, Treebank, concat
from treegauge.treebanks.data.conllu import parse_conllu, stream_conllu, write_conllu
from treegauge.treebanks.data.problems import ConlluError

from .texts import chain, conllu, row, treebanks

THREE = conllu(chain("a", "b", name="1"), chain("c", name="2"), chain("d", "e", "f", name="3"))
ARRAYS = ["raw", "fields", "kinds", "rows", "head", "multiword", "offsets", "row_offsets", "spans"]


@pytest.fixture(scope="module")
def treebank():
    found = synthetic(40, seed=3)
    assert (found.multiword >= 0).any()
    return found


def same(ours: Treebank, numbers: list[int], whole: Treebank) -> None:
    """Check that a treebank is made of these sentences of another, in every respect."""
    assert len(ours) == len(numbers)
    assert [one.conllu for one in ours] == [whole[i].conllu for i in numbers]
    words = [np.arange(whole.offsets[i], whole.offsets[i + 1]) for i in numbers]
    index = np.concatenate(words) if words else np.empty(0, np.int64)
    for name in COLUMNS:
        assert ours[name].to_list() == whole[name].gather(index).to_list()
    cover = [whole.field(r, 1) if r >= 0 else None for r in whole.multiword[index].tolist()]
    assert [ours.field(r, 1) if r >= 0 else None for r in ours.multiword.tolist()] == cover
    assert [ours.line(r) for r in ours.rows[:20]] == [whole.line(r) for r in whole.rows[index[:20]]]
    again = parse_conllu(ours.to_bytes())
    assert [one.form for one in again] == [one.form for one in ours]


# Choosing sentences


KEYS = {
    "all": slice(None),
    "some": slice(3, 9),
    "none": slice(9, 3),
    "last": slice(-4, None),
    "beyond": slice(100, 200),
    "steps": slice(None, None, 3),
    "reversed": slice(None, None, -1),
    "list": [5, 2, 2, -1],
    "empty list": [],
    "empty array": np.array([]),
    "array": np.array([7, 0]),
    "mask": np.arange(40) % 7 == 0,
    "empty mask": np.zeros(40, bool),
    "list of truths": [True] * 40,
    "range": range(4, 8),
}


@pytest.mark.parametrize("key", KEYS.values(), ids=KEYS)
def test_choosing_sentences(treebank, key):
    plain = key if isinstance(key, slice) else np.asarray(key, None if len(key) else int)
    same(treebank[key], np.arange(40)[plain].tolist(), treebank)
    if not isinstance(key, slice):
        same(treebank.take(key), np.arange(40)[plain].tolist(), treebank)


def test_choosing_from_a_choice(treebank):
    same(treebank[10:30][::-1][[0, 5]], [29, 24], treebank)
    same(treebank.take([8, 3, 8])[1:], [3, 8], treebank)


@pytest.mark.parametrize("key", [[40], [-41], np.ones(39, bool), [0.5]])
def test_sentences_that_are_not_there(treebank, key):
    with pytest.raises(IndexError):
        treebank.take(key)


def test_one_sentence(treebank):
    assert treebank[-1].number == 39
    assert treebank[np.int32(4)].conllu == treebank[4].conllu
    with pytest.raises(IndexError, match="none has number 40"):
        treebank[40]


def test_sampling(treebank):
    drawn = treebank.sample(10, seed=1)
    numbers = [treebank.metadata("sent_id").index(one.id) for one in drawn]
    assert numbers == sorted(set(numbers))
    same(drawn, numbers, treebank)
    assert treebank.sample(10, seed=1) == drawn
    assert treebank.sample(10, seed=2) != drawn
    assert treebank.sample(40, seed=0) == treebank
    with pytest.raises(TreegaugeError, match="cannot sample 41 sentences"):
        treebank.sample(41, seed=0)


# Where the end of the file lacks a blank line, or comments follow


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("missing", [0, 1, 2])
def test_a_last_sentence_without_blank_line_may_go_anywhere(end, missing):
    text = THREE[: len(THREE) - missing].replace("\n", end)
    treebank = parse_conllu(text)
    moved = treebank[[2, 0, 2, 1, 2]]
    assert [one.form for one in moved] == [list("def"), list("ab"), list("def"), ["c"], list("def")]
    again = parse_conllu(moved.to_bytes())
    assert again["form"].to_list() == list("defabdefcdef")
    assert len(again) == 5
    marked = moved.with_columns({"upos": list("0123456789AB")})
    assert "".join(marked["upos"]) == "0123456789AB"
    assert marked["form"].to_list() == moved["form"].to_list()
    joined = concat([treebank, treebank])
    assert joined["form"].to_list() == list("abcdef") * 2
    assert len(joined) == 6
    assert concat([treebank]).to_bytes() == treebank.to_bytes()


def test_comments_after_the_last_sentence_are_nobodys():
    treebank = parse_conllu(THREE + "# the end")
    assert treebank[:] == treebank == concat([treebank[:1], treebank[1:]])
    assert treebank[:2].tail == b""
    joined = concat([treebank, treebank[1:], parse_conllu("# x\n"), treebank[:1]])
    assert len(joined) == 6
    assert [one.id for one in joined] == ["1", "2", "3", "2", "3", "1"]
    assert joined.to_bytes().endswith(b"# the end\n# the end\n# x\n")
    parse_conllu(joined.to_bytes())


# Joining


@settings(max_examples=40, deadline=None)
@given(st.lists(treebanks(size=2), max_size=4))
def test_joined_treebanks_have_the_sentences_of_all(drawn):
    parts = [parse_conllu(one.text) for one in drawn]
    joined = concat(parts)
    assert joined["form"].to_list() == [form for part in parts for form in part["form"]]
    assert [one.comment_lines for one in joined] == list(flat(*(one.comments for one in drawn)))
    assert joined == parse_conllu(joined.to_bytes())


def test_joining_keeps_what_was_done_about_problems():
    bad = parse_conllu(THREE + conllu(["x"]), errors="skip", name="bad")
    joined = concat([bad[:1], bad[1:], parse_conllu(THREE)])
    assert joined.policy == "skip+strict"
    assert joined.name == "bad+text"
    assert [p.kind for p in joined.problems] == ["columns"]
    assert len(concat([])) == 0


def test_line_numbers_survive_streaming_slicing_and_joining(tmp_path):
    path = tmp_path / "a.conllu"
    path.write_text(THREE * 5)
    parts = list(stream_conllu(path, chunk=40))
    assert len(parts) > 5
    whole = parse_conllu(THREE * 5)
    expected = [whole.line(r) for r in whole.rows]
    assert expected[:4] == [2, 3, 6, 9]
    assert [part.line(r) for part in parts for r in part.rows] == expected
    joined = concat(parts[2:])
    assert [joined.line(r) for r in joined.rows] == expected[-joined.n_words :]


# New columns


def test_the_same_columns_give_the_same_bytes(treebank):
    every = {name: treebank[name] for name in COLUMNS}
    assert treebank.with_columns(every).to_bytes() == treebank.to_bytes()
    assert treebank[3:9].with_columns({"id": treebank[3:9]["id"]}) == treebank[3:9]
    assert treebank.with_columns({}) == treebank


@settings(max_examples=60, deadline=None)
@given(treebanks(), st.data())
def test_some_new_columns(drawn, data):
    treebank = parse_conllu(drawn.text)
    free = ["form", "lemma", "upos", "xpos", "feats", "deprel", "deps", "misc"]
    names = data.draw(st.lists(st.sampled_from(free), unique=True))
    values = {name: [f"{name}{i}é" for i in range(treebank.n_words)] for name in names}
    changed = treebank.with_columns(values)
    for name in COLUMNS:
        assert changed[name].to_list() == (values[name] if name in names else treebank[name].to_list())
    assert changed.with_columns({name: treebank[name] for name in names}) == treebank


def test_new_heads_are_checked(treebank):
    text = conllu(chain("a", "b"))
    assert parse_conllu(text).with_columns({"head": np.array([2, 0])}).head.tolist() == [2, 0]
    for heads, kind in (([2, 1], "cycle"), ([0, 3], "head-range"), ([0, -1], "head"), ([0, 0], "sev")):
        with pytest.raises(ConlluError, match=kind):
            parse_conllu(text).with_columns({"head": heads})


def test_heads_for_unparsed_text():
    unparsed = parse_conllu(conllu([row(1, "a"), row(2, "b")]), need_heads=False)
    assert unparsed.with_columns({"head": unparsed["head"]}) == unparsed
    assert unparsed.with_columns({"head": [0, 1]}).head.tolist() == [0, 1]
    assert unparsed.with_columns({"upos": ["X", None]})["upos"].to_list() == ["X", "_"]


def test_what_was_let_pass_passes_again_and_stays_noted():
    text = conllu([row(1, "a", 0), row(2, "b", 0)], ["x"])
    treebank = parse_conllu(text, allow=["several-roots"], errors="skip")
    changed = treebank.with_columns({"upos": ["X", "Y"]})
    assert (changed.problems, changed.policy) == (treebank.problems, "skip")
    skipped = parse_conllu(text + conllu(chain("c", "d")), errors="skip")
    with pytest.raises(ConlluError):
        skipped.with_columns({"head": [0, 0]})


@pytest.mark.parametrize("value", ["", "a\tb", "a\nb", "a\r"])
def test_values_that_break_lines_are_refused(value):
    with pytest.raises(TreegaugeError, match="column 'misc', word 1: found"):
        parse_conllu(THREE).with_columns({"misc": ["_", value, "_", "_", "_", "_"]})


def test_wrong_columns_are_refused(treebank):
    with pytest.raises(ChoiceError, match="did you mean 'form'"):
        treebank["from"]
    with pytest.raises(ChoiceError, match="did you mean 'lemma'"):
        treebank.with_columns({"lema": []})
    with pytest.raises(TreegaugeError, match="has 1 values, expected"):
        treebank.with_columns({"lemma": ["a"]})


# The rest of the table


def test_numbers_about_words(treebank):
    assert treebank.lengths.tolist() == [len(one) for one in treebank]
    assert treebank.sentence_of.tolist() == [i for i, one in enumerate(treebank) for _ in one.form]
    assert treebank["id"].to_list() == [w for one in treebank for w in range(1, len(one) + 1)]
    starts = treebank.offsets[:-1].tolist()
    assert treebank.parents.tolist() == [
        start + head - 1 if head else -1
        for start, one in zip(starts, treebank, strict=True)
        for head in one.head.tolist()
    ]
    table = treebank.table
    assert table.columns == ["sentence", *COLUMNS]
    assert table["sentence"].to_list() == treebank.sentence_of.tolist()
    assert table.schema["form"] == pl.String


def test_treebanks_do_not_change(treebank):
    back = pickle.loads(pickle.dumps(treebank))
    for one in (treebank, treebank[2:], treebank.take([1, 0]), concat([treebank]), back):
        for name in ARRAYS:
            with pytest.raises(ValueError, match="read-only"):
                getattr(one, name)[0] = 1
    with pytest.raises(ValueError, match="read-only"):
        treebank.codes("upos").codes[0] = 1
    with pytest.raises(AttributeError):
        treebank.name = "other"


def test_equality_is_that_of_bytes(treebank):
    other = parse_conllu(treebank.to_bytes(), name="other")
    assert (other, hash(other), other.digest) == (treebank, hash(treebank), treebank.digest)
    assert treebank[:3] != treebank
    assert treebank != "a treebank"


def test_a_copy_with_other_fields_forgets_what_was_derived(treebank):
    assert len(treebank.codes("form").codes) == treebank.n_words
    part = treebank[:5]
    other = replace(treebank, **{name: getattr(part, name) for name in ARRAYS})
    assert len(other.codes("form").codes) == part.n_words
    assert replace(treebank, name="b").codes("form").values == treebank.codes("form").values


def test_pickling(treebank):
    for one in (treebank, treebank[4:9], treebank.take([3, 1])):
        back = pickle.loads(pickle.dumps(one))
        assert back == one
        assert back["misc"].to_list() == one["misc"].to_list()
        assert back.head.tolist() == one.head.tolist()


def test_how_a_treebank_shows_itself(treebank, tmp_path):
    write_conllu(treebank, tmp_path / "a.conllu")
    assert repr(treebank) == f"<Treebank {treebank.name}: 40 sentences, {treebank.n_words} words>"
    assert "<svg" in treebank._repr_html_()
    assert "&lt;b&gt;" in replace(treebank, name="<b>")._repr_html_()
    assert "0 sentences" in treebank[:0]._repr_html_()
