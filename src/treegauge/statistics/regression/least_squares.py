"""Least squares, the importance of predictors, and their collinearity."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain, combinations
from math import comb

import numpy as np

from treegauge.core.errors import TreegaugeError
from treegauge.statistics.resampling.draws import FloatArray


@dataclass(frozen=True, eq=False)
class LeastSquares:
    r"""The solution of :math:`y = b_0 + X b` on standardised predictors.

    Without standardising, raw token counts next to an EDV of 1e-3 would lose digits.

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
        """Solve for the target in the first column and the predictors in the others."""
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
            # A row that alone determines a coefficient cannot be predicted from the others.
            left_out = np.where(leverage < 1 - 1e-10, residuals / (1 - leverage), np.nan)
        noise = math.sqrt(float(residuals @ residuals) / free)
        return cls(y, mean, centre, scale, slopes, whitener, residuals, left_out, noise, free)


MOST = 14


def relative_importance(correlations: FloatArray) -> FloatArray:
    r"""Return the share of R² of each predictor (LMG), adding up to R².

    The gain in :math:`R^2` when a predictor joins those before it, averaged over all orderings:

    .. math:: \mathrm{LMG}_j = \frac1p \sum_{S \not\ni j} \binom{p-1}{|S|}^{-1}
              \bigl(R^2(S \cup \{j\}) - R^2(S)\bigr)

    From Pearson correlations (p + 1, p + 1), the target last, with :math:`R^2 = c^\top C^{-1} c`,
    C those of the predictors in S and c theirs with the target.

    Notes
    -----
    Lindeman, Merenda and Gold (1980); Grömping (2006). The Shapley values of R². Agrees with
    ``pingouin.linear_regression(relimp=True)``.
    """
    size = correlations.shape[-1] - 1
    if size > MOST:
        raise TreegaugeError(
            f"relative importance needs all subsets of predictors: at most {MOST} predictors, found {size}"
        )
    explained: dict[tuple[int, ...], float] = {}
    for subset in chain.from_iterable(combinations(range(size), k) for k in range(size + 1)):
        towards = correlations[list(subset), -1]
        among = correlations[np.ix_(subset, subset)] if subset else np.empty((0, 0))
        explained[subset] = float((towards * np.linalg.solve(among, towards)).sum())
    shares = np.zeros(size)
    for subset, before in explained.items():
        for j in set(range(size)) - set(subset):
            weight = 1 / (size * comb(size - 1, len(subset)))
            shares[j] += weight * (explained[tuple(sorted((*subset, j)))] - before)
    return shares


HIGH_INFLATION = 10.0  # the usual threshold since Marquardt (1970)


def variance_inflation(correlations: FloatArray) -> FloatArray:
    r"""Return the variance inflation factor of each predictor.

    :math:`VIF_j = 1 / (1 - R_j^2)`, with :math:`R_j^2` of predictor j on the others: the diagonal
    of the inverse of their correlation matrix. Infinite where the others determine it.
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
    r"""Return :math:`\sqrt{\lambda_{max} / \lambda_{min}}` of the predictors' correlations."""
    smallest, *_, largest = np.linalg.eigvalsh(correlations)[[0, -1]]
    return math.sqrt(largest / smallest) if smallest > 1e-12 * largest else math.inf


def collinearity_notes(names: Sequence[str], correlations: FloatArray) -> list[str]:
    """Return a warning for collinear predictors, or nothing."""
    factors = zip(names, variance_inflation(correlations), strict=True)
    high = ", ".join(f"{name} {factor:.1f}" for name, factor in factors if factor > HIGH_INFLATION)
    note = f"collinear: variance inflation {high} (above {HIGH_INFLATION:g}); their shares cannot "
    return [note + "be separated"] if high else []
