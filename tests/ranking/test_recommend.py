"""Recommended subsets: they keep their promises, and are judged by systems they have not seen."""

import json
from itertools import combinations

import numpy as np
import polars as pl
import pytest
from scipy.stats import t as student

from tests.commands import invoke
from treegauge.core.errors import ChoiceError, TreegaugeError
from treegauge.ranking.reading import read_leaderboard
from treegauge.ranking.recommend import judged_subsets, recommend
from treegauge.ranking.selection import (
    WEIGHTS,
    SubsetConditions,
    SubsetSearch,
    demands_of,
    error_matrix,
    repeated_folds,
)

CONLL = read_leaderboard("conll18")


def table(values, **metadata):
    frame = {"treebank": [f"t{i}" for i in range(len(values[0]))], **metadata}
    return read_leaderboard(pl.DataFrame(frame | {f"S{i}": row for i, row in enumerate(values)}))


def test_the_quadratic_form_is_the_sum_over_pairs():
    values = np.random.default_rng(1).normal(0, 3, (6, 9))
    matrix = error_matrix(values)
    errors = np.array([values[a] - values[b] for a, b in combinations(range(6), 2)])
    errors -= errors.mean(axis=1, keepdims=True)
    one = (errors**2).sum(axis=0).mean()  # a treebank's squared error, on average
    for columns in combinations(range(9), 3):
        total = (errors[:, columns].sum(axis=1) ** 2).sum() / one
        assert matrix[np.ix_(columns, columns)].sum() == pytest.approx(total, abs=1e-9)


@pytest.mark.parametrize("weight", WEIGHTS)
def test_exchanges_find_the_best_of_all_subsets(weight):
    """Not guaranteed, but with as many starts as the recommendation has, on small tables."""
    rng = np.random.default_rng(2)
    for _ in range(10):
        scores = table(rng.integers(0, 100, (7, 11)).tolist())
        room = demands_of(scores, 4)
        pool = room.orders(40, rng)
        got = SubsetSearch(scores, room, pool).best(np.arange(7), weight, pool)
        full, matrix = scores.values.sum(axis=1), error_matrix(scores.values)

        def loss(columns, scores=scores, full=full, matrix=matrix):
            sums = scores.values[:, columns].sum(axis=1)
            agree = [
                np.sign(sums[a] - sums[b]) * np.sign(full[a] - full[b])
                for a, b in combinations(range(7), 2)
                if full[a] != full[b]
            ]
            return 1 - np.mean(agree) + weight * matrix[np.ix_(columns, columns)].sum() / 4

        every = [loss(list(columns)) for columns in combinations(range(11), 4)]
        assert loss(list(got)) == pytest.approx(min(every), abs=1e-9)


