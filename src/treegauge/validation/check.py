"""Everything that is wrong with CoNLL-U files, in bounded memory."""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from treegauge.core.errors import TreegaugeError
from treegauge.core.result import Result, sign
from treegauge.core.verbs import verb
from treegauge.treebanks.sources import Source, find, short_name

if TYPE_CHECKING:
    import polars as pl

    from treegauge.treebanks.problems import Problem

CHUNK = 2 << 20
_COLUMNS = ("file", "line", "level", "kind", "sent_id", "found", "expected")


@dataclass(frozen=True)
class CheckReport(Result):
    """The problems of some CoNLL-U files.

    Attributes
    ----------
    files
        The files that were read.
    problems
        What is wrong with them, in the order of their lines.
    errors, warnings
        The number of each, also of warnings that are not listed.
    strict
        Whether warnings count as failures.
    """

    files: tuple[str, ...]
    problems: "tuple[Problem, ...]"
    errors: int
    warnings: int
    strict: bool
    signature: str
    kind: ClassVar[str] = "check"

    @property
    def exit_code(self) -> int:
        """1 if there is an error or, with `strict`, a warning."""
        return int(bool(self.errors or (self.strict and self.warnings)))

    @property
    def table(self) -> "pl.DataFrame":
        """One row per problem."""
        import polars as pl

        rows = [[getattr(problem, name) for name in _COLUMNS] for problem in self.problems]
        kinds = {name: pl.Int64 if name == "line" else pl.String for name in _COLUMNS}
        return pl.DataFrame(rows, kinds, orient="row")

    def json_fields(self) -> dict[str, Any]:
        """Return the number of errors and warnings, and the rows."""
        return {"errors": self.errors, "warnings": self.warnings, "rows": self.json_rows()}

    def own_text(self) -> str:
        """Return one line per problem as compilers print them, and a line with their numbers."""
        names = [Path(file).name for file in self.files[:3]] + ["..."] * (len(self.files) > 3)
        counts = {"error": self.errors, "warning": self.warnings}
        numbers = (f"{n} {level}{'' if n == 1 else 's'}" for level, n in counts.items())
        return "\n".join([*map(str, self.problems), f"{', '.join(names)}: {', '.join(numbers)}"])


@verb
def check(
    *sources: Source,
    split: str | None = None,
    unparsed: bool = False,
    warnings: bool = True,
    strict: bool = False,
) -> CheckReport:
    """List everything that is wrong with CoNLL-U files.

    Each problem has its file, line and sent_id, what was found and what was expected. Errors are
    what the official scoring script refuses; warnings are what CoNLL-U forbids but the script
    accepts. The command exits with 1 if there is an error.

    Parameters
    ----------
    *sources
        Files, folders, patterns, or names under TREEGAUGE_UD; - is standard input.
    split
        train, dev or test: only this set of folders and patterns.
    unparsed
        Accept _ in HEAD.
    warnings
        List warnings as well as errors.
    strict
        Fail on warnings as well.
    """
    if not sources:
        raise TreegaugeError("no file to check; give CoNLL-U files, folders or patterns")
    problems: list[Problem] = []
    counts = {"error": 0, "warning": 0}
    files = [path for source in sources for path in find(source, split=split)]
    marks = []
    for path in files:
        digest = hashlib.sha256()
        for problem in _problems(path, need_heads=not unparsed, chunk=CHUNK, digest=digest):
            counts[problem.level] += 1
            if warnings or problem.level == "error":
                problems.append(problem)
        marks.append(f"{short_name(path)}#{digest.hexdigest()[:6]}")
    signature = sign(check="+".join(marks), heads=not unparsed)
    numbers = counts["error"], counts["warning"]
    return CheckReport(tuple(files), tuple(problems), *numbers, strict, signature)


def check_conllu(
    source: Source, *, split: str | None = None, need_heads: bool = True, chunk: int = CHUNK
) -> "Iterator[Problem]":
    """Yield every problem of the files behind a source, in the order of their lines.

    Parameters
    ----------
    source, split
        As in :func:`treegauge.treebanks.conllu.read_conllu`.
    need_heads
        Whether ``_`` in HEAD is a problem.
    chunk
        Bytes read at a time; memory stays proportional to it (and to the longest sentence).
    """
    for path in find(source, split=split):
        yield from _problems(path, need_heads=need_heads, chunk=chunk, digest=hashlib.sha256())


def _problems(path: str, *, need_heads: bool, chunk: int, digest: Any) -> "Iterator[Problem]":
    """Yield the problems of one file; `digest` receives its bytes."""
    from treegauge.treebanks.conllu import count_lines, pieces
    from treegauge.treebanks.indexing import index
    from treegauge.treebanks.relations import check_deps

    line = 1
    for data in pieces(path, chunk):
        digest.update(data)
        treebank, problems = index(
            data, short_name(path), file=path, first_line=line, need_heads=need_heads
        )
        problems += check_deps(treebank, path)
        yield from sorted(problems, key=lambda problem: problem.line)
        line += count_lines(data)
