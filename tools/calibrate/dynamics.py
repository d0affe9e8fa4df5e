"""Statements of `map` and `difficulty` about means over words."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from tools.calibrate.registry import Trials, statement
from treegauge.learning.dynamics.recording import sentence_interval

Floats = npt.NDArray[np.float64]


class Sample(NamedTuple):
    """How many sentences, of what mean length."""

    sentences: int
    words: int = 15


CASES = {
    "100 sentences of 5 words": Sample(100, 5),
    "100 sentences of 15 words": Sample(100),
    "400 sentences of 15 words": Sample(400),
}
#: Share of words that the parser is certain of: the mean of the law below.
TRUTH = 0.9


def certain(random: np.random.Generator, sample: Sample) -> tuple[npt.NDArray[np.bool_], npt.NDArray[np.int64]]:
    """Return which words the parser is certain of, more in easy sentences; and their lengths."""
    lengths = 1 + random.poisson(sample.words - 1, sample.sentences)
    easy = np.repeat(random.beta(9, 1, sample.sentences), lengths)
    return random.random(len(easy)) < easy, lengths


def covered(limits: list[tuple[float, float] | None], truth: float) -> Trials:
    """Return which intervals contain the truth, and their widths."""
    low, high = np.array(limits, np.float64).T
    return Trials((low <= truth) & (truth <= high), high - low)


@statement(
    name="vinfo-interval",
    verb="difficulty",
    says="usable information 2.31 bits per word (2.22 to 2.40)",
    kind="interval",
    nominal=0.95,
    cases=CASES,
    secondary="mean width (bits)",
    covers=("vinfo.low", "vinfo.high"),
)
def information(random: np.random.Generator, sample: Sample, repetitions: int) -> Trials:
    """Words give 3 bits on average where the parser is certain, else lose 5 (exponential)."""
    limits = []
    for _ in range(repetitions):
        sure, lengths = certain(random, sample)
        bits = np.where(sure, 3.0, -5.0) * random.exponential(1, sure.shape)
        limits.append(sentence_interval(bits, lengths))
    return covered(limits, 3 * TRUTH - 5 * (1 - TRUTH))


@statement(
    name="map-interval",
    verb="map",
    says="mean confidence 0.91 (0.90 to 0.92)",
    kind="interval",
    nominal=0.95,
    cases=CASES,
    secondary="mean width",
    covers=("map.confidence_low", "map.confidence_high"),
)
def confidence(random: np.random.Generator, sample: Sample, repetitions: int) -> Trials:
    """Probabilities of gold have mean 5/6 where the parser is certain, else 1/6 (beta)."""
    limits = []
    for _ in range(repetitions):
        sure, lengths = certain(random, sample)
        p = random.beta(5, 1, sure.shape)
        limits.append(sentence_interval(np.where(sure, p, 1 - p), lengths, share=True))
    return covered(limits, 5 / 6 * TRUTH + 1 / 6 * (1 - TRUTH))
