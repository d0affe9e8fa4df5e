"""The k best labelled trees of a sentence under scores of arcs and relations.

Trees are found one by one (Lawler 1972; Camerini et al. 1980 for spanning trees). The trees other
than the best are parted by the first word whose labelled arc differs from the best tree's: words
before it keep their arcs, its own arc is barred. Each part's best tree is a search as for the first
one, and the best of all parts comes next, whose own part is parted in the same way.
"""

import heapq
from collections.abc import Callable, Iterator
from itertools import islice
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from treegauge.treebanks.decoding import projective_tree, spanning_tree

Doubles = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int32]


class LabelledTree(NamedTuple):
    """Heads of the words 1 to n (0 the root), numbers of relations, and the sum of the scores."""

    heads: Ints
    relations: Ints
    score: float


class _Part(NamedTuple):
    """Trees whose first words have fixed arcs; of the arcs of other words, some are barred.

    `barred[d, h]` is the number of relations, best first, that the arc from h to d may not have.
    """

    fixed: int
    barred: npt.NDArray[np.int32]
    tree: LabelledTree


def k_best_trees(
    heads: npt.ArrayLike, relations: npt.ArrayLike, k: int, *, projective: bool = False
) -> list[LabelledTree]:
    """Return the k labelled trees with the largest sums of scores, best first, with one root each.

    Parameters
    ----------
    heads
        Scores of arcs, ``heads[d - 1, h]`` from head h to word d, 0 the root; minus infinity for an
        arc that may not be.
    relations
        Scores of relations of arcs, ``relations[d - 1, h, r]``; minus infinity likewise.
    k
        How many trees to return; fewer if there are fewer.
    projective
        Whether trees must be projective.

    Examples
    --------
    >>> arcs = [[3, 0, 1], [2, 2, 0]]
    >>> for tree in k_best_trees(arcs, np.zeros((2, 3, 1)), 3):
    ...     print(tree.heads.tolist(), tree.score)
    [0, 1] 5.0
    [2, 0] 3.0
    """
    return list(islice(_trees(np.array(heads, np.float64), relations, projective), k))


def _trees(arcs: Doubles, relations: npt.ArrayLike, projective: bool) -> Iterator[LabelledTree]:
    """Yield all labelled trees, best first."""
    n = len(arcs)
    names = np.asarray(relations, np.float64)
    arcs[np.arange(n), np.arange(n) + 1] = -np.inf
    order = np.argsort(-names, axis=2, kind="stable")
    ranked = np.take_along_axis(names, order, 2) + arcs[:, :, None]
    decode = projective_tree if projective else spanning_tree
    first = _best(ranked, order, np.zeros((n, n + 1), np.int32), 0, None, decode)
    heap: list[tuple[float, int, _Part]] = []
    found = 0

    def add(part: _Part | None) -> None:
        nonlocal found
        if part is not None:
            heapq.heappush(heap, (-part.tree.score, found, part))
            found += 1

    add(first)
    while heap:
        _, _, part = heapq.heappop(heap)
        yield part.tree
        for word in range(part.fixed, n):
            head = int(part.tree.heads[word])
            barred = part.barred.copy()
            barred[word, head] += 1
            add(_best(ranked, order, barred, word, part, decode))


def _best(
    ranked: Doubles, order: npt.NDArray[np.int64], barred: Ints, fixed: int, parent: _Part | None,
    decode: Callable[[npt.ArrayLike], Ints],
) -> _Part | None:  # fmt: skip
    """Return the best tree in which the first words have the arcs of the parent's tree."""
    n, _, width = ranked.shape
    words = np.arange(n)
    level = np.minimum(barred, width - 1)
    scores = np.take_along_axis(ranked, level[:, :, None], 2)[:, :, 0]
    scores[barred >= width] = -np.inf
    if parent is not None and fixed:
        kept = parent.tree.heads[:fixed]
        own = scores[words[:fixed], kept]
        scores[:fixed] = -np.inf
        scores[words[:fixed], kept] = own
    allowed = np.isfinite(scores)
    if not allowed.any(1).all():
        return None
    low, high = scores[allowed].min(), scores[allowed].max()
    # Any tree without a barred arc scores more than any tree with one.
    square = np.zeros((n + 1, n + 1))
    square[:, 1:] = np.where(allowed, scores, low - (high - low + 1.0) * (n + 1)).T
    heads = decode(square)
    if not allowed[words, heads].all():
        return None
    relations = order[words, heads, level[words, heads]].astype(np.int32)
    tree = LabelledTree(heads, relations, float(scores[words, heads].sum()))
    return _Part(fixed, barred, tree)
