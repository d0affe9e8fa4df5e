"""Every result is a table for other libraries, a figure where it has one, and files of both."""

import pandas as pd
import polars as pl
import pytest

import treegauge as tg
from treegauge.core.errors import ChoiceError
from treegauge.core.file_kinds import FIGURE, PAGE, content_kind
from treegauge.core.result import Figure
from treegauge.testing.synthetic import synthetic

GOLD = synthetic(30, seed=1)


@pytest.fixture(scope="module")
def scores():
    return tg.score(GOLD, {"a": GOLD, "b": GOLD}, resamples=50)


def test_other_libraries_of_frames_read_a_result(scores):
    frame = pl.DataFrame(scores)
    assert frame.equals(scores.table)
    assert pd.DataFrame.from_arrow(scores)["f1"].tolist() == frame["f1"].to_list()


def test_duckdb_reads_a_result(scores):
    duckdb = pytest.importorskip("duckdb")
    found = duckdb.sql("SELECT system, f1 FROM scores WHERE metric = 'LAS' ORDER BY system").fetchall()
    assert found == [("a", 100.0), ("b", 100.0)]


@pytest.mark.parametrize("result", [lambda: tg.rank("conll18", size=10, subsets=20), lambda: tg.measure("wde", GOLD)])
def test_a_result_gives_its_figure(result):
    figure = result().plot(dark=True)
    assert isinstance(figure, Figure)
    assert figure["usermeta"]["signature"]


@pytest.mark.parametrize("ending", ["svg", "png", "pdf"])
def test_a_figure_is_saved_by_the_ending_of_its_file(scores, ending, tmp_path):
    path = tmp_path / f"scores.{ending}"
    scores.save(path)
    assert content_kind(path) == FIGURE
    path.write_text("my notes")
    with pytest.raises(tg.TreegaugeError, match="force"):
        scores.save(path)
    scores.save(path, force=True)
    assert content_kind(path) == FIGURE


def test_html_has_the_figure_above_the_table(scores, tmp_path):
    path = tmp_path / "scores.html"
    scores.save(path)
    scores.save(path)
    text = path.read_text(encoding="utf-8")
    assert content_kind(path) == PAGE
    assert 0 < text.index("<svg") < text.index("<table")


def test_a_result_without_a_figure_says_so_and_saves_its_table(tmp_path):
    changes = tg.diff(synthetic(20, seed=1), synthetic(20, seed=1))
    with pytest.raises(ChoiceError, match="kind of result with a figure"):
        changes.save(tmp_path / "a.svg")
    assert not any(tmp_path.iterdir())
    changes.save(tmp_path / "a.html")
    assert (tmp_path / "a.html").read_text(encoding="utf-8") == f"{changes.to_html()}\n"


def test_a_notebook_shows_a_picture(scores, monkeypatch):
    figure = scores.plot()
    assert figure._repr_mimebundle_()["image/svg+xml"].startswith("<svg")
    monkeypatch.setitem(__import__("sys").modules, "vl_convert", None)
    assert figure._repr_mimebundle_()["application/vnd.vegalite.v5+json"] == dict(figure)
