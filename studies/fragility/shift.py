"""Fragility, Table 2: the row D21 if one score of the labelling parser is another.

From predicted tags (Table 1) to gold tags (Table 2) the labelling parser gains more on the graph
parser in AG20 and D21 than in five other subsets. AG20 and D21 share one treebank, Tamil, which
none of the five has. AG20 has the same nine treebanks in both
tables, so its surplus times nine is what Tamil would have to contribute. This predicts the row D21,
whose seven treebanks have Tamil, too; two of them have no predicted tags and are taken to be like
the other five. The spread of the five subsets gives 95 % prediction intervals.
"""

from collections.abc import Iterator

import numpy as np
import polars as pl
from scipy import stats

from studies.fragility.table1 import METRICS, PAIRS, PARSERS
from studies.fragility.table2 import CELLS, MEMBERS, TABLE2, printed
from studies.printed import fragility_table1

OTHERS = ("Ma18", "SA17", "Sm18", "Ku19", "Easy")
"""Subsets without Tamil and without treebanks that have no predicted tags."""
SHARES, SIZE, TARGET = "AG20", 9, "D21"
GRAPH, TRANSITION, LABELLING = PARSERS
BEHIND = f"{LABELLING} less {GRAPH}"
QUANTITIES = (BEHIND, *(f"E({LABELLING}, {other})" for other in (GRAPH, TRANSITION)))


def row_of(subset: str, metric: str, *, gold: bool) -> dict[str, float]:
    """Return the three quantities of a printed row."""
    if gold:
        cells = {name: float(text) for name, text in printed(subset, metric).items()}
    else:
        row = fragility_table1().row(by_predicate=pl.col("subset") == subset, named=True)
        start, letter = ("las", "er") if metric == "las" else ("uas", "uer")
        short = dict(zip(PARSERS, ("gb", "tb", "sl"), strict=True))
        names = (*(f"{start}_{one}" for one in short.values()), *(f"{letter}_{short[a]}_{short[b]}" for a, b in PAIRS))
        cells = {cell: float(row[name]) for cell, name in zip(CELLS, names, strict=True)}
    return {BEHIND: cells[LABELLING] - cells[GRAPH], **{one: cells[one] for one in QUANTITIES[1:]}}


def _rows() -> Iterator[dict[str, object]]:
    for metric in METRICS:
        before = {one: row_of(one, metric, gold=False) for one in TABLE2}
        after = {one: row_of(one, metric, gold=True) for one in TABLE2}
        for name in QUANTITIES:
            change = {one: after[one][name] - before[one][name] for one in TABLE2}
            usual = np.array([change[one] for one in OTHERS])
            mean, number = float(usual.mean()), len(usual)
            once = float(usual.std(ddof=1)) * np.sqrt(1 + 1 / number)
            reach = float(stats.t.ppf(0.975, number - 1))
            surplus = SIZE * (change[SHARES] - mean)
            plain = before[TARGET][name] + mean
            shifted = plain + surplus / MEMBERS
            both = once * np.sqrt(1 + (SIZE / MEMBERS) ** 2)
            actual = after[TARGET][name]
            yield {
                "metric": metric.upper(), "quantity": name, "usual change": mean,
                f"change of {SHARES}": change[SHARES], "surplus of Tamil": surplus,
                f"{TARGET} in print": actual, "without Tamil": plain,
                "without: low": plain - reach * once, "without: high": plain + reach * once,
                "with Tamil": shifted, "with: low": shifted - reach * both,
                "with: high": shifted + reach * both,
                "explained": "yes" if abs(actual - shifted) <= reach * both else "no",
            }  # fmt: skip


def shift() -> pl.DataFrame:
    """Return the row D21 as predicted with and without a surplus of one shared treebank."""
    return pl.DataFrame(list(_rows()))
