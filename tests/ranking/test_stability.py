"""Sampled ranks against oracles that rank one sample at a time."""

from itertools import combinations
from math import comb

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import kendalltau, rankdata

from treegauge.core.errors import ChoiceError, TreegaugeError
from treegauge.ranking.leaderboard import Leaderboard, ranks_of
from treegauge.ranking.reading import read_leaderboard
from treegauge.ranking.stability.win_rates import stability


def table(rows: list[list[float]]) -> Leaderboard:
    names = {f"s{i}": row for i, row in enumerate(rows)}
    return read_leaderboard(pl.DataFrame({"treebank": [f"t{i}" for i in range(len(rows[0]))]} | names))


def one_by_one(scores: Leaderboard, result):
    numbers = np.round(scores.values * 100).astype(int)
    columns = [result.sampler.columns(i) for i in range(result.samples)]
    totals = np.array([numbers[:, chosen].sum(axis=1) for chosen in columns])
    return totals, rankdata(-totals, axis=1)


# Few distinct scores, so that ties within samples and over all treebanks are common.
few = st.integers(2, 5).flatmap(
    lambda systems: st.integers(2, 9).flatmap(
        lambda treebanks: st.lists(
            st.lists(st.integers(0, 3), min_size=treebanks, max_size=treebanks), min_size=systems, max_size=systems
        )
    )
)


@given(few, st.integers(0, 2**64 - 1), st.data())
@settings(max_examples=40, deadline=None)
def test_everything_agrees_with_ranking_sample_by_sample(rows, seed, data):
    scores = table(rows)
    size = data.draw(st.integers(1, len(rows[0])))
    samples = data.draw(st.integers(1, 60))
    result = stability(scores, size=size, subsets=samples, seed=seed)
    totals, ranks = one_by_one(scores, result)
    shown = {row["system"]: row for row in result.table.to_dicts()}
    for a, name in enumerate(scores.systems):
        mine = ranks[:, a]
        row = shown[name]
        assert (row["best"], row["worst"]) == (mine.min(), mine.max())
        assert row["mean"] == pytest.approx(mine.mean())
        assert row["sd"] == pytest.approx(mine.std(), abs=1e-9)
        expected = np.quantile(mine, [0.25, 0.5, 0.75])
        assert [row["q1"], row["median"], row["q3"]] == pytest.approx(expected)
        assert mine[result.best_at[a]] == mine.min()
        assert result.best_at[a] == mine.argmin()
        assert result.worst_at[a] == mine.argmax()
        for b in range(len(rows)):
            assert result.above[a, b] == (totals[:, a] > totals[:, b]).sum()
            if a != b:
                assert result.tied[a, b] == (totals[:, a] == totals[:, b]).sum()
    full = np.array(rows).sum(axis=1)
    with np.errstate(invalid="ignore"):
        taus = [kendalltau(full, sample).statistic for sample in totals]
    taus = np.nan_to_num(np.array(taus))
    assert result.agreement["tau"].item() == pytest.approx(taus.mean(), abs=1e-9)
    assert result.agreement["tau_sd"].item() == pytest.approx(taus.std(), abs=1e-6)
    leaders = full == full.max()
    top = (totals[:, leaders].max(axis=1) == totals.max(axis=1)).mean()
    assert result.agreement["top1"].item() == pytest.approx(top)


def test_any_number_of_threads_gives_the_same_result():
    scores = read_leaderboard("conll18")
    results = [stability(scores, subsets=20_001, seed=5, workers=n) for n in (1, 2, 3, 8)]
    for other in results[1:]:
        assert other.to_dict() == results[0].to_dict()


def test_another_seed_gives_another_result():
    scores = read_leaderboard("conll18")
    first, second = (stability(scores, subsets=5000, seed=s) for s in (0, 1))
    assert not np.array_equal(first.counts, second.counts)


def test_more_samples_begin_with_the_same_ones():
    scores = read_leaderboard("conll18")
    few_, many = (stability(scores, subsets=n) for n in (5000, 9000))
    assert (many.counts >= few_.counts).all()


def test_agreement_by_size_equals_runs_of_one_size_in_expectation():
    scores = read_leaderboard("conll18")
    many = stability(scores, size=[5, 10, 40], subsets=60_000)
    assert many.agreement["samples"].to_list() == [20_000] * 3
    for row in many.agreement.to_dicts():
        alone = stability(scores, size=row["size"], subsets=20_000, seed=9).agreement
        assert row["tau"] == pytest.approx(alone["tau"].item(), abs=0.003)
        assert row["top1"] == pytest.approx(alone["top1"].item(), abs=0.02)


def test_the_whole_collection_always_agrees():
    result = stability(read_leaderboard("conll18"), size=82, subsets=10)
    assert result.agreement.row(0)[2:] == (1.0, 0.0, 1.0)
    assert result.table["sd"].to_list() == [0.0] * 26


def test_behind_finds_exactly_the_samples_with_the_rank():
    scores = read_leaderboard("conll18")
    result = stability(scores, subsets=9000, seed=2)
    _, ranks = one_by_one(scores, result)
    stanford = scores.system("Stanford")
    mine = ranks[:, stanford]
    worst = result.behind("stanford", "worst", limit=3)
    numbers = np.flatnonzero(mine == mine.max())
    assert worst.samples == len(numbers)
    assert worst.numbers == tuple(numbers[:3].tolist())
    assert worst.subsets[0] == result.sampler.subset(int(numbers[0]))
    good = result.behind("Stanford", ranks=(1, 2), limit=0)
    assert good.samples == ((mine >= 1) & (mine <= 2)).sum()
    assert good.numbers == ()
    members = np.zeros(82, dtype=int)
    for number in np.flatnonzero(mine <= 2):
        members[result.sampler.columns(int(number))] += 1
    assert good.members.tolist() == members.tolist()


