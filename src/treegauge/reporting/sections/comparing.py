"""Comparisons of pairs of systems for the page: over treebanks, and class by class."""

from collections.abc import Mapping, Sequence
from math import comb
from typing import Any

import numpy as np

from treegauge.ranking.certify import primary_test
from treegauge.ranking.leaderboard import Leaderboard
from treegauge.ranking.metadata import units_of
from treegauge.reporting.page.packing import floats
from treegauge.reporting.sections.overview import all_pairs
from treegauge.scoring.breakdown import Breakdown
from treegauge.scoring.classes.class_tests import compare_classes
from treegauge.statistics.hierarchy import hierarchy
from treegauge.statistics.planning import detectable_difference
from treegauge.statistics.units import GENUS

#: The largest number of pairs of systems times treebanks for which classes are tested.
MOST_TESTED = 120
LEVEL = 0.95


def table_pairs(board: Leaderboard) -> dict[str, Any]:
    """Return the difference of every pair of systems in a table of scores, as in a certificate.

    `difference`, `low` and `high` are in points, for other treebanks of these families; `p` is from
    the primary test; `detectable` is the difference that it detects with 80 % power.
    """
    pairs = all_pairs(board.systems)
    whole, scale = board.fixed_point()
    first, second = (np.array([pair[side] for pair in pairs], int) for side in (0, 1))
    differences = (whole[first] - whole[second]) / scale
    units = units_of(board, GENUS)
    made = hierarchy(differences, units.names).alike
    low, high = made.interval(LEVEL)
    with np.errstate(invalid="ignore"):
        least = detectable_difference(made.standard_error, made.df, level=LEVEL)
    p_values = [
        primary_test(units, row, own) for row, own in zip(whole[first] - whole[second], differences, strict=True)
    ]
    columns: dict[str, Any] = {"difference": made.value, "low": low, "high": high, "detectable": least, "p": p_values}
    return {name: floats(values) for name, values in columns.items()}


def class_pairs(
    breakdowns: Mapping[str, Breakdown], classes: Sequence[str], units: Any, treebanks: int
) -> list[dict[str, Any]] | None:
    """Return the tests of every pair by class, in the order given; None for too many pairs.

    p-values are corrected over the classes of a pair.
    """
    systems = list(breakdowns)
    if len(systems) < 2 or comb(len(systems), 2) * treebanks > MOST_TESTED:
        return None
    found = []
    for a, b in all_pairs(systems):
        rows = compare_classes(breakdowns[systems[a]], breakdowns[systems[b]], units, level=LEVEL, correction="holm")
        by_class = {row["class"]: row for row in rows}
        columns = {
            name: [by_class.get(one, {}).get(name) for one in classes]
            for name in ("difference", "low", "high", "p_corrected")
        }
        found.append({name: floats(_filled(values)) for name, values in columns.items()})
    return found


def _filled(values: Sequence[float | None]) -> Any:
    return [np.nan if value is None else value for value in values]
