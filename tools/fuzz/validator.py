"""No bytes make the validator crash or hang, and pieces of any size give the same problems."""

import io
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

from tools.fuzz.mutation import damaged
from tools.fuzz.targets import Target
from tools.fuzz.texts import conllu_bytes
from treegauge.treebanks.sources import files as piecewise
from treegauge.validation import check as engine
from treegauge.validation.language_checks import LanguageChecks
from treegauge.validation.language_data import LanguageData, language_data
from treegauge.validation.problems import BY_ID, Problem


@cache
def _packaged() -> LanguageData:
    return language_data(None)


def problems_of(data: bytes, chunk: int) -> list[Problem]:
    """Validate some bytes that are read `chunk` at a time."""

    @contextmanager
    def opened(_: str) -> Iterator[io.BytesIO]:
        yield io.BytesIO(data)

    tests = LanguageChecks(_packaged(), "en", 5)
    module: Any = piecewise
    before, module.open_bytes = module.open_bytes, opened
    try:
        return list(engine.validate(["input"], level=5, lang="en", language_tests=tests, chunk=chunk))
    finally:
        module.open_bytes = before


def check_places(data: bytes, problems: list[Problem]) -> None:
    """Check that problems are at lines and columns of the file, and can be printed."""
    lines = data.decode(errors="replace").replace("\r\n", "\n").replace("\r", "\n").split("\n")
    for problem in problems:
        assert problem.id in BY_ID
        assert 1 <= problem.line <= len(lines)
        assert 1 <= problem.start <= problem.stop <= len(lines[problem.line - 1]) + 2, problem
        assert str(problem).isprintable()


def check(data: bytes) -> str:
    """Validate a file in one piece and in small ones, and check every problem."""
    problems = problems_of(data, 1 << 20)
    check_places(data, problems)
    if len(data) > 40:
        assert problems_of(data, 1 + len(data) % 37) == problems
    return "invalid" if any(problem.severity == "error" for problem in problems) else "valid"


TARGET = Target(
    "reports every problem at a line and columns of the file, and the same problems whatever the "
    "size of the pieces it reads",
    conllu_bytes, check, damaged,
)  # fmt: skip
