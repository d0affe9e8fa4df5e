"""``treegauge tag``, and external parsers by ``train`` and ``parse``."""

import json
import sys
from pathlib import Path

import pytest

from treegauge.testing.synthetic import synthetic
from treegauge.treebanks.conllu import read_conllu, write_conllu

SCRIPT = Path(__file__).parents[1] / "parsers" / "external_parser.py"
TRAIN, TEST = synthetic(30, seed=1), synthetic(10, seed=2)


@pytest.fixture
def files(tmp_path):
    for name, treebank in (("train", TRAIN), ("test", TEST)):
        write_conllu(treebank, tmp_path / f"{name}.conllu")
    return tmp_path / "train.conllu", tmp_path / "test.conllu"


def test_other_files_are_tagged(command, files, tmp_path):
    train, test = files
    out = tmp_path / "out"
    done = command(
        "tag", train, test, "--out", out, "--folds", 0, "--iterations", 1, "--format", "json"
    )
    assert (done.code, done.err) == (0, "")
    (row,) = json.loads(done.out)["rows"]
    copy = read_conllu(out / "test.conllu")
    assert row["upos"] == pytest.approx(100 * (copy["upos"] == TEST["upos"]).mean())
    assert [path.name for path in out.iterdir()] == ["test.conllu"]


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["--columns", "upos,head"], "unknown column to predict 'head'"),
        (["--folds", "1"], "folds"),
        (["--folds", "0"], "nothing to tag"),
    ],
)
def test_bad_requests_write_nothing(command, files, tmp_path, args, message):
    done = command("tag", files[0], "--out", tmp_path / "out", *args)
    assert done.code == 2
    assert message in done.err
    assert not (tmp_path / "out").exists()


def test_standard_input_gets_a_name(command, tmp_path):
    out = tmp_path / "out"
    args = ("tag", "-", "--out", out, "--folds", 2, "--iterations", 1)
    assert command(*args, stdin=TRAIN[:10].to_bytes()).code == 0
    assert [path.name for path in out.iterdir()] == ["stdin.conllu"]


def test_an_external_parser(command, files, tmp_path, monkeypatch):
    train, test = files
    own = tmp_path / "parsers.toml"
    own.write_text(
        f"""
        [mine]
        program = {json.dumps(str(SCRIPT))}
        train = [[{json.dumps(sys.executable)}, "{{program}}", "train", "{{train}}", "{{model}}"]]
        parse = [[{json.dumps(sys.executable)}, "{{program}}", "parse", "{{model}}", "{{input}}",
                  "{{output}}"]]
        """
    )
    monkeypatch.setenv("TREEGAUGE_PARSERS", str(own))
    assert "  mine: " in command("parsers").out
    model, out = tmp_path / "m", tmp_path / "parsed.conllu"
    assert command("train", "command", train, "--out", model, "-o", "template=mine").code == 0
    assert command("parse", model, test, "--out", out).code == 0
    parsed = read_conllu(out)
    assert parsed["form"].to_list() == TEST["form"].to_list()
    assert parsed.head.tolist() != TEST.head.tolist()


def test_a_program_that_fails_leaves_nothing(command, files, tmp_path, monkeypatch):
    own = tmp_path / "parsers.toml"
    words = json.dumps([sys.executable, str(SCRIPT), "die"])
    own.write_text(f'[mine]\ntrain = [{words}]\nparse = [["true"]]\n')
    monkeypatch.setenv("TREEGAUGE_PARSERS", str(own))
    done = command("train", "command", files[0], "--out", tmp_path / "m", "-o", "template=mine")
    assert done.code == 2
    assert done.err.startswith("error: mine (training) ended with status 3; the last it said:")
    assert not (tmp_path / "m").exists()


def test_udpipe(command, files, tmp_path):
    train, test = files
    model = tmp_path / "m"
    done = command(
        "train", "udpipe", train, "--out", model, "-o", "preset=fast", "-o", "iterations=1"
    )
    assert done.code == 0
    assert done.err.count("\n") == 1
    assert command("parse", model, test).out.count("\n") == TEST.to_bytes().count(b"\n")
