"""The table for the paper: it compiles, and its marks are those of the tests."""

import re
from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

import treegauge as tg
from tests.tex import compile_latex
from treegauge.core.errors import ChoiceError
from treegauge.core.paper_tables import PaperRow, PaperTable, paper_cells
from treegauge.scoring.metrics.registry import NUMBER
from treegauge.testing.grammar import Grammar
from treegauge.testing.synthetic import synthetic_conllu
from treegauge.treebanks.sources.languages import human_names

from .oracle import assert_balanced, ok
from .perturb import perturb

RATES = {"good": 0.06, "fair": 0.14, "poor_&_50%": 0.15}
TREEBANKS = ("Czech-PDT", "Greek-GDT", "Latin-ITTB", "Old_French-SRCMF")


@pytest.fixture(scope="module")
def world(tmp_path_factory):
    """Four small treebanks, and the output of three systems, two of them alike."""
    home = tmp_path_factory.mktemp("paper")
    for number, name in enumerate(TREEBANKS):
        folder = home / "gold" / f"UD_{name}"
        folder.mkdir(parents=True)
        gold = synthetic_conllu(60, Grammar(language=number), seed=number)
        (folder / "x-ud-test.conllu").write_text(gold, "utf-8")
        for system, rate in RATES.items():
            (home / system).mkdir(exist_ok=True)
            text = perturb(gold, "annotation", seed=number + len(system), rate=rate)
            (home / system / f"UD_{name}.conllu").write_text(text, "utf-8")
    return home


@pytest.fixture(scope="module")
def suite(world):
    systems = [world / name for name in RATES]
    return tg.score(world / "gold", *systems, metric="LAS,UAS", units="sentences")


@pytest.fixture(scope="module")
def scores(world):
    name = TREEBANKS[1]
    systems = {one: world / one / f"UD_{name}.conllu" for one in RATES}
    gold = world / "gold" / f"UD_{name}" / "x-ud-test.conllu"
    return tg.score(gold, systems, metric=["LAS", "UAS"], units="sentences")


def paired_p(a, b, metric: str) -> float:
    """Two-sided p-value of a difference of F1 by the jackknife, written here once more."""
    columns = {"LAS": ("las_c", "arcs_g", "arcs_s"), "UAS": ("uas_c", "arcs_g", "arcs_s")}[metric]

    def parts(score):
        rows = score.runs[0].rows.astype(float)
        correct, gold, system = (rows[:, NUMBER[name]] for name in columns)
        return 2 * correct, gold + system, rows[:, NUMBER["words_g"]]

    (c, n, words), (d, m, _) = parts(a), parts(b)
    whole = c.sum() / n.sum() - d.sum() / m.sum()
    without = (c.sum() - c) / (n.sum() - n) - (d.sum() - d) / (m.sum() - m)
    units = len(c)
    error = np.sqrt((units - 1) / units * ((without - whole) ** 2).sum())
    share = words / words.sum()
    ratios = share**2 / (1 - share)
    df = 1 / ((share**2).sum() + ratios.sum() ** 2 - (ratios**2).sum())
    df = min(df, ((c != d) | (n != m)).sum() - 1)
    return float(2 * stats.t.sf(abs(whole) / error, df))


def holm(p_values) -> np.ndarray:
    values = np.asarray(p_values)
    order = np.argsort(values)
    steps = np.maximum.accumulate(values[order] * np.arange(len(values), 0, -1))
    adjusted = np.empty(len(values))
    adjusted[order] = np.minimum(steps, 1)
    return adjusted


def marked(latex: str) -> dict[str, list[bool]]:
    """Return which cells of each row have a dagger."""
    rows = {}
    for line in latex.split("\n"):
        if line.endswith(r"\\") and "multicolumn" not in line and line.split(" & ")[0].strip():
            name, *cells = line.removesuffix(r"\\").replace(r"\&", "AND").split(" & ")
            rows[name] = [r"\dag" in cell for cell in cells]
    return rows


def test_marks_of_one_treebank_equal_tests_done_again(scores):
    pairs = [("good", "fair"), ("good", "poor_&_50%"), ("fair", "poor_&_50%")]
    keys = [(metric, *pair) for metric in ("LAS", "UAS") for pair in pairs]
    p_values = [paired_p(scores[a], scores[b], metric) for metric, a, b in keys]
    corrected = dict(zip(keys, holm(p_values), strict=True))
    printed = {(row["metric"], row["a"], row["b"]): row["p_corrected"] for row in scores.attached["comparisons"].pairs}
    assert corrected == pytest.approx(printed, rel=1e-6)
    found = marked(scores.to_latex())
    for i, metric in enumerate(("LAS", "UAS")):
        wins = [corrected[metric, "good", other] <= 0.05 for other in ("fair", "poor_&_50%")]
        assert found["good"][i] == all(wins)
        assert wins == [True, True]
    assert not any(found["fair"])
    assert scores.to_markdown().count("†") == 3  # two scores and the legend


