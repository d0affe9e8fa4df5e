"""Tree algorithms against their definitions, spelled out word by word."""

import os
from itertools import combinations, pairwise, product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from studies.treebanks import treebank_files
from treegauge import TreegaugeError
from treegauge.treebanks.data import trees

UD = Path(os.environ.get("TREEGAUGE_UD", Path(__file__).parents[3] / "shared" / "ud"))
# A hearing is scheduled on the issue today: "on the issue" belongs to "hearing".
HEARING = [2, 4, 4, 0, 7, 7, 2, 4]


# ------------------------------------------------------------------------------- definitions


def ancestors(heads, word):
    """Words met when following heads from a word, itself first."""
    met = []
    while 1 <= word <= len(heads) and word not in met:
        met.append(word)
        word = heads[word - 1]
    return met


def by_definition(heads):
    """Everything the module computes, for one sentence, straight from the definitions."""
    n = len(heads)
    words = range(1, n + 1)
    above = {w: ancestors(heads, w) for w in words}
    below = {w: [v for v in words if w in above[v]] for w in words}
    arc = {w: 1 <= heads[w - 1] <= n for w in words}
    reaches = {w: heads[above[w][-1] - 1] == 0 for w in words}
    on_cycle = [w for w in words if arc[w] and heads[w - 1] in below[w]]
    depth = [len(above[w]) - 1 if reaches[w] else -1 for w in words]
    projective = [
        not arc[w] or all(v in below[heads[w - 1]] for v in range(min(w, heads[w - 1]) + 1, max(w, heads[w - 1])))
        for w in words
    ]
    dependents = {w: [v for v in words if arc[v] and heads[v - 1] == w] for w in words}
    order = []
    for w in words:
        if not arc[w] or heads[w - 1] == w:
            order.append(0)
        else:
            same = [v for v in dependents[heads[w - 1]] if (v < heads[w - 1]) == (w < heads[w - 1])]
            same = [v for v in same if v != heads[w - 1]]
            nearest = sorted(same, key=lambda v: abs(v - heads[w - 1]))
            order.append((nearest.index(w) + 1) * (-1 if w < heads[w - 1] else 1))
    gaps = [sum(b - a > 1 for a, b in pairwise(below[w])) for w in words]
    arcs = [(min(w, heads[w - 1]), max(w, heads[w - 1])) for w in words if arc[w]]
    roots = [(0, w) for w in words if heads[w - 1] == 0]
    return {
        "depth": depth,
        "arity": [len(dependents[w]) for w in words],
        "displacement": [w - heads[w - 1] if arc[w] else 0 for w in words],
        "direction": [(heads[w - 1] > w) - (heads[w - 1] < w) if arc[w] else 0 for w in words],
        "is_projective_arc": projective,
        "subtree_size": [len(below[w]) for w in words],
        "sibling_order": order,
        "root_count": [len(roots)],
        "cycle_word": [min(on_cycle, default=0)],
        "has_cycle": [bool(on_cycle)],
        "is_tree": [len(roots) == 1 and all(reaches.values())],
        "is_projective": [all(projective)],
        "nonprojective_arcs": [projective.count(False)],
        "crossings": [crossing_pairs(arcs)],
        "gap_degree": [max(gaps, default=0)],
        "max_depth": [max(depth, default=-1)],
    }


def crossing_pairs(arcs):
    return sum(a < c < b < d or c < a < d < b for (a, b), (c, d) in combinations(arcs, 2))


def with_root_arcs(heads):
    return [(min(w, h), max(w, h)) for w, h in enumerate(heads, 1) if 0 <= h <= len(heads)]


def flat(sentences):
    """Sentences laid end to end, as heads and offsets."""
    heads = np.array([head for sentence in sentences for head in sentence], np.int32)
    return heads, np.cumsum([0, *map(len, sentences)])


