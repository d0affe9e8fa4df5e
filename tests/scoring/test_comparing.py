"""Paired tests between systems."""

from itertools import product

import numpy as np
import pytest
from scipy import stats

from treegauge.core.errors import ChoiceError, TreegaugeError
from treegauge.ranking.design import plan_scores
from treegauge.scoring.evaluation import evaluate
from treegauge.scoring.metrics.registry import NUMBER, f1
from treegauge.scoring.paired_tests import compare_systems
from treegauge.scoring.settings import ScoreOptions
from treegauge.scoring.verdicts import error_reduction
from treegauge.statistics.student_intervals import effective_df
from treegauge.treebanks.data.columns import concat
from treegauge.treebanks.data.conllu import parse_conllu

from .oracle import TOTALS
from .perturb import perturb

SENTENCES = ScoreOptions(units="sentences")
TESTS = ("student", "permutation", "bootstrap")


def by_sentence(gold, systems):
    return evaluate(gold, systems, options=SENTENCES)


def worse(gold, seed, rate):
    """Return a treebank with errors at this rate."""
    return parse_conllu(perturb(gold.to_bytes().decode(), "annotation", seed=seed, rate=rate))


@pytest.fixture(scope="module")
def scores(treebanks):
    names = ("gold", "good", "poor")
    return by_sentence(treebanks["gold"], {name: treebanks[name] for name in names})


@pytest.mark.parametrize("test", TESTS)
def test_a_system_that_is_never_worse_wins(scores, test):
    rows = compare_systems(scores, test=test, resamples=2000).pairs
    assert [(row["a"], row["b"]) for row in rows] == [("gold", "good"), ("gold", "poor"), ("good", "poor")]
    for row in rows:
        assert row["difference"] > 0
        assert 0 < row["p_value"] < 0.01


@pytest.mark.parametrize("test", TESTS)
def test_equal_systems_do_not_differ(treebanks, test):
    poor = treebanks["poor"]
    same = by_sentence(treebanks["gold"], {"a": poor, "b": poor})
    (row,) = compare_systems(same, test=test, resamples=200).pairs
    assert (row["difference"], row["p_value"], row["p_corrected"]) == (0, 1, 1)
    assert row["low"] is row["high"] is None  # equal here says little about elsewhere


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
    (row,) = compare_systems(small, test="permutation").pairs
    assert row["p_value"] == pytest.approx(expected)
    primary = compare_systems(small)
    assert primary.pairs[0]["p_value"] is primary.pairs[0]["low"] is None
    assert "no test: 8 sentences, needs at least 10" in str(primary)
    drawn = compare_systems(small, test="bootstrap", resamples=99)
    assert drawn.pairs[0]["p_value"] is None
    assert "no test: 8 sentences, needs at least 100" in str(drawn)


def test_holm_over_all_pairs_and_metrics(treebanks):
    names = ("good", "poor", "cut")
    three = by_sentence(treebanks["gold"], {name: treebanks[name] for name in names})
    rows = compare_systems(three, metric=["las", "UPOS"]).pairs
    assert [row["metric"] for row in rows] == ["LAS", "UPOS"] * 3
    ordered = sorted(rows, key=lambda row: row["p_value"])
    so_far = 0.0
    for rank, row in enumerate(ordered):
        so_far = min(1.0, max(so_far, (len(rows) - rank) * row["p_value"]))
        assert row["p_corrected"] == pytest.approx(so_far)


def test_a_seed_gives_the_same_p_values(treebanks):
    two = evaluate(treebanks["gold"], {name: treebanks[name] for name in ("good", "cut")})
    first, again, other = (
        compare_systems(two, metric="UPOS", test="permutation", resamples=300, seed=s).pairs for s in (1, 1, 2)
    )
    assert first == again
    assert first[0]["p_value"] == pytest.approx(other[0]["p_value"], abs=0.1)


def test_runs_are_compared_by_their_means(treebanks):
    gold, good, poor = (treebanks[name] for name in ("gold", "good", "poor"))
    scores = by_sentence(gold, {"two": [good, poor], "one": [poor]})
    (row,) = compare_systems(scores).pairs
    means = [evaluate(gold, {"s": run})["s"]["LAS"].f1 for run in (good, poor)]
    assert row["f1_a"] == pytest.approx(np.mean(means))
    assert row["f1_b"] == pytest.approx(means[1])
    assert row["p_value"] < 0.05
    assert (row["runs_a"], row["runs_b"]) == (2, 1)
    assert "runs held fixed: two, one (p-values compare these outputs" in str(compare_systems(scores))


