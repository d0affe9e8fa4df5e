"""The verbs beside ``rank SCORES``: each prints JSON with a signature, each error is a sentence."""

import json
import re

import pytest
from typer.testing import CliRunner

from treegauge.cli.app import app
from treegauge.results.errors import TreegaugeError

WIDE = "treebank,A,B,C\nx,1.5,1,0\ny,2,2.5,1\nz,3,3,2\n"


def run(*words):
    return CliRunner().invoke(app, ["rank", *words])


@pytest.mark.parametrize(
    ("words", "key"),
    [
        ("certify conll18 --claim HIT-SCIR>Stanford --size 5,10", "win_rates"),
        ("certify conll18 --claim Stanford>TurkuNLP --subset Ma18 --by stock", "flip"),
        ("compare conll18", "cliques"),
        ("compare conll18 --by wilcoxon-holm --subset Ma18", "pairs"),
        ("compare conll18 --by wins --margin 0.5 --system Stanford --system Uppsala", "pairs"),
        ("compare conll18 --by improvement --subset Ma18", "pairs"),
        ("outliers conll18 --system Stanford --samples 2000 --by genus --no-search", "extremes"),
        ("recommend conll18 --size 6 --repeats 1 --samples 20 --at-most stock:2", "subset"),
        ("subsets fragility_exp1 --pair sl-S+19,gb-DM17", "rows"),
        ("subsets conll18 --subset Ma18 --subset mine=cs_pdt,en_ewt --pair KParse,Uppsala", "rows"),
    ],
)  # fmt: skip
def test_json_has_a_signature_and_the_result(words, key):
    result = run(*words.split(), "--format", "json")
    assert result.exit_code == 0, result.output
    found = json.loads(result.stdout)
    assert found["signature"].startswith("treegauge:")
    assert found[key]
    for fmt in ("text", "csv", "latex", "html"):
        assert run(*words.split(), "--format", fmt).exit_code == 0


def test_several_outliers_are_printed_together():
    words = "outliers conll18 --system Stanford --system uppsala --samples 500 --no-search"
    result = run(*words.split())
    assert "Stanford, best rank" in result.stdout
    assert "Uppsala, worst rank" in result.stdout
    found = json.loads(run(*words.split(), "--format", "json").stdout)
    assert found["system"] == "Stanford"
    assert found["uppsala"]["system"] == "Uppsala"


@pytest.mark.parametrize("kind", ["boxes", "pairs", "pairs --exact", "agreement", "critical"])
def test_figures_are_written_and_printed(kind, tmp_path):
    (tmp_path / "s.csv").write_text(WIDE)
    words = [
        "plot", str(tmp_path / "s.csv"), "--samples", "60", "--size", "2", "--kind", *kind.split(),
    ]  # fmt: skip
    printed = run(*words)
    assert printed.exit_code == 0, printed.output
    spec = json.loads(printed.stdout)
    assert spec["usermeta"]["signature"].startswith("treegauge:")
    target = tmp_path / "figure.json"
    assert run(*words, "-o", str(target)).exit_code == 0
    assert json.loads(target.read_text()) == spec


def test_agreement_takes_all_sizes_by_default(tmp_path):
    (tmp_path / "s.csv").write_text(WIDE)
    spec = json.loads(
        run("plot", str(tmp_path / "s.csv"), "--samples", "60", "--kind", "agreement").stdout
    )
    assert {row["size"] for row in spec["data"]["values"]} == {1, 2, 3}


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["certify", "conll18", "--claim", "HIT > Stanford"], r"'HIT'.*choices: .*HIT-SCIR"),
        (["certify", "conll18", "--claim", "x"], "expected 'A > B'"),
        (["certify", "conll18", "--claim", "KParse > Fudan", "--size", "99"], "from 1 to 82"),
        (["outliers", "conll18", "--system", "x"], "choices: .*Stanford"),
        (["recommend", "conll18", "--size", "0"], "from 1 to 82"),
        (["recommend", "conll18", "--at-least", "genus:x"], "constraint 'genus:x'"),
        (["subsets", "conll18", "--subset", "Ma19"], "choices: Ma18.*NAME=treebank"),
        (["subsets", "conll18", "--pair", "KParse"], "expected REFERENCE,SYSTEM"),
        (["compare", "conll18", "--system", "x"], "unknown system 'x'"),
        (["plot", "conll18", "--kind", "critical", "-o", "a.xyz"], r"\*\.json.*\*\.svg"),
    ],
)
def test_errors_name_what_is_wrong_and_the_choices(words, message, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    result = run(*words)
    assert isinstance(result.exception, TreegaugeError), result.output
    assert re.search(message, str(result.exception)), result.exception
