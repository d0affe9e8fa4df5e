"""Statements of `rank` about systems over treebanks."""

from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt

from tools.calibrate.registry import Trials, statement
from tools.calibrate.simulated_boards import (
    FAMILY,
    GAPPED,
    TABLES,
    TREEBANK,
    TRUE,
    Floats,
    board,
    families,
    first_pair,
    gapped,
    values,
)
from treegauge.ranking.compare import critical_difference, friedman
from treegauge.ranking.leaderboard import Leaderboard
from treegauge.ranking.metadata import classes_of, hypergeometric_tail
from treegauge.ranking.pairs import differences, improvement
from treegauge.ranking.reading import read_leaderboard
from treegauge.ranking.stability.outliers import explain_outliers, over_represented
from treegauge.ranking.stability.win_rates import stability
from treegauge.ranking.strengths import advantages, best_system, bradley_terry, families_of, rank_sets, strengths
from treegauge.statistics.multiple import adjust


@statement(
    name="rank-confidence-sets",
    verb="rank",
    says="HIT-SCIR: rank 1, 95 % set 1-2",
    kind="set",
    nominal=0.95,
    cases=GAPPED,
    secondary="mean number of ranks in a set",
    covers=(
        "ranks.rank_low",
        "ranks.rank_high",
        "ranks.systems.rank_*",
        "standings.rank_*",
        "standings.ranking.rank_*",
    ),
    repetitions=1000,
    quick=20,
)
def ranks_by_mean(random: np.random.Generator, case: tuple[int, float], repetitions: int) -> Trials:
    """Eight systems, three pairs of them nearly equal, with effects of families and treebanks.

    The oracle knows the standard error of each difference; its sets hold for one system at a time,
    too. Where scores are missing, it has all of them.
    """
    (treebanks, share), abilities = case, TRUE + 0.01 * np.arange(8)[::-1]
    held, width, oracle = np.empty(repetitions, dtype=bool), np.empty(repetitions), np.empty(repetitions)
    reach = _oracle_reach(treebanks)
    for i in range(repetitions):
        scores = values(random, abilities, treebanks)
        apart = scores.mean(axis=1)[:, None] - scores.mean(axis=1)
        leaderboard = gapped(random, scores, share)
        sets = rank_sets(advantages(leaderboard, _codes(leaderboard)))
        j = int(random.integers(8))
        true = 1 + (abilities > abilities[j]).sum()
        held[i] = sets.low[j] <= true <= sets.high[j]
        width[i] = sets.high[j] - sets.low[j] + 1
        oracle[i] = 8 - (np.abs(apart[j]) > reach).sum()
    return Trials(held, width, oracle=oracle)


def _oracle_reach(treebanks: int) -> float:
    """Return the 95 % quantile of the largest error of seven differences with a system."""
    sizes = np.bincount(families(treebanks))
    error = np.sqrt(FAMILY**2 * (sizes / treebanks) @ (sizes / treebanks) + TREEBANK**2 / treebanks)
    drawn = np.random.default_rng(0).normal(0, error, (200_000, 8))
    return float(np.quantile(np.abs(drawn[:, 1:] - drawn[:, :1]).max(axis=1), 0.95))


def _codes(leaderboard: Leaderboard) -> npt.NDArray[np.int64]:
    codes = families_of(leaderboard)
    assert codes is not None
    return codes


@statement(
    name="rank-best-of-many",
    verb="rank",
    says="11.1 points above the average; corrected for being the best of 26: 11.0 (9.7 to 12.5)",
    kind="interval",
    nominal=0.95,
    cases={
        "10 equal systems, 25 treebanks": (np.zeros(10), 25, 0.0),
        "10 different systems, 25 treebanks": (np.linspace(0, 3, 10), 25, 0.0),
        "26 equal systems, 82 treebanks": (np.zeros(26), 82, 0.0),
        "10 equal systems, 25 treebanks, a fifth of the scores missing": (np.zeros(10), 25, 0.2),
    },
    secondary="mean width (points)",
    covers=("ranks.winner.low", "ranks.winner.high"),
    repetitions=1000,
    quick=60,
)
def best_of_many(random: np.random.Generator, case: tuple[Floats, int, float], repetitions: int) -> Trials:
    """Compare with the true lead of the selected system over the average."""
    abilities, treebanks, share = case
    low, high, true, seen = np.empty((4, repetitions))
    for i in range(repetitions):
        leaderboard = gapped(random, values(random, abilities, treebanks), share)
        best = best_system(leaderboard, _codes(leaderboard))
        low[i], high[i] = best.low, best.high
        true[i], seen[i] = abilities[best.index] - abilities.mean(), best.value
    return Trials((low <= true) & (true <= high), high - low, seen - true)


