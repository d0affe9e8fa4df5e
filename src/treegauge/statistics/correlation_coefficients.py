"""Coefficients of association with intervals and p-values, and least squares."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import chain, combinations
from math import comb
from typing import get_args

import numpy as np
import numpy.typing as npt

from treegauge.core.errors import ChoiceError, TreegaugeError
from treegauge.core.lazy import scipy
from treegauge.statistics.draws import FloatArray
from treegauge.statistics.planning import check_shares, correlation_power
from treegauge.statistics.student_intervals import effective_df
from treegauge.statistics.variables import Coefficient

#: Minimum number of rows, minus covariates, for an interval or p-value.
LEAST_ROWS = 8
# Rows below which Spearman's p-value has a correction for continuity.
_FEW = 20
# Remaining share of a column's variance below which the covariates determine it.
_NOTHING = 1e-10


def check_coefficient(method: str) -> None:
    """Refuse an unknown coefficient and list the known ones."""
    if method not in get_args(Coefficient):
        raise ChoiceError("coefficient", method, get_args(Coefficient))


def coefficients(values: FloatArray, method: Coefficient = "spearman") -> FloatArray:
    r"""Return the matrix of coefficients between all columns.

    Pearson's r is the covariance over the standard deviations, Spearman's rho the same of the
    ranks (ties share their mean rank), Kendall's tau-b
    :math:`\sum_{i<j} s_{ij} t_{ij} / \sqrt{\sum_{i<j} s_{ij}^2 \sum_{i<j} t_{ij}^2}` with
    :math:`s_{ij}, t_{ij}` the signs of the differences between rows i and j. From (..., rows,
    columns) to (..., columns, columns); NaN in row and column of a constant.
    """
    check_coefficient(method)
    if method == "kendall":
        return _kendall(values)
    if method == "spearman":
        values = scipy.stats.rankdata(values, axis=-2)
    centred = values - values.mean(axis=-2, keepdims=True)
    return _scaled(np.swapaxes(centred, -1, -2) @ centred, np.abs(values).max(axis=-2))


def _scaled(products: FloatArray, size: FloatArray) -> FloatArray:
    """Divide sums of products by the lengths; columns of rounding error are constants."""
    lengths = np.sqrt(np.diagonal(products, axis1=-2, axis2=-1))
    lengths = np.where(lengths > 1e-14 * size, lengths, np.nan)
    matrix = products / lengths[..., :, None] / lengths[..., None, :]
    return np.clip(matrix, -1.0, 1.0)


def _kendall(values: FloatArray) -> FloatArray:
    rows = values.shape[-2]
    first, second = np.triu_indices(rows, 1)
    stack = values.reshape(-1, *values.shape[-2:])
    result = np.empty((len(stack), values.shape[-1], values.shape[-1]))
    for i, sample in enumerate(stack):
        signs = np.sign(sample[first] - sample[second])
        result[i] = _scaled(signs.T @ signs, np.ones(values.shape[-1]))
    return result.reshape(*values.shape[:-2], *result.shape[1:])


def partial(matrix: FloatArray) -> FloatArray:
    r"""Return the partial coefficient of the first two columns given all the others.

    With :math:`P` the pseudo-inverse of the coefficient matrix, :math:`-P_{12} /
    \sqrt{P_{11} P_{22}}`; computed from the part of each column that the others leave,
    :math:`C_{ab} - C_{az} C_{zz}^+ C_{zb}`, which is the same and stays exact when the two columns
    are perfectly correlated or the covariates repeat one another. NaN where a column is constant or
    the covariates determine one of the two.
    """
    matrix = np.asarray(matrix, dtype=np.float64)
    if matrix.shape[-1] == 2:
        return matrix[..., 0, 1]
    usable = np.asarray(np.isfinite(matrix).all(axis=(-2, -1)))
    filled = np.where(usable[..., None, None], matrix, np.eye(matrix.shape[-1]))
    towards = filled[..., :2, 2:]
    inverse = np.linalg.pinv(filled[..., 2:, 2:], rcond=1e-12, hermitian=True)
    left = filled[..., :2, :2] - towards @ inverse @ np.swapaxes(towards, -1, -2)
    first, second = left[..., 0, 0], left[..., 1, 1]
    usable &= (first > _NOTHING) & (second > _NOTHING)
    scale = np.sqrt(np.where(usable, first * second, 1.0))
    return np.where(usable, np.clip(left[..., 0, 1] / scale, -1.0, 1.0), np.nan)


def partials(matrix: FloatArray, steps: int) -> FloatArray:
    """Return coefficients of the first two columns given 0, 1 ... of the others: (..., steps)."""
    return np.stack([partial(matrix[..., : 2 + k, : 2 + k]) for k in range(steps)], axis=-1)


@dataclass(frozen=True)
class Inference:
    """A coefficient with interval, p-value and power; None if there are too few rows.

    Fisher's interval; r² and its less biased version, shares of the variance (of ranks, for
    Spearman; None for Kendall's tau); the two-sided p-value; power as if `r` were the truth.
    """

    r: float | None = None
    low: float | None = None
    high: float | None = None
    r2: float | None = None
    adjusted_r2: float | None = None
    p_value: float | None = None
    power: float | None = None


def inference(r: float, n: int, k: int = 0, *, method: Coefficient = "spearman", level: float = 0.95) -> Inference:
    r"""Return interval, adjusted square, p-value and power of a coefficient.

    For n rows and k covariates, with :math:`z` the normal quantile of the level:

    - interval: :math:`\tanh(\operatorname{atanh} r \pm z / \sqrt{n - k - 3})`, for Kendall
      :math:`\pm z \sqrt{0.437 / (n - k - 4)}`;
    - adjusted square: :math:`1 - (1 - r^2) (n - 1) / (n - k - 2)`;
    - p-value: Student's t with :math:`n - k - 2` degrees of freedom at
      :math:`r \sqrt{(n - k - 2) / (1 - r^2)}` (Spearman below 20 rows: r nearer to 0 by :math:`6 /
      m (m^2 - 1)`, m = n - k), for Kendall the normal distribution with variance :math:`2 (2n + 5)
      / 9 n (n - 1)`, and none given covariates: if two columns are independent given a third, the
      partial tau is not 0, so with enough rows any test of 0 rejects;
    - power: :func:`treegauge.statistics.planning.correlation_power` at n - k rows.

    Below 8 rows (n - k) there is neither interval nor p-value.

    Notes
    -----
    Interval of Kendall's tau: Fieller, Hartley and Pearson (1957). For Spearman the same paper
    has the standard error 1.03 times as wide; here it is as the EDV paper and pingouin have it.

    Examples
    --------
    >>> found = inference(-0.265, n=94, k=1)  # Table 4 of the EDV paper
    >>> [round(x, 3) for x in (found.low, found.high, found.adjusted_r2, found.p_value)]
    [-0.445, -0.065, 0.05, 0.01]
    """
    check_coefficient(method)
    if not -1 <= r <= 1:
        raise TreegaugeError(f"r: expected a coefficient from -1 to 1, found {r!r}")
    if k < 0 or n < 0:
        raise TreegaugeError(f"expected n and k of at least 0, found n = {n}, k = {k}")
    check_shares(level=level)
    low, high, p_value = _fisher(r, n - k, method, level) if n - k >= LEAST_ROWS else [None] * 3
    variance = method != "kendall"
    free = n - k - 2
    return Inference(
        r=r, low=low, high=high, r2=r * r if variance else None,
        adjusted_r2=1 - (1 - r * r) * (n - 1) / free if variance and free > 0 else None,
        p_value=None if k and method == "kendall" else p_value,
        power=correlation_power(r, n - k) if variance and n - k > 3 else None,
    )  # fmt: skip


def correlated_pair(values: FloatArray, *, method: Coefficient = "spearman", level: float = 0.95) -> Inference:
    """Return the coefficient of two columns with its inference; empty for a constant column.

    Here Kendall's p-value is exact for few rows and takes ties into account.
    """
    r = float(coefficients(values, method)[0, 1])
    if math.isnan(r):
        return Inference()
    result = inference(r, len(values), method=method, level=level)
    if method == "kendall" and result.p_value is not None:
        result = replace(result, p_value=float(scipy.stats.kendalltau(values[:, 0], values[:, 1]).pvalue))
    return result


def _fisher(r: float, rows: int, method: Coefficient, level: float) -> tuple[float, float, float]:
    """Return the limits of the interval, and the p-value."""
    kendall, free = method == "kendall", rows - 2
    low = high = r
    if abs(r) < 1:
        error = math.sqrt(0.437 / (rows - 4) if kendall else 1 / (rows - 3))
        reach = float(scipy.special.ndtri((1 + level) / 2)) * error
        low, high = math.tanh(math.atanh(r) - reach), math.tanh(math.atanh(r) + reach)
    if kendall:
        variance = 2 * (2 * rows + 5) / (9 * rows * (rows - 1))
        return low, high, float(2 * scipy.special.ndtr(-abs(r) / math.sqrt(variance)))
    if method == "spearman" and rows < _FEW:
        # Half a step of rho, since its values are discrete with few rows.
        r = max(0.0, abs(r) - 6 / (rows * (rows**2 - 1)))
    if abs(r) == 1:
        return low, high, 0.0
    return low, high, float(2 * scipy.special.stdtr(free, -abs(r) * math.sqrt(free / (1 - r * r))))


@dataclass(frozen=True, eq=False)
class SlopeErrors:
    """Covariance of intercept and standardised slopes, and the sd of a new row, with degrees of freedom."""

    covariance: FloatArray
    df: float
    noise: float
    noise_df: float

    def reach(self, x: FloatArray, level: float) -> FloatArray:
        """Return half the widths of prediction intervals of rows (rows, 1 + predictors)."""
        due = np.einsum("ij,jk,ik->i", x, self.covariance, x)
        df = (self.noise**2 + due) ** 2 / (self.noise**4 / self.noise_df + due**2 / self.df)
        df = np.full_like(due, self.df) if self.df == self.noise_df else df
        return np.asarray(scipy.special.stdtrit(df, (1 + level) / 2) * np.sqrt(self.noise**2 + due))


@dataclass(frozen=True, eq=False)
class LeastSquares:
    r"""The solution of :math:`y = b_0 + X b` on standardised predictors.

    Without standardising, raw token counts next to an EDV of 1e-3 would lose digits.

    Attributes
    ----------
    centre, scale
        Mean and standard deviation of each predictor.
    slopes, scaled
        Change of the target for one standard deviation, and the standardised predictors.
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
    scaled: FloatArray
    whitener: FloatArray
    residuals: FloatArray
    left_out: FloatArray
    noise: float
    free: int

    def errors(self, codes: npt.NDArray[np.intp] | None = None) -> "SlopeErrors":
        r"""Return the errors of the fit, for independent rows or for clusters of rows.

        With :math:`b_{(g)}` the coefficients without cluster g, their covariance over clusters is
        :math:`\frac{G-1}{G} \sum_g (b_{(g)} - b) (b_{(g)} - b)^\top`, with the degrees of freedom of
        :func:`~treegauge.statistics.student_intervals.effective_df`. The variance of a new row of a new
        cluster is the mean over clusters of squared errors predicted from the others, less the part
        due to the coefficients. NaN where a cluster alone determines a coefficient.
        """
        n = len(self.y)
        if codes is None:
            inverse = np.zeros((len(self.slopes) + 1,) * 2)
            inverse[0, 0], inverse[1:, 1:] = 1 / n, self.whitener @ self.whitener.T
            return SlopeErrors(self.noise**2 * inverse, float(self.free), self.noise, float(self.free))
        x = np.column_stack([np.ones(n), self.scaled])
        deviations = self.y - self.mean
        moves, squares = np.full((codes.max() + 1, x.shape[1]), np.nan), np.full(codes.max() + 1, np.nan)
        for g in range(len(moves)):
            rest = codes != g
            solution, _, rank, _ = np.linalg.lstsq(x[rest], deviations[rest], rcond=1e-10)
            if rank == x.shape[1]:
                moves[g] = solution - np.append(0.0, self.slopes)
                squares[g] = np.square(deviations[~rest] - x[~rest] @ solution).mean()
        covariance = (1 - 1 / len(moves)) * moves.T @ moves
        due = np.einsum("ij,jk,ik->i", x, covariance, x)
        own = squares.mean() - float(np.mean([due[codes == g].mean() for g in range(len(moves))]))
        noise, df = math.sqrt(max(own, self.noise**2)), effective_df(np.bincount(codes))
        return SlopeErrors(covariance, df, noise, len(moves) - 1.0)

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
        return cls(y, mean, centre, scale, slopes, scaled, whitener, residuals, left_out, noise, free)


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
