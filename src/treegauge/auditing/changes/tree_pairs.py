"""Trees of one sentence in two versions, side by side in the terminal or together as SVG."""

from collections.abc import Sequence
from html import escape
from itertools import zip_longest

import numpy as np
from rich.cells import cell_len, set_cell_size

from treegauge.auditing.changes.word_pairs import WordPairs
from treegauge.treebanks.data.sentence import Sentence
from treegauge.treebanks.drawing.svg import compare_svg, svg_tree

_MARK, _SAME = "*", " "
_GAP = "  "


def changed_sentences(pairs: WordPairs, columns: Sequence[str] = ("form", "upos", "deprel")) -> list[int]:
    """Return the old sentences whose partner differs in words, heads or other columns."""
    differing = pairs.head_changed.copy()
    for column in columns:
        old, new, _ = pairs.codes(column)
        differing |= old != new
    changed = np.zeros(len(pairs.old), np.bool_)
    changed[pairs.old.sentence_of[pairs.old_words[differing]]] = True
    changed |= ~pairs.same_words
    return np.flatnonzero(changed & (pairs.sentences.to_new >= 0)).tolist()


def _versions(pairs: WordPairs, number: int) -> tuple[Sentence, Sentence]:
    return pairs.old[number], pairs.new[int(pairs.sentences.to_new[number])]


def text_pair(pairs: WordPairs, number: int, width: int | None = None) -> str:
    """Draw both trees of an old sentence side by side, or one above the other if that is too wide.

    A star marks words whose head, relation or tag changed; words without a partner are marked, too.
    """
    versions = _versions(pairs, number)
    marks = _marks(pairs, versions)
    trees = [
        [f"{mark} {line}" for mark, line in zip(own, one.drawn().split("\n"), strict=True)]
        for own, one in zip(marks, versions, strict=True)
    ]
    left = max([len("old"), *map(cell_len, trees[0])])
    right = max([len("new"), *map(cell_len, trees[1])])
    if width is not None and left + len(_GAP) + right > width:
        return "\n".join(["old", *trees[0], "new", *trees[1]])
    lines = [("old", "new"), *_rows(pairs, versions, trees)]
    return "\n".join(f"{set_cell_size(one, left)}{_GAP}{two}".rstrip() for one, two in lines)


def _marks(pairs: WordPairs, versions: tuple[Sentence, Sentence]) -> tuple[list[str], list[str]]:
    old, new = versions
    start, stop = pairs.old.offsets[old.number], pairs.old.offsets[old.number + 1]
    other = pairs.new.offsets[new.number]
    marks = [_MARK] * len(old), [_MARK] * len(new)
    own = slice(*np.searchsorted(pairs.old_words, (start, stop)).tolist())
    differing = pairs.head_changed[own].copy()
    for column in ("upos", "deprel"):
        before, after, _ = pairs.codes(column)
        differing |= before[own] != after[own]
    for word, partner, changed in zip(pairs.old_words[own], pairs.new_words[own], differing, strict=True):
        marks[0][word - start] = marks[1][partner - other] = _MARK if changed else _SAME
    return marks


def _rows(pairs: WordPairs, versions: tuple[Sentence, Sentence], trees: list[list[str]]) -> list[tuple[str, str]]:
    """Return the lines of both trees, with partners next to each other."""
    old, new = versions
    start, stop = pairs.old.offsets[old.number], pairs.old.offsets[old.number + 1]
    other = int(pairs.new.offsets[new.number])
    partners = (pairs.to_new[start:stop] - other).tolist()
    known = [(i, j) for i, j in enumerate(partners) if 0 <= j < len(new)]
    rows: list[tuple[str, str]] = []
    at, there = 0, 0
    for i, j in [*known, (len(old), len(new))]:
        if j < there:  # an order that lines cannot show
            continue
        rows += zip_longest(trees[0][at:i], trees[1][there:j], fillvalue="")
        rows += [(trees[0][i], trees[1][j])] if i < len(old) else []
        at, there = i + 1, j + 1
    return rows


def svg_pair(pairs: WordPairs, number: int) -> str:
    """Draw both trees of an old sentence as SVG: in one drawing if the words are the same."""
    old, new = _versions(pairs, number)
    heads = old.head.tolist(), new.head.tolist()
    if pairs.same_words[number]:
        return compare_svg(
            old.form, heads[0], old.deprel, heads[1], new.deprel, names=("Old", "New"), verdict="changed"
        )
    drawings = [
        f"<figcaption>{name}</figcaption>{svg_tree(one.form, own, one.deprel, upos=one.upos)}"
        for name, one, own in zip(("Old", "New"), (old, new), heads, strict=True)
    ]
    return "".join(drawings)


def html_pair(pairs: WordPairs, number: int) -> str:
    """Return both trees as a figure with the sentence's id and text."""
    old, _ = _versions(pairs, number)
    title = escape(f"{old.id or number + 1}: {old.text}")
    return f'<figure dir="auto"><p>{title}</p>{svg_pair(pairs, number)}</figure>'
