"""A parser that draws heads and relations at random."""

from dataclasses import dataclass

import numpy as np

from treegauge.parsing.base import check_training, save_model
from treegauge.parsing.options import ParserOptions, option
from treegauge.treebanks.data.decoding import spanning_tree


@dataclass(frozen=True)
class RandomOptions(ParserOptions):
    epochs: int = option(3, "how often data maps ask about every word", low=1)


@dataclass(frozen=True, eq=False)
class RandomModel:
    seed: int
    relations: list[str]

    def parse(self, treebank):
        shares = self.head_probabilities(treebank)
        heads = np.concatenate([spanning_tree(np.pad(own.T, ((0, 0), (1, 0)))) for own in shares])
        best = self.relation_probabilities(treebank).argmax(axis=1)
        names = np.where(heads == 0, "root", np.array(self.relations)[best])
        return treebank.with_columns({"head": heads, "deprel": names.tolist()})

    def save(self, path):
        save_model(path, "random", {"seed": self.seed, "relations": self.relations}, {})

    @classmethod
    def from_archive(cls, header, arrays):
        return cls(header["seed"], header["relations"])

    # The rest is optional: probabilities are for data maps, difficulty and confidence.
    def head_probabilities(self, treebank):
        random = np.random.default_rng(self.seed)
        drawn = [random.random((n, n + 1)) * (1 - np.eye(n, n + 1, 1)) for n in treebank.lengths]
        return [weights / weights.sum(axis=1, keepdims=True) for weights in drawn]

    def relation_probabilities(self, treebank):
        weights = np.random.default_rng(self.seed).random((treebank.n_words, len(self.relations)))
        return weights / weights.sum(axis=1, keepdims=True)


class RandomParser:
    def __init__(self, options=None):
        self.options = options or RandomOptions()

    def fit(self, train, dev=None, *, seed, on_epoch=None):
        check_training(train, dev, seed=seed)
        model = RandomModel(seed, sorted(set(train["deprel"]) - {"root"}))
        for epoch in range(self.options.epochs if on_epoch else 0):
            on_epoch(epoch + 1, model)
        return model
