r"""The claim "A is better than B", and the smallest change of treebanks that would make it fail.

With :math:`d_t` the score of A minus that of B on treebank :math:`t`, the claim holds on a set of
treebanks if the :math:`d_t` add up to more than 0. A tie is not a win: a sum of 0 makes it fail.
Sums are of whole numbers where the scores are decimals, so that a tie is a tie.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from treegauge.core.errors import ChoiceError, TreegaugeError
from treegauge.core.result import Result, countersign
from treegauge.ranking.leaderboard import Leaderboard

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True)
class Claim:
    """System `a` is better than system `b`."""

    a: str
    b: str

    def __str__(self) -> str:
        return f"{self.a} > {self.b}"


def parse_claim(board: Leaderboard, text: "str | Claim") -> Claim:
    """Read ``"A > B"`` or ``"A < B"``; names may have spaces and, if need be, a > themselves.

    Examples
    --------
    >>> from treegauge.ranking.reading import read_leaderboard
    >>> parse_claim(read_leaderboard("conll18"), "turkunlp > UDPipe Future")
    Claim(a='TurkuNLP', b='UDPipe Future')
    """
    if isinstance(text, Claim):
        text = str(text)
    sides = []
    for at, sign in enumerate(text):
        if sign in "<>":
            left, right = text[:at].strip(), text[at + 1 :].strip()
            sides.append((left, right) if sign == ">" else (right, left))
    sides = [(a, b) for a, b in sides if a and b]
    if not sides:
        raise TreegaugeError(
            f"claim {text!r} is not understood; expected 'A > B' with two of the systems: "
            f"{', '.join(board.systems)}"
        )
    unknown = [[name for name in pair if not board.has_system(name)] for pair in sides]
    if all(unknown):
        raise ChoiceError("system in a claim", unknown[0][0], board.systems)
    a, b = (board.systems[board.system(name)] for name in sides[unknown.index([])])
    if a == b:
        raise TreegaugeError(f"claim {text!r} compares {a} with itself")
    return Claim(a, b)


@dataclass(frozen=True, eq=False)
class Flip(Result):
    """What would make a claim fail.

    Attributes
    ----------
    claim, treebanks, holds
        The claim; the treebanks in question, all or those of a subset; and whether it holds there.
    removed
        The fewest treebanks without which the claim fails; None if it holds on every non-empty
        part of them.
    swapped
        For a subset: (out, in), the fewest exchanges with other treebanks that make it fail; None
        if none does, or if there are no other treebanks.
    single
        Treebanks on which, each alone, the claim fails.
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
    signature: str
    kind: ClassVar[str] = "counter-examples"

    @property
    def table(self) -> "pl.DataFrame":
        """One row per question: what is asked, its number, the treebanks behind it."""
        import polars as pl

        swaps = None if self.swapped is None else [f"{a}->{b}" for a, b in self.swapped]
        rows = [
            ("fewest removals", _number(self.removed), " ".join(self.removed or ())),
            ("fewest swaps", _number(swaps), " ".join(swaps or ())),
            ("fails alone", len(self.single), " ".join(self.single)),
            ("smallest counter-example", self.smallest, ""),
            ("largest counter-example", self.largest, ""),
        ]
        kinds = {"change": pl.String, "number": pl.Int64, "treebanks": pl.String}
        return pl.DataFrame(rows, schema=kinds, orient="row")

    def json_fields(self) -> dict[str, Any]:
        """Return all fields."""
        swaps = self.swapped and [{"out": gone, "in": come} for gone, come in self.swapped]
        return {
            "claim": str(self.claim), "holds": self.holds, "treebanks": len(self.treebanks),
            "removed": self.removed and list(self.removed), "swapped": swaps,
            "single": list(self.single), "smallest": self.smallest, "largest": self.largest,
        }  # fmt: skip


def _number(things: Sequence[Any] | None) -> int | None:
    return None if things is None else len(things)


