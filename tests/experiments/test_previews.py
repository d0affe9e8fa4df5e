"""Dry runs: finished cells, cells to run and why."""

import shutil

import pytest

from treegauge.experiments import cells as identity
from treegauge.experiments.cell_store import Store
from treegauge.experiments.plans import Plan, grid
from treegauge.experiments.previews import preview
from treegauge.experiments.run import run
from treegauge.experiments.store import store as status
from treegauge.experiments.tasks import LedgerEntry, Report


@pytest.fixture
def world(room, tmp_path):
    """A plan that was run, and a way to change it."""
    shutil.copytree(room / "UD_A-X", tmp_path / "UD_A-X")
    store = Store(tmp_path / "s")

    def plan(options=None, treebank="UD_A-X", **more):
        parsers = [{"name": "beam", "options": {"epochs": 1, **(options or {})}}]
        wanted = {"sizes": [10, 20], "samples": 2, **more}
        return Plan((grid("curve", treebank, parsers=parsers, **wanted),), root=str(tmp_path))

    run(plan(), store, pool="inline")
    return store, plan, tmp_path


def reasons(store, plan):
    found = preview(plan.expand(), store)
    assert found.total == found.done + found.failed + found.new
    assert sum(count for _, count in found.reasons) == found.failed + found.new
    return found.done, dict(found.reasons)


def test_nothing_changed(world):
    store, plan, _ = world
    assert reasons(store, plan()) == (4, {})
    again = run(plan(), store, pool="inline")
    assert (again.reused, again.done) == (4, 0)


def test_more_sizes_and_seeds_run_only_what_is_new(world):
    store, plan, _ = world
    larger = plan(sizes=[10, 20, 30], seeds=[0, 5])
    told = {"new size 30": 2, "new seed 5": 4, "new size 30; new seed 5": 2}
    assert reasons(store, larger) == (4, told)
    assert reasons(store, plan(sizes=[10, 20, 30, 40])) == (4, {"new sizes 30, 40": 4})
    assert reasons(store, plan(samples=[1, 2])) == (2, {"new sample 2": 2})
    done = run(larger, store, pool="inline")
    assert (done.reused, done.done) == (4, 8)


def test_an_option_changed(world):
    store, plan, _ = world
    assert reasons(store, plan({"beam": 2})) == (0, {"option beam: 8 before, 2 now": 4})
    done = run(plan({"beam": 2}), store, pool="inline")
    assert (done.reused, done.done) == (0, 4)
    # Now the nearest of the old ones is that with a beam of 2.
    both = {"option epochs: 1 before, 2 now": 4}
    assert reasons(store, plan({"beam": 2, "epochs": 2})) == (0, both)
    several = {"option beam: 8 before, 4 now; option epochs: 1 before, 3 now": 4}
    found = reasons(store, plan({"beam": 4, "epochs": 3}))[1]
    assert found in (several, {next(iter(several)).replace("8 before", "2 before"): 4})
    nested = {"parameter nested: false before, true now": 4}
    assert reasons(store, plan(parameters={"nested": True})) == (0, nested)


def test_a_number_of_another_kind(room, tmp_path):
    store = Store(tmp_path / "s")

    def plan(value):
        one = grid("chores:trivial", "UD_A-X", parameters={"x": value})
        return Plan((one,), root=str(room))

    run(plan(1), store, pool="inline")
    assert reasons(store, plan(1.0)) == (0, {"parameter x: 1 before, 1.0 now": 1})


def test_bytes_changed(world):
    store, plan, root = world
    path = root / "UD_A-X" / "a_x-ud-test.conllu"
    old = path.read_bytes()
    path.write_bytes(old + old)
    assert reasons(store, plan()) == (0, {"bytes of a_x-ud-test changed": 4})
    assert run(plan(), store, pool="inline").done == 4
    path.write_bytes(old)
    assert reasons(store, plan()) == (4, {})
    (root / "UD_A-X" / "a_x-ud-dev.conllu").unlink()
    assert reasons(store, plan()) == (0, {"file a_x-ud-dev disappeared": 4})


def test_another_major_version(world, monkeypatch):
    store, plan, _ = world
    monkeypatch.setattr(identity, "__version__", "3.2.1")
    assert reasons(store, plan()) == (0, {"treegauge 0.x before, 3.x now": 4})
    done = run(plan(), store, pool="inline")
    assert (done.reused, done.done) == (0, 4)


def test_new_treebanks_and_parsers(world, room):
    store, plan, root = world
    shutil.copytree(room / "UD_B-X", root / "UD_B-X")
    assert reasons(store, plan(treebank="UD_*")) == (4, {"new treebank UD_B-X": 4})
    mst = Plan((grid("curve", "UD_A-X", parsers=["mst"], sizes=[10]),), root=str(root))
    assert reasons(store, mst) == (0, {"new parser mst": 1})


def test_failed_cells_are_tried_again(world):
    store, plan, _ = world
    cell = next(plan(sizes=[30]).expand().cells())
    with store.writing() as writer:
        writer.record([LedgerEntry(cell, Report(error="boom"))], 9)
    assert reasons(store, plan(sizes=[30])) == (0, {"failed before": 1, "not run yet": 1})


def test_a_new_store(world, tmp_path):
    _, plan, _ = world
    found = preview(plan().expand(), Store(tmp_path / "nowhere"))
    assert (found.total, found.new) == (4, 4)
    assert str(found).splitlines()[1].split(maxsplit=1) == ["4", "never run: the store is new"]
    assert not (tmp_path / "nowhere").exists()


def test_status_counts(world):
    store, plan, _ = world
    cell = next(plan(sizes=[30]).expand().cells())
    with store.writing() as writer:
        writer.record([LedgerEntry(cell, Report(error="boom"))], 1)
    found = status(store)
    assert found.table.select("task", "parser", "done", "failed").rows() == [("curve", "beam", 4, 1)]
    assert (found.run.total, found.run.done, found.run.failed, found.run.state) == (4, 4, 1, "finished")
    assert "4 done, 1 failed" in str(found)
    assert found.to_dict()["run"]["rate"] > 0
