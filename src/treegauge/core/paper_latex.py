"""Tables for papers in LaTeX: plain, as a longtable, or fitted to the columns of ACL and LREC papers."""

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Literal, get_args

from treegauge.core.errors import ChoiceError, one_line
from treegauge.core.tables import latex

if TYPE_CHECKING:
    from treegauge.core.paper_tables import PaperCell, PaperRow, PaperTable

Style = Literal["plain", "acl", "lrec"]
#: Maximum number of lines of scores and intervals in one panel, or in a table that is not a longtable.
MOST_ROWS = 45
#: Font sizes to try, in points: first in one column, then over both.
_SIZES = {r"\small": 9.0, r"\footnotesize": 8.0, r"\scriptsize": 7.0}
_GAP = 4.0
_MARKS = {
    "†": r"\textsuperscript{\dag}", "‡": r"\textsuperscript{\ddag}", "–": "--", "≤": r"$\leq$", "±": r"$\pm$",
}  # fmt: skip
#: Characters that pdfLaTeX does not have in the encoding T1.
_FOREIGN = re.compile(
    "[^\x00-\x7f\u00a1-\u0125\u0128-\u0137\u0139-\u013e\u0141-\u0148\u014a-\u0165\u0168-\u017e–‘’“”]+"
)


#: Widths of a column and of the page in points, and of a character relative to the font size, bold digits included.
#: Both have columns of 7.7 cm; LREC sets text in Arial, which is wider than Times.
_PAPERS = {"acl": (219.0, 455.0, 0.56), "lrec": (219.0, 455.0, 0.62)}


def latex_table(table: "PaperTable", style: Style) -> str:
    """Return a table for a paper in LaTeX; see :meth:`treegauge.core.paper_tables.PaperTable.latex`."""
    if style not in get_args(Style):
        raise ChoiceError("style", style, get_args(Style))
    if style == "plain":
        text = _longtable(table) if _lines(table.rows) > MOST_ROWS else _plain(table)
    else:
        text = _fitted(table, _PAPERS[style])
    if r"\else[U+" in text:
        text = f"% Needs XeLaTeX or LuaLaTeX with a font for its names; pdfLaTeX shows code points.\n{text}"
    return text


def tex(text: str) -> str:
    r"""Escape a text for all LaTeX engines: pdfLaTeX shows the first code point of other scripts."""

    def foreign(found: re.Match[str]) -> str:
        return rf"\ifdefined\Umathchar {found[0]}\else{_code(found)}\fi{{}}"

    parts = re.split(f"([{''.join(_MARKS)}])", one_line(text))
    return "".join(_MARKS[part] if part in _MARKS else _FOREIGN.sub(foreign, latex(part)) for part in parts)


def _code(found: re.Match[str]) -> str:
    """Return what pdfLaTeX shows instead of other scripts."""
    more = f" +{len(found[0]) - 1}" if len(found[0]) > 1 else ""
    return f"[U+{ord(found[0][0]):04X}{more}]"


def _name_width(name: str) -> int:
    return len(_FOREIGN.sub(_code, name))


def _caption(table: "PaperTable", more: str = "") -> str:
    signature = tex(table.signature)
    for mark in (r"\textbar{}", ":", "+", r"\_", "@", r"\#"):
        signature = signature.replace(mark, rf"{mark}\allowbreak{{}}")
    return rf"\caption{{{tex(table.caption + more)} {{\scriptsize\ttfamily {signature}}}}}"


def _plain(table: "PaperTable") -> str:
    lines = [r"% \usepackage{booktabs}", r"\begin{table}[tb]", r"\centering"]
    lines.append(_tabular(table, table.rows, r"\footnotesize"))
    return "\n".join([*lines, _caption(table), rf"\label{{{table.label}}}", r"\end{table}"])


def _longtable(table: "PaperTable") -> str:
    """Return a table that continues on the next page."""
    head = [r"\toprule", *_headings(table), r"\midrule"]
    lines = [r"% \usepackage{booktabs,longtable}", r"% Not in two columns: \onecolumn before it, or format acl."]
    lines += [r"\begingroup", r"\setlength{\LTcapwidth}{\textwidth}"]
    lines += [rf"\begin{{longtable}}{{{_letters(table)}}}", rf"{_caption(table)}\label{{{table.label}}} \\"]
    lines += [*head, r"\endfirsthead", *head, r"\endhead", r"\bottomrule", r"\endfoot"]
    lines += _body(table, table.rows, r"\footnotesize")
    return "\n".join([*lines, r"\end{longtable}", r"\endgroup"])


