"""Killed drivers, full disks, two drivers, interrupts: no result is lost or incomplete."""

import errno
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from contextlib import contextmanager
from pathlib import Path

import pytest

from treegauge.core.errors import TreegaugeError
from treegauge.experiments import cell_store as stores
from treegauge.experiments.cell_store import FullError, Store
from treegauge.experiments.pools import PoolSettings
from treegauge.experiments.processes import _interrupts_wait
from treegauge.experiments.run import run
from treegauge.experiments.store import store as status
from treegauge.experiments.training import run_expansion
from treegauge.treebanks.sources.files import short_name

CELLS = 24


def plan_file(room: Path, folder: Path, task: str, sleep: float) -> Path:
    path = folder / "plan.toml"
    path.write_text(f'''
        [plan]
        root = "{room}"
        task = "chores:{task}"
        treebanks = ["UD_A-X"]
        seeds = {list(range(CELLS))}
        parameters = {{ log = "{folder / "log"}", sleep = {sleep} }}
        [run]
        workers = 2
    ''')
    return path


def command(room: Path, *arguments: object) -> list[str]:
    code = f"import sys; sys.path.insert(0, {str(room)!r}); from treegauge.cli import main; main()"
    return [sys.executable, "-c", code, *map(str, arguments)]


def until(condition, seconds: float = 60) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.02)


def alive(process: int) -> bool:
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def csv(store: Path) -> bytes:
    return Store(store).results(provenance=False).write_csv().encode()


def words(store: Path) -> dict[str, bytes]:
    return {short_name(path): path.read_bytes() for path in store.glob("words/*/*.parquet")}


@pytest.fixture
def undisturbed(chores, tmp_path):
    """The same cells, run in peace and in this process."""

    def make(plan: Path) -> Path:
        from treegauge.experiments.run import read_plan

        target = tmp_path / "peaceful"
        log = tmp_path / "log"
        kept = log.read_bytes() if log.exists() else b""
        run(read_plan(plan).plan, target, pool="inline")
        log.write_bytes(kept)
        return target

    return make


