"""Statements of `score` on folders about macro averages and differences over treebanks."""

from functools import partial

import numpy as np

from tools.calibrate.registry import Trials, statement
from tools.calibrate.scoring import counted
from tools.calibrate.simulated import scored, scored_pair
from treegauge.scoring.certainty import difference, estimate, p_greater
from treegauge.scoring.paired_tests import over_treebanks, percent_interval
from treegauge.statistics.hierarchy import hierarchy
from treegauge.statistics.multiple import partial_conjunction
from treegauge.statistics.units import LEAST_GROUPS, LEAST_TREEBANKS

interval = partial(statement, verb="score", kind="interval", nominal=0.95)
SIZES = {"2 treebanks, 10 sentences each": (2, 10), "5 treebanks, 50 sentences each": (5, 50)}


@interval(
    name="score-macro-average",
    says="macro average LAS 80.1 (79.2 to 81.0) on these treebanks",
    cases=SIZES,
    secondary="mean width (points)",
    covers=(
        "suite.averages.*_low",
        "suite.averages.*_high",
        "standings.low",
        "standings.high",
        "standings.ranking.low",
        "standings.ranking.high",
    ),
    repetitions=1000,
    quick=60,
)
def macro_average(random: np.random.Generator, case: tuple[int, int], repetitions: int) -> Trials:
    """Treebanks whose true LAS is 75, 80 or 85; sentences are drawn."""
    truths = [(0.75, 0.8, 0.85)[t % 3] for t in range(case[0])]
    names = [f"UD_X-{t}" for t in range(case[0])]
    limits = np.full((repetitions, 2), np.nan)
    for i in range(repetitions):
        made = [estimate(counted(scored(random, case[1], truth))) for truth in truths]
        here = over_treebanks(names, [float(one.value[0]) for one in made], made).here
        limits[i] = (here and percent_interval(here, 0.95, share=True)) or np.nan
    low, high = limits[~np.isnan(limits[:, 0])].T
    truth = 100 * float(np.mean(truths))
    return Trials((low <= truth) & (truth <= high), high - low)


@partial(statement, verb="score", kind="test", nominal=0.05)(
    name="score-macro-test",
    says="A - B over these treebanks: p = 0.03",
    cases=SIZES,
    secondary="power at +3 points",
    covers=("comparisons.p_value", "comparisons.low", "comparisons.high"),
    repetitions=1000,
    quick=60,
)
def macro_test(random: np.random.Generator, case: tuple[int, int], repetitions: int) -> Trials:
    """Systems equally accurate on every sentence of every treebank, or one 3 points ahead."""
    names = [f"UD_X-{t}" for t in range(case[0])]
    found = np.zeros((2, repetitions), bool)
    for row, gain in enumerate((0.0, 0.03)):
        for i in range(repetitions):
            pairs = [scored_pair(random, case[1], gain=gain) for _ in names]
            made = [difference(*map(counted, pair)) for pair in pairs]
            here = over_treebanks(names, [float(one.value[0]) for one in made], made).here
            found[row, i] = here is not None and float(here.p_value()) <= 0.05
    return Trials(*found)


@interval(
    name="score-new-treebank",
    says="A - B on a new treebank: -1.2 to +3.4",
    cases={
        f"{LEAST_TREEBANKS} treebanks, {LEAST_GROUPS} genera": (LEAST_TREEBANKS, LEAST_GROUPS),
        "82 treebanks, 30 genera": (82, 30),
    },
    secondary="mean width (points)",
    covers=("comparisons.new_low", "comparisons.new_high"),
)
def new_treebank(random: np.random.Generator, case: tuple[int, int], repetitions: int) -> Trials:
    """Differences vary by genus (sd 0.5 points) and by treebank (sd 1); a new genus is drawn."""
    treebanks, genera = case
    groups = [t % genera for t in range(treebanks)]
    own = 0.5 * random.normal(size=(repetitions, genera))[:, groups]
    values = 1.0 + own + random.normal(size=(repetitions, treebanks))
    low, high = hierarchy(values, groups).new.interval()
    came = 1.0 + random.normal(scale=np.hypot(0.5, 1), size=repetitions)
    return Trials((low <= came) & (came <= high), high - low)


@partial(statement, verb="score", kind="verdict", nominal=0.05)(
    name="score-claims",
    says="A is better than B on at least 2 of 3 treebanks",
    cases={"3 treebanks, 10 sentences": (3, 10), "3 treebanks, 200 sentences": (3, 200)},
    secondary="power at +3 points",
    covers=("claims.*better*",),
    repetitions=1000,
    quick=60,
)
def claims(random: np.random.Generator, case: tuple[int, int], repetitions: int) -> Trials:
    """Systems equally accurate everywhere: any claim in either direction is wrong."""
    found = np.zeros((2, repetitions), bool)
    for row, gain in enumerate((0.0, 0.03)):
        for i in range(repetitions):
            pairs = [scored_pair(random, case[1], gain=gain) for _ in range(case[0])]
            sides = [pairs, [(b, a) for a, b in pairs]]
            for side in sides:
                p_values = [p_greater(difference(*map(counted, pair)))[0] for pair in side]
                found[row, i] |= partial_conjunction(p_values, alpha=0.025).k_hat > 0
    return Trials(*found)
