"""Tables of scores for papers: best in bold, significance marks, intervals, LaTeX and Markdown."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple, get_args

from treegauge.core.errors import ChoiceError
from treegauge.core.tables import latex, markdown

Style = Literal["plain", "acl"]
#: Maximum number of rows per panel; longer tables have a second panel next to the first.
MOST_ROWS = 45
#: ACL papers: width of a column and of the page in points.
_ACL_COLUMN, _ACL_PAGE = 219.0, 455.0
#: Font sizes to try, in points: first in one column, then over both.
_SIZES = {r"\small": 9.0, r"\footnotesize": 8.0, r"\scriptsize": 7.0}
#: Width of a character in font sizes, bold digits included.
_CHARACTER = 0.56
_GAP = 4.0


class PaperCell(NamedTuple):
    """One score: whether it is the best, whether significantly, and its interval."""

    value: float | None
    best: bool = False
    significant: bool = False
    interval: tuple[float, float] | None = None


class PaperRow(NamedTuple):
    """A row of scores; a `summary`, such as an average, is below a rule."""

    name: str
    cells: Sequence[PaperCell]
    summary: bool = False


def paper_cells(
    values: Mapping[str, float | None],
    better: Collection[tuple[str, str]] = (),
    intervals: Mapping[str, tuple[float, float] | None] | None = None,
) -> list[PaperCell]:
    """Return the cells of scores that compete with each other.

    `better` has pairs of systems whose first is significantly better than the second; the best system is marked
    if it is significantly better than every other one.

    Examples
    --------
    >>> cells = paper_cells({"a": 81.0, "b": 80.0, "c": None}, {("a", "b")})
    >>> [(cell.best, cell.significant) for cell in cells]
    [(True, True), (False, False), (False, False)]
    """
    known = {name: value for name, value in values.items() if value is not None}
    top = max(known.values(), default=None)
    limits = intervals or {}

    def cell(name: str, value: float | None) -> PaperCell:
        best = value is not None and value == top and len(known) > 1
        others = [other for other in known if other != name]
        marked = best and all((name, other) in better for other in others)
        return PaperCell(value, best, marked, limits.get(name))

    return [cell(name, value) for name, value in values.items()]


@dataclass(frozen=True)
class PaperTable:
    r"""A table of scores for a paper.

    Attributes
    ----------
    stub
        What the rows are: ``"treebank"``.
    columns
        Names of the columns of scores.
    rows
        One per treebank or system.
    caption
        The caption before the signature.
    signature
        The choices behind the numbers, at the end of the caption.
    groups
        Headings over columns, with the number of columns below each: ``[("LAS", 2), ("UAS", 2)]``.
    label
        What ``\ref`` refers to.
    digits
        Decimals of scores; intervals have one less.

    Examples
    --------
    >>> rows = [PaperRow("Greek GDT", paper_cells({"a_b": 81.0, "c": 80.0}, {("a_b", "c")}))]
    >>> table = PaperTable("treebank", ["a_b", "c"], rows, "LAS.", "treegauge:1")
    >>> print(table.markdown())
    | treebank | a\_b | c |
    |:--|--:|--:|
    | Greek GDT | **81.00**† | 80.00 |
    <BLANKLINE>
    LAS. `treegauge:1`
    """

    stub: str
    columns: Sequence[str]
    rows: Sequence[PaperRow]
    caption: str
    signature: str
    groups: Sequence[tuple[str, int]] = ()
    label: str = "tab:scores"
    digits: int = 2

    def markdown(self) -> str:
        """Return the table for Markdown, with the caption below it."""
        heads = [f"{name} " for name, size in self.groups for _ in range(size)]
        heads = heads or [""] * len(self.columns)
        names = [head + name for head, name in zip(heads, self.columns, strict=True)]

        def score(cell: PaperCell) -> str:
            text = self._number(cell)
            return (f"**{text}**" if cell.best else text) + "†" * cell.significant

        lines = [[markdown(text) for text in (self.stub, *names)]]
        lines.append([":--", *["--:"] * len(names)])
        for row in self.rows:
            lines.append([markdown(row.name), *map(score, row.cells)])
            if self._has_intervals(row):
                lines.append(["", *(self._interval(cell, "–") for cell in row.cells)])
        rule = lines.pop(1)
        drawn = [f"| {' | '.join(line)} |" for line in lines]
        drawn.insert(1, f"|{'|'.join(rule)}|")
        return "\n".join([*drawn, "", f"{markdown(self.caption)} `{self.signature}`"])

    def latex(self, style: Style = "plain") -> str:
        r"""Return a ``table`` with a booktabs ``tabular``.

        The style ``acl`` sets the font size and, if one column is too narrow, uses ``table*``.
        """
        if style not in get_args(Style):
            raise ChoiceError("style", style, get_args(Style))
        panels = self._panels()
        star, size, shrink = self._acl(len(panels)) if style == "acl" else ("", "", False)
        needed = ["booktabs", *(["graphicx"] if shrink else [])]
        body = "\n\\quad\n".join(self._tabular(rows, style) for rows in panels)
        if shrink:
            body = f"\\resizebox{{\\textwidth}}{{!}}{{%\n{body}%\n}}"
        signature = latex(self.signature)
        for mark in (r"\textbar{}", ":", "+", r"\_", "@", r"\#"):
            signature = signature.replace(mark, rf"{mark}\allowbreak{{}}")
        lines = [f"% \\usepackage{{{','.join(needed)}}}", rf"\begin{{table{star}}}[tb]"]
        lines += [r"\centering", *([size] if size else [])]
        lines += [rf"\setlength{{\tabcolsep}}{{{_GAP:g}pt}}"] if style == "acl" else []
        caption = _marked(latex(self.caption))
        lines += [body, rf"\caption{{{caption} {{\scriptsize\ttfamily {signature}}}}}"]
        return "\n".join([*lines, rf"\label{{{self.label}}}", rf"\end{{table{star}}}"])

    def _number(self, cell: PaperCell) -> str:
        return "–" if cell.value is None else f"{cell.value:.{self.digits}f}"

    def _interval(self, cell: PaperCell, dash: str) -> str:
        if cell.interval is None:
            return ""
        return dash.join(f"{limit:.{max(self.digits - 1, 0)}f}" for limit in cell.interval)

    def _has_intervals(self, row: PaperRow) -> bool:
        return any(cell.interval for cell in row.cells)

    def _panels(self) -> list[list[PaperRow]]:
        """Cut a long table in two; summaries stay at the end of the last part."""
        rows = list(self.rows)
        if len(rows) <= MOST_ROWS:
            return [rows]
        half = (len(rows) + 1) // 2
        return [rows[:half], rows[half:]]

    def _acl(self, panels: int) -> tuple[str, str, bool]:
        """Choose ``table`` or ``table*``, the size of the font, and whether to shrink the rest."""
        for star, room in (("", _ACL_COLUMN), ("*", _ACL_PAGE)):
            for size, points in _SIZES.items():
                if size == r"\scriptsize" and not star:
                    continue
                if panels * self._width(points) <= room:
                    return star, size, False
        return "*", r"\scriptsize", True

    def _width(self, points: float) -> float:
        """Estimate the width of one panel in points."""
        wide = [max(len(row.name) for row in [PaperRow(self.stub, []), *self.rows])]
        for i, name in enumerate(self.columns):
            cells = [row.cells[i] for row in self.rows]
            texts = [name, *map(self._number, cells)]
            small = 7 / points * max(len(self._interval(cell, "-")) for cell in cells)
            wide.append(max([small, *map(len, texts)]))  # type: ignore[arg-type]
        over, start = 0.0, 1
        for name, size in self.groups:
            over += max(0.0, len(name) - sum(wide[start : start + size]))
            start += size
        return (sum(wide) + over) * _CHARACTER * points + 2 * _GAP * len(wide)

    def _tabular(self, rows: Sequence[PaperRow], style: Style) -> str:
        small = r"\scriptsize" if style == "acl" else r"\footnotesize"

        def score(cell: PaperCell) -> str:
            if cell.value is None:
                return "--"
            text = self._number(cell)
            text = rf"\textbf{{{text}}}" if cell.best else text
            return text + (r"\rlap{\textsuperscript{\dag}}" if cell.significant else "")

        def line(cells: Sequence[str]) -> str:
            return " & ".join(cells) + r" \\"

        lines = [rf"\begin{{tabular}}{{l{'r' * len(self.columns)}}}", r"\toprule"]
        if self.groups:
            spans = [rf"\multicolumn{{{size}}}{{c}}{{{latex(name)}}}" for name, size in self.groups]
            lines.append(line(["", *spans]))
            first, rules = 2, ""
            for _, size in self.groups:
                rules += rf"\cmidrule(lr){{{first}-{first + size - 1}}}"
                first += size
            lines.append(rules)
        lines += [line([latex(self.stub), *map(latex, self.columns)]), r"\midrule"]
        for number, row in enumerate(rows):
            if row.summary and number and not rows[number - 1].summary:
                lines.append(r"\midrule")
            lines.append(line([latex(row.name), *map(score, row.cells)]))
            if self._has_intervals(row):
                texts = [self._interval(cell, "--") for cell in row.cells]
                lines.append(line(["", *(f"{{{small} {text}}}" if text else "" for text in texts)]))
        return "\n".join([*lines, r"\bottomrule", r"\end{tabular}"])


def _marked(caption: str) -> str:
    r"""Write the marks of captions as LaTeX commands."""
    marks = {"†": r"\textsuperscript{\dag}", "–": "--", "≤": r"$\leq$"}
    return "".join(marks.get(character, character) for character in caption)
