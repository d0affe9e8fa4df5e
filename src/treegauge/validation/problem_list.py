"""A memory-efficient list of problems."""

from array import array
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import overload

from treegauge.validation.problem import Problem
from treegauge.validation.rule_types import Severity
from treegauge.validation.rules import BY_ID

_WIDTH = len(Problem._fields)
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
        self.extend(problems)

    def extend(self, problems: Iterable[Problem]) -> None:
        """Add problems at the end."""
        code = self._code
        for file, line, sent_id, node, test, start, stop, found, wanted, form in problems:
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
        for test, number in Counter(self._rows[_TEST::_WIDTH]).items():
            counts[BY_ID[str(self._strings[test])].severity] += number
        return counts

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
            str(texts[found]), texts[wanted], texts[form],
        )  # fmt: skip

    def __iter__(self) -> Iterator[Problem]:
        return map(self.__getitem__, range(len(self)))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Sequence):
            return NotImplemented
        return len(self) == len(other) and all(a == b for a, b in zip(self, other, strict=True))

    __hash__ = None  # type: ignore[assignment]
