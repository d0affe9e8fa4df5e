"""Least squares, the importance of predictors, and their collinearity."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from math import comb

import numpy as np

from treegauge.core.errors import TreegaugeError
from treegauge.statistics.resampling import FloatArray


@dataclass(frozen=True, eq=False)
class LeastSquares:
    r"""The solution of :math:`y = b_0 + X b` on standardised predictors.

    Without that, raw token counts beside an EDV of 1e-3 lose digits.

    Attributes
    ----------
    centre, scale
        Mean and standard deviation of each predictor.
    slopes
        Change of the target for one standard deviation.
    whitener
        :math:`R^{-1}` of the QR decomposition; its rows have the slopes' uncertainty.
    residuals, left_out
        Errors of the fit, and of each row predicted from the others, :math:`e_i / (1 - h_i)`.
    noise, free
        Standard deviation of the residuals, and their degrees of freedom.
    """

    y: FloatArray
    mean: float
    centre: FloatArray
    scale: FloatArray
    slopes: FloatArray
    whitener: FloatArray
    residuals: FloatArray
    left_out: FloatArray
    noise: float
    free: int

    @classmethod
    def of(cls, values: FloatArray) -> "LeastSquares":
        """Solve for the target in the first column and the predictors in the others.

        Examples
        --------
        >>> line = LeastSquares.of(np.array([[1.0, 0], [3, 1], [5, 2], [7, 3]]))
        >>> (line.slopes / line.scale).round(6).tolist(), line.free
        ([2.0], 2)
        """
        y, x = values[:, 0], values[:, 1:]
        centre, scale = x.mean(axis=0), x.std(axis=0, ddof=1)
        scaled = (x - centre) / scale
        q, r = np.linalg.qr(scaled)
        whitener = np.linalg.inv(r)
        mean = float(y.mean())
        slopes = whitener @ (q.T @ (y - mean))
        residuals = y - mean - scaled @ slopes
        leverage = 1 / len(y) + np.square(q).sum(axis=1)
        free = len(y) - x.shape[1] - 1
        with np.errstate(divide="ignore", invalid="ignore"):
            # A row that alone fixes a coefficient cannot be predicted from the others.
            left_out = np.where(leverage < 1 - 1e-10, residuals / (1 - leverage), np.nan)
        noise = math.sqrt(float(residuals @ residuals) / free)
        return cls(y, mean, centre, scale, slopes, whitener, residuals, left_out, noise, free)


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

    From Pearson correlations (..., p + 1, p + 1), the target last, to (..., p).

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


HIGH_INFLATION = 10.0  # the usual threshold since Marquardt (1970)


def variance_inflation(correlations: FloatArray) -> FloatArray:
    r"""Return how much each predictor's uncertainty grows because of the others.

    :math:`VIF_j = 1 / (1 - R_j^2)`, with :math:`R_j^2` of predictor j on the others: the diagonal
    of the inverse of their correlation matrix. Infinite where the others determine it.

    Examples
    --------
    >>> variance_inflation(np.array([[1.0, 0.8], [0.8, 1.0]])).round(3).tolist()
    [2.778, 2.778]
    """
    size = len(correlations)
    inflation = np.empty(size)
    for j in range(size):
        rest = np.delete(np.arange(size), j)
        towards = correlations[j, rest]
        inverse = np.linalg.pinv(correlations[np.ix_(rest, rest)], rcond=1e-12, hermitian=True)
        unexplained = 1 - towards @ inverse @ towards
        inflation[j] = 1 / unexplained if unexplained > 1e-10 else np.inf
    return inflation


def condition_number(correlations: FloatArray) -> float:
    r"""Return :math:`\sqrt{\lambda_{max} / \lambda_{min}}` of the predictors' correlations.

    Examples
    --------
    >>> round(condition_number(np.array([[1.0, 0.8], [0.8, 1.0]])), 3)
    3.0
    """
    smallest, *_, largest = np.linalg.eigvalsh(correlations)[[0, -1]]
    return math.sqrt(largest / smallest) if smallest > 1e-12 * largest else math.inf


def collinearity_notes(names: Sequence[str], correlations: FloatArray) -> list[str]:
    """Return a warning for predictors that cannot be separated, or none.

    Examples
    --------
    >>> collinearity_notes(["a", "b"], np.array([[1.0, 0.99], [0.99, 1.0]]))
    ['collinear: variance inflation a 50.3, b 50.3 (above 10); their shares cannot be separated']
    """
    factors = zip(names, variance_inflation(correlations), strict=True)
    high = ", ".join(f"{name} {factor:.1f}" for name, factor in factors if factor > HIGH_INFLATION)
    note = f"collinear: variance inflation {high} (above {HIGH_INFLATION:g}); their shares cannot "
    return [note + "be separated"] if high else []
