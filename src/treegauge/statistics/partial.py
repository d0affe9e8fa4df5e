"""Coefficients of association, plain and partial, for one table or a stack of resamples."""

from typing import Literal, get_args

import numpy as np

from treegauge.results.errors import ChoiceError
from treegauge.statistics._resample import FloatArray

Coefficient = Literal["spearman", "pearson", "kendall"]

# Variance that is left in a column, as a share, below which the covariates determine it.
_NOTHING = 1e-10


def check_coefficient(method: str) -> None:
    """Refuse an unknown coefficient, naming the known ones."""
    if method not in get_args(Coefficient):
        raise ChoiceError("coefficient", method, get_args(Coefficient))


def coefficients(values: FloatArray, method: Coefficient = "spearman") -> FloatArray:
    r"""Return the matrix of coefficients between all columns.

    Pearson's r is the covariance over the standard deviations, Spearman's rho the same of the
    ranks (ties share their mean rank), Kendall's tau-b
    :math:`\sum_{i<j} s_{ij} t_{ij} / \sqrt{\sum_{i<j} s_{ij}^2 \sum_{i<j} t_{ij}^2}` with
    :math:`s_{ij}, t_{ij}` the signs of the differences between rows i and j.

    Parameters
    ----------
    values
        (..., rows, columns).
    method
        Which coefficient.

    Returns
    -------
    numpy.ndarray
        (..., columns, columns); NaN in row and column of a constant.

    Examples
    --------
    >>> values = np.array([[1, 2.0], [2, 1.5], [3, 0.1], [9, 0.2]])
    >>> [round(float(coefficients(values, m)[0, 1]), 4) for m in ("pearson", "spearman", "kendall")]
    [-0.7003, -0.8, -0.6667]
    """
    check_coefficient(method)
    if method == "kendall":
        return _kendall(values)
    if method == "spearman":
        from scipy.stats import rankdata

        values = rankdata(values, axis=-2)
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
    for i, one in enumerate(stack):
        signs = np.sign(one[first] - one[second])
        result[i] = _scaled(signs.T @ signs, np.ones(values.shape[-1]))
    return result.reshape(*values.shape[:-2], *result.shape[1:])


def partial(matrix: FloatArray) -> FloatArray:
    r"""Return the partial coefficient of the first two columns given all the others.

    With :math:`P` the pseudo-inverse of the coefficient matrix, :math:`-P_{12} /
    \sqrt{P_{11} P_{22}}`; computed from the part of each column that the others leave,
    :math:`C_{ab} - C_{az} C_{zz}^+ C_{zb}`, which is the same and stays right when the two columns
    are perfectly correlated or the covariates repeat one another.

    Parameters
    ----------
    matrix
        Coefficients (..., columns, columns), see :func:`coefficients`.

    Returns
    -------
    numpy.ndarray
        (...); NaN where a column is constant or the covariates determine one of the two.

    Examples
    --------
    >>> matrix = np.array([[1, 0.5, 0.4], [0.5, 1, 0.6], [0.4, 0.6, 1]])
    >>> round(float(partial(matrix)), 4)  # (0.5 - 0.24) / sqrt((1 - 0.16) (1 - 0.36))
    0.3546
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
