"""Numbers of sentences and words, and sentence lengths."""

import numpy as np

from treegauge.measures.counting import register_ratio, with_ones
from treegauge.measures.registry import register

register("sentences", "lengths", "number of sentences", bounds=(0, np.inf), empty=True)(
    lambda treebank: len(treebank)  # noqa: PLW0108  (a measure knows its module by its function)
)
register("words", "lengths", "number of syntactic words", bounds=(0, np.inf), empty=True)(
    lambda treebank: treebank.n_words
)
register_ratio("mean_length", "lengths", "words per sentence", "sentences", bounds=(1, np.inf))(
    lambda treebank: with_ones(treebank.lengths)
)
register("sd_length", "lengths", "standard deviation of sentence lengths", bounds=(0, np.inf))(
    lambda treebank: float(treebank.lengths.std())
)
register("median_length", "lengths", "median of sentence lengths", bounds=(1, np.inf))(
    lambda treebank: float(np.median(treebank.lengths))
)
register("max_length", "lengths", "words of the longest sentence", bounds=(1, np.inf))(
    lambda treebank: int(treebank.lengths.max())
)
register_ratio("one_word_sentences", "lengths", "share of sentences of one word", "sentences")(
    lambda treebank: with_ones(treebank.lengths == 1)
)
