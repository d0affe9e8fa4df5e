"""Inputs of the graph parser's kernels: words, weights to learn, and pairs of views.

Features of two words are pairs of a view of the head and a view of the dependent.

A view joins letters by dots: w is the form, p the part of speech, x the end of the form, y one
letter less of it and z one more, q the start of the form; a number after a letter is the offset of
a neighbour, so that ``p.w-1`` is the tag of a word and the form before it. In ``head|dependent``
either side may be empty. The pairs for arcs go beyond those of McDonald et al. (2005) by ends and
starts of forms and by the forms of neighbours, which help the parser most.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from treegauge.kernels.graph_arcs import REACH, SPAN

Ints = npt.NDArray[np.int32]
Weights = npt.NDArray[np.float32]
Floats = npt.NDArray[np.float64]

ARCS = """
    w.p| w| p| x.p| |w.p |w |p |x.p
    w.p|w.p w.p|w w.p|p w|w.p w|w w|p p|w.p p|w p|p
    x.p|x.p x.p|p p|x.p y.p|p p|y.p q.p|p p|q.p
    p.p-1|p p.p1|p p.p-1.p1|p p|p.p-1 p|p.p1 p|p.p-1.p1
    p.p-1|p.p-1 p.p-1|p.p1 p.p1|p.p-1 p.p1|p.p1
    p.w-1|p p.w1|p p|p.w-1 p|p.w1 p.p-1.w-1|p.p1
"""
RELATIONS = """
    w.p| x.p|
    |w.p |x.p |y.p |z.p |q.p |p.p-1.p1 |p.p-1.p-2 |x.p-1 |x.p1 |x.x-1
    |p.w-1 |p.w1 |x.w-1 |x.w-2 |w.w-1
    p|p w|w w|p p|w p|w.p w.p|p x.p|p p|x.p x.p|x.p w.p|x.p
    p|p.p-1 p|p.p1 p.p-1|p p.p1|p p.p1|x.p p|p.w-1 p|p.w1
"""
LETTERS = "wpxyzq"
WIDEST = 3
"""Maximum number of letters in a view."""


class Pairs(NamedTuple):
    """Views as rows of ``SPAN * letter + place``, filled up with -1, and the pairs of them.

    Pairs come in the order: of the head only, of the dependent only, of both; `alone` are the ends
    of the first two.
    """

    heads: Ints
    dependents: Ints
    pairs: Ints
    alone: Ints


def _row(view: str) -> list[int]:
    parts = view.split(".") if view else []
    codes = [SPAN * LETTERS.index(part[0]) + REACH + int(part[1:] or 0) for part in parts]
    return codes + [-1] * (WIDEST - len(codes))


def pairs(text: str, *, lexical: bool = True, endings: bool = True) -> Pairs:
    """Return pairs of views, optionally without those that use forms or their ends.

    Examples
    --------
    >>> some = pairs("p|p.w-1 p|p.p-1 |p", lexical=False)
    >>> some.pairs.tolist(), some.alone.tolist()
    ([[0, 0], [1, 1]], [0, 1])
    >>> some.heads.tolist(), some.dependents.tolist()
    ([[-1, -1, -1], [7, -1, -1]], [[7, -1, -1], [7, 6, -1]])
    """
    seen = "p" + "w" * lexical + "xyzq" * (lexical and endings)
    wanted = [pair for pair in text.split() if {*pair} & {*LETTERS} <= {*seen}]
    split = [pair.split("|") for pair in wanted]
    split.sort(key=lambda pair: 0 if not pair[1] else 1 if not pair[0] else 2)
    heads = list(dict.fromkeys(head for head, _ in split))
    dependents = list(dict.fromkeys(dependent for _, dependent in split))
    rows = [[heads.index(head), dependents.index(dependent)] for head, dependent in split]
    only = sum(not dependent for _, dependent in split)
    alone = [only, only + sum(not head for head, _ in split)]
    views = ([_row(view) for view in side] for side in (heads, dependents))
    return Pairs(*(np.array(table, np.int32) for table in (*views, rows, alone)))


class GraphWords(NamedTuple):
    """Sentences as rows of numbers with the root, and padding for neighbours.

    ``letters[l, place]`` is the hash of what letter ``l`` of the templates sees, ``kinds[place]``
    the small number of the tag; the root of sentence ``s`` is at ``roots[s]``.
    """

    letters: npt.NDArray[np.uint64]
    kinds: Ints
    roots: Ints
    offsets: Ints


class LearnedTable(NamedTuple):
    """Learned weights, the sums for their averages, and the current change.

    Where a change made at step ``t`` adds ``t`` times itself to the sums, the mean over all steps
    is ``weights - sums / steps``. `delta` holds where `stamp` is the step.
    """

    weights: Weights
    sums: Floats
    delta: Weights
    stamp: Ints

    @classmethod
    def of(cls, weights: Weights, sums: Floats) -> "LearnedTable":
        """Allocate changes of weights."""
        room = np.zeros(weights.size, np.float32), np.zeros(weights.size, np.int32)
        return cls(weights.reshape(-1), sums.reshape(-1), *room)


class Lesson(NamedTuple):
    """The training data, from step `steps` on; relations are learned if `labels`."""

    gold: Ints
    wanted: Ints
    arcs: LearnedTable
    relations: LearnedTable
    steps: int
    labels: bool


class Squares(NamedTuple):
    """The state of AdaGrad: sums of squared gradients, and the terms that averages subtract."""

    squares: Weights
    sums: Floats
    steps: npt.NDArray[np.int64]

    @classmethod
    def of(cls, sums: Floats) -> "Squares":
        """Start with squares of 1, so that features seen once do not change much."""
        return cls(np.ones(sums.size, np.float32), sums.reshape(-1), np.ones(1, np.int64))


class Moments(NamedTuple):
    """The state of Adam between batches: gradient, last batch, means of gradient and square."""

    kept: Weights
    touched: Ints
    steps: npt.NDArray[np.int64]

    @classmethod
    def of(cls, size: int) -> "Moments":
        """Return the initial state."""
        kept = np.zeros((size, 4), np.float32)
        kept[:, 1] = -1
        return cls(kept, np.empty(size, np.int32), np.zeros(1, np.int64))
