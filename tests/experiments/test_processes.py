"""A process for each cell: fresh, limited, and replaced when it is killed."""

import os
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from pathlib import Path

import pytest

from treegauge.core.errors import TreegaugeError
from treegauge.experiments.cell_store import Store
from treegauge.experiments.cells import Cell, Setup
from treegauge.experiments.pools import CellLimits, read_bytes, read_seconds
from treegauge.experiments.processes import Processes
from treegauge.experiments.run import run


def alive(process: int) -> bool:
    """Whether a process runs; one that ended and waits to be collected does not."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def gone(*processes: int, within: float = 5) -> bool:
    end = time.monotonic() + within
    while any(map(alive, processes)) and time.monotonic() < end:
        time.sleep(0.02)
    return not any(map(alive, processes))


def one(task: str, limits: CellLimits | None = None, **extra: object):
    """Run one cell and return its report."""
    with Processes(1, limits) as pool:
        pool.submit([Cell(Setup(f"chores:{task}", "none", extra=extra))])
        ((_, report),) = pool.wait()
        assert not pool.busy
    return report


def test_each_cell_has_a_process_of_its_own(chores, notes, tmp_path):
    done = run(chores("noted", 12), tmp_path / "s", workers=3)
    assert (done.total, done.done, done.failed) == (12, 12, 0)
    processes = [process for _, process in notes()]
    assert len(set(processes)) == 12
    assert os.getpid() not in processes


def test_hundreds_of_forks_with_queries_of_polars_do_not_hang(chores, tmp_path):
    done = run(chores("wordy", 150), tmp_path / "s", workers=2, timeout=60)
    assert (done.done, done.failed) == (150, 0)
    frame = Store(tmp_path / "s").results()
    assert frame["attempts"].unique().to_list() == [1]
    words = Store(tmp_path / "s").words(frame["key"][7])
    assert words["y"].sum() == frame["sum"][7]


@pytest.mark.fault("a worker that is killed")
def test_a_worker_killed_in_mid_cell_loses_nothing(chores, notes, tmp_path):
    """Kill -9 from outside: the cell is run again, all others once."""
    plan = chores("noted", 8, sleep=0.3)
    killed = []

    def kill() -> None:
        while not killed:
            if found := notes():
                killed.append(found[0])
                os.kill(found[0][1], signal.SIGKILL)
            time.sleep(0.01)

    thread = threading.Thread(target=kill)
    thread.start()
    done = run(plan, tmp_path / "s", workers=2)
    thread.join()
    assert (done.done, done.failed) == (8, 0)
    frame = Store(tmp_path / "s").results()
    assert frame["square"].to_list() == [seed**2 for seed in range(8)]
    times = Counter(seed for seed, _ in notes())
    assert times == {seed: 2 if seed == killed[0][0] else 1 for seed in range(8)}
    tries = dict(zip(frame["seed"], frame["attempts"], strict=True))
    assert tries == times


def parent(process: int) -> int:
    """The process that started another one."""
    return int(Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[1])


@pytest.mark.fault("a worker that is killed")
def test_the_server_killed_loses_nothing(chores, notes, tmp_path):
    plan = chores("noted", 6, sleep=0.3)
    killed: list[int] = []

    def kill() -> None:
        while not notes():
            time.sleep(0.01)
        killed.append(parent(notes()[0][1]))
        os.kill(killed[0], signal.SIGKILL)

    thread = threading.Thread(target=kill)
    thread.start()
    done = run(plan, tmp_path / "s", workers=2)
    thread.join()
    assert (done.done, done.failed) == (6, 0)
    assert killed[0] != os.getpid()
    assert gone(*(process for _, process in notes()), killed[0])


@pytest.mark.fault("a worker that is killed")
def test_a_cell_that_always_dies_fails_with_its_last_words(chores, tmp_path):
    done = run(chores("dies", 1), tmp_path / "s", retries=2)
    assert (done.done, done.failed) == (0, 1)
    row = Store(tmp_path / "s").failures().row(0, named=True)
    assert row["attempts"] == 3
    assert row["error"] == "the process was killed by SIGKILL: about to die"


@pytest.mark.fault("a worker that is killed")
def test_a_segmentation_fault_says_where():
    error = one("crashes").error
    assert error.startswith("the process was killed by SIGSEGV: Fatal Python error")
    assert "in crashes" in error


class Deadly:
    """Kills the process that reads it."""

    def __reduce__(self):
        return exec, ("import os; os.kill(os.getpid(), 9)",)


@pytest.mark.fault("a worker that is killed")
def test_a_process_killed_before_it_read_its_cell():
    assert one("trivial", deadly=Deadly()).error == "the process was killed by SIGKILL"


def test_a_cell_larger_than_what_a_socket_holds():
    assert one("trivial", text="x" * (1 << 20)).scalars == {"square": 0}


def test_a_task_may_close_its_output_and_give_texts_of_its_own():
    assert one("silent").scalars == {"x": 1}
    assert one("local").scalars == {"text": "a"}


@pytest.mark.fault("a cell that hangs")
def test_a_time_limit_ends_the_process_and_all_it_started(notes, tmp_path):
    began = time.monotonic()
    report = one("sleeps", CellLimits(seconds=1), log=str(tmp_path / "log"))
    assert (report.error, report.lasting) == ("time limit of 1 s reached", True)
    assert 0.9 < report.seconds < 20
    assert time.monotonic() - began < 30
    ((child,),) = notes()
    assert gone(child)


@pytest.mark.fault("out of memory in a cell")
def test_a_memory_limit():
    much, little = 1 << 30, 50 << 20
    with Processes(2, CellLimits(memory=read_bytes("200MB"))) as pool:
        pool.submit([Cell(Setup("chores:hungry", "none", extra={"bytes": n})) for n in (much, little)])
        found = {}
        while pool.busy:
            found |= {cell.extra["bytes"]: report for cell, report in pool.wait()}
    assert (found[much].error, found[much].lasting) == ("out of memory", True)
    assert found[little].scalars == {"bytes": little}


def test_one_thread_and_the_same_hashes():
    first, second = (one("threads").scalars for _ in range(2))
    assert first["polars"] == 1
    assert first == second


def test_leaving_a_pool_ends_what_runs(notes, tmp_path):
    setup = Setup("chores:sleeps", "none", extra={"log": str(tmp_path / "log")})
    with Processes(1) as pool:
        pool.submit([Cell(setup)])
        while not notes():
            time.sleep(0.01)
    ((child,),) = notes()
    assert gone(child)


def test_a_script_without_a_guard_can_run_cells(room, tmp_path):
    """Processes do not import the script that starts them, on any platform."""
    script = tmp_path / "script.py"
    script.write_text(
        f"import sys; sys.path.insert(0, {str(room)!r})\n"
        "from treegauge.experiments.cells import Cell, Setup\n"
        "from treegauge.experiments import processes, starter\n"
        "starter.METHOD = sys.argv[1]\n"
        "with processes.Processes(1) as pool:\n"
        "    pool.submit([Cell(Setup('chores:trivial', 'none'), seed=3)])\n"
        "    print(pool.wait()[0][1].scalars)\n"
    )
    for method in ("fork", "spawn"):  # spawn is all that Windows has
        done = subprocess.run([sys.executable, script, method], capture_output=True, text=True, timeout=60)
        assert (done.stdout, done.stderr) == ("{'square': 9}\n", "")


def test_the_callers_environment_and_main_module_are_never_changed():
    """Not even for a moment: every call and return in this thread is watched."""
    main, environment, changes = sys.modules["__main__"], dict(os.environ), []
    raw = dict(os.environ._data)

    def look(frame, event, _):
        if sys.modules["__main__"] is not main or os.environ._data != raw:
            changes.append(f"{event} {frame.f_code.co_qualname}")

    sys.setprofile(look)
    try:
        assert one("trivial").scalars == {"square": 0}
    finally:
        sys.setprofile(None)
    assert changes == []
    assert dict(os.environ) == environment


CALLER = """
import multiprocessing, os, sys
from multiprocessing import forkserver
if __name__ == "__main__":
    sys.path.insert(0, sys.argv[1])
    from treegauge.experiments.cells import Cell, Setup
    from treegauge.experiments.processes import Processes
    own = multiprocessing.get_context("forkserver")
    own.set_forkserver_preload(["json"])
    with Processes(1) as pool:
        pool.submit([Cell(Setup("chores:trivial", "none"), seed=3)])
        print(pool.wait()[0][1].scalars)
    print(forkserver._forkserver._preload_modules, forkserver._forkserver._forkserver_pid)
    with own.Pool(1) as pool:
        print([pool.apply(os.getenv, (name,)) for name in ("OMP_NUM_THREADS", "PYTHONHASHSEED")])
