"""Probabilities of trees: the sum over all of them, by the matrix-tree theorem."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from treegauge.core.errors import TreegaugeError
from treegauge.kernels.decoding import log_total

Floats = npt.NDArray[np.float64]


def trees_logp(shares: Sequence[Floats]) -> Floats:
    """Log-probability, for each sentence, that heads drawn word by word are a one-rooted tree."""
    return np.array([log_total(np.ascontiguousarray(share), True) for share in shares])


def log_partition(scores: npt.ArrayLike, *, single_root: bool = True) -> float:
    r"""Return the log of the sum over all trees of the exponential of their score.

    .. math:: \log Z = \log \sum_{y} \prod_{d} e^{s(y_d, d)} = \log \det L

    Parameters
    ----------
    scores
        (words, words + 1): score of each head of each word, 0 the root; of probabilities take
        their logarithms. A word as its own head does not count.
    single_root
        Trees with one word under the root, or with any number.

    Notes
    -----
    Koo et al. (2007). The determinant is found by elimination without subtraction, so that no
    digits are lost where one tree has nearly all of the weight, and nothing underflows.

    Examples
    --------
    Two words have two trees with one root, and three in all:

    >>> import numpy as np
    >>> [round(float(np.exp(log_partition(np.zeros((2, 3)), single_root=one)))) for one in (1, 0)]
    [2, 3]
    """
    values = np.array(scores, np.float64)
    if values.ndim != 2 or values.shape[1] != len(values) + 1 or not len(values):
        raise TreegaugeError(f"scores have the shape {values.shape}, expected (n, n + 1)")
    words = np.arange(len(values))
    values[words, words + 1] = -np.inf
    tops = values.max(axis=1)
    if not np.isfinite(tops).all():
        raise TreegaugeError("a word has no head with a finite score")
    return float(tops.sum() + log_total(np.exp(values - tops[:, None]), single_root))
