"""A parser with known probabilities, and its treebank."""

import numpy as np
import pytest

from treegauge.learning.dynamics.recorder import SequentialEngine, make_engine
from treegauge.testing.synthetic import synthetic
from treegauge.treebanks.data.conllu import parse_conllu, write_conllu

ROWS = [
    [("the", 2, "det"), ("cat", 3, "nsubj"), ("sleeps", 0, "root")],
    [("go", 0, "root")],
    [("she", 2, "nsubj"), ("left", 0, "root"), ("early", 2, "advmod"), ("!", 2, "punct")],
]


def conllu(rows):
    lines = []
    for i, words in enumerate(rows, 1):
        lines.append(f"# sent_id = s{i}")
        lines += [f"{j}\t{w}\t_\tX\t_\t_\t{h}\t{r}\t_\t_" for j, (w, h, r) in enumerate(words, 1)]
        lines.append("")
    return "\n".join(lines) + "\n"


class Known:
    """After epoch e every gold head and relation has p = e / (e + 1), others share the rest."""

    def __init__(self, relations, epoch):
        self.relations, self.epoch = relations, epoch

    @property
    def p(self):
        return self.epoch / (self.epoch + 1)

    def head_probabilities(self, treebank):
        found = []
        for sentence in treebank:
            n = len(sentence)
            share = np.full((n, n + 1), (1 - self.p) / max(n - 1, 1))
            share[np.arange(n), np.arange(n) + 1] = 0
            share[np.arange(n), sentence.head] = self.p if n > 1 else 1.0
            found.append(share)
        return found

    def relation_probabilities(self, treebank):
        gold = treebank["deprel"].to_list()
        found = np.full((len(gold), len(self.relations)), (1 - self.p) / (len(self.relations) - 1))
        for i, name in enumerate(gold):
            if name in self.relations:
                found[i, self.relations.index(name)] = self.p
        return found

    def parse(self, treebank):
        return treebank

    def save(self, path):
        raise NotImplementedError


class KnownParser:
    def __init__(self, epochs=3):
        self.epochs = epochs
        self.fitted = []

    def fit(self, train, dev=None, *, seed, on_epoch=None):
        self.fitted.append((train, seed))
        relations = sorted({*train["deprel"].to_list()})
        for epoch in range(1, self.epochs + 1):
            model = Known(relations, epoch)
            if on_epoch is not None:
                on_epoch(epoch, model)
        return model


@pytest.fixture
def tiny():
    return parse_conllu(conllu(ROWS), name="tiny")


@pytest.fixture
def known():
    return SequentialEngine(KnownParser(), "known")


@pytest.fixture(scope="session")
def quick():
    """The log-linear parser, few epochs."""
    return make_engine("mst", epochs=3, options=["bits=16", "label_bits=12"])


@pytest.fixture
def folders(tmp_path):
    """Two treebanks' folders."""
    made = []
    for name, seed in (("A", 1), ("B", 5)):
        root = tmp_path / f"UD_Syn-{name}"
        root.mkdir()
        for number, (split, count) in enumerate({"train": 60, "dev": 20, "test": 20}.items()):
            treebank = synthetic(count, seed=seed + number)
            write_conllu(treebank, root / f"sy_{name.lower()}-ud-{split}.conllu")
        made.append(root)
    return made
