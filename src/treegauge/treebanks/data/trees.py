"""Properties of dependency trees, computed from heads for a whole treebank at once.

Every function takes the same two arrays and returns one.

``heads``
    For each word, the position of its head in the sentence, from 1; 0 for a root, -1 for a missing
    head.
``offsets``
    The start of each sentence, and the end of the last one: sentence ``i`` is
    ``heads[offsets[i]:offsets[i + 1]]``. Without it, ``heads`` is one sentence (and functions with
    one value per sentence return an array of one).

Any integers are accepted as heads, and every function terminates. An *arc* joins a word and its
head; roots, -1 and heads outside the sentence have no arc. A word *descends* from another if
following heads from it leads there (and from itself), so that all words on a cycle descend from
each other.
"""

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from treegauge.core.errors import TreegaugeError
from treegauge.kernels import trees as _trees

if TYPE_CHECKING:
    from treegauge.treebanks.data.columns import Treebank

Ints = npt.NDArray[np.int32]
Longs = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]

#: Displacements beyond this on either side are left out, as in the EDV paper.
FARTHEST = 30
_INT32 = np.iinfo(np.int32)


def _checked(heads: npt.ArrayLike, offsets: npt.ArrayLike | None) -> tuple[Ints, Longs]:
    head = np.asarray(heads)
    bound = np.asarray([0, head.size] if offsets is None else offsets)
    head = head.astype(np.int32) if head.size == 0 else head
    for name, array in (("heads", head), ("offsets", bound)):
        if array.ndim != 1 or array.dtype.kind not in "iu":
            raise TreegaugeError(f"{name}: found {array.dtype} in {array.ndim} dimensions, expected integers in one")
    if head.size > _INT32.max:
        raise TreegaugeError(f"heads: found {head.size} words, expected at most {_INT32.max}")
    if bound.size == 0 or bound[0] != 0 or bound[-1] != head.size or np.any(bound[1:] < bound[:-1]):
        ends = f"{bound[0]} to {bound[-1]}" if bound.size else "nothing"
        raise TreegaugeError(f"offsets: found {ends}, expected rising numbers from 0 to {head.size}, the word count")
    if head.dtype != np.int32:
        head = np.clip(head.astype(np.int64), -1, _INT32.max).astype(np.int32)
    return np.ascontiguousarray(head), np.ascontiguousarray(bound, dtype=np.int64)


def _forest(head: Ints, bound: Longs) -> tuple[Ints, Ints, Ints]:
    parent = _trees.parents(head, bound)
    cycle = _trees.cycles(parent)
    # the leftmost word of each cycle loses its head
    return parent, cycle, np.where(cycle == np.arange(len(cycle)), np.int32(-1), parent)


def _maxima(values: Ints, bound: Longs, empty: int) -> Ints:
    largest = np.full(len(bound) - 1, empty, np.int32)
    np.maximum.at(largest, np.repeat(np.arange(len(largest)), np.diff(bound)), values)
    return largest


def _per_sentence(mask: Bools, bound: Longs) -> Ints:
    sums = np.concatenate(([0], np.cumsum(mask)))
    return (sums[bound[1:]] - sums[bound[:-1]]).astype(np.int32)


# ---------------------------------------------------------------------------- one value per word


def depth(heads: npt.ArrayLike, offsets: npt.ArrayLike | None = None) -> Ints:
    """Return the number of arcs from each word up to its root: 0 for a root, -1 without a root.

    Examples
    --------
    >>> depth([2, 4, 4, 0, 7, 7, 2, 4])  # A hearing is scheduled on the issue today
    array([2, 1, 1, 0, 3, 3, 2, 1], dtype=int32)
    """
    head, bound = _checked(heads, offsets)
    _, _, forest = _forest(head, bound)
    return _trees.depths(head, forest, _trees.preorder(forest)[0])


