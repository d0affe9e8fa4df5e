"""Files appear whole or not at all, and messages name what the user named."""

import os
import stat

import pytest

from treegauge.core.files import atomic


def write(path, text=b"new"):
    with atomic(path) as file:
        file.write(text)


def test_a_file_stays_as_it_was_when_writing_fails(tmp_path):
    target = tmp_path / "a"
    target.write_bytes(b"old")

    def fail():
        with atomic(target) as file:
            file.write(b"half")
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail()
    assert target.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [target]


def test_a_new_file_has_the_usual_permissions(tmp_path):
    write(tmp_path / "a")
    (tmp_path / "b").touch()
    assert (tmp_path / "a").stat().st_mode == (tmp_path / "b").stat().st_mode


def test_a_link_stays_a_link(tmp_path):
    (tmp_path / "real").write_bytes(b"old")
    (tmp_path / "link").symlink_to("real")
    write(tmp_path / "link")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real").read_bytes() == b"new"


def test_a_pipe_is_written_to_and_not_replaced(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    end = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    try:
        write(pipe)
        assert os.read(end, 10) == b"new"
    finally:
        os.close(end)
    assert stat.S_ISFIFO(pipe.stat().st_mode)


def test_messages_name_the_place(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"no/where'$"):
        write(tmp_path / "no" / "where" / "a")
    with pytest.raises(IsADirectoryError, match=tmp_path.name):
        write(tmp_path)
