"""Random subsets, a block at a time, as columns of a treebanks x samples mask.

A block depends on nothing but the seed and its number: its random numbers come from Philox, a
counter-based generator, with the block's number as counter. So any sample can be drawn again, in
any order and on any thread. Everything here is array arithmetic over a whole block, which is as
fast as compiled loops and needs no compiler to be loaded first.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

BLOCK = 4096
"""Samples per block. Part of the definition of a sample: another number, other samples."""
ROUNDS = 200
"""How often a block is drawn again for samples that break a constraint before giving up."""

Mask = NDArray[np.uint8]


class Plan(NamedTuple):
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


def draw_block(plan: Plan, seed: int, number: int) -> Mask | None:
    """Return block `number` as a mask, or None if the constraints are too tight together."""
    rng = np.random.Generator(np.random.Philox(key=seed, counter=[0, 0, 0, number]))
    which = (number * BLOCK + np.arange(BLOCK)) % len(plan.sizes)
    if plan.quotas is None and plan.steps is None:
        return _floyd(rng, plan.sizes[which], plan.held)
    mask = np.zeros((plan.held, BLOCK), dtype=np.uint8)
    unfilled = np.arange(BLOCK)
    for _ in range(ROUNDS):
        # Spare room goes to further tries for the samples that are still unfilled.
        tries = np.resize(unfilled, BLOCK)
        drawn = _grouped(rng, plan, which[tries])
        good = np.flatnonzero(_fits(plan, drawn, which[tries]))
        samples, first = np.unique(tries[good], return_index=True)
        mask[:, samples] = drawn[:, good[first]]
        unfilled = np.setdiff1d(unfilled, samples, assume_unique=True)
        if not len(unfilled):
            return mask
    return None


def _floyd(rng: np.random.Generator, sizes: NDArray[np.int64], held: int) -> Mask:
    """Draw each column's subset by Floyd's method: k draws, no shuffling; all equally likely."""
    samples = len(sizes)
    flip = sizes > held - sizes  # what is left out is then the smaller subset
    fewer = np.where(flip, held - sizes, sizes)
    rounds = int(fewer.max())
    alike = rounds == fewer.min()
    mask = np.zeros((held, samples), dtype=np.uint8)
    flat, columns = mask.reshape(-1), np.arange(samples)
    uniform = rng.random((rounds, samples))
    for i in range(rounds):
        last = held - rounds + i if alike else np.minimum(held - fewer + i, held - 1)
        place = (uniform[i] * (last + 1)).astype(np.int64) * samples + columns
        place = np.where(flat[place], last * samples + columns, place)
        if alike:
            flat[place] = 1
        else:
            flat[place] |= i < fewer  # columns that are full draw along and change nothing
    return np.where(flip, 1 - mask, mask) if flip.any() else mask


def _grouped(rng: np.random.Generator, plan: Plan, which: NDArray[np.int64]) -> Mask:
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


def _fits(plan: Plan, mask: Mask, which: NDArray[np.int64]) -> NDArray[np.bool_]:
    good = np.ones(mask.shape[1], dtype=bool)
    for groups, lows, highs in zip(plan.groups, plan.lows, plan.highs, strict=True):
        counts = (groups @ mask.astype(np.float32)).T
        good &= ((lows[which] <= counts) & (counts <= highs[which])).all(axis=1)
    return good
