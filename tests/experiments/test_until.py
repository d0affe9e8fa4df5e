"""``treegauge run --until``: a plan that stops when one of two parsers is better."""

import sys

import polars as pl
import pytest

import treegauge as tg
from treegauge.core.errors import TreegaugeError
from treegauge.testing.synthetic import synthetic

TASK = """
import numpy as np
from treegauge.experiments.cells import Outcome

def score(cell):
    if cell.seed == 99:
        raise ValueError("a broken seed")
    place = sum(cell.setup.name.encode())
    noise = np.random.default_rng([cell.seed, place, sum(cell.setup.parser.encode())]).normal()
    return Outcome({"LAS": 80 + cell.setup.options.get("gain", 0) + noise})
"""
BETTER, BEST = ({"name": "good", "options": {"gain": gain}} for gain in (5, 40))


@pytest.fixture
def treebanks(tmp_path, monkeypatch):
    (tmp_path / "games.py").write_text(TASK)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "games", raising=False)

    def make(*names):
        for name in names:
            (tmp_path / name).mkdir()
            for split in ("train", "test"):
                tg.write_conllu(synthetic(3, seed=1), tmp_path / name / f"x-ud-{split}.conllu")
        return tmp_path

    return make


def plan(*parsers, names=("UD_*",), seeds=20):
    return tg.Plan((tg.grid("games:score", names, parsers=list(parsers), seeds=range(seeds)),))


def run(home, made, until, store="a.store"):
    return tg.run(made, home / store, until=until, pool="inline", root=home)


def test_a_clear_difference_stops_the_plan_and_an_interrupted_one_resumes(treebanks):
    home = treebanks("UD_A-X", "UD_B-Y")
    done = run(home, plan(BETTER, "poor"), "good > poor")
    decision = done.decision
    assert decision["verdict"] == "good > poor"
    assert decision["units"] == "seeds"
    assert 5 <= decision["used"] < 20
    assert done.done == 4 * decision["used"]
    assert decision["saved"] == 80 - done.done
    assert 0 < decision["low"] < decision["difference"] < decision["high"]
    assert f"good > poor, decided after {decision['used']} of 20 seeds" in str(done)
    again = run(home, plan(BETTER, "poor"), "poor < good")
    assert (again.done, again.reused, again.decision["difference"]) == (0, done.done, decision["difference"])
    reverse = run(home, plan(BETTER, "poor"), "poor > good")
    assert (reverse.decision["verdict"], reverse.done) == ("good > poor", 0)


def test_the_difference_is_the_mean_over_treebanks_of_the_seeds_used(treebanks):
    home = treebanks("UD_A-X", "UD_B-Y")
    decision = run(home, plan(BETTER, "poor"), "good > poor").decision
    table = tg.results(home / "a.store").table
    by_parser = dict(table.group_by("parser").agg(pl.col("LAS").mean()).iter_rows())
    assert decision["difference"] == pytest.approx(by_parser["good"] - by_parser["poor"])


def test_equal_parsers_use_all_seeds(treebanks):
    home = treebanks("UD_A-X")
    done = run(home, plan("same", "other", seeds=8), "same > other")
    assert (done.decision["verdict"], done.decision["used"], done.decision["saved"]) == ("undecided", 8, 0)
    assert "add seeds to the plan" in str(done)


def test_many_genera_are_the_units(treebanks):
    languages = (
        "Greek Czech Welsh Tamil Wolof Arabic Turkish Finnish Latin Basque Korean Chinese Thai Naija English".split()
    )
    home = treebanks(*(f"UD_{name}-X" for name in languages), "UD_Polish-Y")
    decision = run(home, plan(BEST, "poor", seeds=1), "good > poor").decision
    assert (decision["units"], decision["verdict"]) == ("genera", "good > poor")
    assert 12 <= decision["used"] <= decision["available"] == 15  # Czech and Polish are Slavic


def test_mistakes(treebanks):
    home = treebanks("UD_A-X")
    for made, until, message in (
        (plan(BETTER, "poor"), "good", "expected two parsers of the plan"),
        (plan(BETTER, "poor"), "good > gone", "gone"),
        (plan(BETTER, "poor"), "good > good", "compares no two parsers"),
        (plan(BETTER, "poor", seeds=4), "good > poor", "found 4 seeds and treebanks of 1 genera"),
    ):
        with pytest.raises(TreegaugeError, match=message):
            run(home, made, until, "b.store")
    broken = tg.Plan((tg.grid("games:score", "UD_*", parsers=[BEST, "poor"], seeds=[*range(5), 99]),))
    done = run(home, broken, "good > poor", "c.store")
    assert (done.decision["verdict"], done.failed) == ("good > poor", 0)  # stopped before the broken seed
    equal = tg.Plan((tg.grid("games:score", "UD_*", parsers=["same", "other"], seeds=[*range(5), 99]),))
    done = run(home, equal, "same > other", "d.store")
    assert (done.decision["verdict"], done.failed, done.exit_code) == ("undecided", 2, 1)


def test_what_does_not_vary_is_not_decided(treebanks, tmp_path):
    home = treebanks("UD_A-X")
    (tmp_path / "games.py").write_text(TASK.replace(".normal()", ".normal() * 0"))
    assert run(home, plan(BETTER, "poor", seeds=6), "good > poor").decision["verdict"] == "undecided"
