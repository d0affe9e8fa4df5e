"""How much of the explained variance is each predictor's: shares averaged over orderings."""

from itertools import combinations
from math import comb

import numpy as np

from treegauge.results.errors import TreegaugeError
from treegauge.statistics._resample import FloatArray

MOST = 14


def explained(correlations: FloatArray, predictors: tuple[int, ...]) -> FloatArray:
    r"""Return R² of the last column on some of the others.

    :math:`R^2 = c^\top C^{-1} c` with C the predictors' correlations and c theirs with the target.
    """
    if not predictors:
        return np.zeros(correlations.shape[:-2])
    chosen = list(predictors)
    among = correlations[..., chosen, :][..., chosen]
    towards = correlations[..., chosen, -1]
    weights = np.linalg.solve(among, towards[..., None])[..., 0]
    return np.asarray((towards * weights).sum(axis=-1))


def relative_importance(correlations: FloatArray) -> FloatArray:
    r"""Return the share of R² of each predictor (LMG), adding up to R².

    The gain in :math:`R^2` when a predictor joins those before it, averaged over all orderings:

    .. math:: \mathrm{LMG}_j = \frac1p \sum_{S \not\ni j} \binom{p-1}{|S|}^{-1}
              \bigl(R^2(S \cup \{j\}) - R^2(S)\bigr)

    Parameters
    ----------
    correlations
        Pearson correlations (..., p + 1, p + 1), the target last.

    Returns
    -------
    numpy.ndarray
        (..., p).

    Notes
    -----
    Lindeman, Merenda and Gold (1980); Grömping (2006). The Shapley values of R². Agrees with
    ``pingouin.linear_regression(relimp=True)``.

    Examples
    --------
    >>> correlations = np.array([[1, 0.5, 0.6], [0.5, 1, 0.4], [0.6, 0.4, 1.0]])
    >>> relative_importance(correlations).round(3).tolist()  # 0.287 and 0.087: R² = 0.373
    [0.287, 0.087]
    """
    size = correlations.shape[-1] - 1
    if size > MOST:
        raise TreegaugeError(
            f"relative importance looks at all subsets of predictors: at most {MOST}, found {size}"
        )
    everyone = range(size)
    gained = {
        subset: explained(correlations, subset)
        for count in range(size + 1)
        for subset in combinations(everyone, count)
    }
    shares = np.zeros((*correlations.shape[:-2], size))
    for subset, before in gained.items():
        for j in set(everyone) - set(subset):
            weight = 1 / (size * comb(size - 1, len(subset)))
            shares[..., j] += weight * (gained[tuple(sorted((*subset, j)))] - before)
    return shares
