"""Run the cells that are not in the store yet."""

import json
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, ClassVar, NamedTuple

from treegauge.core.errors import TreegaugeError
from treegauge.core.messages import progress
from treegauge.core.result import Result, sign
from treegauge.core.tables import make_table
from treegauge.experiments.cell_store import Store, Writer
from treegauge.experiments.cells import Cell, CellBatch, Expansion, Point, Scalar
from treegauge.experiments.ledger import LedgerEntry
from treegauge.experiments.pools import Pool, PoolSettings, make_pool
from treegauge.treebanks.sources.files import Source

if TYPE_CHECKING:
    import polars as pl

Progress = Callable[[int, int], None]
"""Called with the number of finished cells, and of all cells to run."""


@dataclass(frozen=True)
class RunSummary(Result):
    """The summary of a run.

    Of `total` cells the store had some (`reused`); others were run now without and with an error,
    and some cannot be run (`left_out` has the reasons).
    """

    plan: str
    store: str
    total: int
    reused: int
    done: int
    failed: int
    left_out: tuple[str, ...]
    seconds: float
    signature: str
    kind: ClassVar[str] = "run"

    @property
    def exit_code(self) -> int:
        """1 if a cell failed."""
        return 1 if self.failed else 0

    @property
    def table(self) -> "pl.DataFrame":
        """One row."""
        names = ("plan", "store", "total", "reused", "done", "failed", "seconds")
        return make_table([{name: getattr(self, name) for name in names}])

    def own_text(self) -> str:
        """Return the counts in words, and the command that lists errors."""
        parts = [f"{self.plan}: {self.total} cells", f"{self.reused} done before"]
        parts += [f"{self.done} done now in {self.seconds:.1f} s", f"{self.failed} failed"]
        errors = f"\ntreegauge results {self.store} --failed lists the errors"
        return ", ".join(parts) + (errors if self.failed else "")


def run_expansion(
    cells: Expansion,
    store: Store,
    settings: PoolSettings,
    *,
    retries: int = 1,
    progress: Progress | None = None,
    name: str = "plan",
) -> RunSummary:
    """Run the cells that are not finished yet; see :func:`treegauge.run`."""
    began = time.monotonic()
    with store.writing() as writer:
        missing = [(batch, writer.ledger.missing(batch)) for batch in cells.batches]
        todo = sum(len(points) for _, points in missing)
        counts: Counter[str] = Counter()
        if todo:
            number = writer.begin(name, settings.pool, settings.workers or 0, len(cells), len(cells) - todo)
            setups = [batch.setup for batch, points in missing if points]
            parsers = sorted({setup.parser for setup in setups} - {""})
            tasks = sorted({setup.task for setup in setups})
            cells_to_run = (Cell(batch.setup, *p) for batch, points in missing for p in points)
            ending = "stopped"
            try:
                with make_pool(settings, parsers, tasks) as pool:
                    _drive(
                        writer, pool, number, retries, cells_to_run, counts,
                        lambda: progress and progress(counts.total(), todo),
                    )  # fmt: skip
                ending = "finished"
            except KeyboardInterrupt:
                ending = "interrupted"
                raise
            finally:
                writer.end(number, ending)
    seconds = time.monotonic() - began
    return RunSummary(
        name, str(store.path), len(cells), len(cells) - todo, counts["done"], counts["failed"],
        cells.refused, seconds, sign(run=name, cells=len(cells), inputs=cells.mark),
    )  # fmt: skip


class CellResult(NamedTuple):
    """The stored result of a finished cell; see :class:`Outcome`."""

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
    """Run the cells that a store lacks, and return the results of all cells.

    All verbs train this way: cells that ``run`` or the verb has finished are not run again.

    `cells` are such as ``Cell(make_setup("map", "UD_Greek-GDT", "mst"), seed=1)``, with one result
    each, in their order; without a store nothing is kept. The pool is one of ``treegauge run``, by
    default this process for one worker, else one process per cell; `workers` None means one per
    processor; `what` is the name of cells in the progress display. A failed cell is an
    error; finished cells are in the store.
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
        run_expansion(Expansion(batches), store, PoolSettings(pool, workers), progress=task.update, name=what)
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


def _drive(
    writer: Writer, pool: Pool, run: int, retries: int, cells: Iterator[Cell],
    counts: Counter[str], report: Callable[[], object],
) -> None:  # fmt: skip
    """Feed a pool and record its results; `counts` are of cells done and failed."""
    tries: Counter[str] = Counter()
    again: list[Cell] = []
    report()
    while True:
        room = pool.room
        chosen = [again.pop() for _ in range(min(room, len(again)))]
        chosen += islice(cells, room - len(chosen))
        if chosen:
            pool.submit(chosen)
        if not pool.busy:
            return
        entries = []
        for cell, result in pool.wait():
            failed = result.scalars is None
            if failed or cell.key in tries:
                tries[cell.key] += 1
            tried = tries[cell.key] or 1
            if failed and not result.lasting and tried <= retries:
                again.append(cell)
            else:
                entries.append(LedgerEntry(cell, result, tried))
        writer.record(entries, run)
        counts.update("failed" if entry.report.scalars is None else "done" for entry in entries)
        report()
