"""Running cells: what is not in the store yet, and nothing twice."""

import json
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, NamedTuple

from treegauge.core.errors import TreegaugeError
from treegauge.core.messages import progress
from treegauge.experiments.cells import Cell, CellBatch, Expansion, Point, Scalar
from treegauge.experiments.ledger import LedgerEntry
from treegauge.experiments.pools import Finished, Pool, PoolSettings, make_pool
from treegauge.experiments.store import Store, Writer
from treegauge.treebanks.sources import Source

if TYPE_CHECKING:
    import polars as pl

Progress = Callable[[int, int], None]
"""Called with the number of cells that have ended, and of all to run."""


class RunCounts(NamedTuple):
    """Number of cells that a run was asked for, that the store had, that were done and failed."""

    total: int
    reused: int
    done: int
    failed: int
    seconds: float


def run_expansion(
    cells: Expansion,
    store: Store,
    settings: PoolSettings,
    *,
    retries: int = 1,
    progress: Progress | None = None,
    name: str = "plan",
) -> RunCounts:
    """Run the cells that are not done yet; see :func:`treegauge.run`."""
    began = time.monotonic()
    with store.writing() as writer:
        missing = [(batch, writer.ledger.missing(batch)) for batch in cells.batches]
        todo = sum(len(points) for _, points in missing)
        counts: Counter[str] = Counter()
        if todo:
            number = writer.begin(
                name, settings.pool, settings.workers or 0, len(cells), len(cells) - todo
            )
            setups = [batch.setup for batch, points in missing if points]
            parsers = sorted({setup.parser for setup in setups} - {""})
            tasks = sorted({setup.task for setup in setups})
            cells_to_run = (Cell(batch.setup, *p) for batch, points in missing for p in points)
            ending = "stopped"
            try:
                with make_pool(settings, parsers, tasks) as pool:
                    driver = _Driver(writer, pool, number, retries, counts)
                    driver.go(cells_to_run, lambda: progress and progress(driver.ended, todo))
                ending = "finished"
            except KeyboardInterrupt:
                ending = "interrupted"
                raise
            finally:
                writer.end(number, ending)
    seconds = time.monotonic() - began
    return RunCounts(len(cells), len(cells) - todo, counts["done"], counts["failed"], seconds)


class CellResult(NamedTuple):
    """What a store has of a cell that is done: what its task gave, see :class:`Outcome`."""

    cell: Cell
    scalars: Mapping[str, Scalar]
    words: "pl.DataFrame | None"
    recordings: Mapping[str, bytes]


def run_cells(
    cells: Sequence[Cell],
    store: Store | Source | None = None,
    *,
    pool: str | None = None,
    workers: int | None = 1,
    what: str = "cells",
) -> list[CellResult]:
    """Run the cells that a store lacks, and return what the tasks of all of them gave.

    This is how a verb trains: cells that ``run`` or the verb itself did before are not run again.

    `cells` are such as ``Cell(make_setup("map", "UD_Greek-GDT", "mst"), seed=1)``, with one result
    each, in their order; without a store nothing is kept. The pool is one of ``treegauge run``, by
    default this process for one worker, else one process per cell; `workers` None means as many as
    there are processors; `what` is what progress calls the cells. A cell that failed is an error;
    those that did not fail are in the store.
    """
    if store is None:
        with TemporaryDirectory(prefix="treegauge-") as folder:
            return run_cells(cells, folder, pool=pool, workers=workers, what=what)
    store = Store(store)
    points = {cell.setup.digest: (cell.setup, dict[Point, None]()) for cell in cells}
    for cell in cells:
        points[cell.setup.digest][1][cell.size, cell.sample, cell.seed] = None
    batches = tuple(CellBatch(setup, named=tuple(named)) for setup, named in points.values())
    with progress(what, len(cells)) as task:
        pool = pool or ("inline" if workers == 1 else "process")
        run_expansion(
            Expansion(batches), store, PoolSettings(pool, workers), progress=task.update, name=what
        )
    with store.reading() as ledger:
        rows = [ledger.recorded(cell) for cell in cells]
    results = []
    for cell, row in zip(cells, rows, strict=True):
        done, text, words, recordings = row or (False, "it was not run", False, "")
        if not done:
            raise TreegaugeError(f"{cell.name}: {text}")
        table = store.words(cell.key) if words else None
        files = store.recordings(cell.key) if recordings else {}
        results.append(CellResult(cell, json.loads(text), table, files))
    return results


class _Driver:
    """Feeds a pool and writes down what comes out of it."""

    def __init__(
        self, writer: Writer, pool: Pool, run: int, retries: int, counts: Counter[str]
    ) -> None:
        self.writer, self.pool, self.run = writer, pool, run
        self.retries, self.counts = retries, counts
        self.tries: Counter[str] = Counter()
        self.again: list[Cell] = []

    @property
    def ended(self) -> int:
        return self.counts["done"] + self.counts["failed"]

    def go(self, cells: Iterator[Cell], report: Callable[[], object]) -> None:
        report()
        while True:
            room = self.pool.room
            chosen = [self.again.pop() for _ in range(min(room, len(self.again)))]
            chosen += islice(cells, room - len(chosen))
            if chosen:
                self.pool.submit(chosen)
            if not self.pool.busy:
                return
            self.record(self.pool.wait())
            report()

    def record(self, finished: Finished) -> None:
        entries = []
        for cell, report in finished:
            failed = report.scalars is None
            if failed or cell.key in self.tries:
                self.tries[cell.key] += 1
            tries = self.tries[cell.key] or 1
            if failed and not report.lasting and tries <= self.retries:
                self.again.append(cell)
            else:
                entries.append(LedgerEntry(cell, report, tries))
        self.writer.record(entries, self.run)
        for entry in entries:
            self.counts["done" if entry.report.scalars is not None else "failed"] += 1
