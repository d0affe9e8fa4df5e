"""Every figure fits the columns of a paper: no text leaves the drawing, no two labels overlap."""

import json
import re
from types import SimpleNamespace

import numpy as np
import polars as pl
import pytest

import treegauge as tg
from treegauge.core.errors import TreegaugeError
from treegauge.data import ud25
from treegauge.learning.curve import complexity, curve, equivalent
from treegauge.learning.curves.class_counts import ALL, COLUMNS, attachments
from treegauge.learning.curves.complexity import composite_counts
from treegauge.learning.dynamics.cartography import data_map
from treegauge.learning.dynamics.recording import Recording
from treegauge.ranking.compare import critical_difference
from treegauge.ranking.pairs import differences, improvement
from treegauge.ranking.profiles import profiles
from treegauge.ranking.reading import read_leaderboard
from treegauge.ranking.stability.win_rates import stability
from treegauge.ranking.strengths import bradley_terry
from treegauge.reporting.figures import analysis, curves, ranking, scores, treebanks
from treegauge.reporting.figures.drawing import FIGURES, draw, to_svg
from treegauge.reporting.figures.fitting import INCH, fitted, folded, label_width
from treegauge.scoring.classes.confusion import confusion
from treegauge.scoring.metrics.convention import Convention
from treegauge.statistics.analyse import correlate, correlation_matrix
from treegauge.statistics.linear_model import regress
from treegauge.testing.simulated_parser import Accuracy, simulated_parse
from treegauge.testing.synthetic import synthetic
from treegauge.treebanks.data.conllu import parse_conllu

pytest.importorskip("vl_convert", reason="vl-convert draws the figures")
WIDTHS = (3.3, 6.8)
NAMES = ("a", "biaffine_xlm-roberta-large_seed", "UDPipe 2 with predicted tags and lemmas", "transition-based")
TREEBANKS = ("Old East Slavic Birchbark", "Ancient Greek PROIEL", "Naija NSC", "Gothic")


def scored():
    gold = synthetic(40, seed=1)
    text = gold.to_bytes().decode()
    outputs = {
        name: parse_conllu(simulated_parse(text, Accuracy(heads=0.7 + 0.07 * i), seed=i))
        for i, name in enumerate(NAMES)
    }
    found = tg.score(gold, outputs, resamples=50)
    names = [f"UD_Old_East_Slavic-Birchbark{i}" for i in range(30)]
    frame = pl.DataFrame({"treebank": names, **{name: np.linspace(60 + i, 90, 30) for i, name in enumerate(NAMES)}})
    bins = [{"probability": p / 10, "correct": p / 11, "cases": 9} for p in range(10)]
    events = {"arc": SimpleNamespace(bin_rows=lambda: bins)}
    risks = SimpleNamespace(curves={name: [(p, p / 4) for p in range(0, 101, 10)] for name in NAMES})
    probable = SimpleNamespace(systems=dict.fromkeys(NAMES, events), coverage=risks, signature="treegauge:1")
    return {
        "scores.score_intervals": scores.score_intervals(found),
        "scores.forest": scores.forest(found.attached["comparisons"]),
        "scores.class_heat": scores.class_heat(tg.breakdown(gold, outputs, by="deprel")),
        "scores.class_heat of two": scores.class_heat(tg.breakdown(gold, dict(list(outputs.items())[:2]), by="deprel")),
        "scores.confusion_heat": scores.confusion_heat(confusion(gold, outputs[NAMES[0]])),
        "scores.suite": scores.by_treebank(frame, list(NAMES)),
        "scores.calibration": scores.calibration(probable),
    }


def ranked():
    board = read_leaderboard("conll18")
    few = board.select(systems=board.table["system"][:6].to_list())
    return {
        "ranking.ranks_figure": ranking.rank_boxes(stability(board, size=10, subsets=300, seed=0)),
        "ranking.ranks_figure of sizes": ranking.agreement_by_size(stability(few, size=[1, 5, 82], subsets=90, seed=0)),
        "ranking.pair_matrix": ranking.pair_matrix(stability(board, size=10, subsets=300, seed=0)),
        "ranking.pair_matrix of few": ranking.pair_matrix(stability(few, size=10, subsets=300, seed=0)),
        "ranking.critical_differences": ranking.critical_differences(critical_difference(board)),
        "ranking.critical_differences of few": ranking.critical_differences(
            critical_difference(few, method="wilcoxon-holm")
        ),
        "ranking.confidence_sets": ranking.confidence_sets(bradley_terry(board)),
        "ranking.pair_heat": ranking.pair_heat(differences(few)),
        "ranking.pair_heat of probabilities": ranking.pair_heat(improvement(few)),
        "ranking.profile_lines": ranking.profile_lines(profiles(board)),
    }


