"""Drawings read back: the heads must come out of the lines again."""

import re
from itertools import pairwise
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.cells import cell_len

from treegauge import TreegaugeError
from treegauge.treebanks.data import trees
from treegauge.treebanks.svg import compare_svg, svg_tree
from treegauge.treebanks.text_trees import text_tree

HEARING = ["A", "hearing", "is", "scheduled", "on", "the", "issue", "today"]
HEADS = [2, 4, 4, 0, 7, 7, 2, 4]
RELATIONS = ["det", "nsubj:pass", "aux:pass", "root", "case", "det", "nmod", "obl"]
SVG = "{http://www.w3.org/2000/svg}"


@st.composite
def tree(draw, max_size=14):
    n = draw(st.integers(1, max_size))
    order = draw(st.permutations(range(1, n + 1)))
    heads = [0] * n
    for index, word in enumerate(order[1:], 1):
        heads[word - 1] = order[draw(st.integers(0, index - 1))]
    return heads


any_heads = st.integers(0, 10).flatmap(lambda n: st.lists(st.integers(-2, n + 2), min_size=n, max_size=n))


def words(heads):
    return [f"w{word}" for word in range(1, len(heads) + 1)], ["rel"] * len(heads)


# --------------------------------------------------------------------------------------- text


def read_back(drawing):
    """Follow the lines of a text drawing from each word to its head; None without one."""
    rows = [line[: re.search(r"w\d+", line).start()] for line in drawing.split("\n")]
    heads = []
    for start, row in enumerate(rows):
        branches = [cell for cell, glyph in enumerate(row) if glyph in "╭├╰"]
        assert len(branches) + (row[0] in "╶?↺") == 1
        if not branches:
            heads.append({"╶": 0, "?": None, "↺": None}[row[0]])
            continue
        (cell,) = branches
        found = []
        for step, leads, ends in ((-1, "├╰", "┤╮"), (1, "├╭", "┤╯")):
            at = start
            while rows[at][cell] in (leads if at == start else "│├"):
                at += step
            if at != start and rows[at][cell] in ends:
                found.append(at + 1)
        assert len(found) == 1
        heads.extend(found)
    return heads


def test_text_of_a_crossing_tree():
    assert text_tree(HEARING, HEADS, RELATIONS).split("\n") == [
        "    ╭╴   A          det",
        "  ╭─┤    hearing    nsubj:pass",
        "  ├╴│    is         aux:pass",
        "╶─┤ │    scheduled  root",
        "  │ │ ╭╴ on         case",
        "  │ │ ├╴ the        det",
        "  │ ╰─╯  issue      nmod",
        "  ╰╴     today      obl",
    ]


def test_text_with_a_branch_under_a_line():
    drawing = text_tree(list("abcde"), [0, 4, 1, 1, 3], list("pqrst"))
    assert drawing.split("\n") == ["╶─╮      a  p", "  │ ╭╴   b  q", "  ├─│─╮  c  r", "  ╰─╯ │  d  s", "      ╰╴ e  t"]


def test_text_marks_what_is_no_tree():
    drawing = text_tree(list("abcde"), [0, 9, 4, 3, -1], list("pqrst"))
    assert drawing.split("\n") == ["╶╴   a  p", "?╴   b  q", "↺─╮  c  r", "  ╰╴ d  s", "?╴   e  t"]


@settings(max_examples=100, deadline=None)
@given(tree())
def test_heads_can_be_read_from_the_text(heads):
    assert read_back(text_tree(words(heads)[0], heads, words(heads)[1])) == heads


@settings(max_examples=60, deadline=None)
@given(any_heads.filter(bool))
def test_any_heads_can_be_read_from_the_text(heads):
    drawn = read_back(text_tree(words(heads)[0], heads, words(heads)[1]))
    lost = [word for word, head in enumerate(drawn, 1) if head is None]
    for word, (head, seen) in enumerate(zip(heads, drawn, strict=True), 1):
        assert seen == head or word in lost
        if word in lost and 1 <= head <= len(heads):  # then it is the leftmost of its cycle
            circle, at = [word], head
            while at != word:
                assert len(circle) <= len(heads)
                circle.append(at)
                at = heads[at - 1]
            assert word == min(circle)


def test_columns_line_up_in_terminal_cells():
    forms = ["日本語", "e\u0301te\u0301", "한국", "plain", "👍"]
    lines = text_tree(forms, [0, 1, 1, 3, 1], ["REL"] * 5, upos=["TAG"] * 5).split("\n")
    for column in ("TAG", "REL"):
        assert len({cell_len(line[: line.index(column)]) for line in lines}) == 1


@settings(max_examples=60, deadline=None)
@given(tree(), st.text(max_size=30), st.integers(1, 60))
def test_no_line_is_wider_than_asked(heads, form, width):
    drawing = text_tree([form] * len(heads), heads, words(heads)[1], width=width)
    lines = drawing.split("\n")
    assert len(lines) == len(heads)
    assert max(map(cell_len, lines)) <= width


