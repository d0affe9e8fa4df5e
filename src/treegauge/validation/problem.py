"""One problem of a treebank: position, what was found and what was expected."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from treegauge.core.errors import printable
from treegauge.validation.rule_types import Class, Rule, Severity
from treegauge.validation.rules import BY_ID


class Problem(NamedTuple):
    """One problem of a treebank.

    Attributes
    ----------
    file, line
        Its position; lines count from 1 in every file.
    sent_id
        The sentence, if it has an ID.
    node
        The ID of the word, multiword token or empty node, or None for comments and sentences.
    id
        The official name of the test that failed.
    start, stop
        The affected characters of the line, from 1, `stop` excluded; equal if it is the whole line.
    found, expected
        What was there, and what should be.

    Examples
    --------
    >>> print(Problem("a.conllu", 7, "s1", "2", "unknown-head", 5, 6, "HEAD '9'"))
    a.conllu:7:5: error: L2 unknown-head: found HEAD '9', expected 0 or the ID of a word in this sentence (sent_id s1)
    """

    file: str
    line: int
    sent_id: str | None
    node: str | None
    id: str
    start: int
    stop: int
    found: str
    wanted: str | None = None
    """What was expected, if that is more precise than the text of the rule."""
    form: str | None = None
    """The FORM of the node."""

    @property
    def rule(self) -> Rule:
        """The test that failed."""
        return BY_ID[self.id]

    @property
    def level(self) -> int:
        """The level of UD validation, 1 to 5."""
        return self.rule.level

    @property
    def test_class(self) -> Class:
        """UNICODE, FORMAT, MORPHO, SYNTAX, ENHANCED or METADATA."""
        return self.rule.test_class

    @property
    def severity(self) -> Severity:
        """``"error"`` or ``"warning"``."""
        return self.rule.severity

    @property
    def expected(self) -> str:
        """What should be there."""
        return self.wanted or self.rule.expected

    @property
    def hint(self) -> str:
        """What to do about it."""
        return self.rule.hint

    @property
    def message(self) -> str:
        """What was found and what was expected."""
        return f"found {self.found}, expected {self.expected}"

    @property
    def where(self) -> str:
        """The sentence and the word, in parentheses after a space; empty if neither is known."""
        sentence = f"sent_id {self.sent_id}" if self.sent_id else ""
        word = f"word {self.node} {self.form!r}" if self.form is not None else ""
        known = ", ".join(filter(None, (sentence, word)))
        return f" ({known})" if known else ""

    def to_dict(self) -> dict[str, Any]:
        """Return all fields of the problem, named as in JSON."""
        return {
            "file": self.file,
            "line": self.line,
            "sent_id": self.sent_id,
            "node": self.node,
            "form": self.form,
            "level": self.level,
            "class": self.test_class,
            "id": self.id,
            "severity": self.severity,
            "message": self.message,
            "column": self.start,
            "end_column": self.stop,
            "found": self.found,
            "expected": self.expected,
            "hint": self.hint,
        }

    @classmethod
    def from_dict(cls, row: Mapping[str, Any]) -> "Problem":
        """Return the problem of which :meth:`to_dict` returned the fields."""
        wanted = row["expected"] if row["expected"] != BY_ID[row["id"]].expected else None
        places = (row["line"], row["sent_id"], row["node"], row["id"], row["column"], row["end_column"])
        return cls(row["file"], *places, row["found"], wanted, row["form"])

    def __str__(self) -> str:
        rule = BY_ID[self.id]
        return printable(
            f"{self.file}:{self.line}:{self.start}: {rule.severity}: L{rule.level} {rule.id}: "
            f"found {self.found}, expected {self.wanted or rule.expected}{self.where}"
        )
