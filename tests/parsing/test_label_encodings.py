"""Label encodings: examples by hand, round trips, and a tree for any labels."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from treegauge.core.errors import ChoiceError, TreegaugeError
from treegauge.parsing.labelling.label_encodings import encodings, find_encoding, is_root
from treegauge.treebanks.data import trees
from treegauge.treebanks.data.columns import Codes

NAMES = list(encodings())
TAGS = ("NOUN", "VERB", "ADP")


def tags_of(words: list[str]) -> Codes:
    values = sorted(set(words)) or ["X"]
    return Codes(np.array([values.index(word) for word in words], np.int32), values)


def labels_of(name: str, heads: list[int], tags: list[str] | None = None) -> list[list[str]]:
    codes = find_encoding(name).encode(heads, [0, len(heads)], tags_of(tags or ["X"] * len(heads)))
    return [[column.values[code] for code in column.codes] for column in codes]


def read(name: str, labels: list[list[str]], roots: list[bool], tags: list[str] | None = None) -> list[int]:
    n = len(roots)
    values = [sorted(set(column)) or ["."] for column in labels]
    codes = [[own.index(label) for label in c] for own, c in zip(values, labels, strict=True)]
    reader = find_encoding(name).reader(values, [0, n], tags_of(tags or ["X"] * n))
    return reader(np.array(codes, np.int32).reshape(len(labels), n), roots).heads.tolist()


@st.composite
def some_trees(draw: st.DrawFn) -> list[int]:
    """Any tree with one root: each word of a random order hangs from one before it."""
    n = draw(st.integers(1, 14))
    order = draw(st.permutations(range(1, n + 1)))
    heads = [0] * n
    for at, word in enumerate(order[1:], 1):
        heads[word - 1] = order[draw(st.integers(0, at - 1))]
    return heads


def projective(heads: list[int]) -> bool:
    """Whether no word between a word and its head has its own head further out, nor is the root."""
    return all(
        min(d, h) <= heads[k - 1] <= max(d, h)
        for d, h in enumerate(heads, 1)
        for k in range(min(d, h) + 1, max(d, h))
        if h
    )


# She reads old books about it . : heads 2 0 4 2 6 4 2
HEADS = [2, 0, 4, 2, 6, 4, 2]


def test_brackets_of_a_projective_tree_by_hand():
    expected = [".", "<\\", "//", "<\\>", "/", "<\\>", ">"]
    assert labels_of("one-planar", HEADS) == [expected]
    assert labels_of("two-planar", HEADS) == [expected, ["."] * 7]


def test_a_crossing_arc_goes_to_the_second_plane():
    # 1 <- 3 and 2 -> 4 cross; by right end, (1, 3) comes first. Word 3 is the root, 2 hangs from 3.
    heads = [3, 3, 0, 2]
    assert labels_of("two-planar", heads) == [[".", "<", "<\\\\", "."], [".", ".", "/", ">"]]
    # One direction is left, the other right: read by stacks of their own, they may cross.
    assert labels_of("two-planar-directed", heads) == [[".", "<", "</\\\\", ">"], [".", ".", ".", "."]]


def test_relative_labels_by_hand():
    assert labels_of("relative", HEADS) == [["+1", "0", "+1", "-2", "+1", "-2", "-5"]]
    tags = ["PRON", "VERB", "ADJ", "NOUN", "ADP", "NOUN", "PUNCT"]
    assert labels_of("relative-upos", HEADS, tags) == [
        ["+1@VERB", "-1@ROOT", "+1@NOUN", "-1@VERB", "+1@NOUN", "-1@NOUN", "-1@VERB"]
    ]


def test_bits_by_hand():
    # Head to the left; outermost on that side; dependents to the left; and to the right.
    expected = ["0100", "1111", "0100", "1011", "0100", "1110", "1100"]
    assert labels_of("4-bit", HEADS) == [expected]
    # Head to the left, second plane, outermost; dependents left, right; the same in plane 2.
    planes = [f"{bits[0]}0{bits[1:]}00" for bits in expected]
    assert labels_of("7-bit", HEADS) == [planes]


def test_arcs_that_are_not_projective_are_lifted_for_4_bits():
    # 4 hangs from 1 across the root 2: it is lifted to 1's head, the root.
    heads = [2, 0, 2, 1]
    labels = labels_of("4-bit", heads)
    assert read("4-bit", labels, [False, True, False, False]) == [2, 0, 2, 2]
    assert read("7-bit", labels_of("7-bit", heads), [False, True, False, False]) == heads
    # The second plane has the arc whose direction is the same as the root's.
    assert [label[1] for label in labels_of("7-bit", heads)[0]] == ["0", "0", "0", "1"]


def test_hierarchical_brackets_by_hand():
    # The root closes the bracket that the word before the first one opened; 1 leans on it. 7 is the
    # outermost dependent of 2 and closes its bracket, on which 4 leans; 5 leans on that of 4 to 6.
    expected = ["<", ">*/*", "<*", "\\*>/*", "<", ">*", ">*"]
    assert labels_of("hierarchical", HEADS) == [expected]
    # 4 closes the bracket of 2, over which 3 opened another one.
    assert labels_of("hierarchical", [3, 3, 0, 2]) == [["<", "</*", ">*1", ">*"]]


def test_projective_trees_have_twelve_hierarchical_labels():
    random = np.random.default_rng(3)
    found = set()
    for _ in range(400):
        heads = [0] * 7
        grow(heads, 1, 7, 0, random)
        assert projective(heads)
        found |= set(labels_of("hierarchical", heads)[0])
    roles = ["<", "<*", ">", ">*"]
    assert len(found) == 12
    assert not any(label.endswith("/*<*") or label.startswith(">*\\*") for label in found)
    assert all(sum(role in label for role in roles) for label in found)


def grow(heads: list[int], first: int, last: int, above: int, random: np.random.Generator) -> None:
    """Hang a random projective tree over these words from `above`."""
    if first <= last:
        word = int(random.integers(first, last + 1))
        heads[word - 1] = above
        for start, stop in ((first, word - 1), (word + 1, last)):
            low = start
            while low <= stop:
                end = int(random.integers(low, stop + 1))
                grow(heads, low, end, word, random)
                low = end + 1


def test_encodings_side_by_side():
    both = find_encoding("hierarchical+two-planar")
    assert both.columns == 3
    columns = labels_of("hierarchical+two-planar", HEADS)
    assert columns == labels_of("hierarchical", HEADS) + labels_of("two-planar", HEADS)
    # The first is read.
    assert read("hierarchical+two-planar", [columns[0], ["."] * 7, ["."] * 7], [False] * 7) == HEADS


def test_upos_steps_count_only_the_heads_tag():
    # The head of word 1 is the second NOUN to the right.
    tags = ["ADP", "NOUN", "VERB", "NOUN"]
    assert labels_of("relative-upos", [4, 3, 0, 3], tags)[0][0] == "+2@NOUN"


@pytest.mark.parametrize(
    ("labels", "roots", "heads"),
    [
        # Brackets that nothing opened or that nothing closes are ignored; the rest hangs from root.
        ([".", "\\", ">"], [0, 1, 0], [2, 0, 2]),
        ([".", "<", "/"], [1, 0, 0], [0, 1, 1]),
        # No root at all: the first word.
        ([".", "/>", "/>"], [0, 0, 0], [0, 1, 2]),
        # Several roots: the first stays, the others hang from it.
        ([".", ".", "."], [0, 1, 1], [2, 0, 2]),
        # A root that is also given a head is one no more, if there is another.
        ([".", "<\\", "."], [1, 0, 1], [2, 3, 0]),
        # 1 from 2 and 2 from 1 is a cycle; the word where the walk from 1 closes hangs from root.
        ([".", "</\\>", "."], [0, 0, 1], [3, 1, 0]),
    ],
)
def test_repairs(labels, roots, heads):
    assert read("one-planar", [labels], [bool(root) for root in roots]) == heads


def test_steps_out_of_the_sentence_hang_from_the_root():
    assert read("relative", [["+5", "0", "-2"]], [False, True, False]) == [2, 0, 1]
    assert read("relative", [["-1", "0", "+1"]], [False, True, False]) == [2, 0, 2]
    got = read("relative-upos", [["+1@DET", "-1@ROOT"]], [False, True], ["NOUN", "VERB"])
    assert got == [2, 0]


@settings(max_examples=75, deadline=None)
@given(some_trees(), st.data())
def test_what_is_covered_comes_back(heads, data):
    tags = [data.draw(st.sampled_from(TAGS)) for _ in heads]
    roots = [head == 0 for head in heads]
    always = {"relative", "relative-upos", "hierarchical"}
    for name in NAMES:
        labels = labels_of(name, heads, tags)
        back = read(name, labels, roots, tags)
        assert trees.is_tree(back)[0]
        if name in always or (name.endswith("-bit") and projective(heads)):
            assert back == heads
        elif name.startswith("two") or not trees.crossings(heads)[0]:
            # An arc is lost only if its word is nowhere bracketed; then its head may be wrong.
            arcs = sum(c in "<>" for column in labels for label in column for c in label)
            if arcs == len(heads) - 1:
                assert back == heads, name


@settings(max_examples=60, deadline=None)
@given(some_trees())
def test_two_planes_hold_what_two_colours_can(heads):
    """Propagation places all arcs exactly if crossings can be two-coloured (networkx says)."""
    import networkx as nx

    arcs = [tuple(sorted((d, h))) for d, h in enumerate(heads, 1) if h]
    graph = nx.Graph()
    graph.add_nodes_from(range(len(arcs)))
    for a, (i, j) in enumerate(arcs):
        for b, (k, m) in enumerate(arcs[:a]):
            if i < k < j < m or k < i < m < j:
                graph.add_edge(a, b)
    labels = labels_of("two-planar-propagation", heads)
    placed = sum(c in "<>" for column in labels for label in column for c in label)
    assert (placed == len(arcs)) == nx.is_bipartite(graph)


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_any_labels_are_a_tree_with_one_root(data):
    sizes = data.draw(st.lists(st.integers(0, 9), min_size=1, max_size=4))
    n, offsets = sum(sizes), np.concatenate(([0], np.cumsum(sizes)))
    tags = tags_of([data.draw(st.sampled_from(TAGS)) for _ in range(n)])
    roots = [data.draw(st.booleans()) for _ in range(n)]
    brackets = st.text("</\\>", max_size=5).map(lambda text: text or ".")
    steps = st.integers(-9, 9).map(lambda step: f"{step:+d}" if step else "0")
    upos = st.builds(lambda step, tag: f"{step}@{tag}", steps, st.sampled_from([*TAGS, "DET"]))
    closing, leaning = ([">*", ">*2"], ["\\*", "\\*1"]), ["<", "<30", ">1"]
    parts = (*closing, leaning, ["/*"], ["<*"])
    symbols = st.tuples(*(st.sampled_from(["", *own]) for own in parts))
    kinds = {
        "relative": steps, "relative-upos": upos, "4-bit": st.text("01", min_size=4, max_size=4),
        "7-bit": st.text("01", min_size=7, max_size=7),
        "hierarchical": symbols.map("".join),
    }  # fmt: skip
    for name, encoding in encodings().items():
        drawn = [
            data.draw(st.lists(kinds.get(name, brackets), min_size=n, max_size=n)) for _ in range(encoding.columns)
        ]
        values = [sorted(set(column)) for column in drawn]
        codes = [[v.index(one) for one in c] for v, c in zip(values, drawn, strict=True)]
        found = encoding.reader(values, offsets, tags)(np.array(codes, np.int32).reshape(encoding.columns, n), roots)
        assert trees.is_tree(found.heads, offsets)[np.array(sizes) > 0].all(), name


def test_roots_are_known_by_their_relation():
    column = Codes(np.array([0, 1, 2], np.int32), ["root", "nsubj", "root:x"])
    assert is_root(column).tolist() == [True, False, True]


def test_wrong_names_and_labels_are_told():
    with pytest.raises(ChoiceError, match="two-planar"):
        find_encoding("2-planar")
    tags = tags_of(["X"])
    with pytest.raises(TreegaugeError, match="brackets are"):
        find_encoding("one-planar").reader([["<x"]], [0, 1], tags)
    with pytest.raises(TreegaugeError, match="not a step"):
        find_encoding("relative").reader([["left"]], [0, 1], tags)
    with pytest.raises(TreegaugeError, match="not a label of 4 or 7 bits"):
        find_encoding("4-bit").reader([["01"]], [0, 1], tags)
    with pytest.raises(TreegaugeError, match="hierarchical brackets"):
        find_encoding("hierarchical").reader([["<>x"]], [0, 1], tags)
    with pytest.raises(ChoiceError, match="relative-upos"):
        find_encoding("relative+upos")
    with pytest.raises(TreegaugeError, match="has 2 columns"):
        find_encoding("two-planar").reader([["."]], [0, 1], tags)
