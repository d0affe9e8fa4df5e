"""Subsets of treebanks, with or without constraints: random, or all of them if they are few.

Subsets are drawn in blocks, as columns of a treebanks x samples mask. A block depends only on the
seed and its number: its random numbers come from Philox, a counter-based generator, with the
block's number as counter. So any sample can be drawn again, in any order and on any thread.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import chain, combinations
from math import comb, lcm
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from treegauge.core.errors import TreegaugeError
from treegauge.kernels.rank_swaps import draw_subsets
from treegauge.ranking.leaderboard import Leaderboard
from treegauge.ranking.stability.named_subsets import Constraint, GroupBounds, group_bounds

BLOCK = 4096
"""Samples per block. Another number gives other samples."""
FEW = 1_000_000
"""Up to this number, all subsets are counted once each instead of a random sample."""
ROUNDS = 200
"""The largest number of attempts to draw the samples of a block that break a constraint."""
Mask = NDArray[np.uint8]


def sizes_of(size: "int | str | Iterable[int]", held: int) -> tuple[int, ...]:
    """Return one or more sizes, without repeats, from 1 to `held` treebanks.

    Examples
    --------
    >>> sizes_of(10, 82), sizes_of("2-5,10", 82), sizes_of("all", 3)
    ((10,), (2, 3, 4, 5, 10), (1, 2, 3))
    """
    sizes: list[int] = []
    if isinstance(size, str):
        for part in (f"1-{held}" if size.strip() == "all" else size).split(","):
            match = re.fullmatch(r"\s*(\d+)(?:\s*-\s*(\d+))?\s*", part)
            if match is None:
                raise TreegaugeError(f"size {size!r}: expected such as 10, 5-20, 5,10,20 or all")
            sizes += range(int(match[1]), int(match[2] or match[1]) + 1)
    else:
        sizes += [size] if isinstance(size, int) else size
    if not sizes:
        raise TreegaugeError(f"size {size!r} names no size; expected such as 10, 5-20 or all")
    for each in sizes:
        if not 1 <= each <= held:
            raise TreegaugeError(f"size {each}: the table has {held} treebanks; choose a size from 1 to {held}")
    return tuple(dict.fromkeys(sizes))


def usual_size(held: int) -> int:
    """Return the default size of subsets: 10, or half of the treebanks if ten or fewer."""
    return 10 if held > 10 else max(1, held // 2)


def sizes_text(sizes: Sequence[int]) -> str:
    """Return sizes as text that :func:`sizes_of` reads."""
    if len(sizes) > 2 and list(sizes) == [*range(sizes[0], sizes[-1] + 1)]:
        return f"{sizes[0]}-{sizes[-1]}"
    return ",".join(map(str, sizes))


def _ways(counts: Sequence[int], lows: Sequence[int], highs: Sequence[int]) -> list[list[int]]:
    """Count the choices of r treebanks out of groups g, g+1, ...: entry [g][r], exactly."""
    rows = [[1]]
    for count, low, high in zip(reversed(counts), reversed(lows), reversed(highs), strict=True):
        later = rows[-1]
        row = [0] * (len(later) + high)
        for take in range(low, high + 1):
            for rest, ways in enumerate(later):
                row[take + rest] += comb(count, take) * ways
        rows.append(row)
    return rows[::-1]


def _steps(counts: Sequence[int], highs: Sequence[int], ways: list[list[int]], most: int) -> NDArray[np.float64]:
    """Cumulative probability of taking at most j of group g when r places are left."""
    table = np.ones((len(counts), most + 1, max(highs) + 1))
    for group, (count, high) in enumerate(zip(counts, highs, strict=True)):
        for left in range(min(most, len(ways[group]) - 1) + 1):
            total, so_far = ways[group][left], 0
            for take in range(min(high, left) + 1):
                rest = left - take
                later = ways[group + 1][rest] if rest < len(ways[group + 1]) else 0
                so_far += comb(count, take) * later
                if total:
                    table[group, left, take] = so_far / total
    return table


@dataclass(frozen=True, eq=False)
class Sampler:
    """Numbered subsets of the treebanks of a leaderboard.

    Sample ``i`` has size ``sizes[i % len(sizes)]`` and is uniform over all subsets of that size
    that satisfy the constraints. It depends only on the seed, its number and these choices. If no
    more than `most` samples contain every subset, each size equally often, the samples are these
    (`complete` of them) in a fixed order, and the seed has no effect.
    """

    board: Leaderboard
    sizes: tuple[int, ...]
    seed: int = 0
    constraints: tuple[Constraint, ...] = ()
    most: int = 0

    def __post_init__(self) -> None:
        sizes_of(self.sizes, len(self.board.treebanks))
        if not 0 <= self.seed < 2**64:
            raise TreegaugeError(f"seed {self.seed}: expected a whole number from 0 to 2**64 - 1")

    @cached_property
    def plan(self) -> "DrawingPlan":
        """The sampler as arrays; an error if no subset satisfies the constraints."""
        held = len(self.board.treebanks)
        bounds = [group_bounds(each, self.board, self.sizes) for each in self.constraints]
        bounds.sort(key=self._share_inside)  # draw by the tightest constraint, reject by the others
        codes = bounds[0].codes if bounds else np.zeros(held, dtype=np.int64)
        counts = np.bincount(codes).tolist()
        quotas = steps = None
        if bounds and (bounds[0].lows == bounds[0].highs).all():
            quotas = bounds[0].lows
        elif bounds:
            highs = bounds[0].highs[0].tolist()[: len(counts)]
            steps = _steps(counts, highs, _ways(counts, [0] * len(highs), highs), max(self.sizes))
        groups = tuple(
            (each.codes[None, :] == np.arange(each.lows.shape[1])[:, None]).astype(np.float32) for each in bounds[1:]
        )
        return DrawingPlan(
            np.array(self.sizes, dtype=np.int64), held, np.argsort(codes, kind="stable"),
            np.concatenate([[0], np.cumsum(counts)]).astype(np.int64), quotas, steps, groups,
            lows=tuple(each.lows for each in bounds[1:]),
            highs=tuple(each.highs for each in bounds[1:]),
        )  # fmt: skip

    def _share_inside(self, bounds: GroupBounds) -> float:
        """Return the share of all subsets of the largest size within these bounds."""
        counts = np.bincount(bounds.codes, minlength=bounds.lows.shape[1]).tolist()
        smallest = 1.0
        for which, size in enumerate(self.sizes):
            row = _ways(counts, bounds.lows[which].tolist(), bounds.highs[which].tolist())[0]
            inside = row[size] if size < len(row) else 0
            if not inside:
                most = max(r for r, ways in enumerate(row) if ways)
                raise TreegaugeError(
                    f"no subset of size {size} satisfies "
                    f"{' and '.join(map(str, self.constraints))}; the largest possible size is "
                    f"{most}"
                )
            smallest = min(smallest, inside / comb(len(bounds.codes), size))
        return smallest

    @cached_property
    def complete(self) -> int | None:
        """The number of samples that contain every subset; None if that is more than `most`."""
        held = len(self.board.treebanks)
        if max(comb(held, size) for size in self.sizes) > self.most:
            return None
        number = len(self.sizes) * lcm(*self.counts)
        return number if number <= self.most else None

    @cached_property
    def counts(self) -> list[int]:
        """The number of subsets of each size; only for sizes that have few."""
        return [len(rows) for rows in self._every]

    @cached_property
    def _every(self) -> list[NDArray[np.int32]]:
        """All subsets by size, or, of sizes over one half, the treebanks that they leave out."""
        _ = self.plan  # refuses a constraint that no subset satisfies
        held = len(self.board.treebanks)
        bounds = [group_bounds(each, self.board, self.sizes) for each in self.constraints]
        every = []
        for at, size in enumerate(self.sizes):
            fewer = min(size, held - size)
            listed = chain.from_iterable(combinations(range(held), fewer))
            rows = np.fromiter(listed, np.int32).reshape(comb(held, size), fewer)
            for each in bounds:
                low, high = each.lows[at], each.highs[at]
                parts = [rows[i : i + BLOCK] for i in range(0, len(rows), BLOCK)]
                groups = np.eye(len(low), dtype=np.int64)[each.codes]
                counts = (_group_counts(groups, part, size) for part in parts)
                fits = [((low <= one) & (one <= high)).all(axis=1) for one in counts]
                rows = rows[np.concatenate(fits)] if fits else rows
            if not len(rows):
                raise TreegaugeError(
                    f"no subset of size {size} satisfies "
                    f"{' and '.join(map(str, self.constraints))}; loosen one of them or choose "
                    "another size"
                )
            every.append(rows)
        return every

    def _listed(self, number: int) -> Mask:
        """Return a block of samples that contain every subset."""
        held, samples = len(self.board.treebanks), number * BLOCK + np.arange(BLOCK)
        turn, which = np.divmod(samples, len(self.sizes))
        mask = np.zeros((held, BLOCK), dtype=np.uint8)
        for at, (size, rows) in enumerate(zip(self.sizes, self._every, strict=True)):
            columns = np.flatnonzero(which == at)
            chosen = rows[turn[columns] % len(rows)]
            mask[:, columns] = chosen.shape[1] < size
            mask[chosen.T, columns] = chosen.shape[1] == size
        return mask

    def described(self, samples: int) -> str:
        """Return the subsets in words, such as ``all 20 subsets of 3 treebanks``."""
        sizes = sizes_text(self.sizes)
        of = f"of {sizes} treebank{'' if sizes == '1' else 's'}"
        if self.complete is None:
            return f"{samples:,} random subsets {of}"
        number = sum(self.counts)
        text = f"all {number:,} subsets {of}" if number > 1 else f"the only subset {of}"
        text += " within the constraints" if self.constraints else ""
        return f"{text}, each size with equal weight" if len(self.sizes) > 1 else text

    def block(self, number: int) -> Mask:
        """Return samples ``number * BLOCK`` and following as a treebanks x samples mask."""
        if self.complete is not None:
            return self._listed(number)
        plan = self.plan
        rng = np.random.Generator(np.random.Philox(key=self.seed, counter=[0, 0, 0, number]))
        which = (number * BLOCK + np.arange(BLOCK)) % len(plan.sizes)
        if plan.quotas is None and plan.steps is None:
            return _floyd(rng, plan.sizes[which], plan.held)
        mask = np.zeros((plan.held, BLOCK), dtype=np.uint8)
        unfilled = np.arange(BLOCK)
        for _ in range(ROUNDS):
            # Spare columns are further attempts for the samples that still break a constraint.
            tries = np.resize(unfilled, BLOCK)
            drawn = _grouped(rng, plan, which[tries])
            good = np.flatnonzero(_fits(plan, drawn, which[tries]))
            samples, first = np.unique(tries[good], return_index=True)
            mask[:, samples] = drawn[:, good[first]]
            unfilled = np.setdiff1d(unfilled, samples, assume_unique=True)
            if not len(unfilled):
                return mask
        raise TreegaugeError(
            f"{BLOCK * ROUNDS} subsets in a row broke {' and '.join(map(str, self.constraints))} "
            "taken together; loosen one of them or choose a smaller size"
        )

    def columns(self, number: int) -> NDArray[np.int64]:
        """Draw sample `number` again, as column numbers of the leaderboard."""
        block, column = divmod(number, BLOCK)
        return np.flatnonzero(self._recent(block)[:, column])

    @cached_property
    def _recent(self) -> Callable[[int], Mask]:
        """Return a block; the last one is cached, since samples are often used in order."""
        return lru_cache(maxsize=1)(self.block)

    def subset(self, number: int) -> tuple[str, ...]:
        """Draw sample `number` again, as names of treebanks."""
        return tuple(self.board.treebanks[column] for column in self.columns(number))


def _group_counts(groups: NDArray[np.int64], rows: NDArray[np.int32], size: int) -> NDArray[np.int64]:
    """Return subsets x groups: the treebanks of each group; shorter rows are those left out."""
    counts: NDArray[np.int64] = groups[rows].sum(axis=1)
    return counts if rows.shape[1] == size else np.asarray(groups.sum(axis=0) - counts)


class DrawingPlan(NamedTuple):
    """A sampler as arrays.

    The leading constraint is a grouping of the treebanks (members of group g: positions
    starts[g]:starts[g+1] of `members`) with fixed quotas, or with steps: the cumulative
    probability of taking j of group g when r places are left. Without a constraint there is no
    grouping. Other constraints are bounds (sizes x groups) on group counts (groups x treebanks).
    """

    sizes: NDArray[np.int64]
    held: int
    members: NDArray[np.int64]
    starts: NDArray[np.int64]
    quotas: NDArray[np.int64] | None
    steps: NDArray[np.float64] | None
    groups: tuple[NDArray[np.float32], ...]
    lows: tuple[NDArray[np.int64], ...]
    highs: tuple[NDArray[np.int64], ...]


def _floyd(rng: np.random.Generator, sizes: NDArray[np.int64], held: int) -> Mask:
    """Draw each column's subset by Floyd's method: k draws, no shuffling; all equally likely."""
    flip = sizes > held - sizes  # the complement is then the smaller subset
    fewer = np.where(flip, held - sizes, sizes)
    mask = draw_subsets(rng.random((int(fewer.max()), len(sizes))), fewer, held)
    return np.where(flip, 1 - mask, mask) if flip.any() else mask


def _grouped(rng: np.random.Generator, plan: DrawingPlan, which: NDArray[np.int64]) -> Mask:
    """Draw each column group by group: first how many of a group, then which of them.

    How many is a quota or drawn in proportion to the ways in which the later groups can complete
    the subset, so that all subsets within the leading constraint are equally likely.
    """
    samples = len(which)
    left = plan.sizes[which]
    mask = np.zeros((plan.held, samples), dtype=np.uint8)
    for group in range(len(plan.starts) - 1):
        members = plan.members[plan.starts[group] : plan.starts[group + 1]]
        if plan.quotas is not None:
            take = plan.quotas[which, group]
        else:
            assert plan.steps is not None  # noqa: S101
            point = rng.random(samples)
            take = (plan.steps[group, left] <= point[:, None]).sum(axis=1)
        keys = rng.random((samples, len(members)))
        ordered = np.sort(keys, axis=1)
        edge = np.take_along_axis(ordered, np.maximum(take - 1, 0)[:, None], axis=1)
        mask[members] = ((keys <= edge) & (take > 0)[:, None]).T
        left = left - take
    return mask


def _fits(plan: DrawingPlan, mask: Mask, which: NDArray[np.int64]) -> NDArray[np.bool_]:
    good = np.ones(mask.shape[1], dtype=bool)
    for groups, lows, highs in zip(plan.groups, plan.lows, plan.highs, strict=True):
        counts = (groups @ mask.astype(np.float32)).T
        good &= ((lows[which] <= counts) & (counts <= highs[which])).all(axis=1)
    return good
