"""Sentences with known accuracy, for simulations."""

import numpy as np
import numpy.typing as npt

from treegauge.statistics.draws import FloatArray

Counts = npt.NDArray[np.int64]
#: How far accuracy differs between sentences: the two parameters of the beta law add up to this.
CONCENTRATION = 8


def scored(random: np.random.Generator, sentences: int, accuracy: float = 0.8) -> Counts:
    """Return correct words and words of sentences (sentences, 2).

    Lengths are log-normal (median 15 words); the accuracy of a sentence is drawn from a beta law
    with mean `accuracy`, independent of length, so the true LAS is `accuracy`.
    """
    words = np.maximum(1, random.lognormal(np.log(15), 0.6, sentences).astype(np.int64))
    own = random.beta(CONCENTRATION * accuracy, CONCENTRATION * (1 - accuracy), sentences)
    return np.column_stack([random.binomial(words, own), words])


def scored_pair(
    random: np.random.Generator, sentences: int, accuracy: float = 0.8, gain: float = 0.0
) -> tuple[Counts, Counts]:
    """Return two systems on the same sentences; the second is `gain` more accurate on average.

    Sentences that are hard for one are hard for the other.
    """
    words = scored(random, sentences)[:, 1]
    hard = random.beta(CONCENTRATION * accuracy, CONCENTRATION * (1 - accuracy), sentences)
    correct = random.binomial(words, hard)
    other = random.binomial(words, np.clip(hard + gain, 0, 1))
    return np.column_stack([correct, words]), np.column_stack([other, words])


def las(sums: FloatArray) -> FloatArray:
    """Return LAS in percent from sums of correct words and of all words."""
    return np.asarray(100 * sums[..., [0]] / sums[..., [1]])
