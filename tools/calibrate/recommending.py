"""Statements of `recommend` about subsets of treebanks."""

import numpy as np
import numpy.typing as npt

from tools.calibrate.registry import Trials, statement
from tools.calibrate.simulated_boards import board
from treegauge.ranking.recommend import judged_subsets
from treegauge.ranking.selection import SubsetSearch, demands_of


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
