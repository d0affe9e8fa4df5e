"""Uninformed baselines: trees that depend only on the length of the sentence.

They show what a low score is worth, for instance that of a language model. The baselines are
chains, random projective trees, and random trees whose words are ordered so that dependencies are
as short as possible.
"""

from collections.abc import Callable
from functools import cache

import numpy as np
import numpy.typing as npt

from treegauge.treebanks.data.columns import Treebank

Heads = npt.NDArray[np.int32]
Random = np.random.Generator
_GROWTH = 27 / 4  # growth of the number of projective trees per word; scaling by it keeps numbers small


def left_branching(n: int, _: Random) -> Heads:
    """Return heads where each word depends on the next one; the last is the root."""
    return np.append(np.arange(2, n + 1), 0).astype(np.int32)


def right_branching(n: int, _: Random) -> Heads:
    """Return heads where each word depends on the one before; the first is the root."""
    return np.arange(n, dtype=np.int32)


@cache
def _tree_counts(n: int) -> tuple[float, float]:
    r"""Return the numbers of projective trees and of their sequences with n words, scaled.

    .. math:: T(n) = \sum_{i=0}^{n-1} F(i) F(n-1-i), \quad F(n) = \sum_{k=1}^{n} T(k) F(n-k)
    """
    if n == 0:
        return 0.0, 1.0
    trees = sum(_tree_counts(i)[1] * _tree_counts(n - 1 - i)[1] for i in range(n)) / _GROWTH
    rest = sum(_tree_counts(k)[0] * _tree_counts(n - k)[1] for k in range(1, n))
    return trees, rest + trees


@cache
def _before_root(n: int) -> npt.NDArray[np.float64]:
    """Return cumulative weights of 0, 1, ... words before the root of a tree of n words."""
    return np.cumsum([_tree_counts(i)[1] * _tree_counts(n - 1 - i)[1] for i in range(n)])


@cache
def _first_tree(n: int) -> npt.NDArray[np.float64]:
    """Return cumulative weights of 1, 2, ... words in the first tree of a sequence of n words."""
    return np.cumsum([_tree_counts(k)[0] * _tree_counts(n - k)[1] for k in range(1, n + 1)])


def _draw(weights: npt.NDArray[np.float64], random: Random) -> int:
    return min(int(np.searchsorted(weights, random.random() * weights[-1], "right")), len(weights) - 1)


def random_projective(n: int, random: Random) -> Heads:
    """Return the heads of a random projective tree; all projective trees are equally likely."""
    for size in range(n + 1):  # in ascending order, so that recursion stays shallow
        _tree_counts(size)
    heads = np.zeros(n, np.int32)
    trees = [(0, n, 0)]  # first word, number of words, head
    while trees:
        first, size, head = trees.pop()
        root = first + _draw(_before_root(size), random)
        heads[root] = head
        for start, end in ((first, root), (root + 1, first + size)):
            tree_start = start
            while tree_start < end:
                words = 1 + _draw(_first_tree(end - tree_start), random)
                trees.append((tree_start, words, root + 1))
                tree_start += words
    return heads


def optimal_arrangement(n: int, random: Random) -> Heads:
    """Return the heads of a random tree whose words are ordered so that arcs are shortest.

    The tree is uniform among all trees with a root. Of all projective orders of its words, it takes
    the one with the smallest sum of dependency lengths: subtrees alternate between the two sides of
    their head, larger ones further out, starting on the side away from the head's own head.
    """
    if n < 3:
        return right_branching(n, random) if random.random() < 0.5 else left_branching(n, random)
    return arranged(_random_tree(n, random), int(random.integers(n)))


def _random_tree(n: int, random: Random) -> list[list[int]]:
    """Return the neighbours of each node of a random tree, decoded from a Prüfer sequence."""
    sequence = random.integers(n, size=n - 2).tolist()
    degree = np.bincount(sequence, minlength=n) + 1
    neighbours: list[list[int]] = [[] for _ in range(n)]
    pointer = leaf = int(np.flatnonzero(degree == 1)[0])
    for node in sequence:
        neighbours[node].append(leaf)
        neighbours[leaf].append(node)
        degree[node] -= 1
        if degree[node] == 1 and node < pointer:
            leaf = node
        else:
            pointer += 1
            while degree[pointer] != 1:
                pointer += 1
            leaf = pointer
    neighbours[leaf].append(n - 1)
    neighbours[n - 1].append(leaf)
    return neighbours


def arranged(neighbours: list[list[int]], root: int) -> Heads:
    """Return the heads of a tree in the projective order with the smallest sum of arc lengths."""
    order, parent = [root], {root: -1}
    for node in order:
        for neighbour in neighbours[node]:
            if neighbour not in parent:
                parent[neighbour] = node
                order.append(neighbour)
    size = dict.fromkeys(order, 1)
    for node in order[:0:-1]:
        size[parent[node]] += size[node]
    position: dict[int, int] = {}
    stack = [(root, 0, len(order), True)]  # node, its words, whether to start on the left
    while stack:
        node, low, high, left = stack.pop()
        children = [neighbour for neighbour in neighbours[node] if neighbour != parent[node]]
        for child in sorted(children, key=lambda child: -size[child]):
            if left:
                stack.append((child, low, low + size[child], True))
                low += size[child]
            else:
                stack.append((child, high - size[child], high, False))
                high -= size[child]
            left = not left
        position[node] = low
    heads = np.zeros(len(order), np.int32)
    for node, place in position.items():
        heads[place] = position[parent[node]] + 1 if parent[node] >= 0 else 0
    return heads


BASELINES: dict[str, Callable[[int, Random], Heads]] = {
    "left-branching": left_branching,
    "right-branching": right_branching,
    "random-projective": random_projective,
    "optimal-arrangement": optimal_arrangement,
}
"""Baselines by name."""


def baseline_heads(lengths: npt.NDArray[np.int32], name: str, *, seed: int) -> Heads:
    """Return the heads that a baseline gives to sentences of these lengths."""
    make, random = BASELINES[name], np.random.default_rng(seed)
    return np.concatenate([np.zeros(0, np.int32), *(make(n, random) for n in lengths.tolist())])


def baseline_parse(treebank: Treebank, name: str, *, seed: int = 0) -> Treebank:
    """Return the treebank with a baseline's trees; all relations but ``root`` are ``dep``.

    Examples
    --------
    >>> from treegauge.testing.synthetic import synthetic
    >>> baseline_parse(synthetic(1, seed=1), "right-branching")["head"].to_list()[:3]
    [0, 1, 2]
    """
    heads = baseline_heads(treebank.lengths, name, seed=seed)
    relations = np.where(heads == 0, "root", "dep").tolist()
    return treebank.with_columns({"head": heads, "deprel": relations})
