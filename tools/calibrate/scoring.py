"""Statements of `score` about scores and differences of systems on one test set."""

from collections.abc import Callable
from functools import cache, partial

import numpy as np
import numpy.typing as npt

from tools.calibrate.counts import DATA
from tools.calibrate.registry import Trials, statement
from tools.calibrate.simulated import CONCENTRATION, Counts, scored, scored_pair
from treegauge.scoring.certainty import UnitCounts, difference, estimate, intervals, score_covariance
from treegauge.scoring.metrics.las_counts import SentenceCounts
from treegauge.scoring.metrics.registry import COLUMNS, NUMBER
from treegauge.scoring.paired_tests import PairedTest, drawn_p_values, sureness
from treegauge.scoring.settings import ScoreOptions
from treegauge.scoring.subsets import UnpairedDifference, unpaired_difference
from treegauge.statistics.multiple import adjust
from treegauge.statistics.planning import best_of
from treegauge.statistics.student_intervals import StudentEstimate, effective_df

interval = partial(statement, verb="score", kind="interval", nominal=0.95)
test = partial(statement, verb="score", kind="test", nominal=0.05)
verdict = partial(statement, verb="score", kind="verdict", nominal=0.05)
Draw = Callable[[np.random.Generator], UnitCounts]
WIDTH = "mean width (points)"


def counted(*runs: npt.NDArray[np.integer]) -> UnitCounts:
    """Return counts as in `score`: correct words and words of units, for each run."""
    runs_of_counts = []
    for run in runs:
        rows = np.zeros((len(run), len(COLUMNS)), np.int32)
        rows[:, NUMBER["las_c"]] = run[:, 0]
        for name in ("arcs_g", "arcs_s", "words_g"):
            rows[:, NUMBER[name]] = run[:, 1]
        runs_of_counts.append(SentenceCounts(rows, len(run)))
    return UnitCounts(runs_of_counts, ["LAS"], "sentences")


def covered(random: np.random.Generator, truth: float, repetitions: int, draw: Draw, how: ScoreOptions) -> Trials:
    """Draw until there are enough intervals; samples without one are ignored."""
    hits, widths = [], []
    for _ in range(20 * repetitions):
        (limits,) = intervals(draw(random), how)
        if limits is not None:
            hits.append(limits[0] <= truth <= limits[1])
            widths.append(limits[1] - limits[0])
        if len(hits) == repetitions:
            break
    return Trials(np.array(hits), np.array(widths))


@interval(
    name="score-interval",
    says="LAS 80.1 (78.4 to 81.7)",
    cases={"10 sentences": 10, "50 sentences": 50, "200 sentences": 200, "1000 sentences": 1000},
    secondary=WIDTH,
    covers=("score.*interval", "score.low", "score.high", "suite.treebanks.*interval", "agreement-scores.score_*"),
    quick=200,
)
def interval_of_las(random: np.random.Generator, sentences: int, repetitions: int) -> Trials:
    """Sentences of log-normal length, accuracy drawn per sentence; the true LAS is 80."""
    return covered(random, 80.0, repetitions, lambda r: counted(scored(r, sentences)), ScoreOptions())


@interval(
    name="score-interval-few-errors",
    says="UPOS 97.0 (95.9 to 97.8)",
    cases={"50 sentences": 50, "200 sentences": 200, "1000 sentences": 1000},
    secondary=WIDTH,
    covers=("score.*interval",),
    quick=200,
)
def interval_of_high_scores(random: np.random.Generator, sentences: int, repetitions: int) -> Trials:
    """Draw sentences with an accuracy of 97: most have no error, and some have many.

    Samples in which fewer than five sentences have an error get no interval and are drawn again.
    """
    return covered(random, 97.0, repetitions, lambda r: counted(scored(r, sentences, 0.97)), ScoreOptions())


