"""Tables as text, LaTeX, Markdown and HTML: the layout of all rows and columns."""

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from math import isnan
from numbers import Number
from typing import Any, NamedTuple, Union

from treegauge.core.errors import one_line
from treegauge.core.lazy import pl

Table = Union["pl.DataFrame", Sequence[Mapping[str, Any]]]
"""A polars frame, or its rows, which are laid out without loading polars."""
NUMERIC = (Number, list, tuple)
"""Kinds of values in columns that are aligned to the right."""
Digits = int | Mapping[str, int | None]
"""Decimals of all floats, or by column (by default 2); None shows all digits."""
_LATEX = {
    "\\": r"\textbackslash{}", "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_",
    "{": r"\{", "}": r"\}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}",
    "<": r"\textless{}", ">": r"\textgreater{}", "|": r"\textbar{}",
}  # fmt: skip
_P_VALUES = re.compile(r"p|(f_)?p_(?!gold$|instead$)\w+|bonferroni|fisher")
"""Columns of p-values, which are printed alike whatever the decimals of their table."""
_MARKDOWN = frozenset("\\`*_[]<>|#~$&")
_LINE_WIDTH: ContextVar[int | None] = ContextVar("line_width", default=None)
_PIECES = re.compile(r"[^\s_/,;|–]*[\s_/,;|–]?")
#: Columns of text are folded to these widths, where their words allow it.
_NARROW, _WORD = 8, 20
_GAP = 2
_SIGNED = re.compile(r"\[?treegauge:\d[^\s|]*\|")


@contextmanager
def lines_of_at_most(width: int | None) -> Iterator[None]:
    """Lay out tables as text in lines of at most a width during the context; None is any width.

    Examples
    --------
    >>> with lines_of_at_most(22):
    ...     print(to_text([{"metric": "LAS", "error_reduction": 20.7, "said": "one two three", "q": 1}]))
            error_
    metric  reduction
    ------  ---------
    LAS         20.70
    2 columns left out:
      said, q; --format
      csv has all
    """
    token = _LINE_WIDTH.set(width)
    try:
        yield
    finally:
        _LINE_WIDTH.reset(token)


def line_width() -> int | None:
    """Return the width that lines may have at most, None without a limit."""
    return _LINE_WIDTH.get()


def folded_lines(text: str, width: int) -> str:
    """Break lines that are longer than a width at spaces; signatures at their bars.

    Examples
    --------
    >>> print(folded_lines("  a note of words", 10))
      a note
        of
        words
    """
    from textwrap import wrap

    lines = []
    for line in text.split("\n"):
        if len(line) <= width:
            lines.append(line)
        elif _SIGNED.match(line):
            lines += _folded(line, width)
        else:
            indent = line[: len(line) - len(line.lstrip())]
            how = {"break_long_words": False, "break_on_hyphens": False}
            lines += wrap(line.lstrip(), width, initial_indent=indent, subsequent_indent=f"{indent}  ", **how)  # type: ignore[arg-type]
    return "\n".join(lines)


def make_table(data: Any, kinds: Mapping[str, Any] | None = None) -> "pl.DataFrame":
    """Return a frame from rows or columns; polars is loaded by the call, not by the import.

    `kinds` are types of columns, such as ``str``, which a frame without rows needs.

    Examples
    --------
    >>> make_table([("a", 1)], {"name": str, "count": int}).to_dicts()
    [{'name': 'a', 'count': 1}]
    """
    rows = isinstance(data, list | tuple)
    return pl.DataFrame(data, kinds, orient="row" if rows else None, infer_schema_length=None)


def cell(value: Any, digits: int | None = 2) -> str:
    """Format one value on one line: floats rounded as in official scripts, empty if missing.

    Examples
    --------
    >>> [cell(x) for x in (0.125, 3, None, "LAS", (1.0, 2.5))]
    ['0.12', '3', '', 'LAS', '1.00–2.50']
    """
    if value is None:
        return ""
    if isinstance(value, float):
        return f"{value:g}" if digits is None else f"{value:.{digits}f}"
    if isinstance(value, tuple | list):
        return "–".join(cell(part, digits) for part in value)
    return one_line(str(value))


def p_value_cell(p: float | None) -> str:
    """Format a p-value for a table; none is printed as zero.

    Examples
    --------
    >>> [p_value_cell(p) for p in (0.25, 0.03126, 0.00004, 0.0, None)]
    ['0.2500', '0.0313', '<0.0001', '<0.0001', '']
    """
    if p is None or isnan(p):
        return ""
    return "<0.0001" if p < 1e-4 else f"{p:.4f}"


def p_value_text(p: float) -> str:
    """Format a p-value for a sentence, with the same digits as in a table.

    Examples
    --------
    >>> [p_value_text(p) for p in (0.25, 0.03126, 0.00004, 1.0)]
    ['p = 0.25', 'p = 0.0313', 'p < 0.0001', 'p = 1']
    """
    shown = p_value_cell(p)
    return f"p < {shown[1:]}" if shown[0] == "<" else f"p = {float(shown):g}"


