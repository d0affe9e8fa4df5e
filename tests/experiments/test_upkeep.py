"""Stores merged, and swept."""

import pytest

from treegauge.experiments.cells import Batch, Expansion
from treegauge.experiments.ledger import Entry
from treegauge.experiments.locking import BusyError
from treegauge.experiments.running import run
from treegauge.experiments.store import Store
from treegauge.experiments.tasks import Report
from treegauge.experiments.upkeep import merge, sweep
from treegauge.results.errors import TreegaugeError


def part(plan, seeds):
    (batch,) = plan.batches
    return Expansion((Batch(batch.setup, seeds=tuple(seeds)),))


def csv(store):
    return store.results(provenance=False).write_csv()


def test_halves_merged_are_the_whole(chores, tmp_path):
    plan = chores("wordy", 6)
    whole, left, right, both = (Store(tmp_path / name) for name in "wlrb")
    run(plan, whole, pool="inline")
    run(part(plan, range(4)), left, pool="inline")
    run(part(plan, range(2, 6)), right, pool="inline")
    found = merge(both, [left, right])
    assert found.table.select("added", "known").rows() == [(4, 0), (2, 2)]
    assert csv(both) == csv(whole)
    for key in both.results()["key"]:
        assert both.words_path(key).read_bytes() == whole.words_path(key).read_bytes()
    assert run(plan, both, pool="inline").reused == 6
    hosts = both.results().select("seed", "key", "started", "seconds", "host", "polars")
    assert hosts.filter(hosts["seed"] > 3).equals(
        right.results().select(hosts.columns).filter(right.results()["seed"] > 3)
    )
    assert merge(left, [right]).table.row(0)[1:] == (2, 2)
    assert csv(left) == csv(whole)


def test_done_wins_over_failed(chores, tmp_path):
    plan = chores("noted", 2)
    cells = list(plan.cells())
    good, bad = Store(tmp_path / "g"), Store(tmp_path / "b")
    for store, reports in ((good, [Report({"square": 0}), Report(error="late")]),
                           (bad, [Report(error="boom"), Report({"square": 1})])):  # fmt: skip
        with store.writing() as writer:
            writer.record([Entry(c, r) for c, r in zip(cells, reports, strict=True)], 1)
    for into, other in ((good, bad), (bad, good)):
        merge(into, [other])
        assert into.results()["square"].to_list() == [0, 1]
        assert into.failures().is_empty()


def test_two_results_for_one_cell_are_an_error(chores, tmp_path):
    plan = chores("noted", 3)
    stores = [Store(tmp_path / name) for name in "ab"]
    for number, store in enumerate(stores):
        with store.writing() as writer:
            cells = list(plan.cells())[: 2 + number]
            writer.record([Entry(c, Report({"square": 7 + number * c.seed})) for c in cells], 1)
    message = (
        "1 cells of .*b have other results than in .*a, first chores:noted none 1: .*8.* and .*7"
    )
    with pytest.raises(TreegaugeError, match=message):
        merge(stores[0], [stores[1]])
    assert len(stores[0]) == 2


def test_merging_mistakes(chores, tmp_path):
    run(chores("noted", 1), tmp_path / "a", pool="inline")
    with pytest.raises(TreegaugeError, match="cannot be merged into itself"):
        merge(Store(tmp_path / "a"), [Store(tmp_path / "a")])
    with pytest.raises(TreegaugeError, match="is no store"):
        merge(Store(tmp_path / "new"), [Store(tmp_path / "missing")])
    assert not (tmp_path / "new").exists()


def test_sweeping(chores, tmp_path):
    plan, store = chores("wordy", 4), Store(tmp_path / "s")
    run(plan, store, pool="inline")
    before = csv(store)
    stray = store.words_path("ab" + "0" * 30)
    stray.parent.mkdir(exist_ok=True)
    stray.write_bytes(b"12345")
    (stray.parent / ".half").write_bytes(b"123")
    for pretend in (True, False):
        found = sweep(store, pretend=pretend)
        assert (found.cells, found.files, found.bytes) == (0, 2, 8)
        assert stray.exists() == pretend
    assert csv(store) == before
    keep = part(plan, [1, 2, 9])
    assert sweep(store, [keep], pretend=True).cells == 2
    assert csv(store) == before
    found = sweep(store, [keep])
    assert (found.cells, found.files) == (2, 2)
    assert store.results()["seed"].to_list() == [1, 2]
    assert all(store.words(key) is not None for key in store.results()["key"])
    assert sweep(store, [keep]).files == 0
    assert len(list((store.path / "words").rglob("*.parquet"))) == 2
    with store.writing(), pytest.raises(BusyError):
        sweep(store)


def test_cells_without_their_words_go_and_are_made_anew(chores, tmp_path):
    plan, store = chores("wordy", 3), Store(tmp_path / "s")
    run(plan, store, pool="inline")
    before, key = csv(store), store.results(seed=1)["key"][0]
    words = store.words_path(key).read_bytes()
    store.words_path(key).unlink()
    assert sweep(store, pretend=True).cells == 1
    assert sweep(store).cells == 1
    assert store.results()["seed"].to_list() == [0, 2]
    assert run(plan, store, pool="inline").done == 1
    assert (csv(store), store.words_path(key).read_bytes()) == (before, words)


def test_cells_of_no_plan_and_their_setups_go(chores, tmp_path):
    store = Store(tmp_path / "s")
    run(chores("noted", 2), store, pool="inline")
    run(chores("trivial", 2), store, pool="inline")
    sweep(store, [chores("trivial", 2)])
    assert store.results()["task"].to_list() == ["chores:trivial"] * 2
    with store.reading() as ledger:
        assert ledger.ask("SELECT count(*) FROM setups") == [(1,)]
