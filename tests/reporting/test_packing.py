"""Packed data come out as they went in, and no text can break out of them."""

import base64
import json

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from treegauge.reporting.packing import floats, heads, numbers, texts, to_json, trees
from treegauge.testing.synthetic import synthetic
from treegauge.treebanks.data.conllu import parse_conllu

_KINDS = {"u8": "<u1", "u16": "<u2", "u32": "<u4", "f32": "<f4"}


def unpack(packed):
    ((kind, text),) = packed.items()
    return np.frombuffer(base64.b64decode(text), _KINDS[kind])


@given(st.lists(st.integers(0, 2**32 - 1)))
def test_whole_numbers(values):
    packed = numbers(values)
    assert unpack(packed).tolist() == values
    ((kind, _),) = packed.items()
    assert kind == ("u8" if max(values, default=0) < 256 else "u16" if max(values) < 65536 else "u32")


@given(st.lists(st.text()))
def test_texts(values):
    packed = texts(values)
    assert [packed["values"][i] for i in unpack(packed["codes"])] == values
    assert len(set(packed["values"])) == len(packed["values"])


def test_a_table_is_packed_row_by_row():
    assert unpack(floats([[1, 2], [3, 4]])).tolist() == [1, 2, 3, 4]


def test_trees():
    treebank = synthetic(5, seed=3)
    packed = trees(treebank)
    assert (unpack(packed["head"]).astype(int) - 1).tolist() == treebank.head.tolist()
    assert unpack(packed["offsets"]).tolist() == treebank.offsets.tolist()
    forms = [packed["form"]["values"][i] for i in unpack(packed["form"]["codes"])]
    assert forms == treebank["form"].to_list()
    assert packed["id"] == treebank.metadata("sent_id")
    lemmas = [packed["lemma"]["values"][i] for i in unpack(packed["lemma"]["codes"])]
    assert lemmas == treebank["lemma"].to_list()


def test_empty_columns_of_trees_are_left_out():
    lines = ["1\tA\t_\tX\t_\t_\t0\troot\t_\tSpaceAfter=No", "2\tb\t_\tX\t_\t_\t1\tdep\t_\t_"]
    packed = trees(parse_conllu("\n".join([*lines, "", ""]), name="a"))
    assert not {"lemma", "feats"} & packed.keys()
    assert unpack(packed["glued"]).tolist() == [1, 0]
    assert packed["id"] == ["1"]


def test_a_missing_head_is_kept():
    assert unpack(heads([-1, 0, 3])).tolist() == [0, 1, 4]


@given(st.recursive(st.text() | st.integers() | st.none(), st.lists))
def test_json_says_the_same_and_holds_no_markup(value):
    text = to_json(value)
    assert json.loads(text) == value
    assert not set("<>&\u2028\u2029") & set(text)


def test_what_is_no_number_is_null():
    found = json.loads(to_json({"a": [np.float64("nan"), float("inf"), np.int64(3)], 5: (1.5,)}))
    assert found == {"a": [None, None, 3], "5": [1.5]}
