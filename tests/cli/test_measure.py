"""The command ``treegauge measure``."""

import csv
import io
import json
import subprocess
import sys

import pytest
from typer.testing import CliRunner

from treegauge.cli.app import app
from treegauge.measures.displacement import edv
from treegauge.results.errors import TreegaugeError
from treegauge.testing.synthetic import synthetic
from treegauge.treebanks.conllu import write_conllu


@pytest.fixture
def folder(tmp_path):
    place = tmp_path / "UD_A-B"
    place.mkdir()
    for part, seed in (("train", 1), ("test", 2)):
        write_conllu(synthetic(50, seed=seed), place / f"a_b-ud-{part}.conllu")
    return place


def run(*words, code=0):
    done = CliRunner().invoke(app, ["measure", *map(str, words)])
    if done.exception and not isinstance(done.exception, SystemExit):
        raise done.exception
    assert done.exit_code == code, done.output
    return done


def test_json_of_a_pair(folder):
    files = [folder / f"a_b-ud-{part}.conllu" for part in ("train", "test")]
    found = json.loads(run("edv", *files, "--format", "json").stdout)
    assert found["signature"].startswith("treegauge:")
    (row,) = found["measures"]
    expected = edv(synthetic(50, seed=1), synthetic(50, seed=2))
    assert row == {
        "measure": "edv", "treebank": "a_b-ud-train > a_b-ud-test", "value": expected,
    }  # fmt: skip
    whole = json.loads(run("edv", folder, "--format", "json").stdout)
    assert whole["measures"][0] == {
        "measure": "edv", "treebank": "UD_A-B", "part": "train/test", "value": expected,
    }  # fmt: skip


def test_all_measures_with_missing_ones_told(folder):
    done = run("all", folder, "--format", "json")
    measured = json.loads(done.stdout)["measures"]
    missing = {row["measure"]: row["missing"] for row in measured if row["value"] is None}
    assert missing["sampled_ttr"] == ("UD_A-B/train has 50 sentences, fewer than a sample of 1,000")
    assert "warning: " in done.stderr
    assert "UD_A-B/train has 50 sentences" in done.stderr


def test_intervals_and_seed(folder):
    words = ("mdd", folder, "--interval", "--resamples", "60", "--format", "json")
    one, again = (json.loads(run(*words).stdout) for _ in range(2))
    other = json.loads(run(*words, "--seed", "5").stdout)
    assert one == again
    assert one["measures"][0]["low"] != other["measures"][0]["low"]


def test_csv_to_a_file(folder, tmp_path):
    out = tmp_path / "found.csv"
    assert run("wde,words", folder, "--format", "csv", "--out", out).stdout == ""
    rows = list(csv.DictReader(io.StringIO(out.read_text())))
    assert {"wde:root", "words"} <= {row["measure"] for row in rows}


def test_part_and_errors(folder):
    (folder / "a_b-ud-dev.conllu").write_text("1\tx\n\n")
    found = json.loads(run("words", folder, "--part", "test", "--format", "json").stdout)
    assert found["measures"][0]["value"] == synthetic(50, seed=2).n_words
    with pytest.raises(TreegaugeError, match="a_b-ud-dev"):
        run("words", folder, "--part", "dev")
    found = json.loads(
        run("words", folder, "--part", "dev", "--errors", "skip", "--format", "json").stdout
    )
    assert found["measures"][0]["value"] == 0


def test_list(folder):
    text = run("--list").stdout
    assert "edv " in text and "distance between the displacements" in text
    listed = json.loads(run("similarity", "--list", "--format", "json").stdout)["measures"]
    assert {row["family"] for row in listed} == {"similarity"}
    assert {row["docs"] for row in listed} >= {"measures/similarity.md#oov"}


def test_asking_for_nothing():
    for words in ([], ["edv"]):
        with pytest.raises(TreegaugeError, match="treegauge measure --list"):
            run(*words)


def test_no_bar_and_no_traceback_when_nobody_watches(folder):
    code = "import sys; from treegauge.cli import main; sys.argv[0] = 'treegauge'; main()"
    command = [sys.executable, "-c", code, "measure"]
    good = subprocess.run([*command, "edv", folder], capture_output=True, text=True, check=False)
    assert (good.returncode, good.stderr) == (0, "")
    bad = subprocess.run([*command, "edvv", folder], capture_output=True, text=True, check=False)
    assert bad.returncode == 2
    assert bad.stderr.startswith("error: unknown measure 'edvv'; did you mean 'edv'?")
