"""Kernels of the graph parser: features, scores, best relations, gradients."""

import numpy as np
import pytest

from treegauge.kernels import graph_learning as _learning
from treegauge.kernels.features import Squares
from treegauge.parsing.mst import GraphOptions
from treegauge.treebanks.data.conllu import parse_conllu

from .graphs import TEST, Sentence


def _weights(seed, *shape):
    return np.random.default_rng(seed).normal(scale=0.3, size=shape).astype(np.float32)


def test_scores_of_arcs_are_sums_over_their_features():
    one, weights = Sentence(TEST[1:2]), _weights(1, 1 << 12)
    scores = one.scores(weights)
    for d in range(1, one.size + 1):
        for h in range(one.size + 1):
            if h != d:
                places = one.features(h, d)
                kinds = set(one.kinds[min(h, d) + 1 : max(h, d)].tolist())
                assert len(places) == 2 * len(one.arcs.pairs) + 2 * len(kinds)
                assert scores[h, d] == pytest.approx(weights[places].sum(), abs=1e-4)


def test_features_tell_directions_distances_neighbours_and_what_is_between_apart():
    def features(text, h, d):
        rows = (
            f"{i}\t{form}\t_\t{tag}\t_\t_\t{i - 1}\tdep\t_\t_\n"
            for i, (form, tag) in enumerate((w.split("/") for w in text.split()), 1)
        )
        return set(Sentence(parse_conllu("".join(rows) + "\n")).features(h, d))

    plain = features("a/X b/Y c/Y d/X", 4, 1)
    assert features("a/X b/Y c/Y d/X", 4, 1) == plain
    assert len(plain & features("d/X b/Y c/Y a/X", 1, 4)) < 5  # only by collision
    further = features("a/X b/Y c/Y b/Y c/Y d/X", 6, 1)
    assert plain > plain & further > set()  # counts of tags between and distances differ
    assert plain != features("a/X e/Y c/Y d/X", 4, 1)  # the form beside the dependent
    assert plain != features("a/X b/Y e/Y d/X", 4, 1)  # the form beside the head
    long = features("a/X b/Y c/Y c/Y d/X", 5, 1)
    assert long != features("a/X b/Y c/Z c/Y d/X", 5, 1)  # tags between


def test_best_relations_are_those_of_scoring_each_arc_alone():
    for options in (GraphOptions(), GraphOptions(lexical=False), GraphOptions(ending=0)):
        one = Sentence(TEST[2:3], options)
        table, wanted = _weights(2, 1 << 12, 5), np.full(one.size, 1, np.int32)
        found = [one.name_sight.best_relations(table, 2, *gold) for gold in ((None, None), (one.gold, wanted))]
        for d in range(1, one.size + 1):
            for h in range(one.size + 1):
                if h == d:
                    continue
                row = table[one.relation_features(h, d)].sum(axis=0)
                for k, (best, scores) in enumerate(found):
                    wrong = np.ones(5) if k else np.zeros(5)
                    if k and one.gold[d - 1] == h:
                        wrong[1] = 0
                    costly = row + wrong
                    costly[[2] if h else [0, 1, 3, 4]] = -np.inf  # 2 is the root's and only its
                    assert costly[best[h, d]] == pytest.approx(costly.max(), abs=1e-4)
                    more = k and one.gold[d - 1] != h
                    assert scores[h, d] == pytest.approx(costly.max() + more, abs=1e-4)


def test_gradient_of_the_log_linear_model():
    """Central differences of -log p(gold heads) against what one tiny step changes."""
    one, weights = Sentence(TEST[:1]), _weights(3, 1 << 12)

    def loss(values):
        scores = one.scores(values)
        np.fill_diagonal(scores, -np.inf)
        logs = scores - np.log(np.exp(scores).sum(axis=0))
        return -logs[one.gold, np.arange(1, one.size + 1)].sum()

    stepped, kept = weights.copy(), Squares.of(np.zeros(len(weights)))
    kept.squares[:] = 1e6
    order = np.zeros(1, np.int32)
    _learning.head_epoch(one.words, one.gold, order, one.arcs, stepped, kept, 0, 1e3)
    # squares hardly grow, so that a step of rate 1e3 is the negative gradient
    expected = weights.astype(np.float64) - stepped
    random = np.random.default_rng(3)
    for place in random.choice(np.flatnonzero(np.abs(expected) > 0.01), 25, replace=False):
        up, down = weights.copy(), weights.copy()
        up[place] += 0.01
        down[place] -= 0.01
        slope = (loss(up) - loss(down)) / (float(up[place]) - float(down[place]))
        assert slope == pytest.approx(expected[place], abs=0.02)
