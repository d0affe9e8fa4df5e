"""Do the predictors say the same thing? Variance inflation and the condition number."""

from collections.abc import Sequence

import numpy as np

from treegauge.statistics._resample import FloatArray

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
    eigenvalues = np.linalg.eigvalsh(correlations)
    smallest = eigenvalues[0]
    if smallest <= 1e-12 * eigenvalues[-1]:
        return float("inf")
    return float(np.sqrt(eigenvalues[-1] / smallest))


def collinearity_notes(names: Sequence[str], correlations: FloatArray) -> list[str]:
    """Return a warning for predictors that cannot be told apart, or none.

    Examples
    --------
    >>> collinearity_notes(["a", "b"], np.array([[1.0, 0.99], [0.99, 1.0]]))
    ['collinear: variance inflation a 50.3, b 50.3 (above 10); their shares cannot be told apart']
    """
    if len(names) < 2:
        return []
    inflation = variance_inflation(correlations)
    high = [
        f"{name} {factor:.1f}"
        for name, factor in zip(names, inflation, strict=True)
        if factor > HIGH_INFLATION
    ]
    if high:
        return [
            f"collinear: variance inflation {', '.join(high)} (above {HIGH_INFLATION:g}); their "
            "shares cannot be told apart"
        ]
    return []
