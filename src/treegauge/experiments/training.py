"""How anything is trained: as cells, with a store or without.

A cell is one task on one treebank by one parser with one seed. Without a store it runs in this
process, or several at a time in processes of their own, and leaves nothing behind. With a store its
result is kept, and cells that are there already are not run again. The numbers are the same.
"""

import io
import json
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple

from treegauge.core.errors import TreegaugeError
from treegauge.core.lazy import pl
from treegauge.core.messages import progress
from treegauge.core.result import Result, sign
from treegauge.core.tables import make_table
from treegauge.experiments.cells import Cell, Expansion, Scalar, Setup, expansion_of
from treegauge.experiments.pools import Pool, PoolSettings, make_pool
from treegauge.experiments.tasks import LedgerEntry, failure, outcome_of
from treegauge.treebanks.sources.files import Source

if TYPE_CHECKING:
    from treegauge.experiments.cell_store import Store

Progress = Callable[[int, int], None]
"""Called with the number of finished cells, and of all cells to run."""


@dataclass(frozen=True)
class RunSummary(Result, kind="run"):
    """The summary of a run.

    Of `total` cells the store had some (`reused`); others were run now without and with an error,
    and some cannot be run (`left_out` has the reasons). With ``until``, `decision` says which system
    is better, after how many units, and how many cells that saved.
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
    decision: Mapping[str, Any] | None = None

    @property
    def exit_code(self) -> int:
        """1 if a cell failed."""
        return 1 if self.failed else 0

    @property
    def table(self) -> "pl.DataFrame":
        """One row."""
        names = ("plan", "store", "total", "reused", "done", "failed", "seconds")
        return make_table([{name: getattr(self, name) for name in names}])

    def json_fields(self) -> dict[str, Any]:
        """Return the row and the decision."""
        return super().json_fields() | ({"decision": dict(self.decision)} if self.decision else {})

    def own_text(self) -> str:
        """Return the counts in words, and the command that lists errors."""
        parts = [f"{self.plan}: {self.total} cells", f"{self.reused} done before"]
        parts += [f"{self.done} done now in {self.seconds:.1f} s", f"{self.failed} failed"]
        errors = f"\ntreegauge results {self.store} --failed lists the errors"
        decided = f"\n{self.decision['text']}\n{self.signature}" if self.decision else ""
        return ", ".join(parts) + (errors if self.failed else "") + decided


def run_expansion(
    cells: Expansion,
    store: "Store",
    settings: PoolSettings,
    *,
    retries: int = 1,
    progress: Progress | None = None,
    name: str = "plan",
) -> RunSummary:
    """Run the cells that a store lacks; see :func:`treegauge.run`."""
    began = time.monotonic()
    counts: Counter[str] = Counter()
    with store.writing() as writer:
        missing = [(batch, writer.ledger.missing(batch)) for batch in cells.batches]
        todo = sum(len(points) for _, points in missing)
        if todo:
            number = writer.begin(name, settings.pool, settings.workers or 0, len(cells), len(cells) - todo)

            def record(entries: Sequence[LedgerEntry]) -> None:
                writer.record(entries, number)
                counts.update("failed" if entry.report.scalars is None else "done" for entry in entries)
                if progress:
                    progress(counts.total(), todo)

            ending = "stopped"
            try:
                lacking = (Cell(batch.setup, *p) for batch, points in missing for p in points)
                with _pool(settings, [batch.setup for batch, points in missing if points]) as pool:
                    _drive(lacking, pool, retries, record)
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


def scalars_in(store: "Store", cells: Sequence[Cell]) -> list[Mapping[str, Scalar] | None]:
    """Return the scalars of cells; None for those that are not done."""
    with store.reading() as ledger:
        rows = [ledger.recorded(cell) for cell in cells]
    return [json.loads(row[1]) if row and row[0] else None for row in rows]


class CellResult(NamedTuple):
    """The result of a cell; see :class:`Outcome`."""

    cell: Cell
    scalars: Mapping[str, Scalar]
    words: "pl.DataFrame | None" = None
    recordings: Mapping[str, bytes] = {}


def run_cells(
    cells: Sequence[Cell],
    store: "Store | Source | None" = None,
    *,
    pool: str | None = None,
    workers: int | None = 1,
    what: str = "cells",
) -> list[CellResult]:
    """Return the results of cells, in their order; all verbs train this way.

    `cells` are such as ``Cell(make_setup("map", "UD_Greek-GDT", "mst"), seed=1)``. With a store,
    cells that ``run`` or a verb has finished are not run again; without one nothing is kept. The
    pool is one of ``treegauge run``, by default this process for one worker, else one process per
    cell; `workers` None means one per processor; `what` is the name of cells in the progress
    display. A failed cell is an error; finished cells are in the store.
    """
    settings = PoolSettings(pool or ("inline" if workers == 1 else "process"), workers)
    with progress(what, len(cells)) as task:
        if store is not None:
            return _stored(cells, store, settings, task.update, what)
        if settings.pool == "inline":
            return list(_here(cells, task.update))
        done: dict[str, CellResult] = {}

        def record(entries: Sequence[LedgerEntry]) -> None:
            for cell, report, _ in entries:
                done[cell.key] = _result(cell, report.scalars, report.error, report.words, report.recordings)
            task.update(len(done), len(cells))

        with _pool(settings, [cell.setup for cell in cells]) as running:
            _drive(iter({cell.key: cell for cell in cells}.values()), running, 1, record)
    return [done[cell.key] for cell in cells]


def _here(cells: Sequence[Cell], progress: Progress) -> Iterator[CellResult]:
    """Run cells in this process, one after the other."""
    for number, cell in enumerate(cells):
        progress(number, len(cells))
        try:
            outcome = outcome_of(cell)
        except Exception as error:
            raise TreegaugeError(f"{cell.name}: {failure(error)[0]}") from error
        yield CellResult(cell, outcome.scalars, outcome.words, outcome.recordings)


def _stored(
    cells: Sequence[Cell], place: "Store | Source", settings: PoolSettings, progress: Progress, what: str
) -> list[CellResult]:
    """Run the cells that a store lacks, and read the results of all."""
    from treegauge.experiments.cell_store import Store

    store = Store(place)
    run_expansion(expansion_of(cells), store, settings, progress=progress, name=what)
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


def _result(
    cell: Cell, scalars: Mapping[str, Scalar] | None, error: str | None, words: bytes | None,
    recordings: Mapping[str, bytes],
) -> CellResult:  # fmt: skip
    """Return a result from what a process reports; a failed cell is an error."""
    if scalars is None:
        raise TreegaugeError(f"{cell.name}: {error}")
    return CellResult(cell, scalars, None if words is None else pl.read_parquet(io.BytesIO(words)), recordings)


def _pool(settings: PoolSettings, setups: Sequence[Setup]) -> Pool:
    """Return a pool that loads the parsers and tasks of these cells before the first."""
    return make_pool(settings, sorted({one.parser for one in setups} - {""}), sorted({one.task for one in setups}))


def _drive(waiting: Iterator[Cell], pool: Pool, retries: int, record: Callable[[Sequence[LedgerEntry]], None]) -> None:
    """Run cells in a pool and record their reports; temporary errors are tried again."""
    again, tries = list[Cell](), Counter[str]()
    record([])
    while True:
        room = pool.room
        chosen = [again.pop() for _ in range(min(room, len(again)))]
        chosen += islice(waiting, room - len(chosen))
        if chosen:
            pool.submit(chosen)
        if not pool.busy:
            return
        entries = []
        for cell, report in pool.wait():
            failed = report.scalars is None
            if failed or cell.key in tries:
                tries[cell.key] += 1
            tried = tries[cell.key] or 1
            if failed and not report.lasting and tried <= retries:
                again.append(cell)
            else:
                entries.append(LedgerEntry(cell, report, tried))
        record(entries)
