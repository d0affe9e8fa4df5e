"""Commands whose output, input or clock fails: the exit code and the message say so."""

import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from treegauge.core.errors import TreegaugeError
from treegauge.parsing.registry import load_model, make_parser
from treegauge.testing.synthetic import synthetic
from treegauge.treebanks import downloads
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
        done = subprocess.run(
            [*TREEGAUGE, "check", str(broken)], stdout=full, stderr=subprocess.PIPE, timeout=60
        )
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