def test_behind_refuses_what_it_cannot_know():
    result = stability(read_leaderboard("conll18"), subsets=100)
    with pytest.raises(ChoiceError, match="unknown system 'Stanfrod'; did you mean 'Stanford'"):
        result.behind("Stanfrod", "worst")
    with pytest.raises(ChoiceError, match="unknown extreme 'top'"):
        result.behind("Stanford", "top")
    with pytest.raises(TreegaugeError, match="give either"):
        result.behind("Stanford")


def test_scores_with_many_decimals_are_summed_without_order_effects():
    values = np.random.default_rng(1).uniform(0, 100, (3, 12))
    values[1] = values[0][::-1]
    scores = table(values.tolist())
    result = stability(scores, size=12, subsets=50)
    assert result.tied[0, 1] == result.samples == 1  # there is one subset of this size


def test_json_has_the_documented_shape():
    found = stability(read_leaderboard("conll18"), subsets=1000).to_dict()
    assert list(found)[3:] == ["samples", "systems", "pairs", "agreement", "winner"]
    first = found["systems"][0]
    assert {"system", "best", "worst", "mean", "median", "sd", "q1", "q3", "ranks"} <= set(first)
    assert sum(first["ranks"].values()) == 1000
    assert "size:10|subsets:1000|seed:0" in found["signature"]


def test_text_tells_how_often_the_leader_leads():
    result = stability(read_leaderboard("conll18"), subsets=1000)
    assert "the same leader in 9" in str(result)
    assert result.distribution["samples"].sum() == 26_000


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"size": 83}, "size 83: the table has 82 treebanks; choose a size from 1 to 82"),
        ({"size": 0}, "size 0"),
        ({"size": []}, "names no size"),
        ({"subsets": 0}, "subsets 0: expected 1 or more"),
        ({"workers": 0}, "workers 0: expected 1 or more"),
    ],
)
def test_impossible_requests(options, message):
    with pytest.raises(TreegaugeError, match=message):
        stability(read_leaderboard("conll18"), **({"subsets": 10} | options))


def by_hand(board, size, allowed=lambda columns: True):
    """Return the ranks on every allowed subset, subsets x systems."""
    numbers = board.fixed_point()[0]
    columns = range(len(board.treebanks))
    return np.array(
        [ranks_of(numbers[:, list(subset)].sum(axis=1)) for subset in combinations(columns, size) if allowed(subset)]
    )


@pytest.mark.parametrize("size", [1, 3, 4, 6])
def test_few_subsets_are_counted_once_each_whatever_the_number_of_samples(size):
    board = table(np.random.default_rng(3).integers(500, 900, (4, 6)).tolist())
    ranks = by_hand(board, size)
    found = [stability(board, size=size, subsets=n, seed=n) for n in (1, 100, 100_000)]
    for one in found:
        assert one.samples == one.counts.sum(axis=1)[0] == len(ranks) == comb(6, size)
        assert one.table.sort("system")["mean"].to_list() == pytest.approx(ranks.mean(axis=0))
        leader = board.fixed_point()[0].sum(axis=1).argmax()
        led = (ranks[:, leader] == ranks.min(axis=1)).mean()
        assert one.agreement["top1"].item() == pytest.approx(led)
        assert one.signature == found[0].signature
    of = f"{size} treebank{'s' if size > 1 else ''}"
    number = f"all {len(ranks)} subsets" if size < 6 else "the only subset"
    assert f"Best to worst rank over {number} of {of}." in str(found[0])


def test_few_subsets_within_constraints_are_counted_once_each():
    board = read_leaderboard("conll18").select(treebanks=read_leaderboard("conll18").treebanks[:12])
    languages = board.metadata["language"].to_list()
    expected = by_hand(board, 5, lambda one: len({languages[t] for t in one}) == 5)
    found = stability(board, size=5, subsets=10, constraints=["language:1"])
    assert 10 < found.samples == len(expected) < comb(12, 5)
    assert found.table.sort("system")["mean"].to_list() == pytest.approx(
        [mean for _, mean in sorted(zip(board.systems, expected.mean(axis=0), strict=True))]
    )


def test_several_sizes_with_few_subsets_have_equal_weight():
    board = table(np.random.default_rng(4).integers(500, 900, (3, 5)).tolist())
    found = stability(board, size="all", subsets=7)
    means = np.mean([by_hand(board, size).mean(axis=0) for size in range(1, 6)], axis=0)
    assert found.table.sort("system")["mean"].to_list() == pytest.approx(means)
    assert found.agreement["samples"].to_list() == [5, 10, 10, 5, 1]
    assert "over all 31 subsets of 1-5 treebanks, each size with equal weight" in str(found)


def test_sizes_with_few_subsets_agree_alone_and_beside_others():
    board = read_leaderboard("conll18")
    mixed = stability(board, size=[1, 40], subsets=500).agreement.filter(size=1)
    assert mixed.equals(stability(board, size=1, subsets=500).agreement)
    assert mixed["samples"].item() == 82
