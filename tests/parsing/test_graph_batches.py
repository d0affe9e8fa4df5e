"""Log-linear training in batches, against Adam in plain numpy."""

import numpy as np
import pytest

from treegauge.core.errors import TreegaugeError
from treegauge.kernels import graph_learning as _batches
from treegauge.kernels.features import Moments
from treegauge.learning.dynamics.jobs import TrainingJob
from treegauge.learning.dynamics.recorder import make_engine
from treegauge.parsing.mst import GraphOptions, GraphParser, graph_words
from treegauge.parsing.registry import make_parser

from .graphs import SMALL, TEST, TRAIN, Sentence

BITS = 12


def shares(scores):
    e = np.exp(np.array(scores) - max(scores))
    return e / e.sum()


class Naive:
    """Adam over whole arrays; what a batch does not touch stays as it is, moments too."""

    def __init__(self, shape):
        self.w, self.m, self.v, self.t = np.zeros(shape), np.zeros(shape), np.zeros(shape), 0

    def step(self, slopes, touched, rate):
        self.t += 1
        m, v = 0.9 * self.m + 0.1 * slopes, 0.9 * self.v + 0.1 * slopes**2
        self.m, self.v = np.where(touched, m, self.m), np.where(touched, v, self.v)
        bias = 1 - 0.9**self.t
        move = rate * (self.m / bias) / (np.sqrt(self.v / bias) + 1e-3)
        self.w -= np.where(touched, move, 0)


def naive(treebank, batches, rate, relations):
    """Learn heads and relations of a few sentences as the formulas have it."""
    tags = sorted(treebank.codes("upos").values)
    arcs, table = Naive(1 << BITS), Naive((1 << BITS, len(relations)))
    for batch in batches:
        both = [(one, np.zeros(one.w.shape), np.zeros(one.w.shape, bool)) for one in (arcs, table)]
        for s in batch:
            some = treebank[s : s + 1]
            shown = Sentence(some, tags=tags)
            for d, (head, name) in enumerate(zip(some.head, some["deprel"], strict=True), 1):
                others = [h for h in range(some.n_words + 1) if h != d]
                places = {h: shown.features(h, d) for h in others}
                rows = shown.relation_features(int(head), d)
                p = shares([arcs.w[places[h]].sum() for h in others])
                for h, slope in zip(others, p - (np.array(others) == head), strict=True):
                    if abs(slope) >= _batches.TINY:
                        np.add.at(both[0][1], places[h], slope)
                        both[0][2][places[h]] = True
                q = shares(table.w[rows].sum(axis=0))
                for r, slope in enumerate(q - (np.array(relations) == name)):
                    if abs(slope) >= _batches.TINY:
                        np.add.at(both[1][1], (rows, r), slope)
                        both[1][2][rows, r] = True
        for one, slopes, touched in both:
            one.step(slopes, touched, rate)
    return arcs.w, table.w


@pytest.mark.parametrize("batch", [1, 2, 50])
def test_weights_are_those_of_adam_as_written_down(batch):
    some, order, rate = TRAIN[:5], [3, 0, 4, 1, 2], 0.02
    relations = sorted(set(some["deprel"]))
    wanted = np.array([relations.index(name) for name in some["deprel"]], np.int32)
    gold, places = some.head.astype(np.int32), np.array(order, np.int32)
    arcs, names = GraphOptions().templates
    words = graph_words(some, sorted(some.codes("upos").values), GraphOptions().ending)
    weights = np.zeros(1 << BITS, np.float32)
    table = np.zeros((1 << BITS, len(relations)), np.float32)
    heads, labels = (Moments.of(one.size) for one in (weights, table))
    for _ in range(2):
        _batches.head_epoch(words, gold, places, arcs, weights, heads, batch, rate)
        _batches.relation_epoch(words, gold, wanted, places, names, table, labels, batch, rate)
    # an epoch ends with what is left of it
    epoch = [order[start : start + batch] for start in range(0, len(order), batch)]
    expected = naive(some, epoch * 2, rate, relations)
    assert np.abs(expected[0]).max() > rate
    np.testing.assert_allclose(weights, expected[0], atol=2e-4)
    np.testing.assert_allclose(table, expected[1], atol=2e-4)


def test_the_losses_of_an_epoch_are_those_of_the_probabilities():
    model = GraphParser(GraphOptions(training="loglinear", epochs=1, batch=8, **SMALL)).fit(TRAIN, seed=0)
    words, (arcs, names) = graph_words(TEST, model.tags, 3), model.options.templates
    order, size = np.arange(1, dtype=np.int32), len(TEST[0].head)
    gold, weights, table = TEST[0].head, model.weights.copy(), model.table.copy()
    kept = Moments.of(weights.size)
    loss = _batches.head_epoch(words, TEST.head, order, arcs, weights, kept, 1, 0.0)
    shares = model.head_probabilities(TEST[:1])[0]
    assert loss == pytest.approx(-np.log(shares[np.arange(size), gold]).sum())
    wanted = np.array([model.relations.index(name) for name in TEST["deprel"]], np.int32)
    kept = Moments.of(table.size)
    loss = _batches.relation_epoch(words, TEST.head, wanted, order, names, table, kept, 1, 0.0)
    shares = model.relation_probabilities(TEST[:1])
    assert loss == pytest.approx(-np.log(shares[np.arange(size), wanted[:size]]).sum())


def test_it_learns_as_well_as_word_by_word_but_more_slowly():
    def right(batch, epochs):
        parser = make_parser("mst", training="loglinear", batch=batch, epochs=epochs, **SMALL)
        return np.mean(parser.fit(TRAIN, seed=0).parse(TEST).head == TEST.head)

    assert right(32, 10) > right(0, 10) - 0.03
    assert right(32, 1) < right(0, 1)


def test_the_fewer_batches_an_epoch_has_the_more_words_vary():
    """What neural parsers show, and word by word learning does not."""

    def variability(count, *options):
        engine = make_engine("mst", epochs=6, options=["bits=16", "label_bits=12", *options])
        some = TRAIN[:count]
        (found,) = engine([TrainingJob(some, {"train": some})])
        return np.exp(found["train"].head_logp).std(axis=0).mean()

    few, many = (variability(count, "batch=16", "rate=0.005") for count in (100, 300))
    assert few > 1.3 * many > 1.3 * variability(300)


def test_the_same_seed_gives_the_same_weights_and_another_does_not():
    def weights(seed):
        parser = GraphParser(GraphOptions(training="loglinear", batch=16, epochs=2, **SMALL))
        return parser.fit(TRAIN[:60], seed=seed).weights

    assert np.array_equal(weights(1), weights(1))
    assert not np.array_equal(weights(1), weights(2))


def test_batches_of_mira_are_refused():
    with pytest.raises(TreegaugeError, match=r"batch is 8 with training=mira.*training=loglinear"):
        make_parser("mst", batch=8)
