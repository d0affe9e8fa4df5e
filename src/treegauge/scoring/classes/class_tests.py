"""Tests between two systems per class: relations, distances, genres and others."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from treegauge.scoring.comparisons import judged, known
from treegauge.statistics.draws import FloatArray
from treegauge.statistics.small_samples import StudentEstimate, jackknife
from treegauge.statistics.units import LEAST_UNITS, UnitKind
from treegauge.treebanks.data.columns import Treebank
from treegauge.treebanks.data.indexing import document_starts

if TYPE_CHECKING:
    from treegauge.scoring.classes.class_scores import Breakdown

#: Minimum number of units in which two systems differ on a class, for inference.
LEAST_DIFFERENT = 8


class ClassTable(NamedTuple):
    """Counts of one class over the units that contain it.

    `a` and `b` have, for each unit, the columns of :func:`class_f1`.
    """

    name: str
    a: npt.NDArray[np.int64]
    b: npt.NDArray[np.int64]

    @property
    def gold(self) -> int:
        """The number of gold words in the class."""
        return int(self.a[:, 1].sum())


def class_f1(sums: FloatArray) -> FloatArray:
    r"""F1 of a class from sums: correct gold words, gold words, correct system words, system words.

    The last two count words that are in the class according to the system.
    """
    correct, gold, correct_system, system = (sums[..., i].astype(np.float64) for i in range(4))
    recall, precision = (
        np.divide(part, whole, out=np.zeros_like(whole), where=whole > 0)
        for part, whole in ((correct, gold), (correct_system, system))
    )
    both = recall + precision
    f1 = np.divide(2 * recall * precision, both, out=np.zeros_like(both), where=both > 0)
    return np.asarray(f1[..., None])


def class_difference(table: ClassTable) -> StudentEstimate:
    """Return the difference of F1; its standard error is NaN if too few units differ.

    A class without gold words has no F1 to compare: it is 0 for both systems.
    """
    words = table.a[:, 1] + (table.a[:, 3] + table.b[:, 3]) / 2
    moved = int((table.a != table.b).any(axis=1).sum())
    if len(words) >= LEAST_UNITS and moved >= LEAST_DIFFERENT and table.gold:
        return jackknife(table.a, class_f1, words, other=table.b)
    nothing = np.full(1, np.nan)
    value = class_f1(table.a.sum(axis=0)) - class_f1(table.b.sum(axis=0))
    return StudentEstimate(value, nothing, nothing)


def compare_classes(
    a: "Breakdown", b: "Breakdown", units: UnitKind, *, level: float, correction: str
) -> list[dict[str, Any]]:
    """Compare two systems per class, on the units that contain the class.

    The test is the primary one: Student's t of the difference over documents or sentences, with
    p-values corrected over the classes that have one.
    """
    rows = []
    for table in _tables(a, b, units):
        difference = class_difference(table)
        low, high = difference.interval(level)
        row: dict[str, Any] = {"class": table.name, "gold": table.gold, "units": len(table.a)}
        row["difference"] = 100 * float(difference.value[0])
        row |= {"low": known(100 * low[0]), "high": known(100 * high[0])}
        tested = not np.isnan(difference.standard_error[0])
        row["p_value"] = known(difference.p_value()[0]) if tested else None
        rows.append(row)
    return judged(rows, correction, level)


def _tables(a: "Breakdown", b: "Breakdown", units: UnitKind) -> Iterator[ClassTable]:
    """Count words by class and unit; combinations that do not occur take no memory."""
    names = list(dict.fromkeys([*a.gold.names, *a.system.names, *b.system.names]))
    unit = unit_numbers(a.alignment.gold.treebank, units)
    number = int(unit.max(initial=0)) + 1
    cells = [_cells(breakdown, names, unit, number) for breakdown in (a, b)]
    keys = np.unique(np.concatenate([group for columns in cells for group in columns]))
    tables = [
        np.column_stack([np.bincount(np.searchsorted(keys, group), minlength=len(keys)) for group in columns])
        for columns in cells
    ]
    edges = np.searchsorted(keys, np.arange(len(names) + 1) * number)
    for i, name in enumerate(names):
        here = slice(edges[i], edges[i + 1])
        if edges[i] < edges[i + 1]:
            yield ClassTable(name, tables[0][here], tables[1][here])


def _cells(
    breakdown: "Breakdown", names: list[str], unit: npt.NDArray[np.int64], number: int
) -> list[npt.NDArray[np.int64]]:
    """Return the words of each column as one number for class and unit."""
    alignment, words = breakdown.alignment, breakdown.words
    gold = breakdown.gold.among(names) * np.int64(number) + unit[alignment.gold.treebank.sentence_of]
    system = breakdown.system.among(names) * np.int64(number) + unit[alignment.system_sentence]
    correct_system = np.zeros(alignment.system.treebank.n_words, bool)
    correct_system[alignment.to_system[words.correct]] = True
    return [gold[words.correct], gold[words.gold], system[correct_system], system[words.system]]


def unit_numbers(treebank: Treebank, units: UnitKind) -> npt.NDArray[np.int64]:
    """Return the unit of each sentence: itself, or its document."""
    if units == "sentences":
        return np.arange(len(treebank))
    starts = document_starts(treebank).copy()
    starts[:1] = True
    return np.cumsum(starts) - 1
