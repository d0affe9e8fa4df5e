"""The best tree of a matrix of arc scores, projective or not, always with one root."""

import numpy as np
import numpy.typing as npt

from treegauge.core.errors import TreegaugeError
from treegauge.kernels import decoding as _decoding

Ints = npt.NDArray[np.int32]


def _checked(scores: npt.ArrayLike) -> npt.NDArray[np.float64]:
    matrix = np.array(scores, np.float64, order="C")
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1] or len(matrix) < 2:
        raise TreegaugeError(f"arc scores have the shape {matrix.shape}; expected (n + 1, n + 1), root first")
    if not np.isfinite(matrix[:, 1:][~np.eye(len(matrix), dtype=bool)[:, 1:]]).all():
        raise TreegaugeError("arc scores have infinite or undefined numbers; expected finite ones")
    return matrix


def projective_tree(scores: npt.ArrayLike) -> Ints:
    """Return the heads of the best projective tree with one root (Eisner 1996), in cubic time.

    Parameters
    ----------
    scores
        ``scores[h, d]`` is the score of the arc from word h to word d; 0 is the root.

    Returns
    -------
    numpy.ndarray
        The heads of the words 1 to n; ties go to the first tree found.

    Examples
    --------
    >>> projective_tree([[0, 1, 5], [0, 0, 1], [0, 4, 0]])
    array([2, 0], dtype=int32)
    """
    matrix = _checked(scores)
    heads = np.zeros(len(matrix), np.int32)
    _decoding.eisner(matrix, heads)
    return heads[1:]


def spanning_tree(scores: npt.ArrayLike) -> Ints:
    """Return the heads of the best tree with one root, projective or not (Chu-Liu/Edmonds).

    Subtracting the same large number from every arc of the root does not change the ranking of
    trees with one root, and makes every tree with more roots worse. Scores and heads are as in
    :func:`projective_tree`.

    Examples
    --------
    >>> spanning_tree([[0, 9, 9], [0, 0, 1], [0, 2, 0]])  # two roots would score more
    array([2, 0], dtype=int32)
    """
    matrix = _checked(scores)
    np.fill_diagonal(matrix, 0.0)
    arcs = matrix[:, 1:]
    matrix[0, 1:] -= (arcs.max() - arcs.min() + 1.0) * len(matrix)
    heads = np.zeros(len(matrix), np.int32)
    _decoding.spanning_tree(matrix, heads)
    return heads[1:]
