"""Probabilities of heads equal sums over all labels that give them."""

import itertools

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from treegauge.parsing.bracket_labels import bracket_marginals, completed
from treegauge.parsing.label_encodings import encodings, find_encoding

LABELS = {
    "two-planar": [[".", "<", "</", "\\>", "//\\"], [".", "<\\", "/>"]],
    "hierarchical": [["<", "<*", ">/*", ">*", "\\*<*", ">1", "<1/*", ">*1\\*", "/*<*"]],
    "hierarchical+two-planar": [["<", ">", ">*", "</*"], [".", "<", "/\\>"], [".", "<", ">"]],
}


def claims(labels: list[str]) -> list[tuple[int, int]]:
    """Return (word, head) for each pair of brackets of one plane, both from 1."""
    found, waiting, offering = [], [], []
    for i, label in enumerate(labels, 1):
        for part in label:
            if part == "<":
                waiting.append(i - 1)
            elif part == "/":
                offering.append(i - 1)
            elif part == "\\" and waiting:
                found.append((waiting.pop(), i))
            elif part == ">" and offering:
                found.append((i, offering.pop()))
    return [pair for pair in found if min(pair) > 0]


def test_brackets_are_summed_over_all_labels():
    """Every combination of labels is matched by itself, and counts as much as it is likely."""
    words, planes = 5, [*LABELS["two-planar"], ["//\\\\>", ".", "<"]]
    random = np.random.default_rng(5)
    shares = [random.dirichlet(np.full(len(own), 0.7), words) for own in planes]
    expected = np.zeros((words, words + 1))
    for labels, share in zip(planes, shares, strict=True):
        for codes in itertools.product(range(len(labels)), repeat=words):
            chance = share[np.arange(words), codes].prod()
            for word, head in claims([labels[code] for code in codes]):
                expected[word - 1, head] += chance
    counts = [np.array([[label.count(part) for part in "</\\>"] for label in own]) for own in planes]
    found = bracket_marginals(shares, counts, [0, words])[0]
    np.testing.assert_allclose(found, expected, atol=1e-12)


def test_hierarchical_brackets_are_summed_over_all_labels():
    """Every combination of labels is read by itself, and counts as much as it is likely."""
    words, labels, offsets = 4, LABELS["hierarchical"], np.array([0, 4], np.int32)
    shares = np.random.default_rng(7).dirichlet(np.full(len(labels[0]), 0.7), words)
    encoding = find_encoding("hierarchical")
    # No word is marked as root, so that what is read is what labels alone say.
    read, roots = encoding._reader(labels, offsets), np.zeros(words, np.bool_)
    expected = np.zeros((words, words + 2))
    for codes in itertools.product(range(len(labels[0])), repeat=words):
        heads = read(np.array([codes], np.int32), roots)
        expected[np.arange(words), heads] += shares[np.arange(words), codes].prod()
    claimed = expected[:, :-1]
    (found,) = encoding.weigher(labels, offsets)([shares], claimed[:, 0])
    np.testing.assert_allclose(found, completed(claimed), atol=1e-12)


@given(st.lists(st.integers(1, 9), min_size=1, max_size=6), st.integers(0, 2**32 - 1))
@settings(max_examples=30, deadline=None)
def test_rows_are_probabilities_whatever_the_labels(sizes, seed):
    random = np.random.default_rng(seed)
    offsets = np.concatenate(([0], np.cumsum(sizes)))
    words = int(offsets[-1])
    for name, labels in LABELS.items():
        shares = [random.dirichlet(np.full(len(own), 0.3), words) for own in labels]
        weigh = find_encoding(name).weigher(labels, offsets)
        for size, own in zip(sizes, weigh(shares, random.random(words)), strict=True):
            assert own.shape == (size, size + 1)
            assert (own >= 0).all()
            assert (own[np.arange(size), np.arange(size) + 1] == 0).all()
            np.testing.assert_allclose(own.sum(1), 1)


def test_sure_labels_are_their_tree():
    """Labels of a tree, each with probability 1, give back the tree."""
    heads = np.array([2, 0, 5, 3, 2, 2, 0], np.int32)
    offsets = np.array([0, 6, 7], np.int32)
    for name, encoding in encodings().items():
        columns = encoding.encode(heads, offsets)
        shares = [np.eye(len(own.values))[own.codes] for own in columns]
        weigh = encoding.weigher([own.values for own in columns], offsets)
        found = np.concatenate([own.argmax(1) for own in weigh(shares, (heads == 0) * 1.0)])
        assert (found == heads).all(), name


def test_long_sentences_and_deep_brackets():
    counts = np.array([[1, 0, 0, 0], [0, 0, 1, 0]])
    shares = np.full((600, 2), 0.5)
    found = bracket_marginals([shares], [counts], [0, 600])[0]
    # A fair walk from 1 first hits 0 after 2k + 1 steps with Catalan(k) / 2^(2k + 1).
    catalan = [1, 1, 2, 5, 14, 42, 132]
    # The opening itself is one fair choice, and what opens in a label cannot close there.
    expected = [0.5 * c / 2 ** (2 * k + 1) for k, c in enumerate(catalan)]
    np.testing.assert_allclose(found[100, 103:116:2], expected, rtol=1e-9)
