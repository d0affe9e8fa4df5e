"""Dask clusters of separate processes, by address, and through Slurm."""

import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from collections import Counter
from types import SimpleNamespace

import pytest

from treegauge.core.errors import TreegaugeError
from treegauge.experiments.cell_store import Store
from treegauge.experiments.pools import CellLimits, Cluster, PoolSettings, job_script
from treegauge.experiments.run import run
from treegauge.experiments.tasks import Report

distributed = pytest.importorskip("distributed", reason="needs treegauge[cluster]")


@pytest.mark.fault("a worker that is killed")
def test_two_thousand_cells_and_a_killed_worker(chores, notes, tmp_path):
    plan = chores("noted", 2000)
    killed = []

    def kill() -> None:
        while not killed:
            if len(found := notes()) > 300:
                killed.append(found[-1][1])
                os.kill(killed[0], signal.SIGKILL)
            time.sleep(0.01)

    thread = threading.Thread(target=kill)
    thread.start()
    done = run(plan, tmp_path / "s", pool="dask", workers=2)
    thread.join()
    assert (done.total, done.done, done.failed) == (2000, 2000, 0)
    frame = Store(tmp_path / "s").results()
    assert frame["square"].to_list() == [seed**2 for seed in range(2000)]
    processes = Counter(process for _, process in notes())
    assert os.getpid() not in processes
    assert killed[0] in processes
    assert len(processes) >= 2  # two and, if it came in time, one in the place of the killed one


