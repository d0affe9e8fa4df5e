"""A measure: treegauge imports this module, and the function below registers itself."""

import math

from treegauge.measures.registry import register
from treegauge.treebanks.data.columns import Treebank


@register("form_length", "vocabulary", "mean number of characters per word", bounds=(0, math.inf))
def form_length(treebank: Treebank) -> float:
    """Return the mean number of characters per word."""
    return sum(map(len, treebank["form"])) / treebank.n_words
