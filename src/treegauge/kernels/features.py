"""Inputs of the parsers' kernels: words, and the features of the beam and of the graph parser.

The templates of the beam parser are those of Zhang & Nivre (2011), in groups that change for the same
reasons. S0 is the word on top of the stack; N0, N1, N2 are the next words of the input; h is the head of
S0 and h2 the head of that. Of a word X, 1 is the outermost dependent on one side and 2 the one before it.
A letter selects a property: w the form, p the part of speech, x the end of the form (which is our
addition, and may be left out), l the relation to the head; v is the number of X's dependents on
that side, s the set of their relations, d the distance between S0 and N0. The group ``side`` stands
for three: N0's left, S0's left and S0's right, whose outermost dependents are n1, l1, r1.

Features of two words in the graph parser are pairs of a view of the head and a view of the dependent. A
view joins letters by dots: w is the form, p the part of speech, x the end of the form, y one
letter less of it and z one more, q the start of the form; a number after a letter is the offset of
a neighbour, so that ``p.w-1`` is the tag of a word and the form before it. In ``head|dependent``
either side may be empty. The pairs for arcs go beyond those of McDonald et al. (2005) by ends and
starts of forms and by the forms of neighbours, which help the parser most.
"""

from functools import cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from treegauge.kernels.graph_arcs import REACH, SPAN

Ints = npt.NDArray[np.int32]


class BeamWords(NamedTuple):
    """A treebank as numbers."""

    form: Ints
    tag: Ints
    ending: Ints
    offsets: Ints


class Labels(NamedTuple):
    """Labels to try, by the tags of dependent and head and by direction (0 is to the left).

    ``bounds[dependent, head, direction]`` says where in `labels` they begin and end.
    """

    bounds: Ints
    labels: Ints


GROUPS = {
    "front": "N0w N0p N0w.N0p N1w N1p N1w.N1p N2w N2p N2w.N2p N0p.N1p N0p.N1p.N2p",
    "pair": """
        S0w S0p S0w.S0p S0w.S0p.N0w.N0p S0w.S0p.N0w S0w.N0w.N0p S0w.S0p.N0p S0p.N0w.N0p S0w.N0w
        S0p.N0p S0p.N0p.N1p S0w.d S0p.d N0w.d N0p.d S0w.N0w.d S0p.N0p.d
        S0x.S0p N0x.N0p S0x.S0p.N0x.N0p S0x.S0p.N0p S0p.N0x.N0p
    """,
    "head": "S0l hw hp hl h2w h2p S0p.hp.h2p",
    "side": "1w 1p 1l 2w 2p 2l Xp.1p.2p Xw.v Xp.v Xw.s Xp.s",
    "cross": "S0p.N0p.hp S0p.N0p.l1p S0p.N0p.r1p S0p.N0p.n1p",
}
ATOMS = """
    none S0w S0p S0x N0w N0p N0x N1w N1p N2w N2p d S0l hw hp hl h2w h2p
    Xw Xp 1w 1p 1l 2w 2p 2l v s l1p r1p n1p
""".split()
"""Properties in the order in which the kernels write them."""
WIDEST_TEMPLATE = 4
"""Maximum number of atoms in a template."""


class Templates(NamedTuple):
    """Atoms of each template, as numbers, and where each group begins."""

    rows: Ints
    bounds: Ints


@cache
def templates(*, lexical: bool = True, endings: bool = True, labelled: bool = True) -> Templates:
    """Return the templates, optionally without those that use forms, endings or relations.

    Examples
    --------
    >>> classic = templates(endings=False)
    >>> front, pair, head, side, cross = np.diff(classic.bounds).tolist()
    >>> front + pair + head + 3 * side + cross  # as many as in the paper
    72
    >>> len(templates(lexical=False, labelled=False).rows)
    22
    """
    unwanted = {"w": not lexical, "x": not (lexical and endings), "l": not labelled}
    rows: list[list[int]] = []
    bounds = [0]
    for group in GROUPS.values():
        for template in group.split():
            names = template.split(".")
            letters = {"l" if name == "s" else name[-1] for name in names}
            if not any(unwanted.get(letter) for letter in letters):
                rows.append([ATOMS.index(name) for name in names] + [0] * (WIDEST_TEMPLATE - len(names)))
        bounds.append(len(rows))
    result = Templates(np.array(rows, np.int32), np.array(bounds, np.int32))
    for shared in result:
        shared.flags.writeable = False
    return result


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
WIDEST_VIEW = 3
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
    return codes + [-1] * (WIDEST_VIEW - len(codes))


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
