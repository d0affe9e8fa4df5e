"""Timed cells on a local dask cluster, the basis of the model of a larger one."""

import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from tools.bench.measuring import tell
from treegauge.experiments.cell_store import Store
from treegauge.experiments.cells import Cell, CellBatch, Expansion, Outcome, Setup
from treegauge.experiments.pools import PoolSettings
from treegauge.experiments.training import run_expansion

if TYPE_CHECKING:
    import polars as pl

WORDS = 10_000


@dataclass(frozen=True)
class Run:
    """A run of a plan: seconds up to the first cells, from these to the last, and of the driver.

    Attributes
    ----------
    start
        Seconds until the workers have started and the first cells are done.
    each
        Seconds from one cell to the next after that.
    driver
        Processor seconds of the driver and the scheduler for each cell.
    stored
        Bytes that a cell takes in the store.
    """

    start: float
    each: float
    driver: float
    stored: float


def waiting(cell: Cell) -> Outcome:
    """Take time without a processor, as work on another machine does for this one."""
    time.sleep(float(cell.extra["seconds"]))
    return Outcome({"value": cell.seed}, _words() if cell.extra["words"] else None)


def working(cell: Cell) -> Outcome:
    """Take processor time."""
    end = time.process_time() + float(cell.extra["seconds"])
    while time.process_time() < end:
        pass
    return Outcome({"value": cell.seed})


def _words() -> "pl.DataFrame":
    import numpy as np
    import polars as pl

    random = np.random.default_rng(0)
    heads = pl.Series("head", random.integers(30, size=WORDS), pl.Int32)
    relations = np.array([f"relation{i}" for i in range(40)])[random.integers(40, size=WORDS)]
    return pl.DataFrame([heads, pl.Series("deprel", relations)])


def run(task: str, seconds: float, cells: int, workers: int, *, words: bool = False) -> Run:
    """Run this number of cells of a task of this module on a local cluster."""
    tell(f"{cells} cells, {task} {seconds:g} s, {workers} workers{', words' if words else ''}")
    seen: list[tuple[int, float, float]] = []
    extra = {"seconds": seconds, "words": words}
    setup = Setup(f"tools.bench.cells:{task}", "none", extra=extra)
    plan = Expansion((CellBatch(setup, seeds=tuple(range(cells))),))
    start = time.perf_counter()
    with tempfile.TemporaryDirectory(prefix="treegauge-bench-") as folder:
        store = Store(Path(folder) / "s")
        run_expansion(
            plan, store, PoolSettings("dask", workers),
            progress=lambda done, _: seen.append((done, time.perf_counter(), time.process_time())),
        )  # fmt: skip
        stored = sum(path.stat().st_size for path in store.path.rglob("*") if path.is_file())
    done = [one for one in seen if one[0]]
    (few, first, before), (every, last, after) = done[0], done[-1]
    number = every - few
    return Run(first - start, (last - first) / number, (after - before) / number, stored / cells)
