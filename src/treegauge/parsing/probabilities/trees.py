r"""The k best trees of a sentence under scores of arcs, and marginals of arcs over all trees.

Trees are found one by one (Lawler 1972; Camerini et al. 1980 for spanning trees). The trees other
than the best are parted by the first word whose labelled arc differs from the best tree's: words
before it keep their arcs, its own arc is barred. The best of all parts comes next, whose own part
is parted in the same way.

A part is searched only if it may hold the next tree. Its best tree either differs in the relation
of that word alone, which is known without a search, or gives the word another head. For that there
is an upper bound: the best projective tree with such an arc (maxima over Eisner's spans), or the
sum of each word's best arc.

A parser that scores arcs gives every tree with one root the probability

.. math:: p(y) = \frac{1}{Z} \exp \sum_{(h, d) \in y} s(h, d),
   \qquad Z = \sum_{y'} \exp \sum_{(h, d) \in y'} s(h, d)

The marginal of an arc is the total probability of the trees that have it. Over all trees it comes
from the inverse of the Laplacian (matrix-tree theorem; Koo et al. 2007, Smith & Smith 2007), over
projective trees from Eisner's spans (inside and outside).
"""

import heapq
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from treegauge.kernels.tree_sums import projective_maxima, projective_sums
from treegauge.treebanks.data.decoding import projective_tree, spanning_tree

Doubles = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int32]


class LabelledTree(NamedTuple):
    """Heads of the words 1 to n (0 the root), numbers of relations, and the sum of the scores."""

    heads: Ints
    relations: Ints
    score: float


class _Part(NamedTuple):
    """Trees whose first words have the arcs of another tree; of other words some arcs are barred.

    `barred` names arcs (word, head), each once for every relation, best first, that it may not
    have. `tree` is the best tree, or None before it is searched for.
    """

    fixed: int
    heads: Ints
    barred: tuple[tuple[int, int], ...]
    tree: LabelledTree | None


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
        The largest number of trees to return.
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
    arcs = np.array(heads, np.float64)
    arcs[np.arange(len(arcs)), np.arange(len(arcs)) + 1] = -np.inf
    ranking = _Ranking.of(arcs, np.asarray(relations, np.float64))
    return list(islice(_trees(ranking, projective), k))


@dataclass(frozen=True, eq=False)
class _Ranking:
    """The relations of each arc, best first.

    `best` has the score of each arc with its best relation; row `place[d, h]` of `scores` and
    `relations` has all relations of an arc.
    """

    best: Doubles
    place: npt.NDArray[np.int64]
    scores: Doubles
    relations: npt.NDArray[np.int64]

    @classmethod
    def of(cls, arcs: Doubles, names: Doubles) -> "_Ranking":
        allowed = np.isfinite(arcs)
        place = np.full(arcs.shape, -1)
        place[allowed] = np.arange(allowed.sum())
        own = names[allowed]
        relations = np.argsort(-own, axis=1, kind="stable")
        scores = np.take_along_axis(own, relations, 1) + arcs[allowed][:, None]
        best = np.full(arcs.shape, -np.inf)
        best[allowed] = scores[:, 0]
        return cls(best, place, scores, relations)

    def level(self, word: int, head: int, level: int) -> float:
        """Return the score of an arc with its relation of this rank, from 0."""
        row = self.scores[self.place[word, head]]
        return float(row[level]) if level < len(row) else -np.inf

    def part_scores(self, part: _Part) -> Doubles:
        """Return the scores of the arcs of a part, minus infinity for arcs it does not have."""
        scores = self.best.copy()
        for word, head in dict.fromkeys(part.barred):
            scores[word, head] = self.level(word, head, part.barred.count((word, head)))
        words = np.arange(part.fixed)
        kept = scores[words, part.heads[: part.fixed]]
        scores[: part.fixed] = -np.inf
        scores[words, part.heads[: part.fixed]] = kept
        return scores

    def labelled(self, part: _Part, heads: Ints, score: float) -> LabelledTree:
        """Return a tree of a part with the best relations that it may have."""
        words = np.arange(len(heads))
        relations = self.relations[self.place[words, heads], 0].astype(np.int32)
        for word, head in dict.fromkeys(part.barred):
            if heads[word] == head:
                level = part.barred.count((word, head))
                relations[word] = self.relations[self.place[word, head], level]
        return LabelledTree(heads, relations, score)


def _trees(ranking: _Ranking, projective: bool) -> Iterator[LabelledTree]:
    """Yield all labelled trees, best first."""
    n = len(ranking.best)
    decode = projective_tree if projective else spanning_tree
    heap: list[tuple[float, int, _Part]] = []
    number = 0

    def add(part: _Part, bound: float) -> None:
        nonlocal number
        if bound > -np.inf:
            heapq.heappush(heap, (-bound, number, part))
            number += 1

    add(_Part(0, np.zeros(n, np.int32), (), None), np.inf)
    while heap:
        _, _, part = heapq.heappop(heap)
        if part.tree is None:
            tree = _best(ranking, part, decode)
            if tree is not None:
                add(part._replace(tree=tree), tree.score)
            continue
        yield part.tree
        for child, bound in _children(ranking, part, part.tree, projective=projective):
            add(child, bound)


