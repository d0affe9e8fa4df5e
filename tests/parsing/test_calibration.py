"""Calibration: probabilities match shares of correct words, and survive files."""

import json
from itertools import pairwise

import numpy as np
import pytest

from treegauge.core.errors import TreegaugeError
from treegauge.parsing.base import load_archive
from treegauge.parsing.probabilities.fit_confidence import ModelCalibration, fit_calibration, uncalibrated
from treegauge.parsing.probabilities.held_out import calibrate_model, load_calibration, save_calibration
from treegauge.parsing.probabilities.probability_maps import (
    FEATURES,
    NUMBER,
    ProbabilityMap,
    fitted_map,
    isotonic_knots,
    logit,
    power_map,
)
from treegauge.parsing.probabilities.training_text import SeenTags, TrainingText
from treegauge.parsing.registry import find_parser, load_model, make_parser
from treegauge.parsing.train import train
from treegauge.testing.synthetic import synthetic
from treegauge.treebanks.data.conllu import parse_conllu

TRAIN, DEV = synthetic(60, seed=1), synthetic(60, seed=2)
OPTIONS = {"epochs": 2, "bits": 14, "label_bits": 10}


@pytest.fixture(scope="module")
def model():
    return make_parser("mst", **OPTIONS).fit(TRAIN, seed=0)


def test_an_overconfident_parser_is_corrected():
    """Log-odds twice as large as they should be are halved."""
    random = np.random.default_rng(0)
    true = random.beta(4, 1.5, 20000)
    right = random.random(20000) < true
    claimed = 1 / (1 + np.exp(-2 * logit(true)))
    mapped = ProbabilityMap(1.0, (), *isotonic_knots(logit(claimed), right))(claimed)
    assert np.abs(claimed - true).mean() > 0.05
    assert np.abs(mapped - true).mean() < 0.02


def test_the_map_is_monotone_and_ends_below_its_first_knot():
    random = np.random.default_rng(1)
    values = np.round(random.normal(2, 2, 3000), 1)  # many are equal
    mapped = ProbabilityMap(1.0, (), *isotonic_knots(values, random.random(3000) < 0.7))
    grid = mapped(np.linspace(0, 1, 500))
    assert (np.diff(grid) >= -1e-12).all()
    assert grid[0] < 1e-3
    assert grid[-1] <= 1


def test_a_fitted_map_lies_halfway_between_two_regressions():
    random = np.random.default_rng(3)
    features = np.zeros((6000, len(FEATURES)))
    features[:, NUMBER["head"]] = odds = random.normal(1, 2, 6000)
    right = random.random(6000) < np.clip(0.5 + odds / 8, 0, 1)  # not logistic
    made = fitted_map(1.0, features, right, np.eye(len(FEATURES))[NUMBER["head"]])
    values = features @ np.array(made.weights)
    logits, shares = isotonic_knots(values, right)
    assert made.logits == logits
    expected = (np.array(shares) + 1 / (1 + np.exp(-np.array(logits)))) / 2
    np.testing.assert_allclose(made.probabilities, expected, atol=1e-6)


def test_few_words_are_not_mapped():
    assert isotonic_knots(np.arange(1200.0), np.ones(1200, bool)) == ([], [])
    assert len(isotonic_knots(np.arange(1250.0), np.ones(1250, bool))[0]) == 5
    assert isotonic_knots(np.zeros(5000), np.ones(5000, bool)) == ([], [])
    assert ProbabilityMap()([0.25, 1.0]).tolist() == [0.25, 1.0]


def test_a_feature_that_the_share_does_not_show_is_learned():
    """Words that were seen are correct more often than the parser's own share says."""
    random = np.random.default_rng(3)
    features = np.zeros((20000, len(FEATURES)))
    features[:, 0] = 1
    features[:, NUMBER["head"]] = odds = random.normal(1, 1, 20000)
    features[:, NUMBER["seen word"]] = seen = random.random(20000) < 0.5
    true = 1 / (1 + np.exp(-(odds + 2 * seen - 1)))
    right = random.random(20000) < true
    start = np.eye(len(FEATURES))[NUMBER["head"]]
    made = fitted_map(1.0, features, right, start)
    assert np.abs(made(1 / (1 + np.exp(-odds)), features) - true).mean() < 0.02
    few = fitted_map(1.0, features[:3], right[:3], start)
    assert np.abs(np.array(few.weights) - start).max() < 1


