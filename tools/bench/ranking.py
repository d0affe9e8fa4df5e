"""Rankings of 26 systems on 82 treebanks, compared with other packages."""

from typing import Any

from tools.bench.measuring import Contender, Makers, command, contest
from tools.bench.tables import VERSUS, Section, versus

OURS = "treegauge"
SIZE, SUBSETS = 10, 1_000_000
RESAMPLES, DRAWS = 2_000, 10_000
BEST, PAIR = "HIT-SCIR", ("TurkuNLP", "UDPipe Future")
FEW = 6
"""Number of systems for which rliable, which tests every treebank of every pair, takes seconds."""


def table() -> Any:
    """Return systems x treebanks, the LAS of CoNLL 2018."""
    from treegauge.ranking.reading import read_leaderboard

    return read_leaderboard("conll18")


def sampled() -> Contender:
    """Rank over random subsets."""
    from treegauge.ranking.stability.win_rates import stability

    scores = table()

    def mean_rank(found: Any) -> float:
        return float(found.table.filter(system=BEST)["mean"].item())

    return Contender(lambda n: stability(scores, size=SIZE, subsets=n), mean_rank)


def counted() -> Contender:
    """Count over all subsets of the size instead of a sample."""
    from treegauge.ranking.stability.exact_win_rates import exact_ranks

    scores = table()
    return Contender(lambda _: exact_ranks(scores, size=SIZE), lambda _: None)


