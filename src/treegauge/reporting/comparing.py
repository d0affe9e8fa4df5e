"""What the page says about a pair of systems: over treebanks, and class by class."""

from collections.abc import Mapping, Sequence
from math import comb
from typing import Any

import numpy as np

from treegauge.ranking.certify import families_ahead
from treegauge.ranking.leaderboard import Leaderboard
from treegauge.reporting.overview import all_pairs
from treegauge.reporting.packing import floats
from treegauge.scoring.breakdown import Breakdown
from treegauge.scoring.class_tests import compare_classes
from treegauge.statistics.hierarchy import hierarchy
from treegauge.statistics.planning import detectable_difference
from treegauge.statistics.small_samples import signed_rank

#: The column of treebanks' metadata by which treebanks are grouped.
FAMILY = "genus"
#: Fewest groups with which the primary test takes one value per group.
LEAST_GROUPED = 6
#: Pairs of systems times treebanks up to which classes are tested one by one.
MOST_TESTED = 120
LEVEL = 0.95


def table_pairs(board: Leaderboard) -> dict[str, Any]:
    """Return, for every pair of a table of scores, what a certificate says of its difference.

    `difference`, `low` and `high` are in points, for other treebanks of these families; `p` is the
    primary test's; `detectable` is what the test would find with 80 % power.
    """
    pairs = all_pairs(board.systems)
    whole, scale = board.fixed_point()
    first, second = (np.array([pair[side] for pair in pairs], int) for side in (0, 1))
    differences = (whole[first] - whole[second]) / scale
    groups = board.metadata[FAMILY].to_list()
    made = hierarchy(differences, groups).alike
    low, high = made.interval(LEVEL)
    with np.errstate(invalid="ignore"):
        least = detectable_difference(made.standard_error, made.df, level=LEVEL)
    p_values = [
        _primary_p(row, own, groups) for row, own in zip(whole[first] - whole[second], differences,
                                                          strict=True)
    ]  # fmt: skip
    columns: dict[str, Any] = {
        "difference": made.value, "low": low, "high": high, "detectable": least, "p": p_values
    }  # fmt: skip
    return {name: floats(values) for name, values in columns.items()}


def _primary_p(whole: Any, differences: Any, groups: Sequence[Any]) -> float:
    """Return the p-value of a certificate's primary test: signed ranks, of families if it can."""
    families = families_ahead(groups, differences)
    if len(families) >= LEAST_GROUPED:
        return signed_rank(np.array([row["difference"] for row in families])).p_value
    return signed_rank(whole).p_value


def class_pairs(
    breakdowns: Mapping[str, Breakdown], classes: Sequence[str], units: Any, treebanks: int
) -> list[dict[str, Any]] | None:
    """Return the tests of every pair, class by class in the order given; None of too many pairs.

    p-values are corrected over the classes of a pair.
    """
    systems = list(breakdowns)
    if len(systems) < 2 or comb(len(systems), 2) * treebanks > MOST_TESTED:
        return None
    found = []
    for a, b in all_pairs(systems):
        rows = compare_classes(
            breakdowns[systems[a]], breakdowns[systems[b]], units, level=LEVEL, correction="holm"
        )
        by_class = {row["class"]: row for row in rows}
        columns = {
            name: [by_class.get(one, {}).get(name) for one in classes]
            for name in ("difference", "low", "high", "p_corrected")
        }
        found.append({name: floats(_filled(values)) for name, values in columns.items()})
    return found


def _filled(values: Sequence[float | None]) -> Any:
    return [np.nan if value is None else value for value in values]
