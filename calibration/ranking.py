"""What `rank`, `certify` and `recommend` say about systems over treebanks."""

from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl

from calibration.registry import Trials, statement
from treegauge.ranking.certify import permutation, sign_test
from treegauge.ranking.compare import critical_difference, friedman
from treegauge.ranking.leaderboard import Leaderboard
from treegauge.ranking.metadata import classes_of, tail
from treegauge.ranking.outliers import explain_outliers, over_represented
from treegauge.ranking.pairs import differences, improvement
from treegauge.ranking.reading import read_leaderboard
from treegauge.ranking.recommend import judge
from treegauge.ranking.selection import SubsetSearch, demands_of, folds_of
from treegauge.ranking.sentence_draws import Method, SentenceScores, draw_sentences
from treegauge.ranking.sentence_subsets import judge_method
from treegauge.ranking.stability import stability
from treegauge.ranking.strengths import (
    advantages,
    best_system,
    bradley_terry,
    families_of,
    rank_sets,
    strengths,
)
from treegauge.statistics.multiple import adjust
from treegauge.statistics.small_samples import median_interval, signed_rank

Floats = npt.NDArray[np.float64]
#: Standard deviations of a system's score: by family, by treebank.
FAMILY, TREEBANK = 1.0, 1.5
#: Treebanks of each family, repeated: most families have one or two, few have many.
SIZES = (1, 1, 2, 1, 5, 1, 2, 3, 1, 2)


def families(treebanks: int) -> npt.NDArray[np.int64]:
    """Return the family of each treebank."""
    counts = np.resize(SIZES, treebanks)
    return np.repeat(np.arange(treebanks), counts)[:treebanks]


def values(random: np.random.Generator, abilities: Floats, treebanks: int) -> Floats:
    """Return scores of systems: ability, an effect of the family, one of the treebank."""
    codes, systems = families(treebanks), len(abilities)
    by_family = random.normal(0, FAMILY, (systems, codes.max() + 1))[:, codes]
    own = random.normal(0, TREEBANK, (systems, treebanks))
    return np.asarray(70 + abilities[:, None] + by_family + own)


@cache
def metadata(treebanks: int) -> pl.DataFrame:
    """Return metadata of treebanks in families."""
    names = [f"t{i}" for i in range(treebanks)]
    genus = [f"f{code}" for code in families(treebanks)]
    table = pl.DataFrame({"treebank": names, "genus": genus, "A": 50.0, "B": 60.0})
    return read_leaderboard(table).metadata


def board(scores: Floats) -> Leaderboard:
    """Return a leaderboard of simulated scores, with two decimals as published."""
    systems, treebanks = scores.shape
    described = metadata(treebanks)
    names = [f"S{i}" for i in range(systems)]
    codes = described["treebank"].to_list()
    return Leaderboard.of("las", names, codes, scores.round(2)[None], described)


def heavy(random: np.random.Generator, shape: Any) -> Floats:
    """Return symmetric differences with heavy tails, as those of real systems are."""
    return np.asarray(random.standard_t(4, shape))


# --- rank ---------------------------------------------------------------------------------------

TRUE = np.array([2.0, 1.5, 1.5, 1.0, 0.5, 0.0, 0.0, -1.0])
TABLES = {"25 treebanks": 25, "82 treebanks": 82}
#: The same, and with a share of the scores missing.
GAPPED = {
    **{label: (treebanks, 0.0) for label, treebanks in TABLES.items()},
    **{f"{label}, a fifth of the scores missing": (n, 0.2) for label, n in TABLES.items()},
}


def gapped(random: np.random.Generator, scores: Floats, share: float) -> Leaderboard:
    """Return a leaderboard without a share of its scores, deleted at random."""
    if share:
        gone = random.choice(scores.size, round(share * scores.size), replace=False)
        scores.ravel()[gone] = np.nan
    return board(scores)


