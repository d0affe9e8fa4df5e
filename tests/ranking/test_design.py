"""``treegauge design``: data that a difference needs, from the variance of a pilot study."""

import pytest

import treegauge as tg
from treegauge.core.errors import TreegaugeError


def needed(treebanks, **how):
    systems = {name: treebanks[name] for name in ("good", "poor")}
    return tg.design(treebanks["gold"], systems, units="sentences", **how)


def test_half_the_difference_needs_four_times_the_sentences(treebanks):
    (one,), (half,) = needed(treebanks, difference=2).rows, needed(treebanks, difference=1).rows
    assert (one["unit"], one["available"], one["given"]) == ("sentences", 120, "these outputs")
    assert half["needed"] == pytest.approx(4 * one["needed"], rel=0.05)
    assert "|m:UAS|plan:1.0|power:0.8" in needed(treebanks, metric="UAS").signature


def test_folders_give_treebanks(treebanks, tmp_path):
    for name in ("gold", "good", "poor"):
        (tmp_path / name).mkdir()
        for i in range(3):
            tg.write_conllu(treebanks[name][40 * i : 40 * i + 40], tmp_path / name / f"x{i}.conllu")
    folders = [tmp_path / name for name in ("good", "poor")]
    (row,) = tg.design(tmp_path / "gold", *folders, units="sentences").rows
    assert (row["unit"], row["available"]) == ("treebanks", 3)


def test_mistakes(treebanks):
    with pytest.raises(TreegaugeError, match="a plan needs at least two systems"):
        tg.design(treebanks["gold"], {"good": treebanks["good"]})
    with pytest.raises(TreegaugeError, match="expected a number of points above 0, found 0"):
        needed(treebanks, difference=0.0)
