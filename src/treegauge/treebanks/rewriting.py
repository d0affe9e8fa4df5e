"""New values in the columns of a treebank, every other byte as it was."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from treegauge.kernels import columns as _columns
from treegauge.results.errors import TreegaugeError
from treegauge.treebanks.columns import NUMBER, Treebank, concat
from treegauge.treebanks.conllu import TOLERABLE, parse_conllu


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
