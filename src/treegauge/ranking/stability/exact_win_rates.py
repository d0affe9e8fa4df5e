r"""Win rates and mean ranks over *all* subsets of treebanks, counted instead of sampled.

For systems :math:`A` and :math:`B` let :math:`d_t` be the difference of their scores on treebank
:math:`t`, a whole number of hundredths. The number of subsets of size :math:`k` in which A beats B
is the number of :math:`k`-subsets of the :math:`d_t` with a positive sum; a table over (items
taken, sum) counts them all (Fragility has :math:`\binom{82}{10} \approx 2.1 \cdot 10^{12}`).

Counts are whole numbers without rounding. They are computed modulo :math:`2^{64}`; where
:math:`\binom{n}{k}` is larger, a second count in float64, whose relative error is at most
:math:`(n + w) 2^{-53}` for rows of :math:`w` cells (only additions of positive numbers), selects
the one number that both agree with. Should that error ever exceed :math:`2^{63}`, the float count
is given and ``Exact.rounding`` states its relative error.

Scores with many decimals would need too large a table. They are then rounded to a coarser grid,
and a subset counts as won or lost only if the rounding cannot have changed that: the share of
subsets left undecided bounds the error of every probability and mean rank.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, permutations
from math import comb
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from treegauge.core import tables
from treegauge.core.errors import TreegaugeError
from treegauge.core.lazy import pl
from treegauge.core.platforms import map_threads, worker_count
from treegauge.core.result import countersign
from treegauge.kernels.rank_swaps import add_items
from treegauge.ranking.leaderboard import Leaderboard, Ranks, metric_name
from treegauge.ranking.stability.sampler import sizes_of, sizes_text

MOST_CELLS = 1 << 26  # the largest table for one pair: 512 MB
MOST_ADDITIONS = 10**12
"""The largest number of additions for all pairs, by an upper bound several times too high."""


@dataclass(frozen=True, eq=False)
class Exact(Ranks, kind="exact ranks", unit="percent"):
    """Counts over all subsets of given sizes.

    Attributes
    ----------
    wins, undecided
        Sizes x systems x systems, Python integers: subsets where the row beats the column, and
        where the two tie; with a coarse grid, also subsets that it cannot decide.
    grid, coarse
        Step of the scores in the count, and whether it is coarser than the scores.
    rounding
        Relative error of the counts: 0.0 when they are exact.
    """

    board: Leaderboard
    sizes: tuple[int, ...]
    wins: NDArray[np.object_]
    undecided: NDArray[np.object_]
    grid: float
    coarse: bool
    rounding: float
    signature: str
    digits: ClassVar[Any] = {"rank": None, "mean rank": 4, "bound": 4}

    def subsets(self, size: int) -> int:
        """Return the number of subsets of a size."""
        return comb(len(self.board.treebanks), size)

    def _at(self, size: int | None) -> int:
        if size is None and len(self.sizes) == 1:
            return 0
        if size not in self.sizes:
            raise TreegaugeError(f"size {size} was not counted; choose one of {', '.join(map(str, self.sizes))}")
        return self.sizes.index(size)

    def mean_ranks(self, size: int | None = None) -> tuple[NDArray[np.float64], float]:
        """Return every system's mean rank over all subsets of a size, and the error bound.

        The mean rank is 1 + the sum over rivals of P(rival wins) and half of P(tie).
        """
        place = self._at(size)
        total = self.subsets(self.sizes[place])
        # On a coarse grid: the middle between all of them lost and all of them won.
        share = Fraction(1, 2)
        lost, open_ = self.wins[place].sum(axis=0), self.undecided[place].sum(axis=0)
        means = [float(1 + (low + share * o) / total) for low, o in zip(lost, open_, strict=True)]
        bound = float(Fraction(max(open_), 2 * total)) if self.coarse else 0.0
        return np.array(means), bound + self.rounding * len(means)

    @property
    def table(self) -> "pl.DataFrame":
        """One row per size and system: mean score and rank, bound of its error, overall rank."""
        parts = []
        for size in self.sizes:
            means, bound = self.mean_ranks(size)
            scores, full = self.board.filled.mean(axis=1), self.board.ranking()
            names = {"system": self.board.systems, "score": scores, "mean": means, "full": full}
            frame = pl.DataFrame(names).sort("mean", "system")
            parts.append(frame.with_columns(size=pl.lit(size), bound=pl.lit(bound)))
        return pl.concat(parts).select("size", "system", "score", "mean", "bound", "full")

    def shown(self) -> "pl.DataFrame":
        """Return mean ranks and the ranking over all treebanks, with the error bound if any."""
        few = [] if len(self.sizes) > 1 else ["size"]
        few += [] if self.coarse or self.rounding else ["bound"]
        names = {"full": "rank", "score": metric_name(self.board.metric), "mean": "mean rank"}
        frame = self.table.sort("size", "full", "mean", "system", maintain_order=True)
        order = ["size", "full", "system", "score", "mean", "bound"]
        return frame.select(name for name in order if name not in few).rename(names)

    def own_text(self) -> str:
        """Return the table and the subsets that ranks are averaged over."""
        sizes = sizes_text(self.sizes)
        number = f"{sum(map(self.subsets, self.sizes)):,}"
        note = f"Mean rank over all {number} subsets of {sizes} treebanks."
        return f"{tables.to_text(self.shown(), digits=self.digits)}\n\n{note}\n{self.signature}"

    @property
    def pairs(self) -> "pl.DataFrame":
        """Every size and ordered pair: probability that ``system`` is above, tied, below."""
        rows = [
            {**names, **{key: n / self.subsets(names["size"]) for key, n in counts.items()}}
            for names, counts in self._counts(permutations, ("above", "tied", "below"))
        ]
        return pl.DataFrame(rows)

    def _counts(self, choose: Any, names: Sequence[str]) -> Iterator[tuple[Any, dict[str, int]]]:
        """Yield size, the two systems of each chosen pair, and the subsets that the first wins."""
        for size in self.sizes:
            for pair in choose(self.board.systems, 2):
                counts = dict(zip(names, self.count(pair[0], pair[1], size), strict=True))
                yield {"size": size, "system": pair[0], "other": pair[1]}, counts

    def count(self, system: str, other: str, size: int | None = None) -> tuple[int, int, int]:
        """Return the numbers of subsets in which a system beats, ties with and loses to another."""
        place, a, b = self._at(size), self.board.system(system), self.board.system(other)
        return (int(self.wins[place, a, b]), int(self.undecided[place, a, b]), int(self.wins[place, b, a]))

    def json_fields(self) -> dict[str, Any]:
        """Return mean ranks, then counts of every pair."""
        words = ("wins", "undecided", "losses")
        return {
            "subsets": [{"size": size, "number": self.subsets(size)} for size in self.sizes],
            "exact": not self.coarse and self.rounding == 0,
            "rounding": self.rounding,
            "systems": self.table.to_dicts(),
            "pairs": [names | counts for names, counts in self._counts(combinations, words)],
        }


class SumLayout(NamedTuple):
    """The layout of the table in which the sums of 0, 1, ... items are counted.

    Entry ``[i, j]`` of `lows` and `highs` is the least and largest sum of j of the first i items.
    Row j begins at cell ``starts[j]``, for the sum ``lows[-1, j]``.
    """

    items: NDArray[np.int64]
    lows: NDArray[np.int64]
    highs: NDArray[np.int64]
    starts: NDArray[np.int64]

    def row(self, cells: NDArray[Any], j: int) -> tuple[NDArray[Any], int]:
        """Return the counts of j-subsets by sum, and the sum that the first of them is for."""
        return cells[self.starts[j] : self.starts[j + 1]], int(self.lows[-1, j])


def sum_layout(items: NDArray[np.int64], most: int) -> SumLayout:
    """Lay out a table for subsets of up to `most` items.

    A row reaches only as far as the j least and j largest items so far, so items are best given
    in the order of their distance from the median: the wide ones come last.
    """
    lows = np.zeros((len(items) + 1, most + 1), np.int64)
    highs = np.zeros_like(lows)
    for i in range(1, len(items) + 1):
        least = np.sort(items[:i])
        for rows, ordered in ((lows, least), (highs, least[::-1])):
            rows[i, 1 : i + 1] = ordered[:most].cumsum()
    starts = np.concatenate([[0], (highs[-1] - lows[-1] + 1).cumsum()])
    return SumLayout(items, lows, highs, starts)


def subset_sums(plan: SumLayout, kind: type) -> NDArray[Any]:
    """Count the j-subsets with sum s in cell ``starts[j] + s - lows[-1, j]``.

    The kind ``np.uint64`` counts modulo 2**64, ``np.float64`` rounds.
    """
    cells: NDArray[Any] = np.zeros(plan.starts[-1], dtype=kind)
    cells[0] = 1
    add_items(cells, plan.items, plan.lows, plan.highs, plan.starts[:-1] - plan.lows[-1])
    return cells


def _decided(differences: NDArray[np.int64], size: int) -> int:
    """Return 1 or -1 if one system wins on every subset of a size, else 0."""
    ordered = np.sort(differences)
    return int(ordered[:size].sum() > 0) - int(ordered[-size:].sum() < 0)


def _decided_subsets(
    plan: SumLayout, rest: NDArray[np.int64], step: int, sizes: tuple[int, ...], kind: type
) -> list[tuple[Any, Any]]:
    """Count, for each size, the subsets whose sum is certainly above and certainly below 0."""
    cells = subset_sums(plan, kind)
    whole, treebanks = int(plan.items.sum()), len(plan.items)
    counts = []
    for size in sizes:
        # A sum of k differences is step * (sum of items) + (sum of rests): what are its bounds?
        over, under = int(-rest[:size].sum()) // step, -(int(rest[-size:].sum()) // step)
        row, low = plan.row(cells, min(size, treebanks - size))
        flip = 2 * size > treebanks  # the complement of a subset has the rest of the sum
        if flip:
            over, under = whole - under, whole - over
        above, below = row[max(over + 1 - low, 0) :].sum(), row[: max(under - low, 0)].sum()
        counts.append((below.item(), above.item()) if flip else (above.item(), below.item()))
    return counts


def _reconcile(modular: int, estimate: float, total: int, error: float) -> int:
    """Return the number congruent to `modular` that lies within 2**63 of the estimate."""
    near = round(estimate)
    if error * total >= 2**63:
        return near
    return near + (modular - near + 2**63) % 2**64 - 2**63 if total >= 2**64 else modular


def _step(numbers: NDArray[np.int64], most: int) -> int:
    """Return the finest grid step whose tables fit: 1 wherever that is feasible."""
    widths = []
    for a, b in combinations(range(len(numbers)), 2):
        ordered = np.sort(numbers[a] - numbers[b])
        widths.append(int((ordered[::-1] - ordered).cumsum()[:most].sum()))
    cells = max(widths, default=0) + most + 1
    additions = numbers.shape[1] * (sum(widths) + len(widths) * (most + 1))
    excess = max(additions / MOST_ADDITIONS, cells / MOST_CELLS)
    return 1 if excess <= 1 else int(2 * excess)  # spare room for what rounding adds to rows


def exact_ranks(
    board: Leaderboard,
    *,
    size: int | str | Iterable[int] = 10,
    workers: int | None = None,
    progress: Callable[[int], None] | None = None,
) -> Exact:
    """Count wins, ties and losses of every pair over all subsets of a size.

    Several sizes (also ``"5-20"``, ``"all"``) share one table per pair. The other parameters are
    those of :func:`treegauge.rank`; `progress` is called with the number of pairs just done.
    """
    treebanks = len(board.treebanks)
    sizes = sizes_of(size, treebanks)
    numbers, scale = board.fixed_point()
    most = max(min(each, treebanks - each) for each in sizes)
    step = _step(numbers, most)
    shape = (len(sizes), len(board.systems), len(board.systems))
    wins = np.full(shape, 0, dtype=object)
    undecided = np.full(shape, 0, dtype=object)
    totals = [comb(treebanks, each) for each in sizes]

    def work(ab: tuple[int, int]) -> float:
        a, b = ab
        differences = numbers[a] - numbers[b]
        leads = [_decided(differences, each) for each in sizes]
        error = 0.0
        if all(leads):
            counts = [(t, 0) if lead > 0 else (0, t) for t, lead in zip(totals, leads, strict=True)]
        else:
            items = (differences + step // 2) // step
            rest = np.sort(differences - items * step)  # the rounding error of the grid
            order = np.argsort(np.abs(items - int(np.median(items))), kind="stable")
            plan = sum_layout(items[order], most)
            counts = _decided_subsets(plan, rest, step, sizes, np.uint64)
            if max(totals) >= 2**64:
                error = (treebanks + int(np.diff(plan.starts).max())) * 2.0**-53
                floats = _decided_subsets(plan, rest, step, sizes, np.float64)
                counts = [
                    (_reconcile(c[0], f[0], t, error), _reconcile(c[1], f[1], t, error))
                    for c, f, t in zip(counts, floats, totals, strict=True)
                ]
        for place, (won, lost) in enumerate(counts):
            wins[place, a, b], wins[place, b, a] = won, lost
            undecided[place, a, b] = undecided[place, b, a] = totals[place] - won - lost
        if progress is not None:
            progress(1)
        return error if error * max(totals) >= 2**63 else 0.0

    pairs = combinations(range(len(board.systems)), 2)
    rounding = max(map_threads(work, pairs, worker_count(workers)), default=0.0)
    grid = step / scale
    signature = countersign(board.signature, size=sizes_text(sizes), subsets="all", grid=f"{grid:g}")
    return Exact(board, sizes, wins, undecided, grid, step > 1, rounding, signature)
