"""The rank verb: thin over the library, and every error a sentence."""

import json
import subprocess
import sys

import pytest
from typer.testing import CliRunner

from treegauge.cli.app import app
from treegauge.results.errors import TreegaugeError

WIDE = "treebank,A,B\nx,1.5,1\ny,2,2.5\nz,3,3\n"


def run(*words: str):
    return CliRunner().invoke(app, ["rank", *words])


def test_json_of_the_default_command():
    result = run(*"conll18 --metric las --size 10 --samples 3000 --seed 0 --format json".split())
    assert result.exit_code == 0, result.output
    found = json.loads(result.stdout)
    assert found["systems"][0]["system"] == "HIT-SCIR"
    assert len(found["systems"]) == 26
    assert found["signature"].endswith("|size:10|samples:3000|ties:average|seed:0")


def test_options_may_come_before_the_scores_and_the_command_may_be_named():
    options = "--samples 500 --format csv".split()
    plain = run("conll18", *options)
    assert plain.stdout.startswith("system,best,q1,median,q3,worst,mean,sd,full\n")
    assert run(*options, "conll18").stdout == plain.stdout
    assert run("stability", "conll18", *options).stdout == plain.stdout


def test_exact_and_subset():
    result = run(*"conll18 --exact --subset Ma18 --size 5 --format json".split())
    found = json.loads(result.stdout)
    assert found["subsets"] == [{"size": 5, "number": 792}]
    assert found["exact"] is True


def test_own_files_and_output_file(tmp_path):
    (tmp_path / "s.csv").write_text(WIDE)
    out = tmp_path / "out.tex"
    words = ["--size", "2", "--samples", "50", "--format", "latex", "--out", str(out)]
    assert run(str(tmp_path / "s.csv"), *words).exit_code == 0
    assert out.read_text().rstrip().endswith(r"\end{tabular}")


def test_several_sizes_print_agreement_by_size():
    result = run(*"conll18 --size 5,20 --samples 400".split())
    assert "tau_sd" in result.stdout


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("conll18 --metric lsa", "unknown metric 'lsa'; did you mean 'las'"),
        ("conll18 --size 90", "size 90: the table has 82 treebanks"),
        ("conll18 --size ten", "size 'ten': expected such as 10, 5-20"),
        ("conll18 --constraint x:1", "unknown column of a constraint 'x'"),
        ("conll18 --exact --constraint language:1", "knows no --constraint"),
        ("conll18 --subset Lh16", "no score for ta_ttb"),
        ("nothing.csv", r"nothing\.csv: No such file"),
    ],
)
def test_errors_are_sentences(words, message):
    result = run(*words.split())
    assert isinstance(result.exception, TreegaugeError)
    with pytest.raises(TreegaugeError, match=message):
        raise result.exception


def test_a_missing_score_ends_with_code_2_and_no_traceback(tmp_path):
    path = tmp_path / "gap.csv"
    path.write_text(WIDE.replace("2.5", ""))
    code = "from treegauge.cli import main; main()"
    command = [sys.executable, "-c", code, "rank", str(path), "--size", "2"]
    result = subprocess.run(command, capture_output=True, text=True)
    assert result.returncode == 2
    assert result.stderr.startswith("error: gap.csv: 1 missing score(s): (y, B)")
    assert "Traceback" not in result.stderr
    kept = run(str(path), *"--size 2 --missing drop-treebank --samples 9 --format json".split())
    assert "dropped:y" in json.loads(kept.stdout)["signature"]
