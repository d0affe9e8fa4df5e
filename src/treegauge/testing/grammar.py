"""The parameters of an invented grammar, and their ranges."""

from dataclasses import dataclass, field, fields
from typing import Any

import numpy as np

from treegauge.core.errors import ChoiceError, TreegaugeError

ORDERS = ("SVO", "SOV", "VSO", "VOS", "OVS", "OSV")


def parameter(default: float, low: float, high: float) -> Any:
    """Declare a parameter with its default and its range."""
    return field(default=default, metadata={"low": low, "high": high})


class RangedSettings:
    """Settings whose fields are checked against the ranges that :func:`parameter` declares."""

    def __post_init__(self) -> None:
        for each in fields(self):  # type: ignore[arg-type]
            if each.metadata:
                value, whole = getattr(self, each.name), each.type is int
                check_parameter(each.name, value, whole=whole, **each.metadata)


@dataclass(frozen=True)
class Grammar(RangedSettings):
    """The parameters of an invented grammar.

    Parameters
    ----------
    basic_order
        Order of subject, verb and object: one of SVO, SOV, VSO, VOS, OVS, OSV. Where objects
        precede verbs, adpositions follow nouns, and modifying nouns and clauses precede them.
    order_freedom
        Probability that a clause takes any of the six orders instead.
    case_marking
        Probability that a nominal is marked for case (and its adjectives and articles with it).
    function_words
        Probability that a relation or category is expressed by a function word: adposition,
        article, auxiliary, copula, subordinator, relative pronoun, coordinator. Otherwise it is an
        ending, a non-finite form, or nothing.
    nonprojectivity
        Probability that a modifier of a noun is moved beyond the predicate of its clause.
    contractions
        Probability that an adposition forms one token with its article (or, after a noun, with
        that noun).
    vocabulary
        Number of lemmas in the open classes.
    zipf
        Exponent of their rank-frequency law.
    length
        Mean number of words in a sentence, held within a few percent.
    label_noise
        Probability that a word gets an incorrect head or relation. MISC has the correct ones as
        ``TrueHead`` and ``TrueDeprel``.
    language
        Number of the invented language, which sets its sounds, words and endings. Treebanks of one
        language have the same vocabulary, whatever the seed.

    Examples
    --------
    >>> Grammar(case_marking=0.9).case_marking
    0.9
    >>> Grammar(case_marking=9)
    Traceback (most recent call last):
    treegauge.core.errors.TreegaugeError: case_marking is 9; expected a number from 0 to 1
    """

    basic_order: str = "SVO"
    order_freedom: float = parameter(0.2, 0, 1)
    case_marking: float = parameter(0.5, 0, 1)
    function_words: float = parameter(0.6, 0, 1)
    nonprojectivity: float = parameter(0.05, 0, 1)
    contractions: float = parameter(0.1, 0, 1)
    vocabulary: int = parameter(5000, 10, 1_000_000)
    zipf: float = parameter(1.0, 0, 4)
    length: float = parameter(15.0, 3, 200)
    label_noise: float = parameter(0.0, 0, 1)
    language: int = parameter(0, 0, 2**32 - 1)

    def __post_init__(self) -> None:
        if self.basic_order not in ORDERS:
            raise ChoiceError("basic_order", self.basic_order, ORDERS)
        super().__post_init__()


def check_parameter(name: str, value: object, *, low: float, high: float, whole: bool = False) -> None:
    """Refuse a parameter outside its range."""
    kinds = (int, np.integer) if whole else (int, float, np.integer, np.floating)
    if isinstance(value, bool) or not isinstance(value, kinds) or not low <= value <= high:
        kind = "a whole number" if whole else "a number"
        raise TreegaugeError(f"{name} is {value!r}; expected {kind} from {low} to {high}")
