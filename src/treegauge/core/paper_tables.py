"""Tables of scores for papers: best in bold, marks, intervals; Markdown, HTML, Typst, and how LaTeX lays them out."""

from abc import abstractmethod
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import ClassVar, NamedTuple

from treegauge.core.errors import one_line
from treegauge.core.paper_latex import MOST_ROWS, Style, latex_table
from treegauge.core.result import Result
from treegauge.core.tables import markdown


class PaperCell(NamedTuple):
    """One score, or a `text` instead of one.

    It can be the best, be significantly better than all others, be `tied` with the best (the best too, if others
    are), and have an interval and a standard deviation over runs, its `spread`.
    """

    value: float | None
    best: bool = False
    significant: bool = False
    interval: tuple[float, float] | None = None
    tied: bool = False
    spread: float | None = None
    text: str = ""

    @property
    def mark(self) -> str:
        """The mark behind the score."""
        return "†" if self.significant else "‡" * self.tied


class PaperRow(NamedTuple):
    """A row of scores; a `summary`, such as an average, is below a rule. A treebank has its `code` in a column."""

    name: str
    cells: Sequence[PaperCell]
    summary: bool = False
    code: str = ""

    @property
    def has_intervals(self) -> bool:
        """Whether a score has an interval."""
        return any(cell.interval for cell in self.cells)


def paper_cells(
    values: Mapping[str, float | None],
    better: Collection[tuple[str, str]] = (),
    intervals: Mapping[str, tuple[float, float] | None] | None = None,
    *,
    tested: Collection[tuple[str, str]] = (),
    spreads: Mapping[str, float | None] | None = None,
) -> list[PaperCell]:
    """Return the cells of scores that compete with each other.

    `better` has pairs of systems whose first is significantly better than the second; the best system is marked
    if it is significantly better than every other one. Of the pairs that were `tested`, in any order, those that
    the best does not win are ties.

    Examples
    --------
    >>> cells = paper_cells({"a": 81.0, "b": 80.0, "c": None}, {("a", "b")})
    >>> [(cell.best, cell.significant) for cell in cells]
    [(True, True), (False, False), (False, False)]
    >>> [cell.mark for cell in paper_cells({"a": 81.0, "b": 80.9, "c": 70.0}, {("a", "c")}, tested=[("b", "a")])]
    ['‡', '‡', '']
    """
    known = {name: value for name, value in values.items() if value is not None}
    top = max(known.values(), default=None)
    leaders = [name for name, value in known.items() if value == top and len(known) > 1]
    limits, deviations = intervals or {}, spreads or {}

    def level(one: str, other: str) -> bool:
        return one != other and not {(one, other), (other, one)}.isdisjoint(tested) and (one, other) not in better

    def cell(name: str, value: float | None) -> PaperCell:
        best = name in leaders
        others = [other for other in known if other != name]
        marked = best and all((name, other) in better for other in others)
        tied = any(level(leader, name) for leader in leaders) or (best and any(level(name, one) for one in others))
        return PaperCell(value, best, marked, limits.get(name), tied and value is not None, deviations.get(name))

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

    @property
    def stubs(self) -> list[str]:
        """Headings of the columns before the scores: what the rows are, and ``code`` if any row has one."""
        return [self.stub, "code"] if any(row.code for row in self.rows) else [self.stub]

    def names(self, row: PaperRow) -> list[str]:
        """Return the texts of a row in these columns."""
        return [row.name, row.code][: len(self.stubs)]

    def markdown(self) -> str:
        """Return the table for Markdown, with the caption below it."""
        heads = [name for name, size in self.groups for _ in range(size)] or [""] * len(self.columns)
        names = [f"{head} {name}".strip() for head, name in zip(heads, self.columns, strict=True)]

        def score(cell: PaperCell) -> str:
            text = markdown(self.number(cell))
            return (f"**{text}**" if cell.best else text) + self.spread(cell) + cell.mark

        lines = [[markdown(text) for text in (*self.stubs, *names)]]
        for row in self.rows:
            lines.append([*map(markdown, self.names(row)), *map(score, row.cells)])
            if row.has_intervals:
                lines.append([*[""] * len(self.stubs), *(self.interval(cell) for cell in row.cells)])
        drawn = [f"| {' | '.join(line)} |" for line in lines]
        drawn.insert(1, f"|{'|'.join([':--'] * len(self.stubs) + ['--:'] * len(names))}|")
        return "\n".join([*drawn, "", f"{markdown(self.caption)} `{one_line(self.signature)}`"])

    def html(self) -> str:
        """Return the table as HTML, with every text escaped; intervals are below scores in the same cell."""

        def score(cell: PaperCell) -> str:
            text = escape(self.number(cell))
            text = (f"<b>{text}</b>" if cell.best else text) + self.spread(cell)
            text += f"<sup>{cell.mark}</sup>" if cell.mark else ""
            return text + (f"<br><small>{self.interval(cell)}</small>" if cell.interval else "")

        def line(names: Sequence[str], texts: Iterable[str], tag: str) -> str:
            cells = "".join(f"<{tag}>{escape(one_line(code))}</{tag}>" for code in names[1:])
            cells += "".join(f'<{tag} class="number">{text}</{tag}>' for text in texts)
            return f"<tr><th>{escape(one_line(names[0]))}</th>{cells}</tr>"

        over = "".join(f'<th colspan="{size}">{escape(name)}</th>' for name, size in self.groups)
        head = f"<tr>{'<th></th>' * len(self.stubs)}{over}</tr>\n" if over else ""
        head += line(self.stubs, (escape(one_line(name)) for name in self.columns), "th")
        body = "\n".join(line(self.names(row), map(score, row.cells), "td") for row in self.rows)
        caption = f"<caption>{escape(self.caption)} <code>{escape(one_line(self.signature))}</code></caption>"
        return f'<table class="treegauge">{caption}\n<thead>{head}</thead>\n<tbody>\n{body}\n</tbody></table>'

    def typst(self) -> str:
        """Return a figure for Typst; all texts are strings of its code, so that no character is markup."""

        def score(cell: PaperCell) -> str:
            text = _string(self.number(cell))
            text = f"#strong({text})" if cell.best else f"#{text}"
            text += f"#text(size: 0.8em, {_string(self.spread(cell))})" if cell.spread is not None else ""
            text += f"#super({_string(cell.mark)})" if cell.mark else ""
            if cell.interval:
                text += f"#linebreak()#text(size: 0.8em, {_string(self.interval(cell))})"
            return f"[{text}]"

        over = [f"table.cell(colspan: {size}, {_string(name)})" for name, size in self.groups]
        stubs = len(self.stubs)
        head = [*(['""'] * stubs + over if over else []), *map(_string, (*self.stubs, *self.columns))]
        body = []
        for number, row in enumerate(self.rows):
            if row.summary and number and not self.rows[number - 1].summary:
                body.append("  table.hline(stroke: 0.5pt),")
            body.append(f"  {', '.join([*map(_string, self.names(row)), *map(score, row.cells)])},")
        wide = len(self.columns)
        signature = _string(self.signature.replace("|", "|\u200b")).replace("\u200b", "\\u{200b}")
        columns = f"columns: {stubs + wide}, stroke: none, align: ({'left, ' * stubs}{'right, ' * wide}),"
        lines = [f"#figure(table({columns}", "  table.hline(),", f"  table.header({', '.join(head)}),"]
        lines += ["  table.hline(stroke: 0.5pt),", *body, "  table.hline(),", "), kind: table, caption: ["]
        lines += [f"#{_string(self.caption)} #text(size: 0.8em, raw({signature}))", f"]) <{self.label}>"]
        if len(self.rows) > MOST_ROWS:
            lines = ["#[", "#show figure: set block(breakable: true)", *lines, "]"]
        return "\n".join(lines)

    def latex(self, style: Style = "plain") -> str:
        r"""Return a ``table`` with a booktabs ``tabular``, or a ``longtable`` if it is long.

        The styles ``acl`` and ``lrec`` set the font size, use ``table*`` if one column is too narrow, and draw long
        tables in two panels next to each other.
        """
        return latex_table(self, style)

    def number(self, cell: PaperCell) -> str:
        """Return a score with its decimals, or the text of the cell."""
        if cell.text:
            return one_line(cell.text)
        return "failed" if cell.value is None else f"{cell.value:.{self.digits}f}"

    def spread(self, cell: PaperCell) -> str:
        """Return the standard deviation over runs, or nothing."""
        return "" if cell.spread is None else f" ± {cell.spread:.{self.digits}f}"

    def interval(self, cell: PaperCell, dash: str = "–") -> str:
        """Return the limits of the interval, or nothing."""
        if cell.interval is None:
            return ""
        return dash.join(f"{limit:.{max(self.digits - 1, 0)}f}" for limit in cell.interval)


