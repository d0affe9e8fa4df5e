"""Cases of rankings small enough to check by hand, and known figures of CoNLL 2018."""

import numpy as np
import pytest

from treegauge import data
from treegauge.ranking.certify import permutation, sign_test
from treegauge.ranking.claims import Claim, flip, parse_claim
from treegauge.ranking.compare import critical_difference, critical_distance, friedman
from treegauge.ranking.metadata import classes_of, hypergeometric_tail, name_key
from treegauge.ranking.pairs import differences, improvement, win_tie_loss
from treegauge.ranking.reading import read_leaderboard
from treegauge.ranking.stability.exact_win_rates import exact_ranks, subset_sums, sum_layout
from treegauge.ranking.stability.named_subsets import Constraint
from treegauge.ranking.stability.outliers import explain_outliers, extreme, over_represented
from treegauge.ranking.stability.sampler import Sampler
from treegauge.ranking.stability.win_rates import stability
from treegauge.ranking.strengths import bradley_terry, strengths


@pytest.fixture(scope="module")
def conll18():
    return read_leaderboard("conll18")


@pytest.fixture(scope="module")
def two(conll18):
    return conll18.select(systems=["TurkuNLP", "UDPipe Future"])


@pytest.fixture(scope="module")
def fragility():
    return read_leaderboard("fragility_exp1", missing="drop-treebank")


def test_tests_of_differences():
    assert sign_test(np.array([1, 2, 3, 4, -5, 0])) == 0.375
    assert permutation(np.array([1.0, 2.0, 3.0]), 1000, 0) == 0.25


def test_claims(conll18):
    assert parse_claim(conll18, "turkunlp > UDPipe Future") == Claim("TurkuNLP", "UDPipe Future")
    change = flip(conll18, "Stanford > TurkuNLP", subset=data.named_subsets()["Ma18"])
    assert (change.holds, len(change.removed), len(change.swapped)) == (True, 9, 1)


def test_critical_differences(fragility):
    assert round(friedman(fragility).statistic, 2) == 74.34
    assert critical_difference(fragility).cliques == (("gb-DM17", "tb-FG19"),)
    assert [round(critical_distance(4, 14, alpha), 2) for alpha in (0.05, 0.10)] == [1.25, 1.12]


def test_counts_of_subsets(conll18):
    # The pairs out of 1, -1 and 5 have the sums 0, 4 and 6.
    plan = sum_layout(np.array([1, -1, 5]), 2)
    row, low = plan.row(subset_sums(plan, np.uint64), 2)
    assert (low, row.tolist()) == (0, [1, 0, 0, 0, 1, 0, 1])
    board = conll18.select(systems=["HIT-SCIR", "Stanford"])
    counted = exact_ranks(board, size=10).count("HIT-SCIR", "Stanford")
    assert counted == (2128746541218, 37161324, 10496539128)
    board = conll18.select(systems=["TurkuNLP", "Stanford", "SParse"])
    rows = exact_ranks(board, size=10).table.select("system", "mean").rows()
    assert [name for name, _ in rows] == ["TurkuNLP", "Stanford", "SParse"]
    assert [mean for _, mean in rows] == pytest.approx([1.3504, 1.6495, 3.0], abs=1e-4)


def test_ranks_over_subsets(conll18):
    found = stability(conll18, size=10, subsets=20_000, seed=0).table
    assert found.select("system", "best", "worst").head(3).rows() == [
        ("HIT-SCIR", 1.0, 6.0), ("TurkuNLP", 1.0, 10.0), ("UDPipe Future", 1.0, 11.0),
    ]  # fmt: skip
    worst = extreme(conll18, "HIT-SCIR", "worst", size=10)
    assert 6 <= worst.rank <= worst.limit
    sampler = Sampler(conll18, (3,), 0, (Constraint("stock", 1),))
    assert sampler.subset(5) == sampler.subset(5)


def test_classes_of_treebanks(conll18):
    names = ("UD_Czech-PDT", "Czech PDT", "cs_pdt-ud-test")
    assert [name_key(name) for name in names] == ["czech_pdt", "czech_pdt", "cs_pdt"]
    classes = classes_of(conll18, ["genus", "resource"])
    assert (classes["genus Slavic"].sum(), classes["resource not big"].sum()) == (17, 21)
    # Six or more of 17 Slavic treebanks among 10 of 82.
    assert round(hypergeometric_tail(6, population=82, members=17, size=10), 5) == 0.00434


def test_outliers(conll18):
    # One treebank in all subsets does not make its class over-represented.
    often = np.array([90, 10, 10, 10, 10, 10, 10, 10])
    assert over_represented(often, [np.arange(8) < 4]).round(1).tolist() == [0.5]
    ranks = stability(conll18, size=10, subsets=50_000, seed=0)
    worst = explain_outliers(ranks, "Stanford", which=["worst"], search=False).sides[0]
    assert [row["class"] for row in worst.over()] == ["resource small", "resource not big"]


def test_pairs(two):
    assert win_tie_loss(two).table["UDPipe Future"].to_list() == ["50/0/32", None]
    assert round(float(improvement(two).numbers["probability"][0, 1]), 3) == 0.61
    assert differences(two).table["UDPipe Future"].to_list() == ["+0.18 ±0.91", None]


def test_strengths(conll18):
    # Two systems, won 3 to 1, and one tie more: odds of 3.5 to 1.5.
    fitted = strengths(np.array([[0, 3], [1, 0]]))
    assert np.exp(fitted[0] - fitted[1]) == pytest.approx(3.5 / 1.5)
    assert bradley_terry(conll18).table["system"][0] == "HIT-SCIR"
