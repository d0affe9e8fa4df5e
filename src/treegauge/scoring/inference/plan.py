"""Power analysis: the sentences, runs and treebanks needed to find a difference."""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from treegauge.core import tables
from treegauge.core.errors import TreegaugeError
from treegauge.core.result import Result, countersign
from treegauge.scoring.inference.certainty import UnitCounts, difference, f1_fractions
from treegauge.scoring.inference.comparisons import POWER, unit_counts
from treegauge.scoring.metrics.registry import canonical
from treegauge.scoring.scores import Scores
from treegauge.statistics.planning import needed_units
from treegauge.statistics.units import LEAST_RUNS, LEAST_TREEBANKS, LEAST_UNITS

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True, eq=False)
class SamplePlan(Result):
    """Units, runs or treebanks needed to find a difference in points with probability 0.8.

    One row per pair and kind of unit: how many there are, and how many are needed (None: no number
    is enough) while everything else is as `given`.
    """

    rows: tuple[dict[str, Any], ...]
    wanted: float
    notes: tuple[str, ...]
    signature: str
    kind: ClassVar[str] = "plan"

    @property
    def table(self) -> "pl.DataFrame":
        """One row per pair and kind of unit."""
        import polars as pl

        return pl.DataFrame(self.rows, infer_schema_length=None)

    def shown(self) -> "pl.DataFrame":
        """Return the table, with a remark where no number is enough."""
        import polars as pl

        needed = pl.col("needed").cast(pl.String).fill_null("no number is enough")
        return self.table.with_columns(needed)

    def json_fields(self) -> dict[str, Any]:
        """Return the rows, the difference to be found, and the notes."""
        more = {"difference": self.wanted, "power": POWER, "notes": list(self.notes)}
        return more | super().json_fields()

    def own_text(self) -> str:
        """Return the table under its title."""
        points = "point" if self.wanted == 1 else "points"
        title = f"to find a difference of {self.wanted:g} {points} with probability {POWER:g}:"
        return "\n".join([title, tables.to_text(self.shown()), *self.notes, self.signature])


def plan_scores(scores: Scores, wanted: float, metric: str = "LAS") -> SamplePlan:
    """Return the plan for each pair of systems, from their variances on one gold file."""
    if len(scores.systems) < 2:
        raise TreegaugeError("a plan needs at least two systems, to estimate how much their difference varies")
    name, fixed = canonical(metric), False
    rows: list[dict[str, Any]] = []
    for first, second in combinations(scores.systems, 2):
        a, b = (unit_counts(system, [name], scores.units) for system in (first, second))
        estimate = difference(a, b)
        if np.isnan(estimate.standard_error[0]):
            raise TreegaugeError(f"{first.system!r} and {second.system!r} differ in too few {scores.units} for a plan")
        between = [_run_variance(counts) for counts in (a, b)]
        of_units = 1e4 * max(
            float(estimate.standard_error[0]) ** 2
            - sum(value / counts.runs for value, counts in zip(between, (a, b), strict=True)),
            0.0,
        )
        of_run, n = 1e4 * sum(between), a.number
        named = {"a": first.system, "b": second.system}
        precision: dict[str, Any] = {"level": scores.level, "power": POWER}
        has_runs = a.random_runs and b.random_runs
        fixed = fixed or not has_runs
        for runs in sorted({min(a.runs, b.runs), 3, 5, 10}) if has_runs else [min(a.runs, b.runs)]:
            needed = needed_units(wanted, of_units * n, of_run / runs, least=LEAST_UNITS, **precision)
            given = f"{runs} runs each" if has_runs else "these outputs"
            rows.append(named | {"unit": scores.units, "given": given, "available": n, "needed": needed})
        if has_runs:
            needed = needed_units(wanted, of_run, of_units, least=LEAST_RUNS, **precision)
            row = {"unit": "runs", "given": f"{n} {scores.units}", "available": min(a.runs, b.runs)}
            rows.append(named | row | {"needed": needed})
    notes = [f"runs needed: unknown; give {LEAST_RUNS} or more runs of each system to find out"]
    return SamplePlan(
        tuple(rows), wanted, tuple(notes if fixed else ()),
        countersign(scores.signature, m=name, plan=wanted, power=POWER),
    )  # fmt: skip


def plan_treebanks(
    differences: Mapping[tuple[str, str], tuple[int, float]], wanted: float, level: float, signature: str
) -> SamplePlan:
    """Return the plan for each pair, from the number of treebanks and the variance of one."""
    rows = []
    for (a, b), (number, variance) in differences.items():
        needed = needed_units(wanted, variance, level=level, power=POWER, least=LEAST_TREEBANKS)
        row = {"a": a, "b": b, "unit": "treebanks", "given": "test sets like these"}
        rows.append(row | {"available": number, "needed": needed})
    signature = countersign(signature, plan=wanted, power=POWER)
    return SamplePlan(tuple(rows), wanted, (), signature)


def _run_variance(counts: UnitCounts) -> float:
    if not counts.random_runs:
        return 0.0
    return float(f1_fractions(counts.table.sum(axis=1))[:, 0].var(ddof=1))