def test_long_forms_are_cut_before_branches():
    drawing = text_tree(["x" * 50, "y"], [2, 0], ["nsubj", "root"], width=30)
    assert drawing.split("\n")[0] == "  ╭╴ " + "x" * 17 + "…  nsubj"
    assert drawing.split("\n")[1] == "╶─╯  y" + " " * 19 + "root"


def test_a_deep_tree_is_cut_to_the_width():
    n = 20_000
    lines = text_tree(["w"] * n, range(n), ["rel"] * n, width=40).split("\n")
    assert lines[0].split() == ["╶─╮", "w", "rel"]
    assert lines[-1].split()[-3:] == ["…", "w", "rel"]


def test_control_and_reordering_characters_cannot_disturb_the_terminal():
    drawing = text_tree(["a\nb\x1b[31m", "x\u202ey"], [0, 1], ["root", "dep\t"])
    assert drawing == "╶─╮  a�b�[31m  root\n  ╰╴ x�y       dep�"


def test_empty_sentence():
    assert text_tree([], [], []) == text_tree([], [], [], upos=[], width=10) == ""
    assert ElementTree.fromstring(svg_tree([], [], [])).tag == f"{SVG}svg"


def test_arrays_are_taken_too():
    arrays = np.array(HEARING), np.array(HEADS, np.int32), np.array(RELATIONS)
    assert text_tree(*arrays) == text_tree(HEARING, HEADS, RELATIONS)
    assert svg_tree(*arrays) == svg_tree(HEARING, HEADS, RELATIONS)


# ---------------------------------------------------------------------------------------- SVG


def arcs_of(svg):
    """Every arc drawn: tooltip, line, the tip of the arrow, label."""
    for group in ElementTree.fromstring(svg).iter(f"{SVG}g"):
        line, arrow = group.findall(f"{SVG}path")
        tip = tuple(map(float, re.search(r"L([\d.]+) ([\d.]+)Z", arrow.get("d")).groups()))
        yield group.find(f"{SVG}title").text, line, tip, group.find(f"{SVG}text")


def rails(line):
    """The two feet and the height of an arc's line: x of the left, x of the right, y."""
    left, _, top = re.match(r"M([\d.]+) ([\d.]+)V[\d.]+Q[\d.]+ ([\d.]+)", line.get("d")).groups()
    right = re.search(r"Q([\d.]+) [\d.]+ ([\d.]+) [\d.]+V[\d.]+$", line.get("d")).group(1)
    return float(left), float(right), float(top)


@settings(max_examples=75, deadline=None)
@given(tree(max_size=20))
def test_arcs_end_at_their_words_and_never_lie_on_each_other(heads):
    arcs = list(arcs_of(svg_tree(words(heads)[0], heads, words(heads)[1])))
    tips = {}
    for title, _, tip, _ in arcs:
        tips[int(re.search(r"→ w(\d+)", title).group(1))] = tip[0]
    assert [x for _, x in sorted(tips.items())] == sorted(tips.values())
    assert len(tips) == len(heads)
    spans = []
    for title, line, tip, _ in arcs:
        head, word = re.match(r"(\S+) → w(\d+)", title).groups()
        if head == "·":
            assert heads[int(word) - 1] == 0
            continue
        assert head == f"w{heads[int(word) - 1]}"
        left, right, top = rails(line)
        tail = right if tip[0] == left else left
        assert {left, right} == {tip[0], tail}
        number = int(head[1:])
        assert tips.get(number - 1, -1) < tail < tips.get(number + 1, 1e9)
        spans.append((top, left, right))
    for (top, _, right), (other, left, _) in pairwise(sorted(spans)):
        assert top != other or right < left
    feet = sorted([x for _, left, right in spans for x in (left, right)])
    assert all(b - a > 1 for a, b in pairwise(feet))


@settings(max_examples=75, deadline=None)
@given(tree(max_size=20))
def test_lines_cross_only_where_arcs_do(heads):
    drawn = list(arcs_of(svg_tree(words(heads)[0], heads, words(heads)[1])))
    spans = [rails(line) for title, line, *_ in drawn if not title.startswith("·")]
    met = sum(
        left < foot < right and top < level  # the foot goes up past the other arc's level
        for left, right, level in spans
        for start, stop, top in spans
        for foot in (start, stop)
    )
    assert met == trees.crossings(heads)[0]


def test_labels_fit_under_nothing_and_over_their_arc():
    labels = ["nsubj:outer:verylong", "root", "parataxis:discourse"]
    for _, line, _, label in arcs_of(svg_tree(list("abc"), [2, 0, 2], labels)):
        if label.text != "root":
            left, right, top = rails(line)
            assert left < float(label.get("x")) < right
            assert right - left >= 7 * len(label.text)
            assert float(label.get("y")) < top


def test_label_moves_out_of_the_way_of_a_crossing_arc():
    svg = svg_tree(HEARING, HEADS, RELATIONS)
    drawn = {title: (line, label) for title, line, _, label in arcs_of(svg)}
    crossed, label = drawn["scheduled → today: obl"]
    left, right, _ = rails(crossed)
    foot = rails(drawn["hearing → issue: nmod"][0])[1]
    assert left < foot < right
    assert float(label.get("x")) == pytest.approx((left + foot) / 2, abs=0.1)