# --- rank compare -------------------------------------------------------------------------------


@cache
def _true_strengths() -> Floats:
    """Return the strengths of the simulated systems over very many treebanks."""
    random = np.random.default_rng(1)
    own = np.sqrt(FAMILY**2 + TREEBANK**2)
    scores = TRUE[:, None] + random.normal(0, own, (len(TRUE), 200_000))
    wins = np.array([[(a > b).mean() for b in scores] for a in scores])
    np.fill_diagonal(wins, 0)
    return strengths(1e6 * wins)


@statement(
    name="compare-strengths",
    verb="rank compare",
    says="Bradley-Terry strength 2.46 (1.87 to 3.04)",
    kind="interval",
    nominal=0.95,
    cases=GAPPED,
    secondary="mean width (log odds)",
    covers=("bradley-terry.low", "bradley-terry.high"),
    repetitions=500,
    quick=12,
)
def strengths_of_systems(random: np.random.Generator, case: tuple[int, float], repetitions: int) -> Trials:
    """Take the systems of rank-confidence-sets; true strengths come from many treebanks."""
    treebanks, share = case
    hits, widths = [], []
    for _ in range(repetitions):
        estimate = bradley_terry(gapped(random, values(random, TRUE, treebanks), share))
        j = int(random.integers(len(TRUE)))
        hits.append(estimate.low[j] <= _true_strengths()[j] <= estimate.high[j])
        widths.append(estimate.high[j] - estimate.low[j])
    return Trials(np.array(hits), np.array(widths))


@statement(
    name="compare-rank-sets",
    verb="rank compare",
    says="confidence set of the rank by Bradley-Terry strength: 1 to 7",
    kind="verdict",
    nominal=0.05,
    cases=GAPPED,
    secondary="mean number of ranks in a set",
    covers=("bradley-terry.rank_low", "bradley-terry.rank_high"),
    repetitions=500,
    quick=12,
)
def ranks_by_strength(random: np.random.Generator, case: tuple[int, float], repetitions: int) -> Trials:
    """Take the same systems; the rate is the share of sets that miss the rank of a random one.

    Systems of equal strength may have any of the ranks that they share.
    """
    missed, width = np.empty(repetitions, dtype=bool), np.empty(repetitions)
    treebanks, share = case
    for i in range(repetitions):
        sets = bradley_terry(gapped(random, values(random, TRUE, treebanks), share)).ranks
        j = int(random.integers(len(TRUE)))
        best, worst = 1 + (TRUE[j] < TRUE).sum(), (TRUE[j] <= TRUE).sum()
        missed[i] = sets.low[j] > worst or sets.high[j] < best
        width[i] = sets.high[j] - sets.low[j] + 1
    return Trials(missed, width)


@statement(
    name="compare-differences",
    verb="rank compare",
    says="+0.18 points, 95 % interval -0.73 to +1.09 for other treebanks of these families",
    kind="interval",
    nominal=0.95,
    cases=TABLES,
    secondary="mean width (points)",
    covers=("differences.pairs.low", "differences.pairs.high"),
    repetitions=3000,
)
def mean_difference(random: np.random.Generator, treebanks: int, repetitions: int) -> Trials:
    """Two systems, the first 0.5 points better, with effects of families and treebanks."""
    low, high = np.empty((2, repetitions))
    for i in range(repetitions):
        estimate = differences(board(values(random, np.array([0.5, 0.0]), treebanks)))
        low[i], high[i] = first_pair(estimate, "low", "high")
    return Trials((low <= 0.5) & (high >= 0.5), high - low)


