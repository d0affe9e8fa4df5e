"""Figures of learning curves hold the numbers that were computed."""

import json

import numpy as np
import polars as pl
import pytest

from treegauge.core.errors import TreegaugeError
from treegauge.learning.curve import complexity, curve, equivalent
from treegauge.learning.curves.class_counts import ALL, COLUMNS, attachments
from treegauge.learning.curves.complexity import composite_counts
from treegauge.reporting.figures import curves
from treegauge.reporting.figures.drawing import figure_json

SIZES = (5, 10, 20, 50, 100)
CLASSES = {
    "fast": (lambda n: 90 - 50 / n, 6000),
    "slow": (lambda n: 10 + 12 * np.log(n), 3900),
    "rare": (lambda n: 5 + 9 * np.log(n), 90),
}


@pytest.fixture(scope="module")
def counts():
    rng = np.random.default_rng(0)
    rows = []
    for parser in ("beam", "mst"):
        for size in SIZES:
            for sample in range(3):
                key = ("UD_A-B", parser, size, sample)
                right = {
                    name: round((shape(size) + rng.normal()) / 100 * words) for name, (shape, words) in CLASSES.items()
                }
                rows += [(*key, name, right[name], CLASSES[name][1]) for name in CLASSES]
                rows.append((*key, ALL, sum(right.values()), 9990))
    return attachments(pl.DataFrame(rows, schema=COLUMNS, orient="row"))


@pytest.mark.parametrize("relative", [False, True])
def test_curves_by_class_hold_the_scores_that_the_table_shows(counts, relative):
    found = curve(counts, relative=relative)
    spec = curves.learning(found)
    rows = spec["data"]["values"]
    assert {row["class"] for row in rows} == {"all", "fast", "slow"}
    assert {row["panel"] for row in rows} == {"beam", "mst"}
    for row in rows:
        one = found.table.filter(parser=row["panel"], size=row["size"]).filter(pl.col("class") == row["class"])
        shown = 100 * one["relative"][0] if relative else one["score"][0]
        assert row["value"] == pytest.approx(shown)
    assert spec["spec"]["encoding"]["x"]["scale"]["type"] == "log"
    assert spec["usermeta"]["signature"] == found.signature
    assert json.loads(figure_json(spec)) == spec
    everything = curves.learning(found, min_share=0)["data"]["values"]
    assert "rare (1 %)" in {row["curve"] for row in everything}


def test_each_treebank_is_a_panel_of_its_own(counts):
    more = counts.frame.with_columns(pl.lit("UD_C-D").alias("treebank"))
    both = attachments(pl.concat([counts.frame, more]))
    rows = curves.learning(curve(both, treebank="each"))["data"]["values"]
    assert {row["panel"] for row in rows} == {"beam, UD_A-B", "beam, UD_C-D", "mst, UD_A-B", "mst, UD_C-D"}


def test_scores_are_dashed_and_their_equivalents_dotted(counts):
    made = composite_counts(counts)
    found = curve(made)
    placed = equivalent(counts, score={"all": 66.0, "complex": 99.0}, parser="mst")
    rows = curves.composites(found, placed, dark=True)["data"]["values"]
    lines = [row for row in rows if row["kind"] == "score"]
    assert [(row["panel"], row["class"], row["score"]) for row in lines] == [
        ("mst", "all", 66.0),
        ("mst", "complex", 99.0),
    ]
    drops = [row for row in rows if row["kind"] == "drop"]
    # The score beyond the curve has no number of sentences to drop to.
    assert [row["class"] for row in drops] == ["all"]
    assert drops[0]["sentences"] == placed.table["sentences"][0]
    assert {row["class"] for row in rows} == {"all", "simple", "complex"}
    plain = curves.composites(found)
    assert len(plain["spec"]["layer"]) == 2
    with pytest.raises(TreegaugeError, match="expected curves of simple and complex words"):
        curves.composites(curve(counts))


def test_complexity_against_score(counts):
    found = complexity(counts)
    spec = curves.scores_by_complexity(found)
    rows = spec["data"]["values"]
    assert [row | {"label": row["class"]} for row in found.table.to_dicts()] == rows
    rho = found.correlations.filter(parser="mst")["rho"][0]
    assert f"mst {rho:.2f}" in spec["title"]["subtitle"]
    assert json.loads(figure_json(spec)) == spec