@pytest.mark.fault("a driver that is killed")
def test_a_driver_killed_in_mid_run(room, tmp_path, notes, undisturbed):
    plan, store = plan_file(room, tmp_path, "wordy", 0.05), tmp_path / "s"
    line = command(room, "run", plan, "--store", store)
    with subprocess.Popen(line, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as driver:
        until(lambda: len(Store(store)) >= 5)
        driver.kill()
    kept = Store(store).results()
    assert 5 <= len(kept) < CELLS
    until(lambda: not any(alive(process) for _, process in notes()))
    assert whole(store) == len(kept)
    before = Counter(seed for seed, _ in notes())
    done = subprocess.run(line, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    assert f"plan: {CELLS} cells, {len(kept)} done before" in done.stdout
    after = Counter(seed for seed, _ in notes())
    assert all(after[seed] == before[seed] for seed in kept["seed"])
    peaceful = undisturbed(plan)
    assert csv(store) == csv(peaceful)
    # A driver killed between words and row leaves a file, which the cell then writes again.
    assert words(store) == words(peaceful)


@pytest.mark.fault("a driver that is interrupted")
def test_an_interrupt_keeps_what_is_done(room, tmp_path, undisturbed, notes):
    plan, store = plan_file(room, tmp_path, "noted", 0.1), tmp_path / "s"
    line = command(room, "run", plan, "--store", store)
    with subprocess.Popen(line, stderr=subprocess.PIPE, text=True) as driver:
        until(lambda: len(Store(store)) >= 3)
        driver.send_signal(signal.SIGINT)
        told = driver.communicate(timeout=60)[1]
    kept = len(Store(store))
    assert driver.returncode == 130
    assert told == (f"interrupted: {kept} cells are done and kept in {store}; the same command resumes there\n")
    until(lambda: not any(alive(process) for _, process in notes()))
    assert subprocess.run(line, capture_output=True, timeout=120).returncode == 0
    assert csv(store) == csv(undisturbed(plan))


@pytest.mark.fault("a driver that is interrupted")
def test_an_interrupt_waits_until_a_process_has_started():
    """A process whose driver was interrupted while it started ended in a traceback."""
    done = []
    before = signal.signal(signal.SIGINT, lambda *_: done.append("interrupted"))
    try:
        with _interrupts_wait():
            os.kill(os.getpid(), signal.SIGINT)
            done.append("started")
    finally:
        signal.signal(signal.SIGINT, before)
    assert done == ["started", "interrupted"]


@pytest.mark.fault("two drivers on one store")
def test_a_second_driver_is_told(room, tmp_path):
    plan, store = plan_file(room, tmp_path, "noted", 60), tmp_path / "s"
    line = command(room, "run", plan, "--store", store)
    with subprocess.Popen(line, stderr=subprocess.PIPE) as first:
        until((tmp_path / "log").exists)
        second = subprocess.run(line, capture_output=True, text=True, timeout=60)
        assert second.returncode == 2
        assert f"error: store {store} is in use by process {first.pid} on " in second.stderr
        told = status(Store(store))
        assert told.user.startswith(f"process {first.pid} on ")
        assert (told.run.state, told.run.left) == ("running", CELLS)
        first.kill()
    until(lambda: not Store(store).in_use)
    assert status(Store(store)).run.state == "killed"


@contextmanager
def small_disk(folder: Path, kilobytes: int):
    folder.mkdir()
    options = ["mount", "-t", "tmpfs", "-o", f"size={kilobytes}k", "tmpfs", str(folder)]
    if not shutil.which("mount") or subprocess.run(options, capture_output=True).returncode:
        pytest.skip("a small disk needs the right to mount")
    try:
        yield
    finally:
        subprocess.run(["umount", str(folder)], check=True)


def whole(store: Path) -> int:
    """Check that every row of a store has its words, whole; return how many there are."""
    frame = Store(store).results()
    for row in frame.iter_rows(named=True):
        assert Store(store).words(row["key"])["y"].sum() == row["sum"]
    return len(frame)


@pytest.mark.fault("a full disk under a store")
def test_a_full_disk(room, tmp_path, undisturbed):
    plan, disk = plan_file(room, tmp_path, "wordy", 0), tmp_path / "disk"
    with small_disk(disk, 600):
        line = command(room, "run", plan, "--store", disk / "s")
        done = subprocess.run(line, capture_output=True, text=True, timeout=120)
        assert done.returncode == 2
        told = rf"error: cannot write to store {disk}/s: (No space left on device|.*disk is full)"
        assert re.search(told, done.stderr), done.stderr  # the system's words, or the database's
        assert "Make room, then run the same again" in done.stderr
        assert "Traceback" not in done.stderr
        kept = whole(disk / "s")
        assert 0 < kept < CELLS
        grow = ["mount", "-o", "remount,size=20m", str(disk)]
        subprocess.run(grow, check=True)
        done = subprocess.run(line, capture_output=True, text=True, timeout=120)
        assert done.returncode == 0, done.stderr
        assert f"{kept} done before, {CELLS - kept} done now" in done.stdout
        peaceful = undisturbed(plan)
        assert csv(disk / "s") == csv(peaceful)
        assert words(disk / "s") == words(peaceful)


@pytest.mark.fault("a full disk under a store")
def test_a_disk_that_fills_up_with_words(chores, tmp_path, monkeypatch):
    """The same where nothing can be mounted: the fourth file of words finds no room."""
    plan, written = chores("wordy", 8), []

    @contextmanager
    def failing(path, **options):
        with stores_atomic(path, **options) as file:
            written.append(path)
            if len(written) == 4:
                file.write(b"half")
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            yield file

    stores_atomic = stores.atomic
    with monkeypatch.context() as patch:
        patch.setattr(stores, "atomic", failing)
        with pytest.raises(FullError, match="No space left on device; what was recorded"):
            run(plan, tmp_path / "s", pool="inline")
    assert whole(tmp_path / "s") == 3
    assert len(list((tmp_path / "s" / "words").rglob("*.*"))) == 3
    assert run(plan, tmp_path / "s", pool="inline").done == 5
    run(plan, tmp_path / "t", pool="inline")
    assert csv(tmp_path / "s") == csv(tmp_path / "t")


@pytest.mark.fault("a full disk under a store")
def test_a_ledger_that_fills_up(chores, tmp_path, monkeypatch):
    plan = chores("noted", 2000)
    begin = stores.Writer.begin

    def limited(self, *args):
        pages = self.ledger.ask("PRAGMA page_count")[0][0]
        self.ledger.ask(f"PRAGMA max_page_count = {pages + 20}")
        return begin(self, *args)

    with monkeypatch.context() as patch:
        patch.setattr(stores.Writer, "begin", limited)
        with pytest.raises(FullError, match="database or disk is full; what was recorded"):
            run(plan, tmp_path / "s", pool="inline")
    kept = len(Store(tmp_path / "s"))
    assert 0 < kept < 2000
    done = run(plan, tmp_path / "s", pool="inline")
    assert (done.reused, done.done) == (kept, 2000 - kept)
    assert Store(tmp_path / "s").results()["square"].to_list() == [i**2 for i in range(2000)]


def test_failed_cells_are_tried_again_by_the_next_run_only(chores, notes, tmp_path):
    plan = chores("refuses", 2)
    for number in (1, 2):
        done = run(plan, tmp_path / "s", pool="inline", retries=3)
        assert (done.reused, done.done, done.failed) == (0, 0, 2)
        assert len(notes()) == 2 * number  # an error of the input is not tried again
    assert Store(tmp_path / "s").failures()["error"].to_list() == ["no such thing"] * 2


@pytest.mark.fault("a worker that is killed")
def test_passing_errors_are_tried_again(chores, notes, tmp_path):
    done = run(chores("dies_once", 3), tmp_path / "s", workers=2, retries=1)
    assert (done.done, done.failed) == (3, 0)
    assert len(notes()) == 6
    for path in tmp_path.glob("log*"):
        path.unlink()
    done = run(chores("dies_once", 3), tmp_path / "t", workers=2, retries=0)
    assert (done.done, done.failed) == (0, 3)
    done = run(chores("dies_once", 3), tmp_path / "t", workers=2, retries=0)
    assert (done.reused, done.done, done.failed) == (0, 3, 0)


@pytest.mark.fault("a clock that jumps back a year during a run")
def test_a_clock_that_jumps_back(chores, tmp_path, monkeypatch):
    plan, now, calls = chores("noted", 6), time.time, []

    def jumping() -> float:
        calls.append(0)
        return now() - (len(calls) > 4) * 365 * 86_400

    with monkeypatch.context() as patch:
        patch.setattr(time, "time", jumping)
        done = run(plan, tmp_path / "s", pool="inline")
    assert len(calls) > 4
    assert (done.done, done.failed) == (6, 0)
    assert done.seconds >= 0
    seen = status(Store(tmp_path / "s"))
    assert seen.run.state == "finished"
    assert not re.search(r"-\d+(\.\d+)? (s|min|h|days)\b", str(seen))
    assert (Store(tmp_path / "s").results()["seconds"] >= 0).all()
    assert run(plan, tmp_path / "s", pool="inline").reused == 6
    run(plan, tmp_path / "t", pool="inline")
    assert csv(tmp_path / "s") == csv(tmp_path / "t")


@pytest.mark.fault("a store that vanishes during a run")
def test_a_store_that_vanishes(chores, tmp_path, notes):
    """SQLite goes on in the deleted file, so that all was lost without a word."""
    plan, store = chores("wordy", 6), tmp_path / "s"

    def vanish(done: int, _: int) -> None:
        if done == 2:
            shutil.move(store, tmp_path / "moved")

    with pytest.raises(TreegaugeError, match="was moved or deleted during the run"):
        run_expansion(plan, Store(store), PoolSettings("inline"), progress=vanish)
    assert not store.exists()
    assert whole(tmp_path / "moved") == 2
    assert run(plan, tmp_path / "moved", pool="inline").reused == 2
