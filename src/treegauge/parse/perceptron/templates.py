"""The feature templates of Zhang & Nivre (2011), in groups that change for the same reasons.

S0 is the word on top of the stack; N0, N1, N2 are the next words of the input; h is the head of S0
and h2 the head of that. Of a word X, 1 is the outermost dependent on one side and 2 the one
before it. A letter says what is looked at: w the form, p the part of speech, l the relation to the
head; v is the number of X's dependents on that side, s the set of their relations, d the distance
between S0 and N0. The group ``side`` stands for three: N0's left, S0's left and S0's right; there
n1, l1 and r1 name the outermost dependents.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

import os

X = os.environ.get("XT", "")
GROUPS = {
    "front": "N0w N0p N0w.N0p N1w N1p N1w.N1p N2w N2p N2w.N2p N0p.N1p N0p.N1p.N2p",
    "pair": f"""
        S0w S0p S0w.S0p S0w.S0p.N0w.N0p S0w.S0p.N0w S0w.N0w.N0p S0w.S0p.N0p S0p.N0w.N0p S0w.N0w
        S0p.N0p S0p.N0p.N1p S0w.d S0p.d N0w.d N0p.d S0w.N0w.d S0p.N0p.d
        {X}
    """,
    "head": "S0l hw hp hl h2w h2p S0p.hp.h2p",
    "side": "1w 1p 1l 2w 2p 2l Xp.1p.2p Xw.v Xp.v Xw.s Xp.s",
    "cross": "S0p.N0p.hp S0p.N0p.l1p S0p.N0p.r1p S0p.N0p.n1p " + os.environ.get("XC", ""),
}
ATOMS = """
    none S0w S0p S0x N0w N0p N0x N1w N1p N2w N2p d S0l hw hp hl h2w h2p
    Xw Xp 1w 1p 1l 2w 2p 2l v s l1p r1p n1p Tp Up Bp S1p S1w
""".split()
"""What is looked at, in the order in which the kernels write it down."""
WIDEST = 4
"""Most atoms in a template."""


class Templates(NamedTuple):
    """Atoms of each template, as numbers, and where each group begins."""

    rows: npt.NDArray[np.int32]
    bounds: npt.NDArray[np.int32]


def templates(*, lexical: bool = True, labelled: bool = True) -> Templates:
    """Return the templates, without those that look at forms or at relations if so wished.

    Examples
    --------
    >>> all_of_them, few = templates(), templates(lexical=False, labelled=False)
    >>> len(all_of_them.rows), len(few.rows)
    (50, 25)
    """
    rows: list[list[int]] = []
    bounds = [0]
    for group in GROUPS.values():
        for template in group.split():
            names = template.split(".")
            form = any(name.endswith("w") for name in names)
            relation = any(name.endswith("l") or name == "s" for name in names)
            if (lexical or not form) and (labelled or not relation):
                rows.append([ATOMS.index(name) for name in names] + [0] * (WIDEST - len(names)))
        bounds.append(len(rows))
    return Templates(np.array(rows, np.int32), np.array(bounds, np.int32))
