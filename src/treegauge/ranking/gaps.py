r"""Tables with missing scores: whether systems can be compared, and predictions of gaps.

A mean over the treebanks that a system has scores for rewards systems that skip difficult ones.
Missing scores are therefore predicted from the others, by least squares over the known scores:

.. math:: s_{it} \approx a_i + b_t

with an effect of the system and one of the treebank. The mean of a system's filled scores is the
estimate of its effect. Without gaps that is the mean score.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from treegauge.core.errors import TreegaugeError

Floats = NDArray[np.float64]


def is_connected(known: NDArray[np.bool_]) -> bool:
    """Return whether shared treebanks connect all systems, given which scores are known."""
    from scipy.sparse.csgraph import connected_components

    together = known.astype(np.int64) @ known.T.astype(np.int64)
    return int(connected_components(together > 0, directed=False)[0]) == 1


def normal_equations(values: Floats) -> Floats:
    """Return, by treebank, its contribution to the equations of the systems' effects.

    Shape treebanks x systems x (systems + 1): the matrix and, last, the right-hand side. Their sums
    over treebanks give the least-squares effects, which add up to 0: see :func:`effects`.
    """
    known = ~np.isnan(values).T
    number = np.maximum(known.sum(axis=1), 1)[:, None]
    scores = np.where(known, np.nan_to_num(values.T), 0)
    centred = known * (scores - scores.sum(axis=1, keepdims=True) / number)
    diagonal = np.eye(values.shape[0]) * known[:, :, None]
    matrix = diagonal - known[:, :, None] * known[:, None, :] / number[:, :, None]
    return np.concatenate([matrix, centred[:, :, None]], axis=2)


def effects(sums: NDArray[np.float64]) -> Floats:
    """Solve sums of :func:`normal_equations` (..., systems, systems + 1)."""
    # Any constant could be added to all effects: adding ones makes their mean 0.
    return np.asarray(np.linalg.solve(sums[..., :-1] + 1, sums[..., -1:])[..., 0])


def fill(values: Floats, systems: Sequence[str]) -> Floats:
    """Return scores (systems x treebanks) with missing ones (NaN) filled by system and treebank.

    Examples
    --------
    >>> fill(np.array([[80.0, 60.0], [82.0, np.nan]]), ["A", "B"]).tolist()
    [[80.0, 60.0], [82.0, 62.0]]
    """
    known = ~np.isnan(values)
    if not is_connected(known):
        raise TreegaugeError(
            f"{int((~known).sum())} scores are missing, and no treebanks connect all of "
            f"{', '.join(systems[:4])}{', ...' if len(systems) > 4 else ''}: some cannot be "
            "compared; leave out systems or treebanks (missing: drop-system, drop-treebank)"
        )
    system = effects(normal_equations(values).sum(axis=0))[:, None]
    treebank = np.nanmean(values - system, axis=0)
    return np.where(known, values, system + treebank)
