"""Putting problems into words: file, line, sent_id, what was found, what was expected."""

from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from treegauge.kernels import scan as _scan
from treegauge.treebanks.problems import KINDS, Problem

if TYPE_CHECKING:
    from treegauge.treebanks.columns import Treebank


_PLAIN = {
    _scan.EMPTY_SENTENCE: "a blank line with no word before it",
    _scan.NO_FINAL_BLANK: "the end of the file",
    _scan.BOM: "a byte order mark at the start of the file",
    _scan.NO_ROOT: "no word with HEAD 0",
}


class Teller:
    """Turns the kernels' codes and positions into problems a person can act on."""

    def __init__(self, treebank: "Treebank", file: str) -> None:
        self.treebank, self.file = treebank, file
        self.starts = _scan.line_starts(treebank.raw, _scan.count_lines(treebank.raw))
        self.sent_id = cache(self._sent_id)
        self._describe: dict[int, Callable[[int, int, int], str]] = {
            _scan.ENCODING: lambda where, s, row: f"byte 0x{treebank.raw[where]:02X}",
            _scan.COLUMNS: lambda where, s, row: _columns(self._line_text(where)),
            _scan.COMMENT_INSIDE: lambda where, s, row: short(self._line_text(where)),
            _scan.WORD_ID: lambda where, s, row: self._identifier(row),
            _scan.INNER_ID: lambda where, s, row: self._identifier(row),
            _scan.HEAD_NUMBER: lambda where, s, row: f"HEAD {self._field(row, 6)}",
            _scan.HEAD_RANGE: lambda where, s, row: f"HEAD {self._field(row, 6)}",
            _scan.CYCLE: lambda where, s, row: _cycle(self._heads(s), self._position(row, s)),
            _scan.SEVERAL_ROOTS: lambda where, s, row: _roots(self._heads(s)),
            _scan.EMPTY_FORM: lambda where, s, row: f"FORM {self._field(row, 1)}",
        }

    def tell(self, code: int, where: int, sentence: int, row: int = -1) -> Problem:
        """Describe one problem."""
        describe = self._describe.get(code)
        if code in _PLAIN:
            found = _PLAIN[code]
        else:
            found = describe(where, sentence, row) if describe else f"ID {self._field(row, 0)}"
        return Problem(
            KINDS[code].name, self.file, self.line(where), self.sent_id(sentence), found,
            self._expected(code, sentence, row), sentence,
        )  # fmt: skip

    def line(self, where: int) -> int:
        """Return the number of the line of a position."""
        return int(self.starts.searchsorted(where, "right")) - 1 + self.treebank.first_line

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
        """Position in its sentence of the word in a row."""
        tb = self.treebank
        rows = tb.rows[tb.offsets[sentence] : tb.offsets[sentence + 1]]
        return int(rows.searchsorted(np.int32(row))) + 1  # another type would copy all of them

    def _line_text(self, where: int) -> str:
        number = int(self.starts.searchsorted(where, "right"))
        stop = self.starts[number] if number < len(self.starts) else None
        return self.treebank.raw[where:stop].tobytes().decode(errors="replace").rstrip("\r\n")

    def _field(self, row: int, column: int) -> str:
        return short(self.treebank.field(row, column))

    def _identifier(self, row: int) -> str:
        return f"ID {self._field(row, 0)} for {self._field(row, 1)}"


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
    steps = " -> ".join(map(str, [*path, at if at == first else "..."]))
    return f"the cycle {steps}"


def short(text: str) -> str:
    """Return the start of a text in quotes."""
    return repr(text if len(text) <= 60 else text[:57] + "...")