def sketch() -> Contender:
    """Do the straightforward computation with numpy: shuffle, average, sort."""
    import numpy as np

    scores = table()
    columns, best = scores.values.T, scores.system(BEST)

    def run(samples: int) -> float:
        random, total = np.random.default_rng(0), 0
        for _ in range(samples // 10_000):
            chosen = random.random((10_000, len(columns))).argsort(axis=1)[:, :SIZE]
            means = columns[chosen].mean(axis=1)
            ranks = (-means).argsort(axis=1).argsort(axis=1)
            total += ranks[:, best].sum()
        return 1 + total / samples

    return Contender(run, lambda rank: rank)


def critical() -> Contender:
    """Test all systems and all pairs of them."""
    from treegauge.ranking.compare import critical_difference

    scores = table()
    return Contender(lambda: critical_difference(scores), lambda found: _pairs(found.p_values <= 0.05))


def autorank() -> Contender:
    """Let autorank do the same, with ranks."""
    from autorank import autorank as compare

    frame = _frame()

    def answer(found: Any) -> float:
        ranks = found.rankdf.meanrank.to_numpy()
        return _pairs(abs(ranks[:, None] - ranks) > found.cd)

    return Contender(lambda: compare(frame, alpha=0.05, force_mode="nonparametric"), answer)


def posthocs() -> Contender:
    """Let scipy test all systems, and scikit-posthocs all pairs."""
    from scikit_posthocs import posthoc_nemenyi_friedman
    from scipy.stats import friedmanchisquare

    values = table().values

    def run() -> Any:
        return friedmanchisquare(*values), posthoc_nemenyi_friedman(values.T)

    return Contender(run, lambda found: _pairs(found[1].to_numpy() <= 0.05))


def _frame() -> Any:
    import pandas as pd

    scores = table()
    return pd.DataFrame(scores.values.T, columns=scores.systems)


def _pairs(differ: Any) -> int:
    import numpy as np

    return int(np.triu(differ, 1).sum())


def improvement() -> Contender:
    """Estimate for every pair how probable an improvement is, with an interval."""
    from treegauge.ranking.pairs import improvement as estimate

    few = _few()
    return Contender(lambda: estimate(few), lambda found: _above(found.numbers["probability"]))


def rliable() -> Contender:
    """Let rliable estimate the same, without intervals."""
    import numpy as np
    from rliable.metrics import probability_of_improvement

    values = _few().values

    def run() -> Any:
        every = range(FEW)
        found = np.full((FEW, FEW), 0.5)
        for a in every:
            for b in every[a + 1 :]:
                found[a, b] = probability_of_improvement(values[[a]], values[[b]])
        return found

    return Contender(run, _above)


def _few() -> Any:
    """Return the best systems by mean, in order."""
    scores = table()
    order = scores.values.mean(axis=1).argsort()[::-1]
    return scores.select(systems=[scores.systems[i] for i in order[:FEW]])


def _above(probability: Any) -> float:
    import numpy as np

    return float(probability[np.triu_indices(FEW, 1)].sum())


def permuted() -> Contender:
    """Swap the two systems' scores treebank by treebank."""
    import numpy as np

    from treegauge.statistics.permutation import paired_permutation

    a, b = (np.column_stack([one, np.ones(len(one))]) for one in _two())

    def run() -> Any:
        return paired_permutation(a, b, lambda s: s[..., :1] / s[..., 1:], permutations=DRAWS)

    return Contender(run, lambda found: found.p_value[0])


def scipy() -> Contender:
    """Let scipy do the same."""
    import numpy as np
    from scipy.stats import permutation_test

    pair, random = _two(), np.random.default_rng(0)

    def difference(a: Any, b: Any, axis: int) -> Any:
        return np.mean(a, axis=axis) - np.mean(b, axis=axis)

    def run() -> Any:
        return permutation_test(
            pair, difference, permutation_type="samples", n_resamples=DRAWS, vectorized=True, rng=random
        )

    return Contender(run, lambda found: found.pvalue)


def ranx() -> Contender:
    """Let ranx do the same, compiled and on all processors."""
    from ranx.statistical_tests import fisher_randomization_test

    a, b = _two()
    fisher_randomization_test(a, b, 10)
    return Contender(lambda: fisher_randomization_test(a, b, DRAWS), lambda found: found[0])


def deepsig() -> Contender:
    """Let deepsig do the same, in one direction only, which is another p-value."""
    from deepsig import permutation_test

    a, b = _two()
    return Contender(lambda: permutation_test(a, b, num_samples=DRAWS, seed=0), lambda _: None)


def _two() -> tuple[Any, Any]:
    scores = table()
    first, second = (scores.values[scores.system(name)] for name in PAIR)
    return first, second


STABILITY = "subsets of 10 treebanks"
JOBS: dict[str, Makers] = {
    STABILITY: {
        f"{OURS}, {SUBSETS:,} drawn": sampled,
        f"{OURS}, all 2.1e12": counted,
        f"numpy sketch, {SUBSETS:,} drawn": sketch,
    },
    "Friedman and Nemenyi": {OURS: critical, "autorank": autorank, "scipy and scikit-posthocs": posthocs},
    f"probability of improvement, {FEW} systems": {f"{OURS}, with intervals": improvement, "rliable, without": rliable},
    f"paired permutation test, {DRAWS:,} draws": {
        OURS: permuted,
        "scipy": scipy,
        "ranx": ranx,
        "deepsig, one-sided": deepsig,
    },
}
# Ranks average over a million subsets, p-values over ten thousand swaps.
TOLERANCES = {STABILITY: 0.003, f"paired permutation test, {DRAWS:,} draws": 0.03}
COMMAND = f"rank conll18 --metric las --size {SIZE} --subsets {SUBSETS} --seed 0".split()
EVERY = f"rank conll18 --metric las --size {SIZE} --subsets all".split()


def run(repeats: int) -> Section:
    """Let the contenders do their jobs, and time our whole commands."""
    rows = []
    for job, makers in JOBS.items():
        given = [SUBSETS] if job == STABILITY else []
        rows += versus(job, contest(
            "ranking", job, makers, *given, small=[10_000] if given else [], repeats=repeats,
            tolerance=TOLERANCES.get(job, 1e-9),
        ))  # fmt: skip
    whole = {
        "`treegauge rank`": command(*COMMAND, repeats=repeats),
        "`treegauge rank --subsets all`": command(*EVERY, repeats=repeats),
    }
    rows += versus("whole command", whole)
    text = (
        "LAS of 26 systems on 82 treebanks (CoNLL 2018). Results agree where definitions do, "
        "random ones up to sampling error. The sketch is ten lines of numpy. rliable runs without "
        "its intervals, which need a release of arch that does not import with pandas 3."
    )
    return Section("Ranking", text, VERSUS, rows)
