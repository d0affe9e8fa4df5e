"""Statements of `certify` about two systems over treebanks."""

from typing import Any

import numpy as np

from tools.calibrate.registry import Trials, statement
from tools.calibrate.simulated_boards import FAMILY, TABLES, board, families, first_pair, heavy
from treegauge.ranking.certify import permutation, sign_test
from treegauge.ranking.pairs import differences
from treegauge.scoring.verdicts import treebank_verdict
from treegauge.statistics.student_intervals import median_interval, signed_rank
from treegauge.statistics.units import TreebankUnits


@statement(
    name="certify-difference",
    verb="certify",
    says="mean difference +0.18 points, 95 % interval for other treebanks -0.73 to +1.09",
    kind="interval",
    nominal=0.95,
    cases=TABLES,
    secondary="mean width (points)",
    covers=("certificate.difference.*",),
    repetitions=3000,
)
def certified_difference(random: np.random.Generator, treebanks: int, repetitions: int) -> Trials:
    """As compare-differences, but treebank effects follow Student's t with 5 df."""
    codes = families(treebanks)
    low, high = np.empty((2, repetitions))
    for i in range(repetitions):
        effects = random.normal(0, FAMILY, codes.max() + 1)[codes]
        first = 70.5 + effects + random.standard_t(5, treebanks)
        estimate = differences(board(np.stack([first, np.full(treebanks, 70.0)])))
        low[i], high[i] = first_pair(estimate, "low", "high")
    return Trials((low <= 0.5) & (high >= 0.5), high - low)


@statement(
    name="certify-median",
    verb="certify",
    says="median difference +0.26 (95 % interval -0.51 to +0.96)",
    kind="interval",
    nominal=0.95,
    cases={"6 treebanks": 6, "12 treebanks": 12, "24 treebanks": 24},
    secondary="mean width (points)",
    covers=("certificate.median.*",),
    repetitions=5000,
)
def median_difference(random: np.random.Generator, treebanks: int, repetitions: int) -> Trials:
    """Skewed differences, log-normal with median 1, on few independent treebanks."""
    ends = [median_interval(random.lognormal(0, 1, treebanks)) for _ in range(repetitions)]
    low, high = np.array([end for end in ends if end is not None]).T
    return Trials((low <= 1) & (high >= 1), high - low)


@statement(
    name="certify-primary-test",
    verb="certify",
    says="Test of new treebanks: Wilcoxon signed-rank over the means of 26 genera: p = 0.03",
    kind="test",
    nominal=0.05,
    cases={"6 families": 11, "10 families": 19, "45 families": 82},
    secondary="power at 2 points",
    covers=("certificate.tests.wilcoxon_by_*",),
    exact=True,
)
def primary_test(random: np.random.Generator, treebanks: int, repetitions: int) -> Trials:
    """Equal systems, with effects of families and heavy tails within them."""
    codes = families(treebanks)
    sizes = np.bincount(codes)
    rejected = np.empty((2, repetitions), dtype=bool)
    for row, gain in enumerate((0.0, 2.0)):
        for i in range(repetitions):
            effects = random.normal(0, np.sqrt(2) * FAMILY, len(sizes))[codes]
            simulated = gain + effects + heavy(random, treebanks)
            means = np.bincount(codes, simulated) / sizes
            rejected[row, i] = signed_rank(means).p_value <= 0.05
    return Trials(rejected[0], rejected[1])


@statement(
    name="certify-verdict",
    verb="certify",
    says="On new treebanks: yes, A is better than B by 2.56 LAS points",
    kind="verdict",
    nominal=0.05,
    cases={"6 families": 11, "10 families": 19, "26 families": 49},
    secondary="power at 2 points",
    covers=("certificate.verdicts.*", "comparisons.verdicts.*", "differences.pairs.p"),
    exact=True,
    repetitions=8000,
)
def new_treebanks_verdict(random: np.random.Generator, treebanks: int, repetitions: int) -> Trials:
    """As certify-primary-test; an interval, where there is one, has to exclude 0 as well."""
    codes = families(treebanks)
    units = TreebankUnits(tuple(f"f{code}" for code in codes), ())
    named = np.empty((2, repetitions), dtype=bool)
    for row, gain in enumerate((0.0, 2.0)):
        for i in range(repetitions):
            effects = random.normal(0, np.sqrt(2) * FAMILY, codes.max() + 1)[codes]
            named[row, i] = treebank_verdict("A", "B", gain + effects + heavy(random, treebanks), units).significant
    return Trials(named[0], named[1])


TESTS: dict[str, Any] = {
    "wilcoxon": lambda made: signed_rank(made).p_value,
    "sign": sign_test,
    "permutation": lambda made: permutation(made, 999, 0),
}


@statement(
    name="certify-other-tests",
    verb="certify",
    says="Further tests, with treebanks as independent units: signed-rank p = 0.3, sign p = 0.06, "
    "permutation of the mean p = 0.61",
    kind="test",
    nominal=0.05,
    cases={f"{name}, {treebanks} treebanks": (name, treebanks) for name in TESTS for treebanks in (6, 82)},
    secondary="power at 1 point",
    covers=("certificate.tests.wilcoxon", "certificate.tests.sign", "certificate.tests.permutation"),
    exact=True,
    repetitions=1000,
)
def other_tests(random: np.random.Generator, case: tuple[str, int], repetitions: int) -> Trials:
    """Equal systems on independent treebanks, differences rounded so that some are equal or 0."""
    name, treebanks = case
    rejected = np.empty((2, repetitions), dtype=bool)
    for row, gain in enumerate((0.0, 1.0)):
        for i in range(repetitions):
            simulated = np.round(gain + heavy(random, treebanks), 1)
            rejected[row, i] = TESTS[name](simulated) <= 0.05
    return Trials(rejected[0], rejected[1])
