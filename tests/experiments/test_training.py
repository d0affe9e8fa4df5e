"""Cells that a verb runs by itself, and their recordings."""

from importlib import import_module

import pytest

from treegauge.core.errors import TreegaugeError
from treegauge.experiments.cell_store import Store
from treegauge.experiments.cells import Cell
from treegauge.experiments.plans import Plan, grid, make_setup
from treegauge.experiments.store import gc, merge
from treegauge.experiments.tasks import BUILT_IN
from treegauge.experiments.training import run_cells
from treegauge.testing.synthetic import synthetic


def recorded(log, seeds=(0, 1)):
    setup = make_setup("chores:recorded", synthetic(5, seed=1), parameters={"log": str(log)})
    return [Cell(setup, seed=seed) for seed in seeds]


def test_a_verb_runs_cells_and_gets_what_they_gave(tmp_path):
    cells = recorded(tmp_path / "log", [3, 1])
    first, second = run_cells(cells)
    assert (first.cell, second.cell) == tuple(cells)
    assert first.scalars == {"number": 3}
    assert first.words["x"].to_list() == [3]
    assert second.recordings == {"all": b"recording 1", "dev": b"dev"}


@pytest.mark.parametrize("pool", ["inline", "process"])
def test_cells_in_a_store_are_not_run_again(tmp_path, notes, pool):
    cells = recorded(tmp_path / "log")
    before = run_cells(cells, tmp_path / "s", pool=pool, workers=1)
    again = run_cells(cells, tmp_path / "s")
    assert [one.recordings for one in again] == [one.recordings for one in before]
    assert len(notes()) == 2


def test_a_cell_that_fails_is_an_error(tmp_path):
    setup = make_setup("chores:refuses", synthetic(5, seed=1), parameters={"log": str(tmp_path / "log")})
    with pytest.raises(TreegaugeError, match="no such thing"):
        run_cells([Cell(setup)])


def test_a_further_treebank_is_part_of_the_cell(room, monkeypatch):
    monkeypatch.setitem(BUILT_IN, "borrowed", import_module("chores").BORROWED)
    plan = Plan((grid("borrowed", ["UD_A-X"], parameters={"source": ["UD_B-X", "UD_C-Tiny"]}),), root=str(room))
    cells = list(plan.expand().cells())
    assert [cell.extra["source"] for cell in cells] == ["UD_B-X", "UD_C-Tiny"]
    assert "UD_B-X/b_x-ud-train" in cells[0].setup.files
    assert [one.scalars["sentences"] for one in run_cells(cells)] == [40, 12]


def test_merging_and_sweeping_know_recordings(tmp_path):
    cells = recorded(tmp_path / "log")
    store, other = Store(tmp_path / "a"), Store(tmp_path / "b")
    run_cells(cells[:1], store)
    run_cells(cells[1:], other)
    merge(store, other)
    assert store.recordings(cells[1].key)["dev"] == b"dev"
    assert gc(store).files == 0
    store.recording_path(cells[1].key, "dev").unlink()
    with pytest.raises(TreegaugeError, match="is missing"):
        store.recordings(cells[1].key)
    assert (swept := gc(store)).cells == 1 and swept.files == 2
