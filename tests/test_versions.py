"""Files of earlier versions are read, or refused with what to do.

``tests/versions`` holds small files that treegauge 0.1 and 0.2 wrote: ``run`` of a plan (store),
``train beam`` (beam.model), ``score`` and ``measure`` (JSON, CSV), ``split`` (manifest.json),
``map --recording`` and ``curve counts``, all of the invented treebank UD_X-Y.
"""

import shutil
import sqlite3
from pathlib import Path

import pytest

import treegauge as tg
from treegauge.core.errors import TreegaugeError, check_format
from treegauge.core.reading import read_file
from treegauge.learning.dynamics.recording import Recording

HOME = Path(__file__).parent / "versions"
TREEBANK = HOME / "UD_X-Y"
VERSIONS = ["0.1", "0.2"]
#: Of the single cell in the store, by version.
LAS = {"0.1": 69.12, "0.2": 69.12}


@pytest.fixture(params=VERSIONS)
def home(request, tmp_path) -> Path:
    """A copy of a version's files: reading a store leaves files of its own there."""
    return Path(shutil.copytree(HOME / request.param, tmp_path / request.param))


def test_every_version_has_files():
    assert sorted(path.name for path in HOME.iterdir()) == [*VERSIONS, "UD_X-Y"]
    assert ".".join(tg.__version__.split(".")[:2]) in VERSIONS


def test_stores(home):
    assert tg.store(home / "store").table["done"].to_list() == [1]
    results = tg.results(home / "store").table
    assert results["LAS"].to_list() == pytest.approx([LAS[home.name]], abs=0.005)


def test_stores_grow(home, tmp_path):
    shutil.copytree(HOME / "0.2" / "store", tmp_path / "more")
    merged = tg.store.merge(home / "store", tmp_path / "more").table
    assert merged["added"][0] + merged["known"][0] == 1


def test_stores_of_other_formats_are_refused_with_what_to_do(tmp_path):
    store = shutil.copytree(HOME / "0.2" / "store", tmp_path / "store")
    for version, advice in ((99, "pip install --upgrade"), (1, "run the plan into a new store")):
        with sqlite3.connect(store / "ledger.sqlite") as base:
            base.execute(f"PRAGMA user_version = {version}")
        with pytest.raises(TreegaugeError, match=rf"has format {version} .*{advice}"):
            tg.results(store)


def test_models(home):
    test = TREEBANK / "x_y-ud-test.conllu"
    if home.name == "0.1":
        with pytest.raises(TreegaugeError, match=r"format 1 of an earlier .*train the model again"):
            tg.parse(home / "beam.model", test)
    else:
        assert tg.parse(home / "beam.model", test).treebank.n_words == 68


def test_tables(home):
    for name in ("score.json", "score.csv"):
        table = read_file(home / name).frame
        assert {"treebank", "system", "metric", "score"} <= set(table.columns)
    assert read_file(home / "measure.json").frame["value"].to_list()[:2] == [12, 183]
    assert tg.curve.counts(home / "counts.csv").table["total"].sum() > 0


def test_manifests(home, tmp_path):
    split = tg.split(TREEBANK / "x_y-ud-train.conllu", manifest=home / "manifest.json")
    assert split.table["sentences"].to_list() == [7, 3, 2]


def test_recordings(home):
    assert Recording.load(home / "recording.npz").probability("head").shape == (2, 183)


def test_what_names_no_format_was_not_written_by_treegauge():
    with pytest.raises(TreegaugeError, match="was not written by treegauge"):
        check_format("a", None, 1, "")
