"""Choose a subset for some systems, and see whether others are ranked the same by it."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treegauge.ranking._room import Room
from treegauge.ranking.scores import Scores

Floats = NDArray[np.float64]
WEIGHTS = (0.01, 0.1, 0.3, 1.0)
"""How much the squared error may count beside the order; cross-validation takes its pick."""
STARTS = 4
"""Starts of a search within a cross-validation; more are taken where it counts."""
_INNER = 2


def error_matrix(values: Floats) -> Floats:
    r"""Return Q, with which a subset's squared error is a quadratic form.

    For systems a, b and treebank t let :math:`e_{abt} = d_{abt} - \bar d_{ab}`, their difference
    there minus its mean. Then :math:`Q_{st} \propto \sum_{ab} e_{abs} e_{abt}`, scaled so that its
    diagonal is 1 on average: :math:`\sum_{s,t \in S} Q_{st} / k` is 1 for an average subset whose
    errors neither cancel out nor add up.

    Parameters
    ----------
    values
        Systems x treebanks.

    Examples
    --------
    Two systems, ahead by 1, 3 and 2 (2 on average): the errors are -1, 1 and 0.

    >>> error_matrix(np.array([[1.0, 3.0, 2.0], [0.0, 0.0, 0.0]])).tolist()
    [[1.5, -1.5, 0.0], [-1.5, 1.5, 0.0], [0.0, 0.0, 0.0]]
    """
    errors = values - values.mean(axis=1, keepdims=True)
    # The sum over all pairs of squares of differences is that of squares around the mean.
    errors = errors - errors.mean(axis=0)
    matrix: Floats = errors.T @ errors
    scale = float(np.trace(matrix)) / len(matrix)
    # The last bits of a matrix product differ between processors; a recommendation must not.
    return np.round(matrix / scale, 12) + 0.0 if scale > 0 else np.zeros_like(matrix)


class Problem:
    """The score table as arrays, and the questions asked of it again and again."""

    def __init__(self, scores: Scores, room: Room, pool: NDArray[np.int64]) -> None:
        self.values = np.asarray(scores.values)
        self.numbers = scores.fixed_point()[0]
        self.order = _signs(self.numbers.sum(axis=1))
        self.room, self.arrays, self.pool = room, room.arrays, pool

    def starts(self, number: int, rng: np.random.Generator) -> NDArray[np.int64]:
        """Return some of the drawn subsets to start a search from."""
        return self.pool[rng.integers(len(self.pool), size=number)]

    def best(self, rows: NDArray[np.int64], weight: float, orders: NDArray[np.int64]) -> Any:
        """Return the columns of the best subset found for some systems."""
        from treegauge.kernels.rank_swaps import descend

        totals = self.numbers[rows].sum(axis=1)
        best_first = rows[np.argsort(-totals, kind="stable")]
        return descend(
            np.ascontiguousarray(self.numbers[best_first]),
            np.ascontiguousarray(self.order[np.ix_(best_first, best_first)] != 0),
            error_matrix(self.values[rows]),
            weight,
            self.room.size,
            orders,
            self.arrays,
        )

    def concordance(self, columns: NDArray[np.int64]) -> Floats:
        """Return systems x systems: 1 where order agrees with the full one, -1 where it does not.

        Pairs that tie over all treebanks are NaN, pairs that tie in the subset 0.
        """
        agree = _signs(self.numbers[:, columns].sum(axis=1)) * self.order
        return np.where(self.order == 0, np.nan, agree)

    def choose(self, rows: NDArray[np.int64], folds: int, rng: np.random.Generator) -> float:
        """Return the weight that does best in a cross-validation over `rows`."""
        merit = dict.fromkeys(WEIGHTS, 0.0)
        for rest, held in folds_of(rows, folds, _INNER, rng):
            orders = self.starts(STARTS, rng)
            for weight in merit:
                agree = self.concordance(self.best(rest, weight, orders))
                merit[weight] += float(row_means(agree[np.ix_(held, rows)]).mean())
        return max(merit, key=merit.__getitem__)


def _signs(totals: NDArray[np.int64]) -> Floats:
    return np.asarray(np.sign(totals[:, None] - totals[None, :]), dtype=np.float64)


def folds_of(
    rows: NDArray[np.int64], folds: int, repeats: int, rng: np.random.Generator
) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64]]]:
    """Yield (rest, held out); in every repeat each row is held out once."""
    for _ in range(repeats):
        mixed = rng.permutation(rows)
        for fold in range(min(folds, len(rows))):
            held = np.sort(mixed[fold::folds])
            yield np.setdiff1d(rows, held), held


def row_means(agree: Floats) -> Floats:
    """Mean over each row of what is known; a system that ties with all others agrees fully."""
    known = ~np.isnan(agree)
    sums = np.where(known, agree, 0.0).sum(axis=1)
    return np.where(known.any(axis=1), sums / np.maximum(known.sum(axis=1), 1), 1.0)


def overall(agree: Floats) -> float:
    """Mean over systems of the agreement of the pairs they are in."""
    return float(row_means(agree).mean())
