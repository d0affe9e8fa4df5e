"""Whole sentences of a file as arrays, the input of language-specific tests.

Levels 1 to 3 run in kernels. They fill a :class:`Chunk`, which :class:`LanguageTests` (levels 4 and
5) read once per chunk, not once per word. Codes stay the same for the whole run, so that a test of
(FEATS, UPOS, Lang) runs once per distinct combination. A *row* is a line of the chunk, counted from
0, also a comment or an empty line; its number in the file is ``chunk.first_line + row``. Findings
may come in any order; the engine sorts them by line into the problems of their sentence.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int32]
Bytes = npt.NDArray[np.uint8]
COLUMNS = ("ID", "FORM", "LEMMA", "UPOS", "XPOS", "FEATS", "HEAD", "DEPREL", "DEPS", "MISC")
COMMENT, BLANK, WORD, MULTIWORD, EMPTY, OTHER = range(6)
"""Kinds of rows; OTHER are all other lines."""


class LanguageFinding(NamedTuple):
    """A rule that a row breaks; `start` and `stop` are bytes of ``chunk.data``.

    `found` is by default the column with the text of these bytes, `expected` the text of the rule.
    """

    rule: str
    row: int
    start: int
    stop: int
    found: str | None = None
    expected: str | None = None


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
