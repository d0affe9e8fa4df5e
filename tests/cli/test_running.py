"""``treegauge run``, ``status``, ``results``, ``merge`` and ``gc``."""

import csv
import io
import json
import signal

import pytest

from treegauge.cli import progress
from treegauge.testing.synthetic import synthetic
from treegauge.treebanks.conllu import write_conllu

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
def plan(tmp_path, monkeypatch):
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


def table(text):
    return list(csv.DictReader(io.StringIO(text)))


def test_a_plan_from_start_to_end(command, plan, tmp_path):
    notice = "left out: UD_B-Y has 25 train sentences, too few for size 30\n"
    dry = command("run", plan, "--dry-run")
    assert (dry.code, dry.err) == (0, notice)
    assert dry.out.startswith("10 cells: 0 done, 0 failed before, 10 new\n")
    assert "left out: UD_B-Y" in dry.out
    assert not (tmp_path / "small.store").exists()

    done = command("run", plan)
    assert (done.code, done.err) == (0, notice)
    assert done.out.startswith("small: 10 cells, 0 done before, 10 done now in ")

    rows = table(command("results", "small.store", "--format", "csv").out)
    assert [(row["treebank"], row["size"], row["sample"]) for row in rows] == [
        (name, str(size), str(sample))
        for name, sizes in (("UD_A-X", (10, 20, 30)), ("UD_B-Y", (10, 20)))
        for size in sizes
        for sample in (0, 1)
    ]
    assert {row["options"] for row in rows} == {"beam=1 epochs=1"}
    assert all(0 <= float(row["las"]) <= float(row["uas"]) <= 100 for row in rows)
    assert not {"seconds", "host", "key"} & rows[0].keys()

    none = command("results", "small.store", "--seed", 9)
    assert none.out.startswith("task  treebank  parser ")

    one = command("results", "small.store", "--treebank", "*-Y", "--size", 20, "--format", "json",
                  "--provenance")  # fmt: skip
    found = json.loads(one.out)["rows"]
    assert [row["sample"] for row in found] == [0, 1]
    assert {"key", "seconds", "host", "treegauge", "started"} <= found[0].keys()

    again = command("run", plan, "--resume")
    assert "10 cells, 10 done before, 0 done now" in again.out
    told = command("status", "small.store").out
    assert told.startswith("small: 10 cells, 10 done, 0 failed, 0 left; finished")
    dry = command("run", plan, "--dry-run", "--format", "json")
    assert json.loads(dry.out)["done"] == 10


def test_a_wider_plan_says_what_is_new_and_how_long(command, plan):
    command("run", plan)
    plan.write_text(PLAN.replace("[10, 20, 30]", "[10, 15, 20, 30]"))
    dry = command("run", plan, "--dry-run").out
    assert dry.startswith("14 cells: 10 done, 0 failed before, 4 new\n        4  new size 15\n")
    assert "time: about " in dry
    plan.write_text(PLAN.replace("beam = 1", "beam = 2"))
    assert "       10  option beam: 1 before, 2 now\n" in command("run", plan, "--dry-run").out


def test_no_resume_refuses_a_store_with_cells(command, plan):
    assert command("run", plan, "--no-resume").code == 0
    done = command("run", plan, "--no-resume")
    assert (done.code, done.err.splitlines()[-1]) == (
        2, "error: small.store has 10 cells; --resume goes on with it",
    )  # fmt: skip


def test_a_command_that_is_ended_keeps_what_is_done(command, plan, tmp_path, monkeypatch):
    (tmp_path / "ending.py").write_text(
        "import os, signal, time\nfrom treegauge.experiments.cells import Outcome\n"
        "def work(cell):\n"
        "    if cell.seed:\n        os.kill(os.getpid(), signal.SIGTERM)\n        time.sleep(9)\n"
        "    return Outcome({'x': 1})\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    plan.write_text(
        '[plan]\nroot = "."\ntask = "ending:work"\ntreebanks = ["UD_A-X"]\nseeds = [0, 1]\n'
        '[run]\npool = "inline"\n'
    )
    before = signal.signal(signal.SIGTERM, signal.SIG_IGN)  # a test must not end all of them
    try:
        done = command("run", plan)
    finally:
        assert signal.signal(signal.SIGTERM, before) == signal.SIG_IGN
    assert (done.code, done.err) == (
        130,
        "interrupted: 1 cells are done and kept in small.store; the same command goes on from "
        "there\n",
    )
    assert "1 left; interrupted" in command("status", "small.store").out


def test_failed_cells(command, plan, tmp_path):
    path = tmp_path / "UD_B-Y" / "b_x-ud-test.conllu"
    path.write_text(path.read_text().replace("\t0\troot", "\t99\troot"))
    done = command("run", plan)
    assert done.code == 1
    assert "6 done now" in done.out
    assert "4 failed" in done.out
    assert "treegauge results small.store --failed says why" in done.err
    rows = table(command("results", "small.store", "--failed", "--format", "csv").out)
    assert len(rows) == 4
    assert all("head-range" in row["error"] for row in rows)
    assert len(table(command("results", "small.store", "--format", "csv").out)) == 6


def test_merging_and_sweeping(command, plan, tmp_path):
    for name, treebank in (("a", "UD_A-X"), ("b", "UD_B-Y")):
        plan.write_text(PLAN.replace("UD_*", treebank))
        assert command("run", plan, "--store", name).code == 0
    plan.write_text(PLAN)
    assert command("run", plan, "--store", "whole").code == 0
    assert command("merge", "a", "b", "--out", "both").code == 0
    texts = [command("results", s, "--format", "csv").out for s in ("both", "whole")]
    assert texts[0] == texts[1]
    assert command("merge", "a", "b").code == 0
    assert command("results", "a", "--format", "csv").out == texts[0]
    assert "expected stores to merge" in command("merge", "a").err

    plan.write_text(PLAN.replace("samples = 2", "samples = 1"))
    assert command("gc", "both", "--plan", plan, "--dry-run").out.startswith("would remove 5 cells")
    assert command("gc", "both", "--plan", plan).out.startswith("removed 5 cells and 5 files")
    assert len(table(command("results", "both", "--format", "csv").out)) == 5


def test_the_pools_are_options(command, plan):
    pytest.importorskip("dask_jobqueue", reason="needs treegauge[cluster]")
    dry = command("run", plan, "--dry-run", "--pool", "slurm", "--slurm", "queue=short", "-w", 9)
    assert "#SBATCH -p short\n" in dry.out
    text = command("run", plan, "--dry-run", "--pool", "slurm", "--format", "json").out
    assert "#SBATCH" in json.loads(text)["script"]
    assert "expected such as queue=short" in command("run", plan, "--slurm", "queue").err
    assert (
        "unknown pool 'proces'; did you mean 'process'"
        in command("run", plan, "--pool", "proces").err
    )
    assert "expected a time such as 90s" in command("run", plan, "--timeout", "soon").err
    assert "workers is 0; expected at least 1" in command("run", plan, "--workers", 0).err
    account = command("run", plan, "--dry-run", "--pool", "slurm", "--slurm", "account=123").out
    assert "#SBATCH -A 123\n" in account


def test_a_bar_that_tells_the_time(monkeypatch):
    class Terminal(io.StringIO):
        def isatty(self):
            return True

    terminal = Terminal()
    monkeypatch.setattr("sys.stderr", terminal)
    with progress.remaining("cells") as update:
        update(3, 10)
    assert "3/10" in terminal.getvalue()
    monkeypatch.setattr("sys.stderr", io.StringIO())
    with progress.remaining("cells") as update:
        assert update is None
