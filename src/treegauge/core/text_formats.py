"""JSON, TOML and CSV as text; too deep nesting counts as malformed."""

import re
from typing import Any

from treegauge.core.errors import CONTROLS, lines_of_text
from treegauge.core.lazy import pl


def parse_json(text: str | bytes) -> Any:
    r"""Return the content of JSON.

    Raises
    ------
    ValueError
        If it is not JSON, not UTF-8, has half a character (``\ud800``), or has more levels than
        Python can read.

    Examples
    --------
    >>> parse_json('{"a": [1, 2]}')
    {'a': [1, 2]}
    >>> parse_json("[" * 100_000)
    Traceback (most recent call last):
    ...
    ValueError: nested too deeply
    """
    import json

    try:
        content = json.loads(text)
        if (rb"\ud" if isinstance(text, bytes) else r"\ud") in text.lower():  # type: ignore[operator]
            json.dumps(content, ensure_ascii=False).encode()
    except RecursionError:
        raise ValueError("nested too deeply") from None
    except UnicodeEncodeError as error:
        raise ValueError(f"half a character, {error.object[error.start]!r}") from None
    return content


def json_text(content: Any, **layout: Any) -> str:
    r"""Return content as JSON in UTF-8; control characters are escaped as JSON does it.

    Undefined numbers are an error. `layout` is passed on to :func:`json.dumps`.

    Examples
    --------
    >>> print(json_text({"form": "中\x9b\u202e"}))
    {"form": "中\u009b\u202e"}
    """
    import json

    text = json.dumps(content, ensure_ascii=False, allow_nan=False, **layout)
    return CONTROLS.sub(_json_escape, text) if not text.isprintable() else text


def _json_escape(match: re.Match[str]) -> str:
    return match[0] if match[0] == "\n" else f"\\u{ord(match[0]):04x}"


def parse_toml(text: str) -> dict[str, Any]:
    """Return the content of TOML; errors as in :func:`parse_json`."""
    import tomllib

    try:
        return tomllib.loads(text)
    except RecursionError:
        raise ValueError("nested too deeply") from None


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
    text = pl.selectors.string()
    pattern = f"^{_ESCAPED.pattern}"
    return frame.with_columns(text.str.replace(pattern, "$1")).rename(plain_cell)