@interval(
    name="score-interval-bootstrap",
    says="LAS 80.1 (78.4 to 81.7), with --interval percentile or bca",
    cases={"percentile, 200 sentences": ("percentile", 200), "bca, 200 sentences": ("bca", 200)},
    secondary=WIDTH,
    covers=("score.*interval",),
    repetitions=1000,
)
def bootstrap_interval(random: np.random.Generator, case: tuple[str, int], repetitions: int) -> Trials:
    """Sentences as for the default interval; the true LAS is 80."""
    how = ScoreOptions(interval=case[0])  # type: ignore[arg-type]
    return covered(random, 80.0, repetitions, lambda r: counted(scored(r, case[1])), how)


@cache
def kept() -> dict[str, npt.NDArray[np.int32]]:
    """Return the counts of real parses (see :mod:`calibration.counts`)."""
    with np.load(DATA) as archive:
        return {name: archive[name] for name in archive.files}


@interval(
    name="score-interval-documents",
    says="LAS 80.1 (78.4 to 81.7), over 26 documents",
    cases={
        f"{language}, {number} documents": (f"{language} documents", number)
        for number in (10, 20)
        for language in ("Greek", "English", "Coptic", "Wolof", "Estonian")
    },
    secondary=WIDTH,
    covers=("score.*interval",),
    quick=200,
    fails={"Estonian, 10 documents": "one of 24 documents is large and has a low LAS"},
)
def interval_over_documents(random: np.random.Generator, case: tuple[str, int], repetitions: int) -> Trials:
    """Documents drawn with replacement from those of a treebank, parsed by the beam parser."""
    table = kept()[case[0]]
    truth = 100 * table[:, 0].sum() / table[:, 1].sum()

    def draw(random: np.random.Generator) -> UnitCounts:
        return counted(table[random.integers(len(table), size=case[1])])

    return covered(random, truth, repetitions, draw, ScoreOptions())


def seeded(
    random: np.random.Generator, systems: int, runs: int, sentences: int, spread: float = 0.01
) -> list[list[Counts]]:
    """Return runs of parsers that do not differ: seeds shift accuracy, also sentence by sentence.

    The standard deviation of a seed's own accuracy is `spread`.
    """
    words = scored(random, sentences)[:, 1]
    hard = random.beta(CONCENTRATION * 0.8, CONCENTRATION * 0.2, sentences)
    simulated = []
    for _ in range(systems):
        shifts = spread * random.normal(size=(runs, 1))
        shifts = shifts + 0.1 * random.normal(size=(runs, sentences)) * hard * (1 - hard)
        odds = np.log(hard / (1 - hard)) + shifts / 0.14
        correct = random.binomial(words, 1 / (1 + np.exp(-odds)))
        simulated.append([np.column_stack([row, words]) for row in correct])
    return simulated


@interval(
    name="score-interval-runs",
    says="LAS 80.1 (78.4 to 81.7), 3 runs, random",
    cases={"3 runs, 50 sentences": (3, 50), "3 runs, 400": (3, 400), "10 runs, 400": (10, 400)},
    secondary=WIDTH,
    covers=("score.*interval",),
    quick=60,
)
def interval_over_runs(random: np.random.Generator, case: tuple[int, int], repetitions: int) -> Trials:
    """Shift the accuracy by run, of all sentences (sd about 1 point) and of each sentence."""
    truth = 100 * _mean_accuracy()

    def draw(random: np.random.Generator) -> UnitCounts:
        return counted(*seeded(random, 1, *case)[0])

    return covered(random, truth, repetitions, draw, ScoreOptions())


@cache
def _mean_accuracy() -> float:
    """Return the true accuracy of :func:`seeded`, from many sentences and runs."""
    random = np.random.default_rng(0)
    tables = [np.array(seeded(random, 1, 10, 20_000)[0]) for _ in range(20)]
    sums = np.sum([table.sum(axis=(0, 1)) for table in tables], axis=0)
    return float(sums[0] / sums[1])


