"""Correlations with a score, alone and given covariates."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, get_args

import numpy as np

from treegauge.core.errors import ChoiceError, TreegaugeError
from treegauge.core.lazy import pl
from treegauge.statistics.bootstrap import bootstrap_rows
from treegauge.statistics.clusters import Clusters, clustered_inferences, clusters_of, strongest
from treegauge.statistics.correlation_coefficients import (
    LEAST_ROWS,
    Inference,
    check_coefficient,
    coefficients,
    collinearity_notes,
    correlated_pair,
    inference,
    partials,
)
from treegauge.statistics.data_table import DataTable, Groups, Sample, Tables, group_rows
from treegauge.statistics.multiple import adjust
from treegauge.statistics.planning import detectable
from treegauge.statistics.table_joins import load_tables
from treegauge.statistics.units import LEAST_CLUSTERS, cluster_note
from treegauge.statistics.variables import (
    Analysis,
    Coefficient,
    Correction,
    Names,
    RowResampling,
    frame_of,
    sign_analysis,
)

#: Minimum number of rows to correct the strongest of several columns for its selection.
LEAST_SELECTED = 15


@dataclass(frozen=True)
class Association:
    """One coefficient: of `variable` with `target`, given some covariates, over `n` rows.

    ``p_adjusted`` is adjusted over all rows of the result with the same number of covariates;
    ``detectable_r`` is the smallest true coefficient found with a power of 0.8.
    """

    group: str
    target: str
    variable: str
    given: tuple[str, ...]
    n: int
    inference: Inference = field(default_factory=Inference)
    bca_low: float | None = None
    bca_high: float | None = None
    p_adjusted: float | None = None
    detectable_r: float | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return the row of the table."""
        result = self.inference
        return {
            "group": self.group, "target": self.target, "variable": self.variable,
            "given": " + ".join(self.given), "n": self.n, "r": result.r, "low": result.low,
            "high": result.high, "bca_low": self.bca_low, "bca_high": self.bca_high,
            "r2": result.r2, "adj_r2": result.adjusted_r2, "p_value": result.p_value,
            "p_adjusted": self.p_adjusted, "detectable_r": self.detectable_r,
        }  # fmt: skip


def associate(
    table: DataTable,
    target: str,
    variables: Sequence[str],
    given: Sequence[str],
    groups: Groups,
    method: Coefficient,
    log: Sequence[str],
    intervals: RowResampling,
    cluster: str,
) -> tuple[list[Association], list[str]]:
    """Return every coefficient in every group, and the notes on them."""
    kinds = table.kinds(cluster)
    rows: list[Association] = []
    notes: list[str] = []
    for group, here in groups.items():
        place = f"{group}: " if len(groups) > 1 else ""
        for variable in variables:
            sample = table.complete([target, variable, *given], log=log, rows=here)
            clusters = clusters_of(kinds, sample.rows)
            added, problems = _of_sample(sample, group, method, intervals, clusters)
            problems += [cluster_note(len(clusters.codes), clusters.number, cluster)] if clusters else []
            rows += added
            notes += [place + note for note in (*sample.notes, *problems)]
    if all(row.inference.r is None for row in rows):
        raise TreegaugeError(f"{table.source}: no correlation can be computed: {'; '.join(notes)}")
    return rows, list(dict.fromkeys(notes))


