"""Extreme ranks: hypergeometric tails, the paper's figures, and searches against brute force."""

from fractions import Fraction
from itertools import combinations, product
from math import ceil, comb

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from treegauge.core.errors import ChoiceError, TreegaugeError
from treegauge.ranking.leaderboard import ranks_of
from treegauge.ranking.metadata import _sum_of, classes_of, tail
from treegauge.ranking.outliers import explain_outliers, extreme
from treegauge.ranking.reading import read_leaderboard
from treegauge.ranking.stability import stability


def counted_tail(found, population, members, size):
    """Add up the terms of the hypergeometric distribution as fractions."""
    ways = sum(
        comb(members, i) * comb(population - members, size - i)
        for i in range(found, min(members, size) + 1)
    )
    return Fraction(ways, comb(population, size))


def table(values, families=None):
    frame = {"treebank": [f"t{i}" for i in range(len(values[0]))]}
    if families:
        frame["genus"] = families
    return read_leaderboard(pl.DataFrame(frame | {f"S{i}": row for i, row in enumerate(values)}))


@given(st.data())
@settings(max_examples=60, deadline=None)
def test_tails_equal_the_terms_added_up(data):
    population = data.draw(st.integers(1, 90))
    members = data.draw(st.integers(0, population))
    size = data.draw(st.integers(1, population))
    found = data.draw(st.integers(0, size))
    expected = float(counted_tail(found, population, members, size))
    got = tail(found, population=population, members=members, size=size)
    assert got == pytest.approx(expected, rel=1e-9, abs=1e-300)


@pytest.mark.parametrize(
    ("members", "found", "printed", "stated"),
    [(17, 6, 0.00043, 0.00434), (21, 6, 0.00214, 0.01538), (21, 5, 0.01538, 0.07196)],
    ids=["six Slavic", "six not big", "five not big"],
)
def test_the_papers_figures_are_tails_of_one_more(members, found, printed, stated):
    # Section 5.2 says "x or more"; what it prints is P(X > x), rounded up in the fifth decimal.
    strict = tail(found + 1, population=82, members=members, size=10)
    assert ceil(strict * 1e5) / 1e5 == printed
    assert round(tail(found, population=82, members=members, size=10), 5) == stated


def test_classes_have_the_papers_numbers():
    classes = classes_of(read_leaderboard("conll18"))
    counts = {name: int(mask.sum()) for name, mask in classes.items()}
    assert counts["genus Slavic"] == 17
    assert counts["resource not big"] == 21
    assert counts["resource low-resource"] == 9
    assert "genus Japanese" not in counts, "the same two treebanks as stock Japanese"
    assert min(counts.values()) > 1


def test_the_tail_of_several_subsets_is_that_of_all_their_combinations():
    population, members, size, subsets = 7, 3, 2, 3
    one = [Fraction(comb(3, i) * comb(4, 2 - i), comb(7, 2)) for i in range(3)]
    sums = [Fraction(0)] * (size * subsets + 1)
    for outcome in product(range(3), repeat=subsets):
        chance = Fraction(1)
        for i in outcome:
            chance *= one[i]
        sums[sum(outcome)] += chance
    for found in range(size * subsets + 1):
        got = tail(found, population=population, members=members, size=size, subsets=subsets)
        assert got == pytest.approx(float(sum(sums[found:])), rel=1e-12)


@pytest.mark.parametrize("found", [1050, 1102, 1120])
def test_the_normal_tail_is_within_a_tenth_of_the_exact_one(found):
    exact = float(_sum_of(82, 17, 10, 501)[found:].sum())
    assert 1e-3 < exact < 0.5
    got = tail(found, population=82, members=17, size=10, subsets=501)
    assert got == pytest.approx(exact, rel=0.1)


def test_stanford_and_slt_look_as_in_table_6():
    """Table 6 averages over ten subsets each; here over all that reach the extreme ranks."""
    ranks = stability(read_leaderboard("conll18"), size=10, samples=300_000, seed=0)
    found = explain_outliers(ranks, "Stanford", search=False)
    share = {side.which: {row["class"]: row["found"] for row in side.rows} for side in found.sides}
    assert share["worst"]["resource not big"] == pytest.approx(0.61, abs=0.05)
    assert share["best"]["resource not big"] == pytest.approx(0.19, abs=0.08)
    best, worst = found.sides
    assert best.mean_tokens == pytest.approx(221_030, rel=0.1)
    assert worst.mean_tokens < best.mean_tokens
    slt = explain_outliers(ranks, "SLT-Interactions", search=False)
    slavic = {
        side.which: next(row for row in side.rows if row["class"] == "genus Slavic")
        for side in slt.sides
    }
    assert slavic["best"]["corrected"] < 1e-6
    assert slavic["worst"]["corrected"] > 0.05


