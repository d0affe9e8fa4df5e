"""Reading and joining tables, and errors that name the row."""

import json

import numpy as np
import polars as pl
import pytest

from treegauge.measures.measure import measure
from treegauge.results.errors import ChoiceError, TreegaugeError
from treegauge.statistics.data_table import as_table, join_tables, read_table
from treegauge.testing.synthetic import synthetic

ROWS = [
    {"treebank": "A-X", "las": 80.5, "words": 100},
    {"treebank": "B-Y", "las": None, "words": 20},
]


def write(folder, suffix):
    path = folder / f"table{suffix}"
    frame = pl.DataFrame(ROWS)
    if suffix == ".parquet":
        frame.write_parquet(path)
    elif suffix == ".json":
        path.write_text(json.dumps({"signature": "s", "rows": ROWS}))
    else:
        separator = "\t" if suffix == ".tsv" else ";" if suffix == ".txt" else ","
        path.write_text("\ufeff" + frame.write_csv(separator=separator))
    return path


@pytest.mark.parametrize("suffix", [".csv", ".tsv", ".txt", ".parquet", ".json"])
def test_every_kind_of_file_gives_the_same_numbers(tmp_path, suffix):
    table = read_table(write(tmp_path, suffix))
    np.testing.assert_array_equal(table.numbers("las"), [80.5, np.nan])
    assert table.numbers("words").tolist() == [100, 20]
    assert table.labels == ("A-X", "B-Y")
    assert table.numeric() == ["las", "words"]


def test_long_tables_of_measures_become_columns(tmp_path):
    measured = [
        {"measure": name, "treebank": code, "value": value, "n": 5}
        for name, code, value in (("edv", "A", 0.1), ("slv", "A", 2.0), ("edv", "B", 0.3))
    ]
    path = tmp_path / "m.json"
    path.write_text(json.dumps({"signature": "s", "measures": measured}))
    table = read_table(path)
    assert table.frame.columns == ["treebank", "edv", "slv"]
    np.testing.assert_array_equal(table.numbers("slv"), [2.0, np.nan])
    path.write_text(json.dumps(measured + measured[:1]))
    with pytest.raises(TreegaugeError, match="measure 'edv' of 'A' appears twice"):
        read_table(path)


@pytest.mark.parametrize("suffix", ["json", "csv"])
def test_what_measure_writes_can_be_read(tmp_path, suffix):
    found = measure("wde,words", *(synthetic(30, seed=seed) for seed in (1, 2, 3)))
    path = tmp_path / f"m.{suffix}"
    path.write_text(json.dumps(found.to_dict()) if suffix == "json" else found.to_csv())
    table = read_table(path)
    assert table.labels == ("syn-1", "syn-2", "syn-3")  # the average is no treebank
    own = [one.value["root"] for one in found.measured if one.measure == "wde"][:3]
    assert table.numbers("wde:root").tolist() == own
    assert (table.numbers("words") > 0).all()


def test_tables_join_by_name_whatever_their_order():
    left = as_table({"treebank": ["A", "B", "C"], "las": [1, 2, 3]}, "left")
    right = as_table(
        {"treebank": ["UD_C", "UD_B", "UD_D"], "edv": [0.3, 0.2, 0.4], "las": [9, 9, 9]}
    )
    joined = join_tables([left, right])
    assert joined.frame.columns == ["treebank", "las", "edv"]
    assert joined.frame.rows() == [
        ("A", 1, None),
        ("B", 2, 0.2),
        ("C", 3, 0.3),
        ("UD_D", None, 0.4),
    ]
    assert joined.source == "left + table"
    assert joined.name == "left+table"
    with pytest.raises(ChoiceError, match="unknown column to join on in left: 'code'"):
        join_tables([left, right], on="code")
    twice = as_table({"treebank": ["A", "UD_A"], "x": [1, 2]}, "twice")
    with pytest.raises(TreegaugeError, match="twice: 'A' has more than one row"):
        join_tables([left, twice])


def test_a_cell_that_is_no_number_is_named(tmp_path):
    path = tmp_path / "scores.csv"
    path.write_text("treebank,las\nA,80\nB,eighty\nC,70\n")
    with pytest.raises(
        TreegaugeError, match=r"scores.csv, row 2 \(B\), column 'las': 'eighty' is not a number"
    ):
        read_table(path).numbers("las")
    path.write_text("treebank,las\nA,80\nB,inf\n")
    with pytest.raises(TreegaugeError, match=r"row 2 \(B\), column 'las': 'inf'"):
        read_table(path).numbers("las")


def test_gaps_are_written_in_many_ways(tmp_path):
    path = tmp_path / "scores.csv"
    path.write_text("las,x\n80,1\nNA,2\n,3\nnan,4\nNone,5\n")
    table = read_table(path)
    assert np.isnan(table.numbers("las")).tolist() == [False, True, True, True, True]
    assert table.labels[1] == "row 2"
    assert table.complete(["las", "x"]).notes == (
        "left out for want of 'las': row 2, row 3, row 4, row 5",
    )


def test_columns_that_miss_the_same_rows_share_a_note():
    table = as_table(
        {"name": ["A", "B", "C"], "x": [1, None, 2], "y": [3, None, 4], "z": [None, 5, 6]}
    )
    assert table.complete(["x", "z", "y"]).notes == (
        "left out for want of 'x', 'y': B",
        "left out for want of 'z': A",
    )


def test_long_lists_of_rows_are_cut():
    table = as_table({"name": [f"T{i}" for i in range(12)], "x": [None] * 11 + [1.0]})
    assert table.complete(["x"]).notes == (
        "left out for want of 'x': T0, T1, T2, T3, T4, T5, T6, T7 and 3 more",
    )


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.csv", "", "the file is empty"),
        ("a.csv", "x,x\n1,2\n", "column 'x' appears more than once"),
        ("a.csv", "x,y\n", "the table has no rows"),
        ("a.csv", "x,y\n1,2\n3\n", "line 3: 1 cells, expected 2: x, y"),
        ("a.json", "{", "not a table"),
        ("a.json", '{"scores": []}', "the table has no rows|not a table"),
        ("a.parquet", "no", "not a readable Parquet file"),
        ("a.xlsx", "no", "unknown kind of table 'a.xlsx'.*choices: \\*.csv"),
    ],
)
def test_broken_files_say_what_is_broken(tmp_path, name, content, message):
    path = tmp_path / name
    path.write_text(content)
    with pytest.raises(TreegaugeError, match=message):
        read_table(path)


def test_files_that_cannot_be_read(tmp_path):
    with pytest.raises(TreegaugeError, match="No such file"):
        read_table(tmp_path / "none.csv")
    path = tmp_path / "latin.csv"
    path.write_bytes(b"name,x\nZ\xfcrich,1\n")
    with pytest.raises(TreegaugeError, match="not UTF-8"):
        read_table(path)
