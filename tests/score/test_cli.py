"""``treegauge score``: formats, names and runs, options, and errors without a traceback."""

import csv
import io
import json
import re
import shutil
import subprocess
import sys
from html.parser import HTMLParser

import pytest
from udtools import udeval

from treegauge.cli.app import main
from treegauge.score.metrics import METRICS

from .oracle import chain, conllu, official, row
from .perturb import perturb

COMMAND = [sys.executable, "-c", "from treegauge.cli import main; main()", "score"]
COUNTS = ["correct", "gold", "system", "aligned"]
VALUES = ["precision", "recall", "f1", "aligned_accuracy", "interval"]


@pytest.fixture(scope="module")
def files(invented, tmp_path_factory):
    """Write gold, three systems and a second run of one."""
    folder = tmp_path_factory.mktemp("files")
    texts = invented | {"again": perturb(invented["gold"], "annotation", seed=9, rate=0.25)}
    for name, text in texts.items():
        (folder / f"{name}.conllu").write_text(text, encoding="utf-8")
    return {name: str(folder / f"{name}.conllu") for name in texts}


@pytest.fixture
def cli(monkeypatch, capsys):
    """Run the command in this process; gives exit code, standard output and error."""

    def run(*words: str) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["treegauge", "score", *words])
        with pytest.raises(SystemExit) as caught:
            main()
        out, err = capsys.readouterr()
        return caught.value.code or 0, out, err

    return run


def ok(result: tuple[int, str, str]) -> str:
    code, out, err = result
    assert (code, err) == (0, "")
    return out


# ---------------------------------------------------------------------------------------- formats


def test_json_is_as_documented(cli, files, invented):
    found = json.loads(ok(cli(files["gold"], files["cut"], "--format", "json")))
    assert found["signature"].startswith("treegauge:")
    (system,) = found["systems"]
    assert system["system"] == "cut"
    theirs = official(invented["gold"], invented["cut"])
    for name in METRICS:
        metric = system["metrics"][name]
        assert list(metric) == COUNTS + VALUES
        score = theirs[name]
        assert [metric[part] for part in COUNTS] == [
            score.correct, score.gold_total, score.system_total, score.aligned_total,
        ]  # fmt: skip
        assert [metric[part] for part in VALUES[:-1]] == [
            score.precision, score.recall, score.f1, score.aligned_accuracy,
        ]  # fmt: skip
        low, high = metric["interval"]
        assert low <= metric["f1"] <= high


def test_text_of_one_system(cli, files):
    lines = ok(cli(files["gold"], files["poor"])).split("\n")
    assert lines[0].split() == ["metric", "precision", "recall", "F1", "aligned", "interval"]
    found = {line.split()[0]: line.split()[1:] for line in lines[2:-2]}
    assert list(found)[: len(METRICS)] == list(METRICS)
    assert re.fullmatch(r"\d+\.\d\d–\d+\.\d\d", found["LAS"][-1])
    assert lines[-2].startswith("treegauge:")


def test_text_of_several_systems_has_tests(cli, files):
    text = ok(cli(files["gold"], files["good"], files["poor"], "--draws", "200"))
    first, second = text.split("\n\n")
    heading = first.split("\n", maxsplit=1)[0]
    assert re.split(r"\s{2,}", heading) == ["metric", "good", "good interval", "poor",
                                            "poor interval"]  # fmt: skip
    assert "p_holm" in second
    assert "test:paired-permutation|m:LAS|draws:200" in second
    without = ok(cli(files["gold"], files["good"], files["poor"], "--test", "none"))
    assert "p_holm" not in without


def test_csv_has_full_precision(cli, files):
    rows = list(
        csv.DictReader(io.StringIO(ok(cli(files["gold"], files["cut"], "--format", "csv"))))
    )
    las = next(line for line in rows if line["metric"] == "LAS")
    counts = {part: int(las[part]) for part in COUNTS}
    assert float(las["precision"]) == counts["correct"] / counts["system"]
    assert float(las["low"]) < float(las["f1"]) < float(las["high"])
    tokens = next(line for line in rows if line["metric"] == "Tokens")
    assert tokens["aligned"] == tokens["aligned_accuracy"] == ""


def assert_balanced(latex: str) -> None:
    """Check that environments nest, braces close, and every row has all its columns."""
    open_ones: list[str] = []
    lines = [line for line in latex.split("\n") if not line.startswith("%")]
    for kind, name in re.findall(r"\\(begin|end)\{(\w+)\}", "\n".join(lines)):
        if kind == "begin":
            open_ones.append(name)
        else:
            assert open_ones.pop() == name
    assert open_ones == []
    columns = 0
    for line in lines:
        assert line.count("{") == line.count("}")
        if layout := re.match(r"\\begin\{tabular\}\{([lr]+)\}", line):
            columns = len(layout[1])
        if line.endswith(r"\\"):
            assert len(re.findall(r"(?<!\\)&", line)) == columns - 1