def _children(ranking: _Ranking, part: _Part, tree: LabelledTree, *, projective: bool) -> Iterator[tuple[_Part, float]]:
    """Yield the parts of the other trees of a part, with upper bounds of their scores."""
    scores = ranking.part_scores(part)
    words = np.arange(len(scores))
    own = scores[words, tree.heads]
    tops = scores.max(1)
    scores[words, tree.heads] = -np.inf
    # Words before are fixed, the word itself has another head, words after have their best ones.
    others = np.cumsum(own) - own + scores.max(1) + tops.sum() - np.cumsum(tops)
    if projective and len(scores) > 1:
        scores[words, tree.heads] = own
        others = np.minimum(others, _best_with_another_head(scores, tree.heads))
    for word in range(part.fixed, len(scores)):
        head = int(tree.heads[word])
        barred = (*part.barred, (word, head))
        child = _Part(word, tree.heads, barred, None)
        renamed = ranking.level(word, head, barred.count((word, head)))
        same = tree.score - float(own[word]) + renamed
        other = min(float(others[word]), tree.score)
        if same > -np.inf and same >= other:
            yield child._replace(tree=ranking.labelled(child, tree.heads, same)), same
        else:
            yield child, max(same, other)


def _best_with_another_head(scores: Doubles, heads: Ints) -> Doubles:
    """Return for each word the score of the best projective tree that gives it another head."""
    square, least = _square(scores)
    best = np.empty_like(square)
    projective_maxima(square, best)
    by_word = best[:, 1:].T.copy()
    by_word[np.arange(len(heads)), heads] = -np.inf
    tops = by_word.max(1)
    return np.where(tops < least, -np.inf, tops + 1e-9 * (1 + np.abs(tops)))


def _square(scores: Doubles) -> tuple[Doubles, float]:
    """Return scores by head and word, finite, and the least score of a tree without barred arcs.

    Any tree without a barred arc scores more than any tree with one.
    """
    n = len(scores)
    allowed = np.isfinite(scores)
    low, high = scores[allowed].min(), scores[allowed].max()
    square = np.zeros((n + 1, n + 1))
    square[:, 1:] = np.where(allowed, scores, low - (high - low + 1.0) * (n + 1)).T
    return square, float(n * low - 0.5)


def _best(ranking: _Ranking, part: _Part, decode: Callable[[npt.ArrayLike], Ints]) -> LabelledTree | None:
    """Return the best tree of a part; None if it has none."""
    scores = ranking.part_scores(part)
    allowed = np.isfinite(scores)
    if not allowed.any(1).all():
        return None
    heads = decode(_square(scores)[0])
    words = np.arange(len(heads))
    if not allowed[words, heads].all():
        return None
    return ranking.labelled(part, heads, float(scores[words, heads].sum()))


Marginals = Callable[[Doubles], tuple[Doubles, float]]

_LEAST = -25.0
"""Log of the smallest weight of an arc relative to the best arc of its dependent.

Less would leave no digits of a sum in which the best heads form a cycle.
"""


def spanning_marginals(scores: npt.ArrayLike) -> tuple[Doubles, float]:
    r"""Return the probability of every arc over all trees with one root, and log Z.

    .. math:: L_{dd} = \sum_{h \ge 1} w_{hd}, \quad L_{hd} = -w_{hd}, \quad L_{1d} = w_{0d},
       \quad Z = \det L, \quad w_{hd} = \exp s(h, d)

    Parameters
    ----------
    scores
        ``scores[d - 1, h]`` is the score of the arc from head h to word d, 0 the root, as in
        ``head_probabilities`` of a model; a constant added to a row changes no probability.

    Returns
    -------
    tuple
        The marginals, of the same shape, and the log of the sum over all trees.

    Examples
    --------
    >>> marginals, total = spanning_marginals(np.zeros((2, 3)))  # two trees, equally likely
    >>> marginals
    array([[0.5, 0. , 0.5],
           [0.5, 0.5, 0. ]])
    >>> float(np.exp(total).round(6))
    2.0
    """
    logs = np.array(scores, np.float64)
    n = len(logs)
    own = np.arange(n)
    logs[own, own + 1] = -np.inf
    tops = logs.max(1, keepdims=True)
    weights = np.exp(np.maximum(logs - tops, _LEAST))
    weights[own, own + 1] = 0.0
    root, arcs = weights[:, 0], weights[:, 1:].T  # heads first
    laplacian = np.diag(arcs.sum(0)) - arcs
    laplacian[0] = root
    inverse = np.linalg.inv(laplacian)
    sign, log_total = np.linalg.slogdet(laplacian)
    on_diagonal = np.diag(inverse).copy()
    on_diagonal[0] = 0.0  # the first row holds the root's arcs and no sum
    across = inverse.copy()
    across[:, 0] = 0.0  # across[d, h]: derivative by the entry of head h and word d
    marginals = np.empty_like(weights)
    marginals[:, 0] = root * inverse[:, 0]
    marginals[:, 1:] = (arcs * (on_diagonal[None] - across.T)).T
    found = np.clip(marginals, 0.0, 1.0)
    return found / found.sum(1, keepdims=True), float(log_total * sign + tops.sum())


def projective_marginals(scores: npt.ArrayLike) -> tuple[Doubles, float]:
    """Return the probability of every arc over projective trees with one root, and log Z.

    Parameters and result are those of :func:`spanning_marginals`; takes cubic time.

    Examples
    --------
    >>> marginals, total = projective_marginals(np.zeros((3, 4)))
    >>> float(np.exp(total).round(6))  # of nine trees with one root, seven are projective
    7.0
    """
    logs = np.array(scores, np.float64)
    n = len(logs)
    tops = logs.max(1, keepdims=True)
    heads_first = np.zeros((n + 1, n + 1))
    heads_first[:, 1:] = (logs - tops).T
    np.fill_diagonal(heads_first, 0.0)
    shares = np.zeros_like(heads_first)
    log_total = projective_sums(heads_first, shares)
    return shares[:, 1:].T.copy(), float(log_total + tops.sum())
