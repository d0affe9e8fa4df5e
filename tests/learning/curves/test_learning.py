"""Curves: means, ratios, the minimum of words, bands."""

from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from scipy.stats import t

from treegauge.core.errors import ChoiceError, TreegaugeError
from treegauge.learning.curve import BANDS, curve
from treegauge.learning.curves.class_counts import COLUMNS, attachments
from treegauge.learning.curves.score_grid import grid_of

from .conftest import SIZES, table


def cells(found, **which):
    return found.table.filter(**which)


def hand():
    """Two treebanks, two training samples, two sizes; class y is rare in the second one."""
    rows = []
    for treebank, size, sample, right, x, y, y_total in [
        ("A", 5, 0, 50, 30, 20, 40), ("A", 5, 1, 60, 40, 20, 40),
        ("A", 10, 0, 70, 45, 25, 40), ("A", 10, 1, 80, 50, 30, 40),
        ("B", 5, 0, 30, 25, 5, 10), ("B", 5, 1, 30, 25, 5, 10),
        ("B", 10, 0, 60, 52, 8, 10), ("B", 10, 1, 60, 52, 8, 10),
    ]:  # fmt: skip
        key = (treebank, "beam", size, sample)
        rows += [(*key, "all", right, 100), (*key, "x", x, 60), (*key, "y", y, y_total)]
    frame = pl.DataFrame(rows, schema=COLUMNS, orient="row")
    return attachments(frame)


def test_averages_counted_by_hand():
    found = curve(hand())
    whole = cells(found, **{"class": "all"})
    assert whole["score"].to_list() == [(55 + 30) / 2, (75 + 60) / 2]
    # Relative in each treebank first, averaged afterwards.
    assert whole["relative"].to_list() == [pytest.approx((55 / 75 + 30 / 60) / 2), 1.0]
    rare = cells(found, **{"class": "y"})
    assert rare["treebanks"].to_list() == [1, 1]
    assert rare["score"].to_list() == [50.0, pytest.approx(100 * 27.5 / 40)]
    both = curve(hand(), min_words=1)
    assert cells(both, **{"class": "y"})["treebanks"].to_list() == [2, 2]
    none = curve(hand(), min_words=50)
    assert cells(none, **{"class": "y"}).height == 0
    assert "no treebank has 50 test words of: y" in str(none)


def test_each_treebank_has_its_own_curve():
    found = curve(hand(), treebank="each")
    assert cells(found, treebank="B", **{"class": "y"})["score"].to_list() == [50.0, 80.0]
    assert found.table["treebank"].unique().sort().to_list() == ["A", "B"]


def test_bands_hold_the_mean_and_are_refused_without_spread():
    counts = table({("A", "b"): {"x": lambda n: 50.0}}, samples=3, noise=2)
    spread = curve(counts, resamples=200).table
    assert (spread["low"] < spread["score"]).all()
    assert (spread["score"] < spread["high"]).all()
    still = curve(table({("A", "b"): {"x": lambda n: 50.0}}, samples=3))
    assert set(still.table["low"]) == set(still.table["high"]) == {None}
    assert "have the same scores in every class" in str(still)


def test_draws_are_students_distribution_with_the_samples_degrees():
    rng = np.random.default_rng(0)
    values = rng.normal(50, 5, size=5).round(1)
    rows = [("A", "b", 5, k, "all", int(v * 10), 1000) for k, v in enumerate(values)]
    grid = grid_of(attachments(pl.DataFrame(rows, schema=COLUMNS, orient="row")))
    drawn = grid.draws(replace(BANDS, resamples=40_000, seed=1)).means[:, 0, 0, 0]
    found = np.quantile(drawn, [0.025, 0.25, 0.975])
    assert found == pytest.approx(
        t.ppf([0.025, 0.25, 0.975], 4, values.mean(), values.std(ddof=1) / np.sqrt(5)), abs=0.3
    )


def test_few_samples_or_treebanks_have_no_intervals():
    two = table({("A", "b"): {"x": lambda n: 50.0}}, samples=2, noise=3)
    found = curve(two)
    assert found.table["low"].null_count() == found.table.height
    assert "no intervals: they need 3 training samples of each size, got 2" in found.notes
    pair = table({(f"T{i}", "b"): {"x": lambda n, i=i: 40.0 + 3 * i} for i in range(2)})
    assert curve(pair, over="treebanks").table["low"].null_count() == len(SIZES) * 2


def test_treebanks_can_be_drawn_instead_of_samples():
    counts = table({(f"T{i}", "b"): {"x": lambda n, i=i: 40.0 + 3 * i} for i in range(6)})
    varied = curve(counts, over="treebanks", classes=["all"])
    assert (varied.table["low"] < varied.table["score"] - 1).all()


def test_a_treebank_without_all_sizes_is_left_out_by_name():
    counts = hand()
    kept = counts.frame.filter((pl.col("treebank") == "A") | (pl.col("size") == 5))
    found = curve(attachments(kept))
    assert found.notes[0] == "B is left out: it has no size 10; its largest is 5"
    assert "note: B is left out" in str(found)
    assert cells(found, **{"class": "all"})["treebanks"].to_list() == [1, 1]
    alone = curve(attachments(kept), sizes=[5])
    assert cells(alone, **{"class": "all"})["treebanks"].to_list() == [2]
    ends = kept.filter((pl.col("treebank") == "B") | (pl.col("size") == 10))
    with pytest.raises(TreegaugeError, match="no treebank has all sizes"):
        curve(attachments(ends))


def test_a_missing_sample_is_averaged_over_the_others():
    counts = hand()
    gone = (pl.col("treebank") == "A") & (pl.col("size") == 5) & (pl.col("sample") == 1)
    found = curve(attachments(counts.frame.filter(~gone)), treebank="each")
    assert cells(found, treebank="A", **{"class": "all"})["score"].to_list() == [50.0, 75.0]


def test_same_seed_same_table_and_another_seed_another():
    counts = table({("A", "b"): {"x": lambda n: 50.0}}, samples=9, noise=3)
    one, again, other = (curve(counts, seed=seed).table for seed in (0, 0, 1))
    assert one.equals(again)
    assert not one["low"].equals(other["low"])


def test_tables_for_people(two):
    shown = curve(two).shown()
    assert shown.columns == ["class", "share", *map(str, SIZES)]
    assert shown["class"].to_list()[0] == "all"
    ratios = curve(two, relative=True).shown()
    assert ratios["500"].to_list() == [100.0, 100.0, 100.0]
    text = curve(two)
    assert "\\begin{tabular}" in text.to_latex()
    assert "<table" in text.to_html()


def test_unknown_names_are_refused(two):
    with pytest.raises(ChoiceError, match="unknown class of words 'slo'; did you mean 'slow'"):
        curve(two, classes=["slo"])
    with pytest.raises(ChoiceError, match="choices: samples, treebanks"):
        curve(two, over="seeds")
