"""Which subsets are allowed: bounds on groups, tokens, members; and how to find such subsets."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treegauge.ranking.scores import Scores
from treegauge.ranking.subsets import Constraint, constraints_of, shares, sizes_of
from treegauge.results.errors import ChoiceError, TreegaugeError

_NO_CAP = np.iinfo(np.int64).max
_STEPS = 300


@dataclass(frozen=True, eq=False)
class Bound:
    """One demand: how many of each group of treebanks a subset must and may have."""

    text: str
    codes: NDArray[np.int64]
    lows: NDArray[np.int64]
    highs: NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Room:
    """The subsets of one size that satisfy all demands.

    Attributes
    ----------
    size, held
        Treebanks in a subset, and treebanks there are.
    bounds
        Demands on groups.
    include, exclude
        Columns that must, and must not, be members.
    weights, cap
        Tokens of each treebank, and the most that a subset may have in all.
    demands
        Everything asked for, as text.
    """

    size: int
    held: int
    bounds: tuple[Bound, ...]
    include: NDArray[np.int64]
    exclude: NDArray[np.int64]
    weights: NDArray[np.int64]
    cap: int
    demands: tuple[str, ...]

    @property
    def arrays(self) -> tuple[Any, ...]:
        """What the kernels of ``_swap`` take as `room`."""
        groups = max([len(bound.lows) for bound in self.bounds], default=0)
        codes = np.zeros((len(self.bounds), self.held), dtype=np.int64)
        lows = np.zeros((len(self.bounds), groups), dtype=np.int64)
        highs = np.full((len(self.bounds), groups), self.held, dtype=np.int64)
        for i, bound in enumerate(self.bounds):
            codes[i] = bound.codes
            lows[i, : len(bound.lows)] = bound.lows
            highs[i, : len(bound.highs)] = bound.highs
        leave, enter = (np.ones(self.held, dtype=np.bool_) for _ in range(2))
        leave[self.include] = False
        enter[self.exclude] = False
        return leave, enter, codes, lows, highs, self.weights, self.cap

    def orders(self, number: int, rng: np.random.Generator) -> NDArray[np.int64]:
        """Draw random subsets that satisfy everything, as orders whose first `size` are chosen.

        Without demands on groups and tokens every subset is equally likely. With them, a feasible
        subset is found by integer programming for random costs and then walks through random legal
        exchanges, which leaves none that it can reach less likely than another.
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

        # A few independent starts, then walks: a start costs milliseconds, a step next to nothing.
        starts = [self._feasible(rng.random(self.held)) for _ in range(min(number, 20))]
        for i, row in enumerate(out):
            chosen = starts[i % len(starts)]
            row[:] = np.concatenate([np.flatnonzero(chosen), np.flatnonzero(~chosen)])
        if self.size < self.held:
            least, most = [0, self.size], [self.size, self.held]
            wander(out, self.size, rng.integers(least, most, (number, _STEPS, 2)), self.arrays)
        return out

    def _feasible(self, costs: NDArray[np.float64]) -> NDArray[np.bool_]:
        found = self._solve(costs, range(len(self.bounds)), tokens=True)
        if found is None:
            raise self.empty()
        return found

    def _solve(
        self, costs: NDArray[np.float64], bounds: Iterable[int], *, tokens: bool
    ) -> NDArray[np.bool_] | None:
        from scipy.optimize import Bounds, LinearConstraint, milp

        rows, lows, highs = [np.ones(self.held)], [float(self.size)], [float(self.size)]
        for bound in (self.bounds[i] for i in bounds):
            for group, (low, high) in enumerate(zip(bound.lows, bound.highs, strict=True)):
                rows.append((bound.codes == group).astype(float))
                lows.append(float(low))
                highs.append(float(high))
        if tokens and self.cap != _NO_CAP:
            rows.append(self.weights.astype(float))
            lows.append(0.0)
            highs.append(float(self.cap))
        least, most = np.zeros(self.held), np.ones(self.held)
        least[self.include] = 1
        most[self.exclude] = 0
        solved = milp(
            costs,
            integrality=np.ones(self.held),
            bounds=Bounds(least, most),
            constraints=LinearConstraint(np.array(rows), lows, highs),
        )
        return None if solved.x is None else np.asarray(solved.x > 0.5)

    def empty(self) -> TreegaugeError:
        """Say that nothing satisfies the demands, and which one alone stands in the way."""
        every = set(range(len(self.bounds)))
        zero = np.zeros(self.held)
        blocking = [
            self.bounds[i].text
            for i in sorted(every)
            if self._solve(zero, every - {i}, tokens=True) is not None
        ]
        if self.cap != _NO_CAP and self._solve(zero, every, tokens=False) is not None:
            blocking.append(f"tokens:{self.cap}")
        hint = f"; it would do to drop {' or '.join(blocking)}" if blocking else ""
        asked = ", ".join(self.demands)
        return TreegaugeError(f"no subset of size {self.size} satisfies {asked}{hint}")


