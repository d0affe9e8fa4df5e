"""Whole sentences of a file as arrays, the input of language-specific tests, and readable problems.

Levels 1 to 3 run in kernels. They fill a :class:`Chunk`, which :class:`LanguageTests` (levels 4 and
5) read once per chunk, not once per word. Codes stay the same for the whole run, so that a test of
(FEATS, UPOS, Lang) runs once per distinct combination. A *row* is a line of the chunk, counted from
0, also a comment or an empty line; its number in the file is ``chunk.first_line + row``. Findings
may come in any order; the engine sorts them by line into the problems of their sentence.
"""

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from treegauge.validation.problems import BY_ID, RULES, Problem, Rule

Ints = npt.NDArray[np.int32]
Bytes = npt.NDArray[np.uint8]
COLUMNS = ("ID", "FORM", "LEMMA", "UPOS", "XPOS", "FEATS", "HEAD", "DEPREL", "DEPS", "MISC")
COMMENT, BLANK, WORD, MULTIWORD, EMPTY, OTHER = range(6)
"""Kinds of rows; OTHER are all other lines."""


class LanguageFinding(NamedTuple):
    """A rule that a row breaks; `start` and `stop` are bytes of ``chunk.data``.

    `found` is by default the column with the text of these bytes, `expected` the text of the rule. Own checks of a
    treebank bring their rule.
    """

    rule: str
    row: int
    start: int
    stop: int
    found: str | None = None
    expected: str | None = None
    own: Rule | None = None


class Values(NamedTuple):
    """The distinct values seen so far, by code; they grow with every chunk."""

    upos: Sequence[str]
    feats: Sequence[str]
    deprel: Sequence[str]
    edeprel: Sequence[str]
    lang: Sequence[str]


@dataclass(frozen=True, eq=False)
class Chunk:
    """Several whole sentences of a file.

    Attributes
    ----------
    data
        The bytes.
    first_line
        The number of the first row in the file, from 1.
    fields
        Column ``j`` of row ``r`` is ``data[fields[r, j] : fields[r, j + 1] - 1]``; only of words,
        multiword tokens and empty nodes.
    kinds
        What each row is: `COMMENT`, `BLANK`, `WORD`, `MULTIWORD`, `EMPTY` or `OTHER`.
    nodes
        Rows of words and empty nodes that levels 3 to 5 test.
    parent
        The row of a word's head; -1 for roots and for all but words.
    cover
        The row of the multiword token that a word belongs to, or -1.
    spaced
        1 where FORM or LEMMA has white space inside.
    upos, feats, deprel, lang
        Codes of :class:`Values`, defined for `nodes`.
    edges
        Row and code of the relation for every item of DEPS of `nodes`.
    """

    data: Bytes
    first_line: int
    fields: Ints
    kinds: Bytes
    nodes: Ints
    parent: Ints
    cover: Ints
    spaced: Bytes
    upos: Ints
    feats: Ints
    deprel: Ints
    lang: Ints
    edges: Ints
    values: Values

    def text(self, row: int, column: int) -> str:
        """Return the text of a field; columns count from 0."""
        start, stop = self.span(row, column)
        return self.data[start:stop].tobytes().decode()

    def span(self, row: int, column: int) -> tuple[int, int]:
        """Return the start and end of a field in `data`."""
        return int(self.fields[row, column]), int(self.fields[row, column + 1]) - 1


class LanguageTests(Protocol):
    """Levels 4 and 5 of one language; one object serves a whole run."""

    def findings(self, chunk: Chunk) -> Iterable[LanguageFinding]:
        """Yield the violations in a chunk."""


SHOWN = 60
"""Maximum length of a quoted value or line, in characters."""

MEMORY = 4096
"""Number of texts kept because they occur often."""
_columns_seen: dict[tuple[tuple[int, ...], tuple[bytes, ...]], str] = {}
_NAMES = [rule.id for rule in RULES]
_LINE_END = re.compile(rb"[\r\n]")
_SENT_ID = re.compile(rb"#\s*sent_id\s*=\s*(\S+)\s*")
_COLUMNS_SHOWN = {
    "0-is-not-root": (6, 7), "root-is-not-0": (6, 7), "pron-det-without-prontype": (3, 5),
    "fixed-without-extpos": (1, 5), "flat-foreign-upos-feats": (3, 5), "goeswith-edeps": (6, 7, 8),
}  # fmt: skip
"""Rules whose messages quote columns other than the one they point to."""