@statement(
    name="rank-confidence-sets",
    verb="rank",
    says="HIT-SCIR: rank 1, 95 % set 1-2",
    kind="verdict",
    nominal=0.05,
    cases=GAPPED,
    beside="mean number of ranks in a set",
    covers=(
        "ranks.rank_low",
        "ranks.rank_high",
        "ranks.systems.rank_*",
        "rules.rank_*",
        "standings.rank_*",
        "standings.ranking.rank_*",
    ),
    repetitions=1000,
    quick=20,
)
def ranks_by_mean(random: np.random.Generator, case: tuple[int, float], repetitions: int) -> Trials:
    """Eight systems, three pairs of them nearly equal, with effects of families and treebanks.

    The rate is that of sets, of one system drawn each time, that miss its true rank.
    """
    (treebanks, share), abilities = case, TRUE + 0.01 * np.arange(8)[::-1]
    missed, width = np.empty(repetitions, dtype=bool), np.empty(repetitions)
    for i in range(repetitions):
        made = gapped(random, values(random, abilities, treebanks), share)
        sets = rank_sets(advantages(made, _codes(made)))
        j = int(random.integers(8))
        true = 1 + (abilities > abilities[j]).sum()
        missed[i] = not sets.low[j] <= true <= sets.high[j]
        width[i] = sets.high[j] - sets.low[j] + 1
    return Trials(missed, width)


def _codes(made: Leaderboard) -> npt.NDArray[np.int64]:
    codes = families_of(made)
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
    beside="mean width (points)",
    covers=("ranks.winner.low", "ranks.winner.high"),
    repetitions=1000,
    quick=60,
)
def best_of_many(
    random: np.random.Generator, case: tuple[Floats, int, float], repetitions: int
) -> Trials:
    """Compare with the true lead over the average of the system that came out best."""
    abilities, treebanks, share = case
    low, high, true = np.empty((3, repetitions))
    for i in range(repetitions):
        made = gapped(random, values(random, abilities, treebanks), share)
        best = best_system(made, _codes(made))
        low[i], high[i] = best.low, best.high
        true[i] = abilities[best.index] - abilities.mean()
    return Trials((low <= true) & (true <= high), high - low)


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
    beside="mean width (log odds)",
    covers=("bradley-terry.low", "bradley-terry.high"),
    repetitions=500,
    quick=20,
)
def strengths_of_systems(
    random: np.random.Generator, case: tuple[int, float], repetitions: int
) -> Trials:
    """Take the systems of rank-confidence-sets; true strengths from very many treebanks."""
    treebanks, share = case
    hits, widths = [], []
    for _ in range(repetitions):
        made = bradley_terry(gapped(random, values(random, TRUE, treebanks), share))
        j = int(random.integers(len(TRUE)))
        hits.append(made.low[j] <= _true_strengths()[j] <= made.high[j])
        widths.append(made.high[j] - made.low[j])
    return Trials(np.array(hits), np.array(widths))


