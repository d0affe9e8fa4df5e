"""Statements of `design`, `score` and `certify` about power: what experiments will find, and could have found."""

import math
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from tools.calibrate.plasmode import score_table
from tools.calibrate.registry import Trials, statement
from tools.calibrate.scoring import _mean_accuracy, counted, seeded
from tools.calibrate.simulated import Counts, scored_pair
from tools.calibrate.simulated_boards import families, metadata
from treegauge.ranking.certify import certify
from treegauge.ranking.design import Spread, genera_needed, pilot_of, smallest_set, spread_of, units_needed
from treegauge.ranking.leaderboard import Leaderboard
from treegauge.ranking.reading import read_leaderboard
from treegauge.scoring.certainty import UnitCounts, difference
from treegauge.scoring.paired_tests import sureness
from treegauge.statistics.draws import FloatArray
from treegauge.statistics.planning import significant_errors
from treegauge.statistics.student_intervals import signed_rank, student_mean
from treegauge.statistics.units import LEAST_RUNS, LEAST_UNITS

power = partial(statement, kind="power", nominal=0.8, repetitions=2000)
#: Sentences of a document: few or many.
DOCUMENT = 12


def pair(
    random: np.random.Generator, number: int, true: float, units: str = "sentences"
) -> tuple[UnitCounts, UnitCounts]:
    """Return two systems on new sentences or documents; the first is `true` points better.

    Documents have 1 to 23 sentences; the advantage differs between documents (sd as large as its mean
    or 3 points).
    """
    sizes = np.ones(number, int) if units == "sentences" else random.integers(1, 2 * DOCUMENT, number)
    a, b = scored_pair(random, int(sizes.sum()))
    own = np.repeat(true + (0.0 if units == "sentences" else 3.0) * random.normal(size=number), sizes) / 100
    # Corrected errors add the expected difference: a fifth of all words are errors.
    better = a[:, 0] + random.binomial(a[:, 1] - a[:, 0], np.clip(own / 0.2, 0, 1))
    worse = b[:, 0] + random.binomial(b[:, 1] - b[:, 0], np.clip(-own / 0.2, 0, 1))
    starts = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    tables = (np.add.reduceat(np.column_stack([c, a[:, 1]]), starts) for c in (better, worse))
    first, second = (counted(table) for table in tables)
    return first, second


def runs_pair(random: np.random.Generator, sentences: int, runs: int, true: float) -> tuple[UnitCounts, UnitCounts]:
    """Return several runs of two systems, of which the second makes `true` points more errors.

    Errors are added to correct words, which hardly changes how much runs vary.
    """
    a, b = seeded(random, 2, runs, sentences)
    worse: list[Counts] = []
    for run in b:
        wrong = random.binomial(run[:, 0], true / 100 / _mean_accuracy())
        worse.append(np.column_stack([run[:, 0] - wrong, run[:, 1]]))
    return counted(*a), counted(*worse)


def found(pair_of: tuple[UnitCounts, UnitCounts]) -> bool:
    """Whether the primary test of score finds that the first is better."""
    estimate = difference(*pair_of)
    return bool(estimate.p_value()[0] <= 0.05 and estimate.value[0] > 0)


@power(
    name="design-text",
    verb="design",
    says="191 documents are needed to find a difference of 0.5 points with probability 0.8",
    cases={
        "pilot of 20 sentences, 4 points": ("sentences", 20, 4.0),
        "pilot of 100 sentences, 4 points": ("sentences", 100, 4.0),
        "pilot of 100 sentences, 2 points": ("sentences", 100, 2.0),
        "pilot of 400 sentences, 1 point": ("sentences", 400, 1.0),
        "pilot of 20 documents, 3 points": ("documents", 20, 3.0),
        "pilot of 40 documents, 2 points": ("documents", 40, 2.0),
    },
    secondary="mean number of units needed",
    covers=("plan.needed", "plan.promised", "plan.power"),
    quick=60,
)
def text_needed(random: np.random.Generator, case: tuple[str, int, float], repetitions: int) -> Trials:
    """Run a pilot of two equal systems, then an experiment with as many units as it asks for.

    Sentences have their own difficulty; the advantage of a system differs between documents, of 1 to 23
    sentences.
    """
    units, number, true = case
    hits, (needed, promised) = np.zeros(repetitions, bool), np.zeros((2, repetitions))
    for i in range(repetitions):
        pilot = pilot_of(*pair(random, number, 0.0, units))
        df = float(pilot.estimate.df[0])
        needed[i], promised[i] = units_needed(true, pilot.units * number, pilot=df, least=LEAST_UNITS).values()
        hits[i] = found(pair(random, int(needed[i]), true, units))
    return Trials(hits, needed, promised=promised)