def assert_as_defined(sentences):
    heads, offsets = flat(sentences)
    expected = [by_definition(sentence) for sentence in sentences]
    for name in by_definition([]):
        joined = [value for sentence in expected for value in sentence[name]]
        found = getattr(trees, name)(heads, offsets)
        assert found.tolist() == joined, name
    assert trees.crossings(heads, offsets, root_arc=True).tolist() == [
        crossing_pairs(with_root_arcs(sentence)) for sentence in sentences
    ]
    bounds, rows = trees.dependents(heads, offsets)
    for row, position in enumerate(p for s in sentences for p in range(1, len(s) + 1)):
        start = offsets[np.searchsorted(offsets, row, side="right") - 1]
        length = offsets[np.searchsorted(offsets, row, side="right")] - start
        assert rows[bounds[row] : bounds[row + 1]].tolist() == [
            start + i for i in range(length) if heads[start + i] == position
        ]


# ------------------------------------------------------------------------------- hand counts


def test_hearing_counted_by_hand():
    assert trees.gap_degree(HEARING).tolist() == [1]
    assert trees.nonprojective_arcs(HEARING).tolist() == [1]
    assert trees.crossings(HEARING).tolist() == [1]
    assert trees.crossings(HEARING, root_arc=True).tolist() == [2]
    assert trees.is_tree(HEARING).tolist() == [True]


def test_arc_over_the_root_is_not_projective_though_nothing_crosses():
    heads = [3, 0, 2, 3]  # 1 <- 3 passes over the root 2, which 3 does not dominate
    assert trees.crossings(heads).tolist() == [0]
    assert trees.crossings(heads, root_arc=True).tolist() == [1]
    assert trees.is_projective(heads).tolist() == [False]
    assert trees.gap_degree(heads).tolist() == [1]


def test_gap_degree_two():
    heads = [7, 1, 7, 1, 7, 1, 0]  # 1's yield is 1 2 . 4 . 6
    assert trees.gap_degree(heads).tolist() == [2]


def test_cycle_and_its_tail_reach_no_root():
    heads = [0, 1, 4, 3, 4]  # 3 and 4 name each other, 5 hangs below
    assert trees.depth(heads).tolist() == [0, 1, -1, -1, -1]
    assert trees.cycle_word(heads).tolist() == [3]
    assert trees.max_depth(heads).tolist() == [1]
    assert trees.subtree_size(heads).tolist() == [2, 1, 3, 3, 1]


def test_empty_sentences_and_empty_treebank():
    heads, offsets = [0], [0, 0, 1, 1]
    assert trees.is_tree(heads, offsets).tolist() == [False, True, False]
    assert trees.max_depth(heads, offsets).tolist() == [-1, 0, -1]
    assert trees.gap_degree(heads, offsets).tolist() == [0, 0, 0]
    assert trees.cycle_word(heads, offsets).tolist() == [0, 0, 0]
    assert_as_defined([])
    assert trees.root_count([]).tolist() == [0]
    assert trees.repair([])[0].tolist() == []


# ----------------------------------------------------------------------- all small sentences


@pytest.mark.parametrize("n", range(1, 5))
def test_every_head_array_up_to_four_words(n):
    assert_as_defined([list(heads) for heads in product(range(-1, n + 2), repeat=n)])


def all_trees(n):
    return [
        list(heads)
        for heads in product(range(n + 1), repeat=n)
        if heads.count(0) == 1 and all(heads[ancestors(heads, w)[-1] - 1] == 0 for w in range(1, n + 1))
    ]


def test_every_tree_of_five_words():
    sentences = all_trees(5)
    heads, offsets = flat(sentences)
    assert len(sentences) == 5**4  # Cayley: n ** (n - 1) rooted labelled trees
    assert trees.is_tree(heads, offsets).all()
    assert_as_defined(sentences)
    # 7, 30, 143: projective trees of n words are C(3n - 2, n - 1) / n
    assert trees.is_projective(heads, offsets).sum() == 143


def test_tree_counts_among_all_head_arrays():
    for n in range(1, 6):
        every = np.array(list(product(range(n + 1), repeat=n)), np.int32).ravel()
        offsets = np.arange(0, len(every) + 1, n)
        assert trees.is_tree(every, offsets).sum() == n ** (n - 1)


# ------------------------------------------------------------------------------- properties

any_sentence = st.integers(0, 14).flatmap(lambda n: st.lists(st.integers(-2, n + 2), min_size=n, max_size=n))


