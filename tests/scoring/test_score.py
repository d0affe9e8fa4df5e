"""``treegauge score``: names and runs, options, folders, and errors without a traceback."""

import csv
import io
import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from udtools import udeval

from treegauge.treebanks.data.conllu import parse_conllu, read_conllu

from .oracle import assert_balanced, chain, conllu, official, ok, row

COMMAND = [sys.executable, "-c", "from treegauge.cli import main; main()", "score"]


def test_names_and_runs(cli, files):
    words = [f"deep={files['poor']}", f"deep={files['again']}", f"flat={files['good']}"]
    found = json.loads(ok(cli(files["gold"], *words, "--format", "json", "--resamples", "100")))
    assert [(one["system"], one["runs"]) for one in found["systems"]] == [("deep", 2), ("flat", 1)]
    (row_,) = found["comparisons"]["rows"]
    assert (row_["a"], row_["b"]) == ("deep", "flat")
    assert row_["difference"] < 0


def test_files_of_one_name_are_named_by_their_folders(cli, files, tmp_path):
    words = []
    for folder, run in (("alpha", "good"), ("beta", "poor")):
        (tmp_path / folder).mkdir()
        words.append(tmp_path / folder / "el_gdt.conllu")
        shutil.copy(files[run], words[-1])
    found = json.loads(ok(cli(files["gold"], *map(str, words), "--format", "json", "--test", "none")))
    assert [one["system"] for one in found["systems"]] == ["alpha", "beta"]


def test_folders_of_one_name_leave_whole_paths(cli, files, tmp_path):
    words = []
    for system in "ab":
        words.append(tmp_path / system / "out" / "el_gdt.conllu")
        words[-1].parent.mkdir(parents=True)
        shutil.copy(files["good"], words[-1])
    found = json.loads(ok(cli(files["gold"], *map(str, words), "--format", "json", "--test", "none")))
    assert [one["system"] for one in found["systems"]] == [str(word) for word in words]


@pytest.mark.parametrize("flag", ["--out", "--plot"])
@pytest.mark.parametrize("name", ["", "mine="])
def test_an_input_is_never_overwritten(cli, files, tmp_path, flag, name):
    system = tmp_path / "system.conllu"
    shutil.copy(files["good"], system)
    code, _, err = cli(files["gold"], f"{name}{system}", flag, str(system))
    assert code == 2
    assert "is an input and would be overwritten" in err
    assert system.read_bytes() == Path(files["good"]).read_bytes()


def test_official_tables_to_the_letter(cli, files, invented):
    theirs = official(invented["gold"], invented["cut"])
    table = udeval.build_evaluation_table(theirs)
    assert ok(cli(files["gold"], files["cut"], "--format", "official")) == table + "\n"
    counted = udeval.build_evaluation_table(theirs, counts=True, enhanced=True)
    assert ok(cli(files["gold"], files["cut"], "--format", "counts", "--metric", "ELAS")) == counted + "\n"


def test_breakdown_and_confusion(cli, files):
    words = [files["gold"], files["poor"], "--by", "relation", "--confusion", "upos", "--metric", "UAS"]
    found = json.loads(ok(cli(*words, "--format", "json", verb="breakdown")))
    relations = {line["class"]: line for line in found["rows"]}
    assert relations["nsubj"]["gold"] > relations["nsubj"]["correct"] > 0
    assert "m:UAS|by:relation" in found["signature"]
    assert found["confusions"][0]["rows"][0]["count"] >= 1


def test_several_classes_and_several_systems(cli, files):
    words = [files["gold"], f"deep={files['poor']}", files["good"], "--by", "upos", "--by", "relation",
             "--format", "json"]  # fmt: skip
    found = json.loads(ok(cli(*words, verb="breakdown")))
    told = [one["signature"].partition("|units")[0].split("|")[1:] for one in [found, *found["breakdowns"]]]
    assert [(one[1], one[-1]) for one in told] == [
        ("by:upos", "systems:deep+good"),
        ("by:relation", "systems:deep+good"),
    ]


def test_options_reach_the_signature(cli, files, tmp_path):
    weights = tmp_path / "weights.txt"
    weights.write_text("det 0.1\npunct 0\n", encoding="utf-8")
    words = ["--convention", "no-punct+subtypes", "--metric", f"all,ELAS,WLAS(weights={weights})", "--allow",
             "several-roots", "--resamples", "20", "--interval", "bca", "--level", "0.9",
             "--units", "sentences", "--seed", "4", "--format", "json"]  # fmt: skip
    found = json.loads(ok(cli(files["gold"], files["cut"], *words)))
    signature = re.sub("(?<=2rels#)[0-9a-f]{6}", "...", found["signature"])
    assert signature.partition("|")[2] == (
        f"tb:{read_conllu(files['gold']).mark}|punct:no|subtypes:yes|enhanced:yes"
        "|weights:2rels#...|errors:strict|allow:several-roots|ci:20xbca@0.9"
        "|units:sentences|seed:4"
    )
    weights.write_text("det 0.2\npunct 0\n", encoding="utf-8")
    other = json.loads(ok(cli(files["gold"], files["cut"], *words)))["signature"]
    assert "|weights:2rels#" in other
    assert other != found["signature"]
    assert {"ELAS", "EULAS", "WLAS[no-punct+subtypes]"} <= set(found["systems"][0]["metrics"])
    packaged = json.loads(
        ok(cli(files["gold"], files["cut"], "--metric", "WLAS", "--resamples", "0", "--format", "json"))
    )
    assert packaged["systems"][0]["metrics"]["WLAS"]["interval"] is None


