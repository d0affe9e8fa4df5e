"""Choose a subset for some systems, and see whether others are ranked the same by it."""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from treegauge.ranking._room import Room
from treegauge.ranking.scores import Scores

Floats = NDArray[np.float64]
STARTS = 5
"""Starts of a search within a cross-validation; more are taken where it counts."""
_INNER = 4


class Objective(NamedTuple):
    """A version of the squared error: how much close pairs count more, and how much to shrink."""

    near: float | None
    shrink: float


OBJECTIVES = {
    "squared": Objective(None, 0.0),
    "squared, shrunk": Objective(None, 0.2),
    "close pairs": Objective(0.3, 0.0),
    "close pairs, shrunk": Objective(0.3, 0.2),
}


def error_matrix(values: Floats, objective: Objective) -> Floats:
    """Return Q: the weighted sum over pairs of products of their errors on two treebanks.

    Scaled so that its largest entry is 1.

    Parameters
    ----------
    values
        Systems x treebanks.
    objective
        How pairs are weighted and Q is shrunk.

    Examples
    --------
    Two systems, ahead by 1, 3 and 2 (2 on average): the errors are -1, 1 and 0.

    >>> values = np.array([[1.0, 3.0, 2.0], [0.0, 0.0, 0.0]])
    >>> error_matrix(values, OBJECTIVES["squared"]).tolist()
    [[1.0, -1.0, 0.0], [-1.0, 1.0, 0.0], [0.0, 0.0, 0.0]]
    """
    means = values.mean(axis=1)
    gaps = means[:, None] - means[None, :]
    weights = np.ones_like(gaps)
    if objective.near is not None:
        edge = objective.near * float(np.median(np.abs(gaps[np.triu_indices(len(gaps), 1)])))
        if edge > 0:
            weights = 1 / (gaps**2 + edge**2)
    np.fill_diagonal(weights, 0)
    # The sum over pairs of w (x_a - x_b)(x_a - x_b)' is X'LX with L the weights' Laplacian.
    laplacian = np.diag(weights.sum(axis=1)) - weights
    errors = values - means[:, None]
    matrix: Floats = errors.T @ (laplacian @ errors)
    diagonal = np.diag(np.diag(matrix))
    shrunk = (1 - objective.shrink) * matrix + objective.shrink * diagonal
    largest = float(np.abs(shrunk).max(initial=0.0))
    # The last bits of a matrix product differ between processors; a recommendation must not.
    return np.round(shrunk / largest, 12) if largest > 0 else shrunk


class Problem:
    """The score table as arrays, and the questions asked of it again and again."""

    def __init__(self, scores: Scores, room: Room, pool: NDArray[np.int64]) -> None:
        self.values = np.asarray(scores.values)
        self.numbers = scores.fixed_point()[0]
        self.order = _signs(self.numbers.sum(axis=1))
        self.room, self.arrays = room, room.arrays
        self.pool = pool

    def starts(self, number: int, rng: np.random.Generator) -> NDArray[np.int64]:
        """Return some of the drawn subsets to start a search from."""
        return self.pool[rng.integers(len(self.pool), size=number)]

    def best(self, rows: NDArray[np.int64], name: str, orders: NDArray[np.int64]) -> Any:
        """Return the columns of the best subset found for some systems."""
        from treegauge.ranking._swap import descend

        matrix = error_matrix(self.values[rows], OBJECTIVES[name])
        return descend(matrix, self.room.size, orders, self.arrays)

    def concordance(self, columns: NDArray[np.int64]) -> Floats:
        """Return systems x systems: 1 where order agrees with the full one, -1 where it does not.

        Pairs that tie over all treebanks are NaN, pairs that tie in the subset 0.
        """
        agree = _signs(self.numbers[:, columns].sum(axis=1)) * self.order
        return np.where(self.order == 0, np.nan, agree)

    def choose(self, rows: NDArray[np.int64], folds: int, rng: np.random.Generator) -> str:
        """Return the version of the objective that does best in a cross-validation over `rows`."""
        merit = dict.fromkeys(OBJECTIVES, 0.0)
        for rest, held in folds_of(rows, folds, _INNER, rng):
            orders = self.starts(STARTS, rng)
            for name in merit:
                agree = self.concordance(self.best(rest, name, orders))
                merit[name] += float(row_means(agree[np.ix_(held, rows)]).mean())
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
