"""The shape of trees: crossings, projectivity, gaps, depth, arity."""

import numpy as np
import numpy.typing as npt

from treegauge.measures.checks import arc_table, need_words, per_sentence, ratio, ratio_of_sums
from treegauge.measures.registry import Additive, FloatArray, register
from treegauge.treebanks import trees
from treegauge.treebanks.columns import Treebank


def possible_crossings(treebank: Treebank) -> FloatArray:
    r"""Count the pairs of arcs of each sentence that share no word, crossed or not.

    .. math:: |Q| = \binom{A}{2} - \sum_v \binom{k_v}{2}

    with :math:`A` the number of arcs and :math:`k_v` the arcs at word :math:`v`, its own included.

    Examples
    --------
    >>> from treegauge.treebanks.conllu import parse_conllu
    >>> rows = [f"{i}\tw\t_\tX\t_\t_\t{h}\tdep\t_\t_" for i, h in enumerate([2, 3, 0, 3, 4], 1)]
    >>> possible_crossings(parse_conllu("\n".join(rows) + "\n\n")).tolist()  # a chain of 4 arcs
    [3.0]
    """
    has_arc = trees.displacement(treebank.head, treebank.offsets) != 0
    degree = trees.arity(treebank.head, treebank.offsets) + has_arc.astype(np.float64)
    arcs = per_sentence(has_arc, treebank)
    return arcs * (arcs - 1) / 2 - per_sentence(degree * (degree - 1) / 2, treebank)


def _pooled(treebank: Treebank) -> list[FloatArray]:
    crossed = trees.crossings(treebank.head, treebank.offsets)
    return [np.column_stack([crossed, possible_crossings(treebank)])]


def _each_tree(treebank: Treebank) -> list[FloatArray]:
    crossed, possible = _pooled(treebank)[0].T
    share = np.divide(crossed, possible, out=np.zeros(len(crossed)), where=possible > 0)
    return [np.column_stack([share, possible > 0])]


def _arcs(treebank: Treebank) -> list[FloatArray]:
    return [arc_table(~trees.is_projective_arc(treebank.head, treebank.offsets), treebank)]


def _with_count(values: npt.NDArray[np.generic]) -> list[FloatArray]:
    return [np.column_stack([values, np.ones(len(values))])]


def _crooked(treebank: Treebank) -> list[FloatArray]:
    return _with_count(~trees.is_projective(treebank.head, treebank.offsets))


def _gaps(treebank: Treebank) -> list[FloatArray]:
    return _with_count(trees.gap_degree(treebank.head, treebank.offsets))


def _depths(treebank: Treebank) -> list[FloatArray]:
    deepest = trees.max_depth(treebank.head, treebank.offsets)
    return [np.column_stack([np.maximum(deepest, 0), deepest >= 0])]


def _arities(treebank: Treebank) -> list[FloatArray]:
    arity = trees.arity(treebank.head, treebank.offsets)
    return [np.column_stack([per_sentence(arity, treebank), per_sentence(arity > 0, treebank)])]


@register(
    "crossings", "structure", "C/|Q|: crossings of arcs over possible crossings, all trees pooled",
    additive=Additive(_pooled, ratio_of_sums),
)  # fmt: skip
def crossings(treebank: Treebank) -> float:
    r"""Divide the crossings of a treebank by the possible ones.

    .. math:: \frac{\sum_s C_s}{\sum_s |Q_s|}
    """
    return ratio(_pooled(treebank)[0], treebank, "two arcs that could cross")


@register(
    "mean_crossings", "structure", "C/|Q| of each tree, averaged over trees",
    additive=Additive(_each_tree, ratio_of_sums),
)  # fmt: skip
def mean_crossings(treebank: Treebank) -> float:
    """Average crossings over possible crossings over the trees in which any are possible."""
    return ratio(_each_tree(treebank)[0], treebank, "two arcs that could cross")


@register(
    "nonprojective_arcs", "structure", "share of arcs that are not projective",
    additive=Additive(_arcs, ratio_of_sums),
)  # fmt: skip
def nonprojective_arcs(treebank: Treebank) -> float:
    """Return the share of arcs over a word that does not descend from the arc's head."""
    return ratio(_arcs(treebank)[0], treebank, "arcs")


@register(
    "nonprojective_sentences", "structure", "share of sentences with an arc that is not projective",
    additive=Additive(_crooked, ratio_of_sums),
)  # fmt: skip
def nonprojective_sentences(treebank: Treebank) -> float:
    """Return the share of sentences that are not projective."""
    return ratio(_crooked(treebank)[0], treebank, "sentences")


@register(
    "gap_degree", "structure", "gaps of the most broken yield of a sentence, averaged",
    bounds=(0, np.inf), additive=Additive(_gaps, ratio_of_sums),
)  # fmt: skip
def gap_degree(treebank: Treebank) -> float:
    """Average the gap degree over sentences; 0 if all are projective."""
    return ratio(_gaps(treebank)[0], treebank, "sentences")


@register("max_gap_degree", "structure", "gaps of the most broken yield", bounds=(0, np.inf))
def max_gap_degree(treebank: Treebank) -> int:
    """Return the largest gap degree of any sentence."""
    need_words(treebank)
    return int(trees.gap_degree(treebank.head, treebank.offsets).max())


@register(
    "depth", "structure", "arcs from the deepest word up to the root, averaged over sentences",
    bounds=(0, np.inf), additive=Additive(_depths, ratio_of_sums),
)  # fmt: skip
def depth(treebank: Treebank) -> float:
    """Average the depth of trees; sentences without a root are left out."""
    return ratio(_depths(treebank)[0], treebank, "sentences with a root")


@register("max_depth", "structure", "depth of the deepest tree", bounds=(0, np.inf))
def max_depth(treebank: Treebank) -> int:
    """Return the depth of the deepest tree."""
    need_words(treebank)
    return int(max(trees.max_depth(treebank.head, treebank.offsets).max(), 0))


@register(
    "arity", "structure", "dependents of a word that has any, on average",
    bounds=(1, np.inf), additive=Additive(_arities, ratio_of_sums),
)  # fmt: skip
def arity(treebank: Treebank) -> float:
    """Average the number of dependents over the words that have dependents."""
    return ratio(_arities(treebank)[0], treebank, "arcs")


@register("max_arity", "structure", "most dependents of one word", bounds=(0, np.inf))
def max_arity(treebank: Treebank) -> int:
    """Return the largest number of dependents of a word."""
    need_words(treebank)
    return int(trees.arity(treebank.head, treebank.offsets).max())
