"""Train against test: vocabulary, tags, and shapes of trees."""

from collections import Counter
from itertools import product
from math import log

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.distance import jensenshannon

from treegauge.measures import similarity
from treegauge.measures.registry import measures
from treegauge.testing.synthetic import synthetic
from treegauge.treebanks.data.conllu import parse_conllu


@pytest.fixture(scope="module")
def pair():
    return synthetic(300, seed=1), synthetic(150, seed=2)


def trees(*sentences):
    text = "".join(
        "".join(f"{i}\tw\t_\tX\t_\t_\t{h}\tdep\t_\t_\n" for i, h in enumerate(heads, 1)) + "\n" for heads in sentences
    )
    return parse_conllu(text)


def counted(treebank, n):
    found = Counter()
    for sentence in treebank:
        tags = sentence.upos if n == 1 else ["#", *sentence.upos, "#"]
        found.update(tuple(tags[i : i + n]) for i in range(len(tags) - n + 1))
    return found


@pytest.mark.parametrize("n", [1, 2, 3])
def test_divergence_is_scipys(pair, n):
    one, two = (counted(treebank, n) for treebank in pair)
    keys = sorted(one | two)
    expected = jensenshannon([one[k] for k in keys], [two[k] for k in keys], base=2) ** 2
    assert similarity.upos_divergence(*pair, n=n) == pytest.approx(expected)


def test_every_word_is_the_middle_of_a_trigram(pair):
    first, second = similarity.upos_ngrams(*pair)
    assert first.sum() == pair[0].n_words
    assert second.sum() == pair[1].n_words


def test_klcpos3_by_its_definition(pair):
    source, target = (counted(treebank, 3) for treebank in pair)
    for trigram in target:
        source.setdefault(trigram, 1)
    expected = sum(
        count / target.total() * log(count / target.total() / (source[t] / source.total()))
        for t, count in target.items()
    )
    assert any(count == 1 for count in source.values())
    assert similarity.klcpos3(*pair) == pytest.approx(expected)
    assert similarity.klcpos3(pair[0], pair[0]) == pytest.approx(0, abs=1e-12)


def test_unseen_trigrams_and_words(pair):
    train, test = (counted(treebank, 3) for treebank in pair)
    new = sum(count for trigram, count in test.items() if trigram not in train)
    assert similarity.unseen_upos_trigrams(*pair) == new / test.total()
    known, forms = set(pair[0]["form"].to_list()), pair[1]["form"].to_list()
    expected = sum(form not in known for form in forms) / len(forms)
    assert similarity.out_of_vocabulary(*pair) == pytest.approx(expected)
    assert similarity.out_of_vocabulary_types(*pair) == len(set(forms) - known) / len(set(forms))


def every_tree(size):
    """All head lists of trees with one root."""
    for heads in product(range(size + 1), repeat=size):
        if heads.count(0) != 1 or any(h == i for i, h in enumerate(heads, 1)):
            continue
        if all(climbs(heads, word) for word in range(1, size + 1)):
            yield list(heads)


def climbs(heads, word):
    for _ in range(len(heads) + 1):
        if word == 0:
            return True
        word = heads[word - 1]
    return False


# Rooted and free trees of n unlabelled nodes: OEIS A000081 and A000055.
@pytest.mark.parametrize(("size", "rooted", "free"), [(1, 1, 1), (2, 1, 1), (3, 2, 1), (4, 4, 2)])
def test_shapes_are_as_many_as_there_are_trees(size, rooted, free):
    treebank = trees(*every_tree(size))
    assert len(set(similarity.tree_shapes(treebank).tolist())) == rooted
    assert len(set(similarity.tree_shapes(treebank, directed=False).tolist())) == free


@pytest.mark.parametrize(("size", "rooted", "free"), [(9, 286, 47), (10, 719, 106)])
def test_shapes_of_larger_trees(size, rooted, free):
    # Every shape has an order in which each head precedes its dependents and depths tell the tree.
    found = [[0]]
    for _ in range(size - 1):
        grown = {}
        for heads in found:
            for head in range(1, len(heads) + 1):
                grown[canonical([*heads, head])] = [*heads, head]
        found = list(grown.values())
    treebank = trees(*found)
    assert len(set(similarity.tree_shapes(treebank).tolist())) == len(found) == rooted
    assert len(set(similarity.tree_shapes(treebank, directed=False).tolist())) == free


def canonical(heads, root=None, seen=()):
    """Write a rooted tree as nested brackets, the same for isomorphic ones."""
    links = {i: set() for i in range(1, len(heads) + 1)}
    for word, head in enumerate(heads, 1):
        if head:
            links[word].add(head)
            links[head].add(word)
    top = heads.index(0) + 1

    def write(word, above):
        return "(" + "".join(sorted(write(w, word) for w in links[word] if w != above)) + ")"

    return write(top, 0) if root is None else write(root, 0)


@st.composite
def tree(draw):
    size = draw(st.integers(1, 12))
    order = draw(st.permutations(range(1, size + 1)))
    heads = [0] * size
    for place, word in enumerate(order[1:], 1):
        heads[word - 1] = order[draw(st.integers(0, place - 1))]
    return heads


@settings(max_examples=75, deadline=None)
@given(tree(), tree())
def test_shapes_agree_exactly_for_isomorphic_trees(one, two):
    both = trees(one, two)
    a, b = similarity.tree_shapes(both)
    assert (a == b) == (canonical(one) == canonical(two))
    a, b = similarity.tree_shapes(both, directed=False)
    free = [min(canonical(t, r) for r in range(1, len(t) + 1)) for t in (one, two)]
    assert (a == b) == (free[0] == free[1])


@settings(max_examples=60, deadline=None)
@given(tree(), st.randoms())
def test_the_order_of_words_does_not_matter(heads, random):
    new = list(range(1, len(heads) + 1))
    random.shuffle(new)
    moved = [0] * len(heads)
    for word, head in enumerate(heads, 1):
        moved[new[word - 1] - 1] = new[head - 1] if head else 0
    for directed in (True, False):
        a, b = similarity.tree_shapes(trees(heads, moved), directed=directed)
        assert a == b


def test_overlaps_by_brute_force(pair):
    train, test = pair

    def share(key):
        seen = {key(sentence) for sentence in train}
        return np.mean([key(sentence) in seen for sentence in test])

    found = measures()["tree_overlap"](train, test)
    assert found == share(lambda s: canonical(s.head.tolist()))
    free = measures()["tree_overlap_undirected"](train, test)
    assert free >= found
    ordered = share(lambda s: tuple(s.head.tolist()))
    assert measures()["tree_overlap_ordered"](train, test) == ordered
    tagged = share(lambda s: (tuple(s.head.tolist()), tuple(s.upos), tuple(s.deprel)))
    assert measures()["tree_overlap_tagged"](train, test) == tagged
    assert 0 < tagged < found < 1


def test_broken_trees_have_shapes_too():
    text = "1\tw\t_\tX\t_\t_\t2\tdep\t_\t_\n2\tw\t_\tX\t_\t_\t1\tdep\t_\t_\n\n"
    broken = parse_conllu(text, allow=("cycle", "no-root"))
    assert similarity.tree_shapes(broken) == similarity.tree_shapes(trees([0, 1]))