def learned():
    rng = np.random.default_rng(0)
    classes = [f"{name} × head {side}" for name in ("nsubj", "obl:agent", "conj") for side in ("left", "right")]
    rows = []
    for parser in ("transition-arc_eager", "mst"):
        for size in (5, 10, 20, 50, 100):
            right = [round(430 * (1 - 1 / np.log(size + 4 + i) + rng.normal() / 50)) for i in range(len(classes))]
            rows += [("UD_A-B", parser, size, 0, name, r, 500) for name, r in zip(classes, right, strict=True)]
            rows.append(("UD_A-B", parser, size, 0, ALL, sum(right), 500 * len(classes)))
    counts = attachments(pl.DataFrame(rows, schema=COLUMNS, orient="row"))
    return {
        "curves.learning": curves.learning(curve(counts)),
        "curves.learning of composites": curves.learning(curve(composite_counts(counts))),
        "curves.scores_by_complexity": curves.scores_by_complexity(complexity(counts)),
        "curves.placed_scores": curves.placed_scores(equivalent(counts, score={"all": 66.0}, parser="mst")),
    }


def mapped():
    rng = np.random.default_rng(1)
    logp = np.log(rng.uniform(0.01, 1, (3, 60)))
    maps = [data_map(Recording(f"{name}#0", "train", "treegauge:0", (1, 2, 3), logp, logp)) for name in TREEBANKS]
    pvi = [
        SimpleNamespace(treebank=name, signature="treegauge:1", pvi=lambda layer: rng.normal(1, 2, 200))
        for name in TREEBANKS
    ]
    bits = {"head": rng.uniform(300, 400, (2, 4))}
    lengths = [
        SimpleNamespace(treebank=name, signature="treegauge:1", bits=bits, words=np.array([50, 90, 99, 120]),
                        blocks=(10, 30, 100, 300))
        for name in TREEBANKS
    ]  # fmt: skip
    shown = {"treebank": TREEBANKS, "words": (200, 900, 30_000, 1_000_000), Convention().label("las"): (60, 70, 75, 90),
             "arc_conf": (0.5, 0.6, 0.7, 0.9), "arc_var": (0.1, 0.15, 0.2, 0.25)}  # fmt: skip

    class Table(list):
        table, signature, attached = pl.DataFrame(shown), "treegauge:1", {}

    return {
        "treebanks.data_maps": treebanks.data_maps(maps),
        "treebanks.pvi_densities": treebanks.pvi_densities(pvi),
        "treebanks.code_lengths": treebanks.code_lengths(lengths),
        "treebanks.difficulty_figure": treebanks.treebank_map(Table([SimpleNamespace(convention=Convention())] * 4)),
        "treebanks.measured": treebanks.measured(tg.measure("wde", synthetic(50, seed=1))),
        "treebanks.measured of places": treebanks.measured(tg.measure("displacements", synthetic(50, seed=1))),
    }


def analysed():
    data = ud25()
    columns = ["las", "train_words", "test_words", "mean_test_length"]
    model = regress(data, "las", ["train_words"], log=["train_words"])
    return {
        "analysis.correlation": analysis.correlation(correlate(data, "las", columns[1:], log=["train_words"])),
        "analysis.matrix": analysis.matrix(correlation_matrix(data, columns)),
        "analysis.predictions": analysis.predictions(model),
    }


def figures():
    return scored() | ranked() | learned() | mapped() | analysed()


BOXES = """svgs => svgs.map(svg => {
  const frame = svg.getBoundingClientRect();
  const seen = [...svg.querySelectorAll("text")].filter(t => t.textContent.trim() && t.getAttribute("opacity") !== "0");
  return [frame.width, frame.height, seen.map(t => {
    const box = t.getBoundingClientRect();
    return [t.textContent, box.left - frame.left, box.top - frame.top, box.right - frame.left, box.bottom - frame.top];
  })];
})"""
SLACK = 1.5
"""Units by which the box of a text is larger than its letters."""


def defects(width, height, texts, inches):
    """Return texts that leave a drawing, labels that overlap, and what is wider than its column."""
    found = [] if width <= inches * INCH else [f"{width:g} wide"]
    inner = [(text, x + SLACK, y + SLACK, right - SLACK, low - SLACK) for text, x, y, right, low in texts]
    for place, (text, x, y, right, low) in enumerate(inner):
        if x < 0 or y < 0 or right > width or low > height:
            found.append(f"{text!r} leaves the drawing")
        for other, x2, y2, right2, low2 in inner[:place]:
            if x < right2 and x2 < right and y < low2 and y2 < low:
                found.append(f"{text!r} and {other!r} overlap")
    return found