def test_the_subsets_give_the_ranks_they_are_said_to():
    scores = read_leaderboard("conll18")
    ranks = stability(scores, size=10, samples=20_000, seed=3)
    found = explain_outliers(ranks, "uppsala", limit=4)
    numbers, row = scores.fixed_point()[0], scores.system("Uppsala")
    for side in found.sides:
        low, high = sorted([side.rank, side.upto])
        for i, subset in enumerate(side.subsets):
            columns = [scores.treebank(code) for code in subset]
            got = ranks_of(numbers[:, columns].sum(axis=1))[row]
            assert low <= got <= high
            assert i or got == side.rank
        columns = [scores.treebank(code) for code in side.searched.subset]
        assert ranks_of(numbers[:, columns].sum(axis=1))[row] == side.searched.rank
    best, worst = (side.searched for side in found.sides)
    assert best.limit <= best.rank <= found.sides[0].rank
    assert worst.limit >= worst.rank >= found.sides[1].rank
    stated = found.to_dict()
    assert stated["signature"] == found.signature
    assert len(stated["extremes"][0]["subsets"]) == 4
    assert "Uppsala, best rank" in str(found)


@given(st.data())
@settings(max_examples=40, deadline=None)
def test_searched_extremes_are_those_of_all_subsets(data):
    treebanks, systems = data.draw(st.integers(2, 7)), data.draw(st.integers(2, 6))
    cells = st.lists(st.integers(0, 5), min_size=treebanks, max_size=treebanks)
    scores = table(data.draw(st.lists(cells, min_size=systems, max_size=systems)))
    size = data.draw(st.integers(1, treebanks))
    ties = data.draw(st.sampled_from(["average", "min", "max"]))
    numbers = scores.fixed_point()[0]
    every = [
        ranks_of(numbers[:, list(columns)].sum(axis=1), ties)[0]
        for columns in combinations(range(treebanks), size)
    ]
    for which, expected in (("best", min(every)), ("worst", max(every))):
        found = extreme(scores, "S0", which, size=size, ties=ties)
        assert (found.rank, found.exact, found.limit) == (expected, True, expected)


@pytest.mark.parametrize("ties", ["average", "min", "max"])
def test_climbing_finds_what_brute_force_finds(monkeypatch, ties):
    rng = np.random.default_rng(5)
    for _ in range(10):
        scores = table(rng.integers(0, 30, (7, 12)).tolist())
        truth = {w: extreme(scores, "S3", w, size=4, ties=ties) for w in ("best", "worst")}
        with monkeypatch.context() as patch:
            patch.setattr("treegauge.ranking.outliers._ALL", 0)
            for which, true in truth.items():
                found = extreme(scores, "S3", which, size=4, ties=ties)
                assert found.rank == true.rank
                assert found.limit <= true.rank if which == "best" else found.limit >= true.rank


def test_an_over_represented_family_is_found():
    families = ["X"] * 6 + ["Y"] * 14
    base = np.full((3, 20), 50.0)
    base[0, :6] += 20  # the first system is good at X and bad elsewhere
    base[0, 6:] -= 4
    scores = table((base + np.random.default_rng(0).normal(0, 1, base.shape)).round(2), families)
    ranks = stability(scores, size=5, samples=20_000, seed=0)
    found = explain_outliers(ranks, "S0", by=["genus"])
    best, worst = found.sides
    assert best.rows[0]["class"] == "genus X"
    assert best.rows[0]["corrected"] < 1e-9
    assert worst.rows[0]["class"] == "genus Y"
    own = explain_outliers(ranks, "S0", by=[], classes={"mine": ["t0", "t1"]}, search=False)
    assert own.table["class"].to_list() == ["mine", "mine"]


def test_bad_requests_name_the_choices():
    scores = read_leaderboard("conll18")
    ranks = stability(scores, size=10, samples=100)
    with pytest.raises(ChoiceError, match=r"choices: .*HIT-SCIR"):
        explain_outliers(ranks, "HIT")
    with pytest.raises(ChoiceError, match="choices: stock, genus"):
        explain_outliers(ranks, "HIT-SCIR", by=["colour"])
    with pytest.raises(ChoiceError, match="choices: best, worst"):
        explain_outliers(ranks, "HIT-SCIR", which=["median"])
    with pytest.raises(ChoiceError, match="choices: best, worst"):
        extreme(scores, "HIT-SCIR", "median")
    with pytest.raises(TreegaugeError, match="from 1 to 82"):
        extreme(scores, "HIT-SCIR", "best", size=83)
    with pytest.raises(TreegaugeError, match="2 sizes and 1 constraints"):
        explain_outliers(
            stability(scores, size=[5, 6], samples=10, constraints=["stock:3"]), "HIT-SCIR"
        )
    with pytest.raises(TreegaugeError, match="expected 1 or more"):
        explain_outliers(ranks, "HIT-SCIR", limit=0)