@statement(
    name="compare-rank-sets",
    verb="rank compare",
    says="confidence set of the rank by Bradley-Terry strength: 1 to 7",
    kind="verdict",
    nominal=0.05,
    cases=GAPPED,
    beside="mean number of ranks in a set",
    covers=("bradley-terry.rank_low", "bradley-terry.rank_high", "rules.rank_*"),
    repetitions=500,
    quick=20,
)
def ranks_by_strength(
    random: np.random.Generator, case: tuple[int, float], repetitions: int
) -> Trials:
    """Take the same; the rate is that of sets of one system, drawn each time, that miss its rank.

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
    beside="mean width (points)",
    covers=("differences.pairs.low", "differences.pairs.high"),
    repetitions=3000,
)
def mean_difference(random: np.random.Generator, treebanks: int, repetitions: int) -> Trials:
    """Two systems, the first 0.5 points better, with effects of families and treebanks."""
    low, high = np.empty((2, repetitions))
    for i in range(repetitions):
        made = differences(board(values(random, np.array([0.5, 0.0]), treebanks)))
        at = made.systems.index("S0"), made.systems.index("S1")
        low[i], high[i] = made.numbers["low"][at], made.numbers["high"][at]
    return Trials((low <= 0.5) & (high >= 0.5), high - low)


@statement(
    name="compare-new-treebank",
    verb="rank compare",
    says="on one new treebank of a new family: -6.6 to +7.0 points",
    kind="interval",
    nominal=0.95,
    cases=TABLES,
    beside="mean width (points)",
    covers=("differences.pairs.new_*", "certificate.new_treebank.*"),
    repetitions=3000,
)
def new_treebank(random: np.random.Generator, treebanks: int, repetitions: int) -> Trials:
    """Take the same systems; what comes is their difference on a treebank of a new family."""
    low, high = np.empty((2, repetitions))
    for i in range(repetitions):
        made = differences(board(values(random, np.array([0.5, 0.0]), treebanks)))
        at = made.systems.index("S0"), made.systems.index("S1")
        low[i], high[i] = made.numbers["new_low"][at], made.numbers["new_high"][at]
    came = 0.5 + random.normal(0, np.sqrt(2 * (FAMILY**2 + TREEBANK**2)), repetitions)
    return Trials((low <= came) & (high >= came), high - low)


@statement(
    name="compare-equivalence",
    verb="rank compare",
    says="the two differ by less than the margin (p = 0.035)",
    kind="test",
    nominal=0.05,
    cases={"82 treebanks": 82},
    beside="power if they are equal",
    covers=("differences.pairs.p_equivalent", "certificate.equivalence.p_*"),
    repetitions=3000,
)
def equivalent(random: np.random.Generator, treebanks: int, repetitions: int) -> Trials:
    """Two systems that differ by exactly the margin, 2 points; for the power, by nothing."""
    claimed = np.empty((2, repetitions), dtype=bool)
    for row, true in enumerate((2.0, 0.0)):
        for i in range(repetitions):
            made = board(values(random, np.array([true, 0.0]), treebanks))
            claimed[row, i] = differences(made, margin=2.0).numbers["p_equivalent"][0, 1] <= 0.05
    return Trials(claimed[0], claimed[1])


@statement(
    name="compare-improvement",
    verb="rank compare",
    says="probability of improvement 0.61 (0.50 to 0.71)",
    kind="interval",
    nominal=0.95,
    cases={"5 treebanks": 5, "10 treebanks": 10, "82 treebanks": 82},
    beside="mean width",
    covers=("improvement.pairs.low", "improvement.pairs.high",
            "certificate.probability_of_improvement.*"),
    repetitions=3000,
)  # fmt: skip
def probability_of_improvement(
    random: np.random.Generator, treebanks: int, repetitions: int
) -> Trials:
    """Independent treebanks; the true probability is drawn between 0.5 and 0.95 each time."""
    low, high, true = np.empty((3, repetitions))
    for i in range(repetitions):
        true[i] = random.uniform(0.5, 0.95)
        won = random.random(treebanks) < true[i]
        scores = np.stack([70 + 1.0 * won, 71 - 1.0 * won])
        made = improvement(board(scores))
        at = made.systems.index("S0"), made.systems.index("S1")
        low[i], high[i] = made.numbers["low"][at], made.numbers["high"][at]
    return Trials((low <= true) & (true <= high), high - low)


@statement(
    name="compare-friedman",
    verb="rank compare",
    says="Friedman chi-squared 74.34, p = 7e-17",
    kind="test",
    nominal=0.05,
    cases={"4 systems, 10 treebanks": (4, 10), "10 systems, 82 treebanks": (10, 82)},
    beside="power, best system 1 sd ahead",
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
    says="systems that share a letter cannot be told apart",
    kind="verdict",
    nominal=0.05,
    cases={
        "nemenyi, 4 systems, 10 treebanks": ("nemenyi", 4, 10),
        "wilcoxon-holm, 4 systems, 10 treebanks": ("wilcoxon-holm", 4, 10),
        "nemenyi, 5 systems, 82 treebanks": ("nemenyi", 5, 82),
        "wilcoxon-holm, 5 systems, 82 treebanks": ("wilcoxon-holm", 5, 82),
    },
    beside="power, best system 1 sd ahead",
    covers=("critical difference.pairs.p_value",),
    repetitions=2000,
    quick=12,
)
def critical_differences(
    random: np.random.Generator, case: tuple[Any, int, int], repetitions: int
) -> Trials:
    """Equal systems on independent treebanks: the rate is that of any pair called different."""
    method, *shape = case

    def any_pair(gain: float, number: int) -> npt.NDArray[np.bool_]:
        found = np.empty(number, dtype=bool)
        for i in range(number):
            scores = 70 + random.normal(size=shape)
            scores[0] += gain
            found[i] = (critical_difference(board(scores), method=method).p_values <= 0.05).any()
        return found

    return Trials(any_pair(0.0, repetitions), any_pair(1.0, max(repetitions // 5, 4)))


# --- rank outliers ------------------------------------------------------------------------------


@cache
def _extremes(system: str) -> Any:
    """Return how often treebanks are in the subsets of a system's best and worst ranks."""
    ranks = stability(read_leaderboard("conll18"), size=10, samples=200_000)
    return explain_outliers(ranks, system, by=["genus"], search=False)