def svg_of(spec, known={}):  # noqa: B006
    """Draw a figure; the last drawing of a fit is that of its result."""
    key = json.dumps(spec)
    return known.get(key) or known.setdefault(key, to_svg(spec))


@pytest.fixture(scope="module")
def drawn():
    return figures()


@pytest.fixture(scope="module")
def fit(drawn):
    return {(name, inches): fitted(spec, inches, svg_of) for name, spec in drawn.items() for inches in WIDTHS}


def test_all_kinds_of_figures_are_tried(drawn):
    assert set(FIGURES.values()) == {name.partition(" of ")[0] for name in drawn}


def test_no_text_leaves_the_drawing_and_no_two_overlap(fit, browser):
    text = '<text x="{}" y="12" font-size="10">word</text>'
    bad = {
        ("leaving", 3.3): f'<svg width="60" height="20">{text.format(50)}</svg>',
        ("covering", 3.3): f'<svg width="60" height="20">{text.format(1)}{text.format(11)}</svg>',
        ("wide", 3.3): f'<svg width="400" height="20">{text.format(1)}</svg>',
    }
    all_of_them = bad | {name: svg_of(spec) for name, spec in fit.items()}
    page = browser.new_page()
    page.set_content("".join(f"<p>{svg}</p>" for svg in all_of_them.values()))
    measured = page.eval_on_selector_all("svg", BOXES)
    page.close()
    found = {name: defects(*each, name[1]) for name, each in zip(all_of_them, measured, strict=True)}
    assert [len(found.pop(name)) for name in bad] == [1, 1, 1]
    assert all(texts for _, _, texts in measured)
    assert {name: each for name, each in found.items() if each} == {}


def test_fitting_keeps_the_data(drawn, fit):
    def rows(part):
        if isinstance(part, dict):
            return [*part.get("values", []), *(row for inner in part.values() for row in rows(inner))]
        return [row for inner in part for row in rows(inner)] if isinstance(part, list) else []

    for (name, _), spec in fit.items():
        before, after = ([row for row in rows(one) if isinstance(row, dict)] for one in (drawn[name], spec))
        assert before == after
        assert spec["usermeta"] == drawn[name]["usermeta"]
        assert json.loads(json.dumps(spec, allow_nan=False)) == spec


def test_a_plot_is_as_wide_as_asked_in_every_format(tmp_path):
    found = bradley_terry(read_leaderboard("conll18"))
    figure = found.plot(width=3.3)
    figure.save(tmp_path / "a.pdf")
    box = re.search(rb"MediaBox \[0 0 ([\d.]+)", (tmp_path / "a.pdf").read_bytes())
    assert float(box[1]) / 72 == pytest.approx(3.3, abs=0.03)
    drawn = re.search(r' width="([\d.]+)"', figure.to_svg())
    assert float(drawn[1]) / INCH == pytest.approx(float(box[1]) / 72, abs=0.01)
    assert repr(figure).startswith("<figure 'Confidence sets of ranks'")
    with pytest.raises(TreegaugeError, match=r"expected 2 to 40 inches, found 0\.5"):
        draw(found, width=0.5)


def test_long_names_are_folded_and_whole():
    assert folded("biaffine_xlm-roberta-large", 60) == ["biaffine_", "xlm-roberta-", "large"]
    assert folded("short", 60) == ["short"]
    assert label_width("WWW") > label_width("iii")


def test_cells_of_pairs_are_full_where_the_interval_excludes_no_difference():
    board = read_leaderboard("conll18")
    few = differences(board.select(systems=board.table["system"][:6].to_list()))
    cells = ranking.pair_heat(few)["data"]["values"]
    assert len(cells) == 30
    for cell in cells:
        a, b = few.systems.index(cell["system"]), few.systems.index(cell["other"])
        assert cell["value"] == few.numbers["difference"][a, b]
        assert (abs(cell["certain"]) == 1) == (cell["low"] > 0 or cell["high"] < 0)
    assert {abs(cell["certain"]) == 1 for cell in cells} == {True, False}


def test_a_forest_has_the_pairs_of_the_table(drawn):
    rows = drawn["scores.forest"]["data"]["values"]
    assert len(rows) == len(NAMES) * (len(NAMES) - 1) // 2
    assert all(row["low"] < row["difference"] < row["high"] for row in rows)


def test_confidence_sets_are_those_of_the_result():
    found = bradley_terry(read_leaderboard("conll18"))
    rows = ranking.confidence_sets(found)["data"]["values"]
    assert [(row["rank_low"], row["rank_high"]) for row in rows] == found.table.select("rank_low", "rank_high").rows()
    assert all(row["rank_low"] <= row["rank"] <= row["rank_high"] for row in rows)
