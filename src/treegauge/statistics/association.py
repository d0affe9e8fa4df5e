"""One variable beside a target, given ever more covariates: the coefficients and their notes."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from treegauge.results.errors import TreegaugeError
from treegauge.statistics._resample import FloatArray
from treegauge.statistics.collinearity import collinearity_notes
from treegauge.statistics.groups import Group
from treegauge.statistics.inference import Inference, correlated_pair, inference
from treegauge.statistics.multiple import adjust
from treegauge.statistics.partial import Coefficient, coefficients, partial
from treegauge.statistics.rows import bootstrap_rows
from treegauge.statistics.table import Sample, Table


@dataclass(frozen=True)
class Association:
    """One coefficient: of `variable` with `target`, given some covariates, over some rows.

    Attributes
    ----------
    group
        Which rows; ``"all"`` for all.
    target, variable, given, n
        What was correlated, over how many complete rows.
    found
        Coefficient, Fisher interval, adjusted square, p-value, power.
    bca_low, bca_high
        Bootstrap interval over rows.
    p_adjusted
        The p-value, adjusted over all rows of the result with as many covariates.
    """

    group: str
    target: str
    variable: str
    given: tuple[str, ...]
    n: int
    found: Inference = field(default_factory=Inference)
    bca_low: float | None = None
    bca_high: float | None = None
    p_adjusted: float | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return the row of the table."""
        found = self.found
        return {
            "group": self.group,
            "target": self.target,
            "variable": self.variable,
            "given": " + ".join(self.given),
            "n": self.n,
            "r": found.r,
            "low": found.low,
            "high": found.high,
            "bca_low": self.bca_low,
            "bca_high": self.bca_high,
            "r2": found.r2,
            "adj_r2": found.adjusted_r2,
            "p_value": found.p_value,
            "p_adjusted": self.p_adjusted,
            "power": found.power,
        }


def associate(
    table: Table,
    target: str,
    variables: Sequence[str],
    given: Sequence[str],
    groups: Sequence[Group],
    method: Coefficient,
    log: Sequence[str],
    level: float,
    resamples: int,
    seed: int,
) -> tuple[list[Association], list[str]]:
    """Return every coefficient in every group, and what there is to note about them."""
    rows: list[Association] = []
    notes: list[str] = []
    for group in groups:
        place = f"{group.name}: " if len(groups) > 1 else ""
        for variable in variables:
            sample = table.complete([target, variable, *given], log=log, rows=group.rows)
            found, problems = _of_sample(sample, group.name, method, level, resamples, seed)
            rows += found
            notes += [place + note for note in (*sample.notes, *problems)]
    if all(row.found.r is None for row in rows):
        raise TreegaugeError(f"{table.source}: no coefficient can be computed: {'; '.join(notes)}")
    return rows, list(dict.fromkeys(notes))


def _of_sample(
    sample: Sample, group: str, method: Coefficient, level: float, resamples: int, seed: int
) -> tuple[list[Association], list[str]]:
    """Correlate the first two columns, given none, one, two ... of the others."""
    target, variable, *given = sample.names
    n, sizes = len(sample.values), range(len(given) + 1)
    rows = [Association(group, target, variable, tuple(given[:k]), n) for k in sizes]
    constant = sample.constant()
    if n < 4:
        return rows, [f"{variable}: {n} complete rows, too few to correlate (at least 4)"]
    matrix = coefficients(sample.values, method)
    problems = []
    for k in sizes:
        name = " given ".join([variable, *([", ".join(given[:k])] if k else [])])
        stuck = [one for one in constant if one in sample.names[: 2 + k]]
        r = float(partial(matrix[: 2 + k, : 2 + k]))
        if stuck:
            problems.append(f"{name}: missing, for {', '.join(stuck)} has one value only")
        elif n - k < 4:
            problems.append(f"{name}: missing, for {k} covariates need at least {k + 4} rows")
        elif np.isnan(r):
            problems.append(f"{name}: missing, for the covariates determine {target} or {variable}")
        else:
            rows[k] = replace(
                rows[k],
                found=inference(r, n, k, method=method, level=level)
                if k
                else correlated_pair(sample.values[:, :2], method=method, level=level),
            )
    problems += _reversals(rows)
    if len(given) > 1 and not constant:
        problems += collinearity_notes(given, matrix[2:, 2:])
    if resamples and any(row.found.r is not None for row in rows):
        rows = _with_intervals(rows, sample.values, method, level, resamples, seed)
    return rows, problems


def _reversals(rows: Sequence[Association]) -> list[str]:
    """Note a clear coefficient whose sign the covariates turn round, clearly or by chance."""
    first = rows[0].found
    if first.r is None or first.p_value is None or first.p_value >= 0.05:
        return []
    for row in rows[1:]:
        if row.found.r is not None and row.found.r * first.r < 0:
            clear = row.found.p_value is not None and row.found.p_value < 0.05
            meaning = (
                "such a reversal points to collinear variables"
                if clear
                else "nothing is left of it, and the new sign says nothing"
            )
            return [
                f"{row.variable}: {first.r:.3f} turns into {row.found.r:.3f} given "
                f"{', '.join(row.given)}; {meaning}"
            ]
    return []


def _with_intervals(
    rows: Sequence[Association],
    values: FloatArray,
    method: Coefficient,
    level: float,
    resamples: int,
    seed: int,
) -> list[Association]:
    def every(resampled: FloatArray) -> FloatArray:
        matrix = coefficients(resampled, method)
        each = [partial(matrix[..., : 2 + k, : 2 + k]) for k in range(len(rows))]
        return np.stack(each, axis=-1)

    interval = bootstrap_rows(values, every, level=level, resamples=resamples, seed=seed)
    return [
        row
        if row.found.r is None
        else replace(row, bca_low=float(interval.low[k]), bca_high=float(interval.high[k]))
        for k, row in enumerate(rows)
    ]


def adjusted(rows: Sequence[Association], correction: str) -> list[Association]:
    """Adjust p-values, each over the rows with as many covariates."""
    result = list(rows)
    for k in {len(row.given) for row in rows}:
        family = [i for i, row in enumerate(rows) if len(row.given) == k]
        known = [(i, p) for i in family if (p := rows[i].found.p_value) is not None]
        corrected = adjust([p for _, p in known], correction)
        for (i, _), p in zip(known, corrected.tolist(), strict=True):
            result[i] = replace(rows[i], p_adjusted=p)
    return result
