"""On which side heads stand, and how free that is."""

import numpy as np
import numpy.typing as npt

from treegauge.measures.checks import arc_table, need_column, ratio, ratio_of_sums
from treegauge.measures.entropy import entropy_of
from treegauge.measures.numbering import renumber
from treegauge.measures.registry import Additive, FloatArray, MissingError, register
from treegauge.measures.relations import universal_relations
from treegauge.treebanks import trees
from treegauge.treebanks.columns import Treebank


def _left(treebank: Treebank) -> list[FloatArray]:
    return [arc_table(trees.direction(treebank.head, treebank.offsets) < 0, treebank)]


def _binary(sums: FloatArray) -> FloatArray:
    left = ratio_of_sums(sums)
    return entropy_of(np.stack([left, 1 - left], axis=-1))


def _by_relation(treebank: Treebank) -> list[npt.NDArray[np.int64]]:
    codes, names = universal_relations(treebank)
    side = trees.direction(treebank.head, treebank.offsets)
    width = 2 * len(names)
    cells = treebank.sentence_of.astype(np.int64) * width + 2 * codes + (side > 0)
    counts = np.bincount(cells[side != 0], minlength=len(treebank) * width)
    return [counts.reshape(len(treebank), width)]


def _conditional(sums: FloatArray) -> FloatArray:
    """Entropy of left or right given the group: columns 2g and 2g + 1 hold those of group g."""
    pairs = sums.reshape(*sums.shape[:-1], -1, 2)
    size = pairs.sum(axis=-1)
    return np.asarray((entropy_of(pairs) * size).sum(axis=-1) / size.sum(axis=-1))


@register(
    "head_left", "structure", "share of arcs whose head stands to the left (head-initial)",
    additive=Additive(_left, ratio_of_sums),
)  # fmt: skip
def head_left(treebank: Treebank) -> float:
    """Return the share of arcs whose head precedes the dependent."""
    return ratio(_left(treebank)[0], treebank, "arcs")


@register(
    "direction_entropy", "structure", "entropy of the side on which heads stand, in bits",
    additive=Additive(_left, _binary),
)  # fmt: skip
def direction_entropy(treebank: Treebank) -> float:
    r"""Return how evenly heads stand to the left and to the right.

    .. math:: H(D) = -\sum_{d \in \{left, right\}} p(d) \log_2 p(d)
    """
    left = head_left(treebank)
    return float(entropy_of(np.array([left, 1 - left])))


@register(
    "direction_entropy_by_relation", "structure",
    "entropy of the side on which heads stand, given the relation, in bits",
    additive=Additive(_by_relation, _conditional),
)  # fmt: skip
def direction_entropy_by_relation(treebank: Treebank) -> float:
    r"""Return the entropy of direction given the universal relation.

    .. math:: H(D \mid R) = \sum_r p(r) H(D \mid r)
    """
    need_column(treebank, "deprel")
    counts = _by_relation(treebank)[0].sum(axis=0)
    if not counts.any():
        raise MissingError(f"{treebank.name} has no arcs")
    return float(_conditional(counts.astype(np.float64)))


@register(
    "word_order_freedom", "structure",
    "entropy of the side on which heads stand, given relation and both UPOS, in bits",
)  # fmt: skip
def word_order_freedom(treebank: Treebank) -> float:
    r"""Return the entropy of direction given relation, UPOS of the dependent and of the head.

    .. math:: H(D \mid R, T_d, T_h) = \sum_{r, t, u} p(r, t, u) H(D \mid r, t, u)

    Notes
    -----
    The head direction entropy of Futrell, Mahowald and Gibson (2015), Quantifying word order
    freedom in dependency corpora, from plain frequencies.

    Examples
    --------
    >>> from treegauge.treebanks.conllu import parse_conllu
    >>> rows = ["1\ta\t_\tNOUN\t_\t_\t2\tobj\t_\t_", "2\tb\t_\tVERB\t_\t_\t0\troot\t_\t_",
    ...         "3\tc\t_\tNOUN\t_\t_\t2\tobj\t_\t_", "4\td\t_\tADV\t_\t_\t2\tadvmod\t_\t_"]
    >>> round(word_order_freedom(parse_conllu("\n".join(rows) + "\n\n")), 3)  # 2/3 of 1 bit
    0.667
    """
    need_column(treebank, "upos")
    need_column(treebank, "deprel")
    side = trees.direction(treebank.head, treebank.offsets)
    arcs = np.flatnonzero(side)
    if not len(arcs):
        raise MissingError(f"{treebank.name} has no arcs")
    tags, names = treebank.codes("upos")
    heads = treebank.parents[arcs]
    codes, relations = universal_relations(treebank)
    group = (codes[arcs].astype(np.int64) * len(names) + tags[arcs]) * len(names) + tags[heads]
    dense = renumber(group, len(relations) * len(names) ** 2)
    counts = np.bincount(2 * dense + (side[arcs] > 0), minlength=2 * (dense.max() + 1))
    return float(_conditional(counts.astype(np.float64)))
