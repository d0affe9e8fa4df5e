"""Dependency trees to look at: in a terminal, and as SVG.

Any heads can be drawn: what is not a tree is marked, never refused.
"""

import unicodedata
from collections.abc import Collection, Sequence

from rich.cells import cell_len, set_cell_size

from treegauge.results.errors import TreegaugeError
from treegauge.treebanks import _arcs, _branches

# Its contrast is 4.5 on white and on black alike, so that one colour serves light and dark pages.
_ACCENT = "#d2450f"
_SHORTEST_FORM = 10
_REORDERING = frozenset(["LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"])


def text_tree(
    forms: Sequence[str],
    heads: Sequence[int],
    deprels: Sequence[str],
    *,
    upos: Sequence[str] | None = None,
    width: int | None = None,
) -> str:
    """Draw a tree with one word a line, in the order of the sentence, its branches to the left.

    A head's line runs down its column past all of its dependents. Where a tree is not projective a
    branch may pass under such a line, which then shows unbroken. Branches begin with ``╶`` at a
    root, with ``?`` at a word whose head is missing or outside the sentence, and with ``↺`` at the
    leftmost word of a cycle.

    Parameters
    ----------
    forms, heads, deprels, upos
        The columns of the sentence; heads count from 1, and 0 is the root.
    width
        The most terminal cells in a line; longer forms, then branches, are cut short with ``…``.

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
    _check_lengths(forms=forms, heads=heads, deprels=deprels, upos=upos)
    columns = [column for column in (forms, upos, deprels) if column is not None]
    texts = [[_printable(text) for text in column] for column in columns]
    if width is not None and width < 1:
        raise TreegaugeError(f"width: found {width}, expected at least 1")
    widths = [max(map(cell_len, column), default=0) for column in texts]
    plan = _branches.plan([int(head) for head in heads])
    room = plan.size
    if width is not None:
        spare = width - sum(widths) - 2 * len(widths) + 1
        shorter = max(min(widths[0], _SHORTEST_FORM), widths[0] + spare - room)
        spare += widths[0] - min(widths[0], shorter)
        widths[0] = min(widths[0], shorter)
        room = min(room, max(spare, width // 2, 1))
    branches = _branches.lines(plan, room)
    lines = []
    for branch, *cells in zip(branches, *texts, strict=True):
        fitted = [_fit(text, size) for text, size in zip(cells, widths, strict=True)]
        line = f"{branch} {'  '.join(fitted)}".rstrip()
        lines.append(line if width is None else _fit(line, width).rstrip())
    return "\n".join(lines)


def svg_tree(
    forms: Sequence[str],
    heads: Sequence[int],
    deprels: Sequence[str],
    *,
    upos: Sequence[str] | None = None,
    highlight: Collection[int] | None = None,
) -> str:
    """Draw a tree as arcs above the words, in a self-contained SVG.

    Lines and texts take the colour of the text around them. An arc tells its two words on hover.

    Parameters
    ----------
    forms, heads, deprels, upos
        The columns of the sentence; heads count from 1, and 0 is the root. A head that is missing,
        outside the sentence, or the word itself gives a dashed arrow that names it.
    highlight
        Positions, from 1, of words to set off together with the arcs that lead to them.

    Returns
    -------
    str
        The SVG; same input, same bytes.

    Examples
    --------
    >>> svg = svg_tree(["Dogs", "bark"], [2, 0], ["nsubj", "root"], upos=["NOUN", "VERB"])
    >>> svg.startswith('<svg xmlns="http://www.w3.org/2000/svg" role="img"')
    True
    """
    _check_lengths(forms=forms, heads=heads, deprels=deprels, upos=upos)
    chosen = set(highlight or ())
    if outside := sorted(word for word in chosen if not 1 <= word <= len(forms)):
        raise TreegaugeError(f"highlight: found {outside}, expected positions 1 to {len(forms)}")
    arcs = [
        _arc(forms, word, int(head), relation, accent=word in chosen)
        for word, (head, relation) in enumerate(zip(heads, deprels, strict=True), 1)
    ]
    colors = [_ACCENT if word in chosen else "" for word in range(1, len(forms) + 1)]
    rows = [forms] if upos is None else [forms, upos]
    return _arcs.svg(rows, arcs, [], " ".join(forms), colors=colors)


def compare_svg(
    forms: Sequence[str],
    gold_heads: Sequence[int],
    gold_deprels: Sequence[str],
    system_heads: Sequence[int],
    system_deprels: Sequence[str],
) -> str:
    """Draw the gold tree above the words and the system's wrong arcs below them, as SVG.

    A wrong head gives a dashed arc; a right head with a wrong relation gives a dotted one.

    Examples
    --------
    >>> svg = compare_svg(["Dogs", "bark"], [2, 0], ["nsubj", "root"], [2, 0], ["obj", "root"])
    >>> "1 of 2 words wrong: Dogs bark" in svg
    True
    """
    _check_lengths(
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
    wrong = f"{len(below)} of {len(forms)} words wrong"
    legend = f"Gold above. The system below: {wrong}; dashed: head, dotted: relation only."
    return _arcs.svg([forms], above, below, f"{wrong}: {' '.join(forms)}", legend=legend)


def _check_lengths(**columns: Sequence[object] | None) -> None:
    lengths = {name: len(column) for name, column in columns.items() if column is not None}
    if len(set(lengths.values())) > 1:
        found = ", ".join(f"{length} {name}" for name, length in lengths.items())
        raise TreegaugeError(f"found {found}; expected as many of each as there are words")


def _arc(
    forms: Sequence[str],
    word: int,
    head: int,
    relation: str,
    *,
    accent: bool = False,
    dash: str = "",
) -> _arcs.Arc:
    inside = 1 <= head <= len(forms) and head != word
    label = relation if inside or head == 0 else f"{relation} → {head if head >= 0 else '?'}"
    return _arcs.Arc(
        word=word,
        head=head if inside else None,
        label=label,
        tooltip=f"{forms[head - 1] if inside else '·'} → {forms[word - 1]}: {relation}",
        color=_ACCENT if accent else "",
        dash=dash if inside or head == 0 else dash or "7 4",
        width=2 if accent else 1.3,
    )


def _printable(text: str) -> str:
    """Show characters that move the cursor or turn the line around as �."""
    return "".join(
        "�"
        if unicodedata.category(character) in {"Cc", "Cs", "Zl", "Zp"}
        or unicodedata.bidirectional(character) in _REORDERING
        else character
        for character in text
    )


def _fit(text: str, width: int) -> str:
    if cell_len(text) > width:
        return set_cell_size(text, width - 1) + "…"
    return set_cell_size(text, width)
