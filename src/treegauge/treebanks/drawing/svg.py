"""Dependency trees drawn as SVG, alone or with a system's incorrect arcs below the words.

Any heads can be drawn: heads that do not form a tree are marked, never refused.
"""

import re
from collections.abc import Collection, Sequence
from dataclasses import replace

from treegauge.core.errors import TreegaugeError
from treegauge.treebanks.drawing.svg_arcs import (
    FORM,
    LEVEL,
    MARGIN,
    SMALL,
    Arc,
    middles,
    number,
    side,
    svg_side,
    text_width,
    xml,
)
from treegauge.treebanks.drawing.text_trees import check_lengths
from treegauge.treebanks.drawing.writing_direction import has_right_to_left, is_right_to_left, isolated

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
    *,
    names: tuple[str, str] = ("Gold", "The system"),
    verdict: str = "incorrect",
) -> str:
    """Draw the gold tree above the words and the system's incorrect arcs below them, as SVG.

    An incorrect head gives a dashed arc; a correct head with an incorrect relation a dotted one.
    For trees other than gold and system, `names` and `verdict` are the words of the legend.

    Examples
    --------
    >>> svg = compare_svg(["Dogs", "bark"], [2, 0], ["nsubj", "root"], [2, 0], ["obj", "root"])
    >>> "1 of 2 words incorrect: Dogs bark" in svg
    True
    """
    check_lengths(
        forms=forms,
        gold_heads=gold_heads,
        gold_deprels=gold_deprels,
        system_heads=system_heads,
        system_deprels=system_deprels,
    )
    above, below = [], []
    for word, (gold_head, gold_relation, head, relation) in enumerate(
        zip(gold_heads, gold_deprels, system_heads, system_deprels, strict=True), 1
    ):
        above.append(_arc(forms, word, int(gold_head), gold_relation))
        if head != gold_head or relation != gold_relation:
            dash = "7 4" if head != gold_head else "1.5 3"
            below.append(_arc(forms, word, int(head), relation, accent=True, dash=dash))
    count = f"{len(below)} of {len(forms)} words {verdict}"
    legend = f"{names[0]} above. {names[1]} below: {count}; dashed: head, dotted: relation only."
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
