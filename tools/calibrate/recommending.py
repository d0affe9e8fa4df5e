"""Statements of `recommend` about subsets of treebanks and of sentences."""

import numpy as np
import numpy.typing as npt

from tools.calibrate.registry import Trials, statement
from tools.calibrate.simulated_boards import board
from treegauge.ranking.recommend import judged_subsets
from treegauge.ranking.recommending.selection import SubsetSearch, demands_of, repeated_folds
from treegauge.ranking.recommending.sentence_draws import Method, SentenceScores, draw_sentences
from treegauge.ranking.recommending.sentence_judging import judge_method, judge_methods


def _margins(random: np.random.Generator, systems: int, repetitions: int, *, kinds: bool) -> npt.NDArray[np.float64]:
    """Return margin, low and high of recommendations of 4 of 24 treebanks."""
    rows = []
    for _ in range(repetitions):
        scores = 70 + random.normal(0, 3, (systems, 1)) + random.normal(0, 4, (systems, 24))
        if kinds:
            kind = np.arange(24) % 4
            effects = random.normal(0, 8, (systems, 4)) * [2, 1, 1, 1]
            scores = 70 + effects[:, kind] + random.normal(0, 1, (systems, 24))
        leaderboard = board(scores)
        demands = demands_of(leaderboard, 4)
        search = SubsetSearch(leaderboard, demands, demands.orders(100, random))
        judged = judged_subsets(search, 4, 4, random)
        rows.append((judged.margin, judged.low, judged.high))
    return np.array(rows, dtype=np.float64)


@statement(
    name="recommend-verdict",
    verb="recommend",
    says="better than random",
    kind="verdict",
    nominal=0.025,
    cases={"12 systems": 12, "26 systems": 26},
    secondary="power, four kinds of treebanks",
    covers=("recommendation.held_out.better",),
    repetitions=300,
    quick=3,
)
def better_than_random(random: np.random.Generator, systems: int, repetitions: int) -> Trials:
    """Tables of ability and noise, in which no subset ranks new systems better than another.

    For the power there are four kinds of treebanks, and one of each ranks systems best.
    """
    nothing = _margins(random, systems, repetitions, kinds=False)
    margins = _margins(random, systems, max(repetitions // 4, 2), kinds=True)
    return Trials(nothing[:, 1] > 0, margins[:, 1] > 0)


@statement(
    name="recommend-margin",
    verb="recommend",
    says="margin +0.029, 95 % interval -0.035 to +0.094",
    kind="advice",
    nominal=0.95,
    cases={"12 systems": 12, "26 systems": 26},
    secondary="mean width",
    covers=("recommendation.held_out.low", "recommendation.held_out.high"),
    repetitions=300,
    quick=3,
)
def margin(random: np.random.Generator, systems: int, repetitions: int) -> Trials:
    """Four kinds of treebanks; the truth is the mean margin over all repetitions."""
    margins, low, high = _margins(random, systems, repetitions, kinds=True).T
    true = margins.mean()
    return Trials((low <= true) & (true <= high), high - low)


def sentence_counts(random: np.random.Generator, systems: int, sentences: int, shared: float = 0.7) -> SentenceScores:
    """Return counts on simulated sentences, some of which are harder for all, some for one.

    `shared` is the standard deviation (in log odds) of how hard sentences are for all systems.
    """
    gold = np.round(random.lognormal(2.5, 0.6, sentences)).clip(2, 60)
    logits = random.normal(1.2, 0.6, (systems, 1)) - random.normal(0, shared, sentences)
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
    secondary="mean half width (points)",
    covers=("sentence subsets.judged.within",),
    repetitions=600,
    quick=8,
)
def full_score(random: np.random.Generator, case: tuple[Method, int], repetitions: int) -> Trials:
    """100 of 400 sentences; the truth is the full score of a new system.

    Words of a sentence are correct with a probability that depends on the system, the sentence
    and both together. The subset is chosen and judged without the new system, with four repeats.
    """
    method, systems = case
    hits, widths = [], []
    for _ in range(repetitions):
        everything = sentence_counts(random, systems + 1, 400)
        old = everything.of(np.arange(systems))
        folds = list(repeated_folds(np.arange(systems), min(5, systems // 2), 4, random))
        within = judge_method(old, 100, method, folds, random)[0].within
        draw = draw_sentences(old, 100, method, random)
        cells = np.ix_(np.array([systems]), draw.sentences)
        estimate = draw.estimate(everything.correct[cells], everything.words[cells])
        hits.append(abs(estimate[0] - everything.full[systems]) <= within)
        widths.append(within)
    return Trials(np.array(hits), np.array(widths))


@statement(
    name="recommend-sentences-verdict",
    verb="recommend",
    says="the error is 28 % lower (95 % interval 9 to 43 %)",
    kind="verdict",
    nominal=0.05,
    cases={
        "stratified, 6 systems, 2 repeats": ("stratified", 6, 2),
        "stratified, 6 systems, 10 repeats": ("stratified", 6, 10),
        "stratified, 12 systems, 10 repeats": ("stratified", 12, 10),
        "item-response, 6 systems, 4 repeats": ("item-response", 6, 4),
    },
    secondary="power, sentences that are hard for all systems",
    covers=("sentence subsets.judged.gain_low", "sentence subsets.judged.gain_high"),
    repetitions=300,
    quick=4,
)
def lower_error(random: np.random.Generator, case: tuple[Method, int, int], repetitions: int) -> Trials:
    """100 of 400 sentences, none of which is harder for all systems than another.

    Choosing by the errors of other systems then predicts a new system as random sentences do, and a
    verdict is wrong that calls the error lower or higher. For the power, sentences differ for all
    systems (standard deviation 0.7 in log odds) as much as for each alone.
    """
    method, systems, repeats = case

    def verdicts(shared: float, number: int) -> npt.NDArray[np.bool_]:
        found = np.empty((2, number), dtype=bool)
        for i in range(number):
            scores = sentence_counts(random, systems, 400, shared)
            judged, _ = judge_methods(scores, 100, 5, repeats, 100, random, (method, "random"))
            found[:, i] = judged.better, judged.worse
        return found

    nothing, effect = verdicts(0.0, repetitions), verdicts(0.7, max(repetitions // 3, 2))
    return Trials(nothing[0] | nothing[1], effect[0])