# -------------------------------------------------------------------------------- malformed files

GOOD = chain("It", "works")
BAD = [row(1, "It", 2, "nsubj"), row(2, "fails", 1, "root")]


def test_repair_is_told_and_recorded(cli, tmp_path):
    gold, system = tmp_path / "gold.conllu", tmp_path / "system.conllu"
    gold.write_text(conllu(GOOD, chain("It", "fails")), encoding="utf-8")
    system.write_text(conllu(GOOD, BAD), encoding="utf-8")
    code, out, err = cli(str(gold), str(system))
    assert (code, out) == (2, "")
    assert "system.conllu:4: error: cycle" in err
    assert "--errors skip|repair" in err
    code, out, err = cli(str(gold), str(system), "--errors", "repair", "--format", "json")
    assert code == 0
    assert "system.conllu:4: error: cycle" in err
    assert "[repaired]" in err
    found = json.loads(out)
    problems = len(err.strip().split("\n"))
    assert f"|errors:repair({problems})|" in found["signature"]
    assert found["systems"][0]["metrics"]["Words"]["correct"] == 4


def test_skip_is_told_and_recorded(cli, tmp_path):
    gold, system = tmp_path / "gold.conllu", tmp_path / "system.conllu"
    gold.write_text(conllu(GOOD, BAD), encoding="utf-8")
    system.write_text(conllu(GOOD, BAD), encoding="utf-8")
    words = [str(gold), f"a={system}", f"b={system}", "--errors", "skip", "--format", "json"]
    code, out, err = cli(*words)
    assert code == 0
    found = json.loads(out)
    assert found["sentences"] == 1
    lines = err.strip().split("\n")
    assert all("[skipped]" in line for line in lines)
    assert len(set(lines)) == len(lines)
    assert f"|errors:skip({len(lines)})|" in found["signature"]


def test_skipping_on_one_side_only_is_explained(cli, tmp_path):
    gold, system = tmp_path / "gold.conllu", tmp_path / "system.conllu"
    gold.write_text(conllu(GOOD, chain("It", "fails")), encoding="utf-8")
    system.write_text(conllu(GOOD, BAD), encoding="utf-8")
    code, _, err = cli(str(gold), str(system), "--errors", "skip")
    assert code == 2
    assert "problems; errors='repair' keeps their words" in err


def test_mismatch_ends_with_code_2_and_both_places(tmp_path):
    gold, system = tmp_path / "gold.conllu", tmp_path / "system.conllu"
    gold.write_text("# sent_id = g1\n" + conllu(chain("naïve", "art")), encoding="utf-8")
    system.write_text("# sent_id = s1\n" + conllu(chain("nai\u0308ve", "art")), encoding="utf-8")
    done = subprocess.run([*COMMAND, gold, system], capture_output=True, check=False)
    err = done.stderr.decode()
    assert (done.returncode, done.stdout) == (2, b"")
    assert "Traceback" not in err
    assert "gold:2 (sent_id g1): token 'naïve'" in err
    assert "system:2 (sent_id s1): token 'nai\u0308ve'" in err
    assert "(U+00EF LATIN SMALL LETTER I WITH DIAERESIS)" in err
    assert "(U+0069 LATIN SMALL LETTER I)" in err


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["GOLD", "nowhere.conllu"], "nowhere.conllu: no such file or folder"),
        (["GOLD", "GOOD", "--metric", "LASS"], "unknown metric 'LASS'"),
        (["GOLD", "GOOD", "--split", "test"], "--split needs GOLD to be a folder of treebanks"),
        (["-", "-"], "standard input (-) can be read only once"),
        (["GOLD", "a="], "expected PATH or NAME=PATH"),
        (["GOLD", "=GOOD"], "expected PATH or NAME=PATH"),
        (["GOLD", "GOOD", "POOR", "--metric", "LASS"], "unknown metric 'LASS'"),
        (["GOLD", "GOOD", "POOR", "--format", "official"], "the official table shows one system"),
        (["GOLD", "GOOD", "--allow", "roots"], "several-roots, no-root, cycle"),
        (["GOLD", "GOOD", "--metric", "WLAS(weights=nowhere)"], "cannot read weights"),
        (["GOLD", "GOOD", "--level", "2"], "level: expected a number between 0 and 1"),
        (["GOLD", "GOOD", "--format", "xml"], "'xml' is not one of"),
    ],
)
def test_errors_are_told_in_a_line(cli, files, words, message):
    refused(cli, files, words, message, "score")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["GOLD", "GOOD", "--by", "relations"], "did you mean 'relation'?"),
        (["GOLD", "GOOD", "--metric", "MLAS"], "unknown metric over words"),
        (["GOLD", "a=GOOD", "a=POOR", "--calibration"], "--calibration is of one gold file, and one run"),
        (["GOLD", "GOOD", "--where", "dog=1"], "unknown column 'dog'"),
        (["-", "-"], "standard input (-) can be read only once"),
    ],
)
def test_errors_of_a_breakdown(cli, files, words, message):
    refused(cli, files, words, message, "breakdown")