def _of_sample(
    sample: Sample, group: str, method: Coefficient, intervals: RowResampling, clusters: Clusters | None
) -> tuple[list[Association], list[str]]:
    """Correlate the first two columns, given none, one, two ... of the others."""
    target, variable, *given = sample.names
    n, sizes = len(sample.values), range(len(given) + 1)
    rows = [Association(group, target, variable, tuple(given[:k]), n) for k in sizes]
    constant = sample.constant()
    if n < 4:
        return rows, [f"{variable}: {n} complete rows, too few to correlate (at least 4)"]
    matrix = coefficients(sample.values, method)
    each, problems = partials(matrix, len(sizes)), []
    for k in sizes:
        name = " given ".join([variable, *([", ".join(given[:k])] if k else [])])
        stuck = [name for name in constant if name in sample.names[: 2 + k]]
        r = float(each[k])
        if stuck:
            problems.append(f"{name}: missing, because {', '.join(stuck)} has one value only")
        elif n - k < 4:
            problems.append(f"{name}: missing, because {k} covariates need at least {k + 4} rows")
        elif np.isnan(r):
            problems.append(f"{name}: missing, because the covariates determine {target} or {variable}")
        else:
            result = (
                inference(r, n, k, method=method, level=intervals.level)
                if k
                else correlated_pair(sample.values[:, :2], method=method, level=intervals.level)
            )
            enough = n - k >= LEAST_ROWS
            rows[k] = replace(
                rows[k], inference=result, detectable_r=detectable(n - k) if enough and method != "kendall" else None
            )
            if not enough:
                problems.append(
                    f"{name}: {n} rows are too few for an interval and a p-value (at least {LEAST_ROWS + k})"
                )
            elif result.p_value is None:
                problems.append(
                    f"{name}: no p-value, because Kendall's partial tau is not 0 where the two are "
                    "independent given the covariates; spearman and pearson have one"
                )
    if clusters:
        before = [row.inference for row in rows]
        after, least = clustered_inferences(before, sample.values, clusters, method, intervals.level)
        finds = [None if np.isnan(value) else value for value in least.tolist()]
        rows = [
            replace(row, inference=one, detectable_r=row.detectable_r and found)
            for row, one, found in zip(rows, after, finds, strict=True)
        ]
    problems += _reversals(rows)
    if len(given) > 1 and not constant:
        problems += collinearity_notes(given, matrix[2:, 2:])
    known = [k for k, row in enumerate(rows) if row.inference.low is not None]
    if intervals.resamples and known and not clusters:
        interval = bootstrap_rows(
            sample.values, lambda resampled: partials(coefficients(resampled, method), len(rows)), **vars(intervals)
        )
        for k in known:
            low, high = float(interval.low[k]), float(interval.high[k])
            rows[k] = replace(rows[k], bca_low=low, bca_high=high)
    return rows, problems


def _reversals(rows: Sequence[Association]) -> list[str]:
    """Note a significant coefficient whose sign changes given the covariates."""
    first = rows[0].inference
    if first.r is None or first.p_value is None or first.p_value >= 0.05:
        return []
    for row in rows[1:]:
        if row.inference.r is not None and row.inference.r * first.r < 0:
            clear = row.inference.p_value is not None and row.inference.p_value < 0.05
            meaning = (
                "such a reversal suggests collinear variables"
                if clear
                else "the effect disappears, and the new sign is not significant"
            )
            return [
                f"{row.variable}: {first.r:.3f} becomes {row.inference.r:.3f} given {', '.join(row.given)}; {meaning}"
            ]
    return []


def adjusted(rows: Sequence[Association], correction: str) -> list[Association]:
    """Adjust p-values over the rows with the same number of covariates."""
    result = list(rows)
    for k in {len(row.given) for row in rows}:
        family = [i for i, row in enumerate(rows) if len(row.given) == k]
        known = [(i, p) for i in family if (p := rows[i].inference.p_value) is not None]
        corrected = adjust([p for _, p in known], correction)
        for (i, _), p in zip(known, corrected.tolist(), strict=True):
            result[i] = replace(rows[i], p_adjusted=p)
    return result


def strongest_correlation(
    table: DataTable,
    target: str,
    variables: Sequence[str],
    given: Sequence[str],
    method: Coefficient,
    log: Sequence[str],
    level: float,
    cluster: str,
) -> tuple[dict[str, Any], list[str]]:
    """Return the strongest of several variables, with an interval corrected for selection.

    Over the rows that have all columns; without constant columns. A note says why there is none.
    """
    if len(variables) < 2:
        return {}, []
    sample = table.complete([target, *variables, *given], log=log)
    n, flat = len(sample.values), set(sample.constant())
    usable = [j for j, name in enumerate(sample.names[1 : 1 + len(variables)]) if name not in flat]
    clusters = clusters_of(table.kinds(cluster), sample.rows)
    units = clusters.number if clusters else n
    least = LEAST_CLUSTERS if clusters else LEAST_SELECTED + len(given)
    reason = ""
    if method == "kendall" and given:
        reason = "partial tau has no test"
    elif units < least:
        reason = f"{units} {'clusters' if clusters else 'rows'} have all columns (at least {least})"
    elif flat & {sample.names[0], *sample.names[1 + len(variables) :]} or len(usable) < 2:
        reason = "too few columns vary"
    else:
        used = [0, *(1 + j for j in usable), *range(1 + len(variables), len(sample.names))]
        # Each row by itself, or 100 groups of equal size where rows are many.
        units_of = clusters or Clusters(np.arange(n) % (100 if n > 200 else n))
        winner = strongest(sample.values[:, used], len(usable), units_of, method, level)
        if np.isfinite([winner.low, winner.high]).all():
            name = sample.names[1 + usable[winner.index]]
            numbers = {"strongest": name, "selected_from": len(usable), "selected_n": n}
            numbers |= {"selected_r": winner.value, "selected_low": winner.low}
            observed = {"selected_high": winner.high, "observed_r": winner.observed}
            return numbers | observed, []
        reason = "the covariates determine a column"
    return {}, [f"strongest column: not corrected for its selection, because {reason}"]