def latex(text: str) -> str:
    r"""Escape the special characters of LaTeX.

    Examples
    --------
    >>> latex("nsubj:pass & 5 % of a_b")
    'nsubj:pass \\& 5 \\% of a\\_b'
    """
    return "".join(_LATEX.get(character, character) for character in text)


def markdown(text: str) -> str:
    r"""Escape the special characters of Markdown.

    Examples
    --------
    >>> print(markdown("a_b | *c*"))
    a\_b \| \*c\*
    """
    return "".join(f"\\{character}" if character in _MARKDOWN else character for character in text).replace("\n", " ")


def _columns(table: Table) -> tuple[dict[str, list[Any]], list[bool]]:
    """Return the values of each column and which are numeric; integers and floats together are floats."""
    if not isinstance(table, Sequence):
        values = table.to_dict(as_series=False)
        numeric = [dtype.is_numeric() or dtype.is_nested() for dtype in table.dtypes]
    else:
        values = {
            name: [row.get(name) for row in table] for name in dict.fromkeys(name for row in table for name in row)
        }
        kinds = [{type(value) for value in column if value is not None} for column in values.values()]
        numeric = [any(issubclass(value_type, NUMERIC) for value_type in kind - {bool}) for kind in kinds]
        for column, kind in zip(values.values(), kinds, strict=True):
            if kind == {int, float}:
                column[:] = [None if value is None else float(value) for value in column]
    return {one_line(name): column for name, column in values.items()}, numeric


def _texts(columns: Mapping[str, Sequence[Any]], digits: Digits) -> list[list[str]]:
    """Return the rows of a table as texts."""
    each = [digits if isinstance(digits, int) else digits.get(name, 2) for name in columns]
    tested = [bool(_P_VALUES.fullmatch(name)) for name in columns]
    return [list(map(_text, row, each, tested)) for row in zip(*columns.values(), strict=True)]


def _text(value: Any, digits: int | None, p_value: bool) -> str:
    return p_value_cell(value) if p_value and isinstance(value, float) else cell(value, digits)


def to_text(table: Table, *, digits: Digits = 2) -> str:
    """Lay a table out in aligned columns, numbers to the right.

    Examples
    --------
    >>> print(to_text([{"metric": "LAS", "f1": 81.5}, {"metric": "CLAS", "f1": 7.0}]))
    metric     f1
    ------  -----
    LAS     81.50
    CLAS     7.00
    """
    values, numeric = _columns(table)
    columns = [list(column) for column in zip(values, *_texts(values, digits), strict=True)]
    width, left = line_width(), list(range(len(columns)))
    widths = [max(map(len, column)) for column in columns]
    if width and _total(widths) > width:
        ranges = [_widths_of(column, right=right) for column, right in zip(columns, numeric, strict=True)]
        widths = _fitting(ranges, width)
        while _total(widths) > width and len(left) > 1:
            left.remove(_least_needed([columns[at] for at in left], left))
            widths = _fitting([ranges[at] for at in left], width)
        widths = [min(one, width) for one in widths]
    text = _laid_out([columns[at] for at in left], widths, [numeric[at] for at in left])
    if not (gone := [name for at, name in enumerate(values) if at not in left]):
        return text
    note = f"{len(gone)} column{'s' * (len(gone) > 1)} left out: {', '.join(gone)}; --format csv has all"
    return f"{text}\n{folded_lines(note, width or len(note))}"


def _total(widths: Sequence[int]) -> int:
    return sum(widths) + _GAP * (len(widths) - 1)


class _Widths(NamedTuple):
    """The widths that a column can have: its own, with a folded head, and with folded texts as well."""

    own: int
    body: int
    least: int


def _widths_of(column: Sequence[str], *, right: bool) -> _Widths:
    own, longest = max(map(len, column)), max(map(len, _pieces(column[0])), default=0)
    body = max([longest, *map(len, column[1:])])
    words = {piece for text in column for piece in _pieces(text)} if not right else set()
    least = body if right else min(body, max([_NARROW, *(min(len(word), _WORD) for word in words)]))
    return _Widths(own, body, least)


