"""From bytes to a treebank and a list of everything that is wrong with them."""

from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from treegauge.errors import TreegaugeError
from treegauge.treebank import _scan
from treegauge.treebank.columns import Treebank
from treegauge.treebank.problems import KINDS, Problem

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
    raw = np.frombuffer(data, np.uint8) if isinstance(data, bytes) else data
    if raw.size > LIMIT:
        raise TreegaugeError(
            f"{file or name} has {raw.size:,} bytes; one treebank holds at most {LIMIT:,}: "
            "read larger files piece by piece with stream_conllu"
        )
    begin = 3 if raw[:3].tobytes() == _BOM else 0
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
    for array in (treebank.raw, treebank.fields, treebank.head, treebank.offsets):
        array.flags.writeable = False
    if begin:
        lexical = np.concatenate((np.array([[_scan.BOM, 0, 0]], np.int32), lexical))
    if len(lexical) + len(structural) == 0:
        return Indexed(treebank, [])
    teller = _Teller(treebank, file or name, first_line, lines)
    told = [teller.tell(code, where, s) for code, where, s in lexical.tolist()]
    for code, row, s in structural.tolist():
        where = fields[row, 0] if row >= 0 else _first_byte(treebank, s)
        told.append(teller.tell(code, int(where), s, row))
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


def _first_byte(treebank: Treebank, sentence: int) -> int:
    row = treebank.row_offsets[sentence]
    if row < treebank.row_offsets[sentence + 1]:
        return int(treebank.fields[row, 0])
    return int(treebank.spans[sentence, 0])


class _Teller:
    """Turns codes and positions into problems with lines, sent_ids and words."""

    def __init__(self, treebank: Treebank, file: str, first_line: int, lines: int) -> None:
        self.treebank, self.file, self.first_line = treebank, file, first_line
        self.starts = _scan.line_starts(treebank.raw, lines)
        self.sent_id = cache(self._sent_id)

    def _sent_id(self, sentence: int) -> str | None:
        return self.treebank[sentence].id if sentence < len(self.treebank) else None

    def line_text(self, where: int) -> str:
        raw = self.treebank.raw
        line = bytes(raw[where : where + 4096]).decode(errors="replace")
        return line.replace("\r", "\n").split("\n", 1)[0]

    def tell(self, code: int, where: int, sentence: int, row: int = -1) -> Problem:
        line = int(np.searchsorted(self.starts, where, "right")) - 1 + self.first_line
        found, expected = self.words(code, where, sentence, row)
        return Problem(
            KINDS[code].name, self.file, line, self.sent_id(sentence), found, expected, sentence
        )

    def field(self, row: int, column: int) -> str:
        start, stop = self.treebank.fields[row, column], self.treebank.fields[row, column + 1] - 1
        return _short(bytes(self.treebank.raw[start:stop]).decode(errors="replace"))

    def words(self, code: int, where: int, sentence: int, row: int) -> tuple[str, str]:
        tb, expected = self.treebank, KINDS[code].expected
        size = int(tb.offsets[sentence + 1] - tb.offsets[sentence]) if sentence < len(tb) else 0
        heads = tb[sentence].head if sentence < len(tb) else np.empty(0, np.int32)
        if code == _scan.ENCODING:
            return f"byte 0x{tb.raw[where]:02X}", expected
        if code == _scan.COLUMNS:
            text = self.line_text(where)
            count = text.count("\t") + 1
            hint = " (spaces where tabs belong?)" if len(text.split()) == 10 > count else ""
            return f"{count} in {_short(text)}{hint}", expected
        if code == _scan.COMMENT_INSIDE:
            return _short(self.line_text(where)), expected
        if code == _scan.EMPTY_SENTENCE:
            return "a blank line with no word before it", expected
        if code == _scan.NO_FINAL_BLANK:
            return "the end of the file", expected
        if code == _scan.BOM:
            return "a byte order mark at the start of the file", expected
        if code in {_scan.WORD_ID, _scan.INNER_ID}:
            position = int(np.searchsorted(tb.rows, row)) - int(tb.offsets[sentence]) + 1
            return f"ID {self.field(row, 0)} for {self.field(row, 1)}", f"ID '{position}'"
        if code in {_scan.HEAD_NUMBER, _scan.HEAD_RANGE}:
            return f"HEAD {self.field(row, 6)}", f"a whole number from 0 to {size}"
        if code == _scan.CYCLE:
            first = int(np.searchsorted(tb.rows, row)) - int(tb.offsets[sentence]) + 1
            return f"the cycle {_cycle(heads, first)}", expected
        if code == _scan.NO_ROOT:
            return "no word with HEAD 0", expected
        if code == _scan.SEVERAL_ROOTS:
            roots = (np.flatnonzero(heads == 0) + 1).tolist()
            return f"HEAD 0 at words {', '.join(map(str, roots[:8]))}", expected
        if code == _scan.EMPTY_FORM:
            return f"FORM {self.field(row, 1)}", expected
        return f"ID {self.field(row, 0)}", expected


def _cycle(heads: npt.NDArray[np.int32], first: int) -> str:
    path, at = [first], int(heads[first - 1])
    while at != first and len(path) < 8:
        path.append(at)
        at = int(heads[at - 1])
    return " -> ".join(map(str, [*path, at if at == first else "..."]))


def _short(text: str) -> str:
    return repr(text if len(text) <= 60 else text[:57] + "...")
