"""Exact counts against enumeration of every subset."""

from fractions import Fraction
from itertools import combinations
from math import comb

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import rankdata

import treegauge as tg
from treegauge.core.errors import TreegaugeError
from treegauge.ranking.leaderboard import Leaderboard
from treegauge.ranking.reading import read_leaderboard
from treegauge.ranking.stability import exact_win_rates as module
from treegauge.ranking.stability.exact_win_rates import exact_ranks
from treegauge.ranking.stability.win_rates import stability


def table(rows) -> Leaderboard:
    names = {f"s{i}": list(row) for i, row in enumerate(rows)}
    return read_leaderboard(pl.DataFrame({"treebank": [f"t{i}" for i in range(len(rows[0]))]} | names))


def tables(largest: int):
    return st.integers(2, 4).flatmap(
        lambda systems: st.integers(1, 9).flatmap(
            lambda treebanks: st.lists(
                st.lists(st.integers(0, largest), min_size=treebanks, max_size=treebanks),
                min_size=systems,
                max_size=systems,
            )
        )
    )


@given(st.one_of(tables(3), tables(10_000)))
@settings(max_examples=60, deadline=None)
def test_every_size_equals_enumeration_ties_included(rows):
    numbers = np.array(rows)
    treebanks = numbers.shape[1]
    result = exact_ranks(table(20 + numbers / 100), size="all")
    assert not result.coarse
    assert result.rounding == 0
    for size in range(1, treebanks + 1):
        totals = np.array([numbers[:, c].sum(axis=1) for c in combinations(range(treebanks), size)])
        for a in range(len(rows)):
            for b in range(len(rows)):
                if a != b:
                    won, tied, lost = result.count(f"s{a}", f"s{b}", size)
                    assert won == (totals[:, a] > totals[:, b]).sum()
                    assert tied == (totals[:, a] == totals[:, b]).sum()
                    assert won + tied + lost == comb(treebanks, size)
        means, bound = result.mean_ranks(size)
        assert bound == 0
        expected = rankdata(-totals, axis=1).mean(axis=0)
        assert means == pytest.approx(expected, rel=1e-12)


@given(tables(100_000), st.integers(2, 3000))
@settings(max_examples=60, deadline=None)
def test_a_coarse_grid_brackets_the_truth(rows, step):
    numbers = np.array(rows)
    scores = table(20 + numbers / 1000)
    true = exact_ranks(scores, size="all")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "_step", lambda *_: step)
        rough = exact_ranks(scores, size="all")
    assert rough.coarse
    for size in rough.sizes:
        for a, b in combinations(range(len(rows)), 2):
            won, tied, lost = true.count(f"s{a}", f"s{b}", size)
            sure, unsure, against = rough.count(f"s{a}", f"s{b}", size)
            assert sure <= won <= sure + unsure
            assert against <= lost <= against + unsure
            assert sure + unsure + against == won + tied + lost
        means, bound = rough.mean_ranks(size)
        assert np.abs(means - true.mean_ranks(size)[0]).max() <= bound + 1e-12


def signs(plus: int, minus: int) -> Leaderboard:
    """Two systems whose differences are +1 and -1, so that the counts are known in closed form."""
    return table([[51] * plus + [50] * minus, [50] * plus + [51] * minus])


@pytest.mark.parametrize(("plus", "minus", "size"), [(60, 42, 51), (41, 41, 41), (70, 35, 60)])
def test_counts_far_past_2_to_the_64_are_exact(plus, minus, size):
    total = comb(plus + minus, size)
    assert total > 2**70
    result = exact_ranks(signs(plus, minus), size=size)
    won = sum(comb(plus, j) * comb(minus, size - j) for j in range(size + 1) if 2 * j > size and size - j <= minus)
    tied = comb(plus, size // 2) * comb(minus, size // 2) if size % 2 == 0 else 0
    assert result.rounding == 0
    assert result.count("s0", "s1") == (won, tied, total - won - tied)


def test_counts_too_large_for_that_state_their_rounding():
    result = exact_ranks(signs(110, 100), size=105)
    assert 0 < result.rounding < 1e-12
    won = sum(comb(110, j) * comb(100, 105 - j) for j in range(53, 106) if 105 - j <= 100)
    assert abs(Fraction(result.count("s0", "s1")[0], won) - 1) <= result.rounding
    assert result.to_dict()["exact"] is False


def test_scores_with_endless_decimals_are_bounded_not_refused():
    rows = np.random.default_rng(4).uniform(60, 90, (3, 30))
    scores = table(rows)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "MOST_CELLS", 200_000)
        result = exact_ranks(scores, size=10)
    assert result.coarse
    means, bound = result.mean_ranks()
    assert 0 < bound < 0.01
    drawn = stability(scores, size=10, subsets=100_000).table.sort("system")["mean"].to_numpy()
    assert np.abs(drawn - means).max() < bound + 0.01
    assert result.table["bound"].unique().to_list() == [bound]


def test_seeds_are_counted_as_their_means():
    rows = [
        {"treebank": f"t{t}", "system": s, "seed": seed, "score": 50 + (t * 7 + seed * 5 + i) % 9}
        for t in range(7)
        for i, s in enumerate("AB")
        for seed in range(3)
    ]
    scores = read_leaderboard(pl.DataFrame(rows))
    sums = scores.runs.sum(axis=0)
    totals = np.array([sums[:, c].sum(axis=1) for c in combinations(range(7), 3)])
    won, tied, _ = exact_ranks(scores, size=3).count("A", "B")
    assert won == (totals[:, 0] > totals[:, 1]).sum()
    assert tied == (totals[:, 0] == totals[:, 1]).sum()


def test_drawing_approaches_the_count():
    scores = read_leaderboard("conll18", metric="blex")
    counted = exact_ranks(scores, size=12)
    drawn = stability(scores, size=12, subsets=100_000)
    shown = counted.pairs.join(drawn.pairs, on=["system", "other"])
    assert (shown["above"] - shown["above_right"]).abs().max() < 0.01
    assert (shown["tied"] - shown["tied_right"]).abs().max() < 0.002


def test_workers_do_not_matter():
    scores = read_leaderboard("conll18").select(systems=["Stanford", "Uppsala", "LATTICE", "CEA LIST"])
    one, three = (exact_ranks(scores, size=[5, 70], workers=n) for n in (1, 3))
    assert (one.wins == three.wins).all()
    assert one.to_dict() == three.to_dict()


def test_asking_for_what_was_not_counted():
    result = exact_ranks(table([[1, 2, 3], [3, 2, 1]]), size=[1, 2])
    with pytest.raises(TreegaugeError, match="size 3 was not counted; choose one of 1, 2"):
        result.count("s0", "s1", 3)
    with pytest.raises(TreegaugeError, match="size 4: the table has 3 treebanks"):
        exact_ranks(result.board, size=4)


def test_json_lists_counts_as_whole_numbers():
    found = exact_ranks(table([[1, 2, 3], [3, 2, 1]]), size=2).to_dict()
    assert found["exact"] is True
    assert found["subsets"] == [{"size": 2, "number": 3}]
    assert found["pairs"] == [{"size": 2, "system": "s0", "other": "s1", "wins": 1, "undecided": 1, "losses": 1}]


def test_only_counted_subsets_have_counts():
    drawn = tg.rank("conll18", metric="LAS", size=10, subsets=100)
    with pytest.raises(TreegaugeError, match="subsets='all'"):
        drawn.count("HIT-SCIR", "Stanford")
