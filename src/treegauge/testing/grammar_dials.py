"""The dials of an invented grammar, and how a dial out of its range is refused."""

from dataclasses import dataclass, field, fields
from typing import Any

import numpy as np

from treegauge.results.errors import ChoiceError, TreegaugeError

ORDERS = ("SVO", "SOV", "VSO", "VOS", "OVS", "OSV")


def dial(default: float, low: float, high: float) -> Any:
    """Declare a dial with its default and its range."""
    return field(default=default, metadata={"low": low, "high": high})


@dataclass(frozen=True)
class Grammar:
    """The dials of an invented grammar.

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
        Probability that a relation or category that can be a word of its own is one: adposition,
        article, auxiliary, copula, subordinator, relative pronoun, coordinator. Otherwise it is
        an ending, a non-finite form, or nothing.
    nonprojectivity
        Probability that a modifier of a noun stands beyond the predicate of its clause.
    contractions
        Probability that an adposition forms one token with its article (or, after a noun, with
        that noun).
    vocabulary
        Number of lemmas in the open classes.
    zipf
        Exponent of their rank-frequency law.
    length
        Mean number of words in a sentence, held within a few per cent.
    label_noise
        Probability that a word gets a wrong head or relation. MISC then has the right ones as
        ``TrueHead`` and ``TrueDeprel``.
    language
        Which invented language: its sounds, words and endings. Treebanks of one language drawn
        with different seeds have the same vocabulary.

    Examples
    --------
    >>> Grammar(case_marking=0.9).case_marking
    0.9
    >>> Grammar(case_marking=9)
    Traceback (most recent call last):
    treegauge.results.errors.TreegaugeError: dial case_marking is 9; expected a number from 0 to 1
    """

    basic_order: str = "SVO"
    order_freedom: float = dial(0.2, 0, 1)
    case_marking: float = dial(0.5, 0, 1)
    function_words: float = dial(0.6, 0, 1)
    nonprojectivity: float = dial(0.05, 0, 1)
    contractions: float = dial(0.1, 0, 1)
    vocabulary: int = dial(5000, 10, 1_000_000)
    zipf: float = dial(1.0, 0, 4)
    length: float = dial(15.0, 3, 200)
    label_noise: float = dial(0.0, 0, 1)
    language: int = dial(0, 0, 2**32 - 1)

    def __post_init__(self) -> None:
        if self.basic_order not in ORDERS:
            raise ChoiceError("basic_order", self.basic_order, ORDERS)
        for each in fields(self):
            if each.metadata:
                check_dial(
                    each.name, getattr(self, each.name), whole=each.type is int, **each.metadata
                )


def check_dial(name: str, value: object, *, low: float, high: float, whole: bool = False) -> None:
    """Refuse a dial outside its range, naming it, what was found and what was expected."""
    kinds = (int, np.integer) if whole else (int, float, np.integer, np.floating)
    if isinstance(value, bool) or not isinstance(value, kinds) or not low <= value <= high:
        kind = "a whole number" if whole else "a number"
        raise TreegaugeError(f"dial {name} is {value!r}; expected {kind} from {low} to {high}")
