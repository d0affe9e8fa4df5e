"""Dependency trees drawn as SVG, alone or with a system's incorrect arcs below the words.

Any heads can be drawn: heads that do not form a tree are marked, never refused.
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from html import escape

from rich.cells import cell_len

from treegauge.core.errors import TreegaugeError
from treegauge.treebanks.text_trees import check_lengths, has_right_to_left, is_right_to_left, isolated

CHARACTER = 0.6  # width of one terminal cell of text, in font sizes (a generous estimate)
GAP = 18  # between words
PORT = 7  # between arcs that meet at a word
LEVEL = 24  # between nested arcs: a line with its label above it
CORNER = 7
ARROW = 7
MARGIN = 8


_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


@dataclass(frozen=True)
class Arc:
    """One word's arc to be drawn; without a head in the sentence it has no start."""

    word: int
    head: int | None
    label: str
    tooltip: str
    color: str = ""
    dash: str = ""
    width: float = 1.3

    @property
    def left(self) -> int:
        """The first of the two words joined."""
        return self.word if self.head is None else min(self.word, self.head)

    @property
    def right(self) -> int:
        """The second of the two words joined."""
        return self.word if self.head is None else max(self.word, self.head)


@dataclass(frozen=True)
class ArcSide:
    """The arcs on one side of the words: levels, and end points on the words.

    ``ports[i]`` is where arc ``i`` ends on the words to its left and right, from their middles.
    """

    arcs: Sequence[Arc]
    level: list[int]
    ports: list[tuple[float, float]]


# Its contrast is 4.5 on both white and black, so that it suits light and dark pages.
_ACCENT = "#d2450f"


def svg_tree(
    forms: Sequence[str],
    heads: Sequence[int],
    deprels: Sequence[str],
    *,
    upos: Sequence[str] | None = None,
    highlight: Collection[int] | None = None,
) -> str:
    """Draw a tree as arcs above the words, in a self-contained SVG.

    Lines and texts take the colour of the text around them. An arc shows its two words on hover.

    Parameters
    ----------
    forms, heads, deprels, upos
        The columns of the sentence; heads count from 1, and 0 is the root. A head that is missing,
        outside the sentence, or the word itself gives a dashed arrow that names it.
    highlight
        Positions, from 1, of words to highlight together with their arcs.

    Returns
    -------
    str
        The SVG; the same input gives the same bytes.

    Examples
    --------
    >>> svg = svg_tree(["Dogs", "bark"], [2, 0], ["nsubj", "root"], upos=["NOUN", "VERB"])
    >>> svg.startswith('<svg xmlns="http://www.w3.org/2000/svg" role="img"')
    True
    """
    check_lengths(forms=forms, heads=heads, deprels=deprels, upos=upos)
    chosen = set(highlight or ())
    if outside := sorted(word for word in chosen if not 1 <= word <= len(forms)):
        raise TreegaugeError(f"highlight: found {outside}, expected positions 1 to {len(forms)}")
    arcs = [
        _arc(forms, word, int(head), relation, accent=word in chosen)
        for word, (head, relation) in enumerate(zip(heads, deprels, strict=True), 1)
    ]
    colors = [_ACCENT if word in chosen else "" for word in range(1, len(forms) + 1)]
    rows = [forms] if upos is None else [forms, upos]
    return _svg(rows, arcs, [], " ".join(forms), colors=colors)


def stacked_svg(drawings: Sequence[str]) -> str:
    """Return one SVG with the drawings one below the other; a single drawing stays unchanged."""
    if len(drawings) == 1:
        return drawings[0]
    sizes = [re.search(r'width="([\d.]+)" height="([\d.]+)"', svg) for svg in drawings]
    wide = max(float(size[1]) for size in sizes if size)
    parts, top = [], 0.0
    for drawing, size in zip(drawings, sizes, strict=True):
        parts.append(drawing.replace("<svg ", f'<svg y="{number(top)}" ', 1))
        top += float(size[2]) if size else 0.0
    width, height = number(wide), number(top)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" width="{width}" height="{height}" '
        f'viewBox="0 0 {width} {height}">{"".join(parts)}</svg>'
    )


def compare_svg(
    forms: Sequence[str],
    gold_heads: Sequence[int],
    gold_deprels: Sequence[str],
    system_heads: Sequence[int],
    system_deprels: Sequence[str],
) -> str:
    """Draw the gold tree above the words and the system's incorrect arcs below them, as SVG.

    An incorrect head gives a dashed arc; a correct head with an incorrect relation a dotted one.

    Examples
    --------
    >>> svg = compare_svg(["Dogs", "bark"], [2, 0], ["nsubj", "root"], [2, 0], ["obj", "root"])
    >>> "1 of 2 words incorrect: Dogs bark" in svg
    True
    """
    system = {"system_heads": system_heads, "system_deprels": system_deprels}
    check_lengths(forms=forms, gold_heads=gold_heads, gold_deprels=gold_deprels, **system)
    above, below = [], []
    for word, (gold_head, gold_relation, head, relation) in enumerate(
        zip(gold_heads, gold_deprels, system_heads, system_deprels, strict=True), 1
    ):
        above.append(_arc(forms, word, int(gold_head), gold_relation))
        if head != gold_head or relation != gold_relation:
            dash = "7 4" if head != gold_head else "1.5 3"
            below.append(_arc(forms, word, int(head), relation, accent=True, dash=dash))
    count = f"{len(below)} of {len(forms)} words incorrect"
    legend = f"Gold above. The system below: {count}; dashed: head, dotted: relation only."
    return _svg([forms], above, below, f"{count}: {' '.join(forms)}", legend=legend)


