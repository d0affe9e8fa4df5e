r"""The claim "A is better than B", and the smallest change of treebanks that would make it fail.

With :math:`d_t` the score of A minus that of B on treebank :math:`t`, the claim holds on a set of
treebanks if the :math:`d_t` add up to more than 0. A tie is not a win: a sum of 0 makes it fail.
Sums are of integers if the scores are decimals, so that ties are exact.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treegauge.core.errors import ChoiceError, TreegaugeError
from treegauge.ranking.leaderboard import Leaderboard


@dataclass(frozen=True)
class Claim:
    """System `a` is better than system `b`."""

    a: str
    b: str

    def __str__(self) -> str:
        return f"{self.a} > {self.b}"


def parse_claim(board: Leaderboard, text: "str | Claim") -> Claim:
    """Parse ``"A > B"`` or ``"A < B"``; names may contain spaces and even a >."""
    if isinstance(text, Claim):
        text = str(text)
    sides = []
    for position, sign in enumerate(text):
        if sign in "<>":
            left, right = text[:position].strip(), text[position + 1 :].strip()
            sides.append((left, right) if sign == ">" else (right, left))
    sides = [(a, b) for a, b in sides if a and b]
    if not sides:
        raise TreegaugeError(
            f"claim {text!r} is not valid; expected 'A > B' with two of the systems: {', '.join(board.systems)}"
        )
    unknown = ""
    for pair in sides:
        try:
            a, b = (board.systems[board.system(unknown := name)] for name in pair)
        except ChoiceError:
            continue
        if a == b:
            raise TreegaugeError(f"claim {text!r} compares {a} with itself")
        return Claim(a, b)
    raise ChoiceError("system in a claim", unknown, board.systems)


@dataclass(frozen=True)
class Flip:
    """The smallest changes of treebanks that make a claim fail.

    Attributes
    ----------
    treebanks, holds
        The treebanks (all, or those of a subset), and whether the claim holds on them.
    removed
        The fewest treebanks without which the claim fails; None if it holds on every non-empty
        part of them.
    swapped
        For a subset: (out, in), the fewest exchanges with other treebanks that make it fail; None
        if none does, or if there are no other treebanks.
    single
        Single treebanks on which the claim fails.
    smallest, largest
        Sizes of the smallest and largest subset of them for which it fails; None if there is none.
    """

    claim: Claim
    holds: bool
    treebanks: tuple[str, ...]
    removed: tuple[str, ...] | None
    swapped: tuple[tuple[str, str], ...] | None
    single: tuple[str, ...]
    smallest: int | None
    largest: int | None

    def json_fields(self) -> dict[str, Any]:
        """Return all fields for JSON."""
        swaps = self.swapped and [{"out": gone, "in": come} for gone, come in self.swapped]
        changed = {"claim": str(self.claim), "treebanks": len(self.treebanks), "swapped": swaps}
        return {**vars(self), **changed}


def fewest_removals(differences: NDArray[np.int64]) -> NDArray[np.int64] | None:
    """Return the fewest positions without which the sum of the rest is not above 0.

    Removing the m largest leaves the smallest sum, so the first m that succeeds is the smallest.
    None if even the smallest single difference is above 0.
    """
    order = np.argsort(-differences, kind="stable")
    rest = differences.sum() - np.concatenate([[0], np.cumsum(differences[order])])
    fails = np.flatnonzero(rest[:-1] <= 0)  # something must remain
    return order[: fails[0]] if len(fails) else None


def fewest_swaps(
    inside: NDArray[np.int64], outside: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]] | None:
    """Return the fewest exchanges after which the sum of the inside is not above 0.

    Exchanging the m largest inside for the m smallest outside lowers the sum most, so the first m
    that succeeds is the smallest. None if no m succeeds.
    """
    gone = np.argsort(-inside, kind="stable")
    come = np.argsort(outside, kind="stable")
    most = min(len(gone), len(come))
    gains = np.cumsum(inside[gone[:most]] - outside[come[:most]])
    left = inside.sum() - np.concatenate([[0], gains])
    fails = np.flatnonzero(left <= 0)
    return (gone[: fails[0]], come[: fails[0]]) if len(fails) else None


def flip(board: Leaderboard, claim: str | Claim, *, subset: Sequence[str] | None = None) -> Flip:
    """Find the smallest change of treebanks that makes a claim such as ``"A > B"`` fail.

    Starts from a subset, by default from all treebanks; then there are no treebanks to swap in.
    """
    stated = parse_claim(board, claim)
    numbers = board.fixed_point()[0]
    differences = numbers[board.system(stated.a)] - numbers[board.system(stated.b)]
    every = np.arange(len(board.treebanks))
    columns = every if subset is None else np.array([board.treebank(name) for name in subset])
    if len(np.unique(columns)) != len(columns) or not len(columns):
        raise TreegaugeError("expected a subset of one or more treebanks, each named once")
    others = np.setdiff1d(every, columns)
    inside = differences[columns]
    removed = fewest_removals(inside)
    swapped = fewest_swaps(inside, differences[others]) if len(others) else None
    ordered = np.sort(inside)
    fails = np.flatnonzero(np.cumsum(ordered) <= 0)

    def names(places: NDArray[np.int64]) -> tuple[str, ...]:
        return tuple(board.treebanks[i] for i in places)

    swaps = swapped and zip(names(columns[swapped[0]]), names(others[swapped[1]]), strict=True)
    return Flip(
        stated, bool(inside.sum() > 0), names(columns),
        removed=None if removed is None else names(columns[removed]),
        swapped=None if swaps is None else tuple(swaps), single=names(columns[inside <= 0]),
        smallest=int(fails[0]) + 1 if len(fails) else None,
        largest=int(fails[-1]) + 1 if len(fails) else None,
    )  # fmt: skip
