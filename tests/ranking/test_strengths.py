"""Bradley-Terry strengths, confidence sets of ranks, and the best of many."""

import json

import numpy as np
import polars as pl
import pytest
from scipy.optimize import minimize

import treegauge as tg
from treegauge.core.errors import TreegaugeError
from treegauge.ranking.reading import read_leaderboard
from treegauge.ranking.strengths import advantages, best_system, bradley_terry, families_of, rank_sets, strengths

CONLL = read_leaderboard("conll18")


def table(values, **columns):
    values = np.asarray(values, dtype=float)
    frame = {"treebank": [f"t{i}" for i in range(values.shape[1])], **columns}
    return read_leaderboard(pl.DataFrame(frame | {f"S{i}": row for i, row in enumerate(values)}))


def test_strengths_have_the_greatest_likelihood():
    wins = np.random.default_rng(1).integers(0, 20, (5, 5)).astype(float)
    np.fill_diagonal(wins, 0)
    with_tie = wins + 0.5 * (1 - np.eye(5))

    def loss(theta):
        return (with_tie * np.log1p(np.exp(theta[None, :] - theta[:, None]))).sum()

    oracle = minimize(loss, np.zeros(5), method="BFGS", options={"gtol": 1e-9}).x
    assert strengths(wins) == pytest.approx(oracle - oracle.mean(), abs=1e-5)
    assert strengths(np.stack([wins, wins.T]))[0] == pytest.approx(strengths(wins))


def test_a_system_that_always_wins_has_a_finite_strength():
    values = np.random.default_rng(0).normal(70, 3, (3, 40)).round(2)
    values[0] = 99
    found = bradley_terry(table(values))
    assert np.isfinite(found.strength).all()
    assert found.ranks.low[0] == found.ranks.high[0] == 1


def test_families_are_left_out_whole():
    """Each treebank ten times over, as one family: the interval is that of the single ones."""
    values = np.random.default_rng(2).normal([[72], [70], [69]], 2, (3, 30)).round(2)
    single = advantages(table(values), np.arange(30))
    tenfold = advantages(table(np.repeat(values, 10, axis=1)), np.repeat(np.arange(30), 10))
    assert tenfold.moves == pytest.approx(single.moves)
    assert tenfold.df == pytest.approx(single.df)
    error = (values - values.mean(axis=0)).std(axis=1, ddof=1) / np.sqrt(30)
    assert np.sqrt((single.moves**2).sum(axis=0)) == pytest.approx(error)


def test_rank_sets_hold_the_rank_and_narrow_with_the_distance():
    made = advantages(CONLL, families_of(CONLL))
    sets = rank_sets(made)
    full = CONLL.ranking()
    assert ((sets.low <= full) & (full <= sets.high)).all()
    assert sets.low[CONLL.system("SParse")] == 26, "a system that failed on all treebanks"
    wider = rank_sets(made, 0.999)
    assert ((wider.low <= sets.low) & (wider.high >= sets.high)).all()


def test_the_best_of_equal_systems_is_corrected_downwards():
    values = np.random.default_rng(3).normal(70, 2, (20, 40)).round(2)
    board = table(values)
    best = best_system(board, families_of(board))
    assert best.observed == pytest.approx((values - values.mean(axis=0)).mean(axis=1).max(), abs=1e-6)
    assert best.value < best.observed
    assert best.low < 0 < best.observed


def test_rank_has_sets_and_the_corrected_lead_where_there_are_enough_treebanks():
    found = tg.rank(CONLL, subsets=1000)
    assert {"rank_low", "rank_high"} < set(found.table.columns)
    assert "corrected for being the best of 26" in str(found)
    stated = json.loads(found.to_json())
    assert stated["winner"]["system"] == "HIT-SCIR"
    few = tg.rank(CONLL, subsets=1000, treebanks="Ma18")
    assert "rank_low" not in few.table.columns
    assert "No confidence sets of ranks: fewer than 25 treebanks" in str(few)
    assert json.loads(few.to_json())["winner"] is None
    with pytest.raises(TreegaugeError, match="25 treebanks and 10 families"):
        tg.rank.compare(CONLL, test="bradley-terry", treebanks="Ma18")


def test_all_pairs_of_the_shared_task_take_less_than_five_seconds():
    import time

    start = time.perf_counter()
    tg.rank.compare(CONLL, test="difference")
    assert time.perf_counter() - start < 5