@statement(
    name="outliers-classes",
    verb="rank outliers",
    says="resource not big is over-represented (p corrected = 0.005)",
    kind="verdict",
    nominal=0.05,
    cases={name: name for name in ("SLT-Interactions", "Stanford", "UDPipe Future")},
    beside="power, if the treebanks in most subsets are one class",
    covers=("outliers.*p_value", "outliers.*p_corrected"),
    repetitions=600,
    quick=12,
)
def over_represented_classes(random: np.random.Generator, system: str, repetitions: int) -> Trials:
    """Real subsets of the shared task, the labels of its treebanks shuffled.

    The rate is that of tables, best and worst rank together, in which any class is flagged. For the
    power the ten treebanks that are in most subsets of the best rank are a class.
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
    beside="power, twice as many members",
    covers=("outliers.*.tail",),
    exact=True,
    repetitions=20_000,
    quick=500,
)
def one_subset(random: np.random.Generator, case: tuple[int, int, int], repetitions: int) -> Trials:
    """One subset and one class, drawn independently."""
    members, population, size = case
    tails = np.array(
        [tail(i, population=population, members=members, size=size) for i in range(size + 1)]
    )
    drawn, more = (
        random.hypergeometric(number, population - number, size, repetitions)
        for number in (members, 2 * members)
    )
    return Trials(tails[drawn] <= 0.05, tails[more] <= 0.05)


# --- certify ------------------------------------------------------------------------------------


@statement(
    name="certify-difference",
    verb="certify",
    says="mean difference +0.18 points, 95 % interval for other treebanks -0.73 to +1.09",
    kind="interval",
    nominal=0.95,
    cases=TABLES,
    beside="mean width (points)",
    covers=("certificate.difference.*",),
    repetitions=3000,
)
def certified_difference(random: np.random.Generator, treebanks: int, repetitions: int) -> Trials:
    """As compare-differences, with heavy tails: effects of treebanks have Student's law, 5 df."""
    codes = families(treebanks)
    low, high = np.empty((2, repetitions))
    for i in range(repetitions):
        effects = random.normal(0, FAMILY, codes.max() + 1)[codes]
        first = 70.5 + effects + random.standard_t(5, treebanks)
        made = differences(board(np.stack([first, np.full(treebanks, 70.0)])))
        at = made.systems.index("S0"), made.systems.index("S1")
        low[i], high[i] = made.numbers["low"][at], made.numbers["high"][at]
    return Trials((low <= 0.5) & (high >= 0.5), high - low)