def arity(heads: npt.ArrayLike, offsets: npt.ArrayLike | None = None) -> Ints:
    """Return the number of dependents of each word.

    Examples
    --------
    >>> arity([2, 4, 4, 0, 7, 7, 2, 4])
    array([0, 2, 0, 3, 0, 0, 2, 0], dtype=int32)
    """
    parent = _trees.parents(*_checked(heads, offsets))
    return np.bincount(parent[parent >= 0], minlength=len(parent)).astype(np.int32)


def displacement(heads: npt.ArrayLike, offsets: npt.ArrayLike | None = None) -> Ints:
    """Return position minus head's position; 0 for words without an arc.

    Examples
    --------
    >>> displacement([2, 4, 4, 0, 7, 7, 2, 4])
    array([-1, -2, -1,  0, -2, -1,  5,  4], dtype=int32)
    """
    parent = _trees.parents(*_checked(heads, offsets))
    return np.where(parent >= 0, np.arange(len(parent), dtype=np.int32) - parent, np.int32(0))


def direction(heads: npt.ArrayLike, offsets: npt.ArrayLike | None = None) -> Ints:
    """Return the direction of the head: -1 left, +1 right, 0 for words without an arc.

    Examples
    --------
    >>> direction([2, 4, 4, 0, 7, 7, 2, 4])
    array([ 1,  1,  1,  0,  1,  1, -1, -1], dtype=int32)
    """
    return -np.sign(displacement(heads, offsets))


def is_projective_arc(heads: npt.ArrayLike, offsets: npt.ArrayLike | None = None) -> Bools:
    """Return whether every word strictly between a word and its head descends from the head.

    True for words without an arc: all words descend from the artificial root before them.

    Examples
    --------
    >>> is_projective_arc([2, 4, 4, 0, 7, 7, 2, 4])
    array([ True,  True,  True,  True,  True,  True, False,  True])
    """
    head, bound = _checked(heads, offsets)
    parent, cycle, forest = _forest(head, bound)
    _, place, size = _trees.preorder(forest)
    return _trees.projective(parent, cycle, place, size, bound)


def subtree_size(heads: npt.ArrayLike, offsets: npt.ArrayLike | None = None) -> Ints:
    """Return the number of words in each word's yield: its descendants and itself.

    Examples
    --------
    >>> subtree_size([2, 4, 4, 0, 7, 7, 2, 4])
    array([1, 5, 1, 8, 1, 1, 3, 1], dtype=int32)
    """
    _, cycle, forest = _forest(*_checked(heads, offsets))
    _, _, size = _trees.preorder(forest)
    return np.where(cycle >= 0, size[cycle], size) if len(size) else size


def sibling_order(heads: npt.ArrayLike, offsets: npt.ArrayLike | None = None) -> Ints:
    """Return the rank of each dependent outwards: -1, -2, ... left, 1, 2, ... right of its head.

    0 for words without an arc, and for a word that is its own head.

    Examples
    --------
    >>> sibling_order([2, 4, 4, 0, 7, 7, 2, 4])
    array([-1, -2, -1,  0, -2, -1,  1,  1], dtype=int32)
    """
    return _trees.sibling_order(_trees.parents(*_checked(heads, offsets)))


def dependents(heads: npt.ArrayLike, offsets: npt.ArrayLike | None = None) -> tuple[Longs, Ints]:
    """Return every word's dependents from left to right.

    Returns
    -------
    bounds, rows
        The dependents of the word in row ``i`` of ``heads`` are the words in the rows
        ``rows[bounds[i]:bounds[i + 1]]`` (counted from 0 over the whole treebank).

    Examples
    --------
    >>> bounds, rows = dependents([2, 4, 4, 0, 7, 7, 2, 4])
    >>> rows[bounds[3]:bounds[4]] + 1  # scheduled: hearing, is, today
    array([2, 3, 8], dtype=int32)
    """
    return _trees.dependents(_trees.parents(*_checked(heads, offsets)))


# ------------------------------------------------------------------------ one value per sentence


