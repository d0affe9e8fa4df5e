"""The verb rank and its subverbs: numbers, what people read, and errors that are sentences."""

import json
import re
import subprocess
import sys

import polars as pl
import pytest

import treegauge as tg
from tests.commands import invoke

WIDE = "treebank,A,B,C\nx,1.5,1,0\ny,2,2.5,1\nz,3,3,2\n"


def run(*words: str):
    return invoke(["rank", *words])


def test_json_of_the_default_command():
    result = run(*"conll18 --metric las --size 10 --subsets 3000 --seed 0 --format json".split())
    assert result.exit_code == 0, result.output
    found = json.loads(result.stdout)
    assert found["kind"] == "ranks"
    assert found["systems"][0]["system"] == "HIT-SCIR"
    assert len(found["systems"]) == 26
    assert found["signature"].endswith("|size:10|subsets:3000|seed:0|units:genus")


def test_python_and_the_command_give_the_same():
    result = tg.rank("conll18", metric="uas", size=5, subsets=500, workers=2)
    words = "conll18 --metric uas --size 5 --subsets 500".split()
    assert str(result) == repr(result) == run(*words).stdout.rstrip("\n")
    assert result.to_dict() == tg.rank(tg.read_leaderboard("conll18", metric="uas"), size="5", subsets=500).to_dict()


def test_options_may_come_before_the_scores_and_the_command_may_be_named():
    options = "--subsets 500 --format csv".split()
    plain = run("conll18", *options)
    assert plain.stdout.startswith("system,score,best,q1,median,q3,worst,mean,sd,full,")
    assert run(*options, "conll18").stdout == plain.stdout
    assert run("show", "conll18", *options).stdout == plain.stdout


def test_ranks_are_whole_and_the_mean_score_is_there():
    text = run(*"conll18 --subsets 2000".split()).stdout.splitlines()
    assert text[0].split() == "rank 95 % set system LAS best median worst mean rank".split()
    assert re.fullmatch(r" +1  1-\d +HIT-SCIR +75\.84 +1 +1 +[4-6] +1\.1\d", text[2])
    assert not re.search(r"\b1\.00\b", "\n".join(text[2:10]))


def test_equal_systems_share_half_ranks():
    frame = pl.DataFrame({"treebank": ["x", "y"], "A": [80, 81], "B": [80, 81], "C": [70, 71]})
    lines = str(tg.rank(frame, size=1, subsets=10)).splitlines()
    assert lines[2].split()[:4] == ["1.5", "A", "80.50", "1.5"]


def test_exact_and_subset():
    words = "conll18 --subsets all --treebanks Ma18 --size 5".split()
    found = json.loads(run(*words, "--format", "json").stdout)
    assert found["subsets"] == [{"size": 5, "number": 792}]
    assert found["exact"] is True
    text = run(*words).stdout
    assert text.split("\n")[0].split() == "rank system LAS mean rank".split()
    assert "bound" not in text
    assert "1.0000" not in text.split("\n")[2].split()[0]
    assert "all 792 subsets of 5 treebanks" in text


def test_own_files_and_output_file(tmp_path):
    (tmp_path / "s.csv").write_text(WIDE)
    out = tmp_path / "out.tex"
    words = ["--size", "2", "--subsets", "50", "--format", "latex", "--out", str(out)]
    assert run(str(tmp_path / "s.csv"), *words).exit_code == 0
    assert out.read_text().rstrip().endswith(r"\end{tabular}")


def test_several_sizes_print_agreement_by_size():
    result = run(*"conll18 --size 5,20 --subsets 400".split())
    assert "tau_sd" in result.stdout


@pytest.mark.parametrize(
    ("words", "key"),
    [
        ("compare conll18", "cliques"),
        ("compare conll18 --test wilcoxon-holm --treebanks Ma18 --level 0.9", "pairs"),
        ("compare conll18 --test wins --margin 0.5 --systems Stanford --systems Uppsala", "pairs"),
        ("compare conll18 --test improvement --treebanks Ma18", "pairs"),
        ("outliers conll18 --system Stanford --subsets 2000 --by genus", "extremes"),
        ("fragility_exp1 --subsets named", "rows"),
        ("conll18 --subsets named --treebanks Ma18 --treebanks mine=cs_pdt,en_ewt", "rows"),
    ],
)
def test_json_of_subverbs_has_a_signature_and_the_result(words, key):
    result = run(*words.split(), "--format", "json")
    assert result.exit_code == 0, result.output
    found = json.loads(result.stdout)
    assert found["signature"].startswith("treegauge:")
    assert found[key]
    for fmt in ("text", "csv", "latex", "html"):
        assert run(*words.split(), "--format", fmt).exit_code == 0


