"""How many sentences and words there are, and how long the sentences are."""

import numpy as np

from treegauge.measures.counting import need_words, register_ratio, with_ones
from treegauge.measures.registry import FloatArray, register
from treegauge.treebanks.columns import Treebank


@register("sentences", "lengths", "number of sentences", bounds=(0, np.inf), empty=True)
def sentences(treebank: Treebank) -> int:
    """Count the sentences."""
    return len(treebank)


@register("words", "lengths", "number of syntactic words", bounds=(0, np.inf), empty=True)
def words(treebank: Treebank) -> int:
    """Count the syntactic words: rows with a whole number as ID."""
    return treebank.n_words


@register_ratio("mean_length", "lengths", "words per sentence", "sentences", bounds=(1, np.inf))
def mean_length(treebank: Treebank) -> FloatArray:
    """Divide words by sentences."""
    return with_ones(treebank.lengths)


@register("sd_length", "lengths", "standard deviation of sentence lengths", bounds=(0, np.inf))
def sd_length(treebank: Treebank) -> float:
    """Return the (population) standard deviation of sentence lengths."""
    need_words(treebank)
    return float(treebank.lengths.std())


@register("median_length", "lengths", "median of sentence lengths", bounds=(1, np.inf))
def median_length(treebank: Treebank) -> float:
    """Return the median of sentence lengths."""
    need_words(treebank)
    return float(np.median(treebank.lengths))


@register("max_length", "lengths", "words of the longest sentence", bounds=(1, np.inf))
def max_length(treebank: Treebank) -> int:
    """Return the length of the longest sentence."""
    need_words(treebank)
    return int(treebank.lengths.max())


@register_ratio("one_word_sentences", "lengths", "share of sentences of one word", "sentences")
def one_word_sentences(treebank: Treebank) -> FloatArray:
    """Return the share of sentences that have a root and nothing else."""
    return with_ones(treebank.lengths == 1)
