"""Treebanks as data frames and back: polars, pandas, Arrow."""

from typing import TYPE_CHECKING, Any

import numpy as np

from treegauge.results.errors import TreegaugeError
from treegauge.treebanks.columns import COLUMNS, Treebank
from treegauge.treebanks.conllu import parse_conllu
from treegauge.treebanks.sources import Errors

if TYPE_CHECKING:
    import polars as pl


def to_rows(treebank: Treebank) -> "pl.DataFrame":
    """Return all rows (words, multiword tokens, empty nodes) and comments as text columns.

    Comments after the last sentence are in a last row of their own. Together with
    :func:`from_frame` this loses nothing but the style of line ends.
    """
    import polars as pl

    rows = np.arange(len(treebank.fields), dtype=np.int32)
    sentence = np.repeat(np.arange(len(treebank), dtype=np.int32), np.diff(treebank.row_offsets))
    comments: list[str | None] = [None] * len(rows)
    for i, row in enumerate(treebank.row_offsets[:-1].tolist()):
        comments[row] = "\n".join(treebank.comment_lines(i))
    frame = pl.DataFrame(
        [
            pl.Series("sentence", sentence),
            pl.Series("comments", comments, pl.String),
            *(treebank._text(name, rows) for name in COLUMNS),
        ]
    )
    tail = treebank.tail.decode(errors="replace").replace("\r\n", "\n").replace("\r", "\n")
    if not tail:
        return frame
    last = pl.DataFrame({"sentence": [len(treebank)], "comments": [tail.rstrip("\n")]})
    return pl.concat([frame, last.cast({"sentence": pl.Int32})], how="diagonal")


def from_frame(
    frame: Any, *, name: str = "frame", errors: Errors = "strict", need_heads: bool | None = None
) -> Treebank:
    """Make a treebank of a table with one row per word.

    Parameters
    ----------
    frame
        A polars or pandas frame or an Arrow table with the columns ``sentence`` and ``form``, and
        any of the other columns of CoNLL-U; missing ones become ``_``, a missing ``id`` is counted.
        ``comments`` on a sentence's first row holds its comment lines; a last row with nothing
        but comments holds those after the last sentence.
    name, errors, need_heads
        As in :func:`treegauge.treebanks.conllu.parse_conllu`; heads are needed if there is a column
        of them, unless said otherwise.

    Examples
    --------
    >>> import polars as pl
    >>> frame = pl.DataFrame({"sentence": [0, 0], "form": ["Go", "!"], "head": [0, 1]})
    >>> from_frame(frame)["form"].to_list()
    ['Go', '!']
    """
    import polars as pl

    table = frame if isinstance(frame, pl.DataFrame) else pl.DataFrame(frame, nan_to_null=True)
    for needed in ("sentence", "form"):
        if needed not in table.columns:
            found = ", ".join(table.columns)
            raise TreegaugeError(f"{name}: found columns {found}; expected at least {needed!r}")
    known = [column for column in COLUMNS if column in table.columns]
    tail = ""
    if "comments" in table.columns and len(table) and table["comments"][-1] is not None:
        last = table.row(-1, named=True)
        if all(last[column] is None for column in known):
            table, tail = table[:-1], f"{last['comments']}\n"
    fields = {column: table[column].cast(pl.String).fill_null("_") for column in known}
    for column, values in fields.items():
        odd = values.filter(values.str.contains(r"[\t\n\r]"))
        if len(odd):
            raise TreegaugeError(
                f"{name}: column {column!r}: found {odd[0]!r}, expected no tabs or line ends"
            )
    counted = pl.int_range(1, pl.len() + 1).over("sentence").cast(pl.String)
    lines = [
        pl.lit(fields[column]) if column in fields else counted if column == "id" else pl.lit("_")
        for column in COLUMNS
    ]
    no_comments = pl.lit(None, pl.String)
    comments = pl.col("comments") if "comments" in table.columns else no_comments
    sentences = (
        table.select("sentence", line=pl.concat_str(lines, separator="\t"), comments=comments)
        .group_by("sentence", maintain_order=True)
        .agg(pl.col("line").str.join("\n"), pl.col("comments").first())
    )
    text = "".join(
        f"{above}\n{line}\n\n" if above else f"{line}\n\n"
        for above, line in zip(sentences["comments"], sentences["line"], strict=True)
    )
    heads = "head" in known if need_heads is None else need_heads
    return parse_conllu(text + tail, name=name, errors=errors, need_heads=heads)
