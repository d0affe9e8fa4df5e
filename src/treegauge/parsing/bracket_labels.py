r"""Trees as brackets, one for each end of an arc (Strzyz et al. 2020).

Arcs are in two planes, in each of which none cross. The label of word i has, plane by plane: ``<``
if word i - 1 has its head to the right; ``/`` for each right dependent of word i - 1; ``\`` for each
left dependent of word i; ``>`` if word i has its head to the left; and ``.`` if there is none of
them. The root's arc is not written: the word with the relation ``root`` is the root. Arcs that fit
into no plane are lost. Planes are assigned greedily, of arcs by right end; ``directed``, only
crossings of arcs in one direction count, which is enough, since each direction has its own stack.

Labels drawn word by word make brackets that open and close at random. Which bracket closes which
depends on how many others are between them, so that the probability of an arc is found by following
how deep the stack is, from the bracket whose partner is sought onwards:

.. math:: s'_x = \sum_\delta s_{x + \delta}\, q(\delta), \qquad
    p(\text{partner here}) = \sum_x s_x \sum_{\delta > x} q(\delta)

where :math:`s_x` is the probability that x brackets are still to be closed before it, and
:math:`q(\delta)` that a label closes :math:`\delta` more than it opens.
"""

from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt

from treegauge.core.errors import TreegaugeError
from treegauge.kernels import label_encodings as _kernels
from treegauge.treebanks.data.columns import Codes

Ints = npt.NDArray[np.int32]
Longs = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]
Doubles = npt.NDArray[np.float64]

Writer = Callable[[Ints, Ints], list[Codes]]
"""Takes heads and offsets; gives one column of codes or several."""
Reader = Callable[[Ints, Bools], Ints]
"""Takes codes (columns, words) and who has the relation root; gives heads, -1 for none."""
Weigher = Callable[[Sequence[Doubles], Doubles], list[Doubles]]
"""Takes p(label) of each column and p(root relation) of each word; gives p(head) by sentence."""
MakeReader = Callable[[Sequence[Sequence[str]], Ints], Reader]
MakeWeigher = Callable[[Sequence[Sequence[str]], Ints], Weigher]

EMPTY = "."
_PARTS = "</\\>"
_DEPTH = 16
"""The largest number of open brackets above the one whose partner is searched."""
_PLACES = 20000


def write_brackets(*, directed: bool = False) -> Writer:
    """Return the writer of brackets in two planes."""

    def write(heads: Ints, offsets: Ints) -> list[Codes]:
        plane = np.ones(len(heads), np.uint8)
        _kernels.planes(heads, offsets, directed, plane)
        counts = np.zeros((2, len(heads), 4), np.int32)
        _kernels.brackets(heads, offsets, plane, counts)
        made = []
        for own in counts:
            rows, codes = np.unique(own, axis=0, return_inverse=True)
            parts = ([p * n for p, n in zip(_PARTS, row, strict=True)] for row in rows.tolist())
            labels = ["".join(some) or EMPTY for some in parts]
            made.append(Codes(codes.reshape(-1).astype(np.int32), labels))
        return made

    return write


def bracket_reader(labels: Sequence[Sequence[str]], offsets: Ints) -> Reader:
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


def bracket_weigher(labels: Sequence[Sequence[str]], offsets: Ints) -> Weigher:
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


