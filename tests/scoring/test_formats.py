"""What ``treegauge score`` prints: text, JSON, CSV, LaTeX and HTML."""

import csv
import io
import json
import re
from html.parser import HTMLParser

from treegauge.scoring.metrics.registry import METRICS

from .oracle import assert_balanced, official, ok

COUNTS = ["correct", "gold", "system", "aligned"]
BY_SENTENCE = ("--units", "sentences")
VALUES = ["precision", "recall", "f1", "aligned_accuracy", "interval"]


def test_json_is_as_documented(cli, files, invented):
    found = json.loads(ok(cli(files["gold"], files["cut"], "--units", "documents", "--format", "json")))
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
            None if share is None else 100 * share
            for share in (score.precision, score.recall, score.f1, score.aligned_accuracy)
        ]
        assert metric["interval"] is None  # six documents
    sentences = json.loads(ok(cli(files["gold"], files["cut"], *BY_SENTENCE, "--format", "json")))
    assert sentences["units"] == "sentences"
    for metric in sentences["systems"][0]["metrics"].values():
        low, high = metric["interval"]
        assert low <= metric["f1"] <= high


def test_text_of_one_system(cli, files):
    lines = ok(cli(files["gold"], files["poor"], "--metric", "all", *BY_SENTENCE)).split("\n")
    assert re.split(r"\s{2,}", lines[0]) == ["metric", "precision", "recall", "F1", "aligned accuracy", "interval"]
    found = {line.split()[0]: line.split()[1:] for line in lines[2:-2]}
    assert list(found)[: len(METRICS)] == list(METRICS)
    assert re.fullmatch(r"\d+\.\d\d–\d+\.\d\d", found["LAS"][-1])
    assert lines[-2].startswith("treegauge:")


def test_text_of_several_systems_has_tests(cli, files):
    text = ok(cli(files["gold"], files["good"], files["poor"], *BY_SENTENCE))
    first, second = text.split("\n\n")
    heading = first.split("\n", maxsplit=1)[0]
    assert re.split(r"\s{2,}", heading) == ["metric", "good", "good interval", "poor", "poor interval"]
    assert "p_corrected" in second
    assert "primary test: Student's t of the difference over 120 sentences" in second
    assert "test:paired-student|m:LAS" in second
    without = ok(cli(files["gold"], files["good"], files["poor"], "--test", "none"))
    assert "p_corrected" not in without


def test_csv_has_full_precision(cli, files):
    rows = list(csv.DictReader(io.StringIO(ok(cli(files["gold"], files["cut"], "--format", "csv", *BY_SENTENCE)))))
    las = next(line for line in rows if line["metric"] == "LAS")
    counts = {part: int(las[part]) for part in COUNTS if part != "system"}
    assert las["system"] == "cut"
    assert float(las["precision"]) == 100 * (counts["correct"] / int(las["predicted"]))
    assert float(las["low"]) < float(las["f1"]) < float(las["high"])
    tokens = next(line for line in rows if line["metric"] == "Tokens")
    assert tokens["aligned"] == tokens["aligned_accuracy"] == ""


def test_csv_holds_the_scores_or_the_table_asked_for(cli, files):
    words = [files["gold"], files["good"], files["poor"], "--format", "csv", "--resamples", "20"]
    rows = list(csv.DictReader(io.StringIO(ok(cli(*words)))))
    assert {(line["system"], line["metric"]) for line in rows} >= {("good", "LAS"), ("poor", "LAS")}
    one = ok(cli(files["gold"], files["good"], "--format", "csv", "--by", "upos", verb="breakdown"))
    assert one.startswith("system,class,")
    both = list(csv.DictReader(io.StringIO(ok(cli(*words[:-2], "--by", "upos", "--by", "relation", verb="breakdown")))))
    assert {line["class"] for line in both} >= {"NOUN", "nsubj"}
    assert {line["system"] for line in both} == {"good", "poor"}


def test_text_is_short_unless_all_is_asked_for(cli, files):
    short = ok(cli(files["gold"], files["poor"]))
    assert "Tokens" not in short.split("100.00 for all")[0]
    assert "100.00 for all: Tokens, Sentences, Words" in short
    assert "ExactMatch" not in short
    chosen = ok(cli(files["gold"], files["poor"], "--metric", "UAS"))
    assert [line.split()[0] for line in chosen.split("\n")[2:3]] == ["UAS"]
    latex = ok(cli(files["gold"], files["poor"], "--metric", "UAS", "--format", "latex"))
    assert "system & UAS " in latex


def test_breakdowns_of_two_systems_are_side_by_side(cli, files):
    text = ok(cli(files["gold"], files["good"], files["poor"], "--by", "upos", verb="breakdown"))
    heading = re.split(r"\s{2,}", text.split("\n")[0])
    assert heading[:6] == ["class", "gold", "share", "good", "poor", "difference"]


def test_latex(cli, files):
    words = [files["gold"], f"a_b&c={files['good']}", f"50%={files['poor']}"]
    latex = ok(cli(*words, "--format", "latex", "--resamples", "100"))
    assert latex.count(r"\begin{tabular}") == 1
    assert r"a\_b\&c &" in latex
    assert r"50\% &" in latex
    assert_balanced(latex)
    assert_balanced(
        ok(cli(*words[:2], "--by", "upos,direction", "--confusion", "relation", "--format", "latex", verb="breakdown"))
    )
    more = ok(cli(files["gold"], files["good"], "--metric", "ELAS,EULAS,WLAS", "--format", "latex"))
    assert "ELAS & EULAS & WLAS" in more
    best = [line for line in latex.split("\n") if line.startswith("a\\_b")]
    assert 0 < best[0].count(r"\textbf") < len(METRICS)  # metrics that are 100 are left out


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
    words = [files["gold"], f"<b>&={files['good']}", "--confusion", "relation", "--format", "html"]
    page = ok(cli(*words, verb="breakdown"))
    tags = Tags()
    tags.feed(page)
    assert tags.stack == []
    assert tags.seen.count("table") == 2
    two = ok(cli(files["gold"], f"<i>={files['good']}", files["poor"], "--test", "none", "--format", "html"))
    assert "<i>" not in two
    assert "&lt;i&gt;" in two


def test_out_writes_the_file_and_says_so(cli, files, tmp_path):
    path = tmp_path / "scores.json"
    assert cli(files["gold"], files["good"], "--format", "json", "--out", str(path)) == (0, "", f"wrote {path}\n")
    assert json.loads(path.read_text(encoding="utf-8"))["systems"][0]["system"] == "good"
    table = tmp_path / "table.txt"
    assert cli(files["gold"], files["good"], "--format", "official", "--out", str(table)) == (0, "", f"wrote {table}\n")
    assert table.read_text(encoding="utf-8").startswith("Metric     | Precision")
