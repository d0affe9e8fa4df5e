r"""Dependency trees for LaTeX, drawn by the package tikz-dependency.

Any heads can be drawn: a head that is missing or outside the sentence gives a dashed arrow.
"""

from collections.abc import Sequence

from treegauge.core.tables import latex
from treegauge.treebanks.text_trees import check_lengths, has_right_to_left, is_right_to_left

#: Last character that pdfLaTeX typesets without further packages: Latin Extended-A.
_LAST_LATIN = "\u017f"
_PUNCTUATION = frozenset("‘’“”„–—…«»")
_OTHER_FONTS = (
    "% compile with XeLaTeX and a font that has these characters, such as\n"
    "% \\usepackage{fontspec} \\setmainfont{Noto Serif CJK SC} (Chinese), "
    "{Noto Naskh Arabic}[Script=Arabic]"
)
_FROM_THE_RIGHT = (
    "% written from right to left: the first word is on the right; XeLaTeX turns words by itself,\n"
    "% for other programs define \\rtlword before this\n"
    "\\providecommand{\\rtlword}[1]{#1}"
)


def tikz_tree(
    forms: Sequence[str],
    heads: Sequence[int],
    deprels: Sequence[str],
    *,
    upos: Sequence[str] | None = None,
    system: tuple[Sequence[int], Sequence[str]] | None = None,
) -> str:
    r"""Return a ``dependency`` environment of tikz-dependency.

    Parameters
    ----------
    forms, heads, deprels, upos
        The columns of the sentence; heads count from 1, and 0 is the root.
    system
        A system's heads and relations: its incorrect arcs are drawn below the words.

    Examples
    --------
    >>> print(tikz_tree(["Dogs", "bark"], [2, 0], ["nsubj", "root"]))
    % \usepackage{tikz-dependency}
    \begin{dependency}
    \begin{deptext}[column sep=0.8em]
    Dogs \& bark \\
    \end{deptext}
    \depedge{2}{1}{nsubj}
    \deproot{2}{root}
    \end{dependency}
    """
    check_lengths(forms=forms, heads=heads, deprels=deprels, upos=upos)
    number, turned = len(forms), is_right_to_left(forms)
    columns = range(number, 0, -1) if turned else range(1, number + 1)
    rows = [[_word(forms[word - 1]) for word in columns]]
    if upos is not None:
        rows.append([rf"\textsc{{{_text(upos[word - 1].lower())}}}" for word in columns])
    arcs = [
        _arc(word, int(head), relation, number, turned)
        for word, (head, relation) in enumerate(zip(heads, deprels, strict=True), 1)
    ]
    if system is not None:
        check_lengths(forms=forms, system_heads=system[0], system_deprels=system[1])
        for word, (head, relation) in enumerate(zip(*system, strict=True), 1):
            if head != heads[word - 1] or relation != deprels[word - 1]:
                dash = "dashed" if head != heads[word - 1] else "dotted"
                style = f"edge below, edge style={{{dash}, red!70!black}}"
                arcs.append(_arc(word, int(head), relation, number, turned, style))
    lines = [r"% \usepackage{tikz-dependency}"]
    if any(character > _LAST_LATIN for character in set("".join(forms)) - _PUNCTUATION):
        lines.append(_OTHER_FONTS)
    if turned or any(map(has_right_to_left, forms)):
        lines.append(_FROM_THE_RIGHT)
    lines += [r"\begin{dependency}", r"\begin{deptext}[column sep=0.8em]"]
    lines += [" \\& ".join(row) + r" \\" for row in rows]
    return "\n".join([*lines, r"\end{deptext}", *arcs, r"\end{dependency}"])


def _text(text: str) -> str:
    r"""Escape for LaTeX; in ``deptext``, ``\&`` would begin a new column."""
    return latex(text).replace(r"\&", r"\symbol{38}")


def _word(text: str) -> str:
    return rf"\rtlword{{{_text(text)}}}" if has_right_to_left(text) else _text(text)


def _arc(word: int, head: int, relation: str, number: int, turned: bool, style: str = "") -> str:
    """Return the command for one arc; positions are mirrored for text from right to left."""

    def place(position: int) -> int:
        return number + 1 - position if turned else position

    label = _text(relation)
    if 1 <= head <= number and head != word:
        options = f"[{style}]" if style else ""
        return rf"\depedge{options}{{{place(head)}}}{{{place(word)}}}{{{label}}}"
    if head != 0:
        style, label = style or "edge style={dashed}", f"{label} ?"
    return rf"\deproot{f'[{style}]' if style else ''}{{{place(word)}}}{{{label}}}"
