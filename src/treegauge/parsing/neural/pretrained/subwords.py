"""Subwords of word forms for a pretrained encoder, in windows of limited size.

Each form is split into subwords by itself, so that the subwords of a sentence are those of its
types. A sentence with more subwords than the encoder reads at once is read in windows that overlap;
no subword is left out.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import numpy.typing as npt

Longs = npt.NDArray[np.int64]
Types = npt.NDArray[np.int32] | Longs
POOLINGS = ("first", "mean", "last")


@dataclass(frozen=True, eq=False)
class Subwords:
    """Subwords of types, ``ids[starts[t] : starts[t + 1]]`` those of type t.

    Every window begins with the special subwords `before` and ends with those `after`; it holds at
    most `window` subwords, special ones counted, and neighbours share `overlap` of them.
    """

    ids: Longs
    starts: Longs
    before: Longs
    after: Longs
    pad: int
    window: int
    overlap: int

    @property
    def room(self) -> int:
        """The number of subwords of words in a window."""
        return max(self.window - len(self.before) - len(self.after), 1)

    def key(self, types: Types) -> bytes:
        """Return a key for the subwords of a sentence of these types."""
        sizes = self.starts[types + 1] - self.starts[types]
        return bytes(sizes.tobytes() + b"|" + self.of(types, sizes).tobytes())

    def of(self, types: Types, sizes: Longs) -> Longs:
        """Return the subwords of words of these types, `sizes` the number of each."""
        ends = np.cumsum(sizes)
        first = np.repeat(self.starts[types] - (ends - sizes), sizes)
        found: Longs = self.ids[first + np.arange(ends[-1] if len(ends) else 0)]
        return found


@dataclass(frozen=True, eq=False)
class Windows:
    """Windows of some sentences as a padded table, and where the subwords of words are in it.

    `cells` are numbers of cells of `ids`, row by row; the vector of word ``words[i]``, counted over
    all sentences, is pooled from the vectors at ``cells[i]``.
    """

    ids: Longs
    mask: Longs
    cells: Longs
    words: Longs
    n_words: int


def window_starts(total: int, room: int, overlap: int) -> Longs:
    """Return where windows of `room` subwords start; the last ends with the sentence.

    Examples
    --------
    >>> window_starts(10, room=4, overlap=2).tolist()
    [0, 2, 4, 6]
    >>> window_starts(3, room=4, overlap=2).tolist()
    [0]
    """
    if total <= room:
        return np.zeros(1, np.int64)
    step = room - min(overlap, room // 2)
    return np.append(np.arange(0, total - room, step), total - room)


def plan_windows(subwords: Subwords, sentences: Sequence[Types], pooling: str) -> Windows:
    """Lay out sentences, each the types of its words, as windows.

    A subword in several windows is taken from the one in which it is farthest from an edge.

    Examples
    --------
    Two types of one and three subwords, and windows of four with two special subwords:

    >>> ids, starts = np.array([5, 6, 7, 8]), np.array([0, 1, 4])
    >>> few = Subwords(ids, starts, np.array([1]), np.array([2]), 0, window=4, overlap=1)
    >>> windows = plan_windows(few, [np.array([1, 0])], "mean")
    >>> windows.ids.tolist()
    [[1, 6, 7, 2], [1, 7, 8, 2], [1, 8, 5, 2]]
    >>> windows.cells.tolist(), windows.words.tolist()
    ([1, 2, 6, 10], [0, 0, 0, 1])
    """
    rows: list[Longs] = []
    places: list[Longs] = []
    words: list[Longs] = []
    done = 0
    for types in sentences:
        sizes = subwords.starts[types + 1] - subwords.starts[types]
        own = subwords.of(types, sizes)
        starts = window_starts(len(own), subwords.room, subwords.overlap)
        ends = np.minimum(starts + subwords.room, len(own))
        at = np.arange(len(own))
        inner = np.minimum(at - starts[:, None], ends[:, None] - 1 - at)
        best = inner.argmax(0)
        kept = _pooled(sizes, pooling)
        # Rows as yet have no common width, so that a place is a row and a column.
        column = at - starts[best] + len(subwords.before)
        places.append(np.stack([best + len(rows), column])[:, kept])
        words.append(np.repeat(np.arange(len(types)) + done, sizes)[kept])
        rows += [np.concatenate([subwords.before, own[a:b], subwords.after]) for a, b in zip(starts, ends, strict=True)]
        done += len(types)
    width = max(map(len, rows), default=1)
    ids = np.full((len(rows), width), subwords.pad, np.int64)
    mask = np.zeros_like(ids)
    for row, own in enumerate(rows):
        ids[row, : len(own)], mask[row, : len(own)] = own, 1
    row, column = np.concatenate([*places, np.zeros((2, 0), np.int64)], 1)
    return Windows(ids, mask, row * width + column, np.concatenate([*words, np.zeros(0, np.int64)]), done)


def _pooled(sizes: Longs, pooling: str) -> Longs:
    """Return the numbers of those subwords of a sentence that words are pooled from."""
    ends = np.cumsum(sizes)
    if pooling == "first":
        return ends - sizes
    return ends - 1 if pooling == "last" else np.arange(ends[-1] if len(ends) else 0)


def join_subwords(each: Sequence[Sequence[int]], missing: int) -> tuple[Longs, Longs]:
    """Return the subwords of all types in a row, and where those of each type start.

    A type without subwords, such as a form of control characters, has the subword `missing`.
    """
    filled = [list(one) or [missing] for one in each]
    starts = np.cumsum([0, *map(len, filled)])
    return np.array([number for one in filled for number in one], np.int64), starts.astype(np.int64)


def batched(sizes: Sequence[int], most: int) -> list[Longs]:
    """Return batches of sentences with at most `most` subwords, with padding.

    Examples
    --------
    >>> [one.tolist() for one in batched([3, 9, 4], 10)]
    [[1], [2, 0]]
    """
    order = np.argsort(-np.asarray(sizes, np.int64), kind="stable")
    cuts = [0]
    while cuts[-1] < len(order):
        cuts.append(cuts[-1] + max(most // max(sizes[int(order[cuts[-1]])], 1), 1))
    return [order[a:b] for a, b in pairwise(cuts)]