@pytest.fixture
def address(room):
    """A scheduler and a worker started by hand."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    line = [sys.executable, "-m", "distributed.cli.dask_"]
    path = os.pathsep.join([str(room), *map(os.path.abspath, sys.path)])
    environment = os.environ | {"PYTHONPATH": path, "PYTHONWARNINGS": "default"}
    place = f"127.0.0.1:{port}"
    scheduler = [*line[:2], line[2] + "scheduler", "--host", "127.0.0.1", "--port", str(port), "--no-dashboard"]
    worker = [*line[:2], line[2] + "worker", place, "--nthreads", "1", "--no-dashboard", "--no-nanny"]
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    with (
        subprocess.Popen(scheduler, env=environment, **quiet) as first,
        subprocess.Popen(worker, env=environment, **quiet) as second,
    ):
        yield SimpleNamespace(place=place, scheduler=first)
        second.kill()
        first.kill()


def wait_for(place: str) -> None:
    until = time.monotonic() + 60
    while time.monotonic() < until:  # it takes a moment to listen
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", int(place.rpartition(":")[2]))) == 0:
                break
        time.sleep(0.1)


@pytest.mark.fault("a scheduler that is killed")
def test_a_scheduler_that_is_killed(chores, notes, tmp_path, address):
    plan = chores("noted", 40, sleep=0.1)
    wait_for(address.place)

    def kill() -> None:
        while len(notes()) < 4:
            time.sleep(0.02)
        address.scheduler.kill()

    thread = threading.Thread(target=kill)
    thread.start()
    with pytest.raises(TreegaugeError, match="the dask scheduler has ended"):
        run(plan, tmp_path / "s", pool=f"dask://{address.place}")
    thread.join()
    kept = Store(tmp_path / "s").results()
    assert len(kept) < 40
    assert Store(tmp_path / "s").failures().is_empty()
    done = run(plan, tmp_path / "s", pool="inline")
    assert (done.reused, done.done, done.failed) == (len(kept), 40 - len(kept), 0)


def test_a_scheduler_started_by_hand(chores, notes, tmp_path, address):
    address = address.place
    wait_for(address)
    done = run(chores("wordy", 20), tmp_path / "s", pool=f"dask://{address}")
    assert (done.done, done.failed) == (20, 0)
    assert len({process for _, process in notes()}) == 1
    frame = Store(tmp_path / "s").results()
    assert Store(tmp_path / "s").words(frame["key"][3])["y"].sum() == frame["sum"][3]
    # CellLimits and killers: each cell has a process of its own then, and the worker lives on.
    limited = {"pool": f"dask://{address}", "timeout": 1}
    done = run(chores("sleeps", 2), tmp_path / "t", **limited)
    assert (done.done, done.failed) == (0, 2)
    assert Store(tmp_path / "t").failures()["error"].to_list() == ["time limit of 1 s reached"] * 2
    done = run(chores("noted", 2), tmp_path / "t", **limited)
    assert (done.done, done.failed) == (2, 0)


class _Batches:
    """What dask would say, one batch after the other."""

    def __init__(self, *batches):
        self.batches = list(batches)

    def next_batch(self, block):
        return self.batches.pop(0)


def future(key, status):
    return SimpleNamespace(key=key, status=status, release=lambda: None)


def test_cells_that_were_lost_together_are_tried_alone(chores):
    cells = list(chores("trivial", 8).cells())
    pool = Cluster(PoolSettings("dask"))
    pool._cells = {"a": cells[:3], "b": cells[3:4]}
    pool._finished = _Batches(
        [(future("a", "error"), (RuntimeError, RuntimeError("killed"), None))],
        [(future("b", "finished"), [Report({"square": 9}, seconds=0.001)])],
    )
    assert [report.error for _, report in pool.wait()] == ["RuntimeError: killed"] * 3
    pool.wait()
    assert [len(group) for group in pool._groups(cells)] == [1, 1, 1, 5]


@pytest.mark.fault("a scheduler that is killed")
def test_a_scheduler_that_is_gone_fails_no_cell(chores):
    cells = list(chores("trivial", 3).cells())
    pool = Cluster(PoolSettings("dask"))
    pool._cells = {"a": cells[:1], "b": cells[1:2], "c": cells[2:]}
    pool._finished = _Batches(
        [(future("a", "finished"), [Report({"square": 0})]), (future("b", "cancelled"), None)],
        [(future("c", "cancelled"), None)],
    )
    assert [cell for cell, _ in pool.wait()] == cells[:1]  # what came before is still recorded
    with pytest.raises(TreegaugeError, match="the dask scheduler has ended"):
        pool.room  # noqa: B018
    with pytest.raises(TreegaugeError, match="the dask scheduler has ended"):
        pool.wait()


def test_no_scheduler_at_an_address(chores, tmp_path, monkeypatch):
    monkeypatch.setattr("treegauge.experiments.pools.ANSWER", 1)
    with pytest.raises(TreegaugeError, match="no dask scheduler answers at tcp"):
        run(chores("trivial", 1), tmp_path / "s", pool="dask://127.0.0.1:1")


def test_the_script_for_slurm():
    pytest.importorskip("dask_jobqueue", reason="needs treegauge[cluster]")
    wanted = PoolSettings("slurm", 20, slurm={
        "queue": "short", "account": "nlp", "walltime": "02:30:00", "memory": "2GB",
        "directives": ["--constraint=avx2"], "prologue": ["module load python"],
    })  # fmt: skip
    script = job_script(wanted)
    lines = script.split("\n")
    assert lines[0] == "#!/usr/bin/env bash"
    assert [line for line in lines if line.startswith("#SBATCH")] == [
        "#SBATCH -J treegauge", "#SBATCH -p short", "#SBATCH -A nlp", "#SBATCH -n 1",
        "#SBATCH --cpus-per-task=1", "#SBATCH --mem=2G", "#SBATCH -t 02:30:00",
        "#SBATCH --constraint=avx2",
    ]  # fmt: skip
    exports = [line for line in lines if line.startswith("export")]
    assert {"export OMP_NUM_THREADS=1", "export POLARS_MAX_THREADS=1"} <= {*exports}
    assert lines.index("module load python") > lines.index(exports[-1])
    (worker,) = [line for line in lines if "dask_worker" in line]
    assert worker.startswith(f"{sys.executable} -m distributed.cli.dask_worker tcp://SCHEDULER:PORT ")
    assert re.search(r"--nthreads 1\b", worker)


def test_without_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(TreegaugeError, match=r"pip install 'treegauge\[cluster\]'"):
        Cluster(PoolSettings("dask"))
    monkeypatch.setitem(sys.modules, "dask_jobqueue.slurm", None)
    with pytest.raises(TreegaugeError, match=r"pip install 'treegauge\[cluster\]'"):
        job_script(PoolSettings("slurm"))


def test_mistakes():
    for bad, message in (
        ({"pool": "dusk"}, "unknown pool 'dusk'; did you mean 'dask'"),
        ({"workers": 0}, "workers is 0; expected at least 1"),
        ({"pool": "inline", "workers": 2}, "one cell at a time"),
        ({"pool": "inline", "limits": CellLimits(1)}, "pool inline has no limits"),
        ({"slurm": {"quee": "x"}}, "unknown setting of Slurm 'quee'; did you mean 'queue'"),
        ({"slurm": {"cores": "two"}}, "cores of Slurm is 'two'; expected a whole number"),
        ({"slurm": {"prologue": "a b"}}, "prologue of Slurm is 'a b'; expected a list of texts"),
    ):
        with pytest.raises(TreegaugeError, match=message):
            PoolSettings(**bad)
