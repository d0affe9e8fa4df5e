"""From the kernels' records to problems that people read: what was found, and where."""

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np

from treegauge.validation.chunk import COLUMNS, EMPTY, MULTIWORD, WORD, Chunk, Finding, Ints
from treegauge.validation.problem import Problem
from treegauge.validation.rules import RULES

SHOWN = 60
"""Characters of a value or line that a message quotes at most."""

_SENT_ID = re.compile(rb"#\s*sent_id\s*=\s*(\S+)\s*")
_UPOS = (3, 7)
_PARENT = (7,)
_COLUMNS_SHOWN = {
    "0-is-not-root": (6, 7), "root-is-not-0": (6, 7), "pron-det-without-prontype": (3, 5),
    "fixed-without-extpos": (1, 5), "flat-foreign-upos-feats": (3, 5), "upos-rel-punct": _UPOS,
    "goeswith-edeps": (6, 7, 8),
} | {
    f"rel-upos-{relation}": _UPOS
    for relation in "det nummod advmod expl aux cop case mark cc punct fixed".split()
}  # fmt: skip
"""Rules whose messages quote other columns than the one they point to."""

_FIXED = {
    "misplaced-comment": "a comment after the first word",
    "empty-sentence": "no word before the empty line",
    "missing-empty-line": "the end of the file",
    "multiple-roots": "several words with HEAD 0",
    "non-tree": "words that cannot be reached from the root",
    "edeps-only-sometimes": "a sentence that differs from those before it",
    "missing-sent-id": "no sent_id",
    "multiple-sent-id": "several sent_ids",
    "multiple-parallel-id": "several parallel_ids",
    "missing-text": "no text",
    "multiple-text": "several texts",
    "empty-text": "an empty text",
    "multiple-newdoc": "several comments newdoc",
    "multiple-newpar": "several comments newpar",
    "spaceafter-newdocpar": "SpaceAfter=No before this document or paragraph",
    "empty-node-after-eorphan": "an empty node, after orphan in DEPS of earlier sentences",
    "too-many-subjects": "several subjects",
    "too-many-objects": "several objects",
    "goeswith-gap": "other words between the parts",
}
"""What the messages of rules about whole lines and sentences say."""


def _quoted(text: str) -> str:
    return repr(text if len(text) <= SHOWN else f"{text[:SHOWN]}...")