def _string(text: str) -> str:
    """Return a string of Typst code."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'


@dataclass(frozen=True, eq=False, repr=False)
class PaperResult(Result):
    """A result with a table for papers, which is what its LaTeX, Typst, Markdown and HTML show."""

    own_formats: ClassVar[tuple[str, ...]] = ("acl", "lrec", "typst")
    in_marks: ClassVar[frozenset[str]] = frozenset()
    """Attached results that the marks of the table show already."""

    @abstractmethod
    def paper(self) -> PaperTable:
        """Return the table for a paper."""

    def to_latex(self, *, style: Style = "plain") -> str:
        """Return the table for a paper with significance marks, then further tables."""
        parts = (p.to_latex(style=style) if isinstance(p, PaperResult) else p.to_latex() for p in self._parts())
        return "\n\n".join([self.paper().latex(style), *parts])

    def to_acl(self) -> str:
        """Return the LaTeX table that fits the columns of ACL papers."""
        return self.to_latex(style="acl")

    def to_lrec(self) -> str:
        """Return the LaTeX table that fits the columns of LREC papers."""
        return self.to_latex(style="lrec")

    def to_typst(self) -> str:
        """Return the table for a paper in Typst, then further tables as text."""
        own = (p.to_typst() if isinstance(p, PaperResult) else f"#raw({_string(str(p))})" for p in self._parts())
        return "\n\n".join([self.paper().typst(), *own])

    def to_markdown(self) -> str:
        """Return the table for a paper as Markdown, then further tables."""
        return "\n\n".join([self.paper().markdown(), *(part.to_markdown() for part in self._parts())])

    def to_html(self) -> str:
        """Return the table for a paper as HTML, then further tables."""
        return "\n".join([self.paper().html(), *(part.to_html() for part in self._parts())])

    def _parts(self) -> Iterator[Result]:
        for name, part in self.attached.items():
            if name not in self.in_marks:
                yield from [part] if isinstance(part, Result) else part
