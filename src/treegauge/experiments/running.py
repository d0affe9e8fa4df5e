"""Run a plan: what is not in the store yet, and nothing twice."""

import json
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from treegauge.experiments.cells import Batch, Cell, Expansion, Point, Scalar
from treegauge.experiments.ledger import Entry
from treegauge.experiments.plans import Plan
from treegauge.experiments.pools import Finished, Limits, Pool, Wanted, make_pool
from treegauge.experiments.store import Store, Writer
from treegauge.results.errors import TreegaugeError
from treegauge.results.messages import progress
from treegauge.results.result import Result, sign
from treegauge.treebanks.sources import Source

if TYPE_CHECKING:
    import polars as pl

Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class Summary(Result):
    """What a run did.

    Attributes
    ----------
    plan, store
        Their names.
    total, reused, done, failed
        Cells of the plan; those that the store had; those run now that went well, and those that
        did not.
    left_out
        Why cells of the plan cannot be, one text a reason.
    seconds
        How long the run took.
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

    @property
    def table(self) -> "pl.DataFrame":
        """One row."""
        import polars as pl

        names = ("plan", "store", "total", "reused", "done", "failed", "seconds")
        return pl.DataFrame([{name: getattr(self, name) for name in names}])

    def __str__(self) -> str:
        parts = [f"{self.plan}: {self.total} cells", f"{self.reused} done before"]
        parts += [f"{self.done} done now in {self.seconds:.1f} s", f"{self.failed} failed"]
        return ", ".join(parts)


def run(
    plan: Plan | Expansion,
    store: Store | Source,
    *,
    pool: str = "process",
    workers: int | None = None,
    timeout: float | None = None,
    memory: int | None = None,
    retries: int = 1,
    wanted: Wanted | None = None,
    progress: Progress | None = None,
    name: str | None = None,
) -> Summary:
    """Run the cells of a plan that are not done yet.

    Parameters
    ----------
    plan
        A plan, or the cells it comes to.
    store
        Where results are and go; made if it is not there.
    pool
        ``"inline"``, ``"process"`` (a fresh process for each cell), ``"dask"`` (a local cluster),
        ``"dask://HOST:PORT"``, ``"slurm"``.
    workers
        How many cells at a time.
    timeout, memory
        Seconds and bytes that a cell may take.
    retries
        How often a cell is tried again in this run after an error that may pass, such as a killed
        process. What an input or a limit causes is not tried again. Later runs try failed cells
        anew.
    wanted
        All of these but `retries` in one, and what Slurm is told.
    progress
        Called with how many of the cells to run have ended, and how many there are.
    name
        What `status` calls the run; the plan's name by default.

    Returns
    -------
    Summary
        How many cells were there, were run, failed.
    """
    wanted = wanted or Wanted(pool, workers, Limits(timeout, memory))
    if retries < 0:
        raise TreegaugeError(f"retries is {retries}; expected at least 0")
    cells = plan if isinstance(plan, Expansion) else plan.expand()
    name = name or (plan.name if isinstance(plan, Plan) else "plan")
    store = store if isinstance(store, Store) else Store(store)
    began = time.monotonic()
    with store.writing() as writer:
        missing = [(batch, writer.ledger.missing(batch)) for batch in cells.batches]
        todo = sum(len(points) for _, points in missing)
        counts: Counter[str] = Counter()
        if todo:
            number = writer.begin(
                name, wanted.pool, wanted.workers or 0, len(cells), len(cells) - todo
            )
            setups = [batch.setup for batch, points in missing if points]
            parsers = sorted({setup.parser for setup in setups} - {""})
            tasks = sorted({setup.task for setup in setups})
            ending = "stopped"
            try:
                with make_pool(wanted, parsers, tasks) as workplace:
                    driver = _Driver(writer, workplace, number, retries, counts)
                    driver.go(_cells(missing), lambda: progress and progress(driver.ended, todo))
                ending = "finished"
            except KeyboardInterrupt:
                ending = "interrupted"
                raise
            finally:
                writer.end(number, ending)
    return Summary(
        name, str(store.path), len(cells), len(cells) - todo, counts["done"], counts["failed"],
        cells.refused, time.monotonic() - began, sign(run=name, cells=len(cells)),
    )  # fmt: skip


@dataclass(frozen=True, eq=False)
class CellResult:
    """What a store has of a cell that is done.

    Attributes
    ----------
    cell
        The cell.
    scalars, words, recordings
        What its task gave; see :class:`Outcome`.
    """

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

    Parameters
    ----------
    cells
        Cells, for example ``Cell(make_setup("map", "UD_Greek-GDT", "mst"), seed=1)``.
    store
        Where results are and go; None: nothing is kept.
    pool
        See :func:`run`; None: this process for one worker, else one process per cell.
    workers
        Number of cells at a time; None: as many as there are processors.
    what
        What progress calls the cells.

    Returns
    -------
    list
        One result per cell, in the order given.

    Raises
    ------
    TreegaugeError
        If a cell failed; those that did not fail are in the store.
    """
    if store is None:
        with TemporaryDirectory(prefix="treegauge-") as folder:
            return run_cells(cells, folder, pool=pool, workers=workers, what=what)
    store = store if isinstance(store, Store) else Store(store)
    points = {cell.setup.digest: (cell.setup, dict[Point, None]()) for cell in cells}
    for cell in cells:
        points[cell.setup.digest][1][cell.size, cell.sample, cell.seed] = None
    batches = tuple(Batch(setup, named=tuple(named)) for setup, named in points.values())
    with progress(what, len(cells)) as task:
        run(
            Expansion(batches), store, pool=pool or ("inline" if workers == 1 else "process"),
            workers=workers, progress=task.update, name=what,
        )  # fmt: skip
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


def _cells(missing: list[tuple[Batch, list[Point]]]) -> Iterator[Cell]:
    return (Cell(batch.setup, *point) for batch, points in missing for point in points)


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

    def go(self, cells: Iterator[Cell], tell: Callable[[], object]) -> None:
        tell()
        while True:
            room = self.pool.room
            chosen = [self.again.pop() for _ in range(min(room, len(self.again)))]
            chosen += islice(cells, room - len(chosen))
            if chosen:
                self.pool.submit(chosen)
            if not self.pool.busy:
                return
            self.record(self.pool.wait())
            tell()

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
                entries.append(Entry(cell, report, tries))
        self.writer.record(entries, self.run)
        for entry in entries:
            self.counts["done" if entry.report.scalars is not None else "failed"] += 1
