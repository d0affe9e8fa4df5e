"""Intervals and paired tests on a large test set, compared with scipy and a simple loop."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from tools.bench.measuring import Contender, Makers, contest
from tools.bench.tables import VERSUS, Section, versus

if TYPE_CHECKING:
    from treegauge.statistics.bootstrap import Method

OURS = "treegauge"
UNITS, COLUMNS, RESAMPLES, PERMUTATIONS = 26_000, 30, 1_000, 10_000
SMALL = (100, 10)
FEW_UNITS, FEW_DRAWS, MANY_UNITS, MANY_DRAWS = 2_600, 1_000, 1_000_000, 100


def f1(sums: Any) -> Any:
    """Return F1 of metrics from blocks of columns: correct, system and gold."""
    third = sums.shape[-1] // 3
    correct, system, gold = (sums[..., i * third : (i + 1) * third] for i in range(3))
    return 2 * correct / (system + gold)


def sentences(units: int, columns: int = COLUMNS, seed: int = 0) -> Any:
    """Return random counts of sentences with 1 to 60 words, about four in five correct."""
    import numpy as np

    random = np.random.default_rng(seed)
    words = random.integers(1, 61, size=(units, 1), dtype=np.int32)
    everything = np.repeat(words, columns, axis=1)
    third = columns // 3
    everything[:, :third] = random.binomial(words, 0.8, size=(units, third))
    return everything


def _low(found: Any) -> float:
    return float(found.low[0])


def ours(columns: int = COLUMNS, method: "Method" = "percentile", most: int = UNITS) -> Callable[[], Contender]:
    """Return our bootstrap of sums."""

    def make() -> Contender:
        from treegauge.statistics.bootstrap import bootstrap

        counts = sentences(most, columns)

        def run(units: int, resamples: int) -> Any:
            return bootstrap(counts[:units], f1, resamples=resamples, method=method)

        return Contender(run, _low)

    return make


def loop() -> Contender:
    """Resample sentences and sum in a loop, as one would write without a package."""
    import numpy as np

    counts = sentences(UNITS)

    def run(units: int, resamples: int) -> Any:
        random = np.random.default_rng(0)
        drawn = (random.integers(units, size=units) for _ in range(resamples))
        values = np.array([f1(counts[:units][chosen].sum(axis=0)) for chosen in drawn])
        return np.quantile(values[:, 0], 0.025)

    return Contender(run, float)


def scipy_bootstrap() -> Contender:
    """Let scipy resample sentences of one metric."""
    import numpy as np
    from scipy.stats import bootstrap

    counts = sentences(UNITS, 3)

    def statistic(correct: Any, system: Any, gold: Any, axis: int = -1) -> Any:
        return 2 * correct.sum(axis=axis) / (system.sum(axis=axis) + gold.sum(axis=axis))

    def run(units: int, resamples: int) -> Any:
        return bootstrap(
            tuple(counts[:units].T), statistic, n_resamples=resamples, method="percentile",
            paired=True, vectorized=True, batch=50, rng=np.random.default_rng(0),
        )  # fmt: skip

    return Contender(run, lambda found: found.confidence_interval.low)


def paired(columns: int = COLUMNS) -> Callable[[], Contender]:
    """Return our permutation test of two systems."""

    def make() -> Contender:
        from treegauge.statistics.permutation import paired_permutation

        a, b = sentences(UNITS, columns), sentences(UNITS, columns, seed=1)
        b[:, columns // 3 :] = a[:, columns // 3 :]  # the same words

        def run(units: int, draws: int) -> Any:
            return paired_permutation(a[:units], b[:units], f1, permutations=draws)

        return Contender(run, lambda _: None)

    return make


def scipy_permutation() -> Contender:
    """Let scipy swap one metric's counts sentence by sentence."""
    import numpy as np
    from scipy.stats import permutation_test

    a, b = sentences(UNITS, 3), sentences(UNITS, 3, seed=1)
    words = 2 * a[:, 1]

    def run(units: int, draws: int) -> Any:
        total = words[:units].sum()

        def statistic(x: Any, y: Any, axis: int) -> Any:
            return 2 * (x.sum(axis=axis) - y.sum(axis=axis)) / total

        return permutation_test(
            (a[:units, 0], b[:units, 0]), statistic, permutation_type="samples",
            n_resamples=draws, batch=50, vectorized=True, rng=np.random.default_rng(0),
        )  # fmt: skip

    return Contender(run, lambda _: None)


def partial() -> Contender:
    """Correlate ranks given two covariates."""
    from treegauge.statistics.correlation_coefficients import coefficients
    from treegauge.statistics.correlation_coefficients import partial as given_others

    values = _columns()

    def run() -> Any:
        return given_others(coefficients(values, "spearman"))

    return Contender(run, float)


def pingouin() -> Contender:
    """Let pingouin do the same."""
    import pandas as pd
    from pingouin import partial_corr

    frame = pd.DataFrame(_columns(), columns=list("abcd"))

    def run() -> Any:
        return partial_corr(frame, x="a", y="b", covar=["c", "d"], method="spearman")

    return Contender(run, lambda found: found["r"].iloc[0])


def _columns() -> Any:
    import numpy as np

    random = np.random.default_rng(0)
    shared = random.standard_normal((82, 1))
    return shared + random.standard_normal((82, 4))


ONE = f"interval of one metric, {FEW_UNITS:,} sentences, {FEW_DRAWS:,} resamples"
TEN = f"intervals of ten metrics, {UNITS:,} sentences, {RESAMPLES:,} resamples"
MANY = f"intervals of ten metrics, {MANY_UNITS:,} sentences, {MANY_DRAWS} resamples"
SWAPS = f"paired permutations, {FEW_UNITS:,} sentences, {FEW_DRAWS:,} draws"
MORE_SWAPS = f"paired permutations, {UNITS:,} sentences, ten metrics, {PERMUTATIONS:,} draws"
PARTIAL = "partial rank correlation, 82 rows, 2 covariates"
JOBS: dict[str, Makers] = {
    ONE: {OURS: ours(3), "scipy": scipy_bootstrap},
    TEN: {OURS: ours(), f"{OURS}, BCa": ours(method="bca"), "loop over resamples": loop},
    MANY: {f"{OURS}, BCa": ours(method="bca", most=MANY_UNITS)},
    SWAPS: {OURS: paired(3), "scipy": scipy_permutation},
    MORE_SWAPS: {OURS: paired()},
    PARTIAL: {OURS: partial, "pingouin, with p-value and interval": pingouin},
}
GIVEN = {
    ONE: (FEW_UNITS, FEW_DRAWS), TEN: (UNITS, RESAMPLES), MANY: (MANY_UNITS, MANY_DRAWS),
    SWAPS: (FEW_UNITS, FEW_DRAWS), MORE_SWAPS: (UNITS, PERMUTATIONS), PARTIAL: (),
}  # fmt: skip


def run(repeats: int) -> Section:
    """Let the contenders do their jobs."""
    rows = []
    for job, makers in JOBS.items():
        given = GIVEN[job]
        once = 1 if job == MANY else repeats
        found = contest("resampling", job, makers, *given, small=SMALL if given else (), repeats=once, tolerance=1e-3)
        rows += versus(job, found)
    text = "Sentences of 1 to 60 words, 80 % correct. Intervals agree up to sampling error, correlations exactly."
    return Section("ScoreOptions and correlating", text, VERSUS, rows)
