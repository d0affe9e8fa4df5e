"""The store: writing, reading, and a single writer."""

import math
import random
import shutil
import time
from dataclasses import replace
from datetime import UTC

import polars as pl
import pytest

from treegauge.core.errors import TreegaugeError
from treegauge.experiments.cell_store import Store
from treegauge.experiments.cells import Cell, CellBatch, Expansion, Setup
from treegauge.experiments.ledger import BusyError, Ledger
from treegauge.experiments.run import run
from treegauge.experiments.tasks import LedgerEntry, Report, perform

SETUPS = [
    Setup("curve", f"/data/{treebank}", parser, {"beam": beam}, usual_options={"beam": 8})
    for treebank in ("UD_B", "UD_A")
    for parser, beam in (("mst", 8), ("beam", 16), ("beam", 8))
]
CELLS = [Cell(setup, size, 0, seed) for setup in SETUPS for size in (100, 20, None) for seed in (1, 0)]


def filled(path, cells, value=lambda cell: cell.seed + (cell.size or 0) / 3):
    store = Store(path)
    with store.writing() as writer:
        for cell in cells:
            writer.record([LedgerEntry(cell, Report({"value": value(cell)}))], 1)
    return store


def test_results_do_not_depend_on_the_order_of_completion(tmp_path):
    texts = set()
    for number in range(3):
        shuffled = random.Random(number).sample(CELLS, len(CELLS))
        texts.add(filled(tmp_path / str(number), shuffled).results(provenance=False).write_csv())
    (text,) = texts
    rows = [line.split(",") for line in text.splitlines()]
    assert rows[0] == "task treebank parser options parameters data size sample seed value".split()
    fields = [(row[1], row[2], row[3], int(row[6] or 0), int(row[8])) for row in rows[1:]]
    assert fields == sorted(fields)
    assert len(fields) == len(CELLS)


def test_filters(tmp_path):
    store = filled(tmp_path / "s", CELLS)
    table = store.results(provenance=False)
    some = store.results(provenance=False, treebank="UD_A", parser=["beam"], size=[20, 100], seed=1)
    told = (pl.col("treebank") == "UD_A") & (pl.col("parser") == "beam")
    wanted = table.filter(told, pl.col("size").is_in([20, 100]), pl.col("seed") == 1)
    assert some.equals(wanted)
    assert len(some) == 4
    assert store.results(treebank="UD_[C-Z]*").is_empty()
    with pytest.raises(TreegaugeError, match="unknown filter 'treebnak'; did you mean 'treebank'"):
        store.results(treebnak="x")


def test_numbers_come_back_as_they_were(tmp_path):
    numbers = [0.1 + 0.2, 1 / 3, 1e-300, -0.0, 2**53 + 1.0, 87.65432109876543]
    cells = [Cell(SETUPS[0], None, 0, seed) for seed in range(len(numbers))]
    store = filled(tmp_path / "s", cells, lambda cell: numbers[cell.seed])
    assert store.results()["value"].to_list() == numbers


def test_scalars_of_different_tasks_share_a_table(tmp_path):
    store = Store(tmp_path / "s")
    reports = [{"las": 80, "n": 3}, {"las": 80.5, "note": 'späť, "q"'}, {}, {"las": None}]
    with store.writing() as writer:
        entries = [LedgerEntry(Cell(SETUPS[0], None, 0, i), Report(r)) for i, r in enumerate(reports)]
        writer.record(entries, 1)
    assert store.results(provenance=False).select("las", "n", "note").rows() == [
        (80.0, 3, None), (80.5, None, "späť, \"q\""), (None, None, None), (None, None, None),
    ]  # fmt: skip


def test_provenance(room, tmp_path):
    from treegauge import __version__

    setup = Setup("chores:trivial", "none", files={})
    began = time.time()
    run(Expansion((CellBatch(setup, seeds=(5,)),)), tmp_path / "s", pool="inline")
    row = Store(tmp_path / "s").results().row(0, named=True)
    assert row["key"] == Cell(setup, None, 0, 5).key
    assert row["treegauge"] == __version__
    assert row["polars"] == pl.__version__
    assert row["peak"] > 10 << 20
    assert 0 <= row["seconds"] < 60
    assert abs(row["started"].replace(tzinfo=UTC).timestamp() - began) < 60
    assert {"host", "python", "numpy", "polars", "commit", "files"} <= row.keys()


