"""The tests of UD validation: one :class:`Rule` per test id, levels 0 to 5.

The kernels test the rules of levels 1 to 3; they identify a rule by its index in :data:`RULES`, the
line in ``data/validation_rules.tsv``.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Literal, NamedTuple, cast

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
