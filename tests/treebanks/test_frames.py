"""Treebanks as polars, pandas and Arrow tables, and back."""

import gc
import sys

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings

from treegauge.core.errors import TreegaugeError
from treegauge.testing.synthetic import synthetic
from treegauge.treebanks.data.columns import COLUMNS
from treegauge.treebanks.data.conllu import parse_conllu
from treegauge.treebanks.data.frames import from_frame
from treegauge.treebanks.data.problems import ConlluError

from .texts import chain, conllu, row, treebanks

TREEBANK = synthetic(30, seed=4)
SENTENCE = conllu(
    [
        "# sent_id = 1",
        "# text = zum Haus",
        row("1-2", "zum", misc="Translit=_"),
        row(1, "zu", 3),
        row(2, "dem", 3),
        row("2.1", "e", deps="3:dep"),
        row(3, "Haus", 0, "root", deps="0:root"),
    ],
    chain("é", "\u2028", '"', ",", "null"),
)


@pytest.mark.parametrize("kind", ["polars", "pandas", "arrow"])
@pytest.mark.parametrize("treebank", [TREEBANK, parse_conllu(SENTENCE)], ids=["drawn", "written"])
def test_rows_and_back_lose_nothing(kind, treebank):
    frame = treebank.to_rows()
    table = {"polars": frame, "pandas": frame.to_pandas(), "arrow": frame.to_arrow()}[kind]
    assert from_frame(table).to_bytes() == treebank.to_bytes()


@pytest.mark.parametrize("kind", ["polars", "pandas", "arrow", "csv", "parquet"])
@pytest.mark.parametrize("text", [SENTENCE, ""])
def test_comments_after_the_last_sentence_stay(kind, text, tmp_path):
    treebank = parse_conllu(f"{text}# the\u2028end\n# of it\n")
    frame = treebank.to_rows()
    if kind == "csv":
        frame.write_csv(tmp_path / "a.csv")
        frame = pl.read_csv(tmp_path / "a.csv", infer_schema=False)
    elif kind == "parquet":
        frame.write_parquet(tmp_path / "a.parquet")
        frame = pl.read_parquet(tmp_path / "a.parquet")
    elif kind != "polars":
        frame = {"pandas": frame.to_pandas, "arrow": frame.to_arrow}[kind]()
    assert from_frame(frame).to_bytes() == treebank.to_bytes()


@settings(max_examples=60, deadline=None)
@given(treebanks())
def test_random_rows_and_back(drawn):
    treebank = parse_conllu(drawn.text)
    back = from_frame(treebank.to_rows())
    assert [one.conllu for one in back] == [
        "\n".join([*comments, *map("\t".join, rows), "", ""])
        for comments, rows in zip(drawn.comments, drawn.rows, strict=True)
    ]


def test_rows_hold_what_stands_in_the_file():
    frame = parse_conllu(SENTENCE).to_rows()
    assert frame.columns == ["sentence", "comments", *COLUMNS]
    assert frame["id"].to_list() == ["1-2", "1", "2", "2.1", "3", "1", "2", "3", "4", "5"]
    assert frame["sentence"].to_list() == [0] * 5 + [1] * 5
    assert frame["comments"].to_list()[:2] == ["# sent_id = 1\n# text = zum Haus", None]
    assert frame["head"].to_list()[:5] == ["_", "3", "3", "_", "0"]
    assert parse_conllu("").to_rows().shape == (0, 12)
    assert len(from_frame(parse_conllu("").to_rows())) == 0


def test_words_as_pandas_and_arrow():
    pandas, arrow = TREEBANK.to_pandas(), TREEBANK.to_arrow()
    assert isinstance(pandas, pd.DataFrame)
    assert isinstance(arrow, pa.Table)
    for name in ("sentence", *COLUMNS):
        assert pandas[name].tolist() == TREEBANK.table[name].to_list() == arrow[name].to_pylist()
    assert from_frame(pandas)["form"].to_list() == TREEBANK["form"].to_list()
    assert from_frame(arrow).head.tolist() == TREEBANK.head.tolist()


def test_pandas_needs_no_arrow_library(monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)  # an import of it fails
    pandas = pd.DataFrame({"sentence": [0, 0], "form": ["Go", "!"], "head": [0, 1], "deprel": ["root", None]})
    treebank = from_frame(pandas)
    assert treebank["deprel"].to_list() == ["root", "_"]
    assert treebank.to_pandas()["form"].tolist() == ["Go", "!"]


def test_columns_outlive_the_treebank():
    column = parse_conllu(TREEBANK.to_bytes())["form"][1:]
    gc.collect()
    assert column.to_list() == TREEBANK["form"].to_list()[1:]


def test_few_columns_are_enough():
    frame = pl.DataFrame({"form": ["a", "b", "c"], "sentence": ["x", "x", "y"]})
    treebank = from_frame(frame, name="words")
    assert treebank.name == "words"
    assert treebank.head.tolist() == [-1, -1, -1]
    assert treebank["id"].to_list() == [1, 2, 1]
    assert treebank["misc"].to_list() == ["_"] * 3
    frame = frame.with_columns(head=pl.Series([0, 1, 0]), misc=pl.Series(["A=1", None, None]))
    treebank = from_frame(frame)
    assert treebank.head.tolist() == [0, 1, 0]
    assert treebank["misc"].to_list() == ["A=1", "_", "_"]


def test_rows_of_a_sentence_need_not_stand_together():
    frame = pl.DataFrame({"form": ["a", "x", "b"], "sentence": [1, 2, 1]})
    assert [one.form for one in from_frame(frame)] == [["a", "b"], ["x"]]


def test_missing_values_of_pandas():
    frame = pd.DataFrame({"sentence": [0, 0], "form": ["a", "b"], "lemma": ["a", None]})
    frame["misc"] = [float("nan"), float("nan")]
    treebank = from_frame(frame)
    assert treebank["lemma"].to_list() == ["a", "_"]
    assert treebank["misc"].to_list() == ["_", "_"]


def test_unparsed_rows():
    treebank = parse_conllu(conllu([row(1, "a"), row(2, "b")]), need_heads=False)
    with pytest.raises(ConlluError, match="frame:1: error: head: found HEAD '_'"):
        from_frame(treebank.to_rows())
    assert from_frame(treebank.to_rows(), need_heads=False) == treebank


def test_bad_frames():
    with pytest.raises(TreegaugeError, match="found columns a; expected at least 'sentence'"):
        from_frame(pl.DataFrame({"a": [1]}))
    with pytest.raises(TreegaugeError, match="expected at least 'form'"):
        from_frame(pl.DataFrame({"sentence": [1]}))
    frame = pl.DataFrame({"sentence": [0, 0], "form": ["a", "b"], "head": [0, 5]})
    with pytest.raises(ConlluError, match="table:2: error: head-range: found HEAD '5'"):
        from_frame(frame, name="table")
    assert from_frame(frame, errors="repair").head.tolist() == [0, 1]


@pytest.mark.parametrize("value", ["a\tb", "a\n\n", "\r"])
def test_values_that_break_lines(value):
    frame = pl.DataFrame({"sentence": [0], "form": ["a"], "misc": [value]})
    with pytest.raises(TreegaugeError, match=r"column 'misc': found .* expected no tabs or line end"):
        from_frame(frame)