@statement(
    name="compare-new-treebank",
    verb="rank compare",
    says="on one new treebank of a new family: -6.6 to +7.0 points",
    kind="interval",
    nominal=0.95,
    cases=TABLES,
    secondary="mean width (points)",
    covers=("differences.pairs.new_*", "certificate.new_treebank.*"),
    repetitions=3000,
)
def new_treebank(random: np.random.Generator, treebanks: int, repetitions: int) -> Trials:
    """Take the same systems; the truth is their difference on a treebank of a new family."""
    low, high = np.empty((2, repetitions))
    for i in range(repetitions):
        estimate = differences(board(values(random, np.array([0.5, 0.0]), treebanks)))
        low[i], high[i] = first_pair(estimate, "new_low", "new_high")
    came = 0.5 + random.normal(0, np.sqrt(2 * (FAMILY**2 + TREEBANK**2)), repetitions)
    return Trials((low <= came) & (high >= came), high - low)


@statement(
    name="compare-equivalence",
    verb="rank compare",
    says="equivalent: the two differ by less than the margin",
    kind="verdict",
    nominal=0.05,
    cases={"82 treebanks": 82},
    secondary="power if they are equal",
    covers=("differences.pairs.p_*", "certificate.equivalence.p_*"),
    repetitions=3000,
)
def equivalent(random: np.random.Generator, treebanks: int, repetitions: int) -> Trials:
    """Two systems that differ by exactly the margin, 2 points; for the power, equal ones."""
    claimed = np.empty((2, repetitions), dtype=bool)
    for row, true in enumerate((2.0, 0.0)):
        for i in range(repetitions):
            leaderboard = board(values(random, np.array([true, 0.0]), treebanks))
            claimed[row, i] = differences(leaderboard, margin=2.0).numbers["p_equivalent"][0, 1] <= 0.05
    return Trials(claimed[0], claimed[1])


@statement(
    name="compare-improvement",
    verb="rank compare",
    says="probability of improvement 0.61 (0.50 to 0.71)",
    kind="interval",
    nominal=0.95,
    cases={"5 treebanks": 5, "10 treebanks": 10, "82 treebanks": 82},
    secondary="mean width",
    covers=("improvement.pairs.low", "improvement.pairs.high", "certificate.probability_of_improvement.*"),
    repetitions=3000,
)
def probability_of_improvement(random: np.random.Generator, treebanks: int, repetitions: int) -> Trials:
    """Independent treebanks; the true probability is drawn between 0.5 and 0.95 each time."""
    low, high, true = np.empty((3, repetitions))
    for i in range(repetitions):
        true[i] = random.uniform(0.5, 0.95)
        won = random.random(treebanks) < true[i]
        scores = np.stack([70 + 1.0 * won, 71 - 1.0 * won])
        estimate = improvement(board(scores))
        low[i], high[i] = first_pair(estimate, "low", "high")
    return Trials((low <= true) & (true <= high), high - low)


@statement(
    name="compare-friedman",
    verb="rank compare",
    says="Friedman chi-squared 74.34, p = 7e-17",
    kind="test",
    nominal=0.05,
    cases={"4 systems, 10 treebanks": (4, 10), "10 systems, 82 treebanks": (10, 82)},
    secondary="power, best system 1 sd ahead",
    covers=("critical difference.friedman.*",),
)
def friedman_test(random: np.random.Generator, case: tuple[int, int], repetitions: int) -> Trials:
    """Equal systems on independent treebanks; by Iman and Davenport's F."""
    rejected = np.empty((2, repetitions), dtype=bool)
    for row, gain in enumerate((0.0, 1.0)):
        for i in range(repetitions):
            scores = 70 + random.normal(size=case)
            scores[0] += gain
            rejected[row, i] = friedman(board(scores)).f_p_value <= 0.05
    return Trials(rejected[0], rejected[1])


