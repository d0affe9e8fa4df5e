"""Fixtures of the graph parser: treebanks, and one sentence for calls of its kernels."""

from treegauge.kernels.graph_arcs import REACH, Sight
from treegauge.parsing.mst import GraphOptions, graph_words
from treegauge.testing.synthetic import synthetic

SMALL = {"bits": 16, "label_bits": 12}
TRAIN, TEST = (synthetic(count, seed=seed) for count, seed in ((300, 1), (100, 2)))


class Sentence:
    """One sentence, for calls of kernels on a table of 2 ** 12 weights."""

    def __init__(self, treebank, options=GraphOptions(), tags=None):
        self.size, self.gold = treebank.n_words, treebank.head
        tags = tags or sorted(treebank.codes("upos").values)
        self.words = graph_words(treebank, tags, options.ending)
        self.arcs, self.names = options.templates
        self.kinds = self.words.kinds[REACH : REACH + self.size + 1]
        self.arc_sight, self.name_sight = (Sight(self.words, one, 1 << 12) for one in (self.arcs, self.names))
        self.arc_sight.look_at(0)
        self.name_sight.look_at(0)

    def features(self, h, d):
        return self.arc_sight.features(h, d).tolist()

    def scores(self, weights):
        return self.arc_sight.scores(weights)

    def relation_features(self, h, d):
        return self.name_sight.relation_features(h, d).tolist()
