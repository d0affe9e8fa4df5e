r"""Probabilities of heads from probabilities of labels.

Labels drawn word by word make brackets that open and close at random. Which bracket closes which
depends on how many others are between them, so that the probability of an arc is found by following
how deep the stack is, from the bracket whose partner is sought onwards:

.. math:: s'_x = \sum_\delta s_{x + \delta}\, q(\delta), \qquad
    p(\text{partner here}) = \sum_x s_x \sum_{\delta > x} q(\delta)

where :math:`s_x` is the probability that x brackets are still to be closed before it, and
:math:`q(\delta)` that a label closes :math:`\delta` more than it opens.
"""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

Doubles = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

_DEPTH = 16
"""The largest number of open brackets above the one whose partner is searched."""
_PLACES = 20000


def bracket_marginals(spreads: Sequence[Doubles], counts: Sequence[Ints], offsets: npt.ArrayLike) -> list[Doubles]:
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


def _cuts(sizes: Ints) -> list[int]:
    """Return where to cut sentences, ordered by size, into batches of similar total size."""
    cuts, start = [], 0
    for at, size in enumerate(sizes.tolist()):
        if (at + 1 - start) * (size + 1) ** 2 > _PLACES and at > start:
            cuts.append(at)
            start = at
    return cuts


def _joint(shares: Doubles, single: Ints, several: Ints) -> Doubles:
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


def step_marginals(shares: Doubles, heads: npt.NDArray[np.int32], offsets: npt.ArrayLike) -> list[Doubles]:
    """Return, by sentence, the probability of each head, if each label names one head.

    `heads` (words, labels) is the head that each label would be for each word; -1: none.
    """
    bounds = np.asarray(offsets, np.int64)
    found = []
    for start, stop in zip(bounds[:-1].tolist(), bounds[1:].tolist(), strict=True):
        own = np.zeros((stop - start, stop - start + 2))
        rows = np.repeat(np.arange(stop - start), heads.shape[1])
        np.add.at(own, (rows, heads[start:stop].ravel()), shares[start:stop].ravel())
        found.append(own[:, :-1])
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
