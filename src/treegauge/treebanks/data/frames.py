"""Treebanks as data frames and back; selection of sentences and replacement of columns."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import chain
from typing import Any

import numpy as np
import numpy.typing as npt

from treegauge.core.errors import TreegaugeError
from treegauge.core.lazy import pl
from treegauge.core.reading import polars_frame
from treegauge.kernels import columns as _columns
from treegauge.treebanks.data.columns import COLUMNS, NUMBER, Ints, Treebank, concat
from treegauge.treebanks.data.conllu import TOLERABLE, parse_conllu
from treegauge.treebanks.sources.files import Errors

_BREAKS = "\t\n\r"
"""Characters that end a field or a line."""


def to_rows(treebank: Treebank) -> "pl.DataFrame":
    """Return all rows (words, multiword tokens, empty nodes) and comments as text columns.

    Comments after the last sentence are in a separate last row. With :func:`from_frame`, the round
    trip loses only the style of line ends.
    """
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
    """Return a treebank from a table with one row per word.

    Parameters
    ----------
    frame
        A polars or pandas frame or an Arrow table with the columns ``sentence`` and ``form``, and
        any of the other columns of CoNLL-U; missing ones become ``_``, and a missing ``id`` is
        numbered. ``comments`` in a sentence's first row has its comment lines; a last row with only
        comments has those after the last sentence.
    name, errors, need_heads
        As in :func:`treegauge.treebanks.data.conllu.parse_conllu`; by default heads are required if
        there is a column of them.

    Examples
    --------
    >>> import polars as pl
    >>> frame = pl.DataFrame({"sentence": [0, 0], "form": ["Go", "!"], "head": [0, 1]})
    >>> from_frame(frame)["form"].to_list()
    ['Go', '!']
    """
    table = polars_frame(frame)
    for needed in ("sentence", "form"):
        if needed not in table.columns:
            names = ", ".join(table.columns)
            raise TreegaugeError(f"{name}: found columns {names}; expected at least {needed!r}")
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
            raise TreegaugeError(f"{name}: column {column!r}: found {odd[0]!r}, expected no tabs or line ends")
    counted = pl.int_range(1, pl.len() + 1).over("sentence").cast(pl.String)
    lines = [
        pl.lit(fields[column]) if column in fields else counted if column == "id" else pl.lit("_") for column in COLUMNS
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


def cut(treebank: Treebank, start: int, stop: int) -> Treebank:
    """Return the sentences from `start` up to `stop`, as views of their positions."""
    stop = max(start, stop)
    w0, w1 = treebank.offsets[start], treebank.offsets[stop]
    r0, r1 = treebank.row_offsets[start], treebank.row_offsets[stop]
    return replace(
        _chosen(treebank, slice(w0, w1), slice(r0, r1), -r0),
        offsets=treebank.offsets[start : stop + 1] - w0,
        row_offsets=treebank.row_offsets[start : stop + 1] - r0,
        spans=treebank.spans[start:stop],
        tail=treebank.tail if stop == len(treebank) else b"",
    )


def take(treebank: Treebank, sentences: npt.ArrayLike) -> Treebank:
    """Return chosen sentences; see :meth:`Treebank.take`."""
    wanted = np.asarray(sentences)
    index = np.arange(len(treebank))[wanted if wanted.size else []].reshape(-1)
    words, offsets = _gather(treebank.offsets, index)
    rows, row_offsets = _gather(treebank.row_offsets, index)
    shift = np.repeat(row_offsets[:-1] - treebank.row_offsets[index], np.diff(offsets))
    return replace(
        _chosen(treebank, words, rows, shift),
        offsets=offsets, row_offsets=row_offsets, spans=treebank.spans[index], tail=b"",
    )  # fmt: skip


def drop_words(treebank: Treebank, dropped: npt.NDArray[np.bool_]) -> Treebank:
    r"""Return the trees that are left without these words, as a view to measure.

    Positions are counted again. Dependents of a dropped word get its nearest ancestor that is left as head; if there
    is none, the first of them becomes the root. Sentences without a word are left out. Multiword tokens
    and empty nodes are not kept, and :meth:`Treebank.to_bytes` still has the sentences as they were read.

    Examples
    --------
    >>> word = "{}\t{}\t_\t{}\t_\t_\t{}\t_\t_\t_\n"
    >>> lines = [word.format(1, "(", "PUNCT", 2), word.format(2, "-", "PUNCT", 0), word.format(3, "go", "VERB", 2)]
    >>> left = drop_words(parse_conllu("".join(lines) + "\n"), np.array([True, True, False]))
    >>> left["form"].to_list(), left.head.tolist()
    (['go'], [0])
    """
    kept, parent = ~dropped, treebank.parents.copy()
    for _ in range(int(treebank.lengths.max(initial=0))):
        over = (parent >= 0) & dropped[parent]
        if not over.any():
            break
        parent[over] = treebank.parents[parent[over]]
    orphans = np.flatnonzero(kept & (parent < 0) & (treebank.head > 0))
    sentence, first = np.unique(treebank.sentence_of[orphans], return_index=True)
    new_root = np.full(len(treebank), -1, np.int32)
    new_root[sentence] = orphans[first]
    parent[orphans] = new_root[treebank.sentence_of[orphans]]
    parent[orphans[first]] = -1
    sizes = np.bincount(treebank.sentence_of[kept], minlength=len(treebank))
    left = np.flatnonzero(sizes)
    number, offsets = np.cumsum(kept) - 1, np.concatenate(([0], np.cumsum(sizes[left]))).astype(np.int32)
    start = np.zeros(len(treebank), np.int64)
    start[left] = offsets[:-1]
    lost = (parent >= 0) & dropped[parent]  # heads on a cycle of dropped words
    missing = lost | ((parent < 0) & (treebank.head < 0))
    head = np.where(parent >= 0, number[parent] - start[treebank.sentence_of] + 1, 0)
    spans = treebank.spans[left].copy()
    if np.array_equal(treebank.spans[1:, 0], treebank.spans[:-1, 1]):  # comments such as "# newdoc" stay
        spans[:, 0] = treebank.spans[np.concatenate(([0], left[:-1] + 1)) if len(left) else left, 0]
    return replace(
        treebank, fields=treebank.fields[treebank.rows[kept]], kinds=np.zeros(len(head[kept]), np.uint8),
        rows=np.arange(kept.sum(), dtype=np.int32), head=np.where(missing, -1, head)[kept].astype(np.int32),
        multiword=np.full(kept.sum(), -1, np.int32), offsets=offsets, row_offsets=offsets, spans=spans,
    )  # fmt: skip


def _chosen(treebank: Treebank, words: Any, rows: Any, shift: Any) -> Treebank:
    """Return a treebank with these words and rows, whose numbers are shifted."""
    inside = treebank.multiword[words]
    return replace(
        treebank,
        fields=treebank.fields[rows],
        kinds=treebank.kinds[rows],
        rows=treebank.rows[words] + shift,
        head=treebank.head[words],
        multiword=np.where(inside < 0, -1, inside + shift).astype(np.int32),
    )


def _gather(offsets: Ints, index: npt.NDArray[np.int64]) -> tuple[Ints, Ints]:
    """Return the members of the chosen groups, and the offsets of these groups."""
    sizes = offsets[index + 1] - offsets[index]
    new = np.zeros(len(index) + 1, np.int32)
    np.cumsum(sizes, out=new[1:])
    members = np.arange(new[-1], dtype=np.int32) + np.repeat(offsets[index] - new[:-1], sizes)
    return members.astype(np.int32), new


def with_columns(
    treebank: Treebank, values: Mapping[str, Sequence[Any] | Any], *, allow: Sequence[str] = ()
) -> Treebank:
    """Replace columns of the words; see :meth:`Treebank.with_columns`.

    `allow` names further problems of trees to accept, such as ``cycle``.
    """
    if (treebank.spans[:-1, 1] == treebank.raw.size).any():  # may lack its blank line
        treebank = concat([treebank], name=treebank.name)
    names = sorted(values, key=treebank._number)
    texts = [_texts(treebank, name, values[name]) for name in names]
    words = zip(*texts, strict=True)
    joined = "\t".join(chain.from_iterable(words)).encode(errors="surrogatepass")
    separated = np.frombuffer(joined, np.uint8)
    between = separated == ord("\t")
    new = separated[~between]
    gaps = np.flatnonzero(between)
    ends = np.append(gaps - np.arange(len(gaps)), new.size)
    numbers = np.array([NUMBER[name] for name in names], np.int32)
    out = np.empty(int(np.diff(treebank.spans).sum()) + new.size, np.uint8)
    size = _columns.rewrite(
        treebank.raw, treebank.fields, treebank.rows, treebank.offsets, treebank.spans, numbers, new, ends, out
    )
    passed = {problem.kind for problem in treebank.problems if not problem.action}
    result = parse_conllu(
        out[:size].tobytes() + treebank.tail,
        name=treebank.name,
        need_heads=bool((treebank.head >= 0).all()),
        allow=[kind for kind in TOLERABLE if kind in passed or kind in allow],
        first_line=treebank.first_sentence_line,
    )
    return replace(result, problems=treebank.problems, policy=treebank.policy)


def _texts(treebank: Treebank, name: str, values: Sequence[Any] | Any) -> list[str]:
    """Return a column's new values as text, after checking their number and characters."""
    if isinstance(values, np.ndarray) and values.dtype.kind in "biu":
        numbers = values.tolist()
        text_of = {number: str(number) for number in set(numbers)}
        texts = [text_of[number] for number in numbers]
    else:
        listed = values.to_list() if hasattr(values, "to_list") else values
        texts = ["_" if value is None else str(value) for value in listed]
    if len(texts) != treebank.n_words:
        raise TreegaugeError(f"column {name!r} has {len(texts)} values, expected {treebank.n_words}")
    if name == "head":
        for word in np.flatnonzero(treebank.head < 0).tolist():
            texts[word] = "_" if texts[word] == "-1" else texts[word]
    together = "".join(texts)
    if all(texts) and not any(mark in together for mark in _BREAKS):
        return texts
    word = next(i for i, text in enumerate(texts) if not text or any(m in text for m in _BREAKS))
    raise TreegaugeError(
        f"column {name!r}, word {word}: found {texts[word]!r}, expected text without tabs or "
        "line ends ('_' for nothing)"
    )
