"""Rules of ranking: hand-made tables, independent fits, gaps, and an independent count of stability."""

import numpy as np
import polars as pl
import pytest
from scipy.stats import kendalltau, rankdata

import treegauge as tg
from studies.fragility.ranking_rules import Ballots, borda, kendall, ranks_by_row
from treegauge.core.errors import TreegaugeError
from treegauge.ranking.leaderboard import Leaderboard, filled_scores
from treegauge.ranking.reading import read_leaderboard
from treegauge.ranking.stability.sampler import Sampler
from treegauge.ranking.strengths import strengths, votes_of

CONLL = read_leaderboard("conll18")


def board(values):
    names = [f"t{i}" for i in range(np.shape(values)[1])]
    frame = {"treebank": names} | {f"S{i}": row for i, row in enumerate(np.array(values, float))}
    return read_leaderboard(pl.DataFrame(frame, nan_to_null=True), missing="keep")


def points(table, rule, columns=None):
    chosen = np.zeros((1, len(table.treebanks)), dtype=bool)
    chosen[0, slice(None) if columns is None else columns] = True
    return Ballots.of(table).points(rule, chosen)[0]


def with_gaps(share, seed=0):
    values = CONLL.values.copy()
    random = np.random.default_rng(seed)
    values.ravel()[random.choice(values.size, round(share * values.size), replace=False)] = np.nan
    return Leaderboard.of("las", CONLL.systems, CONLL.treebanks, values[None], CONLL.metadata)


def test_rules_on_a_table_made_by_hand():
    table = board([[90, 50, 80], [80, 60, 70], [70, 70, 60]])
    assert points(table, "mean") == pytest.approx([220 / 3, 70, 200 / 3])
    assert points(table, "median").tolist() == [80, 70, 70]
    # Average systems have 80, 60 and 70.
    reductions = [(50 - 25 + 100 / 3) / 3, 0, (-50 + 25 - 100 / 3) / 3]
    assert points(table, "error-reduction") == pytest.approx(reductions)
    assert points(table, "borda") == pytest.approx([200 / 3, 50, 100 / 3])
    assert points(table, "bradley-terry")[1] == pytest.approx(0)


def test_borda_without_gaps_is_the_order_of_average_ranks():
    average = np.mean([rankdata(-column) for column in CONLL.values.T], axis=0)
    assert points(CONLL, "borda") == pytest.approx(100 * (26 - average) / 25)


@pytest.mark.parametrize("table", [CONLL, with_gaps(0.2)], ids=["whole", "gaps"])
def test_bradley_terry_equals_a_logistic_regression(table):
    sm = pytest.importorskip("statsmodels.api")
    votes = votes_of(table).sum(axis=0) + 0.5 * (1 - np.eye(26))  # the treebank of ties
    a, b = np.triu_indices(26, 1)
    design = np.zeros((len(a), 26))
    design[np.arange(len(a)), a], design[np.arange(len(a)), b] = 1, -1
    outcome = np.column_stack([votes[a, b], votes[b, a]])
    fitted = sm.GLM(outcome, design[:, 1:], family=sm.families.Binomial()).fit(tol=1e-12).params
    expected = np.concatenate([[0], fitted])
    assert strengths(votes_of(table).sum(axis=0)) == pytest.approx(expected - expected.mean(), abs=1e-7)


def test_filled_scores_are_those_of_least_squares():
    table = with_gaps(0.2)
    known = ~np.isnan(table.values)
    systems, treebanks = np.nonzero(known)
    design = np.zeros((len(systems), 26 + 82))
    design[np.arange(len(systems)), systems] = 1
    design[np.arange(len(systems)), 26 + treebanks] = 1
    fitted = np.linalg.lstsq(design, table.values[known], rcond=None)[0]
    expected = fitted[:26, None] + fitted[None, 26:]
    filled = filled_scores(table.values, table.systems)
    assert filled[known] == pytest.approx(table.values[known])
    assert filled[~known] == pytest.approx(expected[~known])
    effects = fitted[:26] - fitted[:26].mean()
    assert filled.mean(axis=1) - filled.mean() == pytest.approx(effects)


def test_a_system_does_not_gain_by_leaving_out_difficult_treebanks():
    table = board([[90, 50], [91, np.nan], [89, 52]])
    assert table.filled[1, 1] == pytest.approx(51 + 1.5)
    assert tg.rank(table, size=1, subsets=4).board.ranking().tolist() == [3, 1, 2]


def test_systems_that_share_no_treebank_cannot_be_ranked():
    with pytest.raises(TreegaugeError, match="no treebanks connect all of S0, S1"):
        tg.rank(board([[90, np.nan], [np.nan, 80]]), size=1)


def test_comparisons_are_over_shared_treebanks():
    table = board([[90, 50, 70], [80, 60, np.nan], [70, np.nan, 60]])
    shares = [(50 + 100) / 2, (50 + 100) / 2, 0]
    assert borda(votes_of(table).sum(axis=0)) == pytest.approx(shares)


def test_kendall_agrees_with_scipy():
    random = np.random.default_rng(0)
    one, other = random.integers(1, 9, 12).astype(float), random.integers(1, 9, (5, 12)) * 1.0
    expected = [kendalltau(one, row).statistic for row in other]
    assert kendall(one, other) == pytest.approx(expected)


def test_ranks_and_agreement_equal_a_direct_count():
    fast = tg.rank(CONLL, size=10, subsets=500, seed=3)
    chosen = Sampler(CONLL, (10,), 3).block(0)[:, :500].T.astype(bool)
    ranks = ranks_by_row(Ballots.of(CONLL).points("mean", chosen))
    full = ranks_by_row(Ballots.of(CONLL).points("mean", np.ones((1, 82), dtype=bool)))[0]
    found = dict(zip(fast.table["system"], fast.table["mean"], strict=True))
    assert ranks.mean(axis=0) == pytest.approx([found[name] for name in CONLL.systems])
    assert kendall(full, ranks).mean() == pytest.approx(fast.agreement["tau"].item())
    same = ranks[:, full.argmin()] == ranks.min(axis=1)
    assert same.mean() == pytest.approx(fast.agreement["top1"].item())


def test_gaps_are_kept_only_where_they_are_understood():
    table = with_gaps(0.05)
    assert "|gaps:107" in table.signature
    ranked = tg.rank(table, subsets=100)
    assert ranked.sets is not None
    strengths_ = tg.rank.compare(table, test="bradley-terry")
    assert (strengths_.low < strengths_.high).all()
    for call in (
        lambda: tg.rank.compare(table, test="wins"),
        lambda: tg.certify(table, claim="HIT-SCIR > Stanford"),
        lambda: tg.rank(table, subsets="named"),
        lambda: tg.recommend(table),
    ):
        with pytest.raises(TreegaugeError, match="107 scores are missing, and only rank"):
            call()


def test_gaps_survive_a_file(tmp_path):
    table = with_gaps(0.05)
    for name in ("a.csv", "a.json", "a.parquet"):
        table.save(tmp_path / name)
        again = read_leaderboard(tmp_path / name, missing="keep")
        assert np.array_equal(again.values, table.values, equal_nan=True)
