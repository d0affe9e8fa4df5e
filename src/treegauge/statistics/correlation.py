"""Correlations with a score, alone and given covariates."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from treegauge.results.errors import ChoiceError, TreegaugeError
from treegauge.results.result import sign
from treegauge.statistics.analysis import Analysis
from treegauge.statistics.coefficients import (
    Coefficient,
    Inference,
    check_coefficient,
    coefficients,
    correlated_pair,
    inference,
    partial,
)
from treegauge.statistics.data_table import (
    DataTable,
    Group,
    Sample,
    TableLike,
    as_table,
    group_rows,
)
from treegauge.statistics.interval import bootstrap_rows
from treegauge.statistics.least_squares import collinearity_notes
from treegauge.statistics.multiple import METHODS, adjust
from treegauge.statistics.resampling import FloatArray

if TYPE_CHECKING:
    import polars as pl


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
    table: DataTable,
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


@dataclass(frozen=True, eq=False)
class Correlations(Analysis):
    """Coefficients with their intervals, one row a variable, group and set of covariates."""

    rows: tuple[Association, ...]
    method: Coefficient

    @property
    def table(self) -> "pl.DataFrame":
        """One row a coefficient."""
        import polars as pl

        texts = {"group", "target", "variable", "given"}
        rows = [row.to_dict() for row in self.rows]
        return pl.DataFrame(
            rows,
            schema={
                name: pl.String if name in texts else pl.Int64 if name == "n" else pl.Float64
                for name in rows[0]
            },
        )

    def shown(self) -> "pl.DataFrame":
        """Return the table without what does not vary or repeats."""
        full, frame = self.table, super().shown()
        idle = ["group"] if full["group"].n_unique() == 1 else []
        idle += ["given"] if (full["given"] == "").all() else []
        repeats = full["p_adjusted"].equals(full["p_value"])
        return frame.drop([*idle, *(["p_adjusted"] if repeats else [])])


def correlate(
    data: TableLike,
    target: str,
    of: Sequence[str] = (),
    given: Sequence[str] = (),
    *,
    method: Coefficient = "spearman",
    log: Sequence[str] = (),
    by: str | None = None,
    cut: str | float | None = None,
    level: float = 0.95,
    resamples: int = 2000,
    correction: str = "benjamini-hochberg",
    seed: int = 0,
) -> Correlations:
    """Correlate variables with a target, first alone, then given one covariate more each time.

    Formulas: :func:`treegauge.statistics.coefficients.partial` for the coefficient,
    :func:`treegauge.statistics.coefficients.inference` for what follows from it.

    Parameters
    ----------
    data
        A polars frame, a dictionary of columns, or what
        :func:`treegauge.statistics.data_table.read_table` returns.
    target, of, given
        Column to explain, columns to explain it with (by default all other numeric ones), and
        covariates.
    method
        ``"spearman"``, ``"pearson"`` or ``"kendall"``.
    log
        Columns of which the logarithm is taken; it changes Pearson's r only.
    by, cut
        Repeat for the groups of rows that :func:`treegauge.statistics.data_table.group_rows` makes.
    level, resamples, seed
        Coverage of the intervals; draws of the bootstrap (0: none) and their seed.
    correction
        How p-values are adjusted for their number: ``"benjamini-hochberg"`` (false discovery
        rate), ``"holm"`` or ``"bonferroni"``.

    Returns
    -------
    Correlations
        A coefficient that cannot be computed (constant column, too few rows, covariates that
        determine a column) is missing, and a note says why.

    Notes
    -----
    Sections 3.3, 4.2 and 5 of the EDV paper.

    Examples
    --------
    >>> from treegauge.data import ud25
    >>> found = correlate(ud25(), "las", ["test_words"], ["train_words"], resamples=0)
    >>> [(row.given, round(row.found.r, 3)) for row in found.rows]
    [((), 0.434), (('train_words',), -0.158)]
    """
    table = as_table(data)
    check_coefficient(method)
    if correction not in METHODS:
        raise ChoiceError("adjustment of p-values", correction, METHODS)
    if cut is not None and by is None:
        raise TreegaugeError(f"cut {cut!r} needs a column to cut: give by as well")
    variables = choose_columns(table, target, of, given, without=by)
    groups = [Group("all", tuple(range(table.frame.height)))]
    groups += group_rows(table, by, cut) if by else []
    rows, notes = associate(
        table, target, variables, given, groups, method, log, level, resamples, seed
    )
    return Correlations(
        rows=tuple(adjusted(rows, correction)),
        method=method,
        notes=tuple(notes),
        signature=sign(
            analysis="correlation",
            table=table.name,
            target=target,
            of="+".join(variables) if of else "all",
            given="+".join(given) or None,
            method=method,
            log="+".join(log) or None,
            by=by,
            cut=cut,
            ci=interval_signature(level, resamples),
            adjust=correction,
            seed=seed if resamples else None,
        ),
    )


def interval_signature(level: float, resamples: int) -> str:
    """Return how the intervals were made."""
    return f"fisher{f'+{resamples}xbca' if resamples else ''}@{level}"


def choose_columns(
    table: DataTable,
    target: str,
    of: Sequence[str],
    given: Sequence[str] = (),
    without: str | None = None,
) -> list[str]:
    """Return the columns to explain the target with; refuse one that plays two parts."""
    table.check([target], "target column")
    table.check(of)
    table.check(given, "covariate")
    variables = list(of) or [
        name for name in table.numeric() if name not in {target, without, *given}
    ]
    named = [target, *variables, *given]
    for name in named:
        if named.count(name) > 1:
            raise TreegaugeError(
                f"column {name!r} is named twice; target, variables and covariates must differ"
            )
    if not variables:
        raise TreegaugeError(f"{table.source}: no numeric column beside {', '.join(named)}")
    return variables
