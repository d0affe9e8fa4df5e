"""Count the subsets of each size by their sum: the kernel behind exact win rates."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from treegauge._jit import kernel

_EMPTY = np.int64(1) << np.int64(62)


@kernel
def layout(items: NDArray[np.int64], lows: NDArray[np.int64], starts: NDArray[np.int64]) -> Any:
    """Find room for the sums of 0, 1, ... items: lows[j] is the least, row j begins at starts[j].

    Returns how many additions counting will take. A row reaches only as far as the j largest and
    j smallest items seen so far, so items in order of distance from their median cost least.
    """
    most = len(lows) - 1
    highs = np.full(most + 1, -_EMPTY)
    lows[:] = _EMPTY
    lows[0] = highs[0] = 0
    additions = 0.0
    for i in range(len(items)):
        for j in range(min(i + 1, most), 0, -1):
            additions += highs[j - 1] - lows[j - 1] + 1
            lows[j] = min(lows[j], lows[j - 1] + items[i])
            highs[j] = max(highs[j], highs[j - 1] + items[i])
    starts[0] = 0
    for j in range(most + 1):
        starts[j + 1] = starts[j] + highs[j] - lows[j] + 1
    return additions


@kernel
def fill(
    items: NDArray[np.int64],
    lows: NDArray[np.int64],
    starts: NDArray[np.int64],
    cells: NDArray[Any],
) -> None:
    """Put the number of j-subsets with sum s into cell ``starts[j] + s - lows[j]``.

    Cells may be uint64 (numbers modulo 2**64) or float64.
    """
    most = len(lows) - 1
    low = np.full(most + 1, _EMPTY)
    high = np.full(most + 1, -_EMPTY)
    low[0] = high[0] = 0
    cells[: starts[most + 1]] = 0
    cells[0] = 1
    for i in range(len(items)):
        item = items[i]
        for j in range(min(i + 1, most), 0, -1):
            length = high[j - 1] - low[j - 1] + 1
            begin = starts[j - 1] + low[j - 1] - lows[j - 1]
            target = starts[j] + low[j - 1] + item - lows[j]
            source = cells[begin : begin + length]
            result = cells[target : target + length]
            for x in range(length):
                result[x] += source[x]
            low[j] = min(low[j], low[j - 1] + item)
            high[j] = max(high[j], high[j - 1] + item)


@kernel
def tails(row: NDArray[Any], low: int, under: int, over: int, out: NDArray[Any]) -> None:
    """Add up the cells whose sum is less than `under`, and those whose sum is more than `over`."""
    out[0] = out[1] = 0
    for x in range(len(row)):
        if low + x < under:
            out[0] += row[x]
        elif low + x > over:
            out[1] += row[x]
