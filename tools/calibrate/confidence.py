"""Statements of `breakdown --calibration` about the expected calibration error."""

import numpy as np
import numpy.typing as npt

from tools.calibrate.registry import Trials, statement
from treegauge.statistics.probabilities import consistency_test

Case = tuple[npt.NDArray[np.float64], npt.NDArray[np.bool_], npt.NDArray[np.int64]]
#: Draws of the test in the simulation; commands use more.
DRAWS = 199


def drawn(random: np.random.Generator, units: int, size: int, accuracy: float, shared: float, *, trees: bool) -> Case:
    """Return probabilities, outcomes and units: sentences, or documents of `size` sentences."""
    from scipy.special import ndtr

    sentences = units * size
    words = np.maximum(1, random.lognormal(np.log(15), 0.6, sentences).astype(np.int64))
    sentence = np.repeat(np.arange(sentences), 1 if trees else words)
    probabilities = random.beta(4 * accuracy, 4 * (1 - accuracy), len(sentence)).round(4)
    hard = random.normal(size=sentences)[sentence]
    word_effects = random.normal(size=len(sentence))
    level = ndtr(np.sqrt(shared) * hard + np.sqrt(1 - shared) * word_effects)
    return probabilities, level < probabilities, sentence // size


def sharpened(case: Case, by: float) -> Case:
    """Return the same with overconfident probabilities: log odds times a number."""
    inside = np.clip(case[0], 1e-6, 1 - 1e-6)
    return 1 / (1 + ((1 - inside) / inside) ** by), *case[1:]


@statement(
    name="score-calibration-test",
    verb="breakdown --calibration",
    says="ece 0.031, by chance 0.012, p = 0.001: the probabilities are not calibrated",
    kind="test",
    nominal=0.05,
    cases={
        "20 sentences, 85 % correct": (20, 1, 0.85, 0.3, False),
        "20 trees, 30 % correct": (20, 1, 0.30, 0.3, True),
        "20 documents of 15 sentences": (20, 15, 0.85, 0.3, False),
        "200 sentences, 96 % correct": (200, 1, 0.96, 0.3, False),
        "200 sentences, independent words": (200, 1, 0.85, 0.0, False),
        "1000 sentences, 85 % correct": (1000, 1, 0.85, 0.3, False),
        "500 trees, 30 % correct": (500, 1, 0.30, 0.3, True),
    },
    secondary="power where log odds are 1.5 times too large",
    covers=("calibration.p_value",),
    quick=20,
)
def test_of_calibration(
    random: np.random.Generator, case: tuple[int, int, float, float, bool], repetitions: int
) -> Trials:
    """Draw calibrated probabilities (beta distributed), and outcomes of dependent words.

    Every word is correct with its own probability; within a sentence, words are correlated by a
    Gaussian copula (0.3, or 0), as errors cluster. For trees, each sentence is one case.
    """
    units, size, accuracy, shared, trees = case
    rejected = np.empty((2, repetitions), bool)
    for i in range(repetitions):
        for row, by in enumerate((1.0, 1.5)):
            made = drawn(random, units, size, accuracy, shared, trees=trees)
            made = made if by == 1 else sharpened(made, by)
            seed = int(random.integers(2**31))
            rejected[row, i] = consistency_test(*made, seed=seed, draws=DRAWS).p_value <= 0.05
    return Trials(*rejected)
