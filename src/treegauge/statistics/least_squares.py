"""Least squares, once, with what errors and predictions need."""

import math
from dataclasses import dataclass

import numpy as np

from treegauge.statistics._resample import FloatArray


@dataclass(frozen=True, eq=False)
class LeastSquares:
    r"""The solution of :math:`y = b_0 + X b` on standardised predictors.

    Without that, raw token counts beside an EDV of 1e-3 lose digits.

    Attributes
    ----------
    y, mean
        The target and its mean.
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
