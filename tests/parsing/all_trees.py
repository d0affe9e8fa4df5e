"""All trees of a short sentence, to check sums and searches."""

from itertools import combinations, product

import numpy as np


def all_trees(n, *, projective):
    """Yield the heads of every tree over n words with one root."""
    for heads in product(range(n + 1), repeat=n):
        if heads.count(0) == 1 and _is_acyclic(heads) and not (projective and _crosses(heads)):
            yield np.array(heads)


def _is_acyclic(heads):
    for word in range(1, len(heads) + 1):
        above = word
        for _ in heads:
            above = heads[above - 1] if above else 0
        if above:
            return False
    return True


def _crosses(heads):
    arcs = [sorted((head, word)) for word, head in enumerate(heads, 1)]
    return any(a < c < b < d or c < a < d < b for (a, b), (c, d) in combinations(arcs, 2))


def summed(scores, *, projective):
    """Return the probability of every arc and the sum over trees, by adding up all trees."""
    n = len(scores)
    shares, total = np.zeros((n, n + 1)), 0.0
    for heads in all_trees(n, projective=projective):
        weight = np.exp(scores[np.arange(n), heads].sum())
        shares[np.arange(n), heads] += weight
        total += weight
    return shares / total, total