@test(
    name="score-primary-test",
    says="A - B: p = 0.03 (Student's t, one run per system)",
    cases={"10 sentences": 10, "50 sentences": 50, "200 sentences": 200},
    secondary="power at +3 points",
    covers=("comparisons.p_value", "comparisons.primary.p_value"),
)
def primary_test(random: np.random.Generator, sentences: int, repetitions: int) -> Trials:
    """Two systems equally accurate on every sentence; for the power, one is 3 points ahead."""
    rejected = np.empty((2, repetitions), bool)
    for row, gain in enumerate((0.0, 0.03)):
        for i in range(repetitions):
            a, b = scored_pair(random, sentences, gain=gain)
            rejected[row, i] = difference(counted(a), counted(b)).p_value()[0] <= 0.05
    return Trials(*rejected)


@test(
    name="score-primary-test-runs",
    says="A - B: p = 0.03 (Student's t, three runs of each system)",
    cases={
        "3 runs, 50 sentences": (3, 50, 0.01),
        "3 runs, 400 sentences": (3, 400, 0.01),
        "3 runs, seeds alike": (3, 400, 0.0),
        "5 runs, 400 sentences": (5, 400, 0.01),
    },
    secondary="power at +3 points",
    covers=("comparisons.p_value",),
    quick=60,
)
def primary_test_of_runs(random: np.random.Generator, case: tuple[int, int, float], repetitions: int) -> Trials:
    """Two parsers that differ by their seeds only; for the power, one is 3 points ahead."""
    runs, sentences, spread = case
    rejected = np.empty((2, repetitions), bool)
    for i in range(repetitions):
        a, b = seeded(random, 2, runs, sentences, spread)
        rejected[0, i] = difference(counted(*a), counted(*b)).p_value()[0] <= 0.05
        better = [_improved(random, run, 0.03) for run in a]
        rejected[1, i] = difference(counted(*better), counted(*b)).p_value()[0] <= 0.05
    return Trials(*rejected)


def _improved(random: np.random.Generator, run: Counts, gain: float) -> Counts:
    """Correct errors so that the score rises by `gain` on average."""
    wrong = run[:, 1] - run[:, 0]
    mended = random.binomial(wrong, min(1.0, gain * run[:, 1].sum() / wrong.sum()))
    return np.column_stack([run[:, 0] + mended, run[:, 1]])


@test(
    name="score-seeds",
    says="a parser does not differ from itself trained with other seeds",
    cases={"3 against 3 seeds": 3, "5 against 5 seeds": 5},
    secondary="power at +1 point",
    covers=("comparisons.p_value",),
)
def one_parser_against_itself(random: np.random.Generator, runs: int, repetitions: int) -> Trials:
    """Seeds drawn from 36 beam parsers of Greek GDT, and sentences of its test set."""
    table = kept()["Greek seeds"]
    words, correct = table[:, 0], table[:, 1:]
    rejected = np.empty((2, repetitions), bool)
    for i in range(repetitions):
        drawn = random.permutation(correct.shape[1])[: 2 * runs]
        rows = random.integers(len(words), size=len(words))
        samples = [np.column_stack([correct[rows, seed], words[rows]]) for seed in drawn]
        a, b = samples[:runs], samples[runs:]
        rejected[0, i] = difference(counted(*a), counted(*b)).p_value()[0] <= 0.05
        better = [_improved(random, run, 0.01) for run in a]
        rejected[1, i] = difference(counted(*better), counted(*b)).p_value()[0] <= 0.05
    return Trials(*rejected)


def halves(random: np.random.Generator, sizes: tuple[int, int], gain: float = 0.0) -> UnpairedDifference:
    """Compare two parts of a test set with the same accuracy, or one with `gain` more."""
    one, other = (counted(scored(random, size, 0.8 + more)) for size, more in zip(sizes, (gain, 0.0), strict=True))
    return unpaired_difference(estimate(one), estimate(other))


HALVES = {"20 and 200 sentences": (20, 200), "50 and 50": (50, 50), "100 and 800": (100, 800)}