"""


def test_the_callers_own_fork_server_is_neither_used_nor_changed(room, tmp_path, monkeypatch):
    for name in ("OMP_NUM_THREADS", "PYTHONHASHSEED"):
        monkeypatch.delenv(name, raising=False)
    script = tmp_path / "script.py"
    script.write_text(CALLER)
    line = [sys.executable, script, room]
    done = subprocess.run(line, capture_output=True, text=True, timeout=60)
    assert done.stdout == "{'square': 9}\n['json'] None\n[None, None]\n", done.stderr


def test_each_pool_finds_the_present_environment_and_folder(tmp_path, monkeypatch):
    for name in ("first", "second"):
        (tmp_path / name).mkdir()
        monkeypatch.chdir(tmp_path / name)
        monkeypatch.setenv("WHERE", name)
        assert one("surroundings").scalars == {"variable": name, "folder": str(Path.cwd())}


def test_pools_share_a_starter_one_after_the_other_only(notes, tmp_path):
    setup = Setup("chores:sleeps", "none", extra={"log": str(tmp_path / "log")})
    starters = []
    with Processes(1) as first:
        first.submit([Cell(setup)])
        with Processes(1) as second:
            second.submit([Cell(Setup("chores:trivial", "none"))])
            starters += [first._starter.pid, second._starter.pid]
            second.wait()
    with Processes(1) as third:
        third.submit([Cell(Setup("chores:trivial", "none"))])
        starters.append(third._starter.pid)
        third.wait()
    assert starters[0] != starters[1] == starters[2]
    assert gone(starters[0])


FORKING = """
import os, sys, time
sys.path.insert(0, sys.argv[1])
from treegauge.experiments.cells import Cell, Setup
from treegauge.experiments.processes import Processes
with Processes(1) as pool:
    pool.submit([Cell(Setup("chores:sleeps", "none", extra={"log": sys.argv[2]}))])
    if os.fork() == 0:
        time.sleep(30)
        os._exit(0)
    pool.wait()
