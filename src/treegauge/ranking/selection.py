"""Subsets of treebanks that satisfy conditions, and the search for the best one."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treegauge.core.errors import TreegaugeError
from treegauge.core.lazy import scipy
from treegauge.core.verbs import Settings
from treegauge.ranking.leaderboard import Leaderboard
from treegauge.ranking.stability.named_subsets import Constraint, GroupBounds, constraints_of, group_bounds
from treegauge.ranking.stability.sampler import sizes_of

Floats = NDArray[np.float64]
WEIGHTS = (0.01, 0.1, 0.3, 1.0)
"""Weights of the squared error relative to the order, for cross-validation to choose from."""
STARTS = 4
"""Starts of a search within a cross-validation; the final search uses more."""
_INNER = 2
_NO_CAP = np.iinfo(np.int64).max
_STEPS = 300


@dataclass(frozen=True, eq=False)
class SubsetDemands:
    """The subsets of one size, out of `held` treebanks, that satisfy all conditions.

    `include` and `exclude` are columns; `weights` are tokens, of which a subset may have at most
    `cap`; `demands` lists the conditions in words.
    """

    size: int
    held: int
    bounds: tuple[GroupBounds, ...]
    include: NDArray[np.int64]
    exclude: NDArray[np.int64]
    weights: NDArray[np.int64]
    cap: int
    demands: tuple[str, ...]

    @property
    def arrays(self) -> tuple[Any, ...]:
        """The argument `room` of the kernels in ``rank_swaps``."""
        groups = max([bound.lows.shape[1] for bound in self.bounds], default=0)
        codes = np.zeros((len(self.bounds), self.held), dtype=np.int64)
        lows = np.zeros((len(self.bounds), groups), dtype=np.int64)
        highs = np.full((len(self.bounds), groups), self.held, dtype=np.int64)
        for i, bound in enumerate(self.bounds):
            codes[i] = bound.codes
            lows[i, : bound.lows.shape[1]] = bound.lows[0]
            highs[i, : bound.lows.shape[1]] = bound.highs[0]
        leave, enter = (np.ones(self.held, dtype=np.bool_) for _ in range(2))
        leave[self.include] = False
        enter[self.exclude] = False
        return leave, enter, codes, lows, highs, self.weights, self.cap

    def orders(self, number: int, rng: np.random.Generator) -> NDArray[np.int64]:
        """Return random subsets that satisfy all conditions: orders whose first `size` are chosen.

        Without constraints on groups and tokens, every subset is equally likely. With them, a
        feasible subset is found by integer programming for random costs, and then changed by random
        legal exchanges, which makes all reachable subsets equally likely.
        """
        must = self.include
        rest = np.setdiff1d(np.arange(self.held), np.concatenate([must, self.exclude]))
        if len(rest) + len(must) < self.size:
            raise self.empty()
        out = np.empty((number, self.held), dtype=np.int64)
        for row in out:
            row[:] = np.concatenate([must, rng.permutation(rest), self.exclude])
        if not self.bounds and self.cap == _NO_CAP:
            return out
        from treegauge.kernels.rank_swaps import wander

        # A few independent starts, then random walks: a start costs milliseconds, a step much less.
        costs = [rng.random(self.held) for _ in range(min(number, 20))]
        starts = [self._solve(cost, range(len(self.bounds)), tokens=True) for cost in costs]
        for i, row in enumerate(out):
            chosen = starts[i % len(starts)]
            if chosen is None:
                raise self.empty()
            row[:] = np.concatenate([np.flatnonzero(chosen), np.flatnonzero(~chosen)])
        if self.size < self.held:
            least, most = [0, self.size], [self.size, self.held]
            wander(out, self.size, rng.integers(least, most, (number, _STEPS, 2)), self.arrays)
        return out

    def _solve(self, costs: NDArray[np.float64], bounds: Iterable[int], *, tokens: bool) -> NDArray[np.bool_] | None:
        rules: list[tuple[Any, int, int]] = [(np.ones(self.held), self.size, self.size)]
        for bound in (self.bounds[i] for i in bounds):
            for group, (low, high) in enumerate(zip(bound.lows[0], bound.highs[0], strict=True)):
                rules.append((bound.codes == group, low, high))
        if tokens and self.cap != _NO_CAP:
            rules.append((self.weights, 0, self.cap))
        rows, lows, highs = (np.array(part, dtype=float) for part in zip(*rules, strict=True))
        least, most = np.zeros(self.held), np.ones(self.held)
        least[self.include] = 1
        most[self.exclude] = 0
        solved = scipy.optimize.milp(
            costs, integrality=np.ones(self.held), bounds=scipy.optimize.Bounds(least, most),
            constraints=scipy.optimize.LinearConstraint(rows, lows, highs),
        )  # fmt: skip
        return None if solved.x is None else np.asarray(solved.x > 0.5)

    def empty(self) -> TreegaugeError:
        """Return the error that no subset satisfies all conditions; it names those to drop."""
        every = set(range(len(self.bounds)))
        zero = np.zeros(self.held)
        blocking = [
            self.bounds[i].text for i in sorted(every) if self._solve(zero, every - {i}, tokens=True) is not None
        ]
        if self.cap != _NO_CAP and self._solve(zero, every, tokens=False) is not None:
            blocking.append(f"tokens:{self.cap}")
        hint = f"; it would be enough to drop {' or '.join(blocking)}" if blocking else ""
        conditions = ", ".join(self.demands)
        return TreegaugeError(f"no subset of size {self.size} satisfies {conditions}{hint}")


@dataclass(frozen=True)
class SubsetConditions(Settings):
    """Conditions on a subset of treebanks.

    Attributes
    ----------
    at_most
        Upper bounds, such as language:1, genus=Slavic:2, resource:stratified; or tokens:500000,
        the largest total number (treebanks of unknown size are then left out); repeatable.
    at_least
        Lower bounds, such as resource=small:1, or stock:1 for every value; repeatable.
    include
        A treebank that must be a member; repeatable.
    exclude
        A treebank that must not be a member; repeatable.
    """

    at_most: Sequence[str | Constraint] = ()
    at_least: Sequence[str | Constraint] = ()
    include: Sequence[str] = ()
    exclude: Sequence[str] = ()


CONDITIONS = SubsetConditions()


def demands_of(board: Leaderboard, size: int, conditions: SubsetConditions = CONDITIONS) -> SubsetDemands:
    """Return the subsets of a leaderboard's treebanks that satisfy the conditions."""
    held = len(board.treebanks)
    sizes_of(size, held)
    given = [conditions.at_most] if isinstance(conditions.at_most, str) else conditions.at_most
    totals = [one for one in given if isinstance(one, str) and re.fullmatch(r"tokens:\d+", one.strip())]
    most, least = constraints_of([one for one in given if one not in totals]), constraints_of(conditions.at_least)
    demands = [f"at most {one}" if one.most is not None else str(one) for one in most]
    demands += [f"at least {one}" for one in least]
    bounds = [group_bounds(each, board, [size]) for each in most]
    bounds += [group_bounds(each, board, [size], least=True) for each in least]
    must = sorted({board.treebank(name) for name in conditions.include})
    never = {board.treebank(name) for name in conditions.exclude}
    both = [board.treebanks[i] for i in must if i in never]
    if both:
        raise TreegaugeError(f"{', '.join(both)}: cannot be both included and excluded")
    if len(must) > size:
        raise TreegaugeError(f"{len(must)} treebanks must be included, but the size is {size}")
    known = board.metadata["tokens"].to_list()
    tokens = min((int(one.partition(":")[2]) for one in totals), default=None)
    if tokens is not None:
        unknown = {i for i, number in enumerate(known) if number is None}
        if set(must) & unknown:
            names = ", ".join(board.treebanks[i] for i in must if i in unknown)
            raise TreegaugeError(f"tokens of {names} are not known, so the bound on tokens cannot be checked")
        never |= unknown
        demands.append(f"at most {tokens} tokens")
    demands += [f"with {board.treebanks[i]}" for i in must]
    demands += [f"without {name}" for name in conditions.exclude]
    numbers = ([*must], sorted(never), [number or 0 for number in known])
    inside, outside, weights = (np.array(part, dtype=np.int64) for part in numbers)
    cap = _NO_CAP if tokens is None else tokens
    return SubsetDemands(size, held, tuple(bounds), inside, outside, weights, cap, tuple(demands))


