"""Dependency trees drawn in a terminal.

Any heads can be drawn: heads that do not form a tree are marked, never refused. A word with
dependents has a vertical line, in the first free column to the right of its head's. Every column is
two cells wide.
"""

import unicodedata
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from rich.cells import cell_len, set_cell_size

from treegauge.core.errors import CONTROLS, TreegaugeError

_SHORTEST_FORM = 10
ROOT, LOOSE, CYCLE = "╶", "?", "↺"


def text_tree(
    forms: Sequence[str],
    heads: Sequence[int],
    deprels: Sequence[str],
    *,
    upos: Sequence[str] | None = None,
    width: int | None = None,
) -> str:
    """Draw a tree with one word per line, in the order of the sentence, its branches to the left.

    A head's line runs down its column past all of its dependents. In a non-projective tree, a
    branch may pass under such a line, which is then drawn unbroken. Branches begin with ``╶`` at a
    root, with ``?`` at a word whose head is missing or outside the sentence, and with ``↺`` at the
    leftmost word of a cycle.

    Parameters
    ----------
    forms, heads, deprels, upos
        The columns of the sentence; heads count from 1, and 0 is the root.
    width
        Maximum width of a line in terminal cells; longer forms, then branches, are cut short with
        ``…``.

    Returns
    -------
    str
        The lines, without a final line break.

    Examples
    --------
    >>> print(text_tree("A hearing is scheduled on the issue today".split(),
    ...                 [2, 4, 4, 0, 7, 7, 2, 4],
    ...                 "det nsubj:pass aux:pass root case det nmod obl".split()))
        ╭╴   A          det
      ╭─┤    hearing    nsubj:pass
      ├╴│    is         aux:pass
    ╶─┤ │    scheduled  root
      │ │ ╭╴ on         case
      │ │ ├╴ the        det
      │ ╰─╯  issue      nmod
      ╰╴     today      obl
    """
    check_lengths(forms=forms, heads=heads, deprels=deprels, upos=upos)
    columns = [column for column in (forms, upos, deprels) if column is not None]
    texts = [[_printable(text) for text in column] for column in columns]
    if width is not None and width < 1:
        raise TreegaugeError(f"width: found {width}, expected at least 1")
    widths = [max(map(cell_len, column), default=0) for column in texts]
    layout = branch_layout([int(head) for head in heads])
    room = layout.size
    if width is not None:
        spare = width - sum(widths) - 2 * len(widths) + 1
        shorter = max(min(widths[0], _SHORTEST_FORM), widths[0] + spare - room)
        spare += widths[0] - min(widths[0], shorter)
        widths[0] = min(widths[0], shorter)
        room = min(room, max(spare, width // 2, 1))
    branches = _lines(layout, room)
    lines = []
    for branch, *cells in zip(branches, *texts, strict=True):
        fitted = [_fit(text, size) for text, size in zip(cells, widths, strict=True)]
        line = f"{branch} {'  '.join(fitted)}".rstrip()
        line = line if width is None else _fit(line, width).rstrip()
        lines.append(kept_left_to_right(line))
    return "\n".join(lines)


def check_lengths(**columns: Sequence[object] | None) -> None:
    """Refuse columns of different lengths."""
    lengths = {name: len(column) for name, column in columns.items() if column is not None}
    if len(set(lengths.values())) > 1:
        counts = ", ".join(f"{length} {name}" for name, length in lengths.items())
        raise TreegaugeError(f"found {counts}; expected one of each per word")


def _printable(text: str) -> str:
    """Replace characters that move the cursor or reverse the line by �."""
    return CONTROLS.sub("�", text)


def _fit(text: str, width: int) -> str:
    if cell_len(text) > width:
        return set_cell_size(text, width - 1) + "…"
    return set_cell_size(text, width)


class Branches(NamedTuple):
    """The layout; lists are indexed by position from 1."""

    heads: list[int]
    order: list[int]
    """Words, heads before dependents."""
    dependents: list[list[int]]
    marks: dict[int, str]
    """Beginnings of branches without a head."""
    column: list[int]
    """Columns of the vertical lines; 0 for words without one."""
    size: int
    """Total width in cells."""


def branch_layout(heads: list[int]) -> Branches:
    """Assign columns to vertical lines so that no two overlap."""
    order, dependents, marks = _from_the_top(heads)
    column = [0] * (len(heads) + 1)
    taken: list[list[tuple[int, int]]] = [[]]
    for word in order:
        if not dependents[word]:
            continue
        span = _span(word, dependents[word])
        place = (0 if word in marks else column[heads[word - 1]]) + 1
        while place < len(taken) and not _is_free(taken[place], span):
            place += 1
        if place == len(taken):
            taken.append([])
        taken[place].insert(bisect_left(taken[place], span), span)
        column[word] = place
    return Branches([0, *heads], order, dependents, marks, column, 2 * len(taken))


def _lines(plan: Branches, room: int) -> list[str]:
    """Draw the first ``room`` cells, with … if a part of the word's branch is left out."""
    rows = [[" "] * room for _ in plan.order]
    cut = set()

    def put(word: int, cell: int, glyph: str) -> None:
        row = rows[word - 1]
        if cell >= room:
            cut.add(word)
        elif row[cell] == " ":
            row[cell] = glyph

    for word in plan.order:
        cell = 2 * plan.column[word]
        if not cell:
            continue
        first, last = _span(word, plan.dependents[word])
        put(word, cell, "╮" if word == first else "╯" if word == last else "┤")
        for dependent in plan.dependents[word]:
            put(dependent, cell, "╭" if dependent == first else "╰" if dependent == last else "├")
        for between in range(first + 1, last if cell < room else 0):
            put(between, cell, "│")
    for word in plan.order:
        if word in plan.marks:
            put(word, 0, plan.marks[word])
            begin = 1
        else:
            begin = 2 * plan.column[plan.heads[word]] + 1
        end = 2 * plan.column[word]
        put(word, begin, "─" if end else "╴")
        for cell in range(begin + 1, min(end, room)):
            put(word, cell, "─")
    for word in cut:
        rows[word - 1][-1] = "…"
    return ["".join(row) for row in rows]


def _span(word: int, dependents: list[int]) -> tuple[int, int]:
    return min(word, dependents[0]), max(word, dependents[-1])


def _is_free(taken: list[tuple[int, int]], span: tuple[int, int]) -> bool:
    """Whether no line in a column (sorted and disjoint) shares a row with a span."""
    after = bisect_left(taken, span)
    if after < len(taken) and taken[after][0] <= span[1]:
        return False
    return after == 0 or taken[after - 1][1] < span[0]


def _from_the_top(heads: list[int]) -> tuple[list[int], list[list[int]], dict[int, str]]:
    """Return words with heads first, their dependents, and the marks of words without a head.

    Each cycle is entered at its leftmost word, which then is not a dependent of any word.
    """
    count = len(heads)
    dependents: list[list[int]] = [[] for _ in range(count + 1)]
    marks: dict[int, str] = {}
    for word, head in enumerate(heads, 1):
        if 1 <= head <= count:
            dependents[head].append(word)
        else:
            marks[word] = ROOT if head == 0 else LOOSE
    order = _descend(sorted(marks), dependents)
    reached = set(order)
    for candidate in range(1, count + 1):
        if candidate in reached:
            continue
        walk: dict[int, int] = {}
        word = candidate
        while word not in walk:
            walk[word] = len(walk)
            word = heads[word - 1]
        first = min(list(walk)[walk[word] :])  # of the words on the cycle that heads lead to
        marks[first] = CYCLE
        dependents[heads[first - 1]].remove(first)
        component = _descend([first], dependents)
        order += component
        reached.update(component)
    return order, dependents, marks


def _descend(tops: list[int], dependents: list[list[int]]) -> list[int]:
    """Traverse the tree from these words, dependents with the shortest line first.

    Lines placed early are on the left, where a short line blocks fewer branches: in Latin,
    Hungarian and Old Church Slavonic trees 45 branches pass under a line, against 216 in sentence
    order.
    """

    def length(word: int) -> int:
        first, last = _span(word, dependents[word] or [word])
        return last - first

    order = []
    waiting = sorted(tops, key=length, reverse=True)
    while waiting:
        word = waiting.pop()
        order.append(word)
        waiting += sorted(dependents[word], key=length, reverse=True)
    return order


_LEFT_TO_RIGHT_MARK = "\u200e"
_ISOLATE, _POP = "\u2068", "\u2069"
_STRONG = frozenset({"R", "AL"})


def _letters(text: str) -> tuple[int, int]:
    """Count characters that are written from the right and from the left."""
    kinds = [unicodedata.bidirectional(character) for character in text]
    return sum(kind in _STRONG for kind in kinds), kinds.count("L")


def is_right_to_left(texts: Iterable[str]) -> bool:
    """Whether most letters are of a script that is written from right to left.

    Examples
    --------
    >>> is_right_to_left(["שלום", "PDF"]), is_right_to_left(["hello", "سلام", "2021"])
    (True, False)
    """
    right, left = map(sum, zip((0, 0), *map(_letters, texts), strict=True))
    return right > left


def has_right_to_left(text: str) -> bool:
    """Whether some character of a text is written from right to left."""
    return not text.isascii() and _letters(text)[0] > 0


def kept_left_to_right(line: str) -> str:
    """Keep a terminal from turning a line around because it has an Arabic or Hebrew word."""
    return _LEFT_TO_RIGHT_MARK + line if has_right_to_left(line) else line


def isolated(text: str) -> str:
    """Keep a word of another direction from moving the text around it."""
    return f"{_ISOLATE}{text}{_POP}" if has_right_to_left(text) else text
