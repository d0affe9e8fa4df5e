"""The table of counts: valid and invalid tables, and no lost counts."""

import re

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from treegauge.core.errors import ChoiceError, TreegaugeError
from treegauge.learning.curves.class_counts import ALL, COLUMNS, attachments, joined_counts, read_attachments

from .conftest import table


def frame(*rows):
    return pl.DataFrame(rows, schema=COLUMNS, orient="row")


GOOD = ("UD_A-B", "beam", 5, 0, "all", 40, 100)


@pytest.mark.parametrize("ending", [".csv", ".parquet"])
@pytest.mark.parametrize("wide", [True, False])
def test_what_is_written_is_read_again(tmp_path, two, ending, wide):
    path = tmp_path / f"counts{ending}"
    if wide:
        two.save(path)
    elif ending == ".csv":
        two.frame.write_csv(path)
    else:
        two.frame.write_parquet(path)
    assert read_attachments(path).frame.equals(two.frame)


def test_the_wide_table_is_far_smaller(tmp_path):
    names = [f"NOUN × head {i}" for i in range(20)]
    counts = table({("UD_A-B", "beam"): {name: lambda n: 50.0 for name in names}}, samples=5)
    counts.save(tmp_path / "wide.csv")
    assert len(counts.table.write_csv()) > 6 * (tmp_path / "wide.csv").stat().st_size


def test_cells_that_were_not_run_are_empty(tmp_path):
    counts = attachments(frame(GOOD, ("UD_C-D", "beam", 10, 1, "all", 7, 9)))
    counts.save(tmp_path / "a.csv")
    assert "UD_A-B,beam,all,100,40,\n" in (tmp_path / "a.csv").read_text()
    assert read_attachments(tmp_path / "a.csv").frame.equals(counts.frame)


def test_an_empty_class_is_all_words():
    assert attachments(frame((*GOOD[:4], "", 40, 100))).frame["class"].to_list() == [ALL]


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([(*GOOD[:5], 101, 100)], "more correct words than words"),
        ([(*GOOD[:5], -1, 100)], "a negative number"),
        ([("A", "beam", 0, 0, "all", 1, 2)], "a size below 1"),
        ([GOOD, GOOD], "given twice"),
        ([(*GOOD[:4], "DET", 1, 2)], "no row of class 'all'"),
        ([GOOD, ("UD_A-B", "beam", 10, 0, "all", 40, 99)], "several totals"),
        ([GOOD, (GOOD[0], "mst", *GOOD[2:5], 40, 99)], "several totals"),
        ([(*GOOD[:5], None, 100)], "an empty number"),
    ],
)
def test_impossible_tables_are_refused(rows, message):
    with pytest.raises(TreegaugeError, match=message):
        attachments(frame(*rows))


def test_missing_columns_and_words_for_numbers_are_refused(tmp_path):
    with pytest.raises(TreegaugeError, match="no column total"):
        attachments(frame(GOOD).drop("total"))
    with pytest.raises(TreegaugeError, match="whole numbers"):
        attachments(frame(GOOD).with_columns(pl.lit("x").alias("total")))
    with pytest.raises(TreegaugeError, match="no rows"):
        attachments(frame(GOOD).clear())
    with pytest.raises(ChoiceError, match="kind of table"):
        read_attachments(tmp_path / "a.doc")
    with pytest.raises(TreegaugeError, match="No such file"):
        read_attachments(tmp_path / "a.csv")


def test_select_names_what_there_is(two):
    assert two.select(sizes=[5, 10]).sizes == [5, 10]
    with pytest.raises(ChoiceError, match="unknown parser 'bean'; did you mean 'beam'"):
        two.select(parsers=["bean"])


@settings(max_examples=20, deadline=None)
@given(st.permutations(range(4)))
def test_the_order_of_parts_makes_no_difference(order):
    whole = table({(f"T{i}", "beam"): {"x": lambda n: 50.0} for i in range(4)})
    parts = [whole.select(treebanks=[f"T{i}"]) for i in order]
    assert joined_counts(parts).frame.equals(whole.frame)


def test_files_are_joined_if_they_share_classes(tmp_path):
    curve = {"x": lambda n: 50.0, "y": lambda n: 60.0}
    whole = table({("A", "beam"): curve, ("B", "beam"): curve})
    parts = []
    for name in ("A", "B"):
        whole.select(treebanks=[name]).save(tmp_path / f"{name}.csv")
        parts.append(read_attachments(tmp_path / f"{name}.csv"))
    both = joined_counts(parts)
    assert both.frame.equals(whole.frame)
    assert re.fullmatch(r".*\|counts:A\.csv\+B\.csv#\w{6}", both.signature)
    table({("C", "beam"): {"z": lambda n: 50.0}}).save(tmp_path / "C.csv")
    with pytest.raises(TreegaugeError, match="different classes of words: x, y and z"):
        joined_counts([*parts, read_attachments(tmp_path / "C.csv")])


def test_counts_of_different_things_are_not_joined(two):
    other = attachments(two.frame, source="test", metric="LAS")
    with pytest.raises(TreegaugeError, match="counted differently"):
        joined_counts([two, other])


def test_parsers_may_have_classes_of_other_sizes():
    other = (GOOD[0], "mst", *GOOD[2:])
    rows = [GOOD, other, (*GOOD[:4], "simple", 1, 2), (*other[:4], "simple", 1, 3)]
    assert attachments(frame(*rows)).parsers == ["beam", "mst"]
    with pytest.raises(TreegaugeError, match=r"class 'simple'.*several totals"):
        attachments(frame(*rows, (*GOOD[:2], 10, *GOOD[3:]), (*GOOD[:2], 10, 0, "simple", 1, 4)))
