"""Some sentences of a treebank, and new values in its columns, over the bytes of all."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from treegauge.kernels import columns as _columns
from treegauge.results.errors import TreegaugeError
from treegauge.treebanks.columns import NUMBER, Ints, Treebank, concat
from treegauge.treebanks.conllu import TOLERABLE, parse_conllu


def cut(treebank: Treebank, start: int, stop: int) -> Treebank:
    """Return the sentences from `start` up to `stop`, as views of their positions."""
    stop = max(start, stop)
    w0, w1 = treebank.offsets[start], treebank.offsets[stop]
    r0, r1 = treebank.row_offsets[start], treebank.row_offsets[stop]
    inside = treebank.multiword[w0:w1]
    return replace(
        treebank,
        fields=treebank.fields[r0:r1],
        kinds=treebank.kinds[r0:r1],
        rows=treebank.rows[w0:w1] - r0,
        head=treebank.head[w0:w1],
        multiword=np.where(inside < 0, -1, inside - r0).astype(np.int32),
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
    inside = treebank.multiword[words]
    return replace(
        treebank,
        fields=treebank.fields[rows],
        kinds=treebank.kinds[rows],
        rows=treebank.rows[words] + shift,
        head=treebank.head[words],
        multiword=np.where(inside < 0, -1, inside + shift).astype(np.int32),
        offsets=offsets,
        row_offsets=row_offsets,
        spans=treebank.spans[index],
        tail=b"",
    )


def _gather(offsets: Ints, index: npt.NDArray[np.int64]) -> tuple[Ints, Ints]:
    """Members of the chosen groups, and the offsets of these groups."""
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
    pieces = [
        text.encode(errors="surrogatepass") for word in zip(*texts, strict=True) for text in word
    ]
    new = np.frombuffer(b"".join(pieces), np.uint8)
    ends = np.cumsum([len(piece) for piece in pieces], dtype=np.int64)
    numbers = np.array([NUMBER[name] for name in names], np.int32)
    out = np.empty(int(np.diff(treebank.spans).sum()) + new.size, np.uint8)
    size = _columns.rewrite(
        treebank.raw, treebank.fields, treebank.rows, treebank.offsets, treebank.spans,
        numbers, new, ends, out,
    )  # fmt: skip
    passed = {problem.kind for problem in treebank.problems if not problem.action}
    result = parse_conllu(
        out[:size].tobytes() + treebank.tail,
        name=treebank.name,
        need_heads=bool((treebank.head >= 0).all()),
        allow=[kind for kind in TOLERABLE if kind in passed or kind in allow],
        first_line=treebank._line_at(treebank.spans[0, 0]) if len(treebank) else 1,
    )
    return replace(result, problems=treebank.problems, policy=treebank.policy)


def _texts(treebank: Treebank, name: str, values: Sequence[Any] | Any) -> list[str]:
    """Return a column's new values as text, after a look at their number and characters."""
    texts = ["_" if value is None else str(value) for value in values]
    if len(texts) != treebank.n_words:
        raise TreegaugeError(
            f"column {name!r} has {len(texts)} values, expected {treebank.n_words}"
        )
    if name == "head":
        for word in np.flatnonzero(treebank.head < 0).tolist():
            texts[word] = "_" if texts[word] == "-1" else texts[word]
    for word, text in enumerate(texts):
        if not text or any(mark in text for mark in "\t\n\r"):
            raise TreegaugeError(
                f"column {name!r}, word {word}: found {text!r}, expected text without tabs or "
                "line ends ('_' for nothing)"
            )
    return texts