@power(
    name="design-runs",
    verb="design",
    says="8 runs of each system are needed to find a difference of 1 point on these sentences",
    cases={"pilot of 5 runs, 1.5 points": (5, 1.5), "pilot of 10 runs, 1.2 points": (10, 1.2)},
    secondary="mean number of runs needed",
    covers=("plan.needed", "plan.promised", "plan.power"),
    repetitions=1000,
    quick=20,
)
def runs_needed(random: np.random.Generator, case: tuple[int, float], repetitions: int) -> Trials:
    """Shift accuracy by run (sd 1 point) and sentence by sentence; 1,500 sentences, new ones in the experiment.

    Pilots that ask for more than 40 runs are drawn again.
    """
    runs, true = case
    hits, (needed, promised) = np.zeros(repetitions, bool), np.zeros((2, repetitions))
    for i in range(repetitions):
        plan: dict[str, Any] = {"needed": None}
        while not 0 < (plan["needed"] or 0) <= 40:
            pilot = pilot_of(*runs_pair(random, 1500, runs, 0.0))
            how = {"pilot": float(pilot.estimate.df[0]), "least": LEAST_RUNS, "samples": 2}
            plan = units_needed(true, pilot.run, pilot.units, **how)
        needed[i], promised[i] = plan.values()
        hits[i] = found(runs_pair(random, 1500, int(needed[i]), true))
    return Trials(hits, needed, promised=promised)


def by_genus(
    random: np.random.Generator, sizes: npt.NDArray[np.int64], true: float, spread: tuple[float, float]
) -> FloatArray:
    """Return the differences of treebanks in genera of these sizes."""
    codes = np.repeat(np.arange(len(sizes)), sizes)
    return true + spread[0] * random.normal(size=len(sizes))[codes] + spread[1] * random.normal(size=len(codes))


def means_differ(differences: FloatArray, codes: npt.NDArray[np.int64]) -> bool:
    """Whether the primary test of certify finds that the mean of genera is above 0."""
    means = np.bincount(codes, differences) / np.bincount(codes)
    return bool(signed_rank(means).p_value <= 0.05 and means.mean() > 0)


@power(
    name="design-treebanks",
    verb="design",
    says="23 genera, one treebank of each, are needed to find a difference of 3 points",
    cases={
        "table of 12 genera, 1.2 points": (12, 1.2), "table of 26 genera, 2 points": (26, 2.0),
        "table of 26 genera, 1 point": (26, 1.0), "table of 26 genera, 0.7 points": (26, 0.7),
    },
    secondary="mean number of genera needed",
    covers=("plan.needed", "plan.promised", "plan.power"),
    quick=50,
)  # fmt: skip
def genera_of_plans(random: np.random.Generator, case: tuple[int, float], repetitions: int) -> Trials:
    """Draw a table with as many treebanks per genus as CoNLL 2018, then test on new genera.

    The difference has a standard deviation of 1 between genera and of 1.5 between treebanks.
    """
    number, true = case
    sizes = np.bincount(score_table().genera)[:number]
    kin = [f"g{code}" for code in np.repeat(np.arange(number), sizes)]
    hits, (needed, promised) = np.zeros(repetitions, bool), np.zeros((2, repetitions))
    for i in range(repetitions):
        spread = spread_of(by_genus(random, sizes, 0.0, (1.0, 1.5))[None], kin)
        deviation = math.sqrt(spread.genera + spread.treebanks)
        needed[i], promised[i] = genera_needed(deviation, true, spread.pilot, 0.95).values()
        planned = np.ones(int(needed[i]), int)
        hits[i] = means_differ(by_genus(random, planned, true, (1.0, 1.5)), np.arange(len(planned)))
    return Trials(hits, needed, promised=promised)