def test_forms_are_escaped():
    evil = '<script>alert("1")</script>&'
    for svg in (
        svg_tree([evil], [0], [evil], upos=[evil]),
        compare_svg([evil, evil], [0, 1], [evil, evil], [0, 1], [evil + "x", "y"]),
        svg_tree([evil, "\x00\ud800"], [2, 7], [evil, "\x1b"]),
    ):
        assert "<script" not in svg
        assert "&lt;script&gt;" in svg
        texts = [element.text for element in ElementTree.fromstring(svg).iter(f"{SVG}text")]
        assert evil in texts


@settings(max_examples=75, deadline=None)
@given(any_heads, st.text(st.characters(), max_size=8))
def test_svg_of_anything_is_well_formed(heads, text):
    column = [text] * len(heads)
    for svg in (
        svg_tree(column, heads, column, upos=column, highlight=range(1, len(heads) + 1, 2)),
        compare_svg(column, heads, column, heads[::-1], column),
    ):
        root = ElementTree.fromstring(svg.encode())
        assert root.get("role") == "img"
        assert root[0].tag == f"{SVG}title"
        assert float(root.get("width")) > 0
        assert len(list(root.iter(f"{SVG}g"))) >= len(heads)


def test_svg_takes_the_page_colour_and_needs_nothing_from_outside():
    svg = svg_tree(HEARING, HEADS, RELATIONS, upos=["X"] * 8)
    assert set(re.findall(r' (?:fill|stroke)="([^"]*)"', svg)) == {"currentColor", "none"}
    assert "href" not in svg
    assert "url(" not in svg
    assert " id=" not in svg
    assert svg == svg_tree(HEARING, HEADS, RELATIONS, upos=["X"] * 8)
    assert "<title>A hearing is scheduled on the issue today</title>" in svg


def test_highlight_sets_off_a_word_and_its_arc():
    svg = svg_tree(HEARING, HEADS, RELATIONS, highlight=[7])
    root = ElementTree.fromstring(svg)
    (group,) = [group for group in root.iter(f"{SVG}g") if group.get("color")]
    assert group.find(f"{SVG}title").text == "hearing → issue: nmod"
    (word,) = [text for text in root.findall(f"{SVG}text") if text.get("font-weight") == "bold"]
    assert word.text == "issue"


def test_heads_that_cannot_be_drawn_are_named():
    labels = [label.text for *_, label in arcs_of(svg_tree(list("abc"), [-1, 9, 3], list("xyz")))]
    assert labels == ["x → ?", "y → 9", "z → 3"]


def test_comparison_draws_wrong_arcs_only_and_tells_them_apart_without_colour():
    heads, relations = list(HEADS), list(RELATIONS)
    heads[6] = 4  # issue: wrong head
    relations[1] = "nsubj"  # hearing: right head, wrong relation
    svg = compare_svg(HEARING, HEADS, RELATIONS, heads, relations)
    baseline = float(ElementTree.fromstring(svg).find(f"{SVG}text").get("y"))
    below = {title: line for title, line, tip, _ in arcs_of(svg) if tip[1] > baseline}
    assert set(below) == {"scheduled → issue: nmod", "scheduled → hearing: nsubj"}
    dashes = [line.get("stroke-dasharray") for line in below.values()]
    assert None not in dashes
    assert len(set(dashes)) == 2
    assert len(list(arcs_of(svg))) == 8 + 2
    assert "2 of 8 words incorrect" in svg


def test_comparison_of_equal_trees_has_nothing_below():
    svg = compare_svg(HEARING, HEADS, RELATIONS, HEADS, RELATIONS)
    assert "stroke-dasharray" not in svg
    assert "0 of 8 words incorrect" in svg


def test_a_long_sentence_just_gets_wide():
    n = 3_000
    svg = svg_tree(["word"] * n, range(n), ["dep"] * n)
    root = ElementTree.fromstring(svg)
    assert float(root.get("width")) > 40 * n
    assert float(root.get("height")) < 150


# --------------------------------------------------------------------------------------- input


def test_columns_of_different_lengths_are_named():
    with pytest.raises(TreegaugeError, match="2 forms, 1 heads, 2 deprels"):
        text_tree(["a", "b"], [0], ["x", "y"])
    with pytest.raises(TreegaugeError, match="1 upos"):
        svg_tree(["a", "b"], [0, 1], ["x", "y"], upos=["Z"])
    with pytest.raises(TreegaugeError, match="1 system_heads"):
        compare_svg(["a", "b"], [0, 1], ["x", "y"], [0], ["x", "y"])


def test_bad_options_are_named():
    with pytest.raises(TreegaugeError, match=r"found \[3\], expected positions 1 to 2"):
        svg_tree(["a", "b"], [0, 1], ["x", "y"], highlight=[1, 3])
    with pytest.raises(TreegaugeError, match="width: found 0"):
        text_tree(["a"], [0], ["x"], width=0)