@st.composite
def tree(draw, max_size=40):
    """Any tree: words attach to earlier ones of a random order."""
    n = draw(st.integers(1, max_size))
    order = draw(st.permutations(range(1, n + 1)))
    heads = [0] * n
    for index, word in enumerate(order[1:], 1):
        heads[word - 1] = order[draw(st.integers(0, index - 1))]
    return heads


@settings(max_examples=75, deadline=None)
@given(st.lists(any_sentence, max_size=4))
def test_any_integers_as_heads(sentences):
    assert_as_defined(sentences)


@settings(max_examples=80, deadline=None)
@given(st.lists(tree(), min_size=1, max_size=3))
def test_random_trees(sentences):
    assert_as_defined(sentences)
    heads, offsets = flat(sentences)
    projective = trees.is_projective(heads, offsets)
    assert trees.is_tree(heads, offsets).all()
    assert (projective == (trees.crossings(heads, offsets, root_arc=True) == 0)).all()
    assert (projective == (trees.gap_degree(heads, offsets) == 0)).all()
    assert (trees.subtree_size(heads, offsets)[heads == 0] == np.diff(offsets)).all()


@settings(max_examples=60, deadline=None)
@given(st.lists(any_sentence, max_size=4))
def test_repair_makes_trees_and_leaves_trees_alone(sentences):
    heads, offsets = flat(sentences)
    fixed, changed = trees.repair(heads, offsets)
    whole = np.diff(offsets) > 0
    assert trees.is_tree(fixed, offsets)[whole].all()
    assert (changed == (fixed != heads)).all()
    again, nothing = trees.repair(fixed, offsets)
    assert (again == fixed).all()
    assert not nothing.any()


@pytest.mark.parametrize("n", range(1, 5))
def test_repair_changes_as_few_heads_as_any_repair_could(n):
    legal = np.array(all_trees(n))
    every = np.array(list(product(range(-1, n + 2), repeat=n)), np.int32)
    changed = trees.repair(every.ravel(), np.arange(0, every.size + 1, n))[1].reshape(-1, n)
    fewest = (every[:, None, :] != legal[None, :, :]).sum(axis=2).min(axis=1)
    assert (changed.sum(axis=1) == fewest).all()


@pytest.mark.parametrize(
    ("broken", "fixed"),
    [
        ([-1, 0, 1], [2, 0, 1]),  # no head given: to the root
        ([2, 0, 7], [2, 0, 2]),  # out of range: to the root
        ([2, 3, 2, 0], [2, 4, 2, 0]),  # cut at 2, the leftmost on the cycle
        ([1, 0], [2, 0]),  # a word naming itself is a cycle of one
        ([2, 1, 1], [0, 1, 1]),  # no root: the first loose word, here 1
        ([3, 3, 9], [3, 3, 0]),  # no root: the first loose word, here 3
        ([2, 0, 2, 0, 4], [2, 0, 2, 2, 4]),  # several roots: to the first
        ([-1, -1, -1], [0, 1, 1]),  # nothing given: a flat tree
    ],
)
def test_repair_by_hand(broken, fixed):
    heads, changed = trees.repair(broken)
    assert heads.tolist() == fixed
    assert changed.tolist() == [a != b for a, b in zip(broken, fixed, strict=True)]


# --------------------------------------------------------------------------------- large input


def test_a_million_words_in_one_chain():
    n = 1_000_000
    heads = np.arange(n, dtype=np.int32)
    assert trees.depth(heads)[-1] == n - 1
    assert trees.max_depth(heads).tolist() == [n - 1]
    assert trees.is_tree(heads).all()
    assert trees.is_projective(heads).all()
    assert trees.subtree_size(heads)[0] == n
    assert trees.crossings(heads, root_arc=True).tolist() == [0]
    assert trees.gap_degree(heads).tolist() == [0]
    assert not trees.repair(heads)[1].any()


def test_a_million_words_in_one_circle():
    n = 1_000_000
    heads = np.roll(np.arange(1, n + 1, dtype=np.int32), 1)
    assert trees.cycle_word(heads).tolist() == [1]
    assert (trees.depth(heads) == -1).all()
    assert (trees.subtree_size(heads) == n).all()
    assert trees.gap_degree(heads).tolist() == [0]
    fixed, changed = trees.repair(heads)
    assert changed.sum() == 1
    assert trees.depth(fixed)[-1] == n - 1


