"""Arcs over and under the words of a sentence: their levels and places, drawn as SVG."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from rich.cells import cell_len

FORM, SMALL = 16, 12  # font sizes
CHARACTER = 0.6  # width of one terminal cell of text, in font sizes (a generous estimate)
GAP = 18  # between words
PORT = 7  # between arcs that meet at a word
LEVEL = 24  # between nested arcs: a line with its label above it
CORNER = 7
ARROW = 7
MARGIN = 8
_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def xml(text: str) -> str:
    """Escape a text for XML, with � for characters that XML cannot represent."""
    return escape(_NOT_XML.sub("�", text))


def number(value: float) -> str:
    """Format a coordinate, short and always in the same way."""
    return f"{value:.1f}".removesuffix(".0")


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
