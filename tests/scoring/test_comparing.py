"""Paired tests between systems."""

from itertools import product

import numpy as np
import pytest

from treegauge.core.errors import ChoiceError, TreegaugeError
from treegauge.scoring.comparisons import compare, error_reduction
from treegauge.scoring.evaluation import evaluate
from treegauge.scoring.metrics import f1

from .oracle import TOTALS


@pytest.fixture(scope="module")
def scores(treebanks):
    return evaluate(treebanks["gold"], {name: treebanks[name] for name in ("gold", "good", "poor")})


@pytest.mark.parametrize("test", ["permutation", "bootstrap"])
def test_a_system_that_is_never_worse_wins(scores, test):
    rows = compare(scores, test=test, permutations=2000).pairs
    assert [(row["a"], row["b"]) for row in rows] == [
        ("gold", "good"), ("gold", "poor"), ("good", "poor"),
    ]  # fmt: skip
    for row in rows:
        assert row["difference"] > 0
        assert 0 < row["p_value"] < 0.01


@pytest.mark.parametrize("test", ["permutation", "bootstrap"])
def test_equal_systems_do_not_differ(treebanks, test):
    poor = treebanks["poor"]
    same = evaluate(treebanks["gold"], {"a": poor, "b": poor})
    (row,) = compare(same, test=test, permutations=200).pairs
    assert (row["difference"], row["p_value"], row["p_corrected"]) == (0, 1, 1)


def test_permutations_of_few_sentences_are_counted_out(treebanks):
    few = {name: treebanks[name][:8] for name in ("gold", "good", "poor")}
    small = evaluate(few["gold"], {"good": few["good"], "poor": few["poor"]})
    a, b = (one.runs[0].rows.astype(float) for one in small.systems)
    total = a.sum(axis=0) + b.sum(axis=0)

    def difference(signs):
        first = np.where(np.array(signs)[:, None], a, b).sum(axis=0)
        return f1(first, ["LAS"])[0] - f1(total - first, ["LAS"])[0]

    observed = abs(difference([True] * 8))
    everything = [abs(difference(signs)) for signs in product([True, False], repeat=8)]
    expected = np.mean([value >= observed - 1e-12 for value in everything])
    (row,) = compare(small).pairs
    assert row["p_value"] == pytest.approx(expected)


def test_holm_over_all_pairs_and_metrics(treebanks):
    names = ("good", "poor", "cut")
    three = evaluate(treebanks["gold"], {name: treebanks[name] for name in names})
    rows = compare(three, metric=["las", "UPOS"], permutations=500).pairs
    assert [row["metric"] for row in rows] == ["LAS", "UPOS"] * 3
    ordered = sorted(rows, key=lambda row: row["p_value"])
    so_far = 0.0
    for rank, row in enumerate(ordered):
        so_far = min(1.0, max(so_far, (len(rows) - rank) * row["p_value"]))
        assert row["p_corrected"] == pytest.approx(so_far)


def test_a_seed_gives_the_same_p_values(treebanks):
    two = evaluate(treebanks["gold"], {name: treebanks[name] for name in ("good", "cut")})
    first, again, other = (
        compare(two, metric="UPOS", permutations=300, seed=s).pairs for s in (1, 1, 2)
    )
    assert first == again
    assert first[0]["p_value"] == pytest.approx(other[0]["p_value"], abs=0.1)


def test_runs_are_compared_by_their_means(treebanks):
    gold, good, poor = (treebanks[name] for name in ("gold", "good", "poor"))
    scores = evaluate(gold, {"two": [good, poor], "one": [poor]})
    (row,) = compare(scores, permutations=500).pairs
    means = [evaluate(gold, {"s": run})["s"]["LAS"].f1 for run in (good, poor)]
    assert row["f1_a"] == pytest.approx(np.mean(means))
    assert row["f1_b"] == pytest.approx(means[1])
    assert row["p_value"] < 0.05


def test_error_reduction(scores):
    assert error_reduction(85, 80) == pytest.approx(25)
    assert error_reduction(70, 80) == pytest.approx(-50)
    assert error_reduction(100, 100) is None
    row = compare(scores, permutations=50).pairs[0]
    assert row["error_reduction"] == pytest.approx(100)


def test_what_cannot_be_compared(treebanks, scores):
    gold, good = treebanks["gold"], treebanks["good"]
    with pytest.raises(TreegaugeError, match="only totals were kept"):
        compare(evaluate(gold, {"a": good, "b": good}, resampling=TOTALS))
    with pytest.raises(TreegaugeError, match="at least two systems, there is 1"):
        compare(evaluate(gold, good))
    with pytest.raises(ChoiceError, match="choices: permutation, bootstrap"):
        compare(scores, test="t")
    with pytest.raises(TreegaugeError, match="ELAS was not computed"):
        compare(scores, metric="ELAS")
    with pytest.raises(ChoiceError, match="unknown metric 'LASS'"):
        compare(scores, metric="LASS")


def test_a_comparison_prints_as_a_table(scores):
    result = compare(scores, permutations=100)
    text = str(result)
    assert text.split("\n", maxsplit=1)[0].split() == [
        "metric", "a", "b", "f1_a", "f1_b", "difference", "error_reduction", "p_value",
        "p_corrected",
    ]  # fmt: skip
    assert "test:paired-permutation|m:LAS|permutations:100|seed:0|correction:holm" in text
    assert result.table.height == 3
    assert result.to_dict()["rows"][0]["a"] == "gold"
    assert result.signature.startswith(f"{scores.signature}|test:")
