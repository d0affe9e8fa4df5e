"""Intervals: units that could have been others, and runs that could have been."""

from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from treegauge.core.errors import TreegaugeError
from treegauge.scoring.evaluation import evaluate
from treegauge.scoring.metrics.registry import NUMBER, f1
from treegauge.scoring.settings import ScoreOptions
from treegauge.testing.synthetic import synthetic_conllu
from treegauge.treebanks.data.conllu import parse_conllu

from .perturb import perturb

SENTENCES = ScoreOptions(units="sentences")


@pytest.fixture(scope="module")
def documents():
    """Give a gold file of 15 documents with 20 sentences each, and a system's output."""
    text = synthetic_conllu(300, seed=5)
    return parse_conllu(text), parse_conllu(perturb(text, "annotation", seed=1, rate=0.2))


def las(gold, system, units="sentences", **how) -> tuple[float, float]:
    chosen = ScoreOptions(units=units, **how)
    return evaluate(gold, {"s": system}, options=chosen)["s"]["LAS"].interval


@pytest.mark.parametrize(("method", "theirs"), [("percentile", "percentile"), ("bca", "BCa")])
def test_bootstrap_intervals_agree_with_scipy(documents, method, theirs):
    scores = evaluate(*documents)
    rows = scores.systems[0].runs[0].rows.astype(float)

    def statistic(sentences):
        return f1(rows[sentences.astype(int)].sum(axis=0), ["LAS"])[0]

    expected = stats.bootstrap(
        (np.arange(len(rows)),), statistic, vectorized=False, n_resamples=2000, method=theirs,
        rng=np.random.default_rng(1),
    ).confidence_interval  # fmt: skip
    found = las(*documents, resamples=2000, interval=method)
    assert found == pytest.approx((100 * expected.low, 100 * expected.high), abs=0.6)
    assert found[0] < scores.systems[0]["LAS"].f1 < found[1]


@pytest.mark.parametrize("units", ["sentences", "documents"])
def test_student_intervals_are_the_delete_one_jackknife_on_log_odds(documents, units):
    rows = evaluate(*documents).systems[0].runs[0].rows.astype(float)
    size = 1 if units == "sentences" else 20
    c, w = (rows[:, NUMBER[name]].reshape(-1, size).sum(axis=1) for name in ("las_c", "arcs_g"))
    p, n = c.sum() / w.sum(), len(c)
    variance = (n - 1) / n * (((c.sum() - c) / (w.sum() - w) - p) ** 2).sum()
    shares = w / w.sum()
    ratios = shares**2 / (1 - shares)
    df = 1 / ((shares**2).sum() + ratios.sum() ** 2 - (ratios**2).sum())
    df = min(df, (c < w).sum() - 1)
    reach = stats.t.ppf(0.975, df) * np.sqrt(variance) / (p * (1 - p))
    odds = np.log(p / (1 - p)) + np.array([-reach, reach])
    assert las(*documents, units=units) == pytest.approx(100 / (1 + np.exp(-odds)))


def test_documents_are_the_units_where_gold_marks_them(documents):
    scores = evaluate(*documents)
    assert scores.units == "documents"
    assert "|ci:student@0.95|units:documents" in scores.signature
    (note,) = scores.notes
    assert note.startswith("warning: 95 % intervals over only 15 documents; --units sentences")
    assert note in str(scores)
    assert scores.to_dict()["units"] == "documents"
    by_sentence = evaluate(*documents, options=SENTENCES)
    assert by_sentence.notes == ("95 % intervals over 300 sentences",)
    assert by_sentence.signature.endswith("|units:sentences")
    plain = [parse_conllu("".join(line for line in one.to_bytes().decode().splitlines(True)
                                  if "newdoc" not in line)) for one in documents]  # fmt: skip
    assert evaluate(*plain).units == "sentences"
    with pytest.raises(TreegaugeError, match="gold has no '# newdoc' comment"):
        evaluate(*plain, options=ScoreOptions(units="documents"))


def test_documents_are_found_across_pieces_of_a_file(documents, tmp_path):
    paths = []
    for name, one in zip(("gold", "system"), documents, strict=True):
        paths.append(tmp_path / f"{name}.conllu")
        paths[-1].write_bytes(one.to_bytes())
    whole, pieces = evaluate(*paths), evaluate(*paths, chunk=1000)
    runs = [one.systems[0].runs[0] for one in (whole, pieces)]
    assert runs[0].starts.sum() == runs[1].starts.sum() == 15
    assert whole.systems[0]["LAS"].interval == pieces.systems[0]["LAS"].interval


@pytest.mark.parametrize(("sentences", "given"), [(1, False), (9, False), (10, True)])
def test_no_interval_of_few_units(documents, sentences, given):
    gold, system = (one[:sentences] for one in documents)
    scores = evaluate(gold, system)
    assert (scores.systems[0]["LAS"].interval is not None) == given
    unit = "sentence" if sentences == 1 else "sentences"
    said = f"no interval: {sentences} {unit}, needs at least 10"
    assert (said in str(scores)) == (not given)


def test_no_interval_of_few_documents_with_the_reason(treebanks):
    scores = evaluate(treebanks["gold"], treebanks["poor"], options=ScoreOptions(units="documents"))
    assert scores.systems[0]["LAS"].interval is None
    assert "no interval: 6 documents, needs at least 10; --units sentences" in str(scores)
    stood_in = evaluate(treebanks["gold"], treebanks["poor"])
    assert stood_in.units == "sentences"
    assert "sentences of only 6 documents (at least 10): how much documents vary is unknown" in str(stood_in)


