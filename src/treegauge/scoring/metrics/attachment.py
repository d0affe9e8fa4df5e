"""Correct heads and relations: the implementation behind every attachment score."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from treegauge.core.errors import TreegaugeError
from treegauge.kernels import alignment as _align
from treegauge.scoring.alignment.align import Alignment, align
from treegauge.scoring.metrics.convention import OFFICIAL, Convention
from treegauge.treebanks.data.columns import Treebank
from treegauge.treebanks.data.conllu import TOLERABLE
from treegauge.treebanks.data.frames import with_columns

if TYPE_CHECKING:
    import polars as pl

Mask = npt.NDArray[np.bool_]
#: Classes of the Challenges paper: part of speech crossed with the direction of the head.
PAPER_CLASSES = "upos,binary-direction"


@dataclass(frozen=True, eq=False)
class CorrectWords:
    """Words that count on both sides, and gold words with correct head and relation."""

    gold: Mask
    system: Mask
    heads: Mask
    relations: Mask

    def mask(self, metric: str) -> Mask:
        """Return the correct words of ``"UAS"`` or ``"LAS"``."""
        return self.heads if metric.upper() == "UAS" else self.relations

    def score(self, metric: str) -> float | None:
        r"""Return a score in percent, :math:`100 \cdot 2c / (g + s)`; None if no word counts."""
        words = int(self.gold.sum()) + int(self.system.sum())
        return 100 * (2 * int(self.mask(metric).sum()) / words) if words else None


def correct_words(alignment: Alignment, convention: Convention = OFFICIAL) -> CorrectWords:
    """Return which words of two aligned treebanks count and which are correct."""
    label = _align.FULL_DEPREL if convention.subtypes else _align.DEPREL
    gold, predicted = (scored_words_mask(side.treebank, convention) for side in (alignment.gold, alignment.system))
    partner = alignment.to_gold
    system = np.where(partner >= 0, gold[partner], predicted) if len(partner) else predicted
    heads = gold & alignment.right(_align.HEAD)
    return CorrectWords(gold, system, heads, heads & alignment.right(label))


def scored_words_mask(treebank: Treebank, convention: Convention = OFFICIAL) -> Mask:
    """Mask of the words that count in attachment scores."""
    if convention.punct:
        return np.ones_like(treebank.head, bool)
    codes, values = treebank.codes("upos")
    return np.asarray(codes != (values.index("PUNCT") if "PUNCT" in values else -1))


def align_trees(gold: Treebank, heads: npt.ArrayLike, relations: "pl.Series | None" = None) -> Alignment:
    """Return the alignment of gold trees with trees predicted for the same words.

    A head is given as its position in the sentence, 0 for the root. Without relations, no relation
    is correct.
    """
    predicted = np.asarray(heads)
    if len(predicted) != gold.n_words:
        raise TreegaugeError(f"{len(predicted)} words were parsed; expected the {gold.n_words} words of {gold.name}")
    if (gold.head < 0).any():
        raise TreegaugeError(f"{gold.name} has no gold heads to score against")
    columns: dict[str, object] = {"head": predicted.tolist()}
    columns["deprel"] = ["_"] * gold.n_words if relations is None else relations.to_list()
    return align(gold, with_columns(gold, columns, allow=TOLERABLE))


def correct_trees(
    gold: Treebank, heads: npt.ArrayLike, relations: "pl.Series | None" = None, convention: Convention = OFFICIAL
) -> CorrectWords:
    """Return which words are correct in trees predicted for a gold treebank.

    Examples
    --------
    >>> from treegauge.testing.synthetic import synthetic
    >>> gold = synthetic(3, seed=1)
    >>> correct_trees(gold, gold.head, gold["deprel"]).relations.all()
    np.True_
    """
    return correct_words(align_trees(gold, heads, relations), convention)