def test_three_runs_of_each_system_are_random(treebanks):
    """By hand: Welch's test of the runs' scores plus what units add beyond that."""
    gold = treebanks["gold"]
    seeds = [worse(gold, s, 0.2 + s / 99) for s in range(6)]
    scores = by_sentence(gold, {"a": seeds[:3], "b": seeds[3:]})
    found = compare_systems(scores)
    (row,) = found.pairs
    c = np.stack([run.rows[:, NUMBER["las_c"]] for one in scores.systems for run in one.runs])
    w = scores.systems[0].runs[0].rows[:, NUMBER["arcs_g"]]
    n = len(w)
    las = c.sum(axis=1) / w.sum()
    left = (c.sum(axis=1, keepdims=True) - c) / (w.sum() - w) - las[:, None]
    runs = las[:3].var(ddof=1) / 3 + las[3:].var(ddof=1) / 3
    both = (n - 1) / n * sum(left[s].var(axis=0, ddof=1).sum() / 3 for s in (slice(3), slice(3, 6)))
    units = (n - 1) / n * ((left[:3].mean(axis=0) - left[3:].mean(axis=0)) ** 2).sum()
    error = 100 * np.sqrt(runs + max(units - both, 0))
    assert row["difference"] == pytest.approx(100 * (las[:3].mean() - las[3:].mean()))
    middle, half = (row["low"] + row["high"]) / 2, (row["high"] - row["low"]) / 2
    assert middle == pytest.approx(row["difference"])
    df = (error / 100) ** 4 / (
        (las[:3].var(ddof=1) / 3) ** 2 / 2
        + (las[3:].var(ddof=1) / 3) ** 2 / 2
        + max(units - both, 0) ** 2 / effective_df(w)
    )
    assert half == pytest.approx(stats.t.ppf(0.975, df) * error)
    assert row["p_value"] == pytest.approx(2 * stats.t.sf(abs(row["difference"]) / error, df))
    assert "runs random" in str(found)
    fixed = compare_systems(scores, test="permutation", resamples=200)
    assert "secondary test: permutation" in str(fixed)
    assert "runs held fixed: a, b" in str(fixed)


def test_interval_and_primary_test_agree(scores):
    for row in compare_systems(scores, metric=["LAS", "UAS", "UPOS", "CLAS"]).pairs:
        assert (row["p_value"] < 0.05) == (row["low"] > 0 or row["high"] < 0)
        assert row["detectable"] > (row["high"] - row["low"]) / 2


def test_primary_test_is_named(scores):
    made = compare_systems(scores).to_dict()
    assert made["primary"] == {"test": "student", "reported": True, "p_value": "p_corrected"}
    assert "primary test: Student's t of the difference over 120 sentences" in made["notes"][0]
    other = compare_systems(scores, test="bootstrap", resamples=99)
    assert other.to_dict()["primary"]["reported"] is False
    assert "the primary test is --test student" in str(other)


def test_no_test_where_few_sentences_differ(treebanks):
    gold = treebanks["gold"]
    relations = gold["deprel"].to_list()
    relations[0] = relations[-1] = "dep"
    almost = gold.with_columns({"deprel": relations})
    found = compare_systems(by_sentence(gold, {"same": gold, "almost": almost}))
    assert found.pairs[0]["p_value"] is None
    assert "no test of same and almost in LAS: they differ in fewer than 5 sentences" in str(found)


def test_margins(treebanks):
    gold, good, poor = (treebanks[name] for name in ("gold", "good", "poor"))
    again = worse(gold, 8, 0.03)
    near = by_sentence(gold, {"good": good, "again": again, "poor": poor})

    def verdicts(margin):
        return [row["verdict"] for row in compare_systems(near, margin=margin).pairs]

    assert verdicts(5) == ["equivalent", "good better", "again better"]
    assert verdicts(0.01)[0] == "undecided"
    assert "equivalent within 5 points" in str(compare_systems(near, margin=5)).split("\n", maxsplit=1)[0]
    assert any("verdict" in line.split() for line in str(compare_systems(near, margin=5)).split("\n"))
    assert compare_systems(near, margin=5).signature.endswith("|margin:5")
    row = compare_systems(near, margin=5).pairs[0]
    half = (row["high"] - row["low"]) / 2
    size = abs(row["difference"])
    # not worse, but not equivalent: the margin lies between the two one-sided limits
    assert verdicts(size + 0.8 * half)[0] in {"good not worse", "again not worse", "undecided"}
    with pytest.raises(TreegaugeError, match="margin: expected a number above 0"):
        compare_systems(near, margin=0)