def test_no_interval_of_a_system_without_errors_with_the_reason(documents):
    gold, _ = documents
    scores = evaluate(gold[:20], {"same": gold[:20]}, options=ScoreOptions(units="sentences"))
    assert scores.notes == ("no interval for same: fewer than 5 sentences have an error",)


def test_no_bootstrap_of_few_units_or_of_several_runs(documents):
    gold, system = documents
    assert las(gold[:199], system[:199], interval="percentile") is None
    assert las(gold[:200], system[:200], interval="percentile") is not None
    runs = evaluate(gold, {"s": [system, system, gold]}, options=ScoreOptions(interval="bca", units="sentences"))
    assert runs["s"]["LAS"].interval is None
    assert "no interval for s: bca intervals need a single run" in str(runs)


def test_no_interval_where_errors_are_in_few_units(treebanks):
    gold, poor = treebanks["gold"], treebanks["poor"]
    scores = evaluate(gold, poor, options=SENTENCES)
    system = scores.systems[0]
    assert system["Tokens"].interval is None
    assert system["LAS"].interval is not None
    perfect = evaluate(gold, gold, options=SENTENCES).systems[0]
    assert {metric.interval for metric in perfect.metrics.values()} == {None}


def test_same_seed_same_interval(documents):
    gold, poor = documents
    how = {"interval": "percentile"}
    assert las(gold, poor, seed=1, **how) == las(gold, poor, seed=1, **how)
    assert las(gold, poor, seed=1, **how) != las(gold, poor, seed=2, **how)
    assert las(gold, poor, seed=1) == las(gold, poor, seed=2)


def test_a_higher_level_is_a_wider_interval(treebanks):
    narrow = las(treebanks["gold"], treebanks["poor"], level=0.5)
    wide = las(treebanks["gold"], treebanks["poor"], level=0.99)
    assert wide[0] < narrow[0] < narrow[1] < wide[1]


def test_every_metric_has_an_interval_unless_none_are_asked_for(treebanks):
    options = ScoreOptions(enhanced=True, weights={"det": 0.5}, units="sentences")
    gold, cut = treebanks["gold"], treebanks["cut"]
    with_intervals = evaluate(gold, cut, options=options).systems[0]
    assert set(with_intervals.metrics) == set(options.metrics)
    for metric in with_intervals.metrics.values():
        low, high = metric.interval
        assert low <= metric.f1 <= high
    totals = evaluate(gold, cut, options=replace(options, resamples=0)).systems[0]
    assert {metric.interval for metric in totals.metrics.values()} == {None}
    for name, metric in totals.metrics.items():
        assert metric.correct == pytest.approx(with_intervals[name].correct)
    assert totals.runs[0].rows.shape[0] == 1


def test_equal_runs_are_one_run_with_more_counts(treebanks):
    gold, poor = treebanks["gold"], treebanks["poor"]
    one = evaluate(gold, {"s": poor}, options=SENTENCES)["s"]
    for runs in (2, 3):
        several = evaluate(gold, {"s": [poor] * runs}, options=SENTENCES)["s"]
        assert len(several.runs) == runs
        assert several["LAS"].correct == runs * one["LAS"].correct
        assert several["LAS"].f1 == pytest.approx(one["LAS"].f1)
        assert several["LAS"].interval == pytest.approx(one["LAS"].interval)


def test_an_interval_over_three_runs_covers_them(treebanks):
    gold, good, poor = (treebanks[name] for name in ("gold", "good", "poor"))
    alone = {name: evaluate(gold, {"s": treebanks[name]})["s"]["LAS"] for name in ("good", "poor")}
    scores = evaluate(gold, {"s": [good, poor, poor]}, options=SENTENCES)
    low, high = scores["s"]["LAS"].interval
    assert low < alone["poor"].f1 < alone["good"].f1 < high
    assert "s: 3 runs, random" in str(scores)
    two = evaluate(gold, {"s": [good, poor]}, options=SENTENCES)
    assert "s: 2 runs, held fixed: intervals account for other runs from 3 runs on" in str(two)
    low, high = two["s"]["LAS"].interval
    assert alone["poor"].f1 < low < high < alone["good"].f1


def test_options_out_of_range_are_refused(treebanks):
    gold = treebanks["gold"]
    with pytest.raises(TreegaugeError, match="level: expected a number between 0 and 1"):
        las(gold, gold, level=95)
    with pytest.raises(TreegaugeError, match="resamples: expected a whole number"):
        las(gold, gold, resamples=-1)
    with pytest.raises(TreegaugeError, match="choices: student, percentile, bca"):
        las(gold, gold, interval="BC")
    with pytest.raises(TreegaugeError, match="choices: auto, documents, sentences"):
        las(gold, gold, units="words")


def test_signature_tells_how_the_intervals_were_made(treebanks):
    how = ScoreOptions(resamples=50, interval="bca", level=0.9, seed=7, units="sentences")
    signature = evaluate(treebanks["gold"], treebanks["poor"], options=how).signature
    assert signature.partition("|")[2] == (
        f"tb:{treebanks['gold'].mark}|punct:yes|subtypes:no|errors:strict|ci:50xbca@0.9|units:sentences|seed:7"
    )


def test_an_empty_file_has_no_interval():
    scores = evaluate(parse_conllu(""), parse_conllu(""))
    assert scores.systems[0]["LAS"].interval is None
    assert scores.sentences == 0
