"""Choosing treebanks by criteria, with a reason for each one left out."""

import operator
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, get_args

from treegauge.results.errors import ChoiceError, TreegaugeError
from treegauge.results.result import Result
from treegauge.treebanks.catalogue import Catalogue
from treegauge.treebanks.entries import SHARES, SIZES, Entry
from treegauge.treebanks.languages import UNKNOWN
from treegauge.treebanks.sources import SPLITS

if TYPE_CHECKING:
    import polars as pl

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
        found = _CONDITION.fullmatch(text)
        if not found:
            raise TreegaugeError(
                f"found the condition {text!r}, expected such as 'words >= 30000' with one of "
                f"{', '.join(_OPERATORS)}"
            )
        if found[1] not in NUMBERS:
            raise ChoiceError("column", found[1], NUMBERS)
        try:
            return cls(found[1], found[2], float(found[3]))
        except ValueError:
            raise TreegaugeError(f"found {found[3]!r} in {text!r}, expected a number") from None

    def __str__(self) -> str:
        return f"{self.column}{self.sign}{self.bound:g}"

    def reason(self, entry: Entry) -> str | None:
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


@dataclass(frozen=True)
class LeftOut(Result):
    """The treebanks that were not chosen, each with its reasons."""

    reasons: tuple[tuple[Entry, tuple[str, ...]], ...]
    signature: str

    @property
    def table(self) -> "pl.DataFrame":
        """One row a treebank."""
        import polars as pl

        rows = [(e.name, e.release, "; ".join(why)) for e, why in self.reasons]
        schema = dict.fromkeys(("treebank", "release", "left out because"), pl.String)
        return pl.DataFrame(rows, schema=schema, orient="row")


@dataclass(frozen=True)
class Selection(Result):
    """The treebanks that meet all criteria, and why the others do not."""

    kept: Catalogue
    left_out: LeftOut
    signature: str
    digits = Catalogue.digits

    @property
    def table(self) -> "pl.DataFrame":
        """The rows of the treebanks that were kept."""
        return self.kept.table

    def shown(self) -> "pl.DataFrame":
        """Return what fits on a screen."""
        return self.kept.shown()

    def to_dict(self) -> dict[str, Any]:
        """Return the kept rows and the treebanks left out with their reasons."""
        others = [
            {"treebank": entry.name, "release": entry.release, "reasons": list(why)}
            for entry, why in self.left_out.reasons
        ]
        return super().to_dict() | {"left_out": others}

    def __str__(self) -> str:
        all_of_them = len(self.kept) + len(self.left_out.reasons)
        return f"{super().__str__()}\n{len(self.kept)} of {all_of_them} treebanks"


def select(
    catalogue: Catalogue,
    *,
    has: Sequence[str] = (),
    needs: Sequence[str] = (),
    where: Sequence[str] = (),
    licence: str | None = None,
    one_per_language: Prefer | None = None,
) -> Selection:
    """Keep the treebanks that meet all criteria.

    Parameters
    ----------
    catalogue
        What to choose from, counted.
    has
        Layers out of ``text``, ``lemmas``, ``features`` and ``xpos``. A treebank has a layer if at
        least a quarter of its words do.
    needs
        Parts out of ``train``, ``dev`` and ``test`` that must have sentences.
    where
        Bounds on columns of the table, such as ``"words >= 30000"``, ``"nonprojective <= 0.1"``.
    licence
        A pattern for the licence, such as ``"CC BY-SA *"``, case aside.
    one_per_language
        Keep one of each language and release, among those that meet all else: ``"size"`` the one
        with most words, ``"annotation"`` the one whose relations were annotated most by hand (in
        the order of :data:`ANNOTATIONS`), the larger one if that is equal or unknown.

    Examples
    --------
    >>> from treegauge.treebanks.catalogue import catalogue
    >>> select(catalogue(), where=["words >= 30000"]).signature.split("|", 1)[1]
    'v:catalogue|treebanks:0|errors:skip|where:words>=30000'
    """
    for what, found, choices in (("layer", has, LAYERS), ("part", needs, SPLITS)):
        for one in found:
            if one not in choices:
                raise ChoiceError(what, one, choices)
    if one_per_language not in {None, *get_args(Prefer)}:
        raise ChoiceError("preference", one_per_language, get_args(Prefer))
    conditions = [Condition.parse(text) for text in where]
    counting = has or needs or conditions or one_per_language
    if counting and any(entry.counts is None for entry in catalogue):
        raise TreegaugeError("nothing was counted; these criteria need a catalogue with counts")

    reasons = {
        entry: [*_missing(entry, has, needs), *_unmet(entry, conditions), *_barred(entry, licence)]
        for entry in catalogue
    }
    if one_per_language is not None:
        _rivals(reasons, one_per_language)
    signature_parts = {
        "has": "+".join(has) or None,
        "needs": "+".join(needs) or None,
        "where": ",".join(map(str, conditions)) or None,
        "licence": licence,
        "one": f"language by {one_per_language}" if one_per_language else None,
    }
    kept = catalogue.subset([e for e, why in reasons.items() if not why], **signature_parts)
    others = tuple((entry, tuple(why)) for entry, why in reasons.items() if why)
    return Selection(kept, LeftOut(others, kept.signature), kept.signature)


def _missing(entry: Entry, has: Iterable[str], needs: Iterable[str]) -> Iterable[str]:
    total = entry.total
    for layer in has:
        share = total.share(layer) or 0.0
        if share < ENOUGH:
            yield f"no {layer} ({share:.1%} of words)"
    filled = [part for part, counts in (entry.counts or {}).items() if counts.sentences]
    for part in needs:
        if part not in filled:
            yield f"no {part} part"


def _unmet(entry: Entry, conditions: Iterable[Condition]) -> Iterable[str]:
    return filter(None, (condition.reason(entry) for condition in conditions))


def _barred(entry: Entry, pattern: str | None) -> Iterable[str]:
    licence = entry.papers.licence
    if pattern is not None and not fnmatchcase(licence.casefold(), pattern.casefold()):
        yield f"licence {licence}, expected {pattern}"


def _rivals(reasons: dict[Entry, list[str]], prefer: Prefer) -> None:
    """Give all but the best of each language and release a reason to be left out."""

    def rank(entry: Entry) -> tuple[int, int, str]:
        trust = 0
        if prefer == "annotation":
            trust = (*ANNOTATIONS, entry.papers.annotation).index(entry.papers.annotation)
        return trust, -entry.total.words, entry.name

    groups: dict[tuple[str | None, str], list[Entry]] = {}
    for entry, why in reasons.items():
        language = entry.language.name
        if not why and language != UNKNOWN:
            groups.setdefault((entry.release, language), []).append(entry)
    for (_, language), rivals in groups.items():
        best, *others = sorted(rivals, key=rank)
        for entry in others:
            reasons[entry].append(f"{best.name} is preferred for {language} by {prefer}")
