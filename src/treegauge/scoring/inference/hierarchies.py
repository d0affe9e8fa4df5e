"""Macro averages and their differences: on these treebanks, and on a new one."""

from collections.abc import Sequence
from math import isnan
from typing import TYPE_CHECKING, Any

import numpy as np

from treegauge.core.result import countersign
from treegauge.scoring.inference.certainty import difference
from treegauge.scoring.inference.comparisons import PRIMARY, Comparisons, judged, sureness
from treegauge.scoring.metrics.registry import canonical
from treegauge.statistics.hierarchy import Hierarchy, hierarchy
from treegauge.statistics.small_samples import StudentEstimate
from treegauge.statistics.units import LEAST_GROUPS, LEAST_TREEBANKS, forcing_treebanks
from treegauge.treebanks.sources.languages import kin_of

if TYPE_CHECKING:
    from treegauge.scoring.suite import Suite


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
    if any(row["p_value"] is None for row in rows):
        few = forcing_treebanks(
            {treebank: (suite.counts(treebank, a, metrics[0]).number, suite.treebanks[treebank].units)
             for _, (a, _), (names, _, _) in pairs for treebank in names}
        )  # fmt: skip
        notes = [f"no test: {few}" if few else "no test where systems differ in too few units of some treebank"]
    if any(row["new_low"] is None for row in rows):
        notes.append(f"a new treebank: from {LEAST_TREEBANKS} treebanks in {LEAST_GROUPS} genera")
    signature = countersign(
        suite.signature, test=f"paired-{PRIMARY}", m="+".join(metrics), correction=correction, margin=margin
    )
    return Comparisons(tuple(judged(rows, correction, suite.level)), signature, notes=tuple(notes))
