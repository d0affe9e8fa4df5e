"""Simulated probabilities are calibrated, or wrong by as much as was asked for."""

import numpy as np
import pytest

from treegauge.core.errors import TreegaugeError
from treegauge.scoring.confidence import read_probabilities
from treegauge.testing.simulated_parser import Accuracy, simulated_parse, with_simulated_confidence
from treegauge.testing.synthetic import synthetic
from treegauge.treebanks.data.conllu import parse_conllu

GOLD = synthetic(300, seed=8)
PARSED = parse_conllu(simulated_parse(GOLD.to_bytes().decode(), Accuracy(heads=0.8), seed=1))


def log_odds(sharpness: float) -> np.ndarray:
    made = read_probabilities(with_simulated_confidence(PARSED, GOLD, seed=3, sharpness=sharpness))
    inside = np.clip(made.heads, 1e-4, 1 - 1e-4)
    return np.log(inside / (1 - inside))


def test_heads_are_as_likely_as_they_are_said_to_be():
    made = read_probabilities(with_simulated_confidence(PARSED, GOLD, seed=3))
    correct = PARSED.head == GOLD.head
    for low, high in ((0.0, 0.5), (0.5, 0.8), (0.8, 1.0)):
        here = (made.heads > low) & (made.heads <= high)
        expected = made.heads[here].mean()
        error = np.sqrt(expected * (1 - expected) / here.sum())
        assert correct[here].mean() == pytest.approx(expected, abs=4 * error)


def test_sharpness_multiplies_log_odds():
    plain, double = log_odds(1.0), log_odds(2.0)
    inner = np.abs(plain) < 2
    assert double[inner] == pytest.approx(2 * plain[inner], abs=0.02)


def test_all_else_stays():
    made = with_simulated_confidence(PARSED, GOLD, seed=3)
    for name in ("form", "upos", "head", "deprel", "feats"):
        assert made[name].to_list() == PARSED[name].to_list()
    assert [one.id for one in made] == [one.id for one in PARSED]


def test_other_words_are_refused():
    with pytest.raises(TreegaugeError, match="words and sentences of gold only"):
        with_simulated_confidence(PARSED[:5], GOLD, seed=1)