def error_matrix(values: Floats) -> Floats:
    r"""Return Q, with which a subset's squared error is a quadratic form.

    For systems a, b and treebank t let :math:`e_{abt} = d_{abt} - \bar d_{ab}`, their difference
    there minus its mean. Then :math:`Q_{st} \propto \sum_{ab} e_{abs} e_{abt}`, scaled so that its
    diagonal is 1 on average: :math:`\sum_{s,t \in S} Q_{st} / k` is 1 for an average subset whose
    errors neither cancel out nor add up.
    """
    errors = values - values.mean(axis=1, keepdims=True)
    # The sum over all pairs of squares of differences is that of squares around the mean.
    errors = errors - errors.mean(axis=0)
    matrix: Floats = errors.T @ errors
    scale = float(np.trace(matrix)) / len(matrix)
    # The last bits of a matrix product depend on the processor; a recommendation must not.
    return np.round(matrix / scale, 12) + 0.0 if scale > 0 else np.zeros_like(matrix)


class SubsetSearch:
    """A search for the subset that ranks systems as all treebanks do."""

    def __init__(self, board: Leaderboard, demands: SubsetDemands, pool: NDArray[np.int64]) -> None:
        self.values = np.asarray(board.values)
        self.numbers = board.fixed_point()[0]
        self.order = _signs(self.numbers.sum(axis=1))
        self.size, self.arrays, self.pool = demands.size, demands.arrays, pool

    def starts(self, number: int, rng: np.random.Generator) -> NDArray[np.int64]:
        """Return drawn subsets to start a search from."""
        return self.pool[rng.integers(len(self.pool), size=number)]

    def best(self, rows: NDArray[np.int64], weight: float, orders: NDArray[np.int64]) -> Any:
        """Return the columns of the best subset for some systems."""
        from treegauge.kernels.rank_swaps import descend

        totals = self.numbers[rows].sum(axis=1)
        best_first = rows[np.argsort(-totals, kind="stable")]
        known = np.ascontiguousarray(self.order[np.ix_(best_first, best_first)] != 0)
        numbers = np.ascontiguousarray(self.numbers[best_first])
        errors = error_matrix(self.values[rows])
        return descend(numbers, known, errors, weight, self.size, orders, self.arrays)

    def concordance(self, columns: NDArray[np.int64]) -> Floats:
        """Return systems x systems: 1 if the order agrees with the full one, -1 if it does not.

        Pairs that tie over all treebanks are NaN, pairs that tie in the subset 0.
        """
        agree = _signs(self.numbers[:, columns].sum(axis=1)) * self.order
        return np.where(self.order == 0, np.nan, agree)

    def choose(self, rows: NDArray[np.int64], folds: int, rng: np.random.Generator) -> float:
        """Return the weight with the best agreement in a cross-validation over `rows`."""
        merit = dict.fromkeys(WEIGHTS, 0.0)
        for rest, held in repeated_folds(rows, folds, _INNER, rng):
            orders = self.starts(STARTS, rng)
            for weight in merit:
                agree = self.concordance(self.best(rest, weight, orders))
                merit[weight] += float(row_means(agree[np.ix_(held, rows)]).mean())
        return max(merit, key=merit.__getitem__)


def _signs(totals: NDArray[np.int64]) -> Floats:
    return np.asarray(np.sign(totals[:, None] - totals[None, :]), dtype=np.float64)


def repeated_folds(
    rows: NDArray[np.int64], folds: int, repeats: int, rng: np.random.Generator
) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64]]]:
    """Yield (rest, held out); in every repeat each row is held out once."""
    for _ in range(repeats):
        mixed = rng.permutation(rows)
        for fold in range(min(folds, len(rows))):
            held = np.sort(mixed[fold::folds])
            yield np.setdiff1d(rows, held), held


def row_means(agree: Floats) -> Floats:
    """Return the mean of the known values of each row; a system that ties with all has 1."""
    known = ~np.isnan(agree)
    sums = np.where(known, agree, 0.0).sum(axis=1)
    return np.where(known.any(axis=1), sums / np.maximum(known.sum(axis=1), 1), 1.0)


def overall(agree: Floats) -> float:
    """Return the mean over systems of the agreement of their pairs."""
    return float(row_means(agree).mean())