def refused(cli, files, words, message, verb):
    paths = {"GOLD": files["gold"], "GOOD": files["good"], "POOR": files["poor"]}
    for name, path in paths.items():
        words = [word.replace(name, path) if name in word else word for word in words]
    code, out, err = cli(*words, verb=verb)
    assert (code, out) == (2, "")
    assert message in err


@pytest.mark.parametrize("more", [["POOR", "--test", "none"], ["--metric", "all"]], ids=str)
def test_standard_input_is_read_once(files, invented, more):
    more = [files["poor"] if word == "POOR" else word for word in more]
    words = ["-", files["good"], *more, "--resamples", "0", "--format", "json"]
    given = invented["gold"].encode()
    done = subprocess.run([*COMMAND, *words], input=given, capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (0, b"")
    found = json.loads(done.stdout)
    assert found["signature"].split("|")[1] == f"tb:stdin#{parse_conllu(given).digest[:6]}"
    assert found["systems"][0]["metrics"]["Words"]["f1"] == 100


# ---------------------------------------------------------------------------------------- folders


def test_folders(cli, invented, tmp_path):
    for system in ("gold", "good", "poor"):
        folder = tmp_path / system
        folder.mkdir()
        for name in ("x", "y"):
            if (system, name) != ("poor", "y"):
                (folder / f"{name}.conllu").write_text(invented[system], encoding="utf-8")
    words = [str(tmp_path / name) for name in ("gold", "good", "poor")]
    text = ok(cli(*words, "--units", "sentences"))
    assert "failed: poor on y: no output" in text
    assert text.startswith("warning: 1 of 2 treebanks lack a score of a system and count as 0")
    common = ok(cli(*words, "--units", "sentences", "--common"))
    assert "warning" not in common and "failed" not in common
    assert "good is better than poor on at least 1 of 1 treebanks: x" in text
    code, _, err = cli(*words, "--correction", "benjamini-hochberg")
    assert code == 2 and "benjamini-hochberg is for one gold file" in err
    fast = ["--units", "sentences"]
    found = json.loads(ok(cli(*words, *fast, "--format", "json")))
    poor = next(line for line in found["averages"] if line["system"] == "poor")
    assert poor["failures"] == 1
    x = next(one for one in found["treebanks"] if one["treebank"] == "x")["systems"][1]
    assert poor["LAS"] == pytest.approx(x["metrics"]["LAS"]["f1"] / 2)
    (pair,) = found["comparisons"]["rows"]
    assert pair["treebanks"] == 1 and pair["low"] > 0 and pair["p_value"] < 0.01
    good = next(line for line in found["averages"] if line["system"] == "good")
    assert good["LAS_low"] < good["LAS"] < good["LAS_high"]
    assert poor["LAS_low"] is None  # a failure
    (claim,) = found["claims"]["rows"]
    assert (claim["a"], claim["b"], claim["a_better_on"]) == ("good", "poor", ["x"])
    table = list(csv.DictReader(io.StringIO(ok(cli(*words, "--format", "csv")))))
    assert [(line["treebank"], line["system"]) for line in table] == [
        ("x", "good"), ("x", "poor"), ("y", "good"), ("y", "poor"),
    ]  # fmt: skip
    runs = [f"both={path}" for path in words[1:]]
    both = json.loads(ok(cli(words[0], *runs, "--resamples", "20", "--format", "json")))
    assert both["treebanks"][0]["systems"][0]["runs"] == 2
    assert [one["treebank"] for one in both["failures"]] == ["y"]  # which one of the runs lacks
    assert_balanced(ok(cli(*words, *fast, "--format", "latex")))
    code, _, err = cli(words[0], str(tmp_path / "good" / "x.conllu"))
    assert code == 2
    assert "give a folder of output for each system" in err
    code, _, err = cli(*words, verb="breakdown")
    assert code == 0
    assert "failed: poor on y: no output; this treebank is left out" in err


def test_a_table_is_not_taken_for_output(cli, files, tmp_path):
    table = tmp_path / "scores.csv"
    table.write_text("treebank,system,LAS\nx,a,81.2\n")
    code, _, err = cli(files["gold"], str(table))
    assert code == 2
    assert "scores.csv is a score table (.csv .tsv .parquet .json); expected a CoNLL-U file" in err


def test_a_file_is_not_written_under_an_ending_of_another_kind(cli, files, tmp_path):
    target = tmp_path / "scores.xlsx"
    code, _, err = cli(files["gold"], files["good"], "--out", str(target))
    assert code == 2
    assert "unknown kind of file for scores.xlsx '.xlsx'" in err
    assert not target.exists()
