"""Rows by group: the values of a column, or the two sides of a threshold."""

from dataclasses import dataclass

import numpy as np

from treegauge.results.errors import TreegaugeError
from treegauge.statistics.table import Table

_MOST = 60


@dataclass(frozen=True)
class Group:
    """Some rows and what they are called."""

    name: str
    rows: tuple[int, ...]


def group_rows(table: Table, by: str, cut: str | float | None = None) -> list[Group]:
    """Divide rows by a column.

    Parameters
    ----------
    table
        The table.
    by
        The column. Rows without a value belong to no group.
    cut
        Divide at this number, ``"mean"`` or ``"median"``, into above and not above, instead of by
        value.

    Examples
    --------
    >>> from treegauge.statistics.table import as_table
    >>> table = as_table({"mc": [0.2, 0.4, 0.9], "family": ["a", None, "b"]})
    >>> [(group.name, group.rows) for group in group_rows(table, "mc", "mean")]
    [('mc > 0.5', (2,)), ('mc <= 0.5', (0, 1))]
    >>> [group.name for group in group_rows(table, "family")]
    ['a', 'b']
    """
    table.check([by], "column to group by")
    if cut is not None:
        return _halves(table, by, cut)
    if by in table.numeric():
        numbers = table.numbers(by)
        cells = [None if np.isnan(number) else f"{number:g}" for number in numbers]
        order = {f"{number:g}": number for number in numbers if not np.isnan(number)}
        names = sorted(order, key=order.__getitem__)
    else:
        cells = [None if cell is None else str(cell) for cell in table.frame[by]]
        names = sorted({cell for cell in cells if cell})
    if len(names) > _MOST:
        raise TreegaugeError(
            f"{table.source}: column {by!r} has {len(names)} values, more than {_MOST} groups; "
            "give a cut (mean, median or a number) to divide its numbers in two"
        )
    return [Group(name, tuple(i for i, cell in enumerate(cells) if cell == name)) for name in names]


def _halves(table: Table, by: str, cut: str | float) -> list[Group]:
    numbers = table.numbers(by)
    known = numbers[~np.isnan(numbers)]
    if not len(known):
        raise TreegaugeError(f"{table.source}: column {by!r} has no numbers to cut")
    at: float
    if cut in ("mean", "median"):
        at = float(known.mean() if cut == "mean" else np.median(known))
    else:
        try:
            at = float(cut)
        except ValueError:
            raise TreegaugeError(f"cut: expected mean, median or a number, found {cut!r}") from None
    above = np.flatnonzero(numbers > at)
    below = np.flatnonzero(numbers <= at)
    return [
        Group(f"{by} > {at:.6g}", tuple(above.tolist())),
        Group(f"{by} <= {at:.6g}", tuple(below.tolist())),
    ]
