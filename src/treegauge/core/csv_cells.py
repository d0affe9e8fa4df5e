"""CSV without formulas: cells that spreadsheets would run begin with an apostrophe.

Reading removes the apostrophe again, so that nothing is lost between verbs. Numbers stay unchanged.
"""

import re
from typing import TYPE_CHECKING

from treegauge.core.errors import lines_of_text

if TYPE_CHECKING:
    import polars as pl

_RUN = r"^'*[=+\-@\t\r＝＋－＠]"
_NUMBER = r"^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?%?$"
_ESCAPED = re.compile(r"'('*[=+\-@\t\r＝＋－＠])")


def escaped_cells(frame: "pl.DataFrame") -> "pl.DataFrame":
    """Return a frame with escaped texts, those that begin with ``= + - @`` of any width, tab or CR.

    Single characters and numbers are not formulas and stay as they are.

    Examples
    --------
    >>> import polars as pl
    >>> escaped_cells(pl.DataFrame({"form": ["=1+1", "-", "-2.5", "@SUM(A1)", "'=", "go"]}))["form"].to_list()
    ["'=1+1", '-', '-2.5', "'@SUM(A1)", "''=", 'go']
    """
    import polars as pl

    columns = []
    for column in frame.get_columns():
        cells = column
        if column.dtype == pl.String:
            runs = column.str.contains(_RUN) & ~column.str.contains(_NUMBER)
            runs = (runs & (column.str.len_chars() > 1)).fill_null(value=False)
            cells = column.zip_with(~runs, "'" + column) if runs.any() else column
        columns.append(cells.alias(f"'{column.name}" if _is_run(column.name) else column.name))
    return pl.DataFrame(columns)


def _is_run(text: str) -> bool:
    return len(text) > 1 and bool(re.match(_RUN, text)) and not re.match(_NUMBER, text)


def to_csv_text(frame: "pl.DataFrame", separator: str = ",") -> str:
    r"""Return a frame as CSV with escaped cells; control characters are written as ``\x1b``."""
    return lines_of_text(data_csv(frame, separator))


def data_csv(frame: "pl.DataFrame", separator: str = ",") -> str:
    """Return a frame as CSV with escaped cells, control characters as they are: a treebank."""
    return escaped_cells(frame).write_csv(separator=separator)


def plain_cell(cell: str) -> str:
    """Return a cell as it was before it was escaped.

    Examples
    --------
    >>> [plain_cell(cell) for cell in ("'=1+1", "-2.5", "''=", "'go'")]
    ['=1+1', '-2.5', "'=", "'go'"]
    """
    return cell[1:] if _ESCAPED.match(cell) else cell


def plain_cells(frame: "pl.DataFrame") -> "pl.DataFrame":
    """Return a frame of CSV with its cells as they were before they were escaped."""
    import polars as pl

    text = pl.selectors.string()
    pattern = f"^{_ESCAPED.pattern}"
    return frame.with_columns(text.str.replace(pattern, "$1")).rename(plain_cell)
