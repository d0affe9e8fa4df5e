"""The analyse verb: thin over the library, every format, every error a sentence."""

import csv
import io
import json
import re
import subprocess
import sys

import polars as pl
import pytest

from tests.commands import invoke
from treegauge.data import ud25
from treegauge.statistics.analyse import analyse
from treegauge.statistics.correlation import correlate
from treegauge.statistics.linear_model import regress


def run(*words: str):
    return invoke(["analyse", *words])


def rows(result) -> list[dict]:
    assert result.exit_code == 0, result.output
    found = json.loads(result.stdout)
    assert found["signature"].startswith("treegauge:")
    return found["rows"]


def test_the_default_command_is_the_partial_correlation_of_the_library():
    how = "--target las --of test_words --given train_words,mean_test_length --seed 3".split()
    found = rows(run("ud25", *how, "--resamples", "100", "--format", "json"))
    expected = analyse(ud25(), "las", ["test_words"], ["train_words", "mean_test_length"], resamples=100, seed=3)
    assert found == expected.table.to_dicts()


def test_covariates_with_commas_or_repeated():
    how = "ud25 --target las --of test_words --resamples 0 --format json".split()
    joined = rows(run(*how, "--given", "train_words, mean_test_length"))
    apart = rows(run(*how, "--given", "train_words", "--given", "mean_test_length"))
    assert joined == apart
    assert [row["given"] for row in joined] == ["", "train_words", "train_words + mean_test_length"]


@pytest.mark.parametrize("method", ["spearman", "pearson", "kendall"])
@pytest.mark.parametrize("fmt", ["text", "json", "csv", "latex", "html"])
def test_every_method_prints_in_every_format(method, fmt):
    result = run(
        *f"ud25 --target las --of log(train_words) --method {method}".split(),
        *f"--by mean_test_length:median --resamples 20 --format {fmt}".split(),
    )
    assert result.exit_code == 0, result.output
    signs = {"text": "note", "json": "notes", "csv": "variable", "latex": "toprule", "html": "<table"}
    assert "train_words" in result.stdout or "train\\_words" in result.stdout
    if fmt != "text":
        assert signs[fmt] in result.stdout
    assert "nan" not in result.stdout.lower()


@pytest.mark.parametrize(
    "words",
    ["ud25", "ud25 --of las,log(train_words),test_words", "ud25 --target las --on log(train_words),mean_test_length"],
)
def test_every_analysis_gives_json_and_csv(words):
    assert rows(run(*words.split(), "--format", "json"))
    result = run(*words.split(), "--format", "csv")
    assert len(list(csv.DictReader(io.StringIO(result.stdout)))) >= 1
    assert run(*words.split()).stdout.rstrip().splitlines()[-1].startswith("treegauge:")


def test_tables_are_joined_by_treebank(tmp_path):
    measured = tmp_path / "measures.json"
    names = ud25()["treebank"].to_list()[:30]
    values = [{"measure": "edv", "treebank": f"UD_{name}", "value": (i * 7) % 11} for i, name in enumerate(names)]
    measured.write_text(json.dumps({"signature": "s", "measures": values}))
    result = run("ud25", str(measured), *"--target las --of edv --resamples 0 --format json".split())
    (row,) = rows(result)
    assert row["n"] == 30
    assert re.search(r"\|table:ud25#\w{6}\+measures.json#\w{6}\|", json.loads(result.stdout)["signature"])
    assert "left out, missing 'edv'" in json.loads(result.stdout)["notes"][0]


def test_a_linear_model_is_the_librarys():
    found = json.loads(run(*"ud25 --target las --on log(train_words) --format json".split()).stdout)
    model = regress(ud25(), "las", ["train_words"], log=["train_words"])
    assert found["summary"]["loo_mae"] == model.fit["loo_mae"]
    assert found["rows"] == model.table.to_dicts()


def test_logarithms_and_cuts_are_written_with_the_column():
    logs = analyse(ud25(), "log(test_words)", "log(train_words)", resamples=0)
    assert logs.rows == correlate(ud25(), "test_words", "train_words", log="train_words,test_words", resamples=0).rows
    named = ud25().rename({"las": "LAS:alpha", "train_words": "log(x)"})
    assert analyse(named, "LAS:alpha", "log(x)", resamples=0).log == ()
    cut = analyse(ud25(), "las", "train_words", by="test_words:mean", resamples=0)
    expected = correlate(ud25(), "las", "train_words", by="test_words", cut="mean", resamples=0)
    assert (cut.rows, cut.signature) == (expected.rows, expected.signature)
    whole = analyse(named.with_columns(pl.lit("a").alias("b:mean")), "LAS:alpha", "log(x)", by="b:mean", resamples=0)
    assert [row.group for row in whole.rows] == ["all", "a"]


def test_figures_are_written_whole(tmp_path):
    for words in (
        "ud25 --target las --of log(train_words) --resamples 0",
        "ud25 --of las,test_words",
        "ud25 --target las --on train_words",
    ):
        path = tmp_path / "figure.json"
        assert run(*words.split(), "--plot", str(path)).exit_code == 0
        assert "vega-lite" in json.loads(path.read_text())["$schema"]
    wrong = run(*"ud25 --of las,test_words --plot x.bmp".split())
    assert "unknown kind of figure file 'x.bmp'" in wrong.stderr


def test_results_go_to_a_file(tmp_path):
    target = tmp_path / "out.csv"
    run(*"ud25 --of las,test_words --format csv --out".split(), str(target))
    assert target.read_text().startswith("x,y,n,r,")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("ud24 --target las", "unknown table 'ud24'; did you mean 'ud2"),
        ("ud25 --target lass", "did you mean 'las'?"),
        ("ud25 --target las --of treebank", "row 1 (Afrikaans-AfriBooms), column 'treebank'"),
        ("none.csv --target las", "none.csv: No such file"),
        ("ud25 --target las --of test_words --given test_words", "named twice"),
        ("ud25 --target las --on train_words,train_words", "named twice"),
        ("ud25 --on train_words", "on: a linear model needs a target"),
        ("ud25 --target las --on train_words --by treebank", "of the options of correlations it takes only cluster"),
        ("ud25 --given train_words", "given and by need a target"),
    ],
)
def test_errors_are_sentences(words, message):
    result = run(*words.split())
    assert result.exit_code == 2
    assert result.stderr.startswith("error: ") and message in result.stderr


def test_errors_end_with_code_2_and_no_traceback():
    command = [sys.executable, "-m", "treegauge", "analyse", "ud25", "--target", "lass"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 2
    assert done.stderr.startswith("error: unknown target column in ud25: 'lass'")
    assert "Traceback" not in done.stderr


def test_the_commands_load_nothing_heavy():
    code = "import sys, treegauge.cli.app; print({'scipy', 'polars', 'numpy'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout.strip() == "set()"