def test_one_of_each_kind_is_taken():
    """Four kinds of treebanks, three of each: one of every kind predicts the whole perfectly."""
    kinds = np.random.default_rng(3).normal(70, 8, (12, 4)).round(2)
    scores = table(np.repeat(kinds, 3, axis=1).tolist())
    found = recommend(scores, size=4, repeats=1, subsets=50)
    assert sorted(int(code[1:]) // 3 for code in found.subset) == [0, 1, 2, 3]
    assert found.fitted == 1
    assert found.held_out.agreement == 1


def test_it_is_judged_by_pairs_of_systems_it_has_not_seen():
    """What the documentation states: with 26 systems the margin is not shown to be above 0."""
    found = recommend(CONLL, size=10, repeats=2, subsets=300)
    judged = found.held_out
    assert judged.margin == pytest.approx(judged.agreement - judged.random_mean)
    assert judged.low < judged.margin < judged.high
    assert not judged.better
    assert "not significantly better than random" in str(found)
    assert found.fitted > judged.agreement, "fitting and judging by the same systems flatters"


def test_the_interval_is_the_jackknife_over_systems():
    """By hand: the margin without each system, from the agreement of every pair held out."""
    rng = np.random.default_rng(3)
    scores = table(rng.normal(70, 5, (14, 12)).round(2).tolist())
    room = demands_of(scores, 4)
    problem = SubsetSearch(scores, room, room.orders(50, rng))
    chance = np.mean([problem.concordance(order[:4]) for order in problem.pool], axis=0)
    judged = judged_subsets(problem, 3, 2, np.random.default_rng(5))
    again, gains = np.random.default_rng(5), {}
    for rest, held in repeated_folds(np.arange(14), 3, 2, again):
        weight = problem.choose(rest, 3, again)
        agree = problem.concordance(problem.best(rest, weight, problem.starts(8, again)))
        for pair in combinations(held.tolist(), 2):
            gains.setdefault(pair, []).append(agree[pair] - chance[pair])

    def margin(without=None):
        return np.mean([g for pair, each in gains.items() if without not in pair for g in each])

    left = np.array([margin(i) for i in range(14)])
    error = np.sqrt(13 / 14 * ((left - left.mean()) ** 2).sum())
    assert judged.margin == pytest.approx(margin())
    assert (judged.high - judged.low) / 2 == pytest.approx(student.ppf(0.975, 13) * error)


def test_with_nothing_to_learn_nothing_is_claimed():
    """Scores without any structure: the held-out figure must not see what only fitting sees."""
    rng = np.random.default_rng(4)
    margins, fitted = [], []
    for seed in range(8):
        scores = table(rng.normal(70, 5, (10, 25)).round(2).tolist())
        found = recommend(scores, size=5, repeats=2, subsets=100, seed=seed)
        margins.append(found.held_out.margin)
        fitted.append(found.fitted - found.held_out.random_mean)
    assert abs(np.mean(margins)) < 3 * np.std(margins, ddof=1) / np.sqrt(8) + 0.02
    assert np.mean(fitted) > np.mean(margins) + 0.1


def test_those_who_choose_never_judge():
    rows, rng = np.arange(11), np.random.default_rng(0)
    for rest, held in repeated_folds(rows, 4, 3, rng):
        assert sorted([*rest, *held]) == rows.tolist()
        assert not set(rest) & set(held)
    held_out = np.concatenate([held for _, held in repeated_folds(rows, 4, 3, rng)])
    assert (np.bincount(held_out) == 3).all()


def test_agreement_is_kendalls_tau():
    from scipy.stats import kendalltau

    room = demands_of(CONLL, 10)
    problem = SubsetSearch(CONLL, room, room.orders(1, np.random.default_rng(0)))
    columns = np.arange(5, 15)
    agree = problem.concordance(columns)
    upper = agree[np.triu_indices(26, 1)]
    full, part = CONLL.values.mean(axis=1), CONLL.values[:, columns].mean(axis=1)
    assert upper.mean() == pytest.approx(kendalltau(full, part).statistic)


def test_demands_are_met_by_the_recommended_and_the_random_subsets():
    demands = {
        "at_most": ["language:1", "genus:3", "resource=big:6", "tokens:1500000"],
        "at_least": ["resource=low-resource:1", "genus=Slavic:1"],
        "include": ["zh_gsd"],
        "exclude": ["en_ewt", "UD_Czech-PDT"],
    }
    room = demands_of(CONLL, 10, SubsetConditions(**demands))
    drawn = [[CONLL.treebanks[i] for i in order[:10]] for order in room.orders(200, np.random.default_rng(0))]
    found = recommend(CONLL, size=10, **demands, repeats=1, subsets=50)
    assert len({tuple(sorted(codes)) for codes in drawn}) > 150
    for codes in [found.subset, *drawn]:
        chosen = CONLL.metadata.filter(pl.col("treebank").is_in(codes))
        assert len(set(codes)) == 10
        assert chosen["language"].n_unique() == 10
        assert chosen["genus"].value_counts()["count"].max() <= 3
        assert (chosen["resource"] == "big").sum() <= 6
        assert (chosen["resource"] == "low-resource").sum() >= 1
        assert (chosen["genus"] == "Slavic").sum() >= 1
        assert chosen["tokens"].sum() <= 1_500_000
        assert "zh_gsd" in codes
        assert not {"en_ewt", "cs_pdt", "sme_giella"} & set(codes)
    assert "at most 1500000 tokens" in found.signature


def test_random_subsets_are_uniform_under_demands():
    """Six treebanks, three of X and three of Y, four taken, two of X: nine subsets, all alike."""
    scores = table(np.full((2, 6), 50).tolist(), genus=["X"] * 3 + ["Y"] * 3)
    room = demands_of(scores, 4, SubsetConditions(["genus=X:2"], ["genus=X:2"]))
    orders = room.orders(3600, np.random.default_rng(0))
    counts = np.unique(np.sort(orders[:, :4], axis=1), axis=0, return_counts=True)[1]
    assert len(counts) == 9
    # Chi-squared with 8 degrees of freedom: beyond 26 in one case of a thousand.
    assert ((counts - 400) ** 2 / 400).sum() < 26


def test_stratified_subsets_have_the_shares_of_the_whole():
    found = recommend(CONLL, size=10, at_most=["resource:stratified"], repeats=1, subsets=20)
    chosen = CONLL.metadata.filter(pl.col("treebank").is_in(found.subset))
    shares = dict(chosen["resource"].value_counts().iter_rows())
    assert shares == {"big": 7, "PUD": 1, "small": 1, "low-resource": 1}


def test_named_subsets_are_compared_with_random_ones_of_their_size():
    quick = {"size": 10, "repeats": 1, "subsets": 20}
    found = recommend(CONLL, **quick)
    rows = {row["subset"]: row for row in found.table.to_dicts()}
    assert next(iter(rows)) == "recommended"
    assert {"Ma18", "Lh16", "AG20", "D21", "SA17", "Sm18", "Ku19", "Easy"} < set(rows)
    assert (rows["Ma18"]["size"], rows["Ma18"]["absent"]) == (12, 0)
    assert (rows["Lh16"]["size"], rows["Lh16"]["absent"]) == (7, 1)
    own = recommend(CONLL, named={"mine": ["cs_pdt", "en_ewt"]}, **quick)
    assert own.table["subset"].to_list() == ["recommended", "mine"]
    with pytest.raises(ChoiceError, match="unknown treebank 'xx'"):
        recommend(CONLL, named={"mine": ["xx"]}, **quick)


def test_same_seed_same_recommendation():
    found, again, other = (recommend(CONLL, size=6, repeats=1, subsets=30, seed=seed) for seed in (1, 1, 2))
    assert found.to_dict() == again.to_dict()
    assert found.held_out != other.held_out
    stated = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert stated["signature"].endswith("|size:6|cv:1x5|units:systems|subsets:30|seed:1")
    assert len(stated["subset"]) == 6
    assert "Margin" in str(found)


@pytest.mark.parametrize(
    ("demands", "message"),
    [
        ({"size": 83}, "size 83: the table has 82 treebanks; choose a size from 1 to 82"),
        (
            {"at_most": ["stock:1"], "size": 20},
            "no subset of size 20 satisfies at most stock:1; it would be enough to drop stock:1",
        ),
        (
            {"at_most": ["genus=Slavic:1"], "at_least": ["genus=Slavic:2"]},
            "to drop genus=Slavic:1 or at least genus=Slavic:2",
        ),
        ({"at_most": ["tokens:1000"]}, "no subset of size 10 .* drop tokens:1000"),
        ({"at_least": ["genus=Klingon:1"]}, "unknown genus 'Klingon'.* choices: .*Slavic"),
        ({"at_most": ["colour:1"]}, "choices: language, family"),
        ({"at_least": ["resource:stratified"]}, "stratified is not a least number"),
        ({"include": ["xx"]}, "unknown treebank 'xx'"),
        ({"include": ["en_ewt"], "exclude": ["en_ewt"]}, "both included and excluded"),
        ({"include": ["en_ewt", "cs_pdt"], "size": 1}, "2 treebanks must be included"),
        ({"include": ["sme_giella"], "at_most": "tokens:10000000"}, "tokens of sme_giella are not known"),
        ({"exclude": CONLL.treebanks[:75]}, "no subset of size 10"),
        ({"subsets": 1}, "subsets: expected a whole number of at least 2"),
    ],
)
def test_demands_that_cannot_be_met_say_why(demands, message):
    with pytest.raises(TreegaugeError, match=message):
        recommend(CONLL, **{"size": 10, "repeats": 1, "subsets": 10} | demands)


def test_too_few_systems_or_unknown_metadata_say_so():
    few = table([[1, 2, 3]] * 4)
    with pytest.raises(TreegaugeError, match="4 systems: a recommendation needs at least 6"):
        recommend(few, size=2)
    many = table(np.random.default_rng(0).integers(0, 9, (7, 5)).tolist())
    with pytest.raises(TreegaugeError, match="genus is not known for t0, t1"):
        recommend(many, size=2, at_most=["genus:1"])


def test_ties_everywhere_are_no_obstacle():
    found = recommend(table([[50, 50, 50, 50]] * 7), size=2, repeats=1, subsets=10)
    assert found.fitted == found.held_out.agreement == 1
    assert found.held_out.margin == 0


def test_few_systems_are_held_out_in_pairs_and_have_no_interval():
    few = table(np.random.default_rng(0).integers(0, 90, (6, 9)).tolist())
    found = recommend(few, size=3, repeats=1, subsets=20)
    assert (found.held_out.low, found.held_out.high, found.held_out.better) == (None, None, False)
    assert "no interval with fewer than 12 systems" in str(found)
    assert "cv:1x3" in found.signature
    assert json.dumps(found.to_dict(), allow_nan=False)


@pytest.mark.parametrize("size", [1, 9])
def test_the_smallest_and_the_largest_size(size):
    few = table(np.random.default_rng(0).integers(0, 90, (7, 9)).tolist())
    found = recommend(few, size=size, repeats=1, subsets=20)
    assert len(found.subset) == size
    if size == 9:
        assert (found.fitted, found.held_out.margin) == (1, 0)


def test_the_command_prints_all_formats():
    words = "recommend conll18 --size 6 --repeats 1 --subsets 9 --at-most stock:2".split()
    found = json.loads(invoke([*words, "--format", "json"]).stdout)
    assert found["kind"] == "recommendation"
    assert len(found["subset"]) == 6
    for fmt in ("text", "csv", "latex", "html"):
        assert invoke([*words, "--format", fmt]).exit_code == 0


@pytest.mark.parametrize(
    ("words", "message"), [("--size 0", "from 1 to 82"), ("--at-least genus:x", "constraint 'genus:x'")]
)
def test_errors_of_the_command_are_sentences(words, message):
    result = invoke(["recommend", "conll18", *words.split()])
    assert result.exit_code == 2
    assert result.stderr.startswith("error: ") and message in result.stderr
