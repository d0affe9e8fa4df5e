"""The type of a rule: an official test with its level, class, severity and explanation."""

from typing import Literal, NamedTuple

Severity = Literal["error", "warning"]
Class = Literal["UNICODE", "FORMAT", "MORPHO", "SYNTAX", "ENHANCED", "METADATA"]


class Rule(NamedTuple):
    """One test of UD validation.

    Attributes
    ----------
    id
        The official name of the test.
    level
        1 CoNLL-U, 2 UD format, 3 universal contents, 4 labels of a language, 5 its contents.
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
