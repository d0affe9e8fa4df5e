"""From bytes to a treebank and a list of everything that is wrong with them."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from treegauge.kernels import scan as _scan
from treegauge.results.errors import TreegaugeError
from treegauge.treebanks.columns import Treebank
from treegauge.treebanks.problems import Problem
from treegauge.treebanks.telling import Teller

LIMIT = 2**31 - 16
_BOM = b"\xef\xbb\xbf"


class Indexed(NamedTuple):
    """A treebank as it stands in the bytes, and the problems found."""

    treebank: Treebank
    problems: list[Problem]


def index(
    data: bytes | npt.NDArray[np.uint8],
    name: str,
    *,
    file: str | None = None,
    first_line: int = 1,
    need_heads: bool = True,
) -> Indexed:
    """Find sentences, words and fields, and note every problem; nothing is dropped or mended.

    Parameters
    ----------
    data
        CoNLL-U as bytes.
    name, file
        The treebank's name, and the file's as it is shown in problems.
    first_line
        Number of the first line, for pieces of a larger file.
    need_heads
        Whether ``_`` in HEAD is a problem.

    Returns
    -------
    Indexed
        The treebank and its problems in the order of their lines.
    """
    raw = np.frombuffer(data, np.uint8) if isinstance(data, bytes) else data.view()
    if raw.size > LIMIT:
        raise TreegaugeError(
            f"{file or name} has {raw.size:,} bytes; one treebank holds at most {LIMIT:,}: "
            "read larger files piece by piece with stream_conllu"
        )
    begin = 3 if first_line == 1 and raw[:3].tobytes() == _BOM else 0
    lines = _scan.count_lines(raw)
    fields = np.empty((lines + 1, 11), np.int32)
    row_offsets = np.empty(lines + 2, np.int32)
    spans = np.empty((lines + 1, 2), np.int32)
    (n_rows, n_sentences, _, tail), lexical = _collect(
        lambda found: _scan.lex(raw, begin, fields, row_offsets, spans, found), 2
    )
    fields, row_offsets = fields[:n_rows], row_offsets[: n_sentences + 1]
    kinds = np.empty(n_rows, np.uint8)
    ids = np.empty((n_rows, 2), np.int32)
    row_heads = np.empty(n_rows, np.int32)
    if _scan.number(raw, fields, kinds, ids, row_heads):
        _read_odd(raw, fields, kinds, ids, row_heads)
    rows, heads, multiword = (np.empty(n_rows, np.int32) for _ in range(3))
    offsets = np.empty(n_sentences + 1, np.int32)
    (n_words, _), structural = _collect(
        lambda found: _scan.build(
            raw, fields, kinds, ids, row_heads, row_offsets, need_heads,
            rows, heads, multiword, offsets, found,
        ),
        1,
    )  # fmt: skip
    treebank = Treebank(
        name=name,
        raw=raw,
        fields=fields,
        kinds=kinds,
        rows=rows[:n_words],
        head=heads[:n_words],
        multiword=multiword[:n_words],
        offsets=offsets,
        row_offsets=row_offsets,
        spans=spans[:n_sentences],
        tail=raw[tail:].tobytes(),
        first_line=first_line,
    )
    if begin:
        lexical = np.concatenate((np.array([[_scan.BOM, 0, -1]], np.int32), lexical))
    if len(lexical) + len(structural) == 0:
        return Indexed(treebank, [])
    teller = Teller(treebank, file or name)
    told = [teller.tell(code, where, s) for code, where, s in lexical.tolist()]
    for code, row, s in structural.tolist():
        told.append(teller.tell(code, teller.place(row, s), s, row))
    return Indexed(treebank, sorted(told, key=lambda problem: problem.line))


def _collect(run: Callable[[Any], tuple[int, ...]], at: int) -> tuple[tuple[int, ...], Any]:
    """Run a kernel with room for its problems; once more with more room if that was too little."""
    problems = np.empty((64, 3), np.int32)
    numbers = run(problems)
    if numbers[at] > len(problems):
        problems = np.empty((numbers[at], 3), np.int32)
        numbers = run(problems)
    return numbers, problems[: numbers[at]]


def _read_odd(raw: Any, fields: Any, kinds: Any, ids: Any, heads: Any) -> None:
    """Read what only Python's ``int`` accepts: signs, spaces, underscores, other digits."""

    def text(row: int, column: int) -> str:
        return bytes(raw[fields[row, column] : fields[row, column + 1] - 1]).decode(
            errors="replace"
        )

    def integer(found: str) -> int:
        try:
            return max(-1, min(int(found), 10**9))
        except ValueError:
            return -1

    for row in np.flatnonzero(kinds == _scan.ODD).tolist():
        found = text(row, 0)
        if "-" in found:
            parts = found.split("-")
            kinds[row] = _scan.MULTIWORD
            ids[row] = [integer(part) for part in parts] if len(parts) == 2 else (-1, -1)
        elif integer(found) >= 0:
            kinds[row] = _scan.WORD
            ids[row] = integer(found)
    for row in np.flatnonzero((kinds == _scan.WORD) & (heads == _scan.ODD_HEAD)).tolist():
        value = integer(text(row, 6))
        heads[row] = value if value >= 0 else _scan.ODD_HEAD