def room_of(
    scores: Scores,
    size: int,
    *,
    at_most: Iterable[str | Constraint] = (),
    at_least: Iterable[str | Constraint] = (),
    tokens: int | None = None,
    include: Sequence[str] = (),
    exclude: Sequence[str] = (),
) -> Room:
    """Read demands on subsets of a score table's treebanks.

    Parameters
    ----------
    scores, size
        The table and the size of subsets.
    at_most
        Such as ``"language:1"``, ``"genus=Slavic:2"``, ``"resource:stratified"``.
    at_least
        The same forms with the least number: ``"resource=small:2"``, or ``"stock:1"`` for every
        value of a column.
    tokens
        The most tokens of all members together; treebanks of unknown size are then left out.
    include, exclude
        Treebanks that must, and must not, be members.
    """
    held = len(scores.treebanks)
    sizes_of(size, held)
    most, least = constraints_of(at_most), constraints_of(at_least)
    demands = [f"at most {one}" if one.most is not None else str(one) for one in most]
    demands += [f"at least {one}" for one in least]
    bounds = [_bound(scores, one, size, least=False) for one in most]
    bounds += [_bound(scores, one, size, least=True) for one in least]
    must = sorted({scores.treebank(name) for name in include})
    never = {scores.treebank(name) for name in exclude}
    both = [scores.treebanks[i] for i in must if i in never]
    if both:
        raise TreegaugeError(f"{', '.join(both)}: asked for both as included and as excluded")
    if len(must) > size:
        raise TreegaugeError(f"{len(must)} treebanks must be included, but the size is {size}")
    known = scores.metadata["tokens"].to_list()
    if tokens is not None:
        unknown = {i for i, number in enumerate(known) if number is None}
        if set(must) & unknown:
            names = ", ".join(scores.treebanks[i] for i in must if i in unknown)
            raise TreegaugeError(f"tokens of {names} are not known, so no bound on them can hold")
        never |= unknown
        demands.append(f"at most {tokens} tokens")
    demands += [f"with {scores.treebanks[i]}" for i in must]
    demands += [f"without {name}" for name in exclude]
    return Room(
        size=size,
        held=held,
        bounds=tuple(bounds),
        include=np.array(must, dtype=np.int64),
        exclude=np.array(sorted(never), dtype=np.int64),
        weights=np.array([number or 0 for number in known], dtype=np.int64),
        cap=_NO_CAP if tokens is None else tokens,
        demands=tuple(demands),
    )


def _bound(scores: Scores, constraint: Constraint, size: int, *, least: bool) -> Bound:
    values = scores.metadata[constraint.column].to_list()
    names = sorted({value for value in values if value is not None})
    if constraint.value is not None:
        if constraint.value not in names:
            raise ChoiceError(constraint.column, constraint.value, names)
        names = [constraint.value]
    # One group more for treebanks that the demand does not speak of.
    codes = np.array([names.index(v) if v in names else len(names) for v in values])
    counts = np.bincount(codes, minlength=len(names) + 1)
    if counts[-1] and constraint.value is None:
        unknown = [name for name, v in zip(scores.treebanks, values, strict=True) if v is None]
        raise TreegaugeError(
            f"constraint {constraint}: {constraint.column} is not known for {', '.join(unknown)}; "
            "give it in a metadata table or leave these treebanks out"
        )
    lows, highs = np.zeros_like(counts), counts.copy()
    if constraint.most is None:
        if least:
            raise TreegaugeError(f"{constraint}: stratified is no least number; use it as at most")
        lows[:] = highs[:] = shares(counts.tolist(), size)
    elif least:
        lows[:-1] = constraint.most
    else:
        highs[:-1] = np.minimum(counts[:-1], constraint.most)
    text = f"at least {constraint}" if least else str(constraint)
    return Bound(text, codes, lows, highs)