@test(
    name="score-fresh",
    says="fresh 78.2, old 82.3, p = 0.03",
    cases=HALVES,
    secondary="power at +3 points",
    covers=("fresh.p_value",),
)
def test_of_fresh_sentences(random: np.random.Generator, sizes: tuple[int, int], repetitions: int) -> Trials:
    """Two parts with the same accuracy, drawn per sentence; for the power, one is 3 points ahead."""
    rejected = np.empty((2, repetitions), bool)
    for row, gain in enumerate((0.0, 0.03)):
        for i in range(repetitions):
            rejected[row, i] = halves(random, sizes, gain).p_value <= 0.05
    return Trials(*rejected)


@interval(
    name="score-fresh-difference",
    says="fresh - old -4.1 (-7.9 to -0.3)",
    cases=HALVES,
    secondary=WIDTH,
    covers=("fresh.low", "fresh.high"),
    quick=200,
)
def interval_of_fresh_sentences(random: np.random.Generator, sizes: tuple[int, int], repetitions: int) -> Trials:
    """Two parts with the same accuracy, drawn per sentence: the true difference is 0."""
    limits = 100 * np.array([halves(random, sizes)[:2] for _ in range(repetitions)])
    low, high = limits[~np.isnan(limits[:, 0])].T
    return Trials((low <= 0) & (high >= 0), high - low)


@interval(
    name="score-difference",
    says="A - B 1.3 (0.4 to 2.2), detectable 1.3",
    cases={"10 sentences": 10, "50 sentences": 50, "200 sentences": 200},
    secondary=WIDTH,
    covers=("comparisons.low", "comparisons.high"),
    quick=200,
)
def interval_of_a_difference(random: np.random.Generator, sentences: int, repetitions: int) -> Trials:
    """One system corrects 30 % of the other's errors and errs in 10 % of its correct words."""
    limits = np.empty((repetitions, 2))
    for i in range(repetitions):
        a, words = scored(random, sentences).T
        b = a + random.binomial(words - a, 0.3) - random.binomial(a, 0.1)
        estimate = difference(*(counted(np.column_stack([c, words])) for c in (b, a)))
        limits[i] = [100 * limit[0] for limit in estimate.interval()]
    low, high = limits[~np.isnan(limits[:, 0])].T
    truth = 100 * (0.2 * 0.3 - 0.8 * 0.1)
    return Trials((low <= truth) & (truth <= high), high - low)


@test(
    name="score-permutation-test",
    says="A - B: p = 0.03 (--test permutation, a secondary test)",
    cases={"10 sentences": 10, "50 sentences": 50, "200 sentences": 200},
    secondary="power at +3 points",
    covers=("comparisons.p_value",),
    exact=True,  # all swaps of ten sentences are tried
    repetitions=1000,
)
def permutation_test(random: np.random.Generator, sentences: int, repetitions: int) -> Trials:
    """Two systems equally accurate on every sentence; for the power, one is 3 points ahead."""
    return _drawn(random, "permutation", sentences, repetitions)


@test(
    name="score-bootstrap-test",
    says="A - B: p = 0.03 (--test bootstrap, a secondary test)",
    cases={"100 sentences": 100, "200 sentences": 200},
    secondary="power at +3 points",
    covers=("comparisons.p_value",),
    repetitions=1000,
    quick=60,
)
def bootstrap_test(random: np.random.Generator, sentences: int, repetitions: int) -> Trials:
    """Two systems equally accurate on every sentence; for the power, one is 3 points ahead."""
    return _drawn(random, "bootstrap", sentences, repetitions)


def _drawn(random: np.random.Generator, how: PairedTest, sentences: int, repetitions: int) -> Trials:
    rejected = np.empty((2, repetitions), bool)
    for row, gain in enumerate((0.0, 0.03)):
        for i in range(repetitions):
            a, b = (counted(counts) for counts in scored_pair(random, sentences, gain=gain))
            rejected[row, i] = drawn_p_values(a, b, how, 999, i)[0] <= 0.05
    return Trials(*rejected)