def test_the_best_of_many_is_corrected(treebanks, scores):
    gold = treebanks["gold"]
    many = {f"s{s}": worse(gold, s, 0.2) for s in range(5)}
    assert compare_systems(by_sentence(gold, many)).best is None  # 120 sentences
    twice = {name: concat([one] * 5) for name, one in many.items()}
    found = compare_systems(by_sentence(concat([gold] * 5), twice))
    assert found.best["f1"] == max(row["f1_a"] for row in found.pairs[-1:] + found.pairs)
    assert found.best["low"] < found.best["corrected"] < found.best["f1"]
    assert f"best of 5: {found.best['system']}, LAS" in str(found)
    assert found.to_dict()["best"] == found.best
    two = by_sentence(concat([gold] * 5), {name: twice[name] for name in ("s0", "s1")})
    assert compare_systems(two).best is None


def test_plans(treebanks):
    gold = treebanks["gold"]
    made = [worse(gold, s, 0.2) for s in range(6)]
    outputs = by_sentence(gold, {"a": made[0], "b": made[1]})
    (row,) = plan_scores(outputs, 2.0).rows
    (pair,) = compare_systems(outputs).pairs
    # the sentences needed for what is detectable now are those at hand
    (now,) = plan_scores(outputs, pair["detectable"]).rows
    assert now["needed"] == pytest.approx(now["available"], abs=2)
    assert row["needed"] > plan_scores(outputs, 4.0).rows[0]["needed"] >= 10
    assert "runs needed: unknown; give 3 or more runs" in str(plan_scores(outputs, 2.0))
    several = by_sentence(gold, {"a": made[:3], "b": made[3:]})
    rows = plan_scores(several, 1.0).rows
    assert [(one["unit"], one["given"]) for one in rows] == [
        ("sentences", "3 runs each"), ("sentences", "5 runs each"), ("sentences", "10 runs each"),
        ("runs", "120 sentences"),
    ]  # fmt: skip
    assert "no number is enough" in str(plan_scores(several, 0.01))
    with pytest.raises(TreegaugeError, match="a plan needs at least two systems"):
        plan_scores(by_sentence(gold, {"a": made[0]}), 1.0)


def test_error_reduction(scores):
    assert error_reduction(85, 80) == pytest.approx(25)
    assert error_reduction(70, 80) == pytest.approx(-50)
    assert error_reduction(100, 100) is None
    row = compare_systems(scores, resamples=50).pairs[0]
    assert row["error_reduction"] == pytest.approx(100)


def test_what_cannot_be_compared(treebanks, scores):
    gold, good = treebanks["gold"], treebanks["good"]
    with pytest.raises(TreegaugeError, match="only totals were kept"):
        compare_systems(evaluate(gold, {"a": good, "b": good}, options=TOTALS))
    with pytest.raises(TreegaugeError, match="at least two systems; got 1"):
        compare_systems(evaluate(gold, good))
    with pytest.raises(ChoiceError, match="choices: student, permutation, bootstrap"):
        compare_systems(scores, test="t")
    with pytest.raises(TreegaugeError, match="ELAS was not computed"):
        compare_systems(scores, metric="ELAS")
    with pytest.raises(ChoiceError, match="unknown metric 'LASS'"):
        compare_systems(scores, metric="LASS")


def test_a_comparison_prints_as_a_table(scores):
    result = compare_systems(scores)
    text = str(result)
    assert text.startswith("On new text from this treebank: gold is better than good by ")
    assert next(line for line in text.split("\n") if line.startswith("metric")).split() == [
        "metric", "a", "b", "difference", "interval", "error_reduction", "p_value",
        "p_corrected",
    ]  # fmt: skip
    assert "|test:paired-student|m:LAS|correction:holm" in text
    low, high = (f"{pick(row['detectable'] for row in result.pairs):.2f}" for pick in (min, max))
    assert f"smallest difference detectable with 80 % power over 120 sentences: {low} to {high} points" in text
    drawn = compare_systems(scores, test="permutation", resamples=100).signature
    assert "test:paired-permutation|m:LAS|permutations:100|seed:0|correction:holm" in drawn
    assert result.table.height == 3
    assert result.to_dict()["rows"][0]["a"] == "gold"
    assert result.signature.startswith(f"{scores.signature}|test:")