def _arc(forms: Sequence[str], word: int, head: int, relation: str, *, accent: bool = False, dash: str = "") -> Arc:
    inside = 1 <= head <= len(forms) and head != word
    label = relation if inside or head == 0 else f"{relation} → {head if head >= 0 else '?'}"
    return Arc(
        word=word,
        head=head if inside else None,
        label=label,
        tooltip=f"{isolated(forms[head - 1]) if inside else '·'} → {isolated(forms[word - 1])}: {relation}",
        color=_ACCENT if accent else "",
        dash=dash if inside or head == 0 else dash or "7 4",
        width=2 if accent else 1.3,
    )


def _mirrored(arc: Arc, words: int) -> Arc:
    head = None if arc.head is None else words + 1 - arc.head
    return replace(arc, word=words + 1 - arc.word, head=head)


def _svg(
    rows: Sequence[Sequence[str]],
    above: Sequence[Arc],
    below: Sequence[Arc],
    title: str,
    *,
    colors: Sequence[str] = (),
    legend: str = "",
) -> str:
    """Return the SVG of words (rows of texts) between the arcs above and below them.

    If most words are written from right to left, the first word is on the right.
    """
    if is_right_to_left(rows[0]):
        rows, colors = [list(reversed(row)) for row in rows], list(reversed(colors))
        above, below = ([_mirrored(arc, len(rows[0])) for arc in arcs] for arcs in (above, below))
    widths = [max(text_width(text, FORM) for text in column) for column in zip(*rows, strict=True)]
    sides = [side(above, widths), side(below, widths)]
    x = middles(widths, sides)
    stubs = [arc for arc in (*above, *below) if arc.head is None]
    overhang = [text_width(arc.label, SMALL) / 2 - x[arc.word - 1] for arc in stubs]
    shift = max([0.0, *(MARGIN + over for over in overhang)])
    x = [middle + shift for middle in x]
    tall = [max(arc_side.level, default=0) * LEVEL + (SMALL + 4 if arc_side.arcs else 0) for arc_side in sides]
    ceiling = MARGIN + tall[0]
    floor = ceiling + FORM * 1.5 + (len(rows) - 1) * SMALL * 1.3
    right = max(
        [MARGIN, *(middle + width / 2 for middle, width in zip(x, widths, strict=True))]
        + [x[a.word - 1] + text_width(a.label, SMALL) / 2 for a in stubs]
        + [MARGIN + text_width(legend, SMALL)]
    )
    parts = svg_side(sides[0], x, ceiling, -1) + svg_side(sides[1], x, floor, 1)
    for line, row in enumerate(rows):
        y = number(ceiling + FORM * 1.1 + line * SMALL * 1.3)
        size = f' font-size="{SMALL}" opacity="0.7"' if line else ""
        for word, text in enumerate(row):
            color = colors[word] if colors and not line else ""
            style = f' color="{color}" font-weight="bold"' if color else ""
            style += ' direction="rtl"' if has_right_to_left(text) else ""
            parts.append(f'<text x="{number(x[word])}" y="{y}" fill="currentColor"{size}{style}>{xml(text)}</text>')
    bottom = floor + tall[1] + MARGIN
    if legend:
        bottom += SMALL * 1.5
        parts.append(
            f'<text x="{MARGIN}" y="{number(bottom - MARGIN)}" font-size="{SMALL}" '
            f'text-anchor="start" fill="currentColor" opacity="0.7">{xml(legend)}</text>'
        )
    width, height = number(right + MARGIN), number(bottom)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" width="{width}" height="{height}" '
        f'viewBox="0 0 {width} {height}" font-family="system-ui, sans-serif" '
        f'font-size="{FORM}" text-anchor="middle">'
        f"<title>{xml(title)}</title>{''.join(parts)}</svg>"
    )


FORM, SMALL = 16, 12  # font sizes


def xml(text: str) -> str:
    """Escape a text for XML, with � for characters that XML cannot represent."""
    return escape(_NOT_XML.sub("�", text))


def number(value: float) -> str:
    """Format a coordinate, short and always in the same way."""
    return f"{value:.1f}".removesuffix(".0")