def test_quadratically_many_crossings():
    half = 100_000
    heads = np.concatenate([np.arange(half + 1, 2 * half + 1), np.zeros(half)]).astype(np.int32)
    assert trees.crossings(heads).tolist() == [half * (half - 1) // 2]
    assert trees.nonprojective_arcs(heads).tolist() == [half]


def test_comb_with_the_most_gaps():
    """Every other word hangs from the first, the rest from the last."""
    n = 200_000
    heads = np.where(np.arange(n) % 2 == 0, 1, n).astype(np.int32)
    heads[0], heads[-1] = n, 0
    assert trees.gap_degree(heads).tolist() == [n // 2 - 1]


# ---------------------------------------------------------------------------------- the inputs


def test_integer_types_and_views_give_the_same():
    expected = trees.depth(HEARING)
    for dtype in (np.int8, np.uint8, np.int64, np.uint64):
        assert (trees.depth(np.array(HEARING, dtype)) == expected).all()
    strided = np.repeat(np.array(HEARING, np.int32), 2)[::2]
    strided.flags.writeable = False
    assert (trees.depth(strided, np.array([0, 8], np.int32)) == expected).all()
    assert trees.is_tree(np.array([0, 2**32 + 1])).tolist() == [False]


@pytest.mark.parametrize(
    ("heads", "offsets", "message"),
    [
        ([0.0, 1.0], None, "heads: found float64"),
        ([[0, 1]], None, "in 2 dimensions"),
        ([0, 1], [0, 1], "expected rising numbers from 0 to 2"),
        ([0, 1], [1, 2], "found 1 to 2"),
        ([0, 1], [0, 2, 1, 2], "rising"),
        ([0, 1], np.array([], np.int64), "found nothing"),
    ],
)
def test_bad_input_is_named(heads, offsets, message):
    with pytest.raises(TreegaugeError, match=message):
        trees.depth(heads, offsets)


# ------------------------------------------------------------------------------- real treebanks


def read_heads(path):
    sentences, heads = [], []
    for line in path.read_text(encoding="utf-8").split("\n"):
        columns = line.split("\t")
        if len(columns) == 10 and columns[0].isdigit():
            heads.append(int(columns[6]))
        elif not line and heads:
            sentences.append(heads)
            heads = []
    return sentences


def real_files():
    return treebank_files("*-ud-test.conllu", releases=["r2.9"])


needs_ud = pytest.mark.skipif(
    not real_files(), reason=f"no treebanks under {UD}; set TREEGAUGE_UD to the folder that has them"
)


@needs_ud
def test_real_treebanks_hold_trees_with_the_known_equivalences():
    gapped = 0
    for path in real_files():
        heads, offsets = flat(read_heads(path))
        projective = trees.is_projective(heads, offsets)
        assert trees.is_tree(heads, offsets).all(), path
        assert (projective == (trees.crossings(heads, offsets, root_arc=True) == 0)).all(), path
        assert (projective == (trees.gap_degree(heads, offsets) == 0)).all(), path
        assert not trees.repair(heads, offsets)[1].any(), path
        gapped += (~projective).sum()
    assert gapped > 0


@needs_ud
def test_real_sentences_as_defined():
    sample = [sentence for path in real_files() for sentence in read_heads(path)[:8]]
    assert_as_defined([sentence for sentence in sample if len(sentence) <= 40])


@needs_ud
def test_real_trees_as_udapi_sees_them():
    udapi = pytest.importorskip("udapi.core.document")
    path = UD / "r2.9" / "UD_Latin-Perseus" / "la_perseus-ud-test.conllu"
    document = udapi.Document()
    document.from_conllu_string(path.read_text(encoding="utf-8"))
    nodes = [tree.descendants for bundle in document.bundles for tree in bundle.trees]
    heads, offsets = flat([[node.parent.ord for node in sentence] for sentence in nodes])
    flags = [not node.is_nonprojective() for sentence in nodes for node in sentence]
    assert trees.is_projective_arc(heads, offsets).tolist() == flags
    sizes = [len(node.descendants(add_self=True)) for sentence in nodes for node in sentence]
    assert trees.subtree_size(heads, offsets).tolist() == sizes
