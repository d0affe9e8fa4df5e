"""The units policy: what varies behind every interval, p-value and verdict.

In a text these are documents where at least ten are marked, else sentences, with a note on what
that leaves unknown; in a table of scores genera of treebanks (a treebank of unknown genus is a unit
of its own), or treebanks where a test takes them as independent; for a system its runs. A result
names its units in its signature (``units:genus``), from which print and JSON have them. Below the
numbers here there is no interval or no test, and a note says what to do.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from treegauge.core.errors import ChoiceError, TreegaugeError

UnitKind = Literal["documents", "sentences"]
UNIT_CHOICES = ("auto", "documents", "sentences")

#: Minimum number of units (sentences, documents, groups of treebanks) for a jackknife interval.
LEAST_UNITS = 10
#: Fewer documents than this cause a warning.
FEW_DOCUMENTS = 20
#: Minimum number of units with an error (or a difference between two systems) for inference.
LEAST_ERRORS = 5
#: Minimum number of units for a bootstrap interval or test, or to correct the best of many.
LEAST_BOOTSTRAP, LEAST_BOOTSTRAP_TEST, LEAST_BEST = 200, 100, 500
#: Minimum number of runs for inference about other seeds; fewer are averaged and held fixed.
LEAST_RUNS = 3
#: Minimum numbers of treebanks and of families for inference about other treebanks.
LEAST_TREEBANKS, LEAST_GROUPS = 25, 10
#: Minimum number of groups for a test with one value per group: with five, p cannot be below 0.05.
LEAST_GROUPED = 6
#: Minimum number of clusters of rows for an interval or p-value of a correlation.
LEAST_CLUSTERS = 8
#: The column of metadata whose groups of treebanks vary together, unless another is named.
GENUS = "genus"
TOO_FEW = f"fewer than {LEAST_TREEBANKS} treebanks or {LEAST_GROUPS} families"
#: What users can do if there are few documents, and what intervals over sentences leave unknown.
IN_DOCUMENTS = "--units sentences gives intervals that hold only for other sentences of these documents"
UNKNOWN = "how much documents vary is unknown"


def text_units(marked: int, wanted: str, *, what: str = "gold") -> UnitKind:
    """Return the units of a text: those wanted, or documents if enough are marked.

    Parameters
    ----------
    marked
        The number of documents that ``# newdoc`` comments mark.
    wanted
        ``documents``, ``sentences`` or ``auto``.
    what
        The text, as errors call it.

    Examples
    --------
    >>> text_units(12, "auto"), text_units(8, "auto"), text_units(12, "sentences")
    ('documents', 'sentences', 'sentences')
    """
    if wanted not in UNIT_CHOICES:
        raise ChoiceError("units", wanted, UNIT_CHOICES)
    if wanted == "documents" and not marked:
        raise TreegaugeError(
            f"units: {what} has no '# newdoc' comment that marks documents; expected such comments, "
            "or --units sentences"
        )
    return "documents" if wanted == "documents" or (wanted == "auto" and marked >= LEAST_UNITS) else "sentences"


class TextUnits(NamedTuple):
    """The units of a text: their kind, the first sentence of each, and the number of marked documents."""

    kind: UnitKind
    first: npt.NDArray[np.intp]
    marked: int

    @property
    def number(self) -> int:
        """The number of units."""
        return len(self.first)

    @property
    def text(self) -> str:
        """Number and kind, such as 12 documents."""
        return f"{self.number} {self.kind}"

    @property
    def few_documents(self) -> bool:
        """Whether the units are documents that are enough for an interval and cause a warning."""
        return self.kind == "documents" and LEAST_UNITS <= self.number < FEW_DOCUMENTS

    def sums(self, table: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Add up the rows of the sentences in each unit."""
        # The type is named because numpy would copy the table to make it wider.
        return np.add.reduceat(table, self.first, dtype=table.dtype) if self.kind == "documents" else table

    def note(self, level: float) -> str:
        """Return the note on intervals over these units."""
        return units_note(self.number, self.kind, level, self.marked)


def units_of_text(starts: npt.NDArray[np.bool_], wanted: str = "auto", *, what: str = "gold") -> TextUnits:
    """Return the units of a text from the sentences that start documents.

    Sentences before the first mark are a document of their own.

    Examples
    --------
    >>> units_of_text(np.arange(60) % 5 == 0).note(0.95)
    'warning: 95 % intervals over only 12 documents; --units sentences gives intervals that hold only for ...'
    >>> units_of_text(np.arange(60) % 10 == 0).note(0.95)
    'warning: 95 % intervals over 60 sentences of only 6 documents (at least 10): how much documents vary is unknown'
    """
    kind, first = text_units(int(starts.sum()), wanted, what=what), np.arange(len(starts))
    if kind == "documents" and len(starts):
        first = np.flatnonzero(starts | (first == 0))
    return TextUnits(kind, first, int(starts.sum()))


