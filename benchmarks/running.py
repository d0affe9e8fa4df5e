"""What running a plan costs beside its cells, and what a ledger of a million cells does.

``python -m benchmarks.running [CELLS]``: cells for the overhead, by default 300 for processes and
2,000 for dask.
"""

import sys
import tempfile
import time
from pathlib import Path

from benchmarks.measuring import tell
from benchmarks.tables import Section, Target
from treegauge.experiment.batches import Batch, Expansion
from treegauge.experiment.cells import Cell, Outcome, Setup
from treegauge.experiment.ledger import Entry, Ledger
from treegauge.experiment.running import run as run_plan
from treegauge.experiment.store import Store
from treegauge.experiment.work import Report

COUNTS = {"process": 300, "dask": 2000}
LIMITS = {"process": 0.15, "dask": 0.005}
WORKERS = 2
TREEBANKS, PARSERS, SIZES, SAMPLES, SEEDS = 100, 5, 10, 10, 20
LIMIT = 2.0


def nothing(cell: Cell) -> Outcome:
    """Do nothing, so that all time is overhead."""
    return Outcome({"value": cell.seed})


def overhead(pool: str, cells: int) -> tuple[float, float]:
    """Return seconds from one cell to the next, and of starting the pool up to the first."""
    tell(f"running: {cells} empty cells, {pool}")
    ended: list[tuple[int, float]] = []
    setup = Setup("benchmarks.running:nothing", "none")
    plan = Expansion((Batch(setup, seeds=tuple(range(cells))),))
    start = time.perf_counter()
    with tempfile.TemporaryDirectory(prefix="treegauge-bench-") as folder:
        run_plan(
            plan, Path(folder) / "s", pool=pool, workers=WORKERS,
            progress=lambda done, _: ended.append((done, time.perf_counter())),
        )  # fmt: skip
    _, (some, first), *_, (every, last) = ended
    each = (last - first) / (every - some)
    # Fresh processes run beside each other: a cell keeps its worker busy for so long.
    return each * (WORKERS if pool == "process" else 1), first - start


def million() -> list[tuple[str, float]]:
    """Make a ledger of a million cells; return seconds of what is done with it."""
    batches = [
        Batch(
            Setup("curve", f"/data/UD_Language-{treebank}", f"parser{parser}"),
            tuple(range(10, 10 + SIZES)), tuple(range(SAMPLES)), tuple(range(SEEDS)),
        )
        for treebank in range(TREEBANKS)
        for parser in range(PARSERS)
    ]  # fmt: skip
    total = sum(map(len, batches))
    tell(f"running: a ledger of {total:,} cells")
    found = []
    with tempfile.TemporaryDirectory(prefix="treegauge-bench-") as folder:
        store = Store(Path(folder) / "s")
        with store.writing() as writer:
            for batch in batches:
                report = Report(
                    {"uas": 81.23456789, "las": 75.3456789, "words": 10672}, seconds=2.0
                )
                writer.record([Entry(cell, report) for cell in batch.cells()], 1)
        size = store.ledger_path.stat().st_size / 1e6
        start = time.perf_counter()
        ledger = Ledger(store.ledger_path)
        found.append((f"open ({size:.0f} MB)", time.perf_counter() - start))
        start = time.perf_counter()
        missing = sum(len(ledger.missing(batch)) for batch in batches)
        found.append((f"resume a plan of all {total:,} cells", time.perf_counter() - start))
        ledger.close()
        if missing:
            raise SystemExit(f"{missing} cells are missing")
        wider = [Batch(b.setup, b.sizes, b.samples, (*b.seeds, SEEDS)) for b in batches[:50]]
        start = time.perf_counter()
        with store.reading() as ledger:
            news = sum(len(ledger.missing(batch)) for batch in wider)
        found.append((f"find {news:,} new cells among {sum(map(len, wider)):,}",
                      time.perf_counter() - start))  # fmt: skip
        start = time.perf_counter()
        rows = len(store.results(treebank="*-17", parser="parser3", size=12))
        found.append((f"filter by treebank, parser and size: {rows:,} rows",
                      time.perf_counter() - start))  # fmt: skip
        start = time.perf_counter()
        rows = len(store.results(provenance=False, treebank="*-17"))
        found.append((f"filter by treebank: {rows:,} rows", time.perf_counter() - start))
        start = time.perf_counter()
        rows = len(store.results(provenance=False, seed=3, size=15))
        found.append((f"filter by seed and size: {rows:,} rows", time.perf_counter() - start))
    return found


def run(cells: int | None = None) -> Section:
    """Measure everything."""
    rows, targets = [], []
    for pool, count in COUNTS.items():
        each, start = overhead(pool, cells or count)
        rows.append([f"{pool}: a cell", f"{1000 * each:.1f} ms"])
        rows.append([f"{pool}: until the first cells are done", f"{start:.2f} s"])
        aim = f"{pool}: under {1000 * LIMITS[pool]:.0f} ms a cell"
        targets.append(Target(aim, f"{1000 * each:.1f} ms", each < LIMITS[pool]))
    parts = million()
    rows += [[f"a million cells: {what}", f"{took:.2f} s"] for what, took in parts]
    slowest = max(took for _, took in parts)
    aim = f"a ledger of a million cells opens, resumes and filters in {LIMIT:g} s"
    targets.append(Target(aim, f"{slowest:.2f} s at most", slowest <= LIMIT))
    text = (
        f"Empty cells on {WORKERS} workers: what each costs beside its own work. A fresh process "
        "keeps its worker busy for that long; on dask it is the time from one cell to the next."
    )
    return Section("Running plans", text, ("", "took"), rows, targets)


if __name__ == "__main__":
    print(run(int(sys.argv[1]) if sys.argv[1:] else None))
