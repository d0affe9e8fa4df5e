"""Treebanks as data frames and back: polars, pandas, Arrow."""

from typing import TYPE_CHECKING, Any

import numpy as np

from treegauge.errors import TreegaugeError
from treegauge.treebank.columns import COLUMNS, Treebank
from treegauge.treebank.conllu import Errors, parse_conllu

if TYPE_CHECKING:
    import polars as pl


def to_rows(treebank: Treebank) -> "pl.DataFrame":
    """Return all rows (words, multiword tokens, empty nodes) and comments as text columns.

    Together with :func:`from_frame` this loses nothing but the style of line ends.
    """
    import polars as pl

    rows = np.arange(len(treebank.fields))
    sentence = np.repeat(np.arange(len(treebank)), np.diff(treebank.row_offsets))
    columns = {
        name: [treebank.field(row, number) for row in rows.tolist()]
        for number, name in enumerate(COLUMNS)
    }
    comments: list[str | None] = [None] * len(rows)
    for i, row in enumerate(treebank.row_offsets[:-1].tolist()):
        comments[row] = "\n".join(treebank[i].comment_lines)
    schema: dict[str, Any] = {"sentence": pl.Int32, "comments": pl.String}
    schema |= dict.fromkeys(COLUMNS, pl.String)
    return pl.DataFrame({"sentence": sentence, "comments": comments} | columns, schema=schema)


def from_frame(frame: Any, *, name: str = "frame", errors: Errors = "strict") -> Treebank:
    """Make a treebank of a table with one row a word.

    Parameters
    ----------
    frame
        A polars or pandas frame or an Arrow table with the columns ``sentence`` and ``form``, and
        any of the other columns of CoNLL-U; missing ones become ``_``, a missing ``id`` is counted.
        ``comments`` on a sentence's first row holds its comment lines.
    name, errors
        As in :func:`treegauge.treebank.conllu.parse_conllu`.

    Examples
    --------
    >>> import polars as pl
    >>> frame = pl.DataFrame({"sentence": [0, 0], "form": ["Go", "!"], "head": [0, 1]})
    >>> from_frame(frame)["form"].to_list()
    ['Go', '!']
    """
    import polars as pl

    table = frame if isinstance(frame, pl.DataFrame) else pl.DataFrame(frame)
    for needed in ("sentence", "form"):
        if needed not in table.columns:
            found = ", ".join(table.columns)
            raise TreegaugeError(f"{name}: found columns {found}; expected at least {needed!r}")
    known = [column for column in COLUMNS if column in table.columns]
    parts: list[str] = []
    for _, group in table.group_by("sentence", maintain_order=True):
        if "comments" in table.columns and group["comments"][0]:
            parts.append(group["comments"][0])
        values = {
            column: group[column].cast(pl.String).fill_null("_").to_list() for column in known
        }
        values.setdefault("id", [str(i + 1) for i in range(len(group))])
        blank = ["_"] * len(group)
        lines = zip(*(values.get(column, blank) for column in COLUMNS), strict=True)
        parts += ["\t".join(line) for line in lines]
        parts.append("")
    text = "\n".join(parts) + "\n" if parts else ""
    return parse_conllu(text, name=name, errors=errors, need_heads="head" in known)
