"""The table for the paper: it compiles, and its marks are those of the tests."""

import re
from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from scipy import stats

import treegauge as tg
from tests.tex import compile_latex
from treegauge.core.errors import ChoiceError
from treegauge.core.paper_tables import PaperRow, PaperTable, paper_cells
from treegauge.core.tables import markdown
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


def marked(latex: str, mark: str = r"\dag") -> dict[str, list[bool]]:
    """Return which scores of each row have a dagger, or another mark."""
    rows, coded = {}, " & code & " in latex
    for line in latex.split("\n"):
        if line.endswith((r"\\", r"\\*")) and "multicolumn" not in line and line.split(" & ")[0].strip():
            name, *cells = line.rstrip("*").removesuffix(r"\\").replace(r"\&", "AND").split(" & ")
            rows[name] = [f"{mark}}}" in cell for cell in cells[coded:]]
    return rows


@pytest.mark.parametrize("names", [list(RATES), ["fair", "poor_&_50%"]])
def test_marks_of_one_treebank_equal_tests_done_again(names, world):
    """Daggers are wins over all, double daggers the best and what is not significantly different from it."""
    folder = f"UD_{TREEBANKS[1]}"
    gold = world / "gold" / folder / "x-ud-test.conllu"
    systems = {one: world / one / f"{folder}.conllu" for one in names}
    scores = tg.score(gold, systems, metric=["LAS", "UAS"], units="sentences")
    pairs = list(combinations(names, 2))
    keys = [(metric, *pair) for metric in ("LAS", "UAS") for pair in pairs]
    p_values = [paired_p(scores[a], scores[b], metric) for metric, a, b in keys]
    corrected = dict(zip(keys, holm(p_values), strict=True))
    printed = {(row["metric"], row["a"], row["b"]): row["p_corrected"] for row in scores.attached["comparisons"].pairs}
    assert corrected == pytest.approx(printed, rel=1e-6)
    won, tied = (marked(scores.to_latex(), mark) for mark in (r"\dag", r"\ddag"))
    for i, metric in enumerate(("LAS", "UAS")):
        best = max(names, key=lambda name: scores[name][metric].f1)
        level = {b if a == best else a for a, b in pairs if best in (a, b) and corrected[metric, a, b] > 0.05}
        for name in names:
            key = name.replace("&", "AND").replace("_", r"\_").replace("%", r"\%").replace("\\AND", "AND")
            assert won[key][i] == (name == best and not level)
            assert tied[key][i] == (name in level or (name == best and bool(level)))
    text = scores.to_markdown()
    assert {"†": "†: significantly" in text, "‡": "‡: the best" in text} == {
        "†": len(names) == 3, "‡": len(names) == 2
    }  # fmt: skip


@pytest.mark.parametrize("systems", [list(RATES), ["fair", "poor_&_50%"]])
def test_marks_of_treebanks_equal_tests_done_again(systems, world):
    suite = tg.score(world / "gold", *(world / name for name in systems), metric="LAS,UAS", units="sentences")
    found, level_with = (marked(suite.to_latex(), mark) for mark in (r"\dag", r"\ddag"))
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
        for t, (name, scores) in enumerate(zip(human, suite.treebanks.values(), strict=True)):
            expected = [all(better[a, b][t] for b in systems if b != a) for a in systems]
            assert found[name][len(systems) * i :][: len(systems)] == expected
            best = max(systems, key=lambda system: scores[system][metric].f1)
            level_ones = {b for b in systems if b != best and not better[best, b][t]}
            ties = level_ones | ({best} if level_ones else set())
            assert level_with[name][len(systems) * i :][: len(systems)] == [one in ties for one in systems]
    corrected = {(row["metric"], row["a"]): row["p_corrected"] for row in suite.attached["comparisons"].pairs}
    if len(systems) == 3:
        assert found["macro average"] == [True, False, False, True, False, False]
        assert corrected["LAS", "good"] <= 0.05 and corrected["UAS", "good"] <= 0.05
        assert sum(map(sum, found.values())) > 2
    else:
        expected = [corrected[metric, "fair"] > 0.05 for metric in ("LAS", "UAS") for _ in systems]
        assert level_with["macro average"] == expected
        assert sum(map(sum, level_with.values())) > 2


def test_runs_have_their_standard_deviation(world):
    """Of each treebank over runs, and of the average of each run."""
    runs = [world / name for name in RATES]
    suite = tg.score(world / "gold", {"all": runs, "one": runs[0]}, metric="LAS", resamples=0)
    each = [
        [
            tg.score(world / "gold" / f"UD_{name}" / "x-ud-test.conllu", run / f"UD_{name}.conllu", resamples=0)
            for run in runs
        ]
        for name in TREEBANKS
    ]
    table = np.array([[scores.systems[0]["LAS"].f1 for scores in row] for row in each])
    expected = [*table.std(axis=1, ddof=1), table.mean(axis=0).std(ddof=1)]
    rows = suite.paper().rows
    assert [row.cells[0].spread for row in rows] == pytest.approx(expected)
    assert all(row.cells[1].spread is None for row in rows)
    text = suite.to_markdown()
    assert f" ± {expected[-1]:.2f} |" in text and "±: standard deviation over runs" in text
    assert "mean over 3 runs of all" in text and "on 4 treebanks, n = 240 sentences" in text


