"""Small treebanks, and tasks that do nothing, take long, or fail."""

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from treegauge.experiments.cells import CellBatch, Expansion, Setup
from treegauge.testing.synthetic import synthetic
from treegauge.treebanks.data.conllu import write_conllu

TASKS = '''
import os, random, signal, subprocess, sys, time
from pathlib import Path
import numpy as np
import polars as pl
from treegauge.experiments.cells import Outcome
from treegauge.experiments.tasks import Task


def log(cell):
    """Note that the cell is run, and by which process."""
    with open(cell.extra["log"], "a") as file:
        file.write(f"{cell.seed} {os.getpid()}\\n")


def trivial(cell):
    return Outcome({"square": cell.seed ** 2})


def noted(cell):
    log(cell)
    time.sleep(cell.extra.get("sleep", 0))
    return Outcome({"square": cell.seed ** 2, "third": cell.seed / 3})


def wordy(cell):
    log(cell)
    time.sleep(cell.extra.get("sleep", 0))
    noise = np.random.default_rng(cell.seed).integers(0, 2**60, 4000)
    frame = pl.DataFrame({"x": noise, "y": noise % 7})
    frame = frame.group_by("x").agg(pl.col("y").sum()).sort("x")
    return Outcome({"sum": int(frame["y"].sum()), "text": f"seed {cell.seed}"}, frame)


def recorded(cell):
    log(cell)
    recordings = {"all": f"recording {cell.seed}".encode(), "dev": b"dev"}
    return Outcome({"number": cell.seed}, pl.DataFrame({"x": [cell.seed]}), recordings)


def borrowed(cell):
    return Outcome({"sentences": len(cell.read("train", treebank=cell.extra["source"]))})


BORROWED = Task(
    "borrowed", "", "chores:borrowed", parameters={}, required=("source",), treebanks=("source",)
)


def dies_once(cell):
    mark = Path(cell.extra["log"] + f".{cell.seed}")
    log(cell)
    if not mark.exists():
        mark.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return Outcome({"square": cell.seed ** 2})


def dies(cell):
    print("about to die", flush=True)
    os.kill(os.getpid(), signal.SIGKILL)


def crashes(cell):
    import ctypes
    ctypes.string_at(0)


def raises(cell):
    raise RuntimeError(f"seed {cell.seed} is unlucky")


def refuses(cell):
    from treegauge.core.errors import TreegaugeError
    log(cell)
    raise TreegaugeError("no such thing")


def sleeps(cell):
    """Sleep in a child process as well, whose number is noted."""
    child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
    with open(cell.extra["log"], "a") as file:
        file.write(f"{child.pid}\\n")
    time.sleep(60)


def hungry(cell):
    return Outcome({"bytes": len(bytearray(cell.extra["bytes"]))})


def exits(cell):
    sys.exit(3)


def odd(cell):
    return Outcome(
        {"nan": float("nan"), "count": np.int64(3), "share": np.float32(0.5), "none": None}
    )


def halves(cell):
    """Give a text that is no UTF-8, as names of files may be, or fail with one."""
    text = os.fsdecode(b"caf\\xe9")
    if cell.seed:
        raise ValueError(text)
    return Outcome({text: text})


def local(cell):
    class Text(str):
        pass
    return Outcome({"text": Text("a")})


def silent(cell):
    sys.stdout.close()
    return Outcome({"x": 1})


def no_outcome(cell):
    return 3


def taken(cell):
    return Outcome({"seed": 1})


def surroundings(cell):
    return Outcome({"variable": os.environ.get("WHERE", ""), "folder": os.getcwd()})


def threads(cell):
    return Outcome({"polars": pl.thread_pool_size(), "hash": hash("a")})
'''


@pytest.fixture(scope="session")
def room(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the module ``chores`` and the treebanks UD_A-X, UD_B-X and UD_C-Tiny."""
    root = tmp_path_factory.mktemp("room")
    (root / "chores.py").write_text(TASKS)
    for number, (name, train) in enumerate({"UD_A-X": 60, "UD_B-X": 40, "UD_C-Tiny": 12}.items()):
        folder = root / name
        folder.mkdir()
        for part, count in (("train", train), ("dev", 6), ("test", 8)):
            treebank = synthetic(count, seed=10 * number + len(part))
            write_conllu(treebank, folder / f"{name[3].lower()}_x-ud-{part}.conllu")
    return root


@pytest.fixture(autouse=True)
def _on_path(room: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(room))
    monkeypatch.setitem(sys.modules, "chores", None)  # set back at the end
    monkeypatch.delitem(sys.modules, "chores")
    monkeypatch.delenv("TREEGAUGE_UD", raising=False)


@pytest.fixture
def chores(tmp_path: Path) -> Callable[..., Expansion]:
    """Cells of a task of ``chores``, one for each seed; they note their runs in ``log``."""

    def make(task: str, count: int, **extra: object) -> Expansion:
        extra = {"log": str(tmp_path / "log"), **extra}
        setup = Setup(f"chores:{task}", "none", extra=extra, usual_extra=extra)
        return Expansion((CellBatch(setup, seeds=tuple(range(count))),))

    return make


@pytest.fixture
def notes(tmp_path: Path) -> Callable[[], list[list[int]]]:
    """What cells noted: seed and process."""

    def read() -> list[list[int]]:
        log = tmp_path / "log"
        lines = log.read_text().splitlines() if log.exists() else []
        return [[int(word) for word in line.split()] for line in lines]

    return read


PLAN = """
[plan]
root = "."
task = "curve"
treebanks = ["UD_*"]
parsers = [{ name = "beam", options = { epochs = 1, beam = 1 } }]
sizes = [10, 20, 30]
samples = 2
[run]
pool = "inline"
"""


@pytest.fixture
def plan(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A plan beside its two treebanks, of which one is too small for it."""
    for number, (name, train) in enumerate({"UD_A-X": 40, "UD_B-Y": 25}.items()):
        (tmp_path / name).mkdir()
        for part, count in (("train", train), ("test", 6)):
            treebank = synthetic(count, seed=number + count)
            write_conllu(treebank, tmp_path / name / f"{name[3].lower()}_x-ud-{part}.conllu")
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "small.toml"
    path.write_text(PLAN)
    return path


@pytest.fixture(autouse=True)
def trusted_plans(monkeypatch):
    """The plans here have tasks of their own."""
    monkeypatch.setenv("TREEGAUGE_TRUST", "1")
