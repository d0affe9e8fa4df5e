"""Statements of `transfer` about scores, gains of sources, and the closest source."""

from functools import cache

import numpy as np

from tools.calibrate.registry import Trials, statement
from tools.calibrate.simulated import scored, scored_pair
from treegauge.learning.weights import RatioEstimate, ratio_estimate, weigh_sources
from treegauge.testing.grammar import Grammar
from treegauge.testing.synthetic import synthetic
from treegauge.treebanks.data.columns import Treebank

SIZES = {"10 sentences": 10, "30 sentences": 30, "100 sentences": 100}
POOL = 1000


def covering(estimates: list[tuple[RatioEstimate, float]]) -> Trials:
    """Return which intervals contain their truth, and their widths."""
    limits = [(estimate.low, estimate.high, truth) for estimate, truth in estimates if estimate.low is not None]
    low, high, truth = np.array(limits, np.float64).T
    return Trials((low <= truth) & (truth <= high), high - low)


@statement(
    name="transfer-score",
    verb="transfer",
    says="LAS 52.3 (47.0 to 57.5)",
    kind="interval",
    nominal=0.95,
    cases=SIZES,
    secondary="mean width (points)",
    covers=("transfer.low", "transfer.high"),
)
def score(random: np.random.Generator, sentences: int, repetitions: int) -> Trials:
    """Sentences of log-normal length, accuracy drawn per sentence; the true score is 60."""
    drawn = (scored(random, sentences, 0.6).T for _ in range(repetitions))
    return covering([(ratio_estimate(x, w, share=True).times(100), 60.0) for x, w in drawn])


@statement(
    name="transfer-gain",
    verb="transfer",
    says="this source adds +1.2 points [0.3, 2.1]",
    kind="interval",
    nominal=0.95,
    cases=SIZES,
    secondary="mean width (points)",
    covers=("transfer.gain_low", "transfer.gain_high"),
)
def gain(random: np.random.Generator, sentences: int, repetitions: int) -> Trials:
    """Two parses of the same sentences, equally accurate: the true gain is 0."""
    estimates = []
    for _ in range(repetitions):
        first, second = scored_pair(random, sentences, 0.6)
        estimates.append((ratio_estimate(second[:, 0] - first[:, 0], first[:, 1]).times(100), 0.0))
    return covering(estimates)


@cache
def languages() -> tuple[Treebank, dict[str, Treebank], dict[str, float]]:
    """Return sentences of a target, two sources, and how far each is from all of them."""
    target = synthetic(POOL, Grammar(language=9), seed=9)
    sources = {
        "near": synthetic(1500, Grammar(language=1, order_freedom=0.3), seed=1),
        "far": synthetic(1500, Grammar(language=2, function_words=0.4), seed=2),
    }
    return target, sources, weigh_sources(target, sources, sentences=None).divergences


@statement(
    name="transfer-weights",
    verb="transfer recommend",
    says="this source is 0.21 (0.10 to 0.32) farther than the closest",
    kind="interval",
    nominal=0.95,
    cases=SIZES,
    secondary="mean width (nats)",
    covers=("source weights.low", "source weights.high", "source weights.significant"),
    repetitions=1000,
    quick=40,
)
def weights(random: np.random.Generator, sentences: int, repetitions: int) -> Trials:
    """Sentences of an invented target, drawn from 1,000; two sources. Truth: all 1,000."""
    target, sources, truth = languages()
    estimates = []
    for _ in range(repetitions):
        drawn = target.take(random.integers(POOL, size=sentences))
        first, second = weigh_sources(drawn, sources, sentences=None).sources
        if second.behind is not None:
            estimates.append((second.behind, truth[second.name] - truth[first.name]))
    return covering(estimates)
