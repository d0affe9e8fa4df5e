"""Tables as text, LaTeX and HTML: the only place that lays out rows and columns."""

from collections.abc import Mapping, Sequence
from html import escape
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import polars as pl

Digits = int | Mapping[str, int | None]
"""Decimals of all floats, or by column (2 where not named); None shows as many as there are."""
_LATEX = {
    "\\": r"\textbackslash{}", "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_",
    "{": r"\{", "}": r"\}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}",
    "<": r"\textless{}", ">": r"\textgreater{}", "|": r"\textbar{}",
}  # fmt: skip


def cell(value: Any, digits: int | None = 2) -> str:
    """Show one value: floats rounded as the official scripts round, nothing for a missing one.

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
    return str(value)


def latex(text: str) -> str:
    r"""Escape the characters LaTeX would read as commands.

    Examples
    --------
    >>> latex("nsubj:pass & 5 % of a_b")
    'nsubj:pass \\& 5 \\% of a\\_b'
    """
    return "".join(_LATEX.get(character, character) for character in text)


def _rows(frame: "pl.DataFrame", digits: Digits) -> list[list[str]]:
    each = [digits if isinstance(digits, int) else digits.get(name, 2) for name in frame.columns]
    return [list(map(cell, row, each)) for row in frame.iter_rows()]


def _numeric(frame: "pl.DataFrame") -> list[bool]:
    return [dtype.is_numeric() or dtype.is_nested() for dtype in frame.dtypes]


def to_text(frame: "pl.DataFrame", *, digits: Digits = 2) -> str:
    """Lay a frame out in aligned columns, numbers to the right.

    Examples
    --------
    >>> import polars as pl
    >>> print(to_text(pl.DataFrame({"metric": ["LAS", "CLAS"], "f1": [81.5, 7.0]})))
    metric     f1
    ------  -----
    LAS     81.50
    CLAS     7.00
    """
    body = _rows(frame, digits)
    widths = [
        max([len(name), *(len(row[i]) for row in body)]) for i, name in enumerate(frame.columns)
    ]
    right = _numeric(frame)

    def line(parts: Sequence[str]) -> str:
        padded = (
            part.rjust(width) if align else part.ljust(width)
            for part, width, align in zip(parts, widths, right, strict=True)
        )
        return "  ".join(padded).rstrip()

    return "\n".join(map(line, [frame.columns, ["-" * width for width in widths], *body]))


def to_latex(
    frame: "pl.DataFrame",
    *,
    digits: Digits = 2,
    note: str | None = None,
    best: Sequence[str] = (),
    best_of_row: bool = False,
) -> str:
    r"""Write a booktabs ``tabular``; the largest value of each column in `best` is bold.

    With `best_of_row`, the largest number of each row is bold instead.

    Examples
    --------
    >>> import polars as pl
    >>> print(to_latex(pl.DataFrame({"system": ["a_b", "c"], "LAS": [80.0, 81.0]}), best=["LAS"]))
    \begin{tabular}{lr}
    \toprule
    system & LAS \\
    \midrule
    a\_b & 80.00 \\
    c & \textbf{81.00} \\
    \bottomrule
    \end{tabular}
    """
    body = [[latex(text) for text in row] for row in _rows(frame, digits)]
    for name in best:
        column = frame.columns.index(name)
        top = frame[name].max()
        for i, value in enumerate(frame[name]):
            if value is not None and value == top:
                body[i][column] = rf"\textbf{{{body[i][column]}}}"
    if best_of_row:
        numbers = [i for i, right in enumerate(_numeric(frame)) if right]
        for i, row in enumerate(frame.iter_rows()):
            values = {column: row[column] for column in numbers if row[column] is not None}
            for column, value in values.items():
                if value == max(values.values()):
                    body[i][column] = rf"\textbf{{{body[i][column]}}}"
    layout = "".join("r" if right else "l" for right in _numeric(frame))
    head = " & ".join(latex(name) for name in frame.columns) + r" \\"
    lines = [rf"\begin{{tabular}}{{{layout}}}", r"\toprule", head, r"\midrule"]
    lines += [" & ".join(row) + r" \\" for row in body]
    lines += [r"\bottomrule", r"\end{tabular}"]
    return "\n".join(([f"% {note}"] if note else []) + lines)


def to_html(frame: "pl.DataFrame", *, digits: Digits = 2, note: str | None = None) -> str:
    """Write an HTML table; every cell, heading and note is escaped, numbers have a class.

    Examples
    --------
    >>> import polars as pl
    >>> "<script>" in to_html(pl.DataFrame({"form": ["<script>"]}))
    False
    """
    marks = [' class="number"' if number else "" for number in _numeric(frame)]

    def cells(tag: str, texts: Sequence[str]) -> str:
        pairs = zip(marks, texts, strict=True)
        return "".join(f"<{tag}{mark}>{escape(text)}</{tag}>" for mark, text in pairs)

    head = cells("th", frame.columns)
    body = "\n".join(f"<tr>{cells('td', row)}</tr>" for row in _rows(frame, digits))
    caption = f"<caption>{escape(note)}</caption>" if note else ""
    return (
        f'<table class="treegauge">{caption}\n<thead><tr>{head}</tr></thead>\n'
        f"<tbody>\n{body}\n</tbody></table>"
    )
