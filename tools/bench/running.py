"""Overhead of running a plan: empty cells, compared with bare pools that store nothing."""

import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tools.bench.ledger import LIMIT, million
from tools.bench.measuring import Contender, Makers, contest
from tools.bench.tables import VERSUS, Section, Target, took, versus

OURS = "treegauge"
WORKERS = 2
COUNTS = {"process": 300, "dask": 3_000}
LIMITS = {"process": 0.15, "dask": 0.005}


def nothing(cell: Any) -> Any:
    """Do nothing, so that all time is overhead."""
    from treegauge.experiments.cells import Outcome

    return Outcome({"value": cell.seed})


def nothing_at_all(number: int) -> int:
    """Do nothing, for pools without cells."""
    return number


def plan(pool: str) -> Callable[[], Contender]:
    """Return a function that runs a plan of empty cells and stores the results."""

    def make() -> Contender:
        from treegauge.experiments.cells import CellBatch, Expansion, Setup
        from treegauge.experiments.run import run as run_plan

        def run(cells: int) -> int:
            setup = Setup("tools.bench.running:nothing", "none")
            expansion = Expansion((CellBatch(setup, seeds=tuple(range(cells))),))
            with tempfile.TemporaryDirectory(prefix="treegauge-bench-") as folder:
                return run_plan(expansion, Path(folder) / "s", pool=pool, workers=WORKERS).done

        return Contender(run, int)

    return make


def forked() -> Contender:
    """Run every number in a fresh process of multiprocessing."""
    from multiprocessing import get_context

    def run(cells: int) -> int:
        with get_context("fork").Pool(WORKERS, maxtasksperchild=1) as pool:
            return len(pool.map(nothing_at_all, range(cells), chunksize=1))

    return Contender(run, int)


def futures() -> Contender:
    """Run every number on a local dask cluster, and store nothing."""
    import distributed

    start: Any = distributed.LocalCluster
    connect: Any = distributed.Client

    def run(cells: int) -> int:
        with (
            start(n_workers=WORKERS, threads_per_worker=1, dashboard_address=None) as cluster,
            connect(cluster) as client,
        ):
            return len(client.gather(client.map(nothing_at_all, range(cells))))

    return Contender(run, int)


PROCESS, DASK = (
    f"{count:,} empty cells, {what}"
    for count, what in zip(COUNTS.values(), ("a fresh process each", "dask"), strict=True)
)
JOBS: dict[str, Makers] = {
    PROCESS: {OURS: plan("process"), "multiprocessing": forked},
    DASK: {OURS: plan("dask"), "dask alone": futures},
}


def run(repeats: int) -> Section:
    """Let the contenders run empty cells, and time a ledger of a million cells."""
    rows, targets = [], []
    for job, (pool, count) in zip(JOBS, COUNTS.items(), strict=True):
        found = contest("running", job, JOBS[job], count, small=[4], repeats=repeats)
        rows += versus(job, found)
        # Fresh processes run in parallel: this is how long a cell keeps its worker busy.
        each = found[OURS].seconds / count * (WORKERS if pool == "process" else 1)
        aim = f"{pool}: under {1000 * LIMITS[pool]:.0f} ms per cell, start included"
        targets.append(Target(aim, f"{1000 * each:.1f} ms", each < LIMITS[pool]))
    parts = million()
    rows += [[f"a million cells: {what}", took(seconds), "", "", ""] for what, seconds in parts]
    slowest = max(seconds for _, seconds in parts)
    aim = f"a ledger of a million cells opens, resumes and filters in {LIMIT:g} s"
    targets.append(Target(aim, f"{slowest:.2f} s at most", slowest <= LIMIT))
    text = (
        f"Empty cells on {WORKERS} workers: the overhead per cell. treegauge records every cell in "
        "a ledger, so that a stopped run can resume; the bare pools record nothing."
    )
    return Section("Running plans", text, VERSUS, rows, targets)
