"""The units policy: what varies behind every interval, p-value and verdict.

In a text these are documents where more than one is marked, else sentences; in a table of scores
genera of treebanks (a treebank of unknown genus is a unit of its own), or treebanks where a test
takes them as independent; for a system its runs. A result names its units in its signature
(``units:genus``), from which print and JSON have them. Below the numbers here there is no interval
or no test, and a note says what to do.
"""

from collections.abc import Mapping, Sequence
from typing import Literal, NamedTuple

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
#: What users can do if there are few documents.
IN_DOCUMENTS = "--units sentences gives intervals that hold only for other sentences of these documents"


def text_units(marked: int, wanted: str, *, what: str = "gold") -> UnitKind:
    """Return the units of a text: those wanted, or documents if more than one is marked.

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
    >>> text_units(12, "auto"), text_units(1, "auto"), text_units(12, "sentences")
    ('documents', 'sentences', 'sentences')
    """
    if wanted not in UNIT_CHOICES:
        raise ChoiceError("units", wanted, UNIT_CHOICES)
    if wanted == "documents" and not marked:
        raise TreegaugeError(
            f"units: {what} has no '# newdoc' comment that marks documents; expected such comments, "
            "or --units sentences"
        )
    return "documents" if wanted == "documents" or (wanted == "auto" and marked > 1) else "sentences"


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


def units_note(number: int, units: UnitKind, level: float) -> str:
    """Return the note on the units of intervals, a warning if they are few documents."""
    percent = f"{100 * level:g} %"
    if units == "documents" and number < FEW_DOCUMENTS:
        return f"warning: {percent} intervals over only {number} documents; {IN_DOCUMENTS}"
    return f"{percent} intervals over {number} {units}"


def forcing_treebanks(numbers: Mapping[str, tuple[int, UnitKind]], least: int = LEAST_UNITS) -> str:
    """Name the treebanks with too few units, which leave an average without an interval or test.

    Examples
    --------
    >>> forcing_treebanks({"Welsh-CCG": (8, "documents"), "Greek-GDT": (30, "documents")})
    'Welsh-CCG has 8 documents (at least 10); --units sentences gives intervals that hold only for ...'
    """
    few = {name: pair for name, pair in numbers.items() if pair[0] < least}
    if not few:
        return ""
    named = ", ".join(f"{name} has {number} {units}" for name, (number, units) in few.items())
    hint = f"; {IN_DOCUMENTS}" if any(units == "documents" for _, units in few.values()) else ""
    return f"{named} (at least {least}){hint}"


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
