"""Parsing of bytes into a treebank and a list of readable problems, and where documents start."""

import re
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt

from treegauge.core.errors import TreegaugeError
from treegauge.kernels import scan as _scan
from treegauge.treebanks.data.columns import Treebank
from treegauge.treebanks.data.problems import KINDS, ReadingProblem

_MARK = re.compile(rb"newdoc(?:_id)?\b")
LIMIT = 2**31 - 16
_BOM = b"\xef\xbb\xbf"


def index(
    data: bytes | npt.NDArray[np.uint8],
    name: str,
    *,
    file: str | None = None,
    first_line: int = 1,
    need_heads: bool = True,
) -> Treebank:
    """Return the treebank as it is in the bytes, with all problems in line order.

    Nothing is dropped or repaired. `file` is the name that problems show, `first_line` the number
    of the first line in it, and `need_heads` says whether ``_`` in HEAD is a problem.
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
        lambda buffer: _scan.lex(raw, begin, fields, row_offsets, spans, buffer), 2
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
        lambda buffer: _scan.build(
            raw, fields, kinds, ids, row_heads, row_offsets, need_heads, rows, heads, multiword, offsets, buffer
        ),
        1,
    )
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
        return treebank
    describer = Describer(treebank, file or name)
    problems = [describer.describe(code, where, s) for code, where, s in lexical.tolist()]
    for code, row, s in structural.tolist():
        problems.append(describer.describe(code, describer.place(row, s), s, row))
    return replace(treebank, problems=tuple(sorted(problems, key=lambda problem: problem.line)))


def _collect(run: Callable[[Any], tuple[int, ...]], position: int) -> tuple[tuple[int, ...], Any]:
    """Run a kernel with a buffer for problems, and again with a larger one if it was too small."""
    problems = np.empty((64, 3), np.int32)
    numbers = run(problems)
    if numbers[position] > len(problems):
        problems = np.empty((numbers[position], 3), np.int32)
        numbers = run(problems)
    return numbers, problems[: numbers[position]]


def _read_odd(raw: Any, fields: Any, kinds: Any, ids: Any, heads: Any) -> None:
    """Read what only Python's ``int`` accepts: signs, spaces, underscores, other digits."""

    def text(row: int, column: int) -> str:
        return bytes(raw[fields[row, column] : fields[row, column + 1] - 1]).decode(errors="replace")

    def integer(digits: str) -> int:
        try:
            return max(-1, min(int(digits), 10**9))
        except ValueError:
            return -1

    for row in np.flatnonzero(kinds == _scan.ODD).tolist():
        identifier = text(row, 0)
        if "-" in identifier:
            parts = identifier.split("-")
            kinds[row] = _scan.MULTIWORD
            ids[row] = [integer(part) for part in parts] if len(parts) == 2 else (-1, -1)
        elif integer(identifier) >= 0:
            kinds[row] = _scan.WORD
            ids[row] = integer(identifier)
    for row in np.flatnonzero((kinds == _scan.WORD) & (heads == _scan.ODD_HEAD)).tolist():
        value = integer(text(row, 6))
        heads[row] = value if value >= 0 else _scan.ODD_HEAD


_PLAIN = {
    _scan.EMPTY_SENTENCE: "a blank line with no word before it",
    _scan.NO_FINAL_BLANK: "the end of the file",
    _scan.BOM: "a byte order mark at the start of the file",
    _scan.NO_ROOT: "no word with HEAD 0",
}