_FIXED = {
    "misplaced-comment": "a comment after the first word",
    "empty-sentence": "no word before the empty line",
    "missing-empty-line": "the end of the file",
    "edeps-only-sometimes": "a sentence that differs from those before it",
    "missing-sent-id": "no sent_id",
    "multiple-sent-id": "several sent_ids",
    "multiple-parallel-id": "several parallel_ids",
    "missing-text": "no text",
    "multiple-text": "several texts",
    "empty-text": "an empty text",
    "multiple-newdoc": "several newdoc comments",
    "multiple-newpar": "several newpar comments",
    "spaceafter-newdocpar": "SpaceAfter=No before this document or paragraph",
    "goeswith-gap": "other words between the parts",
    "empty-node-after-eorphan": "an empty node, after orphan in DEPS of earlier sentences",
}
"""What was found, for rules about whole lines and sentences."""


class Reporter:
    """Makes the problems of one chunk."""

    def __init__(self, chunk: Chunk, file: str, begins: Ints) -> None:
        self._chunk = chunk
        self._file = file
        self._begins = begins.tolist()
        self._raw = chunk.data.tobytes()
        self._sent_ids: dict[int, str | None] = {}
        self._row = -1
        self._mark = -1, 0, 1
        self._fields: list[int] = []

    def problems(self, records: Ints, findings: Iterable[LanguageFinding]) -> list[Problem]:
        """Return the problems of records and findings, in line order."""
        reported = [self._problem(*record) for record in records.tolist()]
        reported += [self._of_finding(finding) for finding in findings]
        reported.sort(key=lambda problem: problem.line)
        return reported

    def _problem(self, rule: int, row: int, start: int, stop: int, other: int) -> Problem:
        name = _NAMES[rule]
        found = self._found(name, row, start, stop, other)
        return self._at(name, row, start, stop, found, None)

    def _of_finding(self, finding: LanguageFinding) -> Problem:
        found = finding.found or self._field_text(finding.row, finding.start, finding.stop)
        return self._at(finding.rule, finding.row, finding.start, finding.stop, found, finding.expected, finding.own)

    def _at(
        self, rule: str, row: int, start: int, stop: int, found: str, wanted: str | None, own: Rule | None = None
    ) -> Problem:
        first = last = 1
        begin = self._row_fields(row)[0]
        if stop > start >= begin:
            if self._raw[begin:stop].isascii():
                first, last = start - begin + 1, stop - begin + 1
            else:
                first, last = self._character_of(row, start), self._character_of(row, stop)
        node = self._text(row, 0) if self._is_node(row) else None
        sentence = rule in _OF_SENTENCES or (start >= stop and not own and BY_ID[rule].test_class == "METADATA")
        form = None if node is None or sentence else self._text(row, 1)
        line, sent_id = self._chunk.first_line + row, self._sent_id(row)
        return Problem(self._file, line, sent_id, node, rule, first, last, found, wanted, form, own)

    def _character_of(self, row: int, place: int) -> int:
        """Return the column (from 1) of the character at a byte; fast in ascending order."""
        before, byte, character = self._mark
        if before != row or byte > place:
            byte, character = self._row_fields(row)[0], 1
        character += len(self._raw[byte:place].decode())
        self._mark = row, place, character
        return character

    def _quoted(self, start: int, stop: int) -> str:
        """Quote bytes, shortened if they are long."""
        text = self._raw[start : min(stop, start + 4 * SHOWN + 4)].decode(errors="ignore")
        return repr(text if len(text) <= SHOWN else f"{text[:SHOWN]}...")

    def _row_fields(self, row: int) -> list[int]:
        """Return the starts of the columns of a row; the last entry is its end plus one."""
        if row != self._row:
            self._row = row
            self._fields = self._chunk.fields[row].tolist()
        return self._fields

    def _text(self, row: int, column: int) -> str:
        fields = self._row_fields(row)
        return self._raw[fields[column] : fields[column + 1] - 1].decode()

    def _is_node(self, row: int) -> bool:
        return self._chunk.kinds.item(row) in (WORD, MULTIWORD, EMPTY)

    def _column_at(self, row: int, place: int) -> str:
        return COLUMNS[bisect_right(self._row_fields(row), place, 1, 10) - 1]

    def _sent_id(self, row: int) -> str | None:
        """Return the ID of the sentence that a row is in."""
        sentence = bisect_right(self._begins, row) - 1
        if sentence not in self._sent_ids:
            self._sent_ids[sentence] = None
            for earlier in range(self._begins[sentence], self._begins[sentence + 1]):
                line = self._line(earlier)
                if not line.startswith(b"#"):
                    break
                match = _SENT_ID.fullmatch(line)
                if match:
                    self._sent_ids[sentence] = match[1].decode()
                    break
        return self._sent_ids[sentence]

    def _line(self, row: int) -> bytes:
        fields = self._row_fields(row)
        return self._raw[fields[0] : fields[10] - 1]

    def _field_text(self, row: int, start: int, stop: int) -> str:
        """Return the name of the column that contains these bytes, and quote them."""
        text = self._quoted(start, stop)
        return f"{self._column_at(row, start)} {text}" if self._is_node(row) else text

    def _columns_text(self, row: int, columns: tuple[int, ...]) -> str:
        fields = self._row_fields(row)
        values = tuple(self._raw[fields[c] : fields[c + 1] - 1] for c in columns)
        text = _columns_seen.get((columns, values))
        if text is None:
            texts = (self._quoted(fields[c], fields[c + 1] - 1) for c in columns)
            text = ", ".join(f"{COLUMNS[c]} {t}" for c, t in zip(columns, texts, strict=True))
            if len(_columns_seen) < MEMORY:
                _columns_seen[columns, values] = text
        return text

    def _found(self, rule: str, row: int, start: int, stop: int, other: int) -> str:
        """Return what was found, in words."""
        if rule in _FIXED:
            return _FIXED[rule]
        if rule in _SPECIAL:
            return _SPECIAL[rule](self, row, start, stop, other)
        if rule in _COLUMNS_SHOWN:
            return self._columns_text(row, _COLUMNS_SHOWN[rule])
        if start >= stop:
            fields = self._row_fields(other if other >= 0 else row)
            return self._quoted(fields[0], fields[10] - 1)
        text = self._field_text(row, start, stop)
        return f"{text} under {self._columns_text(other, (0, 1, 7))}" if other >= 0 else text

    def _character(self, row: int, start: int, stop: int, other: int) -> str:
        text = self._raw[start:stop].decode()
        return f"U+{ord(text[0]):04X} {unicodedata.name(text[0], '')}".strip()

    def _subjects(self, row: int, start: int, stop: int, other: int) -> str:
        return f"several subjects: {self._dependents(row, ('nsubj', 'csubj'))}"

    def _objects(self, row: int, start: int, stop: int, other: int) -> str:
        return f"several objects: {self._dependents(row, ('obj',))}"

    def _dependents(self, row: int, relations: tuple[str, ...]) -> str:
        """Return the words that depend on a row by these relations: 2 'dogs', 5 'cats'."""
        sentence = bisect_right(self._begins, row) - 1
        head = self._text(row, 0)
        return ", ".join(
            f"{self._text(dependent, 0)} {self._text(dependent, 1)!r}"
            for dependent in range(self._begins[sentence], self._begins[sentence + 1])
            if self._chunk.kinds.item(dependent) == WORD
            and self._text(dependent, 6) == head
            and self._text(dependent, 7).partition(":")[0] in relations
            and self._text(dependent, 7) not in {"nsubj:outer", "csubj:outer"}
            and "Subject=Outer" not in self._text(dependent, 9).split("|")
        )

    def _words(self, row: int) -> list[int]:
        """Return the rows of the words of a sentence."""
        sentence = bisect_right(self._begins, row) - 1
        rows = range(self._begins[sentence], self._begins[sentence + 1])
        return [row for row in rows if self._chunk.kinds.item(row) == WORD]

    def _named(self, rows: Iterable[int]) -> list[str]:
        return [f"{self._text(row, 0)} {self._text(row, 1)!r}" for row in rows]

    def _sequence(self, row: int, start: int, stop: int, other: int) -> str:
        for number, word in enumerate(self._words(row), 1):
            if (found := self._text(word, 0)) != str(number):
                line = self._chunk.first_line + word
                return f"ID {found!r} where {number} should be (line {line})"
        return self._field_text(row, start, stop)

    def _roots(self, row: int, start: int, stop: int, other: int) -> str:
        roots = [word for word in self._words(row) if int(self._text(word, 6)) == 0]
        return f"{len(roots)} words with HEAD 0: {_shortened(self._named(roots))}"

    def _cycle(self, row: int, start: int, stop: int, other: int) -> str:
        words = self._words(row)
        heads = [int(self._text(word, 6)) - 1 for word in words]
        reached_from = [-1] * len(words)
        for first in range(len(words)):
            path, at = [], first
            while at >= 0 and reached_from[at] < 0:
                reached_from[at] = first
                path.append(at)
                at = heads[at]
            if at >= 0 and reached_from[at] == first:
                cycle = _shortened(self._named(words[i] for i in path[path.index(at) :]))
                return f"the cycle {cycle} (each depends on the next, the last on the first)"
        return "no word, only empty nodes"

    def _tabs(self, row: int, start: int, stop: int, other: int) -> str:
        number = self._line(row).count(b"\t") + 1
        return f"{number} column{'' if number == 1 else 's'}"

    def _empty_column(self, row: int, start: int, stop: int, other: int) -> str:
        return f"nothing in {self._column_at(row, start)}"

    def _rest(self, row: int, start: int, stop: int, other: int) -> str:
        end = _LINE_END.search(self._raw, other)
        rest = self._quoted(other, end.start() if end else len(self._raw))
        if start == stop:
            return f"{rest} left of the text"
        return f"{self._field_text(row, start, stop)} where the text has {rest}"

    def _tag(self, row: int, start: int, stop: int, other: int) -> str:
        """Quote the tag that counts: ExtPos if present, else UPOS."""
        return self._columns_text(row, (5, 7) if "ExtPos=" in self._text(row, 5) else (3, 7))

    def _between(self, row: int, start: int, stop: int, other: int) -> str:
        return f"{self._text(other, 1)!r} inside the expression"

    def _no_space(self, row: int, start: int, stop: int, other: int) -> str:
        return f"SpaceAfter=No on {self._text(other, 1)!r}"

    def _crossing(self, row: int, start: int, stop: int, other: int) -> str:
        return f"HEAD {self._text(row, 6)!r}, crossed by the arc to {self._text(other, 1)!r}"


