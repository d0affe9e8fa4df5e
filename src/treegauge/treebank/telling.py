"""Putting problems into words: file, line, sent_id, what was found, what was expected."""

from functools import cache
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from treegauge.treebank import _scan
from treegauge.treebank.problems import KINDS, Problem

if TYPE_CHECKING:
    from treegauge.treebank.columns import Treebank


class Teller:
    """Turns the kernels' codes and positions into problems a person can act on."""

    def __init__(self, treebank: "Treebank", file: str) -> None:
        self.treebank, self.file = treebank, file
        self.starts = _scan.line_starts(treebank.raw, _scan.count_lines(treebank.raw))
        self.sent_id = cache(self._sent_id)

    def tell(self, code: int, where: int, sentence: int, row: int = -1) -> Problem:
        """Describe one problem."""
        line = self.line(where)
        found = self._found(code, where, sentence, row)
        expected = self._expected(code, sentence, row)
        kind = KINDS[code].name
        return Problem(kind, self.file, line, self.sent_id(sentence), found, expected, sentence)

    def line(self, where: int) -> int:
        """Return the number of the line of a position."""
        return int(np.searchsorted(self.starts, where, "right")) - 1 + self.treebank.first_line

    def place(self, row: int, sentence: int) -> int:
        """Position of a row or, for row -1, of the sentence's first word."""
        tb = self.treebank
        first = row if row >= 0 else int(tb.row_offsets[sentence])
        if first < tb.row_offsets[sentence + 1]:
            return int(tb.fields[first, 0])
        return int(tb.spans[sentence, 0])

    def _sent_id(self, sentence: int) -> str | None:
        return self.treebank[sentence].id if 0 <= sentence < len(self.treebank) else None

    def _found(self, code: int, where: int, sentence: int, row: int) -> str:
        plain = {
            _scan.EMPTY_SENTENCE: "a blank line with no word before it",
            _scan.NO_FINAL_BLANK: "the end of the file",
            _scan.BOM: "a byte order mark at the start of the file",
            _scan.NO_ROOT: "no word with HEAD 0",
        }
        if code in plain:
            return plain[code]
        describe = {
            _scan.ENCODING: lambda: f"byte 0x{self.treebank.raw[where]:02X}",
            _scan.COLUMNS: lambda: _columns(self._line_text(where)),
            _scan.COMMENT_INSIDE: lambda: short(self._line_text(where)),
            _scan.WORD_ID: lambda: f"ID {self._field(row, 0)} for {self._field(row, 1)}",
            _scan.INNER_ID: lambda: f"ID {self._field(row, 0)} for {self._field(row, 1)}",
            _scan.HEAD_NUMBER: lambda: f"HEAD {self._field(row, 6)}",
            _scan.HEAD_RANGE: lambda: f"HEAD {self._field(row, 6)}",
            _scan.CYCLE: lambda: f"the cycle {_cycle(self._heads(sentence), self._position(row))}",
            _scan.SEVERAL_ROOTS: lambda: _roots(self._heads(sentence)),
            _scan.EMPTY_FORM: lambda: f"FORM {self._field(row, 1)}",
        }
        return describe.get(code, lambda: f"ID {self._field(row, 0)}")()

    def _expected(self, code: int, sentence: int, row: int) -> str:
        if code in {_scan.WORD_ID, _scan.INNER_ID}:
            return f"ID '{self._position(row)}'"
        if code in {_scan.HEAD_NUMBER, _scan.HEAD_RANGE}:
            return f"a whole number from 0 to {len(self._heads(sentence))}"
        return KINDS[code].expected

    def _heads(self, sentence: int) -> npt.NDArray[np.int32]:
        return self.treebank[sentence].head

    def _position(self, row: int) -> int:
        """Position in its sentence of the word in a row."""
        tb = self.treebank
        word = int(np.searchsorted(tb.rows, row))
        return word - int(tb.offsets[np.searchsorted(tb.offsets, word, "right") - 1]) + 1

    def _line_text(self, where: int) -> str:
        number = int(np.searchsorted(self.starts, where, "right"))
        stop = self.starts[number] if number < len(self.starts) else None
        return bytes(self.treebank.raw[where:stop]).decode(errors="replace").rstrip("\r\n")

    def _field(self, row: int, column: int) -> str:
        return short(self.treebank.field(row, column))


def _columns(text: str) -> str:
    count = text.count("\t") + 1
    hint = " (spaces where tabs belong?)" if len(text.split()) == 10 > count else ""
    return f"{count} in {short(text)}{hint}"


def _roots(heads: npt.NDArray[np.int32]) -> str:
    roots = (np.flatnonzero(heads == 0) + 1).tolist()
    more = ", ..." if len(roots) > 8 else ""
    return f"HEAD 0 at words {', '.join(map(str, roots[:8]))}{more}"


def _cycle(heads: npt.NDArray[np.int32], first: int) -> str:
    path, at = [first], int(heads[first - 1])
    while at != first and len(path) < 8:
        path.append(at)
        at = int(heads[at - 1])
    return " -> ".join(map(str, [*path, at if at == first else "..."]))


def short(text: str) -> str:
    """Return the start of a text in quotes."""
    return repr(text if len(text) <= 60 else text[:57] + "...")
