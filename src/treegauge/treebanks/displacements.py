"""Displacements of sentences: how often each occurs, and their mean."""

import numpy as np
import numpy.typing as npt

from treegauge.treebanks import trees
from treegauge.treebanks.columns import Treebank

#: Displacements beyond this on either side are left out, as in the EDV paper.
LIMIT = 30


def displacement_counts(treebank: Treebank, *, limit: int = LIMIT) -> npt.NDArray[np.int32]:
    r"""Count the displacements from -limit to limit of each sentence: (sentences, 2 limit + 1).

    Column ``limit + d`` belongs to displacement ``d``; that of 0 is empty, since roots have no arc.

    Examples
    --------
    >>> from treegauge.treebanks.conllu import parse_conllu
    >>> heads = [2, 3, 0, 3]
    >>> rows = [f"{i}\tw\t_\tX\t_\t_\t{h}\tdep\t_\t_" for i, h in enumerate(heads, 1)]
    >>> displacement_counts(parse_conllu("\n".join(rows) + "\n\n"), limit=1).tolist()
    [[2, 0, 1]]
    """
    found = trees.displacement(treebank.head, treebank.offsets)
    kept = (found != 0) & (np.abs(found) <= limit)
    width = 2 * limit + 1
    cells = treebank.sentence_of[kept].astype(np.int64) * width + found[kept] + limit
    counts = np.bincount(cells, minlength=len(treebank) * width)
    return counts.reshape(len(treebank), width).astype(np.int32)


def mean_edge_displacement(treebank: Treebank) -> npt.NDArray[np.float64]:
    r"""Return the mean edge displacement (MED) of each sentence.

    .. math:: \mathrm{MED} = \frac{1}{N - 1} \sum_n s_n

    with :math:`s_n` the displacements of its :math:`N` words. NaN for sentences of one word, which
    have no edge.

    Notes
    -----
    Anderson and Gómez-Rodríguez (2022), equation 3.
    """
    found = trees.displacement(treebank.head, treebank.offsets)
    total = np.bincount(treebank.sentence_of, found, len(treebank))
    edges = treebank.lengths - 1.0
    each = np.full(len(treebank), np.nan)
    np.divide(total, edges, out=each, where=edges > 0)
    return each