@pytest.mark.parametrize(("exponent", "factor"), [(1.0, 0.0), (0.7, 0.3), (1.3, -0.5)])
def test_the_map_of_trees_is_recovered(exponent, factor):
    random = np.random.default_rng(2)
    logs = -random.gamma(1, 4, 20000)
    right = random.random(20000) < np.exp(-np.exp(factor) * (-logs) ** exponent)
    assert power_map(logs, right) == pytest.approx((exponent, factor), abs=0.06)


@pytest.mark.parametrize("right", [True, False])
def test_trees_that_are_all_alike(right):
    exponent, factor = power_map(-np.linspace(0.1, 9, 50), np.full(50, right))
    made = ModelCalibration("local", tree=(exponent, factor)).tree_probability([-5.0, 0.0])
    assert (made[0] > 0.5) == right
    assert np.isfinite(made).all()
    assert made[1] > 0.9


def test_calibration_of_parsers_lowers_the_log_loss(model):
    fitted = fit_calibration(model, DEV, "dev")
    assert (fitted.way, uncalibrated(model).way) == ("projective", "projective")
    assert len(fitted.heads.weights) == len(FEATURES)
    assert fitted.relations.temperature != 1
    again = ModelCalibration.from_dict(json.loads(json.dumps(fitted.to_dict())))
    features = np.random.default_rng(0).normal(size=(9, len(FEATURES)))
    shares = np.linspace(0, 1, 9)
    np.testing.assert_array_equal(again.heads(shares, features), fitted.heads(shares, features))
    assert (again.tree, again.text, again.fitted_on) == (fitted.tree, None, "dev")


@pytest.mark.parametrize(
    "change",
    [
        {"way": "else"}, {"heads": {}}, {"tree": [1.0]}, {"tree": "ab"},
        {"relations": {"temperature": 0, "weights": [], "logits": [], "probabilities": []}},
        {"heads": {"temperature": 1, "weights": [], "logits": [2, 1], "probabilities": [0.1, 0.2]}},
        {"heads": {"temperature": 1, "weights": [], "logits": [1], "probabilities": []}},
        {"heads": {"temperature": 1, "weights": [1.0], "logits": [], "probabilities": []}},
        {"text": {"words": {"words": "???", "pairs": ""}}}, {"text": {"words": {"words": "!"}}},
        {"text": {**TrainingText.of(TRAIN).to_dict(), "tags": {"tags": [], "relations": []}}},
        {"text": {**TrainingText.of(TRAIN).to_dict(),
                  "tags": {**SeenTags.of(TRAIN).to_dict(), "arcs": [[10**30], [1]]}}},
    ],
)  # fmt: skip
def test_a_damaged_calibration(change):
    sound = ModelCalibration("local").to_dict()
    assert ModelCalibration.from_dict(sound).tree is None
    with pytest.raises(TreegaugeError, match=r"calibration is damaged.*train it again"):
        ModelCalibration.from_dict({**sound, **change})


def test_models_keep_it_in_their_files(model, tmp_path):
    path = tmp_path / "m"
    model.save(path)
    assert load_calibration(path) is None
    before = load_archive(path)
    fitted = fit_calibration(model, DEV, "dev")
    save_calibration(path, fitted)
    data = path.read_bytes()
    assert json.dumps(load_calibration(path).to_dict()) == json.dumps(fitted.to_dict())
    header, arrays = load_archive(path)
    assert header == before[0]
    assert set(arrays) == set(before[1])
    assert load_model(path).parse(DEV) == model.parse(DEV)
    model.save(path)
    save_calibration(path, fitted)
    assert path.read_bytes() == data


def calibrated(source, parser, *, dev=None):
    return calibrate_model(source, parser, parser.fit(TRAIN, seed=0), TRAIN, dev, 0)