"""


@pytest.mark.fault("a driver that is killed")
def test_cells_end_with_a_driver_whose_forks_live_on(room, tmp_path, notes):
    script = tmp_path / "script.py"
    script.write_text(FORKING)
    line = [sys.executable, script, room, tmp_path / "log"]
    with subprocess.Popen(line, start_new_session=True) as driver:
        while not notes():
            time.sleep(0.01)
        driver.kill()
        driver.wait()
        ((child,),) = notes()
        ended = gone(child, parent(parent(child)), within=10)
        os.killpg(driver.pid, signal.SIGKILL)
    assert ended


@pytest.mark.parametrize(
    ("text", "seconds"), [("90", 90), (90, 90), ("90s", 90), ("1.5 m", 90), ("2h", 7200), ("1d", 86400)]
)
def test_times(text, seconds):
    assert read_seconds(text) == seconds


@pytest.mark.parametrize(
    ("text", "amount"), [("500MB", 500 << 20), ("2g", 2 << 30), ("1.5GiB", 3 << 29), (1000, 1000), ("10b", 10)]
)
def test_amounts(text, amount):
    assert read_bytes(text) == amount


@pytest.mark.parametrize("text", ["", "x", "-1", "0", "5 lightyears", "nan", "1h30"])
def test_no_amounts(text):
    for read in (read_seconds, read_bytes):
        with pytest.raises(TreegaugeError, match="expected a"):
            read(text)
