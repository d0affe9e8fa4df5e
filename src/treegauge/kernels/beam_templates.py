"""Inputs of the beam parser's kernels: words, labels to try, and feature templates.

The templates are those of Zhang & Nivre (2011), in groups that change for the same reasons. S0 is
the word on top of the stack; N0, N1, N2 are the next words of the input; h is the head of S0 and h2
the head of that. Of a word X, 1 is the outermost dependent on one side and 2 the one before it. A
letter selects a property: w the form, p the part of speech, x the end of the form (which is our
addition, and may be left out), l the relation to the head; v is the number of X's dependents on
that side, s the set of their relations, d the distance between S0 and N0. The group ``side`` stands
for three: N0's left, S0's left and S0's right, whose outermost dependents are n1, l1, r1.
"""

from functools import cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

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
WIDEST = 4
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
                rows.append([ATOMS.index(name) for name in names] + [0] * (WIDEST - len(names)))
        bounds.append(len(rows))
    result = Templates(np.array(rows, np.int32), np.array(bounds, np.int32))
    for shared in result:
        shared.flags.writeable = False
    return result