def test_a_model_keeps_the_words_that_it_has_seen(model):
    fitted = fit_calibration(model, DEV, "dev", train=TRAIN)
    again = ModelCalibration.from_dict(json.loads(json.dumps(fitted.to_dict())))
    words = fitted.text.words
    np.testing.assert_array_equal(again.text.words.shares(DEV), words.shares(DEV))
    assert (again.text.words.shares(TRAIN) == 1).all()
    seen, forms = words.shares(DEV), set(TRAIN["form"])
    assert seen[:, 0].tolist() == [float(form in forms) for form in DEV["form"]]
    pairs = {pair for own in TRAIN for pair in neighbours(own)}
    shares = [
        (both[word] + both[word + 1]) / 2
        for own in DEV
        for both in [[pair in pairs for pair in neighbours(own)]]
        for word in range(len(both) - 1)
    ]
    assert seen[:, 1].tolist() == shares


def neighbours(sentence):
    """Return pairs of neighbouring words, with an empty one at either end."""
    return list(pairwise(["", *sentence.form, ""]))


@pytest.mark.parametrize(("words", "warns"), [(199, True), (200, False)])
def test_few_words_are_warned_of(words, warns, caplog):
    parser = make_parser("mst", **{**OPTIONS, "epochs": 1})
    dev = parse_conllu("1\tGo\t_\tVERB\t_\t_\t0\troot\t_\t_\n\n" * words)
    with caplog.at_level("INFO", "treegauge"):
        assert calibrated("dev", parser, dev=dev) is not None
    assert ("calibrated on only 199 words" in caplog.text) == warns


def test_folds_of_the_training_set():
    parser = make_parser("mst", **{**OPTIONS, "epochs": 1})
    fitted = calibrated("folds", parser)
    assert fitted.fitted_on.startswith("5 of 5 folds of the training set #")
    assert (fitted.text.words.shares(TRAIN) == 1).all()


def test_folds_and_the_dev_set():
    parser = make_parser("mst", **{**OPTIONS, "epochs": 1})
    both, dev, folds = (calibrated(source, parser, dev=DEV) for source in ("both", "dev", "folds"))
    assert both.fitted_on == f"{dev.fitted_on} and {folds.fitted_on}"
    assert both.heads.weights not in (dev.heads.weights, folds.heads.weights)
    alone = calibrated("both", parser)
    assert alone.heads == folds.heads


@pytest.mark.parametrize(
    ("parser", "sentences", "message"),
    [
        ("mst", 4, "has 4 sentences; calibration on folds needs 5"),
        ("baseline", 40, "baseline gives no probabilities to calibrate"),
    ],
)
def test_folds_that_must_fail_are_refused_before_training(parser, sentences, message, tmp_path, monkeypatch):
    entry = find_parser(parser)
    monkeypatch.setattr(f"{entry.home}.{entry.parser}.fit", None)
    with pytest.raises(TreegaugeError, match=message):
        train(parser, TRAIN[:sentences], out=tmp_path / "m", calibrate="folds")


def test_training_says_what_folds_cost_and_signs_them(tmp_path, caplog):
    options = {**OPTIONS, "epochs": 1}
    with caplog.at_level("INFO", "treegauge"):
        made = train("mst", TRAIN[:20], out=tmp_path / "m", calibrate="folds", option=options)
    cost = "calibration trains {} more models, on four fifths of the training set each"
    assert cost.format(5) in caplog.messages
    assert made.signature.endswith("|calibrate:folds")
    with caplog.at_level("INFO", "treegauge"):
        train("mst", TRAIN[:10], out=tmp_path / "m", calibrate="both", option=options)
    assert caplog.messages.count(cost.format(5)) == 2
    (few,) = (said for said in caplog.messages if "calibrated on only" in said)
    assert few.endswith("expected 200 or more")


def test_nothing_to_calibrate_on():
    parser = make_parser("mst", **{**OPTIONS, "epochs": 1})
    assert calibrated("dev", parser) is None
    assert calibrated("none", parser, dev=DEV) is None
    assert calibrated("dev", parser, dev=DEV).fitted_on.endswith("60 sentences")


def test_a_model_without_probabilities():
    parser = make_parser("baseline")
    assert calibrated("dev", parser, dev=DEV) is None
