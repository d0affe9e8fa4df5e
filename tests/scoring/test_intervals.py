"""Intervals: sentences that could have been others, and runs that could have been."""

import numpy as np
import pytest
from scipy import stats

from treegauge.core.errors import TreegaugeError
from treegauge.scoring.evaluation import evaluate
from treegauge.scoring.metrics import f1
from treegauge.scoring.sentence_counts import ScoreOptions
from treegauge.scoring.settings import Resampling

from .oracle import TOTALS


def las(gold, system, **how) -> tuple[float, float]:
    return evaluate(gold, {"s": system}, resampling=Resampling(**how))["s"]["LAS"].interval


@pytest.mark.parametrize(("method", "theirs"), [("percentile", "percentile"), ("bca", "BCa")])
@pytest.mark.parametrize("system", ["poor", "cut"])
def test_intervals_agree_with_scipy(treebanks, system, method, theirs):
    scores = evaluate(treebanks["gold"], treebanks[system])
    rows = scores.systems[0].runs[0].rows.astype(float)

    def statistic(sentences):
        return f1(rows[sentences.astype(int)].sum(axis=0), ["LAS"])[0]

    expected = stats.bootstrap(
        (np.arange(len(rows)),), statistic, vectorized=False, n_resamples=2000, method=theirs,
        rng=np.random.default_rng(1),
    ).confidence_interval  # fmt: skip
    found = las(treebanks["gold"], treebanks[system], resamples=2000, interval=method)
    assert found == pytest.approx((100 * expected.low, 100 * expected.high), abs=0.6)
    assert found[0] < scores.systems[0]["LAS"].f1 < found[1]


def test_same_seed_same_interval(treebanks):
    gold, poor = treebanks["gold"], treebanks["poor"]
    assert las(gold, poor, seed=1) == las(gold, poor, seed=1)
    assert las(gold, poor, seed=1) != las(gold, poor, seed=2)


def test_a_higher_level_is_a_wider_interval(treebanks):
    narrow = las(treebanks["gold"], treebanks["poor"], level=0.5)
    wide = las(treebanks["gold"], treebanks["poor"], level=0.99)
    assert wide[0] < narrow[0] < narrow[1] < wide[1]


def test_a_perfect_system_has_no_spread(treebanks):
    for method in ("percentile", "bca"):
        assert las(treebanks["gold"], treebanks["gold"], interval=method) == (100.0, 100.0)


def test_every_metric_has_an_interval_unless_none_are_asked_for(treebanks):
    options = ScoreOptions(enhanced=True, weights={"det": 0.5})
    gold, cut = treebanks["gold"], treebanks["cut"]
    with_intervals = evaluate(gold, cut, options=options).systems[0]
    assert set(with_intervals.metrics) == set(options.metrics)
    for metric in with_intervals.metrics.values():
        low, high = metric.interval
        assert low <= metric.f1 <= high
    totals = evaluate(gold, cut, options=options, resampling=TOTALS).systems[0]
    assert {metric.interval for metric in totals.metrics.values()} == {None}
    for name, metric in totals.metrics.items():
        assert metric.correct == pytest.approx(with_intervals[name].correct)
    assert totals.runs[0].rows.shape[0] == 1


def test_equal_runs_are_one_run_with_more_counts(treebanks):
    gold, poor = treebanks["gold"], treebanks["poor"]
    one = evaluate(gold, {"s": poor})["s"]
    three = evaluate(gold, {"s": [poor, poor, poor]})["s"]
    assert len(three.runs) == 3
    assert three["LAS"].correct == 3 * one["LAS"].correct
    assert three["LAS"].f1 == pytest.approx(one["LAS"].f1)
    assert three["LAS"].interval == pytest.approx(one["LAS"].interval)


def test_an_interval_over_runs_covers_them(treebanks):
    gold, good, poor = (treebanks[name] for name in ("gold", "good", "poor"))
    alone = {name: evaluate(gold, {"s": treebanks[name]})["s"]["LAS"] for name in ("good", "poor")}
    for method in ("percentile", "bca"):
        how = Resampling(interval=method)
        both = evaluate(gold, {"s": [good, poor]}, resampling=how)["s"]["LAS"]
        assert both.f1 == pytest.approx((alone["good"].f1 + alone["poor"].f1) / 2, abs=0.1)
        assert both.interval[0] < alone["poor"].f1 < alone["good"].f1 < both.interval[1]


def test_options_out_of_range_are_refused(treebanks):
    gold = treebanks["gold"]
    with pytest.raises(TreegaugeError, match="level: expected a number between 0 and 1"):
        las(gold, gold, level=95)
    with pytest.raises(TreegaugeError, match="resamples: expected a whole number"):
        las(gold, gold, resamples=-1)
    with pytest.raises(TreegaugeError, match="choices: percentile, bca"):
        las(gold, gold, interval="BC")


def test_signature_tells_how_the_intervals_were_made(treebanks):
    how = Resampling(resamples=50, interval="bca", level=0.9, seed=7)
    signature = evaluate(treebanks["gold"], treebanks["poor"], resampling=how).signature
    assert signature.partition("|")[2] == (
        f"tb:{treebanks['gold'].mark}|punct:yes|subtypes:no|errors:strict|ci:50xbca@0.9|seed:7"
    )


def test_an_empty_file_has_no_interval():
    from treegauge.treebanks.conllu import parse_conllu

    scores = evaluate(parse_conllu(""), parse_conllu(""))
    assert scores.systems[0]["LAS"].interval is None
    assert scores.sentences == 0
