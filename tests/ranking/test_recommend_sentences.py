"""Subsets of sentences: who is in them, what they estimate, and who judges them."""

import json

import numpy as np
import pytest
import scipy.stats

import treegauge as tg
from tests.commands import invoke
from treegauge.core.errors import TreegaugeError
from treegauge.ranking.recommending import sentence_judging
from treegauge.ranking.recommending.sentence_draws import (
    SentenceDraw,
    SentenceScores,
    draw_sentences,
    fit_difficulties,
    strata,
)
from treegauge.ranking.recommending.sentence_judging import Gain, gain, judge_methods
from treegauge.ranking.recommending.sentence_subsets import sentence_scores
from treegauge.testing.simulated_parser import Accuracy, simulated_parse
from treegauge.testing.synthetic import synthetic

SYSTEMS = 8


def simulated(seed=0, systems=12, sentences=400, shared=0.9, own=0.3):
    """Counts where sentences differ in difficulty, for all systems (shared) and for one (own)."""
    rng = np.random.default_rng(seed)
    gold = rng.integers(3, 40, sentences).astype(float)
    logits = rng.normal(1, 0.5, (systems, 1)) - rng.normal(0, shared, sentences)
    logits = logits + rng.normal(0, own, (systems, sentences))
    correct = rng.binomial(gold.astype(int), 1 / (1 + np.exp(-logits))).astype(float)
    return SentenceScores(correct, np.tile(gold, (systems, 1)), gold)


@pytest.fixture(scope="module")
def task(tmp_path_factory):
    """A gold file of 150 sentences and the output of eight systems."""
    home = tmp_path_factory.mktemp("task")
    text = synthetic(150, seed=4).to_bytes().decode()
    (home / "gold.conllu").write_text(text, "utf-8")
    for i in range(SYSTEMS):
        made = simulated_parse(text, Accuracy(heads=0.7 + 0.03 * i), seed=i)
        (home / f"s{i}.conllu").write_text(made, "utf-8")
    return [home / "gold.conllu", *(home / f"s{i}.conllu" for i in range(SYSTEMS))]


def test_strata_part_the_sentences_by_length_and_then_by_difficulty():
    rng = np.random.default_rng(0)
    lengths, difficulty = rng.permutation(90).astype(float), rng.random(90)
    parts = strata(lengths, difficulty, 36, rng)  # three classes of each
    assert sorted(np.concatenate(parts)) == list(range(90))
    assert [len(part) for part in parts] == [10] * 9
    for first in (0, 3, 6):
        assert lengths[np.concatenate(parts[first : first + 3])].min() == 10 * first
        for easy, hard in ((first, first + 1), (first + 1, first + 2)):
            assert difficulty[parts[easy]].max() < difficulty[parts[hard]].min()


def test_weights_give_every_stratum_its_words():
    scores = simulated()
    draw = draw_sentences(scores, 100, "stratified", np.random.default_rng(1))
    assert len(set(draw.sentences.tolist())) == 100
    total = (draw.weights * draw.gold[draw.sentences]).sum()
    assert total / draw.weights.sum() == pytest.approx(draw.gold.mean(), rel=0.03)


@pytest.mark.parametrize("method", ["stratified", "item-response", "random"])
def test_estimates_are_unbiased_for_new_systems(method):
    scores, rng = simulated(), np.random.default_rng(2)
    errors = []
    for _ in range(60):
        draw = draw_sentences(scores.of(np.arange(6)), 100, method, rng)
        cells = np.ix_(np.arange(6, 12), draw.sentences)
        made = draw.estimate(scores.correct[cells], scores.words[cells])
        errors.append((made - scores.full[6:]).mean())
    assert abs(np.mean(errors)) < 4 * np.std(errors) / np.sqrt(60) + 0.1


def test_the_model_finds_difficulties_and_is_exact_on_what_it_assumes():
    rng = np.random.default_rng(3)
    gold, true = np.full(300, 30.0), rng.normal(0, 1, 300)
    chance = 1 / (1 + np.exp(true - rng.normal(1, 0.5, (12, 1))))
    scores = SentenceScores(30 * chance, np.full((12, 300), 30.0), gold)
    found = fit_difficulties(scores)
    assert np.corrcoef(found, true)[0, 1] > 0.999
    draw = draw_sentences(scores.of(np.arange(11)), 40, "item-response", rng)
    cells = np.ix_([11], draw.sentences)
    made = draw.estimate(scores.correct[cells], scores.words[cells])
    assert made[0] == pytest.approx(scores.full[11], abs=0.3)


def test_a_perfect_system_is_estimated_as_nearly_perfect():
    scores = simulated()
    for method in ("stratified", "item-response"):
        draw = draw_sentences(scores, 100, method, np.random.default_rng(0))
        words = scores.words[:1, draw.sentences]
        assert draw.estimate(words, words)[0] > 99.5