def root_count(heads: npt.ArrayLike, offsets: npt.ArrayLike | None = None) -> Ints:
    """Return the number of words whose head is 0.

    Examples
    --------
    >>> root_count([0, 1, 0, 2, 1], [0, 3, 5])
    array([2, 0], dtype=int32)
    """
    head, bound = _checked(heads, offsets)
    return _per_sentence(head == 0, bound)


def cycle_word(heads: npt.ArrayLike, offsets: npt.ArrayLike | None = None) -> Ints:
    """Return the position of the leftmost word on a cycle, 0 without a cycle.

    Examples
    --------
    >>> cycle_word([0, 3, 2, 1, 0], [0, 4, 5])  # words 2 and 3 name each other
    array([2, 0], dtype=int32)
    """
    head, bound = _checked(heads, offsets)
    rows = np.flatnonzero(_trees.cycles(_trees.parents(head, bound)) >= 0)
    sentence = np.searchsorted(bound, rows, side="right") - 1
    hit, first = np.unique(sentence, return_index=True)
    words = np.zeros(len(bound) - 1, np.int32)
    words[hit] = rows[first] - bound[hit] + 1
    return words


def has_cycle(heads: npt.ArrayLike, offsets: npt.ArrayLike | None = None) -> Bools:
    """Return whether a sentence has a cycle: a word that descends from its own dependent.

    Examples
    --------
    >>> has_cycle([0, 3, 2, 1, 0], [0, 4, 5])
    array([ True, False])
    """
    return cycle_word(heads, offsets) > 0


def is_tree(heads: npt.ArrayLike, offsets: npt.ArrayLike | None = None) -> Bools:
    """Return whether a sentence has one root, no cycle, and only heads inside it.

    Examples
    --------
    >>> is_tree([2, 0, 0, 0, 2, 1, 9, 0], [0, 2, 4, 6, 8])  # fine, two roots, a cycle, no word 9
    array([ True, False, False, False])
    """
    head, bound = _checked(heads, offsets)
    length = np.repeat(np.diff(bound), np.diff(bound))
    outside = _per_sentence((head < 0) | (head > length), bound)
    rooted: Bools = np.equal(root_count(head, bound), 1) & np.equal(outside, 0)
    return rooted & ~has_cycle(head, bound)


def nonprojective_arcs(heads: npt.ArrayLike, offsets: npt.ArrayLike | None = None) -> Ints:
    """Return the number of non-projective arcs (see :func:`is_projective_arc`).

    Examples
    --------
    >>> nonprojective_arcs([2, 4, 4, 0, 7, 7, 2, 4])
    array([1], dtype=int32)
    """
    head, bound = _checked(heads, offsets)
    return _per_sentence(~is_projective_arc(head, bound), bound)


def is_projective(heads: npt.ArrayLike, offsets: npt.ArrayLike | None = None) -> Bools:
    """Return whether all arcs of a sentence are projective.

    Examples
    --------
    >>> is_projective([2, 4, 4, 0, 7, 7, 2, 4, 2, 0], [0, 8, 10])
    array([False,  True])
    """
    return np.equal(nonprojective_arcs(heads, offsets), 0)


def crossings(heads: npt.ArrayLike, offsets: npt.ArrayLike | None = None, *, root_arc: bool = False) -> Longs:
    """Return the number of crossing arcs: pairs (a, b), (c, d) with a < c < b < d.

    Parameters
    ----------
    heads, offsets
        See the top of this module.
    root_arc
        Whether arcs from an artificial root at position 0 to the roots also count. With them, a
        tree is projective if and only if nothing crosses; without, it may still have an arc over
        its root.

    Examples
    --------
    >>> crossings([2, 4, 4, 0, 7, 7, 2, 4])  # hearing-issue and scheduled-today
    array([1])
    >>> crossings([2, 4, 4, 0, 7, 7, 2, 4], root_arc=True)
    array([2])
    """
    return _trees.crossings(*_checked(heads, offsets), bool(root_arc))