@statement(
    name="certify-median",
    verb="certify",
    says="median difference +0.26 (95 % interval -0.51 to +0.96)",
    kind="interval",
    nominal=0.95,
    cases={"6 treebanks": 6, "12 treebanks": 12, "24 treebanks": 24},
    beside="mean width (points)",
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
    says="Primary test (Wilcoxon signed-rank over the means of 26 genera): p = 0.03",
    kind="test",
    nominal=0.05,
    cases={"6 families": 11, "10 families": 19, "45 families": 82},
    beside="power at 2 points",
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
            made = gain + effects + heavy(random, treebanks)
            means = np.bincount(codes, made) / sizes
            rejected[row, i] = signed_rank(means).p_value <= 0.05
    return Trials(rejected[0], rejected[1])


TESTS: dict[str, Any] = {
    "wilcoxon": lambda made: signed_rank(made).p_value,
    "sign": sign_test,
    "permutation": lambda made: permutation(made, 999, 0),
}


@statement(
    name="certify-other-tests",
    verb="certify",
    says="Other tests, with treebanks as independent units: signed-rank p = 0.3, sign p = 0.06, "
    "permutation of the mean p = 0.61",
    kind="test",
    nominal=0.05,
    cases={
        f"{name}, {treebanks} treebanks": (name, treebanks)
        for name in TESTS
        for treebanks in (6, 82)
    },
    beside="power at 1 point",
    covers=("certificate.tests.wilcoxon", "certificate.tests.sign",
            "certificate.tests.permutation"),
    exact=True,
    repetitions=1000,
)  # fmt: skip
def other_tests(random: np.random.Generator, case: tuple[str, int], repetitions: int) -> Trials:
    """Equal systems on independent treebanks, differences rounded so that some are equal or 0."""
    name, treebanks = case
    rejected = np.empty((2, repetitions), dtype=bool)
    for row, gain in enumerate((0.0, 1.0)):
        for i in range(repetitions):
            made = np.round(gain + heavy(random, treebanks), 1)
            rejected[row, i] = TESTS[name](made) <= 0.05
    return Trials(rejected[0], rejected[1])


# --- recommend ----------------------------------------------------------------------------------


def _margins(
    random: np.random.Generator, systems: int, repetitions: int, *, kinds: bool
) -> npt.NDArray[np.float64]:
    """Return margin, low and high of recommendations of 4 of 24 treebanks."""
    rows = []
    for _ in range(repetitions):
        scores = 70 + random.normal(0, 3, (systems, 1)) + random.normal(0, 4, (systems, 24))
        if kinds:
            kind = np.arange(24) % 4
            effects = random.normal(0, 8, (systems, 4)) * [2, 1, 1, 1]
            scores = 70 + effects[:, kind] + random.normal(0, 1, (systems, 24))
        made = board(scores)
        demands = demands_of(made, 4)
        search = SubsetSearch(made, demands, demands.orders(100, random))
        judged = judge(search, 4, 4, random)
        rows.append((judged.margin, judged.low, judged.high))
    return np.array(rows, dtype=np.float64)


@statement(
    name="recommend-verdict",
    verb="recommend",
    says="better than random",
    kind="verdict",
    nominal=0.025,
    cases={"12 systems": 12, "26 systems": 26},
    beside="power, four kinds of treebanks",
    covers=("recommendation.held_out.better",),
    repetitions=300,
    quick=3,
)
def better_than_random(random: np.random.Generator, systems: int, repetitions: int) -> Trials:
    """Tables of ability and noise, in which no subset ranks new systems better than another.

    For the power there are four kinds of treebanks, and one of each ranks systems best.
    """
    nothing = _margins(random, systems, repetitions, kinds=False)
    some = _margins(random, systems, max(repetitions // 4, 2), kinds=True)
    return Trials(nothing[:, 1] > 0, some[:, 1] > 0)


@statement(
    name="recommend-margin",
    verb="recommend",
    says="margin +0.029, 95 % interval -0.035 to +0.094",
    kind="advice",
    nominal=0.95,
    cases={"12 systems": 12, "26 systems": 26},
    beside="mean width",
    covers=("recommendation.held_out.low", "recommendation.held_out.high"),
    repetitions=300,
    quick=3,
)
def margin(random: np.random.Generator, systems: int, repetitions: int) -> Trials:
    """Four kinds of treebanks; the truth is the mean margin over all repetitions."""
    margins, low, high = _margins(random, systems, repetitions, kinds=True).T
    true = margins.mean()
    return Trials((low <= true) & (true <= high), high - low)


def sentence_counts(random: np.random.Generator, systems: int, sentences: int) -> SentenceScores:
    """Return counts on simulated sentences, some of which are harder for all, some for one."""
    gold = np.round(random.lognormal(2.5, 0.6, sentences)).clip(2, 60)
    logits = random.normal(1.2, 0.6, (systems, 1)) - random.normal(0, 0.7, sentences)
    logits = logits + random.normal(0, 0.7, (systems, sentences))
    correct = random.binomial(gold.astype(np.int64), 1 / (1 + np.exp(-logits)))
    words = np.broadcast_to(gold, correct.shape)
    return SentenceScores(correct.astype(np.float64), words, gold)


@statement(
    name="recommend-sentences",
    verb="recommend",
    says="its full LAS is within 1.16 of the estimate (95 %)",
    kind="advice",
    nominal=0.95,
    cases={
        "stratified, 6 systems": ("stratified", 6),
        "item-response, 6 systems": ("item-response", 6),
        "stratified, 12 systems": ("stratified", 12),
        "item-response, 12 systems": ("item-response", 12),
    },
    beside="mean half width (points)",
    covers=("sentence subsets.judged.within",),
    repetitions=600,
    quick=12,
)
def full_score(random: np.random.Generator, case: tuple[Method, int], repetitions: int) -> Trials:
    """100 of 400 sentences; what comes is the full score of one more system.

    Words of a sentence are correct with a probability that depends on the system, the sentence
    and both together. The subset is chosen and judged without the new system, with four repeats.
    """
    method, systems = case
    hits, widths = [], []
    for _ in range(repetitions):
        everything = sentence_counts(random, systems + 1, 400)
        old = everything.of(np.arange(systems))
        folds = list(folds_of(np.arange(systems), min(5, systems // 2), 4, random))
        within = judge_method(old, 100, method, folds, random).within
        draw = draw_sentences(old, 100, method, random)
        cells = np.ix_(np.array([systems]), draw.sentences)
        estimate = draw.estimate(everything.correct[cells], everything.words[cells])
        hits.append(abs(estimate[0] - everything.full[systems]) <= within)
        widths.append(within)
    return Trials(np.array(hits), np.array(widths))
