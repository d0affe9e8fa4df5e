"""A plan from start to end: `treegauge run`, `tg.run`."""

import csv
import io
import json
import signal

import pytest

import treegauge as tg


def table(text):
    return list(csv.DictReader(io.StringIO(text)))


def test_a_plan_from_start_to_end(command, plan, tmp_path):
    notice = "left out: UD_B-Y has 25 training sentences, too few for size 30\n"
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
    assert {row["options"] for row in rows} == {"beam=1 epochs=1 learners=1"}
    assert all(0 <= float(row["LAS"]) <= float(row["UAS"]) <= 100 for row in rows)
    assert not {"seconds", "host", "key"} & rows[0].keys()

    none = command("results", "small.store", "--seed", 9)
    assert none.out.startswith("task  treebank  parser ")

    one = command("results", "small.store", "--treebank", "*-Y", "--size", 20, "--format", "json", "--provenance")
    found = json.loads(one.out)["rows"]
    assert [row["sample"] for row in found] == [0, 1]
    assert {"key", "seconds", "host", "treegauge", "started"} <= found[0].keys()

    again = command("run", plan)
    assert "10 cells, 10 done before, 0 done now" in again.out
    told = command("store", "small.store").out
    assert told.startswith("small: 10 cells, 10 done, 0 failed, 0 left; finished")
    dry = command("run", plan, "--dry-run", "--format", "json")
    assert json.loads(dry.out)["done"] == 10


def test_a_wider_plan_says_what_is_new(command, plan):
    text = plan.read_text()
    command("run", plan)
    plan.write_text(text.replace("[10, 20, 30]", "[10, 15, 20, 30]"))
    dry = command("run", plan, "--dry-run").out
    assert dry.startswith("14 cells: 10 done, 0 failed before, 4 new\n        4  new size 15\n")
    plan.write_text(text.replace("beam = 1", "beam = 2"))
    assert "       10  option beam: 1 before, 2 now\n" in command("run", plan, "--dry-run").out


def test_a_command_that_is_ended_keeps_what_is_done(command, plan, tmp_path, monkeypatch):
    (tmp_path / "ending.py").write_text(
        "import os, signal, time\nfrom treegauge.experiments.cells import Outcome\n"
        "def work(cell):\n"
        "    if cell.seed:\n        os.kill(os.getpid(), signal.SIGTERM)\n        time.sleep(9)\n"
        "    return Outcome({'x': 1})\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    plan.write_text(
        '[plan]\nroot = "."\ntask = "ending:work"\ntreebanks = ["UD_A-X"]\nseeds = [0, 1]\n[run]\npool = "inline"\n'
    )
    before = signal.signal(signal.SIGTERM, signal.SIG_IGN)  # a test must not end all of them
    try:
        done = command("run", plan)
    finally:
        assert signal.signal(signal.SIGTERM, before) == signal.SIG_IGN
    assert (done.code, done.err) == (
        130,
        "interrupted: 1 cells are done and kept in small.store; the same command resumes there\n",
    )
    assert "1 left; interrupted" in command("store", "small.store").out


def test_failed_cells(command, plan, tmp_path):
    path = tmp_path / "UD_B-Y" / "b_x-ud-test.conllu"
    path.write_text(path.read_text().replace("\t0\troot", "\t99\troot"))
    done = command("run", plan)
    assert done.code == 1
    assert "6 done now" in done.out
    assert "4 failed" in done.out
    assert "treegauge results small.store --failed lists the errors" in done.out
    assert "6 done, 4 failed, 0 left" in command("store", "small.store").out
    rows = table(command("results", "small.store", "--failed", "--format", "csv").out)
    assert len(rows) == 4
    assert all("head-range" in row["error"] for row in rows)
    assert len(table(command("results", "small.store", "--format", "csv").out)) == 6


def test_the_pools_are_options(command, plan):
    pytest.importorskip("dask_jobqueue", reason="needs treegauge[cluster]")
    dry = command("run", plan, "--dry-run", "--pool", "slurm", "--slurm", "queue=short", "-w", 9)
    assert "#SBATCH -p short\n" in dry.out
    text = command("run", plan, "--dry-run", "--pool", "slurm", "--format", "json").out
    assert "#SBATCH" in json.loads(text)["script"]
    assert "expected a setting of Slurm such as queue=short" in command("run", plan, "--slurm", "queue").err
    assert "unknown pool 'proces'; did you mean 'process'" in command("run", plan, "--pool", "proces").err
    assert "expected a time such as 90s" in command("run", plan, "--timeout", "soon").err
    assert "workers: expected a whole number of at least 1, found 0" in command("run", plan, "--workers", 0).err
    account = command("run", plan, "--dry-run", "--pool", "slurm", "--slurm", "account=123").out
    assert "#SBATCH -A 123\n" in account


def test_python_does_the_same(command, plan):
    done = tg.run(plan, "python.store")
    assert (done.total, done.done, done.failed, done.exit_code) == (10, 10, 0, 0)
    assert repr(done).startswith("small: 10 cells, 0 done before, 10 done now in ")
    command("run", plan)
    table = command("results", "small.store", "--format", "csv").out
    assert tg.results("python.store").to_csv().strip() == table.strip()
    assert tg.run(plan, "python.store", dry_run=True).done == 10
    study = tg.Plan((tg.grid("curve", "UD_A-X", parsers=["beam"], sizes=[10]),), "study", ".")
    assert tg.run(study, dry_run=True).new == 1