class Reporter:
    """Makes the problems of one chunk."""

    def __init__(self, chunk: Chunk, file: str, begins: Ints) -> None:
        self._chunk = chunk
        self._file = file
        self._begins = begins
        self._raw = chunk.data.tobytes() if chunk.data.base is None else bytes(chunk.data.base)
        self._sent_ids: dict[int, str | None] = {}

    def problems(self, records: Ints, findings: Iterable[Finding]) -> list[Problem]:
        """Return the problems of records and findings, in the order of lines."""
        made = [
            (row, self._problem(RULES[rule].id, row, start, stop, other))
            for rule, row, start, stop, other in records.tolist()
        ]
        made += [(finding.row, self._of_finding(finding)) for finding in findings]
        made.sort(key=lambda pair: pair[0])
        return [problem for _, problem in made]

    def _problem(self, rule: str, row: int, start: int, stop: int, other: int) -> Problem:
        found = self._found(rule, row, start, stop, other)
        return self._at(rule, row, max(start, 0), max(stop, 0), found, None)

    def _of_finding(self, finding: Finding) -> Problem:
        found = finding.found or self._field_text(finding.row, finding.start, finding.stop)
        return self._at(
            finding.rule, finding.row, finding.start, finding.stop, found, finding.expected
        )

    def _at(
        self, rule: str, row: int, start: int, stop: int, found: str, wanted: str | None
    ) -> Problem:
        begin = int(self._chunk.fields[row, 0])
        first = last = 1
        if stop > start >= begin:
            first = len(self._raw[begin:start].decode(errors="replace")) + 1
            last = first + len(self._raw[start:stop].decode(errors="replace"))
        node = None
        if self._chunk.kinds[row] in (WORD, MULTIWORD, EMPTY):
            node = self._chunk.text(row, 0)
        line = self._chunk.first_line + row
        sent_id = self._sent_id(row)
        return Problem(self._file, line, sent_id, node, rule, first, last, found, wanted)

    def _sent_id(self, row: int) -> str | None:
        """Return the ID of the sentence that a row is in."""
        sentence = int(np.searchsorted(self._begins, row, "right")) - 1
        if sentence not in self._sent_ids:
            self._sent_ids[sentence] = None
            for one in range(int(self._begins[sentence]), int(self._begins[sentence + 1])):
                line = self._line(one)
                if not line.startswith(b"#"):
                    break
                match = _SENT_ID.fullmatch(line)
                if match:
                    self._sent_ids[sentence] = match[1].decode()
                    break
        return self._sent_ids[sentence]

    def _line(self, row: int) -> bytes:
        fields = self._chunk.fields
        return self._raw[int(fields[row, 0]) : int(fields[row, 10]) - 1]

    def _field_text(self, row: int, start: int, stop: int) -> str:
        """Name the column that some bytes are in, and quote them."""
        text = _quoted(self._raw[start:stop].decode(errors="replace"))
        if self._chunk.kinds[row] not in (WORD, MULTIWORD, EMPTY):
            return text
        column = int(np.searchsorted(self._chunk.fields[row, 1:10], start, "right"))
        return f"{COLUMNS[column]} {text}"

    def _columns_text(self, row: int, columns: Iterable[int]) -> str:
        return ", ".join(f"{COLUMNS[c]} {_quoted(self._chunk.text(row, c))}" for c in columns)

    def _found(self, rule: str, row: int, start: int, stop: int, other: int) -> str:
        """Say what was found."""
        if rule in _FIXED:
            return _FIXED[rule]
        if rule in _COLUMNS_SHOWN:
            return self._columns_text(row, _COLUMNS_SHOWN[rule])
        if rule in _SPECIAL:
            return _SPECIAL[rule](self, row, start, stop, other)
        if start >= stop and other >= 0:
            return _quoted(self._line(other).decode())
        if start >= stop:
            return _quoted(self._line(row).decode())
        if other >= 0:
            parent = self._columns_text(other, (0, 1, 7))
            return f"{self._columns_text(row, (7,))} with the parent {parent}"
        return self._field_text(row, start, stop)

    def _character(self, row: int, start: int, stop: int, other: int) -> str:
        text = self._raw[start:stop].decode()
        return f"U+{ord(text[0]):04X} {unicodedata.name(text[0], '')}".strip()

    def _tabs(self, row: int, start: int, stop: int, other: int) -> str:
        number = self._line(row).count(b"\t") + 1
        return f"{number} column{'' if number == 1 else 's'}"

    def _empty_column(self, row: int, start: int, stop: int, other: int) -> str:
        column = int(np.searchsorted(self._chunk.fields[row, 1:10], start, "right"))
        return f"nothing in {COLUMNS[column]}"

    def _text(self, row: int, start: int, stop: int, other: int) -> str:
        rest = self._raw[other : self._raw.find(b"\n", other)].decode()
        form = f"FORM {_quoted(self._raw[start:stop].decode())} where " if stop > start else ""
        return f"{form}the text {'goes on' if form else 'still has'} {_quoted(rest)}"

    def _between(self, row: int, start: int, stop: int, other: int) -> str:
        return f"{_quoted(self._chunk.text(other, 1))} inside the expression"

    def _no_space(self, row: int, start: int, stop: int, other: int) -> str:
        return f"SpaceAfter=No on {_quoted(self._chunk.text(other, 1))}"

    def _crossing(self, row: int, start: int, stop: int, other: int) -> str:
        return f"HEAD {self._chunk.text(row, 6)}, crossed by the arc to word {self._chunk.text(other, 0)}"


_SPECIAL: dict[str, Callable[[Reporter, int, int, int, int], str]] = {
    "invalid-utf": lambda *_: "U+FFFD, or bytes that are not UTF-8",
    "unicode-normalization": Reporter._character,
    "number-of-columns": Reporter._tabs,
    "empty-column": Reporter._empty_column,
    "empty-string-in-xpos": Reporter._empty_column,
    "text-form-mismatch": Reporter._text,
    "text-extra-chars": Reporter._text,
    "fixed-gap": Reporter._between,
    "goeswith-nospace": Reporter._no_space,
    "punct-causes-nonproj": Reporter._crossing,
}
