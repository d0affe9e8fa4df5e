"""Tests of UD validation, and problems of a treebank: position, what was found and what was expected."""

from array import array
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, NamedTuple, cast, overload

from treegauge.core.errors import ChoiceError, printable

Severity = Literal["error", "warning"]
Class = Literal["UNICODE", "FORMAT", "MORPHO", "SYNTAX", "ENHANCED", "METADATA", "REPO", "OWN"]


class Rule(NamedTuple):
    """One test of UD validation.

    Attributes
    ----------
    id
        The official name of the test.
    level
        0 the repository, 1 CoNLL-U, 2 UD format, 3 universal contents, 4 labels of a language, 5 its
        contents, 6 own checks of a treebank.
    test_class
        The class of the test, by which official reports count problems.
    expected
        What should be there: it completes the sentence "expected ...".
    hint
        What to do about it, in one sentence.
    severity
        Errors make a treebank invalid, warnings do not.
    """

    id: str
    level: int
    test_class: Class
    expected: str
    hint: str
    severity: Severity = "error"


def _rules() -> Iterator[Rule]:
    table = (Path(__file__).parents[1] / "data" / "validation_rules.tsv").read_text(encoding="utf-8")
    for line in table.splitlines()[1:]:
        name, level, test_class, severity, expected, hint = line.split("\t")
        yield Rule(name, int(level), cast("Class", test_class), expected, hint, cast("Severity", severity))


RULES = tuple(_rules())
BY_ID = {rule.id: rule for rule in RULES}


