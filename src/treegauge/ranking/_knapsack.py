"""Count the subsets of each size by their sum: the table behind exact win rates."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray


class Layout(NamedTuple):
    """Where the sums of 0, 1, ... items are counted.

    Attributes
    ----------
    items
        Whole numbers in the order in which they are added.
    lows, highs
        Entry ``[i][j]``: least and largest sum of j of the first i items.
    starts
        Row j begins at cell ``starts[j]``, for the sum ``lows[-1][j]``.
    additions
        How many additions counting takes.
    """

    items: list[int]
    lows: list[list[int]]
    highs: list[list[int]]
    starts: list[int]
    additions: int

    def row(self, cells: NDArray[Any], j: int) -> tuple[NDArray[Any], int]:
        """Return the counts of j-subsets by sum, and the sum that the first of them is for."""
        return cells[self.starts[j] : self.starts[j + 1]], self.lows[-1][j]


def layout(items: NDArray[np.int64], most: int) -> Layout:
    """Lay out a table for subsets of up to `most` items.

    A row reaches only as far as the j least and j largest items so far, so items are best given
    in the order of their distance from the median: the wide ones come last.

    Examples
    --------
    >>> plan = layout(np.array([1, -1, 5]), 2)
    >>> plan.lows[-1], plan.highs[-1], plan.starts
    ([0, -1, 0], [0, 5, 6], [0, 1, 8, 15])
    """
    lows, highs = [[0]], [[0]]
    additions = 0
    for i, item in enumerate(items.tolist(), 1):
        low, high = lows[-1], highs[-1]
        reach = min(i, most)
        additions += sum(high[:reach]) - sum(low[:reach]) + reach
        lows.append([0] + [_pick(min, low, j, item) for j in range(1, reach + 1)])
        highs.append([0] + [_pick(max, high, j, item) for j in range(1, reach + 1)])
    starts = [0]
    for low_sum, high_sum in zip(lows[-1], highs[-1], strict=True):
        starts.append(starts[-1] + high_sum - low_sum + 1)
    return Layout(items.tolist(), lows, highs, starts, additions)


def _pick(better: Any, sums: list[int], j: int, item: int) -> int:
    with_item = sums[j - 1] + item
    return int(better(sums[j], with_item)) if j < len(sums) else with_item


def count(plan: Layout, kind: type) -> NDArray[Any]:
    """Count the j-subsets with sum s in cell ``starts[j] + s - lows[-1][j]``.

    Parameters
    ----------
    plan
        The layout.
    kind
        ``np.uint64`` counts modulo 2**64, ``np.float64`` rounds.

    Examples
    --------
    The pairs out of 1, -1 and 5 have the sums 0, 4 and 6:

    >>> plan = layout(np.array([1, -1, 5]), 2)
    >>> row, low = plan.row(count(plan, np.uint64), 2)
    >>> low, row.tolist()
    (0, [1, 0, 0, 0, 1, 0, 1])
    """
    cells: NDArray[Any] = np.zeros(plan.starts[-1], dtype=kind)
    cells[0] = 1
    bases = [start - low for start, low in zip(plan.starts, plan.lows[-1], strict=False)]
    for item, lows, highs in zip(plan.items, plan.lows, plan.highs, strict=False):
        # Larger subsets first, so that an item is used once; rows never overlap.
        for j in range(min(len(lows), len(bases) - 1), 0, -1):
            low, high = lows[j - 1], highs[j - 1] + 1
            target = cells[bases[j] + low + item : bases[j] + high + item]
            target += cells[bases[j - 1] + low : bases[j - 1] + high]
    return cells
