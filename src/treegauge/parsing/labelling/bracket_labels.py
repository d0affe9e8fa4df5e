r"""Trees as brackets, one for each end of an arc (Strzyz et al. 2019, 2020).

All arcs are in one plane, or in two in which none cross. The label of word i has, plane by plane:
``<`` if word i - 1 has its head to the right; ``/`` for each right dependent of word i - 1; ``\``
for each left dependent of word i; ``>`` if word i has its head to the left; and ``.`` if there is
none of them. The root's arc is not written: the word with the relation ``root`` is the root. Arcs
that fit into no plane are lost. Planes are assigned greedily; by propagating the constraints of
each assignment; or, ``directed``, greedily with only the crossings of arcs in one direction, which
is enough, since each direction has its own stack.
"""

from collections.abc import Sequence

import numpy as np

from treegauge.core.errors import TreegaugeError
from treegauge.kernels import label_encodings as _kernels
from treegauge.parsing.labelling.label_marginals import bracket_marginals, completed
from treegauge.parsing.labelling.label_readers import Bools, Doubles, Ints, Reader, Weigher, Writer
from treegauge.treebanks.data.columns import Codes

EMPTY = "."
_PARTS = "</\\>"


def write_brackets(method: int | None) -> Writer:
    """Return the writer of brackets in one plane, or in two planes by a method."""

    def write(heads: Ints, offsets: Ints, _: Codes) -> list[Codes]:
        plane = np.ones(len(heads), np.uint8)
        if method is not None:
            _kernels.planes(heads, offsets, method, plane)
        counts = np.zeros((1 if method is None else 2, len(heads), 4), np.int32)
        _kernels.brackets(heads, offsets, plane, counts)
        made = []
        for own in counts:
            rows, codes = np.unique(own, axis=0, return_inverse=True)
            parts = ([p * n for p, n in zip(_PARTS, row, strict=True)] for row in rows.tolist())
            labels = ["".join(some) or EMPTY for some in parts]
            made.append(Codes(codes.reshape(-1).astype(np.int32), labels))
        return made

    return write


def bracket_reader(labels: Sequence[Sequence[str]], offsets: Ints, _: Codes) -> Reader:
    """Return a reader of brackets, one stack for each plane and direction."""
    parts: list[int] = []
    bounds = np.zeros((len(labels), max(map(len, labels), default=0) + 1), np.int32)
    for plane, values in enumerate(labels):
        bounds[plane, 0] = len(parts)
        for number, label in enumerate(values):
            for part in "" if label == EMPTY else label:
                if part not in _PARTS:
                    raise TreegaugeError(f"label {label!r} holds {part!r}; brackets are < / \\ > or . for none")
                parts.append(_PARTS.index(part))
            bounds[plane, number + 1] = len(parts)
    flat = np.array(parts, np.uint8)

    def read(codes: Ints, roots: Bools) -> Ints:
        heads = np.zeros(codes.shape[1], np.int32)
        _kernels.match_brackets(codes, flat, bounds, roots, offsets, heads)
        return heads

    return read


def bracket_weigher(labels: Sequence[Sequence[str]], offsets: Ints, _: Codes) -> Weigher:
    """Return the function that sums the probabilities of all brackets that give a head."""
    counts = [
        np.array([[label.count(part) for part in _PARTS] for label in own], np.int64).reshape(-1, 4) for own in labels
    ]

    def weigh(shares: Sequence[Doubles], roots: Doubles) -> list[Doubles]:
        claims = bracket_marginals(shares, counts, offsets)
        return [
            completed(own, roots[start : start + len(own)])
            for own, start in zip(claims, offsets[:-1].tolist(), strict=True)
        ]

    return weigh
