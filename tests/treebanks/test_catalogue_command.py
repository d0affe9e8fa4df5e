"""``treegauge catalogue``: thin over the library, every format, every error a sentence."""

import csv
import io
import json
import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest

WORD = "{i}\tw\tl\tX\t_\t{feats}\t{head}\t{rel}\t_\t_\n"


def sentence(words, feats):
    rows = (
        WORD.format(i=i, feats=feats, head=min(i - 1, 1), rel="dep" if i > 1 else "root") for i in range(1, words + 1)
    )
    return "".join(rows) + "\n"


@pytest.fixture
def shelf(tmp_path, monkeypatch):
    monkeypatch.delenv("TREEGAUGE_UD", raising=False)
    for release, name, code, words, feats in (
        ("r2.5", "UD_Greek-GDT", "el_gdt", 40, "A=B"),
        ("r2.9", "UD_Greek-GDT", "el_gdt", 50, "A=B"),
        ("r2.9", "UD_Greek-Bare", "el_bare", 60, "_"),
        ("r2.9", "UD_Welsh-CCG", "cy_ccg", 10, "A=B"),
    ):
        folder = tmp_path / "ud" / release / name
        folder.mkdir(parents=True)
        (folder / f"{code}-ud-train.conllu").write_text(sentence(words, feats))
    return tmp_path / "ud"


def test_a_table(command, shelf):
    done = command("catalogue", shelf)
    assert done.code == 0 and done.err == ""
    assert [line.split()[0] for line in done.out.splitlines()[2:6]] == [
        "UD_Greek-GDT", "UD_Greek-Bare", "UD_Greek-GDT", "UD_Welsh-CCG",
    ]  # fmt: skip
    assert done.out.splitlines()[-1] == "4 of 4 treebanks"


def test_the_environment_names_the_folder(command, shelf, monkeypatch):
    done = command("catalogue")
    assert (done.code, done.out) == (2, "") and "set TREEGAUGE_UD" in done.err
    monkeypatch.setenv("TREEGAUGE_UD", str(shelf))
    assert "4 of 4 treebanks" in command("catalogue").out


CHOSEN = ("--where", "words >= 30", "--where", "features > 0.25")


def test_json_has_what_was_chosen_and_how(command, shelf):
    told = json.loads(command("catalogue", shelf, *CHOSEN, "--format", "json").out)
    assert list(told) == ["kind", "signature", "unit", "rows"]
    assert [(row["release"], row["words"]) for row in told["rows"]] == [("2.5", 40), ("2.9", 50)]
    assert told["signature"].endswith("|where:words >= 30 and features > 0.25")
    done = command("catalogue", shelf, *CHOSEN, "--find", "Greek@2.9", "--find", "cy_ccg")
    assert "1 of 4 treebanks" in done.out


def test_csv_to_a_file(command, shelf, tmp_path):
    out = tmp_path / "table.csv"
    assert command("catalogue", shelf, "--format", "csv", "--out", out).out == ""
    rows = list(csv.DictReader(io.StringIO(out.read_text())))
    assert [row["words"] for row in rows] == ["40", "60", "50", "10"]


@pytest.mark.parametrize(("fmt", "mark"), [("latex", r"\begin{tabular}"), ("html", "<table")])
def test_other_formats(command, shelf, fmt, mark):
    assert mark in command("catalogue", shelf, "--format", fmt, *CHOSEN).out


def test_paths_for_other_commands(command, shelf):
    done = command("catalogue", shelf, "--find", "Greek", "--where", "words >= 45", "--paths")
    assert [Path(line).name for line in done.out.splitlines()] == ["UD_Greek-Bare", "UD_Greek-GDT"]


def test_without_counting(command, shelf):
    done = command("catalogue", shelf, "--no-count", "--find", "Welsh")
    assert "words" not in done.out and "counted:no" in done.out


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--find", "el_gtd"], "did you mean 'el_gdt'"),
        (["--find", "el_gdt@2.7"], "choices: 2.5, 2.9"),
        (["--where", "wrods > 1"], "unknown column 'wrods'; did you mean 'words'"),
        (["--where", "words > 1", "--no-count"], "this condition needs sizes"),
    ],
)
def test_errors_are_sentences(command, shelf, options, message):
    done = command("catalogue", shelf, *options)
    assert (done.code, done.out) == (2, "") and message in done.err
    assert "Traceback" not in done.err


def test_no_such_folder(command, tmp_path):
    assert "no such file or folder" in command("catalogue", tmp_path / "nowhere").err


def test_a_bar_on_a_terminal_and_only_there(shelf):
    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "treegauge", "catalogue", str(shelf)]
    environment = os.environ | {"TERM": "xterm", "COLUMNS": "120"}
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=theirs, env=environment)
    os.close(theirs)
    told = os.read(ours, 1 << 16).decode()
    os.close(ours)
    assert done.returncode == 0 and b"4 of 4 treebanks" in done.stdout
    assert "bytes of treebanks" in told
