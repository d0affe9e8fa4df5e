"""Which words are attached right, where gold trees and predicted ones are of the same words."""

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from treegauge.results.errors import TreegaugeError
from treegauge.treebanks.columns import Treebank
from treegauge.treebanks.relations import universal_relation

if TYPE_CHECKING:
    import polars as pl

Mask = npt.NDArray[np.bool_]
#: Child's part of speech crossed with the side of its head, roots as if it were to the right.
PAPER_CLASSES = "upos,side"


def counted_words(gold: Treebank, *, punct: bool = False) -> Mask:
    """Say of each word whether it counts: all but those tagged PUNCT, unless these do too."""
    if punct:
        return np.ones(gold.n_words, bool)
    return np.asarray(gold["upos"].to_numpy() != "PUNCT", bool)


def right_heads(gold: Treebank, heads: npt.ArrayLike) -> Mask:
    """Say of each word whether its head is the gold one.

    Examples
    --------
    >>> from treegauge.testing.synthetic import synthetic
    >>> gold = synthetic(3, seed=1)
    >>> right_heads(gold, gold.head).all()
    np.True_
    """
    found = np.asarray(heads)
    if len(found) != gold.n_words:
        raise TreegaugeError(
            f"{len(found)} words were parsed; expected the {gold.n_words} words of {gold.name}"
        )
    if (gold.head < 0).any():
        raise TreegaugeError(f"{gold.name} has no gold heads to score against")
    return np.asarray(found == gold.head)


def right_relations(gold: Treebank, heads: npt.ArrayLike, relations: "pl.Series") -> Mask:
    """Say of each word whether its head and its universal relation are the gold ones.

    Examples
    --------
    >>> from treegauge.testing.synthetic import synthetic
    >>> gold = synthetic(3, seed=1)
    >>> right_relations(gold, gold.head, gold["deprel"]).all()
    np.True_
    """
    right = right_heads(gold, heads)
    same = _universal(relations) == _universal(gold["deprel"])
    return np.asarray(right & same.to_numpy())


def _universal(relations: "pl.Series") -> "pl.Series":
    import polars as pl

    text = relations.cast(pl.String)
    return text.replace({name: universal_relation(name) for name in text.unique().to_list()})