def test_treebanks_have_intervals(suite):
    first = next(iter(suite.treebanks.values()))
    low, high = first["good"]["LAS"].interval
    assert suite.paper().rows[0].cells[0].interval == (low, high)
    assert "confidence intervals over sentences" in suite.to_markdown()


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


def test_a_missing_score_is_called_failed(suite):
    name = next(iter(suite.treebanks))
    some = replace(suite, failures={(name, "good"): "no output"}, attached={})
    row = next(line for line in some.to_latex().split("\n") if line.startswith("Czech PDT"))
    assert row.split(" & ")[1:3] == [r"cs\_pdt", "failed"]
    assert "counts as 0 in the average" in some.to_latex()
    assert r"\dag" not in some.to_latex()


def test_best_is_bold_and_marked_only_if_better_than_all_others():
    values = {"a": 80.0, "b": 79.0, "c": 70.0}
    (a, b, _) = paper_cells(values, {("a", "c"), ("b", "c")})
    assert (a.best, a.significant, b.best, b.significant) == (True, False, False, False)
    assert paper_cells(values, {("a", "c"), ("a", "b")})[0].significant
    (alone,) = paper_cells({"a": 80.0})
    assert not alone.best


@pytest.fixture(scope="module")
def classes(world):
    folder = f"UD_{TREEBANKS[0]}"
    systems = {name: world / name / f"{folder}.conllu" for name in ("good", "fair")}
    gold = world / "gold" / folder / "x-ud-test.conllu"
    return tg.breakdown(gold, systems, by=["relation", "upos"], confusion="upos", units="sentences")


def test_tables_compile_in_the_columns_of_papers(scores, suite, classes, tmp_path):
    assert_balanced(scores.to_latex(style="lrec"))  # the others have cells over several columns
    every = [one.to_latex(style=style) for one in (scores, suite, classes) for style in ("acl", "lrec")]
    log = compile_latex("\n\n".join(every), tmp_path, packages="booktabs")
    assert "Overfull" not in log


HOSTILE = [
    "a_b & 50% #1",
    "Ελληνικά ħ",
    "中文 [GSD]",
    "[x] *y*",
    r"\end{table} ~^{}",
    "<script>",
    '"q" $x$ @a //b',
    "żółw",
]


def hostile(treebanks: int) -> PaperTable:
    """A table of names that mean something in every format."""
    names = HOSTILE[:3]
    rows = [
        PaperRow(f"{HOSTILE[i % len(HOSTILE)]} {i}", paper_cells(
            dict(zip(names, (81.0, 80.9, None), strict=True)), (), dict.fromkeys(names[:2], (79.0, 82.5)),
            tested=[tuple(names[:2])], spreads={names[0]: 0.25},
        ))
        for i in range(treebanks)
    ]  # fmt: skip
    return PaperTable("[tree_bank]", names, rows, "A_b ‡ ± 中.", "treegauge:1|tb:x_y#12", [("L_S", 2), ("", 1)])


@pytest.mark.parametrize("engine", ["pdflatex", "xelatex"])
def test_hostile_names_compile(engine, tmp_path):
    plain = [hostile(number).latex() for number in (1, 6, 80)]
    assert ["longtable" in text for text in plain] == [False, False, True]
    text = "\n\n".join(
        [*plain[:2], r"\onecolumn", plain[2], r"\twocolumn", hostile(6).latex("lrec"), hostile(80).latex("acl")]
    )
    log = compile_latex(text, tmp_path, packages="booktabs,longtable,graphicx", engine=engine)
    assert "Float too large" not in log


def test_typst_compiles(scores, suite, classes):
    typst = pytest.importorskip("typst")
    tables = [scores, suite, classes]
    text = "\n\n".join([*(one.to_typst() for one in tables), *(hostile(number).typst() for number in (1, 6, 80))])
    assert typst.compile(text.encode()).startswith(b"%PDF")
    captions = typst.query(b"#show figure: it => it\n" + hostile(6).typst().encode(), "figure", field="kind")
    assert captions == '["table"]' or "table" in captions


CODES = ["cs_pdt", "el_gdt", "la_ittb", "fro_srcmf"]


