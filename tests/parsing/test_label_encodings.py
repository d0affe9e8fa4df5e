"""Label encodings: examples by hand, round trips, and a tree for any labels."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from studies.parsers.encodings import encoding_coverage
from treegauge.core.errors import ChoiceError, TreegaugeError
from treegauge.parsing.label_encodings import encodings, find_encoding, is_root
from treegauge.treebanks.data import trees
from treegauge.treebanks.data.columns import Codes
from treegauge.treebanks.data.conllu import read_splits

NAMES = list(encodings())


def labels_of(name: str, heads: list[int]) -> list[list[str]]:
    codes = find_encoding(name).encode(heads, [0, len(heads)])
    return [[column.values[code] for code in column.codes] for column in codes]


def read(name: str, labels: list[list[str]], roots: list[bool]) -> list[int]:
    n = len(roots)
    values = [sorted(set(column)) or ["."] for column in labels]
    codes = [[own.index(label) for label in c] for own, c in zip(values, labels, strict=True)]
    reader = find_encoding(name).reader(values, [0, n])
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
    assert labels_of("two-planar", HEADS) == [expected, ["."] * 7]


def test_a_crossing_arc_goes_to_the_second_plane():
    # 1 <- 3 and 2 -> 4 cross; by right end, (1, 3) comes first. Word 3 is the root, 2 hangs from 3.
    heads = [3, 3, 0, 2]
    assert labels_of("two-planar", heads) == [[".", "<", "<\\\\", "."], [".", ".", "/", ">"]]
    # One direction is left, the other right: read by stacks of their own, they may cross.
    assert labels_of("two-planar-directed", heads) == [[".", "<", "</\\\\", ">"], [".", ".", ".", "."]]


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
    assert read("two-planar", [labels, ["."] * len(labels)], [bool(root) for root in roots]) == heads


@settings(max_examples=75, deadline=None)
@given(some_trees())
def test_what_is_covered_comes_back(heads):
    roots = [head == 0 for head in heads]
    for name in NAMES:
        labels = labels_of(name, heads)
        back = read(name, labels, roots)
        assert trees.is_tree(back)[0]
        # An arc is lost only if its word is nowhere bracketed; then its head may be wrong.
        arcs = sum(c in "<>" for column in labels for label in column for c in label)
        if name == "hierarchical" or arcs == len(heads) - 1:
            assert back == heads, name


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_any_labels_are_a_tree_with_one_root(data):
    sizes = data.draw(st.lists(st.integers(0, 9), min_size=1, max_size=4))
    n, offsets = sum(sizes), np.concatenate(([0], np.cumsum(sizes)))
    roots = [data.draw(st.booleans()) for _ in range(n)]
    brackets = st.text("</\\>", max_size=5).map(lambda text: text or ".")
    closing, leaning = ([">*", ">*2"], ["\\*", "\\*1"]), ["<", "<30", ">1"]
    parts = (*closing, leaning, ["/*"], ["<*"])
    symbols = st.tuples(*(st.sampled_from(["", *own]) for own in parts))
    kinds = {"hierarchical": symbols.map("".join)}
    for name, encoding in encodings().items():
        drawn = [
            data.draw(st.lists(kinds.get(name, brackets), min_size=n, max_size=n)) for _ in range(encoding.columns)
        ]
        values = [sorted(set(column)) for column in drawn]
        codes = [[v.index(one) for one in c] for v, c in zip(values, drawn, strict=True)]
        found = encoding.reader(values, offsets)(np.array(codes, np.int32).reshape(encoding.columns, n), roots)
        assert trees.is_tree(found.heads, offsets)[np.array(sizes) > 0].all(), name


def test_roots_are_known_by_their_relation():
    column = Codes(np.array([0, 1, 2], np.int32), ["root", "nsubj", "root:x"])
    assert is_root(column).tolist() == [True, False, True]


def test_wrong_names_and_labels_are_told():
    with pytest.raises(ChoiceError, match="two-planar"):
        find_encoding("2-planar")
    with pytest.raises(TreegaugeError, match="brackets are"):
        find_encoding("two-planar").reader([["<x"], ["."]], [0, 1])
    with pytest.raises(TreegaugeError, match="hierarchical brackets"):
        find_encoding("hierarchical").reader([["<>x"]], [0, 1])
    with pytest.raises(ChoiceError, match="two-planar"):
        find_encoding("hierarchical+relative")
    with pytest.raises(TreegaugeError, match="has 2 columns"):
        find_encoding("two-planar").reader([["."]], [0, 1])


def test_planes_are_the_published_ones(ud):
    """Label inventories as counted with the original program; all arcs survive."""
    train = read_splits(ud / "r2.9" / "UD_Marathi-UFAL")["train"]
    row = encoding_coverage(train, find_encoding("two-planar"))
    assert (row["labels"], row["arcs"]) == ("38/7", 100.0)


@pytest.mark.parametrize("name", ["UD_Latin-Perseus", "UD_Sanskrit-Vedic", "UD_Turkish-IMST"])
def test_the_hardest_treebanks(ud, name):
    """Where most trees are not planar."""
    train = read_splits(ud / "r2.9" / name)["train"]
    rows = {one.name: encoding_coverage(train, one) for one in encodings().values()}
    assert rows["hierarchical"]["trees"] == 100.0
    assert rows["two-planar-directed"]["arcs"] > 99.79
    assert rows["two-planar-directed"]["trees"] >= rows["two-planar"]["trees"]