@statement(
    name="compare-critical-differences",
    verb="rank compare",
    says="two systems share a letter if and only if they do not differ significantly",
    kind="verdict",
    nominal=0.05,
    cases={
        "nemenyi, 4 systems, 10 treebanks": ("nemenyi", 4, 10),
        "wilcoxon-holm, 4 systems, 10 treebanks": ("wilcoxon-holm", 4, 10),
        "nemenyi, 5 systems, 82 treebanks": ("nemenyi", 5, 82),
        "wilcoxon-holm, 5 systems, 82 treebanks": ("wilcoxon-holm", 5, 82),
    },
    secondary="power, best system 1 sd ahead",
    covers=("critical difference.pairs.p_value",),
    repetitions=2000,
    quick=12,
)
def critical_differences(random: np.random.Generator, case: tuple[Any, int, int], repetitions: int) -> Trials:
    """Equal systems on independent treebanks: the rate counts any pair called different."""
    method, *shape = case

    def any_pair(gain: float, number: int) -> npt.NDArray[np.bool_]:
        different = np.empty(number, dtype=bool)
        for i in range(number):
            scores = 70 + random.normal(size=shape)
            scores[0] += gain
            different[i] = (critical_difference(board(scores), method=method).p_values <= 0.05).any()
        return different

    return Trials(any_pair(0.0, repetitions), any_pair(1.0, max(repetitions // 5, 4)))


# --- rank outliers ------------------------------------------------------------------------------


@cache
def _extremes(system: str) -> Any:
    """Return how often treebanks are in the subsets of a system's best and worst ranks."""
    ranks = stability(read_leaderboard("conll18"), size=10, subsets=200_000)
    return explain_outliers(ranks, system, by=["genus"], search=False)


@statement(
    name="outliers-classes",
    verb="rank outliers",
    says="resource not big is over-represented (p corrected = 0.005)",
    kind="verdict",
    nominal=0.05,
    cases={name: name for name in ("SLT-Interactions", "Stanford", "UDPipe Future")},
    secondary="power, if the treebanks in most subsets are one class",
    covers=("outliers.*p_value", "outliers.*p_corrected"),
    repetitions=600,
    quick=12,
)
def over_represented_classes(random: np.random.Generator, system: str, repetitions: int) -> Trials:
    """Real subsets of the shared task, the labels of its treebanks shuffled.

    The rate is the share of tables (best and worst rank) in which any class is flagged. For the
    power, the ten treebanks in most subsets of the best rank are a class.
    """
    sides = _extremes(system).sides
    masks = np.array([*classes_of(read_leaderboard("conll18")).values()])
    flagged, seen = np.empty((2, repetitions), dtype=bool)
    for i in range(repetitions):
        mixed = masks[:, random.permutation(masks.shape[1])]
        p_values, ratios = [], []
        for side in sides:
            p_values.append(over_represented(side.members, [*mixed], permutations=999, seed=i))
            share = mixed @ side.members / side.members.sum()
            ratios.append(share / mixed.mean(axis=1))
        corrected = adjust(np.concatenate(p_values), "holm")
        flagged[i] = ((corrected <= 0.05) & (np.concatenate(ratios) >= 1.1)).any()
        members = sides[0].members
        planted = np.zeros(len(members), dtype=bool)
        planted[np.argsort(-members)[:20][random.permutation(20)[:10]]] = True
        planted = over_represented(members, [planted], permutations=999, seed=i)
        seen[i] = planted[0] * len(corrected) <= 0.05
    return Trials(flagged, seen)


@statement(
    name="outliers-one-subset",
    verb="rank outliers",
    says="six of ten treebanks of this subset are Slavic (tail 0.004)",
    kind="test",
    nominal=0.05,
    cases={"17 of 82, subset of 10": (17, 82, 10), "40 of 82, subset of 40": (40, 82, 40)},
    secondary="power, twice as many members",
    covers=("outliers.*.tail",),
    exact=True,
    repetitions=20_000,
    quick=500,
)
def one_subset(random: np.random.Generator, case: tuple[int, int, int], repetitions: int) -> Trials:
    """One subset and one class, drawn independently."""
    members, population, size = case
    tails = np.array(
        [hypergeometric_tail(i, population=population, members=members, size=size) for i in range(size + 1)]
    )
    drawn, more = (
        random.hypergeometric(number, population - number, size, repetitions) for number in (members, 2 * members)
    )
    return Trials(tails[drawn] <= 0.05, tails[more] <= 0.05)