def test_what_a_task_may_give():
    odd = perform(Cell(Setup("chores:odd", "none")))
    assert odd.scalars == {"nan": None, "count": 3, "share": 0.5, "none": None}
    assert type(odd.scalars["count"]) is int
    for task, message, lasting in (
        ("no_outcome", "task chores:no_outcome gave int, not an Outcome", True),
        ("taken", "the task's scalar 'seed' has the name of a column", True),
        ("raises", "RuntimeError: seed 0 is unlucky", False),
        ("exits", "SystemExit: 3", False),
    ):
        report = perform(Cell(Setup(f"chores:{task}", "none")))
        assert report.scalars is None
        assert message in report.error
        assert report.lasting == lasting


def test_texts_that_are_no_utf8_are_kept_readable(chores, tmp_path):
    done = run(chores("halves", 2), tmp_path / "s", pool="inline", retries=0)
    assert (done.done, done.failed) == (1, 1)
    assert Store(tmp_path / "s").results()["caf\\udce9"].to_list() == ["caf\\udce9"]
    assert Store(tmp_path / "s").failures()["error"][0].endswith("ValueError: caf\\udce9")


def test_files_that_changed_since_planning_are_refused(room):
    from treegauge.experiments.tasks import inventory

    place = str(room / "UD_A-X")
    files = dict(inventory(place).files)
    assert perform(Cell(Setup("chores:trivial", place, files=files))).error is None
    for name in ("a_x-ud-gone", "template mine"):  # on this machine there is none
        report = perform(Cell(Setup("chores:trivial", place, files=files | {name: "0" * 64})))
        assert report.error.startswith(f"{name} of ")
        assert "is not the file that the plan was made with" in report.error
    files["a_x-ud-test"] = "0" * 64
    report = perform(Cell(Setup("chores:trivial", place, files=files)))
    assert "a_x-ud-test" in report.error
    assert "is not the file that the plan was made with" in report.error


def test_failed_cells_are_no_results_and_a_later_success_replaces_them(tmp_path):
    store = Store(tmp_path / "s")
    cell = CELLS[0]
    with store.writing() as writer:
        writer.record([LedgerEntry(cell, Report(error="boom"), 2)], 1)
        batch = CellBatch(cell.setup, (cell.size,), (0,), (cell.seed,))
        assert writer.ledger.done(batch) == 0
        assert writer.ledger.failed(batch) == {(cell.size, 0, cell.seed)}
        assert writer.ledger.missing(batch) == [(cell.size, 0, cell.seed)]
    assert len(store) == 0
    assert store.results().is_empty()
    assert store.failures().select("attempts", "error").row(0) == (2, "boom")
    with store.writing() as writer:
        writer.record([LedgerEntry(cell, Report({"value": 1}))], 2)
    assert len(store) == 1
    assert store.failures().is_empty()


def test_missing_agrees_with_sets(tmp_path):
    draw = random.Random(1)
    setup = SETUPS[0]
    everything = [Cell(setup, size, sample, seed) for size in (None, 5, 9) for sample in (0, 1) for seed in range(4)]
    done = draw.sample(everything, 11)
    store = filled(tmp_path / "s", done)
    known = {(cell.size, cell.sample, cell.seed) for cell in done}
    with store.reading() as ledger:
        for _ in range(50):
            sizes, samples, seeds = (
                tuple(draw.sample(axis, draw.randint(1, len(axis)))) for axis in ([None, 5, 9], [0, 1], range(6))
            )
            batch = CellBatch(setup, sizes, samples, seeds)
            wanted = [point for point in batch.points() if point not in known]
            assert ledger.missing(batch) == wanted
            named = CellBatch(setup, named=tuple(batch.points()))
            assert ledger.missing(named) == wanted
            assert ledger.done(batch) == len(batch) - len(wanted)