def _fitted(table: "PaperTable", paper: tuple[float, float, float]) -> str:
    """Return a table that fits one column or the page, if necessary without intervals of treebanks, then codes."""
    bare = replace(table, rows=[
        row if row.summary else row._replace(cells=[cell._replace(interval=None) for cell in row.cells])
        for row in table.rows
    ])  # fmt: skip
    star, size, shrink = _room(table, paper)
    left_out = ""
    if (shrink or _lines(table.rows) > 2 * MOST_ROWS) and bare.rows != table.rows:
        table, (star, size, shrink) = bare, _room(bare, paper)
        left_out = f" The intervals of each {table.stub} are left out to save space."
    if shrink and len(table.stubs) > 1:
        table = replace(table, rows=[row._replace(code="") for row in table.rows])
        star, size, shrink = _room(table, paper)
    body = "\n\\quad\n".join(_tabular(table, rows, r"\scriptsize") for rows in _panels(table))
    if shrink:
        body = f"\\resizebox{{\\textwidth}}{{!}}{{%\n{body}%\n}}"
    lines = [rf"% \usepackage{{booktabs{',graphicx' * shrink}}}", rf"\begin{{table{star}}}[tb]"]
    lines += [r"\centering", size, rf"\setlength{{\tabcolsep}}{{{_GAP:g}pt}}", body, _caption(table, left_out)]
    return "\n".join([*lines, rf"\label{{{table.label}}}", rf"\end{{table{star}}}"])


def _lines(rows: Sequence["PaperRow"]) -> int:
    return sum(1 + row.has_intervals for row in rows)


def _panels(table: "PaperTable") -> list[list["PaperRow"]]:
    """Cut a long table in two; summaries stay at the end of the last part."""
    rows, whole = list(table.rows), _lines(table.rows)
    if whole <= MOST_ROWS:
        return [rows]
    cut = next(number for number in range(1, len(rows)) if _lines(rows[:number]) >= whole / 2)
    return [rows[:cut], rows[cut:]]


def _room(table: "PaperTable", paper: tuple[float, float, float]) -> tuple[str, str, bool]:
    """Choose ``table`` or ``table*``, the size of the font, and whether to shrink the rest."""
    panels, (column, page, character) = len(_panels(table)), paper
    for star, room in (("", column), ("*", page)):
        for size, points in _SIZES.items():
            if size == r"\scriptsize" and not star:
                continue
            if panels * _width(table, points, character) <= room:
                return star, size, False
    return "*", r"\scriptsize", True


def _width(table: "PaperTable", points: float, character: float) -> float:
    """Estimate the width of one panel in points."""
    small = 7 / points
    stubs = zip(table.stubs, *map(table.names, table.rows), strict=True)
    wide: list[float] = [max(map(_name_width, names)) for names in stubs]
    for i, name in enumerate(table.columns):
        cells = [row.cells[i] for row in table.rows]
        scores = (len(table.number(cell)) + small * len(table.spread(cell)) for cell in cells)
        wide.append(max(_name_width(name), *scores, *(small * len(table.interval(cell)) for cell in cells)))
    over, start = 0.0, len(table.stubs)
    for name, size in table.groups:
        over += max(0.0, _name_width(name) - sum(wide[start : start + size]))
        start += size
    return (sum(wide) + over) * character * points + 2 * _GAP * len(wide)


def _line(cells: Sequence[str], end: str = r" \\") -> str:
    # After a line, LaTeX would read a bracket or star as an argument.
    return "{}" * cells[0].startswith(("[", "*")) + " & ".join(cells) + end


def _headings(table: "PaperTable") -> list[str]:
    """Return the lines of headings."""
    lines = []
    if table.groups:
        lines.append(
            _line(
                [
                    *[""] * len(table.stubs),
                    *(rf"\multicolumn{{{size}}}{{c}}{{{tex(name)}}}" for name, size in table.groups),
                ]
            )
        )
        first, rules = len(table.stubs) + 1, ""
        for name, size in table.groups:
            rules += rf"\cmidrule(lr){{{first}-{first + size - 1}}}" if name else ""
            first += size
        lines.append(rules)
    return [*lines, _line([*map(tex, table.stubs), *map(tex, table.columns)])]


def _letters(table: "PaperTable") -> str:
    return "l" * len(table.stubs) + "r" * len(table.columns)


def _tabular(table: "PaperTable", rows: Sequence["PaperRow"], small: str) -> str:
    lines = [rf"\begin{{tabular}}{{{_letters(table)}}}", r"\toprule", *_headings(table), r"\midrule"]
    return "\n".join([*lines, *_body(table, rows, small), r"\bottomrule", r"\end{tabular}"])


def _body(table: "PaperTable", rows: Sequence["PaperRow"], small: str) -> list[str]:
    """Return the lines of scores and, below them, of intervals."""

    def score(cell: "PaperCell") -> str:
        text = re.sub(r"(?<!\w)-(?=\d)", "$-$", tex(table.number(cell)))
        text = rf"\textbf{{{text}}}" if cell.best else text
        text += f"{{{small}{tex(table.spread(cell))}}}" if cell.spread is not None else ""
        return text + (rf"\rlap{{{_MARKS[cell.mark]}}}" if cell.mark else "")

    lines = []
    for number, row in enumerate(rows):
        if row.summary and number and not rows[number - 1].summary:
            lines.append(r"\midrule")
        below = [table.interval(cell, "--") for cell in row.cells] if row.has_intervals else []
        # The star keeps an interval on the page of its score.
        lines.append(_line([*map(tex, table.names(row)), *map(score, row.cells)], r" \\*" if below else r" \\"))
        if below:
            lines.append(_line([*[""] * len(table.stubs), *(f"{{{small} {text}}}" if text else "" for text in below)]))
    return lines