def test_choosing_helps_if_sentences_are_hard_for_all_and_not_otherwise():
    rng = np.random.default_rng(5)
    helped = {one.method: one for one in judge_methods(simulated(), 100, 5, 10, 200, rng)}
    assert helped["stratified"].error < 0.8 * helped["random"].error
    assert helped["item-response"].error < 0.8 * helped["random"].error
    none = simulated(shared=0.0, own=0.9)
    idle = {one.method: one for one in judge_methods(none, 100, 5, 10, 200, rng)}
    assert idle["stratified"].error > 0.85 * idle["random"].error


def test_a_lower_error_without_an_interval_above_0_is_no_verdict(monkeypatch, task):
    """The verdict follows the interval, whatever the two errors are."""
    gold, *outputs = task
    ends = {
        (2.0, 40.0): "points. The error is 30 % lower (95 % interval 2 to 40 %).",
        (-5.0, 40.0): "The error is not significantly different: 30 % lower (95 % interval -5 to",
        (None, None): "Two or more repeats are needed to compare the two.",
    }
    for (low, high), sentence in ends.items():
        made = Gain(30.0, low, high)
        monkeypatch.setattr(sentence_judging, "gain", lambda *_, made=made: made)
        text = str(tg.recommend(gold, *outputs, sentences=60, repeats=2, samples=50))
        assert sentence in text
        assert ("The error is 30 % lower" in text) == (low == 2.0)
    made = Gain(-20.0, -50.0, -4.0)
    monkeypatch.setattr(sentence_judging, "gain", lambda *_: made)
    text = str(tg.recommend(gold, *outputs, sentences=60, repeats=2, samples=50))
    assert "The error is 20 % higher (95 % interval 4 to 50 %)." in text
    assert "do not rank" not in text


def test_the_gain_by_hand():
    """Two systems, two repeats; the errors of random sentences do not vary."""
    errors, chance = np.array([[1.0, 2.0], [3.0, 4.0]]), np.full((2, 2), 5.0)
    made = gain(errors, chance)
    assert made.value == pytest.approx(50)
    # Without each system: ln 3 and ln 2 of 2.5, over random ones. The jackknife's factor is 1/2.
    jackknife = (np.log(3 / 2) ** 2) / 4
    # Means of repeats are 1.5 and 3.5: variance 2; of each system's errors 2, together 4 / 2^2.
    draws = (2 - 1) / 2 / 2.5**2
    # Satterthwaite's degrees of freedom are above 1, the number of systems minus 1.
    reach = scipy.stats.t.ppf(0.975, 1) * np.sqrt(jackknife + draws)
    ends = 100 * (1 - np.exp(np.log(0.5) + reach)), 100 * (1 - np.exp(np.log(0.5) - reach))
    assert made[1:] == pytest.approx(ends)
    assert gain(errors[:1], chance).low is None, "one repeat says nothing about draws"
    assert gain(0 * errors, chance).value is None


def test_null_tables_have_a_verdict_in_few_cases():
    """No sentence is harder for all systems: the point estimate is lower in half of the tables."""
    rng, found = np.random.default_rng(0), []
    for seed in range(40):
        scores = simulated(seed, systems=6, sentences=300, shared=0.0, own=0.8)
        judged, _ = judge_methods(scores, 60, 3, 4, 100, rng, ("stratified", "random"))
        found.append((judged.gain > 0, judged.better or judged.worse))
    lower, verdicts = np.sum(found, axis=0)
    assert 10 <= lower <= 30
    assert verdicts <= 5, "at most .05 of tables; more than 5 of 40 have a probability below .02"


def test_held_out_systems_take_no_part_in_choosing():
    """Systems with reversed difficulties: a choice that saw the held-out ones would do better."""
    scores, rng = simulated(own=0.0), np.random.default_rng(6)
    one = draw_sentences(scores.of([0, 1, 2]), 50, "stratified", np.random.default_rng(0))
    changed = scores.correct.copy()
    changed[3:] = rng.permuted(changed[3:], axis=1)
    other = SentenceScores(changed, scores.words, scores.gold)
    again = draw_sentences(other.of([0, 1, 2]), 50, "stratified", np.random.default_rng(0))
    assert one.sentences.tolist() == again.sentences.tolist()


def test_counts_are_those_of_score(task):
    gold, *outputs = task
    read = tg.read_conllu(gold)
    counts, _ = sentence_scores(read, {path.stem: [path] for path in outputs}, "LAS")
    scored = tg.score(gold, *outputs, resamples=0)
    assert counts.full == pytest.approx([one["LAS"].f1 for one in scored.systems])