class Describer:
    """Turns the kernels' codes and positions into readable problems."""

    def __init__(self, treebank: Treebank, file: str) -> None:
        self.treebank, self.file = treebank, file
        self.line = treebank.line_at
        self.sent_id = cache(self._sent_id)
        self._describe: dict[int, Callable[[int, int, int], str]] = {
            _scan.ENCODING: lambda where, s, row: f"byte 0x{treebank.raw[where]:02X}",
            _scan.COLUMNS: lambda where, s, row: _columns(self._line_text(where)),
            _scan.COMMENT_INSIDE: lambda where, s, row: quoted_start(self._line_text(where)),
            _scan.WORD_ID: lambda where, s, row: self._identifier(row),
            _scan.INNER_ID: lambda where, s, row: self._identifier(row),
            _scan.HEAD_NUMBER: lambda where, s, row: f"HEAD {self._field(row, 6)}",
            _scan.HEAD_RANGE: lambda where, s, row: f"HEAD {self._field(row, 6)}",
            _scan.CYCLE: lambda where, s, row: _cycle(self._heads(s), self._position(row, s)),
            _scan.SEVERAL_ROOTS: lambda where, s, row: _roots(self._heads(s)),
            _scan.EMPTY_FORM: lambda where, s, row: f"FORM {self._field(row, 1)}",
        }

    def describe(self, code: int, where: int, sentence: int, row: int = -1) -> ReadingProblem:
        """Describe one problem."""
        describe = self._describe.get(code)
        if code in _PLAIN:
            text = _PLAIN[code]
        else:
            text = describe(where, sentence, row) if describe else f"ID {self._field(row, 0)}"
        return ReadingProblem(
            KINDS[code].name, self.file, self.line(where), self.sent_id(sentence), text,
            self._expected(code, sentence, row), sentence,
        )  # fmt: skip

    def place(self, row: int, sentence: int) -> int:
        """Position of a row or, for row -1, of the sentence's first word."""
        tb = self.treebank
        first = row if row >= 0 else int(tb.row_offsets[sentence])
        if first < tb.row_offsets[sentence + 1]:
            return int(tb.fields[first, 0])
        return int(tb.spans[sentence, 0])

    def _sent_id(self, sentence: int) -> str | None:
        return self.treebank[sentence].id if 0 <= sentence < len(self.treebank) else None

    def _expected(self, code: int, sentence: int, row: int) -> str:
        if code in {_scan.WORD_ID, _scan.INNER_ID}:
            return f"ID '{self._position(row, sentence)}'"
        if code in {_scan.HEAD_NUMBER, _scan.HEAD_RANGE}:
            return f"a whole number from 0 to {len(self._heads(sentence))}"
        return KINDS[code].expected

    def _heads(self, sentence: int) -> npt.NDArray[np.int32]:
        tb = self.treebank
        return tb.head[tb.offsets[sentence] : tb.offsets[sentence + 1]]

    def _position(self, row: int, sentence: int) -> int:
        """Return the position of a row's word in its sentence."""
        tb = self.treebank
        rows = tb.rows[tb.offsets[sentence] : tb.offsets[sentence + 1]]
        return int(rows.searchsorted(np.int32(row))) + 1  # another type would copy all of them

    def _line_text(self, where: int) -> str:
        starts = self.treebank.line_starts
        number = int(starts.searchsorted(where, "right"))
        stop = starts[number] if number < len(starts) else None
        return self.treebank.raw[where:stop].tobytes().decode(errors="replace").rstrip("\r\n")

    def _field(self, row: int, column: int) -> str:
        return quoted_start(self.treebank.field(row, column))

    def _identifier(self, row: int) -> str:
        return f"ID {self._field(row, 0)} for {self._field(row, 1)}"


def _columns(text: str) -> str:
    count = text.count("\t") + 1
    hint = " (spaces where tabs belong?)" if len(text.split()) == 10 > count else ""
    return f"{count} in {quoted_start(text)}{hint}"


def _roots(heads: npt.NDArray[np.int32]) -> str:
    roots = (np.flatnonzero(heads == 0) + 1).tolist()
    more = ", ..." if len(roots) > 8 else ""
    return f"HEAD 0 at words {', '.join(map(str, roots[:8]))}{more}"


def _cycle(heads: npt.NDArray[np.int32], first: int) -> str:
    path, word = [first], int(heads[first - 1])
    while word != first and len(path) < 8:
        path.append(word)
        word = int(heads[word - 1])
    steps = " -> ".join(map(str, [*path, word if word == first else "..."]))
    return f"the cycle {steps}"


def quoted_start(text: str) -> str:
    """Return the start of a text in quotes."""
    return repr(text if len(text) <= 60 else text[:57] + "...")


def document_starts(treebank: Treebank) -> npt.NDArray[np.bool_]:
    r"""Return, for each sentence, whether it starts a document, at the comment ``# newdoc``.

    Older treebanks write ``# newdoc_id = NAME``.

    Examples
    --------
    >>> from treegauge.treebanks.data.conllu import parse_conllu
    >>> word = "1\tGo\tgo\tVERB\t_\t_\t0\troot\t_\t_\n\n"
    >>> document_starts(parse_conllu(f"# newdoc id = a\n{word}{word}# newdoc_id = b\n{word}")).tolist()
    [True, False, True]
    """
    text = treebank.raw.tobytes()
    starts = []
    for mark in _MARK.finditer(text):  # searching for the word is faster than searching for lines
        start = text.rfind(b"\n", 0, mark.start()) + 1
        if text[start : mark.start()].rstrip(b" \t") == b"#":
            starts.append(start)
    before = np.searchsorted(starts, treebank.spans)
    return np.asarray(before[:, 1] > before[:, 0])
