"""A plan on a real Slurm cluster that loses a job: results equal those of a plain run."""

import os
import sys
import threading
import time
from pathlib import Path

import pytest

import treegauge
from treegauge.experiments.cell_store import Store
from treegauge.experiments.run import run
from treegauge.treebanks.sources.files import short_name

from . import slurm

CELLS = 12

pytestmark = pytest.mark.skipif(bool(slurm.missing()), reason=slurm.missing() or "-")


def files(store: Path) -> dict[str, bytes]:
    """What a store has of its cells, without when and where they ran."""
    words = {short_name(path): path.read_bytes() for path in store.glob("words/*/*.parquet")}
    return words | {"csv": Store(store).results(provenance=False).write_csv().encode()}


@pytest.mark.fault("a Slurm job that is cancelled")
def test_a_plan_of_twelve_cells_loses_a_job(chores, notes, room, tmp_path, monkeypatch):
    pytest.importorskip("dask_jobqueue", reason="needs treegauge[cluster]")
    plan, store = chores("wordy", CELLS, sleep=0.4), tmp_path / "s"
    path = os.pathsep.join([str(room), str(Path(treegauge.__file__).parents[1])])
    with slurm.cluster(tmp_path / "slurm") as variables:
        for name, value in variables.items():
            monkeypatch.setenv(name, value)
        lost: list[str] = []

        def cancel() -> None:
            """End the job that runs a cell, half way through the plan."""
            while not lost and time.monotonic() < end:
                time.sleep(0.05)
                if len(started := notes()) >= CELLS // 2:
                    lost.append(slurm.job_of(started[-1][1]))
            slurm.said("scancel", "--signal=KILL", "--full", *lost, variables=variables)

        end = time.monotonic() + 60
        thread = threading.Thread(target=cancel)
        thread.start()
        done = run(
            plan, store, pool="slurm", workers=2, retries=3,
            slurm={
                "memory": "500MB", "interface": "lo", "python": sys.executable,
                "walltime": "00:05:00", "log_directory": str(tmp_path / "logs"),
                "local_directory": str(tmp_path / "scratch"),
                "prologue": [f"export PYTHONPATH={path}"],
            },
        )  # fmt: skip
        thread.join()
    assert len(lost) == 1
    assert (done.total, done.done, done.failed) == (CELLS, CELLS, 0)
    assert len(notes()) > CELLS  # the cell that was lost with its job ran again
    run(plan, tmp_path / "peaceful", pool="inline")
    assert files(store) == files(tmp_path / "peaceful")