def test_marks_of_treebanks_equal_tests_done_again(suite):
    systems, found = list(RATES), marked(suite.to_latex())
    pairs = [(a, b) for a in systems for b in systems if a != b]
    level = 0.05 / (len(pairs) * 2)  # both directions, three pairs, two metrics
    human = human_names(suite.treebanks)
    assert human[3] == "Old French SRCMF"
    for i, metric in enumerate(("LAS", "UAS")):
        better = {}
        for a, b in pairs:
            ps = []
            for scores in suite.treebanks.values():
                p = paired_p(scores[a], scores[b], metric)
                ps.append(p / 2 if scores[a][metric].f1 > scores[b][metric].f1 else 1 - p / 2)
            better[a, b] = holm(ps) <= level
        for t, name in enumerate(human):
            expected = [all(better[a, b][t] for b in systems if b != a) for a in systems]
            assert found[name][3 * i : 3 * i + 3] == expected
    assert sum(map(sum, found.values())) > 2
    corrected = {
        (row["metric"], row["a"], row["b"]): row["p_corrected"] <= 0.05 for row in suite.attached["comparisons"].pairs
    }
    macro = [corrected[metric, "good", "fair"] and corrected[metric, "good", "poor_&_50%"] for metric in ("LAS", "UAS")]
    assert [found["macro average"][0], found["macro average"][3]] == macro


def test_averages_have_their_interval_in_the_row_below(suite):
    lines = suite.to_latex().split("\n")
    (at,) = [i for i, line in enumerate(lines) if line.startswith("macro average")]
    low, high = suite.intervals["good", "LAS"]
    assert f"{low:.1f}--{high:.1f}" in lines[at + 1]
    assert f"| {low:.1f}–{high:.1f} |" in suite.to_markdown()


def test_averages_without_an_interval_say_why(world):
    systems = [world / name for name in RATES]
    few = tg.score(world / "gold", *systems, metric="LAS", units="documents")  # three documents each
    assert "No interval and no test of the averages" in few.to_latex()
    assert r"\dag" not in few.to_latex()


def test_a_missing_score_is_a_dash(suite):
    name = next(iter(suite.treebanks))
    some = replace(suite, failures={(name, "good"): "no output"}, attached={})
    row = next(line for line in some.to_latex().split("\n") if line.startswith("Czech PDT"))
    assert row.split(" & ")[1] == "--"
    assert "counts as 0 in the average" in some.to_latex()
    assert r"\dag" not in some.to_latex()


def test_best_is_bold_and_marked_only_if_better_than_all_others():
    values = {"a": 80.0, "b": 79.0, "c": 70.0}
    (a, b, _) = paper_cells(values, {("a", "c"), ("b", "c")})
    assert (a.best, a.significant, b.best, b.significant) == (True, False, False, False)
    assert paper_cells(values, {("a", "c"), ("a", "b")})[0].significant
    (alone,) = paper_cells({"a": 80.0})
    assert not alone.best


@pytest.mark.parametrize("style", ["plain", "acl"])
@pytest.mark.parametrize("which", ["scores", "suite"])
def test_tables_compile(which, style, request, tmp_path):
    latex = request.getfixturevalue(which).to_latex(style=style)
    if which == "scores":  # the other has cells over several columns
        assert_balanced(latex)
    log = compile_latex(latex, tmp_path, packages="booktabs")
    if style == "acl":
        assert "Overfull" not in log


@pytest.mark.parametrize(("systems", "treebanks", "star"), [(2, 5, ""), (3, 82, "*"), (8, 20, "*"), (20, 82, "*")])
def test_acl_style_fits_the_page(systems, treebanks, star, tmp_path):
    names = [f"System{i}" for i in range(systems)]
    rows = [
        PaperRow(f"Language Treebank{i}", paper_cells({s: 80.0 + n for n, s in enumerate(names)}))
        for i in range(treebanks)
    ]
    latex = PaperTable("treebank", names, rows, "LAS.", "treegauge:1|tb:x_y#12").latex("acl")
    assert latex.count(rf"\begin{{table{star}}}") == 1
    assert latex.count(r"\begin{tabular}") == (2 if treebanks > 45 else 1)
    log = compile_latex(latex, tmp_path, packages="booktabs,graphicx")
    assert "Overfull" not in log
    assert "Float too large" not in log


def test_style_has_to_be_known(scores):
    with pytest.raises(ChoiceError, match="acl"):
        scores.paper().latex("ieee")


def test_markdown_escapes_and_is_a_format_and_an_ending(cli, files, tmp_path):
    words = [files["gold"], f"a_b|c={files['good']}", files["poor"], "--metric", "LAS,UAS", "--units", "sentences"]
    text = ok(cli(*words, "--format", "markdown"))
    assert text.startswith("| system | LAS | UAS |\n|:--|--:|--:|\n| a\\_b\\|c | **")
    target = tmp_path / "table.md"
    ok(cli(*words, "-o", str(target)))
    assert target.read_text("utf-8") == text
    every = re.split(r"\n\n", ok(cli(*words[:-4], "--by", "upos", "--format", "markdown", verb="breakdown")))
    assert any(part.startswith("| class |") for part in every)


def test_latex_says_that_nothing_was_tested(cli, files):
    latex = ok(cli(files["gold"], files["good"], files["poor"], "--units", "documents", "--format", "latex"))
    assert "No test: too few units." in latex  # six documents
