"""Problems of CoNLL-U files, and their messages."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

from treegauge.core.errors import TreegaugeError, printable

Level = Literal["error", "warning"]


@dataclass(frozen=True)
class ProblemKind:
    """A kind of problem.

    The official scoring script refuses an *error* or crashes on it; a *warning* violates CoNLL-U
    but the script accepts it. `readable` errors do not affect reading, so only scoring refuses
    them.
    """

    name: str
    level: Level
    expected: str
    readable: bool = False


CUT_OFF, NO_HEAD = "no-final-blank-line", "HEAD '_'"
# The order is that of the codes in _scan.py.
KINDS = (
    ProblemKind("encoding", "error", "valid UTF-8"),
    ProblemKind("columns", "error", "10 columns separated by single tabs"),
    ProblemKind("comment-inside", "error", "comments only before the first word of a sentence"),
    ProblemKind("empty-sentence", "error", "at least one word before a blank line"),
    ProblemKind(CUT_OFF, "error", "a blank line after the last sentence", readable=True),
    ProblemKind("word-id", "error", "IDs 1, 2, 3, ... without gaps or repetitions"),
    ProblemKind("multiword-id", "error", "a multiword ID such as 3-4"),
    ProblemKind("unfinished-multiword", "error", "all words of the range before the sentence ends"),
    ProblemKind("empty-form", "error", "a FORM with at least one character that is not a space"),
    ProblemKind("head", "error", "a whole number from 0 to the number of words"),
    ProblemKind("head-range", "error", "a HEAD inside the sentence"),
    ProblemKind("cycle", "error", "every word to reach the root"),
    ProblemKind("no-root", "error", "exactly one word with HEAD 0"),
    ProblemKind("several-roots", "error", "exactly one word with HEAD 0"),
    ProblemKind("multiword-range", "warning", "a range that starts at the next word and grows"),
    ProblemKind("inner-id", "warning", "the next ID of the multiword token's range"),
    ProblemKind("byte-order-mark", "error", "no byte order mark"),
    ProblemKind("empty-node-id", "warning", "an empty node ID such as 3.1"),
    ProblemKind("deps", "warning", "head:relation pairs joined by |, heads inside the sentence"),
)
BY_NAME = {kind.name: kind for kind in KINDS}


@dataclass(frozen=True, slots=True)
class ReadingProblem:
    """One problem: position, what was found and what was expected.

    `sentence` is the number of the sentence in the piece read, from 0; -1 is the start of the file,
    and the number of sentences means the comments after the last one. `action` says what was done
    with the sentence.

    Examples
    --------
    >>> print(ReadingProblem("head", "a.conllu", 7, "s1", "HEAD '_'", "a whole number from 0 to 4"))
    a.conllu:7: error: head: found HEAD '_', expected a whole number from 0 to 4 (sent_id s1)
    """

    kind: str
    file: str
    line: int
    sent_id: str | None
    found: str
    expected: str
    sentence: int = -1
    action: Literal["", "skipped", "repaired"] = ""

    @property
    def level(self) -> Level:
        """``"error"`` or ``"warning"``."""
        return BY_NAME[self.kind].level

    @property
    def blocks_reading(self) -> bool:
        """Whether strict reading refuses the file because of it."""
        kind = BY_NAME[self.kind]
        return kind.level == "error" and not kind.readable

    def __str__(self) -> str:
        where = f" (sent_id {self.sent_id})" if self.sent_id else ""
        action = f" [{self.action}]" if self.action else ""
        return printable(
            f"{self.file}:{self.line}: {self.level}: {self.kind}: "
            f"found {self.found}, expected {self.expected}{where}{action}"
        )


class ConlluError(TreegaugeError, ValueError):
    """A file is not valid CoNLL-U; `problems` lists everything found in it.

    `cut_off` says that it ends in a damaged sentence, as a truncated file does.
    """

    def __init__(self, problems: Sequence[ReadingProblem], *, shown: int = 10, cut_off: bool = False) -> None:
        self.problems = tuple(problems)
        self.cut_off = cut_off or any(problem.kind == CUT_OFF for problem in self.problems)
        lines = [str(problem) for problem in self.problems[:shown]]
        if len(self.problems) > shown:
            lines.append(f"... and {len(self.problems) - shown} more problems")
        first = self.problems[0] if self.problems else None
        if first and first.kind == "columns" and first.line == 1 and first.found.startswith("1 in"):
            lines.append("hint: expected a CoNLL-U file; plain text must be split into words "
                         "first, for example by UDPipe or Stanza")  # fmt: skip
        elif len(self.problems) > shown and all(p.kind == "head" and p.found == NO_HEAD for p in self.problems):
            lines[1:] = [f"hint: {len(self.problems):,} words have no HEAD: parse this text first; "
                         "in spaCy and Stanza the pipeline needs a parser"]  # fmt: skip
        elif self.cut_off:
            lines.append("hint: the file ends without a blank line, so it may be cut off; if it is "
                         "complete, --errors repair reads it")  # fmt: skip
        else:
            lines.append('hint: errors="skip" leaves such sentences out, errors="repair" repairs '
                         "what it can (on the command line --errors skip|repair); treegauge check "
                         "lists everything")  # fmt: skip
        if any(problem.kind == "columns" for problem in self.problems):
            lines.append("hint: if a language model wrote this, score --align loose reads other formats and says "
                         "what it assumes; so does treegauge convert ANSWER.txt NEW.conllu")  # fmt: skip
        super().__init__("\n".join(lines))

    def __reduce__(self) -> tuple[Any, ...]:
        return partial(type(self), cut_off=self.cut_off), (self.problems,)
