"""Stores merged into one."""

import pytest

from treegauge.core.errors import TreegaugeError
from treegauge.experiments.cell_store import Store
from treegauge.experiments.cells import CellBatch, Expansion
from treegauge.experiments.run import run
from treegauge.experiments.store import merge
from treegauge.experiments.tasks import LedgerEntry, Report


def part(plan, seeds):
    (batch,) = plan.batches
    return Expansion((CellBatch(batch.setup, seeds=tuple(seeds)),))


def csv(store):
    return store.results(provenance=False).write_csv()


def test_halves_merged_are_the_whole(chores, tmp_path):
    plan = chores("wordy", 6)
    whole, left, right, both = (Store(tmp_path / name) for name in "wlrb")
    run(plan, whole, pool="inline")
    run(part(plan, range(4)), left, pool="inline")
    run(part(plan, range(2, 6)), right, pool="inline")
    found = merge(left, right, out=both)
    assert found.table.select("added", "known").rows() == [(4, 0), (2, 2)]
    assert csv(both) == csv(whole)
    for key in both.results()["key"]:
        assert both.words_path(key).read_bytes() == whole.words_path(key).read_bytes()
    assert run(plan, both, pool="inline").reused == 6
    hosts = both.results().select("seed", "key", "started", "seconds", "host", "polars")
    assert hosts.filter(hosts["seed"] > 3).equals(
        right.results().select(hosts.columns).filter(right.results()["seed"] > 3)
    )
    assert merge(left, right).table.row(0)[1:] == (2, 2)
    assert csv(left) == csv(whole)


def test_done_wins_over_failed(chores, tmp_path):
    plan = chores("noted", 2)
    cells = list(plan.cells())
    good, bad = Store(tmp_path / "g"), Store(tmp_path / "b")
    for store, reports in ((good, [Report({"square": 0}), Report(error="late")]),
                           (bad, [Report(error="boom"), Report({"square": 1})])):  # fmt: skip
        with store.writing() as writer:
            writer.record([LedgerEntry(c, r) for c, r in zip(cells, reports, strict=True)], 1)
    for into, other in ((good, bad), (bad, good)):
        merge(into, other)
        assert into.results()["square"].to_list() == [0, 1]
        assert into.failures().is_empty()


def test_two_results_for_one_cell_are_an_error(chores, tmp_path):
    plan = chores("noted", 3)
    stores = [Store(tmp_path / name) for name in "ab"]
    for number, store in enumerate(stores):
        with store.writing() as writer:
            cells = list(plan.cells())[: 2 + number]
            writer.record([LedgerEntry(c, Report({"square": 7 + number * c.seed})) for c in cells], 1)
    message = "1 cells of .*b have different results in .*a, first chores:noted none 1: .*8.* and .*7"
    with pytest.raises(TreegaugeError, match=message):
        merge(stores[0], stores[1])
    assert len(stores[0]) == 2


def test_merging_mistakes(chores, tmp_path):
    run(chores("noted", 1), tmp_path / "a", pool="inline")
    with pytest.raises(TreegaugeError, match="cannot be merged into itself"):
        merge(Store(tmp_path / "a"), Store(tmp_path / "a"))
    with pytest.raises(TreegaugeError, match="is not a store"):
        merge(Store(tmp_path / "new"), Store(tmp_path / "missing"))
    assert not (tmp_path / "new").exists()


def test_merging_by_command(command, plan):
    text = plan.read_text()
    for name, treebank in (("a", "UD_A-X"), ("b", "UD_B-Y")):
        plan.write_text(text.replace("UD_*", treebank))
        assert command("run", plan, "--store", name).code == 0
    plan.write_text(text)
    assert command("run", plan, "--store", "whole").code == 0
    assert command("store", "merge", "a", "b", "--out", "both").code == 0
    texts = [command("results", s, "--format", "csv").out for s in ("both", "whole")]
    assert texts[0] == texts[1]
    assert command("store", "merge", "a", "b").code == 0
    assert command("results", "a", "--format", "csv").out == texts[0]
    assert "expected stores to merge" in command("store", "merge", "a").err