def test_latex(cli, files):
    words = [files["gold"], f"a_b&c={files['good']}", f"50%={files['poor']}"]
    latex = ok(cli(*words, "--format", "latex", "--draws", "100"))
    assert latex.count(r"\begin{tabular}") == 2
    assert r"a\_b\&c &" in latex
    assert r"50\% &" in latex
    assert_balanced(latex)
    assert_balanced(
        ok(cli(files["gold"], files["good"], "--by", "upos,direction", "--confusion", "relation",
               "--format", "latex"))
    )  # fmt: skip
    best = [line for line in latex.split("\n") if line.startswith("a\\_b")]
    assert best[0].count(r"\textbf") == len(METRICS)


class Tags(HTMLParser):
    """Checks that every tag is closed in its turn."""

    def __init__(self):
        super().__init__()
        self.stack, self.seen = [], []

    def handle_starttag(self, tag, attrs):
        self.stack.append(tag)
        self.seen.append(tag)

    def handle_endtag(self, tag):
        assert self.stack.pop() == tag


def test_html(cli, files):
    page = ok(cli(files["gold"], f"<b>&={files['good']}", "--by", "relation", "--format", "html"))
    tags = Tags()
    tags.feed(page)
    assert tags.stack == []
    assert tags.seen.count("table") == 2
    two = ok(cli(files["gold"], f"<i>={files['good']}", files["poor"], "--test", "none",
                 "--format", "html"))  # fmt: skip
    assert "<i>" not in two
    assert "&lt;i&gt;" in two


def test_out_writes_the_file_and_prints_nothing(cli, files, tmp_path):
    path = tmp_path / "scores.json"
    assert ok(cli(files["gold"], files["good"], "--format", "json", "--out", str(path))) == ""
    assert json.loads(path.read_text(encoding="utf-8"))["systems"][0]["system"] == "good"
    table = tmp_path / "table.txt"
    assert ok(cli(files["gold"], files["good"], "--official", "--out", str(table))) == ""
    assert table.read_text(encoding="utf-8").startswith("Metric     | Precision")


# ------------------------------------------------------------------------------- names and options


def test_names_and_runs(cli, files):
    words = [f"deep={files['poor']}", f"deep={files['again']}", f"flat={files['good']}"]
    found = json.loads(ok(cli(files["gold"], *words, "--format", "json", "--draws", "100")))
    assert [(one["system"], one["runs"]) for one in found["systems"]] == [("deep", 2), ("flat", 1)]
    (row_,) = found["comparisons"]["comparisons"]
    assert (row_["a"], row_["b"]) == ("deep", "flat")
    assert row_["difference"] < 0


def test_files_of_one_name_are_told_apart_by_their_paths(cli, files, tmp_path):
    other = tmp_path / "good.conllu"
    shutil.copy(files["poor"], other)
    words = [files["gold"], files["good"], str(other), "--format", "json", "--test", "none"]
    found = json.loads(ok(cli(*words)))
    assert [one["system"] for one in found["systems"]] == ["good", str(other)]


def test_official_tables_to_the_letter(cli, files, invented):
    theirs = official(invented["gold"], invented["cut"])
    table = udeval.build_evaluation_table(theirs)
    assert ok(cli(files["gold"], files["cut"], "--official")) == table + "\n"
    counted = udeval.build_evaluation_table(theirs, counts=True, enhanced=True)
    assert ok(cli(files["gold"], files["cut"], "--counts", "--enhanced")) == counted + "\n"


def test_breakdown_confusion_and_examples(cli, files):
    code, out, err = cli(files["gold"], files["poor"], "--by", "relation", "--confusion", "upos",
                         "--metric", "UAS", "--examples", "nsubj", "--format", "json")  # fmt: skip
    assert code == 0
    found = json.loads(out)
    relations = {line["class"]: line for line in found["breakdown"]["rows"]}
    assert relations["nsubj"]["gold"] > relations["nsubj"]["correct"] > 0
    assert "m:UAS|by:relation" in found["breakdown"]["signature"]
    assert found["confusion"]["rows"][0]["count"] >= 1
    assert 1 <= err.count("wrong at") <= 5
    two = json.loads(ok(cli(files["gold"], files["poor"], "--by", "upos", "--by", "distance",
                            "--format", "json")))  # fmt: skip
    assert {"breakdown by upos", "breakdown by distance"} <= set(two)


