"""Places from best to worst, and what equal totals share."""

from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from treegauge.results.errors import ChoiceError

Ties = Literal["average", "min", "max"]


def rank(totals: NDArray[Any], ties: Ties = "average") -> NDArray[np.float64]:
    """Rank from best (1) to worst; equal totals share a rank.

    With ``b`` totals strictly larger and ``e`` others equal, the rank is ``1 + b + e/2``
    (``average``), ``1 + b`` (``min``) or ``1 + b + e`` (``max``).

    Parameters
    ----------
    totals
        One number per system, larger is better.
    ties
        What equal totals get.

    Examples
    --------
    >>> rank(np.array([80, 90, 80, 70])).tolist()
    [2.5, 1.0, 2.5, 4.0]
    """
    if ties not in get_args(Ties):
        raise ChoiceError("tie rule", ties, get_args(Ties))
    better = (totals[None, :] > totals[:, None]).sum(axis=1)
    equal = (totals[None, :] == totals[:, None]).sum(axis=1) - 1
    share = {"average": 0.5, "min": 0.0, "max": 1.0}[ties]
    return np.asarray(1 + better + share * equal, dtype=np.float64)
