"""Drawings of sentences in Arabic, Hebrew and Chinese: the words are invented for the tests."""

import re
import unicodedata
from xml.etree import ElementTree

import pytest
from rich.cells import cell_len

import treegauge as tg
from tests.tex import compile_latex
from treegauge.treebanks.show import tikz_tree
from treegauge.treebanks.svg import compare_svg, svg_tree
from treegauge.treebanks.text_trees import is_right_to_left, text_tree

HEADS, RELATIONS, TAGS = [2, 0, 4, 2], ["nsubj", "root", "det", "obj"], ["NOUN", "VERB", "DET", "X"]
WORDS = {
    "Arabic": ["البرتاك", "يشلفُ", "هذا", "الكمبوش."],
    "Hebrew": ["הברתק", "ישלף", "את", "הכמבוש\u05f4"],
    "Chinese": ["芭塔客", "偲攏", "這個", "喀姆博。"],
    "English": ["Bartaks", "shlaff", "the", "kambush."],
}
FROM_THE_RIGHT = {"Arabic", "Hebrew"}
SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture(params=WORDS)
def script(request):
    return request.param


def places(svg: str) -> dict[str, float]:
    """Return where the middle of each text of a drawing is."""
    return {one.text: float(one.get("x")) for one in ElementTree.fromstring(svg).iter(f"{SVG}text")}


def test_direction_is_that_of_most_letters(script):
    assert is_right_to_left(WORDS[script]) == (script in FROM_THE_RIGHT)
    assert not is_right_to_left(["1999", "…"])
    assert not is_right_to_left([])
    assert is_right_to_left([*WORDS["Hebrew"], "PDF"])


def test_svg_has_the_first_word_where_reading_begins(script):
    svg = svg_tree(WORDS[script], HEADS, RELATIONS, upos=TAGS)
    at = [places(svg)[word] for word in WORDS[script]]
    assert at == sorted(at, reverse=script in FROM_THE_RIGHT)
    words = [one for one in ElementTree.fromstring(svg).iter(f"{SVG}text") if one.text in WORDS[script]]
    assert {one.get("direction") for one in words} == {"rtl" if script in FROM_THE_RIGHT else None}
    tags = places(svg)
    assert [tags[tag] for tag in TAGS] == at


def feet(svg: str) -> list[tuple[float, float]]:
    """Return, for each arc in a drawing, where it starts and ends, leftmost first."""
    lines = re.findall(r'd="M([\d.]+) [\d.]+V[\d.]+Q.*?H.*?Q([\d.]+)', svg)
    return sorted((float(a), float(b)) for a, b in lines)


@pytest.mark.parametrize("name", sorted(FROM_THE_RIGHT))
def test_arcs_join_the_same_words_as_from_the_left(name):
    turned = svg_tree(WORDS[name], HEADS, RELATIONS)
    at = [places(turned)[word] for word in WORDS[name]]

    def nearest(spot: float) -> int:
        return min(range(len(at)), key=lambda i: abs(at[i] - spot)) + 1

    joined = {frozenset(map(nearest, pair)) for pair in feet(turned)}
    assert joined == {frozenset({1, 2}), frozenset({3, 4}), frozenset({4, 2})}


@pytest.mark.parametrize("name", sorted(FROM_THE_RIGHT))
def test_comparisons_are_turned_too_and_tooltips_keep_their_arrow(name):
    words = WORDS[name]
    svg = compare_svg(words, HEADS, RELATIONS, [2, 0, 2, 2], RELATIONS)
    at = [places(svg)[word] for word in words]
    assert at == sorted(at, reverse=True)
    titles = [one.text for one in ElementTree.fromstring(svg).iter(f"{SVG}title")]
    assert f"\u2068{words[1]}\u2069 → \u2068{words[0]}\u2069: nsubj" in titles


def test_svg_gives_full_width_characters_their_room():
    wide, narrow = (svg_tree([one * 6, "x"], [0, 1], ["root", "obj"]) for one in ("喀", "k"))
    assert places(wide)["x"] > places(narrow)["x"] + 6 * 16 * 0.35


def test_text_lines_up_and_terminals_do_not_turn_it_around(script):
    lines = text_tree(WORDS[script], HEADS, RELATIONS, upos=TAGS).split("\n")
    starts = {cell_len(line[: line.index(tag)]) for line, tag in zip(lines, TAGS, strict=True)}
    assert len(starts) == 1
    for line in lines:
        strong = [unicodedata.bidirectional(character) for character in line]
        assert next(kind for kind in strong if kind in {"L", "R", "AL"}) == "L"
    assert lines[0].startswith("\u200e") == (script in FROM_THE_RIGHT)
    narrow = text_tree(WORDS[script], HEADS, RELATIONS, upos=TAGS, width=20).split("\n")
    assert max(map(cell_len, narrow)) <= 20


def test_tikz_has_the_first_word_where_reading_begins(script):
    drawn = tikz_tree(WORDS[script], HEADS, RELATIONS, upos=TAGS)
    (line,) = [line for line in drawn.split("\n") if WORDS[script][0] in line]
    order = [line.index(word) for word in WORDS[script]]
    turned = script in FROM_THE_RIGHT
    assert order == sorted(order, reverse=turned)
    assert (r"\depedge{3}{4}{nsubj}" if turned else r"\depedge{2}{1}{nsubj}") in drawn
    assert (r"\deproot{3}{root}" if turned else r"\deproot{2}{root}") in drawn
    assert ("XeLaTeX" in drawn) == (script != "English")
    assert (r"\rtlword{" in drawn) == turned


SPECIAL = ["R&D", "50%", "a_b", "{x}", "#1", "\\n", "~", "^"]


@pytest.mark.parametrize("compared", [False, True])
def test_tikz_compiles(compared, tmp_path):
    heads, relations = [2, 0, 2, 2, 4, 4, 9, 8], ["nsubj:pass", "root", *["obl:a_b"] * 6]
    system = ([0, 1, 2, 4, 3, 5, 6, 1], ["root", "x", *["obl:a_b"] * 6]) if compared else None
    drawn = tikz_tree(SPECIAL, heads, relations, upos=["X"] * 8, system=system)
    assert drawn.count("edge below") == (7 if compared else 0)
    compile_latex(drawn, tmp_path, packages="tikz-dependency")


def test_tikz_of_other_scripts_compiles(script, tmp_path):
    drawn = tikz_tree(WORDS[script], HEADS, RELATIONS, upos=TAGS)
    compile_latex(drawn, tmp_path, packages="tikz-dependency,fontspec", engine="xelatex")


def test_show_draws_them(script):
    lines = "".join(
        f"{i}\t{word}\t_\t{tag}\t_\t_\t{head}\t{relation}\t_\t_\n"
        for i, (word, tag, head, relation) in enumerate(zip(WORDS[script], TAGS, HEADS, RELATIONS, strict=True), 1)
    )
    drawings = tg.show(tg.parse_conllu(f"{lines}\n"))
    turned = script in FROM_THE_RIGHT
    assert str(drawings).startswith("\u200e# 1: " if turned else "# 1: ")
    assert ('direction="rtl"' in drawings.to_svg()) == turned
    assert drawings.to_latex() == drawings.to_tikz()