class Explanation(NamedTuple):
    """What a test asks for, with an example that fails and its repair.

    Attributes
    ----------
    place
        What the example is of: the language of a sentence, ``README.md``, or the ``folder`` of a repository.
    lines
        The example as a diff: lines that begin with ``-`` are in what fails, with ``+`` in the repaired one.
    """

    rule: Rule
    place: str
    lines: tuple[str, ...]

    def example(self, *, repaired: bool = False) -> str:
        """Return the text that fails, or the repaired one."""
        left_out = "-" if repaired else "+"
        return "".join(f"{line[1:]}\n" for line in self.lines if line[0] != left_out).replace("\\r", "\r")

    def __str__(self) -> str:
        rule = self.rule
        shown = "\n".join(f"  {line}" for line in self.lines)
        example = f"\nexample ({self.place}; - fails, + is repaired):\n{shown}" if self.lines else ""
        return (
            f"{rule.id}: {rule.severity}, level {rule.level}, {rule.test_class}\n"
            f"expected: {rule.expected}\nwhat to do: {rule.hint}{example}"
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as JSON has them."""
        return {**self.rule._asdict(), "place": self.place, "lines": list(self.lines)}


def explained(test: str, own: Mapping[str, Rule]) -> Explanation:
    """Return what a test asks for; `own` are checks of a treebank's own, which have no example.

    Examples
    --------
    >>> print(explained("readme-genre", {}))
    readme-genre: error, level 0, REPO
    expected: a line Genre: with UD's genres, separated by spaces, such as news wiki
    what to do: Use the genres that UD knows.
    example (README.md; - fails, + is repaired):
      -Genre: news, wiki
      +Genre: news wiki
    """
    if test in own:
        return Explanation(own[test], "", ())
    if test not in BY_ID:
        raise ChoiceError("test", test, [*BY_ID, *own])
    text = (Path(__file__).parents[1] / "data" / "validation_examples.txt").read_text(encoding="utf-8")
    _, found, rest = f"\n{text}".partition(f"\n@ {test} ")
    place, *lines = rest.partition("\n@ ")[0].rstrip("\n").split("\n") if found else ["", ""]
    return Explanation(BY_ID[test], place, tuple(lines))


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
    own: Rule | None = None
    """The test, if it is an own check of the treebank."""

    @property
    def rule(self) -> Rule:
        """The test that failed."""
        return self.own or BY_ID[self.id]

    @property
    def level(self) -> int:
        """The level of UD validation, 0 to 5; 6 for own checks."""
        return self.rule.level

    @property
    def test_class(self) -> Class:
        """UNICODE, FORMAT, MORPHO, SYNTAX, ENHANCED, METADATA, REPO or OWN."""
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
        own = None
        if row["id"] not in BY_ID:
            own = Rule(*(row[name] for name in ("id", "level", "class", "expected", "hint", "severity")))
        wanted = row["expected"] if row["expected"] != (own or BY_ID[row["id"]]).expected else None
        places = (row["line"], row["sent_id"], row["node"], row["id"], row["column"], row["end_column"])
        return cls(row["file"], *places, row["found"], wanted, row["form"], own)

    def __str__(self) -> str:
        rule = self.rule
        return printable(
            f"{self.file}:{self.line}:{self.start}: {rule.severity}: L{rule.level} {rule.id}: "
            f"found {self.found}, expected {self.wanted or rule.expected}{self.where}"
        )


_WIDTH = len(Problem._fields) - 1  # own checks are stored once
_TEST = Problem._fields.index("id")


class ProblemList(Sequence[Problem]):
    """Problems as rows of numbers; each distinct string is stored once.

    A large treebank can have a million problems. As objects they would take several hundred MB;
    here a problem takes 40 bytes, a sentence 8 bytes and its ID, and each distinct message is
    stored once.

    Examples
    --------
    >>> problem = Problem("a.conllu", 7, "s1", "2", "unknown-head", 5, 6, "HEAD '9'")
    >>> several = ProblemList(problem._replace(line=line) for line in (7, 9))
    >>> len(several), several[0] == problem, several[-1].line
    (2, True, 9)
    """

    def __init__(self, problems: Iterable[Problem] = ()) -> None:
        self._rows = array("i")
        self._strings: list[str | None] = []
        self._codes: dict[str | None, int] = {}
        self._ids = bytearray()
        self._id_ends = array("q", [0])
        self._last_id: str | None = None
        self._own: dict[str, Rule] = {}
        self.extend(problems)

    def extend(self, problems: Iterable[Problem]) -> None:
        """Add problems at the end."""
        code = self._code
        for file, line, sent_id, node, test, start, stop, found, wanted, form, own in problems:
            if own is not None:
                self._own[test] = own
            if sent_id is None:
                sentence = -1
            else:
                if sent_id != self._last_id:  # problems are sorted by sentence
                    self._last_id = sent_id
                    self._ids += sent_id.encode()
                    self._id_ends.append(len(self._ids))
                sentence = len(self._id_ends) - 2
            self._rows.extend(
                (code(file), line, sentence, code(node), code(test), start, stop, code(found), code(wanted), code(form))
            )

    def severities(self) -> Counter[Severity]:
        """Count errors and warnings.

        Examples
        --------
        >>> problem = Problem("a.conllu", 7, "s1", "2", "unknown-head", 5, 6, "HEAD '9'")
        >>> ProblemList([problem, problem]).severities()
        Counter({'error': 2})
        """
        counts: Counter[Severity] = Counter()
        for test, number in self.tests().items():
            counts[self.rule(test).severity] += number
        return counts

    def rule(self, test: str) -> Rule:
        """Return the test of this name, which may be an own check."""
        return self._own.get(test) or BY_ID[test]

    def tests(self) -> Counter[str]:
        """Count problems by test."""
        return Counter({str(self._strings[test]): n for test, n in Counter(self._rows[_TEST::_WIDTH]).items()})

    def _code(self, text: str | None) -> int:
        """Return the number of a string."""
        number = self._codes.setdefault(text, len(self._strings))
        if number == len(self._strings):
            self._strings.append(text)
        return number

    def __len__(self) -> int:
        return len(self._rows) // _WIDTH

    @overload
    def __getitem__(self, place: int) -> Problem: ...
    @overload
    def __getitem__(self, place: slice) -> "ProblemList": ...
    def __getitem__(self, place: int | slice) -> "Problem | ProblemList":
        if isinstance(place, slice):
            return ProblemList(self[i] for i in range(*place.indices(len(self))))
        first = _WIDTH * range(len(self))[place]
        file, line, sentence, node, test, start, stop, found, wanted, form = self._rows[first : first + _WIDTH]
        texts = self._strings
        sent_id = None
        if sentence >= 0:
            sent_id = self._ids[self._id_ends[sentence] : self._id_ends[sentence + 1]].decode()
        return Problem(
            str(texts[file]), line, sent_id, texts[node], str(texts[test]), start, stop,
            str(texts[found]), texts[wanted], texts[form], self._own.get(str(texts[test])),
        )  # fmt: skip

    def __iter__(self) -> Iterator[Problem]:
        return map(self.__getitem__, range(len(self)))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Sequence):
            return NotImplemented
        return len(self) == len(other) and all(a == b for a, b in zip(self, other, strict=True))

    __hash__ = None  # type: ignore[assignment]
