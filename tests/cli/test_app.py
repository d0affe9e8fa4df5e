"""The command line as a whole: help, mistakes, pipes, and no traceback for any of them."""

import os
import re
import shutil
import subprocess
import sys

import pytest

from treegauge import __version__
from treegauge.cli.options import SCRIPTS, Option, UsageError, complete, read_words
from treegauge.cli.verbs import QUESTION, VERBS
from treegauge.testing.synthetic import synthetic
from treegauge.treebanks.data.conllu import write_conllu

SHELL = [sys.executable, "-c", "from treegauge.cli import main; main()"]


def test_without_arguments_it_helps(command):
    done = command()
    assert done.code == 2
    for question, verbs in VERBS.items():
        assert question in done.out
        for verb, command_ in verbs.items():
            assert re.search(rf"^  {verb} +{command_.help[:20]}", done.out, re.MULTILINE)


@pytest.mark.parametrize("verb", QUESTION)
def test_every_verb_says_what_it_is_for(command, verb):
    done = command(verb, "--help")
    assert done.code == 0
    assert done.out.startswith(f"Usage: treegauge {verb} [OPTIONS]")
    assert "--help" in done.out


def test_version(command):
    assert command("--version") == (0, f"treegauge {__version__}\n", "")


def test_unknown_verbs_and_options(command):
    assert "error: No such command 'chekc'. Did you mean 'check'?" in command("chekc").err
    done = command("check", "--fromat", "x")
    assert done.err.startswith("Usage: treegauge check [OPTIONS] [SOURCES...]")
    assert "error: No such option: --fromat. Did you mean '--format'?" in done.err
    assert "error: No such option: --nope" in command("--nope").err
    assert command("check")[:2] == (2, "")


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
    assert done.err == f"error: {tmp_path / 'a.csv'}: No space left on device\n"
    assert list(tmp_path.iterdir()) == [source]


def test_a_folder_to_write_to_that_does_not_exist(command, tmp_path):
    source = tmp_path / "a.conllu"
    write_conllu(synthetic(2, seed=1), source)
    done = command("convert", source, "--out", tmp_path / "nowhere" / "a.csv")
    assert done.err == f"error: {tmp_path / 'nowhere'}: No such file or directory\n"


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
    pipe = subprocess.Popen([*SHELL, "check", str(path)], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert pipe.stdout.readline().startswith(str(path).encode())
    pipe.stdout.close()
    err = pipe.stderr.read()
    pipe.stderr.close()
    assert pipe.wait() == 1
    assert err == b""


def test_output_is_utf8_where_the_locale_is_plain(tmp_path):
    path = tmp_path / "é.conllu"
    path.write_text("1\té中\t_\t_\t_\t_\t9\troot\t_\t_\n\n", encoding="utf-8")
    done = subprocess.run([*SHELL, "show", str(path)], capture_output=True, env=os.environ | {"LC_ALL": "C"})
    assert done.returncode == 2
    assert done.stderr.startswith(f"{path}:1: error: head-range".encode())
    assert b"Traceback" not in done.stderr


def test_words_become_values():
    gold, systems = Option("gold", metavar="GOLD", required=True), Option("systems", several=True)
    options = [
        gold, systems, Option("metric", ("--metric",), several=True),
        Option("seed", ("--seed", "-s"), int), Option("punct", ("--punct", "--no-punct"), bool),
        Option("out", ("--out", "-o")),
    ]  # fmt: skip
    assert read_words("g --metric LAS a --metric=UAS -s3 b --no-punct -o -".split(), options) == {
        "gold": "g", "systems": ["a", "b"], "metric": ["LAS", "UAS"], "seed": 3, "punct": False,
        "out": "-",
    }  # fmt: skip
    assert read_words(["--", "--x"], options) == {"gold": "--x"}
    same = "g -s 3 --seed=03 --punct --punct".split()
    assert read_words(same, options) == {"gold": "g", "seed": 3, "punct": True}


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("", "Missing argument 'GOLD'."),
        ("g h", "Got unexpected extra arguments: h"),
        ("g --seed", "Option '--seed' requires an argument."),
        ("g --seed 1 -s2", "Option '-s (--seed)' was given twice with different values: 1 and 2."),
        ("g --no-punct --punct", "Option '--punct' was given twice with different values."),
        ("g --seed x", "Invalid value for '--seed': 'x' is not a valid integer."),
        ("g --level x", "Invalid value for '--level': 'x' is not a valid number."),
        ("g --all=yes", "Option '--all' does not take a value."),
        ("g --test t", "Invalid value for '--test': 't' is not one of 'a', 'b'."),
        ("g --tset t", "No such option: --tset. Did you mean '--test'?"),
    ],
)
def test_words_that_nothing_understands(words, message):
    options = [
        Option("gold", metavar="GOLD", required=True), Option("seed", ("--seed", "-s"), int),
        Option("punct", ("--punct", "--no-punct"), bool),
        Option("level", ("--level",), float), Option("all", ("--all",), bool),
        Option("test", ("--test",), choices=("a", "b")),
    ]  # fmt: skip
    with pytest.raises(UsageError) as caught:
        read_words(words.split(), options)
    assert str(caught.value) == message


def test_an_option_that_is_required(command):
    assert "error: Missing option '--out'." in command("train", "beam", "x.conllu").err


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["sco"], {"score"}),
        (["curve", ""], {"show", "counts", "complexity", "equivalent", "advise"}),
        (["curve", "--la"], {"--law"}),
        (["score", "a", "--test", ""], {"student", "permutation", "bootstrap", "none"}),
        (["score", "a", "--test", "b"], {"bootstrap"}),
        (["score", "a.con"], set()),
        (["nothing", "-"], set()),
    ],
)
def test_completion_offers_what_can_come_next(words, expected):
    assert {line.partition("\t")[0] for line in complete(words).splitlines()} == expected


def test_completion_in_bash(tmp_path):
    bash = shutil.which("bash")
    if bash is None:
        pytest.skip("no bash here")
    script = f"""
treegauge() {{ {sys.executable} -m treegauge "$@"; }}
eval "$(treegauge --show-completion bash)"
COMP_WORDS=(treegauge rank com) COMP_CWORD=2; _treegauge; echo "${{COMPREPLY[*]}}"
COMP_WORDS=(treegauge rank compare --pl) COMP_CWORD=3; _treegauge; echo "${{COMPREPLY[*]}}"
"""
    done = subprocess.run([bash, "-c", script], capture_output=True, text=True)
    assert done.stdout.splitlines()[0] == "compare"
    assert done.stdout.splitlines()[1] == "--plot"


@pytest.mark.parametrize("shell", SCRIPTS)
def test_completion_is_for_the_shell_of_the_user(command, monkeypatch, shell):
    monkeypatch.setenv("SHELL", f"/bin/{shell}")
    assert command("--show-completion").out == command("--show-completion", shell).out == f"{SCRIPTS[shell]}\n"
    refused = command("--show-completion", "csh").err
    assert "unknown shell 'csh'; did you mean 'zsh'? choices: bash" in refused
