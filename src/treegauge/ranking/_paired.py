"""Paired comparisons of two systems with treebanks as units: tests and intervals."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class Estimate:
    """A number with its bootstrap interval over treebanks."""

    value: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{self.value:.2f} (95 % interval {self.low:.2f} to {self.high:.2f})"


def wilcoxon(differences: NDArray[Any]) -> tuple[float, float]:
    """Return two-sided p of the signed-rank test and the matched-pairs rank-biserial correlation.

    Zeros are left out. The distribution is exact for up to 50 differences without ties, else
    normal. The correlation is (W+ - W-) / (W+ + W-), from -1 to 1.

    Examples
    --------
    >>> wilcoxon(np.array([1, 2, 3, 4, -5]))
    (0.625, 0.3333333333333333)
    """
    from scipy import stats

    moved = differences[differences != 0]
    if not len(moved):
        return 1.0, 0.0
    ranks = stats.rankdata(np.abs(moved))
    biserial = float(ranks @ np.sign(moved) / ranks.sum())
    exact = len(moved) <= 50 and len(np.unique(np.abs(moved))) == len(moved)
    found = stats.wilcoxon(moved, method="exact" if exact else "asymptotic")
    return float(found.pvalue), biserial


def sign_test(differences: NDArray[Any]) -> float:
    """Return two-sided p of the sign test; zeros are left out.

    Examples
    --------
    >>> sign_test(np.array([1, 2, 3, 4, -5, 0]))
    0.375
    """
    from scipy.stats import binomtest

    ahead, behind = int((differences > 0).sum()), int((differences < 0).sum())
    return float(binomtest(ahead, ahead + behind).pvalue) if ahead + behind else 1.0


def permutation(differences: NDArray[np.float64], draws: int, seed: int) -> float:
    """Return two-sided p of the mean difference when signs are exchanged at random.

    Examples
    --------
    >>> permutation(np.array([1.0, 2.0, 3.0]), 1000, 0)
    0.25
    """
    from treegauge.statistics.permutation import paired_permutation

    a, held = differences[:, None], len(differences)
    compared = paired_permutation(
        a, np.zeros_like(a), lambda sums: sums / held, permutations=draws, seed=seed
    )
    return float(compared.p_value[0])


def intervals(
    differences: NDArray[np.float64], resamples: int, seed: int
) -> tuple[Estimate, Estimate]:
    """Return the mean difference and the probability of improvement, with intervals.

    Examples
    --------
    >>> mean, better = intervals(np.array([1.0, 2.0, 0.0, -1.0]), 1000, 0)
    >>> mean.value, better.value
    (0.5, 0.625)
    """
    from treegauge.statistics.bootstrap import bootstrap

    better = np.where(differences == 0, 0.5, differences > 0)
    counts = np.stack([differences, better, np.ones_like(better)], axis=1)
    found = bootstrap(
        counts, lambda sums: sums[..., :2] / sums[..., [2]], resamples=resamples, seed=seed
    )
    first, second = (
        Estimate(float(found.estimate[i]), float(found.low[i]), float(found.high[i]))
        for i in range(2)
    )
    return first, second
