"""The command line as a whole: help, mistakes, pipes, and no traceback for any of them."""

import os
import subprocess
import sys

import pytest

from treegauge import __version__
from treegauge.cli.app import app
from treegauge.testing.synthetic import synthetic
from treegauge.treebanks.conllu import write_conllu

SHELL = [sys.executable, "-c", "from treegauge.cli import main; main()"]


def verbs() -> list[str]:
    plain = [one.name or one.callback.__name__ for one in app.registered_commands]
    return [*plain, *(group.name for group in app.registered_groups)]


def test_without_arguments_it_helps(command):
    done = command()
    for verb in verbs():
        assert verb in done.out + done.err


@pytest.mark.parametrize("verb", verbs())
def test_every_verb_says_what_it_is_for(command, verb):
    done = command(verb, "--help")
    assert done.code == 0
    assert "Usage: treegauge" in done.out


def test_version(command):
    assert command("--version") == (0, f"treegauge {__version__}\n", "")


def test_unknown_verbs_and_options(command):
    assert "No such command 'chekc'" in command("chekc").err
    assert "No such option" in command("check", "--nope", "x").err
    assert command("check").code == 2


def test_user_errors_are_one_message(command):
    done = command("check", "no.conllu")
    assert done == (2, "", "error: no.conllu: no such file or folder\n")


def test_problems_with_the_disk_are_one_message(command, tmp_path, monkeypatch):
    source = tmp_path / "a.conllu"
    write_conllu(synthetic(2, seed=1), source)

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("pathlib.Path.replace", full)
    done = command("convert", source, "--out", tmp_path / "a.csv")
    assert done.code == 2
    assert done.err == "error: [Errno 28] No space left on device\n"
    assert list(tmp_path.iterdir()) == [source]


def test_interrupting(command, tmp_path, monkeypatch):
    source = tmp_path / "a.conllu"
    write_conllu(synthetic(2, seed=1), source)

    def interrupt(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr("treegauge.validation.check._problems", interrupt)
    done = command("check", source)
    assert done.code == 130
    assert "Traceback" not in done.err


def test_a_reader_that_goes_away(tmp_path):
    path = tmp_path / "a.conllu"
    path.write_text("x\n" * 20_000 + "\n")
    pipe = subprocess.Popen(
        [*SHELL, "check", str(path)], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert pipe.stdout.readline().startswith(str(path).encode())
    pipe.stdout.close()
    err = pipe.stderr.read()
    pipe.stderr.close()
    assert pipe.wait() == 1
    assert err == b""


def test_output_is_utf8_where_the_locale_is_plain(tmp_path):
    path = tmp_path / "é.conllu"
    path.write_text("1\té中\t_\t_\t_\t_\t9\troot\t_\t_\n\n", encoding="utf-8")
    done = subprocess.run(
        [*SHELL, "show", str(path)], capture_output=True, env=os.environ | {"LC_ALL": "C"}
    )
    assert done.returncode == 2
    assert f"error: {path}:1: error: head-range".encode() in done.stderr
    assert b"Traceback" not in done.stderr
