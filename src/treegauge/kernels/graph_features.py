"""What the graph parser sees of two words: pairs of a view of the head and one of the dependent.

A view joins letters by dots: w is the form, p the part of speech, x the end of the form, y one
letter less of it and z one more, q the start of the form; a number after a letter is the place
beside the word that is meant, so that ``p.w-1`` is the tag of a word and the form before it. In
``head|dependent`` either side may be empty. The pairs for arcs go beyond those of McDonald et al.
(2005) by ends and starts of forms and by the forms of neighbours, from which the parser gains most.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int32]

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
REACH = 2
"""How far beside a word is looked."""
SPAN = 2 * REACH + 1
WIDEST = 3
"""Most letters in a view."""


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
    """Read pairs of views, without those that look at forms or their ends if so wished.

    Examples
    --------
    >>> some = pairs("p|p.w-1 p|p.p-1 |p", lexical=False)
    >>> some.pairs.tolist(), some.alone.tolist()
    ([[0, 0], [1, 1]], [0, 1])
    >>> some.heads.tolist(), some.dependents.tolist()
    ([[-1, -1, -1], [7, -1, -1]], [[7, -1, -1], [7, 6, -1]])
    """
    seen = "p" + "w" * lexical + "xyzq" * (lexical and endings)
    wanted = [one for one in text.split() if {*one} & {*LETTERS} <= {*seen}]
    split = [one.split("|") for one in wanted]
    split.sort(key=lambda pair: 0 if not pair[1] else 1 if not pair[0] else 2)
    heads = list(dict.fromkeys(head for head, _ in split))
    dependents = list(dict.fromkeys(dependent for _, dependent in split))
    rows = [[heads.index(head), dependents.index(dependent)] for head, dependent in split]
    only = sum(not dependent for _, dependent in split)
    alone = [only, only + sum(not head for head, _ in split)]
    views = ([_row(view) for view in side] for side in (heads, dependents))
    return Pairs(*(np.array(table, np.int32) for table in (*views, rows, alone)))
