"""Kernels of the matrix-tree theorem, without subtractions and so without lost digits."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from treegauge.core.errors import TreegaugeError
from treegauge.kernels.jit import kernel

Floats = npt.NDArray[np.float64]
LEAST = 1e-90  # arcs between words count at least as this share of the likeliest into a word


@kernel
def log_total(weights: Floats, single: bool) -> float:
    """Log of the sum over all trees of the product of their arcs' weights.

    ``weights[d - 1, h]`` is that of the arc from head h (0 the root) to word d. Words are taken
    out one at a time: arcs over the word taken out are added to those around it, which is
    Gaussian elimination of the Laplacian with every entry a sum of positive terms (Grassmann,
    Taksar & Heyman 1985). What is left in the end is one word j with the total of the trees that
    hang from it; those that hang from another follow by substitution.
    """
    n = len(weights)
    # w[i, j]: from head i to word j; r[j]: from the root. Scaled by the largest arc into j.
    w, r = np.zeros((n, n)), np.zeros(n)
    order = np.arange(n)
    first = 0
    for j in range(n):
        if weights[j, 0] > weights[first, 0]:
            first = j
    order[0], order[first] = first, 0  # the likeliest root is left to the end
    log = 0.0
    for j in range(n):
        row = weights[order[j]]
        top = row[0]
        for i in range(n):
            if i != j:
                top = max(top, row[order[i] + 1])
        if top <= 0:
            return -np.inf
        log += np.log(top)
        r[j] = row[0] / top
        for i in range(n):
            if i != j:
                w[i, j] = max(row[order[i] + 1] / top, LEAST)
    pivots = np.zeros(n)
    for k in range(n - 1, 0, -1):
        pivot = 0.0 if single else r[k]
        for i in range(k):
            pivot += w[i, k]
        pivots[k] = pivot
        log += np.log(pivot)
        for j in range(k):
            through = w[k, j] / pivot
            if through > 0:
                for i in range(k):
                    if i != j:
                        w[i, j] += w[i, k] * through
                if not single:
                    r[j] += r[k] * through
    if not single:
        return log + np.log(r[0]) if r[0] > 0 else -np.inf
    share = np.ones(n)
    total = r[0]
    for k in range(1, n):
        above = 0.0
        for j in range(k):
            above += w[k, j] * share[j]
        share[k] = above / pivots[k]
        total += r[k] * share[k]
    return log + np.log(total) if total > 0 else -np.inf


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
