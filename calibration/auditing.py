"""What `audit` says about the distance between training and test set."""

from functools import cache

import numpy as np

from calibration.registry import Trials, statement
from treegauge.auditing.checks import check_splits
from treegauge.testing.synthetic import Grammar, synthetic
from treegauge.treebanks.columns import Treebank


@cache
def pool(length: float) -> Treebank:
    """Return invented sentences to draw from, of a mean length in words."""
    return synthetic(600, Grammar(length=length), seed=0)


def odd(random: np.random.Generator, train: Treebank, test: Treebank) -> list[bool]:
    """Return whether EDV and SLV of a split are significantly larger than in random splits."""
    seed = int(random.integers(2**32))
    findings = check_splits({"train": train, "test": test}, resamples=99, seed=seed)
    return [finding.p_value is not None and finding.p_value <= 0.05 for finding in findings]


@statement(
    name="audit-split-distance",
    verb="audit",
    says="EDV is 0.190, larger than in random splits of this size (p = 0.01)",
    kind="test",
    nominal=0.05,
    cases={"40 + 10 sentences": (40, 10), "320 + 80 sentences": (320, 80)},
    beside="power where test sentences are 5 words longer",
    covers=("audit.p_value",),
    repetitions=1000,
    quick=25,
    exact=True,  # all splits of the pooled sentences are equally likely
)
def split_distance(random: np.random.Generator, sizes: tuple[int, int], repetitions: int) -> Trials:
    """Training and test set are drawn from the same invented sentences; EDV and SLV are tested."""
    train, test = sizes
    false, found = list[bool](), list[bool]()
    for _ in range(repetitions):
        drawn = pool(15).take(random.permutation(600)[: train + test])
        false += odd(random, drawn[:train], drawn[train:])
        longer = pool(20).take(random.permutation(600)[:test])
        found += odd(random, drawn[:train], longer)
    return Trials(np.array(false), np.array(found))