def side(arcs: Sequence[Arc], widths: list[float]) -> ArcSide:
    """Return the layout of one side; the ends of arcs at the same word do not touch.

    No two arcs over the same gap have the same height: short arcs are low, long ones above them,
    and arcs without a head above all arcs next to them. On a word, from left to right, end its arcs
    to the left (inner ones first), an arc without a head, and its arcs to the right (outer ones
    first). ``widths`` grow if a word needs more room.
    """
    height = [0] * (len(widths) + 1)  # over the gap before word 1, after word 1, ...
    level = [0] * len(arcs)
    for index, arc in sorted(
        enumerate(arcs), key=lambda one: (one[1].head is None, one[1].right - one[1].left, one[0])
    ):
        first, last = (arc.left - 1, arc.right + 1) if arc.head is None else (arc.left, arc.right)
        level[index] = 1 + max(height[first:last])
        height[first:last] = [level[index]] * (last - first)
    ends: list[list[tuple[int, int, int]]] = [[] for _ in widths]
    for index, arc in enumerate(arcs):
        if arc.head is None:
            ends[arc.word - 1].append((1, 0, index))
        else:
            ends[arc.left - 1].append((2, -level[index], index))
            ends[arc.right - 1].append((0, level[index], index))
    left, right = [0.0] * len(arcs), [0.0] * len(arcs)
    for word, meeting in enumerate(ends):
        steps = max(len(meeting) - 1, 1)
        widths[word] = max(widths[word], min(steps, 8) * PORT)
        space = min(PORT, widths[word] / steps)
        for place, (where, _, index) in enumerate(sorted(meeting)):
            offset = (place - (len(meeting) - 1) / 2) * space
            if where > 0:
                left[index] = offset
            if where < 2:
                right[index] = offset
    return ArcSide(arcs, level, list(zip(left, right, strict=True)))


def middles(widths: list[float], sides: Sequence[ArcSide]) -> list[float]:
    """Return the middle of each word, with enough distance for the words and all labels."""
    room: list[list[tuple[int, float]]] = [[] for _ in widths]
    for arc_side in sides:
        for arc, (left, right) in zip(arc_side.arcs, arc_side.ports, strict=True):
            if arc.head is not None:
                need = text_width(arc.label, SMALL) + 2 * CORNER + left - right
                room[arc.right - 1].append((arc.left - 1, need))
    x: list[float] = []
    for word, width in enumerate(widths):
        here = x[-1] + (widths[word - 1] + width) / 2 + GAP if x else MARGIN + width / 2
        x.append(max([here, *(x[left] + need for left, need in room[word])]))
    return x


def text_width(text: str, size: float) -> float:
    """Return the estimated width of a text, since fonts are unknown here."""
    return cell_len(text) * CHARACTER * size


def svg_side(arc_side: ArcSide, x: list[float], base: float, up: int) -> list[str]:
    """Draw one side's arcs on a base line, upwards (``up = -1``) or downwards (``up = 1``)."""
    spots = [
        (x[arc.left - 1] + left, x[arc.right - 1] + right)
        for arc, (left, right) in zip(arc_side.arcs, arc_side.ports, strict=True)
    ]
    feet = sorted(
        (foot, level)
        for arc, spot, level in zip(arc_side.arcs, spots, arc_side.level, strict=True)
        for foot in (spot[:1] if arc.head is None else spot)
    )
    drawn = []
    for arc, (start, stop), level in zip(arc_side.arcs, spots, arc_side.level, strict=True):
        top = base + up * level * LEVEL
        foot = start if arc.word == arc.left else stop
        label = foot if arc.head is None else _clear_middle(start, stop, level, feet)
        tip = base + up * 2
        neck = tip + up * ARROW
        if arc.head is None:
            line = f"M{number(foot)} {number(top)}V{number(neck)}"
        else:
            corner = min(CORNER, (stop - start) / 2)
            bend = number(top - up * corner)
            ends = [number(neck if foot == spot else tip) for spot in (start, stop)]
            line = (
                f"M{number(start)} {ends[0]}V{bend}"
                f"Q{number(start)} {number(top)} {number(start + corner)} {number(top)}"
                f"H{number(stop - corner)}"
                f"Q{number(stop)} {number(top)} {number(stop)} {bend}V{ends[1]}"
            )
        head = f"M{number(foot - ARROW / 2)} {number(neck)}H{number(foot + ARROW / 2)}L{number(foot)} {number(tip)}Z"
        color = f' color="{arc.color}"' if arc.color else ""
        dash = f' stroke-dasharray="{arc.dash}"' if arc.dash else ""
        below = number(top - 4 if up < 0 else top + SMALL)
        drawn.append(
            f"<g{color}><title>{xml(arc.tooltip)}</title>"
            f'<path d="{line}" fill="none" stroke="currentColor" stroke-width="{arc.width}"{dash}/>'
            f'<path d="{head}" fill="currentColor"/>'
            f'<text x="{number(label)}" y="{below}" font-size="{SMALL}" fill="currentColor">'
            f"{xml(arc.label)}</text></g>"
        )
    return drawn


def _clear_middle(start: float, stop: float, level: int, feet: list[tuple[float, int]]) -> float:
    """Return the middle of the widest part of an arc without crossing arcs."""
    first, last = bisect_right(feet, (start, level)), bisect_left(feet, (stop, level))
    inside = [foot for foot, other in feet[first:last] if other > level]
    stretches = zip([start, *inside], [*inside, stop], strict=True)
    begin, end = max(stretches, key=lambda pair: round(pair[1] - pair[0], 3))
    return (begin + end) / 2