def test_a_printed_matrix_of_many_systems_is_short():
    short = run(*"compare conll18 --test wins".split()).stdout
    assert "16 more systems: --format csv or json has them" in short
    assert len(short.splitlines()[0].split("  ")) < 20
    assert "SParse" in run(*"compare conll18 --test wins --format csv".split()).stdout


def test_several_outliers_are_printed_together():
    words = "outliers conll18 --system Stanford --system uppsala --subsets 500"
    result = run(*words.split())
    assert "Stanford, best rank" in result.stdout
    assert "Uppsala, worst rank" in result.stdout
    found = json.loads(run(*words.split(), "--format", "json").stdout)
    assert found["system"] == "Stanford"
    assert found["Uppsala"]["system"] == "Uppsala"


@pytest.mark.parametrize(
    ("words", "title"),
    [
        ("show --size 2", "Ranks by LAS"),
        ("show --size 2 --subsets all", "Probability of a higher mean LAS"),
        ("show --size all", "Agreement of subsets"),
        ("compare", "Average rank by LAS"),
        ("compare --test wilcoxon-holm", "Average rank by LAS"),
    ],
)
def test_figures_are_written_beside_the_result(words, title, tmp_path):
    (tmp_path / "s.csv").write_text(WIDE)
    target = tmp_path / "figure.json"
    verb, *options = words.split()
    more = ["--subsets", "60"] if verb == "show" and "all" not in options[2:] else []
    result = run(verb, str(tmp_path / "s.csv"), *options, *more, "--plot", str(target))
    assert result.exit_code == 0, result.output
    spec = json.loads(target.read_text())
    assert spec["title"]["text"].startswith(title)
    assert spec["usermeta"]["signature"] in result.stdout


def test_the_matrix_of_sampled_pairs_can_be_drawn_too():
    from treegauge.reporting.figures.drawing import draw

    spec = draw(tg.rank("conll18", subsets=100), kind="pairs", dark=True)
    assert spec["title"]["text"].startswith("Probability of a higher mean LAS")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("conll18 --metric lsa", "unknown metric 'lsa'; did you mean 'las'"),
        ("conll18 --size 90", "size 90: the table has 82 treebanks"),
        ("conll18 --size ten", "size 'ten': expected such as 10, 5-20"),
        ("conll18 --constraint x:1", "unknown column of a constraint 'x'"),
        ("conll18 --subsets all --constraint language:1", "takes no constraint"),
        ("conll18 --subsets most", "subsets"),
        ("conll18 --treebanks Lh16", "no score for ta_ttb"),
        ("nothing.csv", r"nothing\.csv: no such file"),
        ("outliers conll18 --system x", "choices: .*Stanford"),
        ("conll18 --subsets named --treebanks Ma19", "choices: Ma18.*NAME=treebank"),
        ("compare conll18 --systems x", "unknown system 'x'"),
        ("compare conll18 --plot a.xyz", r"\*\.json.*\*\.svg"),
    ],
)
def test_errors_are_sentences(words, message, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    result = run(*words.split())
    assert result.exit_code == 2
    assert re.search(f"^error: .*{message}", result.stderr, re.DOTALL), result.stderr


def test_a_missing_score_ends_with_code_2_and_no_traceback(tmp_path):
    path = tmp_path / "gap.csv"
    path.write_text(WIDE.replace("2.5", ""))
    code = "from treegauge.cli import main; main()"
    command = [sys.executable, "-c", code, "rank", str(path), "--size", "2"]
    result = subprocess.run(command, capture_output=True, text=True)
    assert result.returncode == 2
    assert result.stderr.startswith("error: gap.csv: 1 missing score: (y, B)")
    assert "Traceback" not in result.stderr
    kept = run(str(path), *"--size 2 --missing drop-treebank --subsets 9 --format json".split())
    assert "dropped:y" in json.loads(kept.stdout)["signature"]


def test_a_table_of_few_treebanks_needs_no_size():
    frame = pl.DataFrame({"treebank": list("vwxyz"), "A": [80.0] * 5, "B": [79.0] * 5})
    assert "size:2|" in tg.rank(frame, subsets=10).signature
    assert tg.rank(frame, subsets="all").sizes == (2,)