def bracket_marginals(spreads: Sequence[Doubles], counts: Sequence[Longs], offsets: npt.ArrayLike) -> list[Doubles]:
    r"""Return, by sentence, the probability that brackets give each head of each word.

    Exact for labels drawn independently. A word may have no head or several, so that rows of the
    matrices (words, words + 1) do not add up to 1; arcs of the root are not written and so are 0.
    `counts` is the number of ``<``, ``/``, ``\`` and ``>`` in each label of a plane, (labels, 4).
    """
    bounds = np.asarray(offsets, np.int64)
    sizes = np.diff(bounds)
    found: list[Doubles] = [np.zeros((n, n + 1)) for n in sizes.tolist()]
    tables = [
        (_joint(own, how[:, 0], how[:, 2]), _joint(own, how[:, 3], how[:, 1]))
        for own, how in zip(spreads, counts, strict=True)
    ]
    order = np.argsort(sizes, kind="stable")
    for some in np.split(order, _cuts(sizes[order])):
        width = int(sizes[some].max(initial=0))
        if width == 0:
            continue
        inside = np.arange(width) < sizes[some][:, None]
        rows = np.where(inside, bounds[some][:, None] + np.arange(width), -1)
        for rightwards, leftwards in tables:
            # A word's head to the right closes what opened in the label of the word after it; its
            # head to the left opened, in its label or before, what the word's own label closes.
            right = _partners(rightwards[rows], 1)
            left = _partners(leftwards[rows][:, ::-1], 0)[:, ::-1, ::-1]
            for sentence, a, b in zip(some.tolist(), right, left, strict=True):
                n = int(sizes[sentence])
                found[sentence][:, 1:] += a[:n, :n]
                found[sentence][:, 1:n] += b[:n, 1:n]
    return found


def _cuts(sizes: Longs) -> list[int]:
    """Return where to cut sentences, ordered by size, into batches of similar total size."""
    cuts, start = [], 0
    for at, size in enumerate(sizes.tolist()):
        if (at + 1 - start) * (size + 1) ** 2 > _PLACES and at > start:
            cuts.append(at)
            start = at
    return cuts


def _joint(shares: Doubles, single: Longs, several: Longs) -> Doubles:
    """Return p(single bracket or not, number of the others), (words + 1, 2, numbers); last none."""
    found = np.zeros((len(shares) + 1, 2, int(several.max(initial=0)) + 1))
    for column, (one, many) in enumerate(zip(single.tolist(), several.tolist(), strict=True)):
        found[:-1, min(one, 1), many] += shares[:, column]
    return found


def _partners(joint: Doubles, shift: int) -> Doubles:
    """Return p(the single bracket of word w is matched in label l), (B, words, labels).

    The bracket of word w is in the label w + `shift`; its partners are there and further on.
    """
    rows, width, _, most = joint.shape
    change = np.zeros((rows, width, most + 1))
    change[:, :, 1:] = joint[:, :, 0]
    change[:, :, :-1] += joint[:, :, 1]  # from one more open to most - 1 fewer
    closing = np.cumsum(change[:, :, :1:-1], axis=2)[:, :, ::-1]  # by 1 or more, 2 or more, ...
    found = np.zeros((rows, width, width))
    first = np.arange(width - shift)
    start = joint[:, first + shift, 1]
    found[:, first, first + shift] = start[:, :, 1:].sum(2)
    state = np.zeros((rows, width - shift, _DEPTH + most + 1))
    state[:, :, 0] = start[:, :, 0]
    deep = min(_DEPTH, most - 1)
    for step in range(shift + 1, width):
        words = first[: width - step]
        label = words + step
        now = state[:, : len(words)]
        found[:, words, label] = (now[:, :, :deep] * closing[:, label, :deep]).sum(2)
        moved = np.zeros_like(now)
        moved[:, :, 1:_DEPTH] = now[:, :, : _DEPTH - 1] * change[:, label, :1]
        for by in range(most):
            moved[:, :, :_DEPTH] += now[:, :, by : by + _DEPTH] * change[:, label, by + 1, None]
        state = moved
    return found


def completed(claims: Doubles, roots: Doubles | None = None) -> Doubles:
    """Return claims on heads (words, words + 1) as probabilities.

    If a word's claims sum to less than 1, the rest is divided equally; more than 1 is scaled down.
    `roots` are the probabilities that words are roots, if `claims` do not have them.
    """
    found = claims.copy()
    if roots is not None:
        found[:, 0] = roots
    n = len(found)
    found += np.maximum(1 - found.sum(1, keepdims=True), 0) / max(n, 1)
    found[np.arange(n), np.arange(n) + 1] = 0
    return np.asarray(found / found.sum(1, keepdims=True))