def _fitting(columns: Sequence[_Widths], width: int) -> list[int]:
    """Return widths of columns: their own, then with folded heads, then with folded texts."""
    widths = [one.own for one in columns]
    for at in sorted(range(len(columns)), key=lambda at: columns[at].body - columns[at].own):
        if _total(widths) > width:
            widths[at] = columns[at].body
    least = [min(one, column.least) for one, column in zip(widths, columns, strict=True)]
    while (excess := _total(widths) - width) > 0 and widths != least:
        at = max(range(len(widths)), key=lambda at: (widths[at] > least[at], widths[at]))
        widths[at] = max(least[at], widths[at] - max(1, excess // 4))
    return widths


def _pieces(text: str) -> list[str]:
    return [piece for piece in _PIECES.findall(text) if piece]


def _least_needed(columns: Sequence[Sequence[str]], places: Sequence[int]) -> int:
    """Return the place of the column to leave out: an empty one, else the last."""
    empty = [at for (_, *body), at in zip(columns, places, strict=True) if not any(body)]
    return (empty or [places[-1]])[-1]


def _folded(text: str, width: int) -> list[str]:
    """Break a cell into lines of at most a width, between words where that is possible."""
    lines = [""]
    for piece in _pieces(text):
        if lines[-1] and len((lines[-1] + piece).rstrip()) > width:
            lines.append("")
        lines[-1] += piece
        while len(lines[-1].rstrip()) > width:
            lines[-1:] = [lines[-1][:width], lines[-1][width:]]
    return [line.rstrip() for line in lines]


def _laid_out(columns: Sequence[Sequence[str]], widths: Sequence[int], numeric: Sequence[bool]) -> str:
    """Lay out columns, first their heads; what is wider than its column is folded."""
    lines = []
    for number, texts in enumerate(zip(*columns, strict=True)):
        parts = [
            _folded(text, width) if len(text) > width else [text] for text, width in zip(texts, widths, strict=True)
        ]
        height = max(map(len, parts))
        filled = [
            [""] * (height - len(part)) + part if not number else part + [""] * (height - len(part)) for part in parts
        ]
        rows = [*zip(*filled, strict=True)] + [tuple("-" * width for width in widths)] * (not number)
        lines += [
            "  ".join(
                part.rjust(width) if right else part.ljust(width)
                for part, width, right in zip(row, widths, numeric, strict=True)
            )
            for row in rows
        ]
    return "\n".join(line.rstrip() for line in lines)


def to_latex(table: Table, *, digits: Digits = 2, note: str | None = None, best: Sequence[str] = ()) -> str:
    r"""Write a booktabs ``tabular``; the largest value of each column in `best` is bold.

    Examples
    --------
    >>> rows = [{"system": "a_b", "LAS": 80.0}, {"system": "c", "LAS": 81.0}]
    >>> print(to_latex(rows, best=["LAS"]))
    \begin{tabular}{lr}
    \toprule
    system & LAS \\
    \midrule
    a\_b & 80.00 \\
    c & \textbf{81.00} \\
    \bottomrule
    \end{tabular}
    """
    columns, numeric = _columns(table)
    body = [[latex(text) for text in row] for row in _texts(columns, digits)]
    bold: list[tuple[int, int]] = []
    for column in map(list(columns).index, map(one_line, best)):
        values = [*columns.values()][column]
        top = max((one for one in values if one is not None and not isnan(one)), default=None)
        bold += [(i, column) for i, value in enumerate(values) if value == top and top is not None]
    for i, column in bold:
        body[i][column] = rf"\textbf{{{body[i][column]}}}"
    layout = "".join("r" if right else "l" for right in numeric)
    head = " & ".join(latex(name) for name in columns) + r" \\"
    lines = [rf"\begin{{tabular}}{{{layout}}}", r"\toprule", head, r"\midrule"]
    lines += [" & ".join(row) + r" \\" for row in body]
    lines += [r"\bottomrule", r"\end{tabular}"]
    return "\n".join(([f"% {one_line(note)}"] if note else []) + lines)


def to_markdown(table: Table, *, digits: Digits = 2, note: str | None = None) -> str:
    """Write a Markdown table with every text escaped, the note below it.

    Examples
    --------
    >>> print(to_markdown([{"metric": "LAS", "f1": 81.5}], note="treegauge:1"))
    | metric | f1 |
    |:--|--:|
    | LAS | 81.50 |
    <BLANKLINE>
    `treegauge:1`
    """
    columns, numeric = _columns(table)
    body = [[markdown(text) for text in row] for row in (columns, *_texts(columns, digits))]
    lines = [f"| {' | '.join(row)} |" for row in body]
    lines.insert(1, f"|{'|'.join('--:' if right else ':--' for right in numeric)}|")
    return "\n".join(lines + (["", f"`{one_line(note)}`"] if note else []))


def to_html(table: Table, *, digits: Digits = 2, note: str | None = None) -> str:
    """Write an HTML table; every cell, heading and note is escaped, numbers have a class.

    Examples
    --------
    >>> "<script>" in to_html([{"form": "<script>"}])
    False
    """
    from html import escape

    columns, numeric = _columns(table)
    marks = [' class="number"' if number else "" for number in numeric]

    def line(tag: str, texts: Sequence[str]) -> str:
        pairs = zip(marks, texts, strict=True)
        return "".join(f"<{tag}{mark}>{escape(text)}</{tag}>" for mark, text in pairs)

    head = line("th", list(columns))
    body = "\n".join(f"<tr>{line('td', row)}</tr>" for row in _texts(columns, digits))
    caption = f"<caption>{escape(one_line(note))}</caption>" if note else ""
    return f'<table class="treegauge">{caption}\n<thead><tr>{head}</tr></thead>\n<tbody>\n{body}\n</tbody></table>'