def _shortened(names: list[str]) -> str:
    """Join names, or the first ten of more."""
    return ", ".join([*names[:10], *[f"and {len(names) - 10:,} more"] * (len(names) > 10)])


_OF_SENTENCES = frozenset(("word-id-sequence", "multiple-roots", "non-tree", *_FIXED.keys() - {"goeswith-gap"}))
"""Rules about whole sentences, whose problems are at the first word."""
_SPECIAL: dict[str, Callable[[Reporter, int, int, int, int], str]] = {
    "invalid-utf": lambda *_: "U+FFFD, or bytes that are not UTF-8",
    "unicode-normalization": Reporter._character,
    "too-many-subjects": Reporter._subjects,
    "too-many-objects": Reporter._objects,
    "number-of-columns": Reporter._tabs,
    "empty-column": Reporter._empty_column,
    "empty-string-in-xpos": Reporter._empty_column,
    "text-form-mismatch": Reporter._rest,
    "text-extra-chars": Reporter._rest,
    "fixed-gap": Reporter._between,
    "goeswith-nospace": Reporter._no_space,
    "word-id-sequence": Reporter._sequence,
    "multiple-roots": Reporter._roots,
    "non-tree": Reporter._cycle,
    "punct-causes-nonproj": Reporter._crossing,
    "upos-rel-punct": Reporter._tag,
    **{rule: Reporter._tag for rule in _NAMES if rule.startswith("rel-upos-")},
}