@power(
    name="design-conll18",
    verb="design",
    says="25 genera, one treebank of each, are needed to find a difference of 4 points",
    cases={"4 points": 4.0, "2 points, pairs that need at most 400 genera": 2.0},
    secondary="mean number of genera needed",
    covers=("plan.needed",),
    repetitions=1000,
    quick=60,
)
def real_genera_of_plans(random: np.random.Generator, true: float, repetitions: int) -> Trials:
    """Plan from a random pair of systems of CoNLL 2018, then draw as many of its genera with replacement.

    Each has one random treebank, whose difference is centred and shifted by the true one. Pairs that
    need more than 400 genera are drawn again.
    """
    table = score_table()
    members = [np.flatnonzero(table.genera == genus) for genus in range(table.genera.max() + 1)]
    kin = [f"g{genus}" for genus in table.genera]
    hits, needed, promised = list[bool](), list[int](), list[float]()
    while len(hits) < repetitions:
        a, b = random.choice(len(table.scores), 2, replace=False)
        real = table.scores[a] - table.scores[b]
        spread = spread_of(real[None], kin)
        deviation = math.sqrt(spread.genera + spread.treebanks)
        number, power_of = genera_needed(deviation, true, spread.pilot, 0.95).values()
        if number <= 400:
            centre = np.mean([real[genus].mean() for genus in members])
            drawn = [real[random.choice(members[i])] for i in random.integers(len(members), size=number)]
            hits.append(means_differ(np.array(drawn) - centre + true, np.arange(number)))
            needed.append(number)
            promised.append(power_of)
    return Trials(np.array(hits), np.array(needed), promised=np.array(promised))


@power(
    name="design-smallest-set",
    verb="design",
    says="smallest set: 23 treebanks of 23 genera, which find 2.96 points: el_gdt, ...",
    cases={"2 points": (2.0, ()), "1.6 points, at most 2 per genus": (1.6, ("genus:2",)), "1.2 points": (1.2, ())},
    secondary="number of treebanks",
    covers=("plan.needed", "plan.promised", "plan.power"),
    repetitions=4000,
    quick=100,
)
def smallest_sets(random: np.random.Generator, case: tuple[float, tuple[str, ...]], repetitions: int) -> Trials:
    """Choose treebanks of CoNLL 2018 with the integer program, then test on them.

    Variances are known: sd 1 between genera, 1.5 between treebanks. The true difference is the one that
    the set is said to find.
    """
    from treegauge.ranking.selection import SubsetConditions

    true, bounds = case
    board = read_leaderboard("conll18")
    spread = Spread(1.0, 1.5**2, math.inf, 0.95)
    chosen = smallest_set(board, spread, true, SubsetConditions(at_most=bounds))
    assert chosen is not None
    codes = np.unique(score_table().genera[list(chosen)], return_inverse=True)[1]
    sizes = np.bincount(codes)
    true = spread.detectable(sizes.tolist())
    hits = [
        means_differ(by_genus(random, sizes, true, (1.0, 1.5)), np.repeat(np.arange(len(sizes)), sizes))
        for _ in range(repetitions)
    ]
    return Trials(np.array(hits), np.full(repetitions, len(chosen)))


