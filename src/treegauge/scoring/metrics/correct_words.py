"""Metrics over words: which words count and which are correct."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from treegauge.core.errors import ChoiceError, TreegaugeError
from treegauge.core.lazy import pl
from treegauge.core.plugins import naming_errors, origin_of
from treegauge.kernels import alignment as _align
from treegauge.scoring.alignment.align import Alignment, align
from treegauge.scoring.metrics.convention import OFFICIAL, Convention
from treegauge.treebanks.data.columns import Treebank
from treegauge.treebanks.data.conllu import TOLERABLE
from treegauge.treebanks.data.frames import with_columns
from treegauge.treebanks.data.relations import universal_relation

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


class GoldTrees:
    """Gold trees, and which words are correct in trees predicted for the same words.

    The words are each other's partners, so that nothing is aligned.
    """

    def __init__(self, gold: Treebank, convention: Convention = OFFICIAL) -> None:
        if (gold.head < 0).any():
            raise TreegaugeError(f"{gold.name} has no gold heads to score against")
        self.gold, self._subtypes = gold, convention.subtypes
        self._words = scored_words_mask(gold, convention)
        self._names: dict[str, int] = {}
        self._numbers: dict[str, int] = {}
        codes, values = gold.codes("deprel")
        self._relations = self._coded(values)[codes]

    def _coded(self, relations: Sequence[str]) -> npt.NDArray[np.int64]:
        """Return the numbers of relations; those that count as equal share one."""
        new = [relation for relation in dict.fromkeys(relations) if relation not in self._numbers]
        names = new if self._subtypes else [universal_relation(relation) for relation in new]
        for relation, name in zip(new, names, strict=True):
            self._numbers[relation] = self._names.setdefault(name, len(self._names))
        return np.array([self._numbers[relation] for relation in relations], np.int64)

    def correct(self, heads: npt.ArrayLike, relations: "pl.Series | None" = None) -> CorrectWords:
        """Return which words are correct; a head is its position in the sentence, 0 for the root.

        Without relations, no relation is correct.
        """
        predicted = check_number(self.gold, np.asarray(heads))
        if ((predicted < 0) | (predicted > self.gold.lengths[self.gold.sentence_of])).any():
            raise TreegaugeError("a head is not in its sentence; expected 0 for the root, or the position of a word")
        texts = ["_"] * len(predicted) if relations is None else relations.fill_null("_").to_list()
        same = self._coded(texts) == self._relations
        right = self._words & (predicted == self.gold.head)
        return CorrectWords(self._words, self._words, right, right & same)


def scored_words_mask(treebank: Treebank, convention: Convention = OFFICIAL) -> Mask:
    """Mask of the words that count in attachment scores."""
    if convention.punct:
        return np.ones_like(treebank.head, bool)
    codes, values = treebank.codes("upos")
    return np.asarray(codes != (values.index("PUNCT") if "PUNCT" in values else -1))


def check_number(gold: Treebank, predicted: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return values predicted for gold words; refuse another number of them."""
    if len(predicted) != gold.n_words:
        raise TreegaugeError(f"{len(predicted)} words were parsed; expected the {gold.n_words} words of {gold.name}")
    return predicted


def align_trees(gold: Treebank, heads: npt.ArrayLike, relations: "pl.Series | None" = None) -> Alignment:
    """Return the alignment of gold trees with trees predicted for the same words.

    A head is given as its position in the sentence, 0 for the root. Without relations, no relation
    is correct.
    """
    predicted = check_number(gold, np.asarray(heads))
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
    return GoldTrees(gold, convention).correct(heads, relations)


class MetricWords(NamedTuple):
    """The gold and system words that count in a metric, and the gold words that are correct."""

    gold: Mask
    system: Mask
    correct: Mask


MetricFunction = Callable[[Alignment, Convention], MetricWords]


class WordMetric(NamedTuple):
    """A metric over words: its function and its meaning."""

    function: MetricFunction
    meaning: str


def _attachment(metric: str) -> MetricFunction:
    def words(alignment: Alignment, convention: Convention) -> MetricWords:
        correct = correct_words(alignment, convention)
        return MetricWords(correct.gold, correct.system, correct.mask(metric))

    return words


def _flag(bits: int) -> MetricFunction:
    def words(alignment: Alignment, convention: Convention) -> MetricWords:
        sizes = (side.treebank.n_words for side in (alignment.gold, alignment.system))
        gold, system = (np.ones(size, bool) for size in sizes)
        return MetricWords(gold, system, alignment.right(bits))

    return words


WORD_METRICS: dict[str, WordMetric] = {
    "UAS": WordMetric(_attachment("UAS"), "heads"),
    "LAS": WordMetric(_attachment("LAS"), "heads and relations"),
    "Label": WordMetric(_flag(_align.DEPREL), "relations, whatever the head"),
    "UPOS": WordMetric(_flag(_align.UPOS), "universal tags"),
    "XPOS": WordMetric(_flag(_align.XPOS), "language-specific tags"),
    "UFeats": WordMetric(_flag(_align.UFEATS), "universal features"),
    "Lemmas": WordMetric(_flag(_align.LEMMA), "lemmas"),
    "Words": WordMetric(_flag(_align.ALIGNED), "aligned words"),
}
"""Metrics over words by name; :func:`treegauge.scoring.metrics.registry.register_metric` adds to them."""


def find_word_metric(name: str) -> str:
    """Return the canonical name of a metric over words."""
    from treegauge.scoring.metrics.registry import known_metrics, refuse_left_out

    known_metrics()  # loads plug-ins
    names = {key.lower(): key for key in WORD_METRICS}
    if name.lower() not in names:
        refuse_left_out([name])
        raise ChoiceError("metric over words", name, names.values())
    return names[name.lower()]


def metric_words(name: str, alignment: Alignment, convention: Convention = OFFICIAL) -> MetricWords:
    """Return the words that count and those that are correct in a metric over words."""
    from treegauge.scoring.metrics.registry import ADDED, GROUP

    name = find_word_metric(name)
    function = WORD_METRICS[name].function
    if name not in ADDED:
        return function(alignment, convention)
    with naming_errors(f"metric {name!r}", GROUP, function):
        words: object = function(alignment, convention)
    gold, system = (side.treebank.n_words for side in (alignment.gold, alignment.system))
    if isinstance(words, MetricWords):
        kinds = [(getattr(mask, "dtype", None), getattr(mask, "shape", None)) for mask in words]
        if kinds == [(np.bool_, (size,)) for size in (gold, system, gold)]:
            return words
    raise TreegaugeError(
        f"metric {name!r}{origin_of(GROUP, function)} gave {str(words)[:80]!r}; expected "
        f"MetricWords with boolean arrays of {gold:,}, {system:,} and {gold:,} words"
    )
