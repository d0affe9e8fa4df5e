r"""Probabilities of arcs under a distribution over all trees of a sentence.

A parser that scores arcs gives every tree with one root the probability

.. math:: p(y) = \frac{1}{Z} \exp \sum_{(h, d) \in y} s(h, d),
   \qquad Z = \sum_{y'} \exp \sum_{(h, d) \in y'} s(h, d)

The marginal of an arc is the total probability of the trees that have it. Over all trees it comes
from the inverse of the Laplacian (matrix-tree theorem; Koo et al. 2007, Smith & Smith 2007), over
projective trees from Eisner's spans (inside and outside).
"""

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from treegauge.kernels.tree_sums import projective_sums

Doubles = npt.NDArray[np.float64]
Marginals = Callable[[Doubles], tuple[Doubles, float]]

_LEAST = -25.0
"""Log of the smallest weight of an arc relative to the best arc of its dependent.

Less would leave no digits of a sum in which the best heads form a cycle.
"""


def spanning_marginals(scores: npt.ArrayLike) -> tuple[Doubles, float]:
    r"""Return the probability of every arc over all trees with one root, and log Z.

    .. math:: L_{dd} = \sum_{h \ge 1} w_{hd}, \quad L_{hd} = -w_{hd}, \quad L_{1d} = w_{0d},
       \quad Z = \det L, \quad w_{hd} = \exp s(h, d)

    Parameters
    ----------
    scores
        ``scores[d - 1, h]`` is the score of the arc from head h to word d, 0 the root, as in
        ``head_probabilities`` of a model; a constant added to a row changes no probability.

    Returns
    -------
    tuple
        The marginals, of the same shape, and the log of the sum over all trees.

    Examples
    --------
    >>> marginals, total = spanning_marginals(np.zeros((2, 3)))  # two trees, equally likely
    >>> marginals
    array([[0.5, 0. , 0.5],
           [0.5, 0.5, 0. ]])
    >>> float(np.exp(total).round(6))
    2.0
    """
    logs = np.array(scores, np.float64)
    n = len(logs)
    own = np.arange(n)
    logs[own, own + 1] = -np.inf
    tops = logs.max(1, keepdims=True)
    weights = np.exp(np.maximum(logs - tops, _LEAST))
    weights[own, own + 1] = 0.0
    root, arcs = weights[:, 0], weights[:, 1:].T  # heads first
    laplacian = np.diag(arcs.sum(0)) - arcs
    laplacian[0] = root
    inverse = np.linalg.inv(laplacian)
    sign, log_total = np.linalg.slogdet(laplacian)
    on_diagonal = np.diag(inverse).copy()
    on_diagonal[0] = 0.0  # the first row holds the root's arcs and no sum
    across = inverse.copy()
    across[:, 0] = 0.0  # across[d, h]: derivative by the entry of head h and word d
    marginals = np.empty_like(weights)
    marginals[:, 0] = root * inverse[:, 0]
    marginals[:, 1:] = (arcs * (on_diagonal[None] - across.T)).T
    found = np.clip(marginals, 0.0, 1.0)
    return found / found.sum(1, keepdims=True), float(log_total * sign + tops.sum())


def projective_marginals(scores: npt.ArrayLike) -> tuple[Doubles, float]:
    """Return the probability of every arc over projective trees with one root, and log Z.

    Parameters and result are those of :func:`spanning_marginals`; takes cubic time.

    Examples
    --------
    >>> marginals, total = projective_marginals(np.zeros((3, 4)))
    >>> float(np.exp(total).round(6))  # of nine trees with one root, seven are projective
    7.0
    """
    logs = np.array(scores, np.float64)
    n = len(logs)
    tops = logs.max(1, keepdims=True)
    heads_first = np.zeros((n + 1, n + 1))
    heads_first[:, 1:] = (logs - tops).T
    np.fill_diagonal(heads_first, 0.0)
    shares = np.zeros_like(heads_first)
    log_total = projective_sums(heads_first, shares)
    return shares[:, 1:].T.copy(), float(log_total + tops.sum())
