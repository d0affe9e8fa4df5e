"""Performance of a ledger with a million cells."""

import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from tools.bench.measuring import tell

if TYPE_CHECKING:
    from treegauge.experiments.cell_store import Store
    from treegauge.experiments.cells import CellBatch

LIMIT = 2.0
CELLS = 1_000_000
SIZES, SAMPLES, SEEDS, PARSERS = 10, 10, 20, 5
TOGETHER = SIZES * SAMPLES * SEEDS
"""Cells of one parser on one treebank."""


def batches(cells: int) -> "list[CellBatch]":
    """Plan this number of cells: five parsers on as many treebanks as necessary."""
    from treegauge.experiments.cells import CellBatch, Setup

    return [
        CellBatch(
            Setup("curve", f"/data/UD_Language-{i // PARSERS}", f"parser{i % PARSERS}"),
            tuple(range(10, 10 + SIZES)), tuple(range(SAMPLES)), tuple(range(SEEDS)),
        )
        for i in range(cells // TOGETHER)
    ]  # fmt: skip


def recorded(folder: Path, cells: int) -> "Store":
    """Record this number of cells in a new store, one parser and treebank at a time."""
    from treegauge.experiments.cell_store import Store
    from treegauge.experiments.tasks import LedgerEntry, Report

    report = Report({"uas": 81.23456789, "las": 75.3456789, "words": 10672}, seconds=2.0)
    store = Store(folder / "s")
    with store.writing() as writer:
        for batch in batches(cells):
            writer.record([LedgerEntry(cell, report) for cell in batch.cells()], 1)
    return store


def missing(store: "Store", planned: "list[CellBatch]") -> int:
    """Count the cells of a plan that the store lacks."""
    with store.reading() as ledger:
        return sum(len(ledger.missing(batch)) for batch in planned)


def opened(store: "Store") -> int:
    """Open the ledger and close it."""
    with store.reading():
        return 0


def million() -> list[tuple[str, float]]:
    """Return the operations on such a ledger, and their seconds."""
    from treegauge.experiments.cells import CellBatch

    tell(f"running: a ledger of {CELLS:,} cells")
    planned = batches(CELLS)
    wider = [CellBatch(b.setup, b.sizes, b.samples, (*b.seeds, SEEDS)) for b in planned[:50]]
    with tempfile.TemporaryDirectory(prefix="treegauge-bench-") as folder:
        store = recorded(Path(folder), CELLS)
        size = store.ledger_path.stat().st_size / 1e6
        jobs: dict[str, Callable[[], int]] = {
            f"open ({size:.0f} MB)": lambda: opened(store),
            f"resume a plan of all: {{}} of {CELLS:,} missing": lambda: missing(store, planned),
            f"find {{}} new among {sum(map(len, wider)):,}": lambda: missing(store, wider),
            "filter by treebank, parser and size: {} rows": lambda: len(
                store.results(treebank="*-17", parser="parser3", size=12)
            ),
            "filter by treebank: {} rows": lambda: len(store.results(provenance=False, treebank="*-17")),
            "filter by seed and size: {} rows": lambda: len(store.results(provenance=False, seed=3, size=15)),
        }
        found = []
        for what, job in jobs.items():
            start = time.perf_counter()
            number = job()
            found.append((what.format(f"{number:,}"), time.perf_counter() - start))
    return found
