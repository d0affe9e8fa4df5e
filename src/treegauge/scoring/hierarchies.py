"""Macro averages and their differences: on these treebanks, and on a new one."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, isnan
from typing import TYPE_CHECKING, Any

import numpy as np

from treegauge.core import tables
from treegauge.core.lazy import pl
from treegauge.core.result import Result, countersign
from treegauge.scoring.certainty import difference
from treegauge.scoring.metrics.registry import canonical
from treegauge.scoring.paired_tests import PRIMARY, Comparisons, detectable_note, judged, sureness, text_verdict
from treegauge.scoring.verdicts import PairVerdict, treebank_verdict
from treegauge.statistics.hierarchy import Hierarchy, hierarchy
from treegauge.statistics.student_intervals import StudentEstimate
from treegauge.statistics.units import GENUS, LEAST_GROUPS, LEAST_TREEBANKS, forcing_treebanks, treebank_units
from treegauge.treebanks.sources.languages import kin_of

if TYPE_CHECKING:
    from treegauge.scoring.suite import Suite


@dataclass(frozen=True, eq=False)
class Claims(Result, kind="claims", unit="percent"):
    """Every pair of systems: the number of treebanks on which each is better, at least.

    The counts come from partial conjunction tests (:mod:`treegauge.statistics.multiple`). The
    probability that any of them is wrong, in both directions and over all pairs and metrics, is at
    most `alpha`: each is tested at `alpha` divided by twice the number of pairs and metrics.
    `pairs` has the counts, valid under any dependence, and what they would be if the treebanks were
    independent (Fisher); `tests` the difference and the one-sided p-values of each pair on each
    treebank.
    """

    pairs: tuple[dict[str, Any], ...]
    tests: tuple[dict[str, Any], ...]
    alpha: float
    permutations: int
    signature: str

    @property
    def table(self) -> "pl.DataFrame":
        """One row per pair and metric."""
        lists = pl.selectors.by_dtype(pl.List(pl.String)).list.join(" ")
        return pl.DataFrame(self.pairs, infer_schema_length=None).with_columns(lists)

    def json_fields(self) -> dict[str, Any]:
        """Return the pairs, and the tests behind them."""
        return {"alpha": self.alpha, "rows": list(self.pairs), "tests": list(self.tests)}

    def shown(self) -> "pl.DataFrame":
        """Return mean differences and counts, without treebank names."""
        hidden = [name for name in self.table.columns if name.endswith(("_on", "_if_independent"))]
        return self.table.drop(hidden)

    @property
    def needed_permutations(self) -> int:
        """Number of permutations below which no test can be significant."""
        most: int = max(row["treebanks"] for row in self.pairs)
        return ceil(2 * len(self.pairs) * most / self.alpha)

    def own_text(self) -> str:
        """Return the table, and each claim as a sentence."""
        claims = []
        several = len({row["metric"] for row in self.pairs}) > 1
        for row in self.pairs:
            where = f" in {row['metric']}" if several else ""
            for better, worse, side in (("a", "b", "a_better"), ("b", "a", "b_better")):
                if row[side]:
                    claims.append(
                        f"{row[better]} is better than {row[worse]}{where} on at least {row[side]} "
                        f"of {row['treebanks']} treebanks: {', '.join(row[f'{side}_on'])}"
                    )
        if self.permutations and self.permutations < self.needed_permutations:
            claims.append(
                f"with this number of tests, significance needs at least "
                f"{self.needed_permutations} permutations; there were {self.permutations} "
                "(--resamples)"
            )
        return "\n".join([tables.to_text(self.shown()), *claims, self.signature])


def over_treebanks(names: Sequence[str], values: Sequence[float], estimates: Sequence[StudentEstimate]) -> Hierarchy:
    """Return the mean over treebanks in genera, from values with standard errors."""
    errors = np.array([float(estimate.standard_error[0]) for estimate in estimates])
    freedom = np.array([float(estimate.df[0]) for estimate in estimates])
    table, genera = np.array(values), [kin_of(name, "genus") for name in names]
    return hierarchy(table, genera, StudentEstimate(table, errors, freedom))


def percent_interval(estimate: StudentEstimate, level: float, *, share: bool = False) -> tuple[float, float] | None:
    """Return the limits of an estimate in percent; None if it has no standard error."""
    low, high = (100 * float(limit) for limit in estimate.interval(level, share=share))
    return None if isnan(low) else (low, high)


def paired_differences(suite: "Suite", metric: str) -> dict[tuple[str, str], tuple[list[str], list[float], Hierarchy]]:
    """Return, for each pair, the shared treebanks, the differences, and their mean."""
    name, by_pair = canonical(metric), {}
    for (a, b), names in suite.shared_by_pair().items():
        estimates = [difference(suite.counts(t, a, name), suite.counts(t, b, name)) for t in names]
        gains = [(suite.f1(t, a, name) - suite.f1(t, b, name)) / 100 for t in names]
        by_pair[a, b] = names, gains, over_treebanks(names, gains, estimates)
    return by_pair


def compare_suite(
    suite: "Suite", *, metric: str | Sequence[str] = "LAS", correction: str = "holm", margin: float | None = None
) -> Comparisons:
    """Compare the macro averages of every pair of systems on the treebanks they share.

    The interval and the test are for these treebanks with other sentences (or documents) and, with
    three or more runs per system, other runs. ``new_low`` to ``new_high`` is a prediction interval
    for the difference on a new treebank of another genus; it needs 25 treebanks in ten genera.
    p-values are corrected over all pairs and metrics.
    """
    metrics = [canonical(given_name) for given_name in ([metric] if isinstance(metric, str) else metric)]
    rows: list[dict[str, Any]] = []
    pairs = [(name, *each) for name in metrics for each in paired_differences(suite, name).items()]
    for name, (a, b), (names, _, over) in pairs:
        f1_a, f1_b = (sum(suite.f1(t, system, name) for t in names) / len(names) for system in (a, b))
        row: dict[str, Any] = {"metric": suite.label(name), "a": a, "b": b}
        row |= {"treebanks": len(names), "f1_a": f1_a, "f1_b": f1_b, "difference": f1_a - f1_b}
        new = percent_interval(over.new, suite.level) or (None, None)
        row |= {"new_low": new[0], "new_high": new[1]}
        if over.here is not None:
            row |= sureness(over.here.reshape((1,)), 0, suite.level, margin)
        rows.append(row)
    notes = ["primary test: Student's t of the mean difference on these treebanks"]
    few = forcing_treebanks(suite.text_units)
    if any(row["p_value"] is None for row in rows):
        notes = [f"no test: {few}" if few else "no test where systems differ in too few units of some treebank"]
    units = " and ".join(sorted({str(each.units) for each in suite.treebanks.values()}))
    notes += detectable_note(rows, f"the {units} of these treebanks")
    if any(row["new_low"] is None for row in rows):
        notes.append(f"a new treebank: from {LEAST_TREEBANKS} treebanks in {LEAST_GROUPS} genera")
    signature = countersign(
        suite.signature, test=f"paired-{PRIMARY}", m="+".join(metrics), correction=correction, margin=margin
    )
    rows, verdicts = judged(rows, correction, suite.level), list[PairVerdict]()
    why = few or "the systems differ in too few units of some treebank"
    for row, (_, (a, b), (names, gains, _)) in zip(rows, pairs, strict=True):
        groups = treebank_units(names, [kin_of(name, GENUS) for name in names])
        verdicts += [
            text_verdict(row, len(rows), "these treebanks", why, suite.level, margin=margin),
            treebank_verdict(a, b, 100 * np.array(gains), groups, row["metric"], level=suite.level),
        ]
    return Comparisons(tuple(rows), signature, notes=tuple(notes), verdicts=tuple(verdicts))
