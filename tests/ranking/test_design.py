"""``treegauge design``: data that a difference needs, from a table of scores or a pilot study."""

import numpy as np
import polars as pl
import pytest

import treegauge as tg
from studies.corrections.injected_errors import inject_errors
from treegauge.core.errors import TreegaugeError
from treegauge.ranking.design import Spread, smallest_set, spread_of
from treegauge.ranking.reading import read_leaderboard
from treegauge.ranking.selection import SubsetConditions
from treegauge.testing.synthetic import synthetic


@pytest.fixture(scope="module")
def treebanks():
    gold = synthetic(120, seed=4)
    good, poor = (inject_errors(gold, share, seed=1).treebank for share in (0.1, 0.3))
    return {"gold": gold, "good": good, "poor": poor}


def needed(treebanks, **how):
    systems = {name: treebanks[name] for name in ("good", "poor")}
    return tg.design(systems, gold=treebanks["gold"], units="sentences", **how)


def test_half_the_difference_needs_four_times_the_sentences(treebanks):
    (one,), (half,) = needed(treebanks, difference=2).rows, needed(treebanks, difference=1).rows
    assert (one["unit"], one["available"], one["given"]) == ("sentences", 120, "these outputs")
    assert half["needed"] == pytest.approx(4 * one["needed"], rel=0.05)
    assert one["power"] > half["power"] > 0.05
    assert one["type_m"] < half["type_m"]
    assert 0 < one["always_low"] < one["always_high"]
    assert "|m:UAS|plan:1.0|power:0.8" in needed(treebanks, metric="UAS").signature


def test_folders_give_text_and_treebanks(treebanks, tmp_path):
    for name in ("gold", "good", "poor"):
        (tmp_path / name).mkdir()
        for i in range(3):
            tg.write_conllu(treebanks[name][40 * i : 40 * i + 40], tmp_path / name / f"x{i}.conllu")
    folders = [tmp_path / name for name in ("good", "poor")]
    text, more = tg.design(*folders, gold=tmp_path / "gold", units="sentences").rows
    assert (text["unit"], text["available"], text["given"]) == ("sentences", 120, "these 3 treebanks")
    assert (more["unit"], more["available"]) == ("treebanks", 3)


def test_a_table_gives_the_smallest_set_under_conditions():
    plan = tg.design("conll18", difference=4, claim="HIT-SCIR > TurkuNLP")
    apart, whole = plan.rows
    assert apart["needed"] >= whole["needed"]
    assert whole["power"] > 0.9
    assert f"smallest set: {len(plan.subset)} treebanks" in str(plan)
    bounded = tg.design(
        "conll18",
        difference=4,
        claim="HIT-SCIR > TurkuNLP",
        at_most=["tokens:1000000"],
        include=["el_gdt"],
        exclude=["zh_gsd"],
    )
    board = read_leaderboard("conll18")
    tokens = dict(zip(board.treebanks, board.metadata["tokens"], strict=True))
    assert sum(tokens[name] for name in bounded.subset) <= 1_000_000
    assert "el_gdt" in bounded.subset
    assert "zh_gsd" not in bounded.subset
    impossible = tg.design("conll18", difference=1, claim="HIT-SCIR > Stanford")
    assert (impossible.subset, impossible.hours) == ((), None)
    assert "no set of these treebanks under these conditions is large enough; all 82 find " in str(impossible)


def small(rows):
    """A table of two systems on treebanks of few genera."""
    names = ["UD_Greek-A", "UD_Greek-B", "UD_Welsh-A", "UD_Tamil-A", "UD_Wolof-A", "UD_Arabic-A", "UD_Turkish-A",
             "UD_Finnish-A", "UD_Basque-A", "UD_Korean-A"]  # fmt: skip
    return pl.DataFrame({"treebank": names, "A": rows, "B": [60.0] * 10})


def test_the_set_is_the_cheapest_by_brute_force():
    table = small(np.random.default_rng(0).normal(62, 1, 10).round(2).tolist())
    board, spread = read_leaderboard(table), Spread(0.5, 1.0, 20.0, 0.95)
    hours = np.array([1.0, 9, 2, 3, 4, 5, 6, 7, 8, 9])
    chosen = smallest_set(board, spread, 1.8, hours=hours)
    genera = np.array([0, 0, *range(1, 9)])

    def large_enough(mask):
        counts = np.bincount(genera[mask])
        counts = counts[counts > 0]
        return len(counts) >= 7 and spread.detectable(counts.tolist()) <= 1.8

    masks = (np.array([(number >> bit) & 1 for bit in range(10)], bool) for number in range(1, 1024))
    cheapest = min(hours[mask].sum() for mask in masks if large_enough(mask))
    assert hours[list(chosen)].sum() == cheapest
    assert smallest_set(board, spread, 1.8, SubsetConditions(at_most=["genus:1"], exclude=["UD_Greek-A"])) is not None
    assert smallest_set(board, spread, 0.3) is None
    with pytest.raises(TreegaugeError, match="a stratified constraint needs a size"):
        smallest_set(board, spread, 1.8, SubsetConditions(at_most=["genus:stratified"]))


def test_hours_come_from_the_metadata(tmp_path):
    table = small([62.0, 63, 64, 62, 65, 61, 62, 63, 62, 64])
    hours = pl.DataFrame({"treebank": table["treebank"], "hours": [1.5] * 10})
    plan = tg.design(table, difference=9, metadata=hours)
    assert plan.hours == 1.5 * len(plan.subset) == pytest.approx(10.5)
    assert "cheapest set: 7 treebanks of 7 genera, 10.5 hours, which find" in str(plan)
    with pytest.raises(TreegaugeError, match="metadata of UD_Korean-A: hours is None"):
        tg.design(table, metadata=hours.head(9))


def test_variances_of_a_balanced_table_are_those_of_the_analysis_of_variance():
    values = np.array([[1.0, 3, 5, 7, 2, 2, 8, 6]])
    spread = spread_of(values, [*"aabbccdd"])
    means = values.reshape(4, 2).mean(axis=1)
    inner = values.reshape(4, 2).var(axis=1, ddof=1).mean()
    assert spread.treebanks == pytest.approx(inner)
    assert spread.genera == pytest.approx(means.var(ddof=1) - inner / 2)


def test_mistakes(treebanks):
    with pytest.raises(TreegaugeError, match="a plan needs at least two systems"):
        tg.design({"good": treebanks["good"]}, gold=treebanks["gold"])
    with pytest.raises(TreegaugeError, match="expected a number of points above 0, found 0"):
        needed(treebanks, difference=0.0)
    with pytest.raises(TreegaugeError, match="need a table of scores; got --gold"):
        needed(treebanks, claim="good > poor")