def test_the_subset_is_what_was_asked_for_and_predicts(task):
    gold, *outputs = task
    made = tg.recommend(gold, *outputs, sentences=60, repeats=2, samples=50)
    (one,) = made.treebanks
    assert len(one.subset) == 60
    names = tg.read_conllu(gold).metadata("sent_id")
    assert one.sent_ids == [names[i] for i in one.draw.sentences]
    output = tg.read_conllu(outputs[-1]).take(one.draw.sentences)
    full = tg.score(gold, outputs[-1], resamples=0).systems[0]["LAS"].f1
    assert abs(one.predict(output) - full) < one.expected.within
    assert made.table.height == 60
    again = tg.recommend(gold, *outputs, sentences=60, repeats=2, samples=50)
    assert again.to_json() == made.to_json()


def test_the_command_writes_sentences_tables_and_json(task, tmp_path):
    words = ["recommend", *task, "--sentences", 30, "--repeats", 1, "--samples", 50]
    assert invoke([*words, "-o", tmp_path / "subset.conllu"]).exit_code == 0
    written = (tmp_path / "subset.conllu").read_bytes()
    assert len(tg.read_conllu(tmp_path / "subset.conllu")) == 30
    assert written.endswith(b"\n\n")
    assert invoke([*words, "--format", "conllu"]).stdout.encode() == written
    assert invoke([*words, "-o", tmp_path / "subset.csv"]).exit_code == 0
    assert (tmp_path / "subset.csv").read_text().count("\n") == 31
    printed = json.loads(invoke([*words, "--format", "json"]).stdout)
    assert [row["method"] for row in printed["judged"]] == ["stratified", "item-response", "random"]
    text = invoke(words).stdout
    assert "Expected error of LAS of a new system" in text
    assert "Random sentences:" in text
    gains = [{row[name] is None for name in ("gain", "gain_low")} for row in printed["judged"]]
    assert gains == [{False, True}, {False, True}, {True}], "one repeat has no interval"


def test_treebanks_too_small_are_left_out_by_name(task, tmp_path):
    gold, *outputs = task
    for name, cut in (("aa_large-ud-test", slice(150)), ("bb_small-ud-test", slice(20))):
        (tmp_path / "gold").mkdir(exist_ok=True)
        tg.write_conllu(tg.read_conllu(gold)[cut], tmp_path / "gold" / f"{name}.conllu")
        for path in outputs:
            (tmp_path / path.stem).mkdir(exist_ok=True)
            tg.write_conllu(tg.read_conllu(path)[cut], tmp_path / path.stem / f"{name}.conllu")
    folders = [tmp_path / path.stem for path in outputs]
    words = ["recommend", tmp_path / "gold", *folders, "--sentences", 40, "--repeats", 1]
    done = invoke(words)
    assert done.exit_code == 0
    assert "bb_small-ud-test has 20 sentences, not more than 40: left out" in done.stderr
    assert "aa_large-ud-test: 40 of 150 sentences" in done.stdout


def test_what_cannot_be_done_is_refused(task):
    gold, *outputs = task
    with pytest.raises(TreegaugeError, match="5 systems; choosing sentences needs at least 6"):
        tg.recommend(gold, *outputs[:5], sentences=50)
    with pytest.raises(TreegaugeError, match="no test set has more than 150 sentences"):
        tg.recommend(gold, *outputs, sentences=150)
    with pytest.raises(TreegaugeError, match="at least 10"):
        tg.recommend(gold, *outputs, sentences=9)
    with pytest.raises(TreegaugeError, match="leave out --size"):
        tg.recommend(gold, *outputs, sentences=50, size=5)
    with pytest.raises(TreegaugeError, match="needs gold, then the output"):
        tg.recommend(gold, sentences=50)


def test_a_recommendation_of_treebanks_is_not_conllu(tmp_path):
    words = ["recommend", "conll18", "--size", 3, "--repeats", 1, "--samples", 20]
    done = invoke([*words, "-o", tmp_path / "x.conllu"])
    assert done.exit_code != 0
    assert not (tmp_path / "x.conllu").exists()


def test_sentences_without_counted_words_do_no_harm():
    scores = simulated(sentences=60)
    empty = scores.gold.copy()
    empty[:20] = 0
    some = SentenceScores(np.where(empty > 0, scores.correct, 0), np.where(empty > 0, scores.words, 0), empty)
    for method in ("stratified", "item-response"):
        draw = draw_sentences(some, 30, method, np.random.default_rng(0))
        cells = np.ix_(np.arange(12), draw.sentences)
        assert isinstance(draw, SentenceDraw)
        assert np.isfinite(draw.estimate(some.correct[cells], some.words[cells])).all()
