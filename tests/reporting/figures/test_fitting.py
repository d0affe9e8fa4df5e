"""Every figure fits the columns of a paper: no text leaves the drawing, no two labels overlap."""

from types import SimpleNamespace

import numpy as np
import polars as pl
import pytest

import treegauge as tg
from treegauge.data import ud25
from treegauge.learning.curve import complexity, curve, equivalent
from treegauge.learning.curves.attachments import ALL, COLUMNS, attachments
from treegauge.learning.curves.complexity import composite_counts
from treegauge.learning.dynamics.cartography import data_map
from treegauge.learning.dynamics.recording import Recording
from treegauge.ranking.compare import critical_difference
from treegauge.ranking.pairs import differences, improvement
from treegauge.ranking.profiles import profiles
from treegauge.ranking.reading import read_leaderboard
from treegauge.ranking.stability.random_subsets import stability
from treegauge.ranking.strengths import bradley_terry
from treegauge.reporting.figures import analysis, curves, ranking, scores, treebanks
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
    names = [f"UD_Old_East_Slavic-Birchbark{i}" for i in range(60)]
    frame = pl.DataFrame({"treebank": names, **{name: np.linspace(60 + i, 90, 60) for i, name in enumerate(NAMES)}})
    bins = [{"probability": p / 10, "correct": p / 11, "cases": 9} for p in range(10)]
    events = {"arc": SimpleNamespace(bin_rows=lambda: bins)}
    risks = SimpleNamespace(curves={name: [(p, p / 4) for p in range(0, 101, 10)] for name in NAMES})
    probable = SimpleNamespace(systems=dict.fromkeys(NAMES, events), coverage=risks, signature="treegauge:1")
    return {
        "scores.score_intervals": scores.score_intervals(found),
        "scores.forest": scores.forest(found.attached["comparisons"]),
        "scores.class_heat": scores.class_heat(tg.breakdown(gold, outputs, by="deprel")),
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
        "ranking.pair_heat of all": ranking.pair_heat(improvement(board)),
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