def fewest_removals(differences: NDArray[np.int64]) -> NDArray[np.int64] | None:
    """Return the fewest places without which the rest does not add up to more than 0.

    Taking away the m largest leaves the least sum that any m can leave, so the first m that does is
    the smallest. None if even the least single difference is more than 0.

    Examples
    --------
    >>> fewest_removals(np.array([5, -1, 1, -3])).tolist()
    [0]
    """
    order = np.argsort(-differences, kind="stable")
    rest = differences.sum() - np.concatenate([[0], np.cumsum(differences[order])])
    fails = np.flatnonzero(rest[:-1] <= 0)  # something must remain
    return order[: fails[0]] if len(fails) else None


def fewest_swaps(
    inside: NDArray[np.int64], outside: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]] | None:
    """Return the fewest exchanges after which the inside does not add up to more than 0.

    The m largest inside for the m smallest outside lower the sum most, so the first m that does is
    the smallest. None if none does.

    Examples
    --------
    >>> gone, come = fewest_swaps(np.array([5, 2, -1]), np.array([4, -2, 1]))
    >>> gone.tolist(), come.tolist()
    ([0], [1])
    """
    gone = np.argsort(-inside, kind="stable")
    come = np.argsort(outside, kind="stable")
    most = min(len(gone), len(come))
    gains = np.cumsum(inside[gone[:most]] - outside[come[:most]])
    left = inside.sum() - np.concatenate([[0], gains])
    fails = np.flatnonzero(left <= 0)
    return (gone[: fails[0]], come[: fails[0]]) if len(fails) else None


def flip(board: Leaderboard, claim: str | Claim, *, subset: Sequence[str] | None = None) -> Flip:
    """Find the smallest change of treebanks that makes a claim fail.

    Parameters
    ----------
    board, claim
        The leaderboard, and a claim such as ``"A > B"``.
    subset
        Treebanks to start from; default: all of them, and then there is nothing to swap with.

    Examples
    --------
    >>> from treegauge import data
    >>> from treegauge.ranking.reading import read_leaderboard
    >>> board, twelve = read_leaderboard("conll18"), data.subsets()["Ma18"]
    >>> flip(board, "TurkuNLP > Stanford", subset=twelve).holds
    False
    >>> change = flip(board, "Stanford > TurkuNLP", subset=twelve)
    >>> change.holds, len(change.removed), len(change.swapped)
    (True, 9, 1)
    """
    stated = parse_claim(board, claim)
    numbers = board.fixed_point()[0]
    differences = numbers[board.system(stated.a)] - numbers[board.system(stated.b)]
    every = np.arange(len(board.treebanks))
    columns = every if subset is None else np.array([board.treebank(name) for name in subset])
    if len(np.unique(columns)) != len(columns) or not len(columns):
        raise TreegaugeError("a subset is one or more treebanks, each named once")
    others = np.setdiff1d(every, columns)
    inside = differences[columns]
    removed = fewest_removals(inside)
    swapped = fewest_swaps(inside, differences[others]) if len(others) else None
    ordered = np.sort(inside)
    fails = np.flatnonzero(np.cumsum(ordered) <= 0)

    def names(places: NDArray[np.int64]) -> tuple[str, ...]:
        return tuple(board.treebanks[i] for i in places)

    part = None if subset is None else " ".join(names(columns))
    return Flip(
        claim=stated,
        holds=bool(inside.sum() > 0),
        treebanks=names(columns),
        removed=None if removed is None else names(columns[removed]),
        swapped=swapped
        and tuple(zip(names(columns[swapped[0]]), names(others[swapped[1]]), strict=True)),
        single=names(columns[inside <= 0]),
        smallest=int(fails[0]) + 1 if len(fails) else None,
        largest=int(fails[-1]) + 1 if len(fails) else None,
        signature=countersign(board.signature, claim=stated, subset=part),
    )