def several(random: np.random.Generator, systems: int, sentences: int, gain: float = 0.0) -> list[UnitCounts]:
    """Return systems that are equally accurate on every sentence; the last is `gain` better."""
    words = scored(random, sentences)[:, 1]
    hard = random.beta(CONCENTRATION * 0.8, CONCENTRATION * 0.2, sentences)
    chances = [hard] * (systems - 1) + [np.clip(hard + gain, 0, 1)]
    return [counted(np.column_stack([random.binomial(words, accuracy), words])) for accuracy in chances]


@verdict(
    name="score-corrected",
    says="some system of several differs from another (p corrected by Holm's method)",
    cases={"3 systems, 10 sentences": (3, 10), "5 systems, 200 sentences": (5, 200)},
    secondary="power at +3 points of one system",
    covers=("comparisons.p_corrected", "comparisons.verdicts.*"),
    repetitions=1000,
)
def corrected(random: np.random.Generator, case: tuple[int, int], repetitions: int) -> Trials:
    """Systems that are equally accurate on every sentence; a verdict is any p of at most 0.05."""
    significant = np.empty((2, repetitions), bool)
    for row, gain in enumerate((0.0, 0.03)):
        for i in range(repetitions):
            systems = several(random, *case, gain=gain)
            pairs = [(a, b) for k, a in enumerate(systems) for b in systems[:k]]
            p_values = [difference(a, b).p_value()[0] for a, b in pairs]
            significant[row, i] = np.nan_to_num(adjust(p_values, "holm"), nan=1.0).min() <= 0.05
    return Trials(*significant)


@interval(
    name="score-best",
    says="best of 5: A, LAS 81.0; corrected for selection: 80.7 (79.9 to 81.4)",
    cases={"5 systems, 500 sentences": (5, 500), "20 systems, 500 sentences": (20, 500)},
    secondary=WIDTH,
    covers=("comparisons.best.*",),
    repetitions=1000,
    quick=60,
)
def best_of_many(random: np.random.Generator, case: tuple[int, int], repetitions: int) -> Trials:
    """Systems that are equally accurate on every sentence: the best is best by chance."""
    hits, widths = np.empty(repetitions, bool), np.empty(repetitions)
    for i in range(repetitions):
        systems = several(random, *case)
        values, spread = score_covariance(systems)
        corrected_best = best_of(100 * values, 1e4 * spread, effective_df(systems[0].words))
        hits[i], widths[i] = (corrected_best.low <= 80 <= corrected_best.high, corrected_best.high - corrected_best.low)
    return Trials(hits, widths)


@verdict(
    name="score-margin",
    says="equivalent: A and B differ by less than the margin",
    cases={"10 sentences": 10, "50 sentences": 50, "200 sentences": 200},
    secondary="power where they do not differ",
    covers=("comparisons.p_equivalent", "comparisons.p_*_not_worse"),
)
def equivalent(random: np.random.Generator, sentences: int, repetitions: int) -> Trials:
    """One system is ahead by the margin, 3 points; for the power, both are equal."""
    significant = np.empty((2, repetitions), bool)
    for row, better in enumerate((0.15, 0.0)):
        for i in range(repetitions):
            a, words = scored(random, sentences).T
            b = a + random.binomial(words - a, better) if better else a - random.binomial(a, 0.02)
            b = b if better else b + random.binomial(words - b, 0.02 * 0.8 / 0.216)
            estimate = difference(*(counted(np.column_stack([c, words])) for c in (b, a)))
            significant[row, i] = _p_equivalent(estimate, 3.0) <= 0.05
    return Trials(*significant)


def _p_equivalent(made: StudentEstimate, margin: float) -> float:
    found = sureness([made], 0.95, margin)[0][0]["p_equivalent"]
    return 1.0 if found is None else found
