"""The plain CSV of published scores, and the page that sums them up."""

import re

import polars as pl
import pytest

import treegauge as tg
from studies.published import study
from studies.published.scores import COLUMNS, CSV, checked
from tools.docs import tables
from treegauge.core.errors import TreegaugeError


def test_the_plain_table_is_the_packaged_one():
    frame = checked()
    plain = frame.with_columns(score=pl.Series(frame["score"].to_numpy() / 100))
    packaged = tg.data.published().select(COLUMNS)
    assert plain.sort(COLUMNS).equals(packaged.sort(COLUMNS))


@pytest.mark.parametrize(
    ("column", "value", "said"),
    [
        (6, "101.00", r":2: found score 101.00, expected at most 100"),
        (6, "0.875x", r":2: found score '0.875x'"),
        (6, "87.125", r":2: found score '87.125'"),
        (3, "raw", r":2: found input 'raw', expected raw text, gold tokens"),
        (4, "UD_Greek-GDT", r":2: found treebank 'UD_Greek-GDT', expected such as Greek-GDT"),
        (4, "el_gdt", r":2: found treebank 'el_gdt'"),
        (2, "r2.5", r":2: found release 'r2.5'"),
        (0, "", r":2: found system ''"),
    ],
)
def test_a_contributed_row_that_breaks_a_rule_is_named(tmp_path, column, value, said):
    cells = ["Mine", "1", "2.12", "raw text", "Greek-GDT", "LAS", "87.12"]
    cells[column] = value
    path = tmp_path / "scores.csv"
    path.write_text(f"{','.join(COLUMNS)}\n{','.join(cells)}\n")
    with pytest.raises(TreegaugeError, match=said):
        checked(path)


def test_a_score_is_there_once(tmp_path):
    path = tmp_path / "scores.csv"
    path.write_text("".join(CSV.read_text().splitlines(keepends=True)[i] for i in (0, 1, 1)))
    with pytest.raises(TreegaugeError, match=":3: found the score of line 2 again"):
        checked(path)


def test_the_page_is_what_the_script_writes():
    page, figures = study.text()
    assert study.PAGE.read_text() == tables.moved(page, study.PAGE.resolve())[0]
    assert all((study.IMAGES / f"{name}.svg").is_file() for name in figures)


def test_means_on_the_page_are_those_of_shared_treebanks():
    page = study.PAGE.read_text()
    frame = tg.data.published().filter(metric="LAS", release="2.12", input="raw text")
    wide = frame.pivot("system", index="treebank", values="score").drop_nulls()
    row = re.search(r"\| UDPipe 2 - Stanza 1\.5\.1 \| (\d+) \| ([\d.]+) \|", page)
    assert (int(row[1]), float(row[2])) == (
        wide.height,
        pytest.approx((wide["UDPipe 2"] - wide["Stanza"]).mean(), abs=0.005),
    )