def test_a_second_writer_is_told(tmp_path):
    store = Store(tmp_path / "s")
    with store.writing():
        assert store.in_use
        told = r"in use by process \d+ on .+ since 2.*UTC; wait"
        with pytest.raises(BusyError, match=told), store.writing():
            pass
        assert store.in_use
    assert not store.in_use


def test_what_is_no_store(tmp_path):
    with pytest.raises(TreegaugeError, match="is not a store: expected a folder with ledger"):
        Store(tmp_path).results()
    (tmp_path / "ledger.sqlite").write_text("hello, this is text and no ledger at all" * 40)
    with pytest.raises(TreegaugeError, match="file is not a database"):
        Store(tmp_path).results()
    new = tmp_path / "new"
    with Store(new).writing() as writer:
        writer.ledger.ask("PRAGMA user_version = 99")
    with pytest.raises(TreegaugeError, match=r"has format 99 of a later version .* upgrade treegauge"):
        Store(new).results()


def test_a_damaged_ledger_is_told(chores, tmp_path):
    run(chores("trivial", 2), tmp_path / "s", pool="inline")
    ledger = tmp_path / "s" / "ledger.sqlite"
    data = ledger.read_bytes()
    ledger.write_bytes(data[:4096] + bytes(len(data) - 4096))
    with pytest.raises(TreegaugeError, match=r"cannot read .*ledger.sqlite: .* malformed$"):
        run(chores("trivial", 3), tmp_path / "s", pool="inline")


def test_where_nothing_can_be_written_all_that_is_done_is_read(tmp_path, monkeypatch):
    """Also what a driver that was killed left in the log beside the ledger."""
    store = Store(tmp_path / "s")
    with store.writing() as writer:
        writer.record([LedgerEntry(CELLS[0], Report({"value": 1}))], 1)
        shutil.copytree(store.path, tmp_path / "killed")
    monkeypatch.setattr("os.access", lambda *_: False)
    assert len(Store(tmp_path / "killed")) == len(store) == 1


def test_words_that_are_gone_are_told(chores, tmp_path):
    store = Store(tmp_path / "s")
    run(chores("wordy", 1), store, pool="inline")
    run(chores("trivial", 1), store, pool="inline")
    wordy, trivial = (store.results(task=f"*:{name}")["key"][0] for name in ("wordy", "trivial"))
    store.words_path(wordy).unlink()
    assert store.words(trivial) is None
    with pytest.raises(TreegaugeError, match="parquet is missing; treegauge store gc removes cells"):
        store.words(wordy)


def test_a_transaction_that_fails_leaves_nothing(tmp_path):
    store = filled(tmp_path / "s", CELLS[:2])
    bad = Report({"value": math.inf})  # JSON has no word for it, so that the second row fails
    with store.writing() as writer:
        fresh = replace(SETUPS[0], parser="new")
        with pytest.raises(ValueError, match="JSON"):
            writer.record([LedgerEntry(Cell(fresh), Report({"value": 1})), LedgerEntry(CELLS[3], bad)], 1)
        assert len(store) == 2
        writer.record([LedgerEntry(Cell(fresh), Report({"value": 1}))], 1)
    assert store.results(parser="new")["value"].to_list() == [1]


def test_a_large_ledger_is_quick(tmp_path):
    """40,000 cells here; a million in tools/bench/ledger.py."""
    setups = [replace(SETUPS[0], treebank=f"UD_{i}") for i in range(20)]
    batches = [CellBatch(setup, (10, 20), (0,), tuple(range(1000))) for setup in setups]
    store = Store(tmp_path / "s")
    with store.writing() as writer:
        for batch in batches:
            cells = (LedgerEntry(cell, Report({"las": cell.seed / 7})) for cell in batch.cells())
            writer.record(list(cells)[:-1], 1)
    began = time.process_time()
    ledger = Ledger(store.ledger_path)
    assert [ledger.missing(batch) for batch in batches] == [[(20, 0, 999)]] * 20
    ledger.close()
    frame = store.results(treebank="UD_7", size=20)
    assert time.process_time() - began < 1
    assert frame["las"].to_list() == [seed / 7 for seed in range(999)]
    assert len(store) == 20 * 1999
