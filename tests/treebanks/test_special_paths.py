"""Inputs that are not plain files: pipes, and folders without permission."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import treegauge as tg
from treegauge.core.errors import TreegaugeError
from treegauge.treebanks.sources.inputs import recognise

TEXT = b"1\tGo\tgo\tVERB\t_\t_\t0\troot\t_\t_\n\n"
STDIN = Path("/dev/stdin")


@pytest.mark.skipif(not STDIN.exists(), reason="this system has no /dev/stdin")
@pytest.mark.parametrize("how", ["pipe", "file"])
def test_standard_input_may_be_given_by_its_path(how, tmp_path):
    (tmp_path / "a.conllu").write_bytes(TEXT)
    words = [sys.executable, "-m", "treegauge", "measure", "sentences", str(STDIN)]
    with (tmp_path / "a.conllu").open("rb") as file:
        given = {"input": TEXT} if how == "pipe" else {"stdin": file}
        done = subprocess.run(words, capture_output=True, check=False, **given)
    assert done.returncode == 0, done.stderr
    assert b"stdin             1" in done.stdout.replace(b"stdin         1", b"stdin             1")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
def test_a_pipe_is_read_as_conllu(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    assert [one.kind for one in recognise([tmp_path / "pipe"])] == ["conllu"]


@pytest.fixture
def closed(tmp_path, monkeypatch) -> Path:
    """A folder with a treebank that may not be read, not even by root."""
    folder = tmp_path / "UD_A-B"
    folder.mkdir()
    (folder / "a_b-ud-test.conllu").write_bytes(TEXT)
    listed = Path.iterdir

    def iterdir(path: Path):
        if path == folder:
            raise PermissionError(13, "Permission denied", str(path))
        return listed(path)

    monkeypatch.setattr(Path, "iterdir", iterdir)
    return folder


@pytest.mark.parametrize("verb", ["measure", "catalogue", "read_conllu", "audit", "score"])
def test_a_folder_without_permission_is_not_called_empty(verb, closed):
    arguments = {"measure": ("sentences", closed), "score": (closed, closed)}.get(verb, (closed,))
    with pytest.raises(TreegaugeError, match=r"UD_A-B: cannot read this folder: Permission denied"):
        getattr(tg, verb)(*arguments)
