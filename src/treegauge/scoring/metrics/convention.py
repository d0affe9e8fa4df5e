"""Conventions of scoring: which words count and what counts as correct."""

from dataclasses import dataclass
from typing import ClassVar

from treegauge.core.errors import ChoiceError
from treegauge.core.verbs import Settings


@dataclass(frozen=True)
class Convention:
    """Which words count in attachment scores, and how relations are compared.

    The same parse has the same UAS and LAS under the same convention, whichever verb prints it.
    Scores are in percent.

    Parameters
    ----------
    punct
        Whether words tagged PUNCT in gold count. If not, their partners do not count either, nor do
        unaligned system words that the system tags PUNCT.
    subtypes
        Whether relations are compared with their subtypes (``nsubj:pass`` against ``nsubj``).

    Examples
    --------
    >>> Convention().name, Convention(punct=False).label("LAS")
    ('official', 'LAS[challenges]')
    >>> Convention(punct=False, subtypes=True).name
    'punct:no subtypes:yes'
    """

    punct: bool = True
    subtypes: bool = False

    unit: ClassVar[str] = "percent"

    @property
    def name(self) -> str:
        """The name of a known convention, or its choices."""
        words = {True: "yes", False: "no"}
        choices = f"punct:{words[self.punct]} subtypes:{words[self.subtypes]}"
        return next((name for name, convention in CONVENTIONS.items() if convention == self), choices)

    @property
    def official(self) -> bool:
        """Whether this is the convention of the CoNLL 2018 shared task."""
        return self == OFFICIAL

    def label(self, metric: str) -> str:
        """Return a metric's name as a column header; it names a convention that is not official."""
        return metric if self.official else f"{metric}[{self.name}]"

    @property
    def signed(self) -> dict[str, object]:
        """The part of a signature that records what counted."""
        return {"punct": self.punct, "subtypes": self.subtypes}


OFFICIAL = Convention()
CONVENTIONS = {"official": OFFICIAL, "challenges": Convention(punct=False), "difficulty": Convention(subtypes=True)}
"""Conventions by name: the CoNLL 2018 shared task's, and those of the papers."""


def find_convention(
    convention: str | Convention = "official", *, punct: bool | None = None, subtypes: bool | None = None
) -> Convention:
    """Return a convention by name, with optional changes.

    Examples
    --------
    >>> find_convention("challenges", subtypes=True)
    Convention(punct=False, subtypes=True)
    """
    if isinstance(convention, str):
        if convention not in CONVENTIONS:
            raise ChoiceError("convention", convention, CONVENTIONS)
        convention = CONVENTIONS[convention]
    return Convention(
        convention.punct if punct is None else punct, convention.subtypes if subtypes is None else subtypes
    )


@dataclass(frozen=True)
class Counting(Settings):
    """What counts in scores: a named convention, optionally changed.

    Parameters
    ----------
    convention
        official (CoNLL 2018), challenges (no punctuation) or difficulty (subtypes compared).
    punct
        Whether punctuation counts in attachment scores; by default as the convention says.
    subtypes
        Whether relations are compared with subtypes; by default as the convention says.
    """

    convention: str | Convention = "official"
    punct: bool | None = None
    subtypes: bool | None = None

    @property
    def chosen(self) -> Convention:
        """The convention that results."""
        return find_convention(self.convention, punct=self.punct, subtypes=self.subtypes)
