"""Criteria for treebanks, with a reason for each treebank that does not meet them."""

import operator
import re
from collections.abc import Callable, Iterable, Sequence
from fnmatch import fnmatchcase
from typing import Any, Literal, NamedTuple, get_args

from treegauge.results.errors import ChoiceError, TreegaugeError
from treegauge.treebanks.entries import SHARES, SIZES, TreebankEntry
from treegauge.treebanks.languages import UNKNOWN
from treegauge.treebanks.sources import SPLITS

Prefer = Literal["size", "annotation"]
LAYERS = ("text", "lemmas", "features", "xpos")
ENOUGH = 0.25
"""Share of words that must have a layer for the treebank to have it."""

ANNOTATIONS = (
    "manual native", "converted from manual", "converted with corrections",
    "automatic with corrections", "automatic",
)  # fmt: skip
"""Where relations may come from, the most trusted first."""

_OPERATORS: dict[str, tuple[Callable[[Any, Any], bool], str]] = {
    ">=": (operator.ge, "at least"),
    "<=": (operator.le, "at most"),
    ">": (operator.gt, "more than"),
    "<": (operator.lt, "less than"),
}
_CONDITION = re.compile(r"\s*(\w+)\s*(>=|<=|>|<)\s*([\d_.]+)\s*")
NUMBERS = (*SIZES, *SHARES)
"""Columns of the catalogue that conditions may name."""


class Condition(NamedTuple):
    """A bound on a column of the catalogue.

    Examples
    --------
    >>> Condition.parse("words >= 30000")
    Condition(column='words', sign='>=', bound=30000.0)
    >>> Condition.parse("word >= 30000")
    Traceback (most recent call last):
    ...
    treegauge.results.errors.ChoiceError: unknown column 'word'; did you mean 'words'? choices: ...
    """

    column: str
    sign: str
    bound: float

    @classmethod
    def parse(cls, text: str) -> "Condition":
        """Read a condition such as ``words >= 30000``."""
        match = _CONDITION.fullmatch(text)
        if not match:
            raise TreegaugeError(
                f"found the condition {text!r}, expected such as 'words >= 30000' with one of "
                f"{', '.join(_OPERATORS)}"
            )
        if match[1] not in NUMBERS:
            raise ChoiceError("column", match[1], NUMBERS)
        try:
            return cls(match[1], match[2], float(match[3]))
        except ValueError:
            raise TreegaugeError(f"found {match[3]!r} in {text!r}, expected a number") from None

    def __str__(self) -> str:
        return f"{self.column}{self.sign}{self.bound:g}"

    def reason(self, entry: TreebankEntry) -> str | None:
        """Say why a treebank does not meet the condition, or None if it does."""
        value = entry.row()[self.column]
        holds, words = _OPERATORS[self.sign]
        wanted = f"expected {words} {self.bound:,.10g}"
        if value is None:
            return f"{self.column} missing, {wanted}"
        if holds(value, self.bound):
            return None
        shown = f"{value:,}" if isinstance(value, int) else f"{value:.4g}"
        if shown == f"{self.bound:.4g}":  # rounded onto the bound it misses
            shown = repr(value)
        return f"{self.column} {shown}, {wanted}"


Reasons = dict[TreebankEntry, list[str]]
"""For each treebank why it does not meet the criteria; empty if it does."""


def reasons_against(
    entries: Sequence[TreebankEntry],
    *,
    has: Sequence[str] = (),
    needs: Sequence[str] = (),
    where: Sequence[str] = (),
    licence: str | None = None,
    one_per_language: Prefer | None = None,
) -> Reasons:
    """Return why each treebank does not meet the criteria; see :func:`treegauge.catalogue`."""
    for what, found, choices in (("layer", has, LAYERS), ("split", needs, SPLITS)):
        for one in found:
            if one not in choices:
                raise ChoiceError(what, one, choices)
    if one_per_language not in {None, *get_args(Prefer)}:
        raise ChoiceError("preference", one_per_language, get_args(Prefer))
    conditions = [Condition.parse(text) for text in where]
    counting = has or needs or conditions or one_per_language
    if counting and any(entry.counts is None for entry in entries):
        raise TreegaugeError("nothing was counted; these criteria need a catalogue with counts")
    reasons: Reasons = {
        entry: [*_missing(entry, has, needs), *_unmet(entry, conditions), *_barred(entry, licence)]
        for entry in entries
    }
    if one_per_language is not None:
        _rivals(reasons, one_per_language)
    return reasons


def _missing(entry: TreebankEntry, has: Iterable[str], needs: Iterable[str]) -> Iterable[str]:
    total = entry.total
    for layer in has:
        share = total.share(layer) or 0.0
        if share < ENOUGH:
            yield f"no {layer} ({share:.1%} of words)"
    filled = [split for split, counts in (entry.counts or {}).items() if counts.sentences]
    for split in needs:
        if split not in filled:
            yield f"no {split} set"


def _unmet(entry: TreebankEntry, conditions: Iterable[Condition]) -> Iterable[str]:
    return filter(None, (condition.reason(entry) for condition in conditions))


def _barred(entry: TreebankEntry, pattern: str | None) -> Iterable[str]:
    licence = entry.metadata.licence
    if pattern is not None and not fnmatchcase(licence.casefold(), pattern.casefold()):
        yield f"licence {licence}, expected {pattern}"


def _rivals(reasons: Reasons, prefer: Prefer) -> None:
    """Give all but the best of each language and release a reason to be left out."""

    def rank(entry: TreebankEntry) -> tuple[int, int, str]:
        trust = 0
        if prefer == "annotation":
            trust = (*ANNOTATIONS, entry.metadata.annotation).index(entry.metadata.annotation)
        return trust, -entry.total.words, entry.name

    groups: dict[tuple[str | None, str], list[TreebankEntry]] = {}
    for entry, why in reasons.items():
        language = entry.language.name
        if not why and language != UNKNOWN:
            groups.setdefault((entry.release, language), []).append(entry)
    for (_, language), rivals in groups.items():
        best, *others = sorted(rivals, key=rank)
        for entry in others:
            reasons[entry].append(f"{best.name} is preferred for {language} by {prefer}")