def few_units(number: int, units: UnitKind, least: int = LEAST_UNITS) -> str | None:
    """Return why so few units have no interval, and what to do; None if they are enough.

    Examples
    --------
    >>> few_units(8, "documents")
    'no interval: 8 documents, needs at least 10; --units sentences gives intervals that hold only for ...'
    """
    if number >= least:
        return None
    hint = f"; {IN_DOCUMENTS}" if units == "documents" else ""
    return f"no interval: {number} {units.removesuffix('s') if number == 1 else units}, needs at least {least}{hint}"


def units_note(number: int, units: UnitKind, level: float, marked: int) -> str:
    """Return the note on the units of intervals: a warning if documents are few, marked or used."""
    said = f"{100 * level:g} % intervals over"
    if units == "documents" and number < FEW_DOCUMENTS:
        return f"warning: {said} only {number} documents; {IN_DOCUMENTS}"
    if units == "sentences" and marked < 2:
        return f"{said} {number} sentences; no documents are marked: {UNKNOWN}"
    if units == "sentences" and marked < LEAST_UNITS:
        return f"warning: {said} {number} sentences of only {marked} documents (at least {LEAST_UNITS}): {UNKNOWN}"
    return f"{said} {number} {units}"


def forcing_treebanks(units: Mapping[str, TextUnits], least: int = LEAST_UNITS) -> str:
    """Name the treebanks with too few units, which leave an average without an interval or test.

    Examples
    --------
    >>> forcing_treebanks({"Welsh-CCG": units_of_text(np.arange(60) % 8 == 0, "documents")})
    'Welsh-CCG has 8 documents (at least 10); --units sentences gives intervals that hold only for ...'
    """
    few = {name: one for name, one in units.items() if one.number < least}
    if not few:
        return ""
    named = ", ".join(f"{name} has {one.number} {one.kind}" for name, one in few.items())
    hint = f"; {IN_DOCUMENTS}" if any(one.kind == "documents" for one in few.values()) else ""
    return f"{named} (at least {least}){hint}"


def fallback_notes(units: Mapping[str, TextUnits]) -> list[str]:
    """Name the treebanks with few documents, or none marked, in an average over treebanks.

    Examples
    --------
    >>> fallback_notes({"Greek-GDT": units_of_text(np.arange(60) % 5 == 0)})
    ['warning: intervals over only 12 documents in Greek-GDT; --units sentences gives intervals that ...']
    >>> fallback_notes({"Welsh-CCG": units_of_text(np.arange(60) % 8 == 0)})
    ['warning: Welsh-CCG has 8 documents (at least 10): intervals there are over sentences; how much ...']
    """
    in_sentences = {name: one.marked for name, one in units.items() if one.kind == "sentences"}
    few = [f"{name} has {marked} documents" for name, marked in in_sentences.items() if 1 < marked < LEAST_UNITS]
    notes = (
        [f"warning: {', '.join(few)} (at least {LEAST_UNITS}): intervals there are over sentences; {UNKNOWN}"]
        if few
        else []
    )
    short = [f"{one.number} documents in {name}" for name, one in units.items() if one.few_documents]
    notes += [f"warning: intervals over only {', '.join(short)}; {IN_DOCUMENTS}"] if short else []
    bare = sum(marked < 2 for marked in in_sentences.values())
    return [*notes, *([f"{bare} of {len(units)} treebanks mark no documents: {UNKNOWN} there"] if bare else [])]


def cluster_note(rows: int, clusters: int, by: str) -> str:
    """Return the note on clusters of rows of a table, such as treebanks of one genus."""
    held = f"{rows} rows in {clusters} clusters ({by})"
    if clusters >= LEAST_CLUSTERS:
        return f"intervals and p-values account for {held}"
    return (
        f"{held} are too few for intervals and p-values (at least {LEAST_CLUSTERS}); cluster none "
        "treats rows as independent"
    )


class TreebankUnits(NamedTuple):
    """The unit of each treebank, its genus for example, and the treebanks that have none.

    A treebank that cannot be placed is a unit of its own.
    """

    names: tuple[str, ...]
    unplaced: tuple[str, ...]

    @property
    def placed(self) -> bool:
        """Whether any treebank could be placed."""
        return len(self.unplaced) < len(self.names)


def treebank_units(treebanks: Sequence[str], groups: Sequence[str | None], by: str = GENUS) -> TreebankUnits:
    """Return the units of treebanks from their groups; None where the group is unknown.

    Examples
    --------
    >>> treebank_units(["Greek-GDT", "Elvish-X"], ["Greek", None]).names
    ('Greek', 'Elvish-X (genus unknown)')
    """
    pairs = list(zip(treebanks, groups, strict=True))
    names = [f"{treebank} ({by} unknown)" if unit is None else unit for treebank, unit in pairs]
    return TreebankUnits(tuple(names), tuple(name for name, unit in pairs if unit is None))


def unit_codes(groups: Sequence[object] | None, treebanks: int) -> npt.NDArray[np.intp]:
    """Return the unit of each treebank as a number; a treebank without a group is one of its own."""
    if groups is None:
        return np.arange(treebanks)
    if len(groups) != treebanks:
        raise TreegaugeError(f"groups: found {len(groups)} for {treebanks} treebanks")
    named = [f"alone {i}" if group is None else f"group {group}" for i, group in enumerate(groups)]
    return np.unique(named, return_inverse=True)[1]
