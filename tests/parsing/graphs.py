"""What tests of the graph parser share: treebanks, and one sentence for calls of its kernels."""

import numpy as np

from treegauge.kernels import graph_arcs as _arcs
from treegauge.kernels import graph_arcs as _relations
from treegauge.kernels.graph_features import REACH
from treegauge.kernels.jit import kernel
from treegauge.parsing.mst import GraphOptions, encode
from treegauge.testing.synthetic import synthetic

SMALL = {"bits": 16, "label_bits": 12}
TRAIN, TEST = (synthetic(count, seed=seed) for count, seed in ((300, 1), (100, 2)))
arc_features, nothing_between, score_arcs, views = (
    kernel(one.py_func)
    for one in (_arcs.arc_features, _arcs.nothing_between, _arcs.score_arcs, _arcs.views)
)
relation_features = kernel(_relations.relation_features.py_func)


class Sentence:
    """One sentence, for calls of kernels on a table of 2 ** 12 weights."""

    def __init__(self, treebank, options=GraphOptions(), tags=None):
        self.size, self.gold = treebank.n_words, treebank.head
        tags = tags or sorted(treebank.codes("upos").values)
        self.words = encode(treebank, tags, options.ending)
        self.arcs, self.names = options.templates
        self.ends = self.views(self.arcs)
        self.kinds = self.words.kinds[REACH : REACH + self.size + 1]
        self.shift = np.uint64(64 - 12)
        self.between, self.out = nothing_between(), np.empty(1000, np.int32)

    def views(self, templates):
        letters, at = self.words.letters, int(self.words.roots[0])
        rows = ((templates.heads, _arcs.HEAD), (templates.dependents, _arcs.DEPENDENT))
        return [views(letters, at, self.size, *one) for one in rows]

    def features(self, h, d):
        count = arc_features(
            *self.ends, self.kinds, h, d, self.arcs.pairs, self.between, self.shift, self.out
        )
        return self.out[:count].tolist()

    def scores(self, weights):
        scores = np.zeros((self.size + 1, self.size + 1))
        score_arcs(
            *self.ends, self.kinds, self.arcs.pairs, self.between, self.shift, weights, self.out,
            scores,
        )  # fmt: skip
        return scores

    def relation_features(self, h, d):
        rows = np.empty(len(self.names.pairs), np.int32)
        ends = self.views(self.names)
        relation_features(*ends, h, d, self.names.pairs, self.shift, rows)
        return rows.tolist()