@statement(
    name="design-errors",
    verb="design",
    says="of significant results, 2 % have the wrong sign (type S), and they are 2.3 times too large (type M)",
    kind="interval",
    nominal=0.95,
    cases={"type S": 0, "type M": 1},
    secondary="mean of the error",
    covers=("plan.type_s", "plan.type_m"),
    repetitions=2000,
    quick=30,
)
def errors_of_results(random: np.random.Generator, kind: int, repetitions: int) -> Trials:
    """Simulate 4,000 experiments of 6 to 30 normal units with a true difference of 0.3 to 0.8 standard errors.

    The rate is the share of such batches whose wrong signs (type S) or mean exaggeration (type M) lie
    within 1.96 Monte-Carlo errors of what is printed.
    """
    hits, size = np.zeros(repetitions, bool), np.zeros(repetitions)
    for i in range(repetitions):
        number, true = int(random.integers(6, 31)), random.uniform(0.3, 0.8)
        estimate = student_mean(random.normal(true, math.sqrt(number), (4000, number)))
        shown = estimate.value[estimate.p_value() <= 0.05]
        said = float(significant_errors(true, 1.0, number - 1)[kind + 1])
        values = [shown < 0, np.abs(shown) / true][kind]
        error = math.sqrt(said * (1 - said) / len(shown)) if kind == 0 else values.std() / math.sqrt(len(shown))
        hits[i], size[i] = abs(values.mean() - said) <= 1.959964 * error, said
    return Trials(hits, size)


@power(
    name="score-detectable",
    verb="score",
    says="smallest difference detectable with 80 % power over 40 documents: 1.23 points",
    cases={
        "20 sentences": ("sentences", 20), "50 sentences": ("sentences", 50), "200 sentences": ("sentences", 200),
        "1000 sentences": ("sentences", 1000), "20 documents": ("documents", 20), "60 documents": ("documents", 60),
        "3 runs, 400 sentences": ("runs", 3), "5 runs, 400 sentences": ("runs", 5),
        "10 runs, 400 sentences": ("runs", 10),
    },
    secondary="mean detectable difference (points)",
    covers=("comparisons.detectable",),
    repetitions=2000,
    quick=30,
)  # fmt: skip
def detectable_in_text(random: np.random.Generator, case: tuple[str, int], repetitions: int) -> Trials:
    """Ask the output of two equal systems what is detectable, then make the first better by so much.

    The new text has the same size.
    """
    units, number = case
    hits, least = np.zeros(repetitions, bool), np.zeros(repetitions)
    for i in range(repetitions):
        first = runs_pair(random, 400, number, 0.0) if units == "runs" else pair(random, number, 0.0, units)
        shown = sureness([difference(*first)], 0.95, None)[0][0]["detectable"]
        least[i] = shown or 0.0
        true = float(least[i])
        hits[i] = found(runs_pair(random, 400, number, true) if units == "runs" else pair(random, number, true, units))
    return Trials(hits, least)


def claimed(differences: FloatArray, codes: npt.NDArray[np.int64]) -> FloatArray:
    """Return the scores of two systems that differ by these, with two decimals."""
    return np.stack([70 + differences, 70 + 0 * differences]).round(2)


@power(
    name="certify-detectable",
    verb="certify",
    says="A mean difference of 1.23 points could be detected with 80 % power.",
    cases={"8 genera": 8, "12 genera": 12, "25 treebanks": 25, "82 treebanks": 82},
    secondary="mean detectable difference (points)",
    covers=("certificate.detectable", "differences.pairs.detectable"),
    repetitions=1000,
    quick=20,
)
def detectable_by_certify(random: np.random.Generator, number: int, repetitions: int) -> Trials:
    """Certify two equal systems on treebanks of families, then make one better on new treebanks.

    Below 25 treebanks there is one of each family, and the primary test decides. With 25 or more the
    interval of the mean has to leave out 0.
    """
    few = number < 25
    codes = np.arange(number) if few else families(number)
    described = metadata(number)
    if few:
        described = described.with_columns(genus=described["treebank"])
    sizes = np.bincount(codes)

    def certificate(true: float):  # type: ignore[no-untyped-def]
        scores = claimed(by_genus(random, sizes, true, (1.0, 1.5)), codes)
        board = Leaderboard.of("las", ["A", "B"], described["treebank"].to_list(), scores[None], described)
        return certify(board, claim="A > B", size=number // 2, subsets=1, metadata=described)

    hits, least = np.zeros(repetitions, bool), np.zeros(repetitions)
    for i in range(repetitions):
        least[i] = certificate(0.0).detectable
        made = certificate(float(least[i]))
        shown = next(iter(made.tests.values())) <= 0.05 if few else made.difference.low > 0
        hits[i] = shown and made.difference.value > 0
    return Trials(hits, least)
