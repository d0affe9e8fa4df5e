r"""Win rates and mean ranks over *all* subsets of treebanks, by counting instead of drawing.

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

from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from math import comb
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from treegauge.ranking._knapsack import Layout, count, layout
from treegauge.ranking._tally import threads_of
from treegauge.ranking.ranks import Ties, rank
from treegauge.ranking.scores import Scores
from treegauge.ranking.subsets import sizes_of, sizes_text
from treegauge.results.errors import TreegaugeError
from treegauge.results.result import Result

if TYPE_CHECKING:
    import polars as pl

MOST_CELLS = 1 << 26
"""The largest table for one pair: 512 MB."""
MOST_ADDITIONS = 10**12
"""The most additions for all pairs together, by a bound that is several times too high."""


@dataclass(frozen=True, eq=False)
class Exact(Result):
    """Counts over all subsets of given sizes.

    Attributes
    ----------
    scores
        The table.
    sizes
        Sizes of subsets, in the order of the first axis of the counts.
    ties
        What equal systems get in the mean rank.
    wins
        Sizes x systems x systems, Python integers: subsets where the row beats the column.
    undecided
        The same for ties; with a coarse grid, also subsets that it cannot decide.
    grid
        Step of the scores in the count; sums are exact on it.
    coarse
        Whether that step is coarser than the scores.
    rounding
        Relative error of the counts: 0.0 when they are exact.
    signature
        All choices, in one line.
    """

    scores: Scores
    sizes: tuple[int, ...]
    ties: Ties
    wins: NDArray[np.object_]
    undecided: NDArray[np.object_]
    grid: float
    coarse: bool
    rounding: float
    signature: str
    digits: ClassVar[int] = 4

    def subsets(self, size: int) -> int:
        """Return how many subsets of a size there are."""
        return comb(len(self.scores.treebanks), size)

    def _at(self, size: int | None) -> int:
        if size is None and len(self.sizes) == 1:
            return 0
        if size not in self.sizes:
            raise TreegaugeError(
                f"size {size} was not counted; choose one of {', '.join(map(str, self.sizes))}"
            )
        return self.sizes.index(size)

    def mean_ranks(self, size: int | None = None) -> tuple[NDArray[np.float64], float]:
        """Return every system's mean rank over all subsets of a size, and the error bound.

        The mean rank is 1 + the sum over rivals of P(rival wins) and a share of P(tie): a half,
        nothing or all of it for the tie rules average, min and max.
        """
        at = self._at(size)
        total = self.subsets(self.sizes[at])
        share = {"average": Fraction(1, 2), "min": Fraction(0), "max": Fraction(1)}[self.ties]
        if self.coarse:
            share = Fraction(1, 2)  # the middle between all of them lost and all of them won
        lost, open_ = self.wins[at].sum(axis=0), self.undecided[at].sum(axis=0)
        means = [float(1 + (low + share * o) / total) for low, o in zip(lost, open_, strict=True)]
        bound = float(Fraction(max(open_), 2 * total)) if self.coarse else 0.0
        return np.array(means), bound + self.rounding * len(means)

    @property
    def table(self) -> "pl.DataFrame":
        """One row per size and system: mean rank, bound of its error, rank over all treebanks."""
        import polars as pl

        parts = []
        for size in self.sizes:
            means, bound = self.mean_ranks(size)
            frame = pl.DataFrame(
                {
                    "size": [size] * len(means),
                    "system": self.scores.systems,
                    "mean": means,
                    "bound": [bound] * len(means),
                    "full": self.scores.ranking(self.ties),
                }
            )
            parts.append(frame.sort("mean", "system"))
        return pl.concat(parts)

    @property
    def pairs(self) -> "pl.DataFrame":
        """Every size and ordered pair: probability that ``system`` is above, tied, below."""
        import polars as pl

        rows = []
        for at, size in enumerate(self.sizes):
            total = self.subsets(size)
            for a, b in ((a, b) for a, b in np.ndindex(self.wins.shape[1:]) if a != b):
                won, lost = self.wins[at, a, b], self.wins[at, b, a]
                rows.append(
                    {
                        "size": size,
                        "system": self.scores.systems[a],
                        "other": self.scores.systems[b],
                        "above": won / total,
                        "tied": self.undecided[at, a, b] / total,
                        "below": lost / total,
                    }
                )
        return pl.DataFrame(rows)

    def count(self, system: str, other: str, size: int | None = None) -> tuple[int, int, int]:
        """Return in how many subsets a system wins against, ties with, loses to another.

        Examples
        --------
        >>> from treegauge.ranking.scores import read_scores
        >>> scores = read_scores("conll18").select(systems=["HIT-SCIR", "Stanford"])
        >>> exact(scores, size=10).count("HIT-SCIR", "Stanford")
        (2128746541218, 37161324, 10496539128)
        """
        at, a, b = self._at(size), self.scores.system(system), self.scores.system(other)
        return int(self.wins[at, a, b]), int(self.undecided[at, a, b]), int(self.wins[at, b, a])

    def to_dict(self) -> dict[str, Any]:
        """Return what ``--format json`` prints: mean ranks, then counts of every pair."""
        pairs = []
        for at, size in enumerate(self.sizes):
            for a, b in combinations(range(len(self.scores.systems)), 2):
                won, tied, lost = self.wins[at, a, b], self.undecided[at, a, b], self.wins[at, b, a]
                names = {"system": self.scores.systems[a], "other": self.scores.systems[b]}
                pairs.append(
                    {"size": size, **names, "wins": won, "undecided": tied, "losses": lost}
                )
        return {
            "signature": self.signature,
            "subsets": [{"size": size, "number": self.subsets(size)} for size in self.sizes],
            "exact": not self.coarse and self.rounding == 0,
            "rounding": self.rounding,
            "systems": self.table.to_dicts(),
            "pairs": pairs,
        }


class _Pair(NamedTuple):
    """The differences of two systems on a grid: whole steps, and what the grid leaves over."""

    plan: Layout
    rest: NDArray[np.int64]


def _pair(differences: NDArray[np.int64], step: int, most: int) -> _Pair:
    items = (differences + step // 2) // step
    order = np.argsort(np.abs(items - int(np.median(items))), kind="stable")
    return _Pair(layout(items[order], most), np.sort(differences - items * step))


def _decided(differences: NDArray[np.int64], size: int) -> int:
    """Return 1 or -1 if one system wins on every subset of a size, else 0."""
    ordered = np.sort(differences)
    if ordered[:size].sum() > 0:
        return 1
    return -1 if ordered[-size:].sum() < 0 else 0


def _count(pair: _Pair, step: int, sizes: tuple[int, ...], kind: type) -> list[tuple[Any, Any]]:
    """Count, for each size, the subsets with a sum surely above and surely below 0."""
    cells = count(pair.plan, kind)
    whole, held = sum(pair.plan.items), len(pair.plan.items)
    counts = []
    for size in sizes:
        # A sum of k differences is step * (sum of items) + (sum of rests): how far can that reach?
        over = int(-pair.rest[:size].sum()) // step
        under = -(int(pair.rest[-size:].sum()) // step)
        row, low = pair.plan.row(cells, min(size, held - size))
        if 2 * size <= held:
            counts.append((_above(row, low, over), _below(row, low, under)))
        else:  # the complement of a subset has the rest of the sum
            counts.append((_below(row, low, whole - over), _above(row, low, whole - under)))
    return counts


def _above(row: NDArray[Any], low: int, bound: int) -> Any:
    """Add up the counts of sums larger than a bound."""
    return row[max(bound + 1 - low, 0) :].sum().item()


def _below(row: NDArray[Any], low: int, bound: int) -> Any:
    """Add up the counts of sums smaller than a bound."""
    return row[: max(bound - low, 0)].sum().item()


def _reconcile(modular: int, estimate: float, total: int, error: float) -> int:
    """Return the number congruent to `modular` that lies within 2**63 of the estimate."""
    if total < 2**64:
        return modular
    if error * total >= 2**63:
        return round(estimate)
    near = round(estimate)
    return near + (modular - near + 2**63) % 2**64 - 2**63


def _step(numbers: NDArray[np.int64], most: int) -> int:
    """Return the finest grid step whose tables fit: 1 wherever that is feasible."""
    widths = []
    for a, b in combinations(range(len(numbers)), 2):
        ordered = np.sort(numbers[a] - numbers[b])
        widths.append(int((ordered[::-1] - ordered).cumsum()[:most].sum()))
    cells = max(widths, default=0) + most + 1
    additions = numbers.shape[1] * (sum(widths) + len(widths) * (most + 1))
    excess = max(additions / MOST_ADDITIONS, cells / MOST_CELLS)
    return 1 if excess <= 1 else int(2 * excess)  # room to spare for what rounding adds to rows


def exact(
    scores: Scores,
    *,
    size: int | str | Iterable[int] = 10,
    ties: Ties = "average",
    threads: int | None = None,
    progress: Callable[[int], None] | None = None,
) -> Exact:
    """Count wins, ties and losses of every pair over all subsets of a size.

    Parameters
    ----------
    scores
        The table; decimals (two, as published) are counted exactly.
    size
        Treebanks per subset, or several sizes (also ``"5-20"``, ``"all"``), which share one table
        per pair.
    ties
        What equal systems get in the mean rank: ``average``, ``min`` or ``max``.
    threads
        Default: as many as there are processors.
    progress
        Called with the number of pairs just done.

    Examples
    --------
    >>> from treegauge.ranking.scores import read_scores
    >>> scores = read_scores("conll18").select(systems=["TurkuNLP", "Stanford", "SParse"])
    >>> exact(scores, size=10).table.select("system", "mean").rows()
    [('TurkuNLP', 1.3504...), ('Stanford', 1.6495...), ('SParse', 3.0)]
    """
    held = len(scores.treebanks)
    sizes = sizes_of(size, held)
    rank(np.zeros(1), ties)
    numbers, scale = scores.fixed_point()
    most = max(min(each, held - each) for each in sizes)
    step = _step(numbers, most)
    shape = (len(sizes), len(scores.systems), len(scores.systems))
    wins = np.full(shape, 0, dtype=object)
    undecided = np.full(shape, 0, dtype=object)
    totals = [comb(held, each) for each in sizes]

    def work(ab: tuple[int, int]) -> float:
        a, b = ab
        differences = numbers[a] - numbers[b]
        leads = [_decided(differences, each) for each in sizes]
        error = 0.0
        if all(leads):
            counts = [(t, 0) if lead > 0 else (0, t) for t, lead in zip(totals, leads, strict=True)]
        else:
            pair = _pair(differences, step, most)
            counts = _count(pair, step, sizes, np.uint64)
            if max(totals) >= 2**64:
                error = (held + max(np.diff(pair.plan.starts).tolist())) * 2.0**-53
                floats = _count(pair, step, sizes, np.float64)
                counts = [
                    (_reconcile(c[0], f[0], t, error), _reconcile(c[1], f[1], t, error))
                    for c, f, t in zip(counts, floats, totals, strict=True)
                ]
        for at, (won, lost) in enumerate(counts):
            wins[at, a, b], wins[at, b, a] = won, lost
            undecided[at, a, b] = undecided[at, b, a] = totals[at] - won - lost
        if progress is not None:
            progress(1)
        return error if error * max(totals) >= 2**63 else 0.0

    with ThreadPoolExecutor(threads_of(threads)) as pool:
        pairs = combinations(range(len(scores.systems)), 2)
        rounding = max(pool.map(work, pairs), default=0.0)
    grid = step / scale
    return Exact(
        scores=scores,
        sizes=sizes,
        ties=ties,
        wins=wins,
        undecided=undecided,
        grid=grid,
        coarse=step > 1,
        rounding=rounding,
        signature=f"{scores.signature}|size:{sizes_text(sizes)}|samples:all|grid:{grid:g}|ties:{ties}",
    )
