"""Statements of `breakdown` about two systems per class."""

from functools import cache, partial

import numpy as np
import numpy.typing as npt

from tools.calibrate.registry import Trials, statement
from tools.calibrate.scoring import kept
from tools.calibrate.simulated import CONCENTRATION, scored
from treegauge.scoring.classes.class_tests import ClassTable, class_difference, class_f1
from treegauge.statistics.multiple import adjust

test = partial(statement, verb="breakdown", kind="test", nominal=0.05)
Ints = npt.NDArray[np.int64]
#: Shares of errors that A repairs and of correct words that it breaks, to be 4 points ahead.
AHEAD = (0.3, 0.03)
#: Words of other classes that a system puts into a class, for each word of the class.
EXTRA = 0.15


def units_of(random: np.random.Generator, units: int | str, number: int) -> tuple[Ints, npt.NDArray[np.float64]]:
    """Return words of units and their accuracy: sentences, or documents of a real treebank."""
    if isinstance(units, int):
        words = scored(random, number)[:, 1]
        return words, random.beta(CONCENTRATION * 0.8, CONCENTRATION * 0.2, number)
    table = kept()[f"{units} documents"]
    drawn = table[random.integers(len(table), size=number)].astype(np.int64)
    return drawn[:, 1], drawn[:, 0] / drawn[:, 1]


def drawn_class(
    random: np.random.Generator,
    words: Ints,
    easy: npt.NDArray[np.float64],
    share: float,
    repaired: float = 0.0,
    broken: float = 0.0,
) -> ClassTable:
    """Return two systems that are equally accurate, or of which A repairs and breaks some of B."""
    own = random.binomial(words, share)
    correct = random.binomial(own, easy)
    extra = random.binomial(words - own, EXTRA * share / (1 - share))
    if repaired or broken:
        other = correct + random.binomial(own - correct, repaired) - random.binomial(correct, broken)
        more = random.binomial(extra, 1 - repaired)
    else:
        other = random.binomial(own, easy)
        more = random.binomial(words - own, EXTRA * share / (1 - share))
    b, a = (np.column_stack([right, own, right, right + wrong]) for right, wrong in ((correct, extra), (other, more)))
    some = (a[:, [1, 3]].sum(axis=1) + b[:, 3]) > 0
    return ClassTable("class", a[some], b[some])


#: Units, how many, and the share of words that are in the class.
CASES = {
    "50 sentences, 10 % of words": (1, 50, 0.10),
    "200 sentences, 1 % of words": (1, 200, 0.01),
    "200 sentences, 5 % of words": (1, 200, 0.05),
    "1000 sentences, 0.3 % of words": (1, 1000, 0.003),
    "1000 sentences, 10 % of words": (1, 1000, 0.10),
    "12 documents of Greek, 5 % of words": ("Greek", 12, 0.05),
    "20 documents of English, 2 % of words": ("English", 20, 0.02),
}


@test(
    name="score-class-test",
    says="nsubj: A - B 2.4, p = 0.03 (before correction over classes)",
    cases=CASES,
    secondary="power where A is 4 points ahead",
    covers=("breakdowns.differences.p_value",),
    quick=60,
)
def test_of_a_class(random: np.random.Generator, case: tuple[int | str, int, float], repetitions: int) -> Trials:
    """Draw the words of a class and, for each system, how many of them are correct.

    Both systems are equally accurate on every unit, and put as many words of other classes into the
    class. Samples with too few units for a test are drawn again.
    """
    units, number, share = case
    rejected: tuple[list[bool], list[bool]] = ([], [])
    for row, change in enumerate(((0.0, 0.0), AHEAD)):
        for _ in range(50 * repetitions):
            table = drawn_class(random, *units_of(random, units, number), share, *change)
            made = class_difference(table)
            if not np.isnan(made.standard_error[0]):
                rejected[row].append(bool(made.p_value()[0] <= 0.05))
            if len(rejected[row]) == repetitions:
                break
    return Trials(np.array(rejected[0]), np.array(rejected[1]))


@cache
def _true_difference(share: float) -> float:
    """Return the difference of F1 in the long run, from many sentences."""
    random = np.random.default_rng(0)
    sums = np.zeros((2, 4))
    for _ in range(40):
        table = drawn_class(random, *units_of(random, 1, 20_000), share, 0.3, 0.1)
        sums += [table.a.sum(axis=0), table.b.sum(axis=0)]
    return 100 * float(class_f1(sums[0])[0] - class_f1(sums[1])[0])


@statement(
    name="score-class-difference",
    verb="breakdown",
    says="nsubj: A - B 2.4 (0.3 to 4.5)",
    kind="interval",
    nominal=0.95,
    cases={name: case for name, case in CASES.items() if case[0] == 1},
    secondary="mean width (points)",
    covers=("breakdowns.differences.low", "breakdowns.differences.high"),
    quick=40,
)
def interval_of_a_class(random: np.random.Generator, case: tuple[int | str, int, float], repetitions: int) -> Trials:
    """Let A repair 30 % of B's errors of a class, and err in 10 % of B's correct words."""
    units, number, share = case
    truth, hits, widths = _true_difference(share), [], []
    for _ in range(50 * repetitions):
        table = drawn_class(random, *units_of(random, units, number), share, 0.3, 0.1)
        low, high = (100 * limit[0] for limit in class_difference(table).interval())
        if not np.isnan(low):
            hits.append(low <= truth <= high)
            widths.append(high - low)
        if len(hits) == repetitions:
            break
    return Trials(np.array(hits), np.array(widths))


@statement(
    name="score-class-corrected",
    verb="breakdown",
    says="A is better on nsubj (p = 0.03 after correction for 12 classes)",
    kind="verdict",
    nominal=0.05,
    cases={"50 sentences": 50, "200 sentences": 200, "1000 sentences": 1000},
    secondary="power, any class, where A is 4 points ahead",
    covers=("breakdowns.differences.p_corrected",),
    repetitions=1000,
    quick=20,
)
def corrected_tests_of_classes(random: np.random.Generator, sentences: int, repetitions: int) -> Trials:
    """Draw twelve classes with shares from 0.5 % to 20 % of the same sentences' words."""
    shares = np.geomspace(0.005, 0.2, 12)
    found = np.empty((2, repetitions), bool)
    for row, change in enumerate(((0.0, 0.0), AHEAD)):
        for i in range(repetitions):
            words, easy = units_of(random, 1, sentences)
            made = [class_difference(drawn_class(random, words, easy, share, *change)) for share in shares]
            p_values = [np.nan if np.isnan(one.standard_error[0]) else one.p_value()[0] for one in made]
            found[row, i] = bool((adjust(p_values, "holm") <= 0.05).any())
    return Trials(*found)
