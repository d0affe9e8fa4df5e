"""How many trees of test have been seen in train, words aside (leakage of trees)."""

from collections.abc import Callable
from functools import partial
from hashlib import blake2b

import numpy as np

from treegauge.kernels import isomorphism as _isomorphism
from treegauge.kernels.isomorphism import Hashes
from treegauge.measures.checks import need_column, need_words, per_sentence, ratio, ratio_of_sums
from treegauge.measures.registry import Additive, FloatArray, register
from treegauge.treebanks import trees
from treegauge.treebanks.columns import Treebank

Shapes = Callable[[Treebank], Hashes]


def tree_shapes(treebank: Treebank, *, directed: bool = True) -> Hashes:
    r"""Give each sentence a number that it shares with the sentences of isomorphic trees.

    Linear in the words; two different shapes share a number with a chance of about 2 to the -64.
    Sentences with cycles are repaired first (see :func:`treegauge.treebanks.trees.repair`).

    Parameters
    ----------
    treebank
        The trees.
    directed
        Whether the root and the directions of arcs matter. The order of words never does.

    Examples
    --------
    >>> from treegauge.treebanks.conllu import parse_conllu
    >>> def tree(*heads):
    ...     rows = [f"{i}\tw\t_\tX\t_\t_\t{h}\tdep\t_\t_" for i, h in enumerate(heads, 1)]
    ...     return parse_conllu("\n".join(rows) + "\n\n")
    >>> chain, end, middle = tree(2, 3, 0), tree(0, 1, 2), tree(2, 0, 2)
    >>> tree_shapes(chain) == tree_shapes(end), tree_shapes(chain) == tree_shapes(middle)
    (array([ True]), array([False]))
    >>> tree_shapes(chain, directed=False) == tree_shapes(middle, directed=False)
    array([ True])
    """
    head = treebank.head
    depth = trees.depth(head, treebank.offsets)
    if (depth < 0).any():
        broken = per_sentence(depth < 0, treebank) > 0
        mended, _ = trees.repair(head, treebank.offsets)
        head = np.where(broken[treebank.sentence_of], mended, head)
        depth = trees.depth(head, treebank.offsets)
    first = treebank.offsets[treebank.sentence_of]
    parent = np.where(head > 0, first + head - 1, -1).astype(np.int32)
    order = np.argsort(-depth, kind="stable")
    kernel = _isomorphism.rooted if directed else _isomorphism.free
    return kernel(parent, order, treebank.sentence_of, len(treebank))


def _ordered(treebank: Treebank) -> Hashes:
    heads = treebank.head.astype(np.int64)
    return _isomorphism.sequences(heads, treebank.sentence_of, len(treebank))


def _tagged(treebank: Treebank) -> Hashes:
    """Hash heads, tags and relations; texts are coded by their own hash, the same everywhere."""
    values = treebank.head.astype(np.int64)
    for column in ("upos", "deprel"):
        codes, names = treebank.codes(column)
        digests = [blake2b(name.encode(), digest_size=8).digest() for name in names]
        values = values * 1_000_003 + np.frombuffer(b"".join(digests), np.int64)[codes]
    return _isomorphism.sequences(values, treebank.sentence_of, len(treebank))


def _undirected(treebank: Treebank) -> Hashes:
    return tree_shapes(treebank, directed=False)


def _seen(shapes: Shapes, train: Treebank, test: Treebank) -> list[FloatArray]:
    found = np.isin(shapes(test), shapes(train))
    return [np.column_stack([found, np.ones(len(test))])]


def _share(shapes: Shapes, train: Treebank, test: Treebank) -> float:
    need_words(train)
    return ratio(_seen(shapes, train, test)[0], test, "sentences")


def _additive(shapes: Shapes) -> Additive:
    return Additive(partial(_seen, shapes), ratio_of_sums)


@register(
    "tree_overlap", "similarity", "share of test trees isomorphic to a train tree (rooted)",
    pair=True, additive=_additive(tree_shapes),
)  # fmt: skip
def tree_overlap(train: Treebank, test: Treebank) -> float:
    """Return the share of test trees whose unlabelled, unordered, rooted shape train has.

    Notes
    -----
    The directed unlabelled graphs (DUG) of Søgaard (2020), Some languages seem easier to parse
    because their treebanks leak.
    """
    return _share(tree_shapes, train, test)


@register(
    "tree_overlap_undirected", "similarity",
    "share of test trees isomorphic to a train tree, directions of arcs aside",
    pair=True, additive=_additive(_undirected),
)  # fmt: skip
def tree_overlap_undirected(train: Treebank, test: Treebank) -> float:
    """Return the share of test trees that are isomorphic to a train tree as undirected graphs."""
    return _share(_undirected, train, test)


@register(
    "tree_overlap_ordered", "similarity", "share of test trees with the same heads as a train tree",
    pair=True, additive=_additive(_ordered),
)  # fmt: skip
def tree_overlap_ordered(train: Treebank, test: Treebank) -> float:
    """Return the share of test trees that a train sentence has, word for word the same heads."""
    return _share(_ordered, train, test)


@register(
    "tree_overlap_tagged", "similarity",
    "share of test trees with the heads, UPOS and relations of a train tree",
    pair=True, additive=_additive(_tagged),
)  # fmt: skip
def tree_overlap_tagged(train: Treebank, test: Treebank) -> float:
    """Return the share of test trees that a train sentence has with all tags and relations."""
    for treebank in (train, test):
        need_column(treebank, "upos")
        need_column(treebank, "deprel")
    return _share(_tagged, train, test)