@dataclass(frozen=True, eq=False)
class Correlations(Analysis, kind="correlation"):
    """Coefficients with their intervals, one row per variable, group and set of covariates.

    A figure needs the table, the columns correlated with the target, and those in logarithms.
    """

    rows: tuple[Association, ...]
    method: Coefficient
    data: DataTable | None = None
    variables: tuple[str, ...] = ()
    log: tuple[str, ...] = ()
    selected: dict[str, Any] = field(default_factory=dict)

    @property
    def summary(self) -> dict[str, Any]:
        """The strongest of several variables, corrected for selection."""
        return {name: value for name, value in self.selected.items() if name != "observed_r"}

    @property
    def table(self) -> "pl.DataFrame":
        """One row per coefficient."""
        texts = dict.fromkeys(("group", "target", "variable", "given"), str)
        return frame_of([row.to_dict() for row in self.rows], n=int, **texts)

    def _lines(self) -> list[str]:
        lines = (
            "strongest of {selected_from} columns: {strongest}, r {observed_r:.3f}; corrected for "
            "selection: {selected_r:.3f} ({selected_low:.3f} to {selected_high:.3f})"
        )
        best = [lines.format(**self.selected)] if self.selected else []
        return [*best, *(f"note: {note}" for note in self.notes)]

    def shown(self) -> "pl.DataFrame":
        """Return the table without columns that do not vary or repeat another."""
        full, frame = self.table, super().shown()
        idle = ["group"] if full["group"].n_unique() == 1 else []
        idle += ["given"] if (full["given"] == "").all() else []
        idle += ["p_adjusted"] if full["p_adjusted"].equals(full["p_value"]) else []
        return frame.drop(idle, strict=False)


def choose_columns(
    table: DataTable, target: str, of: Sequence[str], given: Sequence[str] = (), without: str | None = None
) -> list[str]:
    """Return the columns that may explain the target; refuse one that is named twice."""
    table.check([target], "target column")
    table.check(of)
    table.check(given, "covariate")
    variables = list(of) or [name for name in table.numeric() if name not in {target, without, *given}]
    named = [target, *variables, *given]
    for name in named:
        if named.count(name) > 1:
            raise TreegaugeError(f"column {name!r} is named twice; target, variables and covariates must differ")
    if not variables:
        raise TreegaugeError(f"{table.source}: no numeric column besides {', '.join(named)}")
    return variables


def correlate(
    tables: Tables,
    target: str,
    of: Names = (),
    given: Names = (),
    *,
    method: Coefficient = "spearman",
    by: str | None = None,
    cut: str | float | None = None,
    correction: Correction = "benjamini-hochberg",
    cluster: str = "genus",
    log: Names = (),
    level: float = 0.95,
    resamples: int = 2000,
    seed: int = 0,
) -> Correlations:
    """Correlate columns with a target, alone and given covariates: :func:`treegauge.analyse`.

    Columns in `log` are log-transformed; `cut` divides the values of the column `by` in two.
    """
    intervals = RowResampling(level, resamples, seed)
    table = load_tables(tables)
    wanted, covariates, logs = table.pick(of), table.pick(given), table.pick(log)
    check_coefficient(method)
    if correction not in get_args(Correction):
        raise ChoiceError("correction of p-values", correction, get_args(Correction))
    variables = choose_columns(table, target, wanted, covariates, without=by)
    groups = {"all": range(table.frame.height)} | (group_rows(table, by, cut) if by else {})
    rows, notes = associate(table, target, variables, covariates, groups, method, logs, intervals, cluster)
    selected, more = strongest_correlation(table, target, variables, covariates, method, logs, intervals.level, cluster)
    return Correlations(
        rows=tuple(adjusted(rows, correction)),
        method=method,
        data=table,
        variables=tuple(variables),
        log=tuple(logs),
        selected=selected,
        notes=(*notes, *more),
        signature=sign_analysis(
            "correlation", table.name, target=target, of=variables if wanted else "all",
            given=covariates, method=method, by=by, cut=cut, correction=correction, log=logs,
            units="rows" if cluster == "none" else cluster, intervals=intervals,
        ),
    )  # fmt: skip
