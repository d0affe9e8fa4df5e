"""A signal, an error or kill -9 during an atomic write: the old or the new file is there."""

import errno
import os
import subprocess
import sys
from pathlib import Path

import pytest

from treegauge.core import files, platforms
from treegauge.core.errors import TreegaugeError
from treegauge.core.files import atomic
from treegauge.treebanks.data.columns import Treebank
from treegauge.treebanks.data.conllu import parse_conllu, write_conllu

OLD, NEW = b"old content", b"new content " * 2000
"""More than a buffer holds, so that some is written before the file is closed."""


def write(target: Path) -> None:
    with atomic(target, own=True) as file:
        file.write(NEW[:9000])
        file.write(NEW[9000:])


class Points:
    """Raises at the n-th line that Python runs inside an atomic write."""

    def __init__(self, number: int, error: type[BaseException] | None) -> None:
        self.left, self.error, self.handling = number, error, False

    def __call__(self, frame, event, argument):
        own = frame.f_code.co_filename in {files.__file__, platforms.__file__}
        if event == "line" and own:
            self.left -= 1
            if self.left == 0 and self.error is not None:
                raise self.error
        return self


def lines_of_a_write(folder: Path, before: bytes | None) -> int:
    """Count the lines of a write where there is no file, or one with this content."""
    if before is not None:
        (folder / "counted").write_bytes(before)
    count = Points(0, None)
    sys.settrace(count)
    try:
        write(folder / "counted")
    finally:
        sys.settrace(None)
    (folder / "counted").unlink()
    return -count.left


@pytest.mark.fault("a signal at every line of an atomic write")
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize("before", [None, OLD], ids=["no file", "a file"])
def test_an_interrupt_at_every_line(tmp_path, before, record_property):
    target = tmp_path / "a"
    lines = lines_of_a_write(tmp_path, before)
    assert lines > 10
    ended = set()
    for number in range(1, lines + 1):
        target.unlink(missing_ok=True)
        if before is not None:
            target.write_bytes(before)
        tracing = sys.gettrace()
        sys.settrace(Points(number, KeyboardInterrupt))
        try:
            with pytest.raises(KeyboardInterrupt):
                write(target)
        finally:
            sys.settrace(tracing)
        found = target.read_bytes() if target.exists() else None
        assert found in {before, NEW}
        assert {path.name for path in tmp_path.iterdir()} <= {"a"}, f"line event {number}"
        ended.add(found == NEW)
    assert False in ended
    record_property("points", lines)


KILLED = """
import os, sys
from pathlib import Path
from treegauge.core.files import atomic
folder, old, new = Path(sys.argv[1]), b"old content", b"new content " * 2000
target = folder / "a"
def write():
    with atomic(target, own=True) as file:
        file.write(new[:9000])
        file.write(new[9000:])
write()  # everything is imported now
number, outcomes = 0, []
while True:
    number += 1
    target.write_bytes(old)
    child = os.fork()
    if child == 0:
        left = number
        def profile(frame, event, argument):
            # Die before or after the n-th call into C: all system calls are among them.
            global left
            left -= event.startswith("c_")
            if left == 0:
                os.kill(os.getpid(), 9)
        sys.setprofile(profile)
        write()
        os._exit(0)
    _, status = os.waitpid(child, 0)
    if status == 0:
        break
    assert os.WTERMSIG(status) == 9
    content = target.read_bytes()
    assert content in (old, new), number
    outcomes.append(content == new)
    for path in folder.iterdir():
        assert path.name == "a" or path.name.startswith(".a."), path
        if path.name != "a":
            path.unlink()
print(number - 1, sum(outcomes))
"""


@pytest.mark.fault("kill -9 before and after every system call of an atomic write")
@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_kill_at_every_point(tmp_path, record_property):
    line = [sys.executable, "-c", KILLED, str(tmp_path)]
    done = subprocess.run(line, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    points, new = map(int, done.stdout.split())
    assert points > 50
    assert 0 < new < points
    record_property("points", points)


FAILING = {
    "no space": (errno.ENOSPC, "No space left on device"),
    "read-only disk": (errno.EROFS, "Read-only file system"),
    "no permission": (errno.EACCES, "Permission denied"),
    "quota": (errno.EDQUOT, "Disk quota exceeded"),
    "input/output error": (errno.EIO, "Input/output error"),
}


@pytest.fixture
def treebank() -> Treebank:
    return parse_conllu("1\tGo\tgo\tVERB\t_\t_\t0\troot\t_\t_\n\n")


@pytest.mark.fault("a full, read-only or failing disk under any output")
@pytest.mark.parametrize(("code", "message"), FAILING.values(), ids=FAILING)
@pytest.mark.parametrize("call", ["open", "replace"])
def test_calls_that_fail(tmp_path, monkeypatch, treebank, code, message, call):
    target, before = tmp_path / "a.conllu", treebank.to_bytes().replace(b"Go", b"Gone")
    target.write_bytes(before)

    def fails(self, *args, **kwargs):
        raise OSError(code, os.strerror(code), str(self))

    with monkeypatch.context() as patch:
        if call == "replace":
            patch.setattr(Path, "replace", fails)
        else:
            opened = Path.open

            def opens(self, mode="r", *args, **kwargs):
                return (fails if "x" in mode else opened)(self, mode, *args, **kwargs)

            patch.setattr(Path, "open", opens)
        with pytest.raises(TreegaugeError, match=rf"cannot write .*a\.conllu: {message}"):
            write_conllu(treebank, target)
    assert target.read_bytes() == before
    assert list(tmp_path.iterdir()) == [target]


@pytest.mark.fault("a folder that vanishes while a file is written")
def test_the_folder_vanishes(tmp_path):
    import shutil

    folder = tmp_path / "folder"
    folder.mkdir()

    def vanish() -> None:
        with atomic(folder / "a") as file:
            file.write(NEW)
            shutil.rmtree(folder)

    with pytest.raises(FileNotFoundError):
        vanish()
    assert list(tmp_path.iterdir()) == []
