"""Cases of measures small enough to check by hand."""

import numpy as np

from treegauge.measures.displacement import displacements, edv, edv_excess, edv_samples, slv
from treegauge.measures.intervals import measure_interval, random_splits
from treegauge.measures.registry import measures
from treegauge.measures.similarity import jensen_shannon, log_ratios, out_of_vocabulary, tree_shapes, trigram_shortfall
from treegauge.measures.structure import possible_crossings, word_order_freedom
from treegauge.measures.vocabulary import entropy_of, feature_counts, standardised_ttr
from treegauge.statistics.probabilities import wasserstein
from treegauge.testing.grammar import Grammar
from treegauge.testing.synthetic import synthetic


def text(bank, *forms):
    return bank([{"form": form, "head": i} for i, form in enumerate(forms)])


def test_underscores_are_words_in_running_text(bank):
    words = bank([{"form": "_", "lemma": "_", "head": 2}, {"form": "a", "lemma": "_", "head": 0}])
    assert words.blank("lemma").tolist() == [False, True]
    assert words.blank("form").tolist() == [False, False]


def test_displacements(bank):
    assert displacements(bank([2, 3, 0, 3])).tolist() == [-1, -1, 1]
    assert possible_crossings(bank([2, 3, 0, 3, 4])).tolist() == [3.0]  # a chain of 4 arcs


def test_distances_of_sets():
    treebank = synthetic(sentences=200, seed=1)
    assert edv(treebank, treebank) == slv(treebank, treebank) == 0.0
    assert edv(treebank[:100], treebank[100:]) > 0
    one, same = synthetic(300, seed=1), synthetic(100, seed=2)
    far = synthetic(100, Grammar(basic_order="SOV"), seed=2)
    assert abs(edv_excess(one, same)) < 0.1 < edv_excess(one, far)
    assert list(edv_samples(one, same, sizes=(100, 200))) == ["100", "100:sd", "200", "200:sd"]
    table = np.eye(3)[[0, 0, 1, 2, 2, 2]]
    assert random_splits([table[:4], table[4:]], wasserstein, 3, 0).shape == (3,)


def test_an_interval_is_around_the_value():
    treebank = synthetic(100, seed=1)
    low, high = measure_interval(measures()["mean_length"], treebank)
    assert low < measures()["mean_length"](treebank) < high


def test_words(bank):
    assert out_of_vocabulary(text(bank, "a", "b"), text(bank, "a", "c", "c", "b")) == 0.5
    assert entropy_of([[1, 1], [5, 0], [0, 0]]).tolist() == [1.0, 0.0, 0.0]
    assert 0 < standardised_ttr(synthetic(300, seed=1)) < 1
    features = ("Case=Nom|Number=Sing", "Case=Nom")
    words = bank([{"feats": text, "head": i} for i, text in enumerate(features)])
    assert feature_counts(words).tolist() == [2.0, 1.0]


def test_divergences_of_tags():
    assert jensen_shannon([1, 1, 0], [0, 0, 4]) == 1
    assert jensen_shannon([1, 2], [2, 4]) == 0
    assert log_ratios(synthetic(10, seed=2), synthetic(50, seed=1)).mean() > 0
    few, more = (trigram_shortfall(synthetic(300, seed=1), n) for n in (100, 1000))
    assert few > more > 0


def test_shapes_of_trees(bank):
    chain, end, middle = bank([2, 3, 0]), bank([0, 1, 2]), bank([2, 0, 2])
    assert tree_shapes(chain) == tree_shapes(end)
    assert tree_shapes(chain) != tree_shapes(middle)
    assert tree_shapes(chain, directed=False) == tree_shapes(middle, directed=False)


def test_word_order_freedom(bank):
    rows = [("NOUN", 2, "obj"), ("VERB", 0, "root"), ("NOUN", 2, "obj"), ("ADV", 2, "advmod")]
    words = bank([{"upos": upos, "head": head, "deprel": name} for upos, head, name in rows])
    assert round(word_order_freedom(words), 3) == 0.667  # 2/3 of 1 bit