def test_options_reach_the_signature(cli, files, tmp_path):
    weights = tmp_path / "weights.txt"
    weights.write_text("det 0.1\npunct 0\n", encoding="utf-8")
    words = ["--no-punct", "--subtypes", "--enhanced", "--weights", str(weights), "--allow",
             "several-roots", "--resamples", "20", "--interval", "bca", "--level", "0.9",
             "--seed", "4", "--format", "json"]  # fmt: skip
    found = json.loads(ok(cli(files["gold"], files["cut"], *words)))
    assert found["signature"].partition("|")[2] == (
        "tb:gold|punct:no|subtypes:yes|enhanced:yes|weights:2rels|errors:strict"
        "|allow:several-roots|ci:20xbca@0.9|seed:4"
    )
    assert {"ELAS", "EULAS", "WLAS"} <= set(found["systems"][0]["metrics"])
    packaged = json.loads(ok(cli(files["gold"], files["cut"], "--weights", "wde", "--resamples",
                                 "0", "--format", "json")))  # fmt: skip
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
    assert "problems made sentences be left out; errors='repair' keeps their words" in err


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
        (["GOLD", "GOOD", "--by", "relations"], "did you mean 'relation'?"),
        (["GOLD", "GOOD", "--by", "upos", "--metric", "MLAS"], "unknown metric to break down"),
        (["GOLD", "GOOD", "POOR", "--by", "upos"], "breakdowns are of one system"),
        (["GOLD", "GOOD", "POOR", "--metric", "LASS"], "unknown metric 'LASS'"),
        (["GOLD", "GOOD", "POOR", "--official"], "the official table is of one system"),
        (["GOLD", "GOOD", "--official", "--by", "upos"], "leave out --by"),
        (["GOLD", "GOOD", "--examples", "nsubj"], "say which classes with --by"),
        (["GOLD", "GOOD", "--allow", "roots"], "several-roots, no-root, cycle"),
        (["GOLD", "GOOD", "--weights", "nowhere"], "cannot read weights"),
        (["GOLD", "GOOD", "--level", "2"], "level: expected a number between 0 and 1"),
        (["GOLD", "GOOD", "--format", "xml"], "'xml' is not one of"),
    ],
)
def test_errors_are_told_in_a_line(cli, files, words, message):
    paths = {"GOLD": files["gold"], "GOOD": files["good"], "POOR": files["poor"]}
    code, out, err = cli(*(paths.get(word, word) for word in words))
    assert (code, out) == (2, "")
    assert message in err


@pytest.mark.parametrize("more", [["POOR", "--test", "none"], ["--by", "upos"]], ids=str)
def test_standard_input_is_read_once(files, invented, more):
    more = [files["poor"] if word == "POOR" else word for word in more]
    words = ["-", files["good"], *more, "--resamples", "0", "--format", "json"]
    given = invented["gold"].encode()
    done = subprocess.run([*COMMAND, *words], input=given, capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (0, b"")
    found = json.loads(done.stdout)
    assert found["signature"].split("|")[1] == "tb:stdin"
    assert found["systems"][0]["metrics"]["Words"]["f1"] == 1


# ---------------------------------------------------------------------------------------- folders


def test_folders(cli, invented, tmp_path):
    for system in ("gold", "good", "poor"):
        folder = tmp_path / system
        folder.mkdir()
        for name in ("x", "y"):
            if (system, name) != ("poor", "y"):
                (folder / f"{name}.conllu").write_text(invented[system], encoding="utf-8")
    words = [str(tmp_path / name) for name in ("gold", "good", "poor")]
    text = ok(cli(*words, "--resamples", "20", "--draws", "100"))
    assert "failed: poor on y: no output" in text
    assert "better on at least 1 of 1" in text
    found = json.loads(ok(cli(*words, "--resamples", "20", "--draws", "100", "--format", "json")))
    poor = next(line for line in found["averages"] if line["system"] == "poor")
    assert poor["failures"] == 1
    x = next(one for one in found["treebanks"] if one["treebank"] == "x")["systems"][1]
    assert poor["LAS"] == pytest.approx(100 * x["metrics"]["LAS"]["f1"] / 2)
    assert "good > poor" in found
    assert_balanced(ok(cli(*words, "--resamples", "20", "--draws", "50", "--format", "latex")))
    code, _, err = cli(words[0], str(tmp_path / "good" / "x.conllu"))
    assert code == 2
    assert "each system must be one folder" in err
    code, _, err = cli(*words, "--by", "upos")
    assert code == 2
    assert "not for a folder" in err
