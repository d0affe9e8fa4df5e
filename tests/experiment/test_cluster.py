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

import pytest

from treegauge.errors import TreegaugeError
from treegauge.experiment.cluster import Cluster, job_script
from treegauge.experiment.limits import Limits
from treegauge.experiment.pools import Wanted
from treegauge.experiment.running import run
from treegauge.experiment.store import Store

distributed = pytest.importorskip("distributed", reason="needs treegauge[cluster]")


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
    environment = os.environ | {"PYTHONPATH": str(room), "PYTHONWARNINGS": "default"}
    place = f"127.0.0.1:{port}"
    scheduler = [*line[:2], line[2] + "scheduler", "--host", "127.0.0.1", "--port", str(port),
                 "--no-dashboard"]  # fmt: skip
    worker = [
        *line[:2],
        line[2] + "worker",
        place,
        "--nthreads",
        "1",
        "--no-dashboard",
        "--no-nanny",
    ]
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    with (
        subprocess.Popen(scheduler, env=environment, **quiet) as first,
        subprocess.Popen(worker, env=environment, **quiet) as second,
    ):
        yield place
        second.kill()
        first.kill()


def test_a_scheduler_started_by_hand(chores, notes, tmp_path, address):
    until = time.monotonic() + 60
    while time.monotonic() < until:  # it takes a moment to listen
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", int(address.rpartition(":")[2]))) == 0:
                break
        time.sleep(0.1)
    done = run(chores("wordy", 20), tmp_path / "s", pool=f"dask://{address}")
    assert (done.done, done.failed) == (20, 0)
    assert len({process for _, process in notes()}) == 1
    frame = Store(tmp_path / "s").results()
    assert Store(tmp_path / "s").words(frame["key"][3])["y"].sum() == frame["sum"][3]
    # Limits and killers: each cell has a process of its own then, and the worker lives on.
    wanted = Wanted(f"dask://{address}", limits=Limits(seconds=1))
    done = run(chores("sleeps", 2), tmp_path / "t", wanted=wanted)
    assert (done.done, done.failed) == (0, 2)
    assert Store(tmp_path / "t").failures()["error"].to_list() == ["time limit of 1 s reached"] * 2
    done = run(chores("noted", 2), tmp_path / "t", wanted=wanted)
    assert (done.done, done.failed) == (2, 0)


def test_no_scheduler_at_an_address(chores, tmp_path, monkeypatch):
    monkeypatch.setattr("treegauge.experiment.cluster.ANSWER", 1)
    with pytest.raises(TreegaugeError, match="no dask scheduler answers at tcp"):
        run(chores("trivial", 1), tmp_path / "s", pool="dask://127.0.0.1:1")


def test_the_script_for_slurm():
    pytest.importorskip("dask_jobqueue", reason="needs treegauge[cluster]")
    wanted = Wanted("slurm", 20, slurm={
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
    assert worker.startswith(
        f"{sys.executable} -m distributed.cli.dask_worker tcp://SCHEDULER:PORT "
    )
    assert re.search(r"--nthreads 1\b", worker)
    with pytest.raises(
        TreegaugeError, match="unknown setting of Slurm 'quee'; did you mean 'queue'"
    ):
        job_script(Wanted("slurm", slurm={"quee": "x"}))


def test_without_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(TreegaugeError, match=r"pip install 'treegauge\[cluster\]'"):
        Cluster(Wanted("dask"))
    monkeypatch.setitem(sys.modules, "dask_jobqueue.slurm", None)
    with pytest.raises(TreegaugeError, match=r"pip install 'treegauge\[cluster\]'"):
        job_script(Wanted("slurm"))


def test_mistakes():
    for bad, message in (
        ({"pool": "dusk"}, "unknown pool 'dusk'; did you mean 'dask'"),
        ({"workers": 0}, "workers is 0; expected at least 1"),
        ({"pool": "inline", "workers": 2}, "one cell at a time"),
        ({"pool": "inline", "limits": Limits(1)}, "pool inline knows no limits"),
    ):
        with pytest.raises(TreegaugeError, match=message):
            Wanted(**bad)
