"""Tests between two systems per class: relations, distances, genres and others."""

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from treegauge.scoring.paired_tests import judged, known, over_treebanks
from treegauge.statistics.draws import FloatArray
from treegauge.statistics.student_intervals import StudentEstimate, jackknife
from treegauge.statistics.units import LEAST_ERRORS, LEAST_RUNS, LEAST_UNITS, UnitKind, text_units
from treegauge.treebanks.data.columns import Treebank
from treegauge.treebanks.data.indexing import document_starts

if TYPE_CHECKING:
    from treegauge.scoring.classes.class_scores import Breakdown

#: Minimum number of units in which two systems differ on a class, for inference.
LEAST_DIFFERENT = 8


class ClassTable(NamedTuple):
    """Counts of one class over the units that contain it.

    `a` and `b` have, for each unit, the columns of :func:`class_f1`; or for each run and unit.
    """

    name: str
    a: npt.NDArray[Any]
    b: npt.NDArray[Any]

    @property
    def means(self) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
        """The counts of each unit, as means over runs."""
        a, b = (table if table.ndim == 2 else table.mean(axis=0) for table in (self.a, self.b))
        return a, b

    @property
    def gold(self) -> int:
        """The number of gold words in the class."""
        return int(self.means[0][:, 1].sum())


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


def class_difference(table: ClassTable, *, whole: bool = False) -> StudentEstimate:
    """Return the difference of F1; its standard error is NaN if too few units differ.

    A class without gold words has no F1 to compare: it is 0 for both systems. The class of the `whole` text is the
    score, and has its test (:func:`treegauge.scoring.certainty.difference`), in which the units that differ limit the
    degrees of freedom; in rare classes intervals of this kind would be too wide.
    """
    a, b = table.means
    words = a[:, 1] + (a[:, 3] + b[:, 3]) / 2
    moved = (a != b).any(axis=1).sum()
    if len(words) >= LEAST_UNITS and moved >= (LEAST_ERRORS if whole else LEAST_DIFFERENT) and table.gold:
        made = jackknife(table.a, class_f1, words, other=table.b)
        return made.limited(np.array([moved]), LEAST_ERRORS) if whole else made
    nothing = np.full(1, np.nan)
    ours, theirs = (class_f1(side.sum(axis=-2)).reshape(-1, 1).mean(axis=0) for side in (table.a, table.b))
    return StudentEstimate(ours - theirs, nothing, nothing)


def class_units(breakdown: "Breakdown", units: str) -> UnitKind:
    """Return the units of a treebank."""
    return text_units(int(document_starts(breakdown.alignment.gold.treebank).sum()), units)


def compare_classes(
    a: "Breakdown", b: "Breakdown", units: str, *, level: float, correction: str
) -> list[dict[str, Any]]:
    """Compare two systems per class, on the units that contain the class.

    The test is the primary one: Student's t of the difference over documents or sentences and, with
    three or more runs per system, runs; over treebanks, of the mean difference on those where gold
    has the class. p-values are corrected over the classes that have one.
    """
    by_class: dict[str, dict[str, ClassTable]] = {}
    for code, runs in a.runs.items():
        for table in _tables(runs, b.runs[code], class_units(runs[0], units)):
            by_class.setdefault(table.name, {})[code] = table
    rows = []
    for name, tables in by_class.items():
        known_tables = {code: table for code, table in tables.items() if table.gold} or tables
        difference = _mean_difference(known_tables, whole=len(by_class) == 1)
        low, high = difference.interval(level)
        gold, number = (sum(map(of, tables.values())) for of in (lambda t: t.gold, lambda t: len(t.means[0])))
        row: dict[str, Any] = {"class": name, "gold": gold, "units": number}
        row["difference"] = 100 * float(difference.value[0])
        row |= {"low": known(100 * low[0]), "high": known(100 * high[0])}
        tested = not np.isnan(difference.standard_error[0])
        row["p_value"] = known(difference.p_value()[0]) if tested else None
        rows.append(row)
    return judged(rows, correction, level)


def _mean_difference(tables: Mapping[str, ClassTable], *, whole: bool) -> StudentEstimate:
    """Return the mean difference over treebanks."""
    estimates = [class_difference(table, whole=whole) for table in tables.values()]
    if len(estimates) == 1:
        return estimates[0]
    over: Any = over_treebanks(list(tables), [float(one.value[0]) for one in estimates], estimates).here
    return over.reshape((1,))  # type: ignore[no-any-return]


def _tables(a: "Sequence[Breakdown]", b: "Sequence[Breakdown]", units: UnitKind) -> Iterator[ClassTable]:
    """Count words by class and unit; combinations that do not occur take no memory."""
    runs = [*a, *b]
    names = list(
        dict.fromkeys(name for classes in [a[0].gold, *(run.system for run in runs)] for name in classes.names)
    )
    unit = unit_numbers(a[0].alignment.gold.treebank, units)
    number = int(unit.max(initial=0)) + 1
    cells = [_cells(run, names, unit, number) for run in runs]
    keys = np.unique(np.concatenate([group for columns in cells for group in columns]))
    tables = [
        np.column_stack([np.bincount(np.searchsorted(keys, group), minlength=len(keys)) for group in columns])
        for columns in cells
    ]
    sides = [np.stack(tables[: len(a)]), np.stack(tables[len(a) :])]
    sides = [side if len(side) >= LEAST_RUNS else side.mean(axis=0) if len(side) > 1 else side[0] for side in sides]
    edges = np.searchsorted(keys, np.arange(len(names) + 1) * number)
    for i, name in enumerate(names):
        here = slice(edges[i], edges[i + 1])
        if edges[i] < edges[i + 1]:
            yield ClassTable(name, sides[0][..., here, :], sides[1][..., here, :])


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
