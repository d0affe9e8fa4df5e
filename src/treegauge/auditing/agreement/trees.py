r"""Agreement of annotators on whole trees: Krippendorff's alpha with tree edit distance."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from treegauge.kernels.tree_edit import distances, postorder
from treegauge.statistics.agreement import distance_alpha
from treegauge.statistics.small_samples import StudentEstimate

Ints = npt.NDArray[np.int32]
#: Maximum number of pairs of trees for the mean expected distance.
PAIRS = 20_000


class AnnotatedTrees(NamedTuple):
    """The trees of one annotator: heads, codes of relations, and the first word of each sentence.

    `item` has the number of each tree's sentence, common to all annotators.
    """

    head: Ints
    label: Ints
    offsets: Ints
    item: Ints


def tree_alpha(
    annotators: Sequence[AnnotatedTrees], units: npt.NDArray[np.int64], *, seed: int = 0, pairs: int = PAIRS
) -> StudentEstimate:
    r"""Return alpha of dependency trees, with its standard error over units.

    The distance of two trees is the smallest number of words to insert, delete or relabel to turn
    one into the other; a word's label is its relation, and dependents are ordered as in the
    sentence.

    Parameters
    ----------
    annotators
        The trees of each annotator, which must be trees; a sentence may be missing.
    units
        For each sentence its unit (itself, or its document), from 0.
    seed, pairs
        Number of random pairs for the mean distance of unrelated trees; all pairs if there are
        fewer.

    Notes
    -----
    :math:`\alpha_{plain}` of Skjærholt (2014), *A chance-corrected measure of inter-annotator
    agreement for syntax*, ACL: squared tree edit distances, those of Zhang and Shasha (1989).
    """
    count = len(annotators)
    sizes = [np.diff(trees.offsets) for trees in annotators]
    label = np.concatenate([trees.label for trees in annotators])
    head = np.concatenate([trees.head for trees in annotators])
    offsets = np.concatenate(([0], np.cumsum(np.concatenate(sizes)))).astype(np.int32)
    item = np.concatenate([trees.item for trees in annotators]).astype(np.int64)
    owner = np.repeat(np.arange(count), [len(size) for size in sizes])
    nodes = *postorder(head, label, offsets), offsets

    def squared(first: npt.NDArray[np.int64], second: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
        edit_distances = distances(*nodes, first.astype(np.int32), *nodes, second.astype(np.int32))
        return edit_distances.astype(np.float64) ** 2

    tree_of = np.full((count, int(item.max(initial=-1)) + 1), -1, np.int64)
    tree_of[owner, item] = np.arange(len(item))
    number = (tree_of >= 0).sum(axis=0)
    within = np.zeros(len(number))
    for a in range(count):
        for b in range(a):
            both = np.flatnonzero((tree_of[a] >= 0) & (tree_of[b] >= 0))
            within[both] += 2 * squared(tree_of[a, both], tree_of[b, both]) / (number[both] - 1)
    usable = np.flatnonzero(number >= 2)
    kept = np.sort(tree_of[:, usable][tree_of[:, usable] >= 0])
    first, second = _pairs(len(kept), pairs, seed)
    between = squared(kept[first], kept[second])
    ends = np.stack([units[item[kept[first]]], units[item[kept[second]]]], axis=1)
    return distance_alpha(within[usable], units[usable], number[usable], between, ends)


def _pairs(trees: int, most: int, seed: int) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Return all pairs of different trees, or a random sample of this size."""
    if trees * (trees - 1) // 2 <= most:
        first, second = np.triu_indices(trees, 1)
        return first, second
    random = np.random.default_rng(seed)
    first = random.integers(trees, size=most)
    return first, (first + random.integers(1, trees, size=most)) % trees
