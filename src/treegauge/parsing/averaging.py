"""Mean probabilities of several models, and the best tree under them; arrays only."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from treegauge.treebanks.decoding import projective_tree, spanning_tree

Doubles = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int32]


def average_heads(members: Sequence[Sequence[Doubles]]) -> list[Doubles]:
    """Return the mean over models of p(head | word), for each sentence (words, words + 1)."""
    return [np.mean(sentence, axis=0) for sentence in zip(*members, strict=True)]


def expected_tree(shares: Doubles, *, projective: bool = False) -> Ints:
    r"""Return the tree with the most heads expected to be correct.

    .. math:: \arg\max_t \sum_{d} p(h_t(d) \mid d)

    over all trees with one root, or over the projective ones.

    Examples
    --------
    >>> expected_tree(np.array([[0.2, 0.0, 0.8], [0.6, 0.4, 0.0]]))
    array([2, 0], dtype=int32)
    """
    if len(shares) == 0:
        return np.zeros(0, np.int32)
    matrix = np.zeros((len(shares) + 1, len(shares) + 1))
    matrix[:, 1:] = shares.T
    return projective_tree(matrix) if projective else spanning_tree(matrix)


def legal_relations(of_roots: npt.NDArray[np.bool_], heads: Ints) -> npt.NDArray[np.bool_]:
    """Return the relations that each word may have: roots those of roots, other words the others.

    If a treebank has no relation for roots, or for other words, all are legal.
    """
    legal = of_roots[None] == (heads == 0)[:, None]
    return np.asarray(legal | ~legal.any(1, keepdims=True))


def average_relations(members: Sequence[Doubles], legal: npt.NDArray[np.bool_]) -> Ints:
    """Return each word's most probable legal relation under the mean of the models."""
    chosen = np.where(legal, np.mean(members, axis=0), -1.0).argmax(1)
    return np.asarray(chosen, np.int32)
