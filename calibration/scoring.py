"""What `score` says about LAS and about the difference of two systems."""

import numpy as np

from calibration.registry import Trials, statement
from calibration.simulated import las, scored, scored_pair
from treegauge.statistics.bootstrap import bootstrap
from treegauge.statistics.permutation import paired_permutation


@statement(
    name="score-interval",
    verb="score",
    says="LAS 80.1 (78.4 to 81.7)",
    kind="interval",
    nominal=0.95,
    cases={"50 sentences": 50, "200 sentences": 200, "1000 sentences": 1000},
    beside="mean width (points)",
    covers=("score.*interval", "score.low", "score.high"),
    quick=200,
)
def interval_of_las(random: np.random.Generator, sentences: int, repetitions: int) -> Trials:
    """Sentences of log-normal length, accuracy drawn per sentence; the true LAS is 80."""
    low, high = np.empty(repetitions), np.empty(repetitions)
    for i in range(repetitions):
        made = bootstrap(scored(random, sentences), las, seed=i)
        low[i], high[i] = made.low[0], made.high[0]
    return Trials((low <= 80) & (high >= 80), high - low)


@statement(
    name="score-permutation-test",
    verb="score",
    says="system A is better than B (p = 0.03)",
    kind="test",
    nominal=0.05,
    cases={"10 sentences": 10, "50 sentences": 50, "200 sentences": 200},
    beside="power at +3 points",
    covers=("comparisons.p_value",),
    exact=True,  # all swaps of ten sentences are tried
)
def permutation_test(random: np.random.Generator, sentences: int, repetitions: int) -> Trials:
    """Two systems equally accurate on every sentence; for the power, one is 3 points ahead."""
    rejected = np.empty((2, repetitions), dtype=bool)
    for row, gain in enumerate((0.0, 0.03)):
        for i in range(repetitions):
            pair = scored_pair(random, sentences, gain=gain)
            rejected[row, i] = paired_permutation(*pair, las, permutations=999).p_value[0] <= 0.05
    return Trials(rejected[0], rejected[1])
