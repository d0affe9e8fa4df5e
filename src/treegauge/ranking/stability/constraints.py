"""Constraints on subsets of treebanks, such as one treebank per language."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from treegauge.core.errors import ChoiceError, TreegaugeError
from treegauge.ranking.tables.leaderboard import Leaderboard

GROUPINGS = ("language", "family", "stock", "genus", "resource")
"""Columns of metadata that group treebanks."""
_FORMS = (
    "COLUMN:MOST (such as language:1 or family:2), COLUMN=VALUE:MOST (such as genus=Slavic:2), "
    f"COLUMN:stratified (such as resource:stratified); COLUMN is one of {', '.join(GROUPINGS)}"
)


@dataclass(frozen=True)
class Constraint:
    """A bound on the number of treebanks in a subset that share a value of a metadata column.

    `most` is the largest number per value; None means stratified, that is in proportion to the
    whole collection (largest remainders). `value` is the only value with a bound; None: all values.

    Examples
    --------
    >>> Constraint.parse("language:1")
    Constraint(column='language', most=1, value=None)
    """

    column: str
    most: int | None = None
    value: str | None = None

    @classmethod
    def parse(cls, text: str) -> "Constraint":
        """Parse ``COLUMN:MOST``, ``COLUMN=VALUE:MOST`` or ``COLUMN:stratified``."""
        match = re.fullmatch(r"(\w+)(?:=(.+))?:(\d+|stratified)", text.strip())
        if match is None or (match[2] and match[3] == "stratified"):
            raise TreegaugeError(f"constraint {text!r} is not understood; expected {_FORMS}")
        column, value, most = match.groups()
        if column not in GROUPINGS:
            raise ChoiceError("column of a constraint", column, GROUPINGS)
        return cls(column, None if most == "stratified" else int(most), value)

    def __str__(self) -> str:
        value = "" if self.value is None else f"={self.value}"
        return f"{self.column}{value}:{'stratified' if self.most is None else self.most}"


def constraints_of(constraints: "str | Iterable[str | Constraint]") -> tuple[Constraint, ...]:
    """Return constraints given as text or as objects."""
    constraints = [constraints] if isinstance(constraints, str) else constraints
    return tuple(c if isinstance(c, Constraint) else Constraint.parse(c) for c in constraints)


def shares(counts: Sequence[int], size: int) -> list[int]:
    """Divide `size` places in proportion to `counts`, the largest remainders rounded up."""
    total = sum(counts)
    floors = [size * count // total for count in counts]
    by_remainder = sorted(range(len(counts)), key=lambda i: (-(size * counts[i] % total), -counts[i], i))
    for i in by_remainder[: size - sum(floors)]:
        floors[i] += 1
    return floors


class GroupBounds(NamedTuple):
    """A constraint on one table: the group of each treebank, and the bounds by size and group."""

    text: str
    codes: NDArray[np.int64]
    lows: NDArray[np.int64]
    highs: NDArray[np.int64]


def group_bounds(
    constraint: Constraint, board: Leaderboard, sizes: Sequence[int], *, least: bool = False
) -> GroupBounds:
    """Return the bounds of a constraint, whose number is an upper or a lower bound per group."""
    values = board.metadata[constraint.column].to_list()
    unknown = [name for name, v in zip(board.treebanks, values, strict=True) if v is None]
    if unknown and constraint.value is None:
        raise TreegaugeError(
            f"constraint {constraint}: {constraint.column} is not known for {', '.join(unknown)}; "
            "give it in a metadata table or leave these treebanks out"
        )
    names = sorted({value for value in values if value is not None})
    if constraint.value is not None:
        if constraint.value not in names:
            raise ChoiceError(constraint.column, constraint.value, names)
        names = [constraint.value]
    # One group more for treebanks that the constraint does not name.
    codes = np.array([names.index(v) if v in names else len(names) for v in values])
    counts = np.bincount(codes, minlength=len(names) + 1)
    lows = np.zeros((len(sizes), len(counts)), dtype=np.int64)
    highs = np.tile(counts, (len(sizes), 1))
    if constraint.most is None and least:
        raise TreegaugeError(f"{constraint}: stratified is not a least number; use it as at most")
    if constraint.most is None:
        lows[:] = highs[:] = [shares(counts.tolist(), size) for size in sizes]
    elif least:
        lows[:, :-1] = constraint.most
    else:
        highs[:, :-1] = np.minimum(highs[:, :-1], constraint.most)
    return GroupBounds(f"at least {constraint}" if least else str(constraint), codes, lows, highs)
