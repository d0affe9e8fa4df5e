"""Metrics over words: which words count and which are correct."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from treegauge.core.errors import ChoiceError, TreegaugeError
from treegauge.core.plugins import naming_errors, origin_of
from treegauge.kernels import alignment as _align
from treegauge.scoring.alignment.align import Alignment
from treegauge.scoring.metrics.attachment import Mask, correct_words
from treegauge.scoring.metrics.convention import OFFICIAL, Convention


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
