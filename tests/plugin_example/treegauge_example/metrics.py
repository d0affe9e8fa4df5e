"""A metric: which words count, and which of them are correct."""

from treegauge.scoring.alignment.align import Alignment
from treegauge.scoring.metrics.convention import Convention
from treegauge.scoring.metrics.correct_words import MetricWords, correct_words


def noun_heads(alignment: Alignment, convention: Convention) -> MetricWords:
    """Heads of nouns"""
    words = correct_words(alignment, convention)
    gold, system = ((side.treebank["upos"] == "NOUN").to_numpy() for side in (alignment.gold, alignment.system))
    return MetricWords(words.gold & gold, words.system & system, words.heads & gold)