def gap_degree(heads: npt.ArrayLike, offsets: npt.ArrayLike | None = None) -> Ints:
    """Return the gap degree: the largest number of gaps in a word's yield, 0 if projective.

    Examples
    --------
    >>> gap_degree([2, 4, 4, 0, 7, 7, 2, 4])  # "a hearing ... on the issue"
    array([1], dtype=int32)
    """
    head, bound = _checked(heads, offsets)
    _, cycle, forest = _forest(head, bound)
    gaps = _trees.gaps(forest, cycle, *_trees.preorder(forest), bound)
    return _maxima(gaps, bound, 0)


def max_depth(heads: npt.ArrayLike, offsets: npt.ArrayLike | None = None) -> Ints:
    """Return the largest :func:`depth` in a sentence, -1 if no word reaches a root.

    Examples
    --------
    >>> max_depth([2, 4, 4, 0, 7, 7, 2, 4, 2, 1], [0, 8, 10])
    array([ 3, -1], dtype=int32)
    """
    head, bound = _checked(heads, offsets)
    return _maxima(depth(head, bound), bound, -1)


def repair(heads: npt.ArrayLike, offsets: npt.ArrayLike | None = None) -> tuple[Ints, Bools]:
    """Return trees with one root from any heads, with as few changes as possible.

    A word with head -1 or outside the sentence is loose, and so is the leftmost word of each
    cycle. The first word with head 0 becomes the root, or else the first loose word.
    All other loose words and roots are attached to it; other words keep their heads.

    Returns
    -------
    heads, changed
        The new heads, and which words have a changed head.

    Examples
    --------
    >>> repair([2, 3, 1, 0, 9, 0])  # 1, 2, 3 in a circle, no word 9, two roots
    (array([4, 3, 1, 0, 4, 4], dtype=int32), array([ True, False, False, False,  True,  True]))
    """
    head, bound = _checked(heads, offsets)
    fixed = _trees.repaired(head, _forest(head, bound)[2], bound)
    return fixed, fixed != head


# displacements of a treebank's sentences


def displacement_counts(treebank: "Treebank", *, limit: int = FARTHEST) -> npt.NDArray[np.int32]:
    r"""Return counts of displacements from -limit to limit per sentence: (sentences, 2 limit + 1).

    Column ``limit + d`` is for displacement ``d``; that of 0 is empty, since roots have no arc.

    Examples
    --------
    >>> from treegauge.treebanks.data.conllu import parse_conllu
    >>> heads = [2, 3, 0, 3]
    >>> rows = [f"{i}\tw\t_\tX\t_\t_\t{h}\tdep\t_\t_" for i, h in enumerate(heads, 1)]
    >>> displacement_counts(parse_conllu("\n".join(rows) + "\n\n"), limit=1).tolist()
    [[2, 0, 1]]
    """
    values = displacement(treebank.head, treebank.offsets)
    kept = (values != 0) & (np.abs(values) <= limit)
    width = 2 * limit + 1
    cells = treebank.sentence_of[kept].astype(np.int64) * width + values[kept] + limit
    counts = np.bincount(cells, minlength=len(treebank) * width)
    return counts.reshape(len(treebank), width).astype(np.int32)


def mean_displacement(treebank: "Treebank") -> npt.NDArray[np.float64]:
    r"""Return the mean edge displacement (MED) of each sentence.

    .. math:: \mathrm{MED} = \frac{1}{N - 1} \sum_n s_n

    with :math:`s_n` the displacements of its :math:`N` words. NaN for sentences of one word, which
    have no edge.

    Notes
    -----
    Anderson and Gómez-Rodríguez (2022), equation 3.
    """
    values = displacement(treebank.head, treebank.offsets)
    total = np.bincount(treebank.sentence_of, values, len(treebank))
    edges = treebank.lengths - 1.0
    each = np.full(len(treebank), np.nan)
    np.divide(total, edges, out=each, where=edges > 0)
    return each
