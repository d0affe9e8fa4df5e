"""Streaming validation, with memory that does not grow with the files."""

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from treegauge.kernels import validation as kernel
from treegauge.kernels.scan import count_lines
from treegauge.treebanks.sources.files import pieces
from treegauge.validation.chunk import Chunk, LanguageFinding, LanguageTests, Values
from treegauge.validation.messages import Reporter
from treegauge.validation.problems import Problem, ProblemList
from treegauge.validation.values import Look

CHUNK = 1 << 20
DELAYED = 4096
"""Offset that the kernels add to rules that count only if the treebank has features."""


def validate(
    files: Iterable[str],
    *,
    level: int = 3,
    lang: str = "ud",
    language_tests: LanguageTests | None = None,
    digest: Any = None,
    chunk: int = CHUNK,
) -> Iterator[Problem]:
    """Yield the problems of the files of one treebank, in the order of their lines.

    Parameters
    ----------
    files
        Paths, or ``-`` for standard input. They are one treebank: IDs must be unique over all.
    level
        1 to 5; see :class:`treegauge.validation.rules.Rule`.
    lang
        The language of the treebank; levels below 4 do not use it.
    language_tests
        Tests of levels 4 and 5; None for no such tests.
    digest
        Called with each file and each piece of its bytes.
    chunk
        Bytes read at a time; memory stays proportional to it (and to the longest sentence).
    """
    book = kernel.book(min(level, 3), lang if level > 3 else "ud", Look())
    values = Values(*kernel.values(book))
    waiting = ProblemList()
    last_line, file = 0, ""
    for file in files:
        kernel.start_file(book)
        line = 1
        data = b""
        for data in pieces(file, chunk):
            if digest is not None:
                digest(file, data)
            array, lines = _valid(data)
            result = kernel.validate(book, array, lines)
            records, begins = result[:2]
            view = Chunk(array, line, *result[2:], values)
            carriage_returns, last_token, features, copies = kernel.state(book)
            if last_token >= 0:
                last_line = line + last_token
            report = Reporter(view, file, begins)
            findings: Iterable[LanguageFinding] = (
                language_tests.findings(view) if language_tests is not None and level > 3 else ()
            )
            if features and waiting:
                yield from waiting
                waiting = ProblemList()
            if len(records) or findings:
                late = records[:, 0] >= DELAYED
                records[late, 0] -= DELAYED
                if not features and late.any():
                    waiting.extend(report.problems(records[late], ()))
                    records = records[~late]
                yield from report.problems(records, findings)
            line += int(begins[-1])
        if line > 1 and carriage_returns:
            yield Problem(file, line - 1, None, None, "non-unix-newline", 1, 1, "CR or CRLF")
    if level > 2 and last_line and copies:
        yield Problem(
            file, last_line, None, None, "edeps-identical-to-basic-trees", 1, 1,
            "enhanced graphs that are all copies of the basic trees",
        )  # fmt: skip


def _valid(data: bytes) -> tuple[np.ndarray[Any, np.dtype[np.uint8]], int]:
    """Return bytes as valid UTF-8, and their number of lines; other bytes become U+FFFD."""
    if not data.isascii():
        try:
            data.decode()
        except UnicodeDecodeError:
            data = data.decode(errors="replace").encode()
    array = np.frombuffer(data, np.uint8)
    return array, count_lines(array)