def test_every_format_has_the_same_names_and_a_column_of_codes(suite):
    """Names and codes as UD has them; the average has none, and intervals stay below their scores."""
    names = [name.replace("-", " ").replace("_", " ") for name in TREEBANKS]
    table = suite.paper()
    assert [(row.name, row.code) for row in table.rows] == [*zip(names, CODES, strict=True), ("macro average", "")]
    cells = [re.split(r" *\| *", line)[1:-1] for line in table.markdown().splitlines() if line.startswith("|")]
    assert (
        cells[0]
        == ["treebank", "code", *(f"{metric} {name}" for metric in ("LAS", "UAS") for name in map(markdown, RATES))]
        and len({*map(len, cells)}) == 1
    )
    assert [line[:2] for line in cells[2:] if line[0]] == [
        *([n, markdown(c)] for n, c in zip(names, CODES, strict=True)),
        ["macro average", ""],
    ]
    html = re.findall(r"<tr><th>([^<]+)</th><td>([^<]*)</td><td", table.html())
    assert html == [*zip(names, CODES, strict=True), ("macro average", "")]
    typst = re.findall(r'^  "([^"]+)", "([^"]*)", \[', table.typst(), re.MULTILINE)
    assert typst == html and f"columns: {2 + len(table.columns)}," in table.typst()
    for style in ("plain", "acl", "lrec"):
        latex = table.latex(style)
        drawn = [line.split(" & ") for line in latex.splitlines() if " & " in line and "multicolumn" not in line]
        assert len({*map(len, drawn)}) == 1 and r"\begin{tabular}{ll" + "r" * len(table.columns) + "}" in latex
        assert [line[:2] for line in drawn if line[0]][1:] == [[n, c.replace("_", r"\_")] for n, c in html]


def test_codes_only_where_they_are_known_and_fit():
    cells = paper_cells({f"System{i}": 80.0 + i for i in range(3)})
    named = [PaperRow("Greek GDT", cells, code="el_gdt"), PaperRow("mine", cells)]
    table = PaperTable("treebank", [f"System{i}" for i in range(3)], named, "LAS.", "treegauge:1")
    assert "| mine |  | 80.00 |" in table.markdown() and "{ll" in table.latex("acl")
    assert "code" not in replace(table, rows=named[1:]).markdown()
    wide = paper_cells({f"System{i}": 80.0 + i for i in range(10)})
    rows = [PaperRow(f"Language Treebank{i}", wide, code="grc_proiel") for i in range(20)]
    latex = PaperTable("treebank", [f"System{i}" for i in range(10)], rows, "LAS.", "treegauge:1").latex("acl")
    assert "grc" not in latex and "resizebox" not in latex


def test_html_escapes(scores):
    text = hostile(8).html()
    assert "<script>" not in text and "&lt;script&gt; 5" in text and "<b>81.00</b> ± 0.25<sup>‡</sup>" in text
    assert text.count("<tr>") == text.count("</tr>") == 10
    assert scores.to_html().startswith('<table class="treegauge"><caption>Scores (F1 in percent) on')


def test_classes_have_all_numbers_and_small_ones_are_named(classes):
    table, rows = classes.paper(), {row["class"]: row for row in classes.differences}
    drawn = {row.name: row.cells for row in table.rows}
    assert set(drawn) == {name for name, row in rows.items() if row["units"] >= 10 and row["gold"]}
    cells = {row["class"]: row for row in classes["fair"].table.to_dicts()}
    for name, (gold, *_, p, r, f, difference, interval) in drawn.items():
        assert [p.value, r.value, f.value] == [cells[name][key] for key in ("precision", "recall", "f1")]
        assert gold.text == str(cells[name]["gold"]) and difference.text == f"{rows[name]['difference']:+.2f}"
        corrected = rows[name]["p_corrected"]
        assert difference.significant == (corrected is not None and corrected <= 0.05)
        assert (interval.text == "–") == (corrected is None)
    missing = ", ".join(f"{name} ({row['gold']})" for name, row in rows.items() if name not in drawn)
    assert sorted(missing.split(", ")) == sorted(table.caption.rpartition("(gold words): ")[2][:-1].split(", "))
    alone = tg.breakdown(tg.synthetic(30, seed=1), tg.synthetic(30, seed=1), by="upos").paper()
    assert alone.columns == ["gold", "P", "R", "F1"]


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
    assert cli(*words, "-o", str(target)) == (0, "", f"wrote {target}\n")
    assert target.read_text("utf-8") == text
    every = re.split(r"\n\n", ok(cli(*words[:-4], "--by", "upos", "--format", "markdown", verb="breakdown")))
    assert any(part.startswith("| class |") for part in every)


def test_latex_says_that_nothing_was_tested(cli, files):
    latex = ok(cli(files["gold"], files["good"], files["poor"], "--units", "documents", "--format", "latex"))
    assert "No test: too few units." in latex  # six documents
