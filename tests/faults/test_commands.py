"""Commands whose output, input or clock fails: the exit code and the message say so."""

import errno
import os
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
from contextlib import contextmanager
from itertools import count
from pathlib import Path

import pytest

import treegauge as tg
from tests.commands import invoke
from treegauge.core.errors import TreegaugeError
from treegauge.parsing.registry import load_model, make_parser
from treegauge.scoring import submissions as scored_submissions
from treegauge.testing.synthetic import synthetic
from treegauge.treebanks import downloads
from treegauge.treebanks.data.conllu import write_conllu
from treegauge.treebanks.downloads import download

TREEGAUGE = (sys.executable, "-c", "from treegauge.cli import main; main()")


@pytest.fixture
def broken(tmp_path):
    """A file with a problem in each of 400 sentences: more messages than a pipe holds."""
    path = tmp_path / "broken.conllu"
    path.write_bytes(synthetic(400, seed=1).to_bytes().replace(b"\troot\t", b"\tRoot\t"))
    return path


@pytest.mark.fault("a pipe that its reader closes, as head does")
def test_a_reader_that_goes(broken):
    line = [*TREEGAUGE, "check", str(broken)]
    with subprocess.Popen(line, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as command:
        assert command.stdout.readline().startswith(str(broken).encode())
        command.stdout.close()
        errors = command.stderr.read()
        code = command.wait(60)
    assert errors == b""
    assert code in {1, 141, -signal.SIGPIPE}


@pytest.mark.fault("an output that is always full (/dev/full)")
def test_a_full_device(broken):
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run([*TREEGAUGE, "check", str(broken)], stdout=full, stderr=subprocess.PIPE, timeout=60)
    assert done.returncode == 2
    assert b"No space left on device" in done.stderr
    assert b"Traceback" not in done.stderr


@pytest.mark.fault("a model that is cut off")
@pytest.mark.parametrize("parser", ["beam", "mst", "baseline"])
def test_a_model_cut_anywhere(parser, tmp_path):
    options = {"bits": 10, "label_bits": 8, "epochs": 1} if parser == "mst" else {}
    options = options or ({"epochs": 1, "beam": 1} if parser == "beam" else {})
    path = tmp_path / "whole.model"
    make_parser(parser, **options).fit(synthetic(8, seed=5), seed=1).save(path)
    data, cut = path.read_bytes(), tmp_path / "cut.model"
    for length in range(0, len(data), 1 + len(data) // 40):
        cut.write_bytes(data[:length])
        with pytest.raises(TreegaugeError, match=r"cut\.model is not a .*or is truncated"):
            load_model(cut)


@pytest.mark.fault("a web server that hangs")
def test_a_server_that_hangs(tmp_path, monkeypatch):
    import socket

    monkeypatch.setattr(downloads, "TRIES", 1)
    monkeypatch.setattr(downloads, "SILENCE", 0.1)
    monkeypatch.setattr(time, "sleep", lambda _: None)
    with socket.create_server(("127.0.0.1", 0)) as server:
        url = f"http://127.0.0.1:{server.getsockname()[1]}/a.tgz"
        with pytest.raises(TreegaugeError, match="timed out"):
            download(url, tmp_path / "a.tgz")
    assert not (tmp_path / "a.tgz").exists()


#: Commands and the output that a full disk does not take.
WRITING = {
    "score gold/x_y-ud-test.conllu teams/A/x_y-ud-test.conllu -o": ["new.parquet", "new.json", "new.csv"],
    "score gold/x_y-ud-test.conllu teams/A/x_y-ud-test.conllu --plot": ["new.svg"],
    "convert gold/x_y-ud-test.conllu -o": ["new.parquet", "new.arrow", "new.csv"],
    "train mst gold/x_y-ud-test.conllu --option epochs=1 -o": ["new.model"],
    "split gold/x_y-ud-test.conllu --no-documents -o": ["new"],
    "tag gold/x_y-ud-test.conllu --folds 2 --tagger perceptron --iterations 1 -o": ["new"],
    "leaderboard gold teams --subsets 5 -o": ["new"],
}


@pytest.fixture(scope="module")
def submissions(tmp_path_factory):
    home = tmp_path_factory.mktemp("full")
    gold = synthetic(40, seed=1)
    for folder in ("gold", "teams/A", "teams/B"):
        (home / folder).mkdir(parents=True)
        for code in ("x", "z"):
            write_conllu(gold, home / folder / f"{code}_y-ud-test.conllu")
    return home


@pytest.mark.parametrize(("words", "name"), [(words, name) for words, names in WRITING.items() for name in names])
def test_a_disk_that_becomes_full(words, name, submissions):
    """The output is named, not a temporary file; nothing of it is left, not even a new folder."""
    resource = pytest.importorskip("resource")
    before = sorted(submissions.rglob("*"))
    done = subprocess.run(
        [*TREEGAUGE, *words.split(), name], cwd=submissions, capture_output=True, text=True,
        env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"},
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (50, 50)),
    )  # fmt: skip
    last = done.stderr.splitlines()[-1]
    assert done.returncode == 2, done.stderr
    assert re.fullmatch(rf"error: (cannot write )?\S*{name}\S*: File too large", last)
    assert "/." not in last
    assert sorted(submissions.rglob("*")) == before


def test_threads_that_fail_together_leave_no_folder(submissions, monkeypatch):
    """The folder that one thread made is not empty when it fails: another one still writes."""
    calls, written = count(), threading.Event()

    @contextmanager
    def full(path, **_):
        if next(calls) == 0:
            written.wait(20)
        else:
            half = path.with_name(".half")
            half.touch()
            written.set()
            time.sleep(0.2)
            half.unlink()
        raise OSError(errno.ENOSPC, "no space")
        yield

    monkeypatch.setattr(scored_submissions, "atomic", full)
    monkeypatch.chdir(submissions)
    before = sorted(submissions.rglob("*"))
    with pytest.raises(OSError, match="no space"):
        tg.leaderboard("gold", "teams", out="fresh", subsets=5, workers=2)
    assert sorted(submissions.rglob("*")) == before


def test_a_leaderboard_that_cannot_be_written_leaves_the_old_one(submissions):
    """Scores of outputs fit on the disk here and are reused; the tables do not."""
    resource = pytest.importorskip("resource")

    def run(limit):
        return subprocess.run(
            [*TREEGAUGE, *"leaderboard gold teams --subsets 5 -o board".split()], cwd=submissions,
            capture_output=True, text=True, env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"},
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)),
        )  # fmt: skip

    board = submissions / "board"

    def written():
        files = [path.relative_to(board) for path in board.rglob("*") if path.is_file()]
        return {str(file): (board / file).read_bytes() for file in files if file.parts[0] != "cells"}

    assert run(20_000).returncode == 2
    assert [path.name for path in board.iterdir()] == ["cells"]
    assert run(10**9).returncode == 0
    tables = written()
    assert len(tables) == 6 + 4  # a page and Markdown for each of two teams
    write_conllu(synthetic(40, seed=2), submissions / "teams" / "B" / "z_y-ud-test.conllu")
    write_conllu(synthetic(40, seed=2), submissions / "gold" / "z_y-ud-test.conllu")
    assert run(20_000).returncode == 2
    assert written() == tables
    shutil.rmtree(board)


@pytest.mark.parametrize("place", ["loop", "loop/new"])
@pytest.mark.parametrize("words", [*WRITING, "run plan.toml --store"])
def test_a_link_that_leads_back_to_itself(words, place, submissions, monkeypatch):
    monkeypatch.chdir(submissions)
    Path("loop").symlink_to("loop")
    try:
        done = invoke([*words.split(), place])
    finally:
        Path("loop").unlink()
    assert done.exit_code == 2
    assert f"error: {place}: a symbolic link here leads back to itself" in done.stderr


def test_a_name_that_is_too_long_is_named_as_it_was_given(submissions, monkeypatch):
    monkeypatch.chdir(submissions)
    name = f"{'n' * 252}.json"
    done = invoke(["measure", "words", "gold/x_y-ud-test.conllu", "-o", name])
    assert done.stderr == f"error: {name}: File name too long\n"
