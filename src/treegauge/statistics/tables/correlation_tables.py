"""Correlations of all pairs of columns, and within bins of sentence length."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from treegauge.core.errors import TreegaugeError
from treegauge.core.verbs import verb
from treegauge.statistics.regression.clusters import (
    LEAST_CLUSTERS,
    Clusters,
    cluster_note,
    clustered_inferences,
    clusters_of,
    fisher,
    weighted_coefficients,
)
from treegauge.statistics.regression.coefficients import (
    LEAST_ROWS,
    Inference,
    check_coefficient,
    correlated_pair,
    partial,
)
from treegauge.statistics.regression.correlation import Correlations, adjusted, associate, choose_columns
from treegauge.statistics.resampling.small_samples import StudentEstimate
from treegauge.statistics.tables.data_table import DataTable, Sample, Tables
from treegauge.statistics.tables.table_joins import load_tables
from treegauge.statistics.tables.variables import (
    Analysis,
    Coefficient,
    Correction,
    Names,
    RowResampling,
    TableSettings,
    frame_of,
    sign_analysis,
)
from treegauge.statistics.tests.multiple import adjust

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True, eq=False)
class CorrelationMatrix(Analysis):
    """Coefficients of all pairs of columns, with their intervals and p-values."""

    names: tuple[str, ...]
    pairs: tuple[dict[str, Any], ...]
    kind: ClassVar[str] = "correlation matrix"

    @property
    def table(self) -> "pl.DataFrame":
        """One row per pair."""
        return frame_of(self.pairs, x=str, y=str, n=int)

    def shown(self) -> "pl.DataFrame":
        """Return the matrix; ``*`` marks adjusted p-values below 0.05, ``**`` below 0.001."""
        import polars as pl

        cells = {(name, name): "1" for name in self.names}
        for pair in self.pairs:
            x, y, r, p = (pair[key] for key in ("x", "y", "r", "p_adjusted"))
            star = "" if p is None or p >= 0.05 else "**" if p < 0.001 else "*"
            cells[x, y] = cells[y, x] = "" if r is None else f"{r:.{self.digits}f}{star}"
        columns = {name: [cells[row, name] for row in self.names] for name in self.names}
        return pl.DataFrame({"": self.names} | columns)


@verb
def correlation_matrix(
    tables: Tables,
    of: Names = (),
    *,
    method: Coefficient = "spearman",
    level: float = 0.95,
    correction: Correction = "benjamini-hochberg",
    cluster: str = "genus",
    columns: TableSettings = TableSettings(),
) -> CorrelationMatrix:
    """Correlate every column with every other; stars mark small adjusted p-values.

    Each pair is correlated over the rows that have both.

    Parameters
    ----------
    tables
        As for analyse: files, packaged tables, frames; several are joined.
    of
        The columns, a,b or repeated; by default all numeric ones.
    method
        Coefficient of correlation.
    level
        Confidence level of the intervals.
    correction
        How p-values are adjusted for their number; all pairs are one family.
    cluster
        Treebanks of one genus, family or language resemble each other; none: they are independent.

    Notes
    -----
    Table 3 of the EDV paper (Spearman) and of the Content paper (Pearson).

    Examples
    --------
    >>> print(correlation_matrix("ud25", "las,train_words,test_words").shown().row(1))
    ('train_words', '0.661**', '1', '0.772**')
    """
    table = load_tables(tables, columns.join)
    check_coefficient(method)
    chosen, log = table.pick(of), table.pick(columns.log)
    wanted = chosen or table.numeric()
    if len(wanted) < 2 or len(set(wanted)) < len(wanted):
        raise TreegaugeError(
            f"{table.source}: a matrix needs two or more different columns, found {', '.join(wanted) or 'none'}"
        )
    values, names = table.columns(wanted, log=log)
    pairs: list[dict[str, Any]] = []
    notes: list[str] = []
    kinds = table.kinds(cluster)
    for i, j in combinations(range(len(names)), 2):
        both = values[:, [i, j]]
        here = np.flatnonzero(np.isfinite(both).all(axis=1))
        both = both[here]
        result = Inference()
        if len(both) < 4:
            notes.append(f"{names[i]}, {names[j]}: missing, {len(both)} rows have both (at least 4)")
        elif (np.ptp(both, axis=0) == 0).any():
            notes.append(f"{names[i]}, {names[j]}: missing, because one of them has one value only")
        else:
            result = correlated_pair(both, method=method, level=level)
            clusters = clusters_of(kinds, here.tolist())
            if clusters:
                (result,), _ = clustered_inferences([result], both, clusters, method, level)
                notes.append(cluster_note(clusters, cluster))
            elif len(both) < LEAST_ROWS:
                notes.append(f"{names[i]}, {names[j]}: too few rows for a p-value (at least 8)")
        pairs.append(
            {"x": names[i], "y": names[j], "n": len(both), "r": result.r}
            | {"low": result.low, "high": result.high, "p_value": result.p_value}
        )
    corrected = adjust([pair["p_value"] for pair in pairs], correction)
    for pair, p in zip(pairs, corrected, strict=True):
        pair["p_adjusted"] = None if np.isnan(p) else float(p)
    return CorrelationMatrix(
        names=names,
        pairs=tuple(pairs),
        notes=tuple(dict.fromkeys(notes)),
        signature=sign_analysis(
            "matrix", table.name, of=wanted if chosen else "all", method=method,
            correction=correction, cluster=cluster, log=log, intervals=RowResampling(level, 0),
        ),
    )  # fmt: skip


@dataclass(frozen=True, eq=False)
class BinnedCorrelations(Analysis):
    """Coefficients of one variable given all covariates, one row per bin.

    The trend is the Spearman correlation of the coefficients with the bins; its p-value is of the
    slope of Fisher's transformation, over treebanks, which the bins share.
    """

    bin: str
    bins: tuple[int, ...]
    coefficients: Correlations
    trend: Inference
    kind: ClassVar[str] = "binned correlation"

    @property
    def table(self) -> "pl.DataFrame":
        """One row per bin, in ascending order."""
        import polars as pl

        frame = self.coefficients.table.drop("group")
        return frame.insert_column(0, pl.Series(self.bin, self.bins, dtype=pl.Int64))

    @property
    def summary(self) -> dict[str, Any]:
        """The trend over the bins."""
        return {"trend_r": self.trend.r, "p_trend": self.trend.p_value}


@verb(limits={"low": (0, 10**5), "high": (0, 10**5)})
def correlate_bins(
    tables: Tables,
    target: str,
    of: str,
    given: Names = (),
    *,
    bin: str = "length",
    low: int = 3,
    high: int = 30,
    method: Coefficient = "spearman",
    log: Names = (),
    correction: Correction = "benjamini-hochberg",
    cluster: str = "genus",
    intervals: RowResampling = RowResampling(resamples=0),
) -> BinnedCorrelations:
    """Correlate within each bin of sentence length, in a table with a row per treebank and length.

    Mixing sentences of different lengths can hide or fake an effect; here each length has its own
    coefficient. The bins share treebanks, so the p-values are not independent; the adjusted ones
    take their number into account.

    Parameters
    ----------
    tables
        A table with one row for every treebank and bin.
    target
        Column to explain, such as las.
    of
        Column to explain it with, such as edv.
    given
        Covariates, a,b or repeated.
    bin
        Column of whole numbers that bins the rows.
    low, high
        Smallest and largest bin.
    method
        Coefficient of correlation.
    log
        Columns to take the logarithm of; a,b or repeated.
    correction
        How p-values are adjusted for their number.
    cluster
        Treebanks of one genus, family or language resemble each other; none: they are independent.

    Notes
    -----
    Section 4.4 and Fig. 10 of the EDV paper: EDV and LAS of sentences of 3 to 30 words, with the
    words in the training data as covariate.

    Examples
    --------
    >>> rows = [(length, i, (i * length) % 11) for length in (3, 4, 5) for i in range(10)]
    >>> columns = dict(zip(("length", "las", "edv"), map(list, zip(*rows)), strict=True))
    >>> result = correlate_bins(columns, "las", "edv")
    >>> [(row["length"], round(row["r"], 2)) for row in result.table.to_dicts()]
    [(3, 0.32), (4, 0.38), (5, -0.09)]
    """
    table = load_tables(tables)
    covariates, logs = table.pick(given), table.pick(log)
    table.check([bin], "column that bins")
    numbers = table.numbers(bin)
    odd = numbers[np.isfinite(numbers) & (numbers != np.round(numbers))]
    if len(odd):
        raise TreegaugeError(f"{table.source}: column {bin!r} must hold whole numbers to bin by, found {odd[0]:g}")
    inside = np.flatnonzero((numbers >= low) & (numbers <= high))
    if not len(inside):
        raise TreegaugeError(f"{table.source}: no {bin!r} lies between {low} and {high}")
    bins = sorted({int(number) for number in numbers[inside]})
    groups = {f"{bin} {number}": np.flatnonzero(numbers == number).tolist() for number in bins}
    choose_columns(table, target, [of], covariates, without=bin)
    rows, notes = associate(table, target, [of], covariates, groups, method, logs, intervals, cluster)
    last = adjusted([row for row in rows if len(row.given) == len(covariates)], correction)
    known = [(one, row.inference.r) for one, row in zip(bins, last, strict=True) if row.inference.r is not None]
    enough = len(known) > 3
    p_trend = None
    if enough and len(known) == len(bins) and method != "kendall":
        samples = [table.complete([target, of, *covariates], log=logs, rows=here) for here in groups.values()]
        p_trend = _trend(table, bins, samples, method, cluster)
    signature = sign_analysis(
        "bins", table.name, bin=f"{bin}:{low}-{high}", target=target, of=of, given=covariates,
        method=method, correction=correction, cluster=cluster, log=logs, intervals=intervals,
    )  # fmt: skip
    return BinnedCorrelations(
        bin=bin,
        bins=tuple(bins),
        coefficients=Correlations(signature, tuple(notes), tuple(last), method),
        trend=replace(correlated_pair(np.array(known)), p_value=p_trend) if enough else Inference(),
        notes=tuple(notes),
        signature=signature,
    )


def _trend(
    table: DataTable, bins: Sequence[int], samples: Sequence[Sample], method: Coefficient, cluster: str
) -> float | None:
    """Return the p-value of the slope of Fisher's z over bins, for random treebanks or clusters."""
    kinds = table.kinds(cluster) or [None] * table.frame.height
    names = [kind or label for kind, label in zip(kinds, table.labels, strict=True)]
    place = {name: i for i, name in enumerate(dict.fromkeys(names))}
    if len(place) < LEAST_CLUSTERS:
        return None
    codes = [np.array([place[names[i]] for i in sample.rows]) for sample in samples]
    whole = Clusters(np.concatenate(codes))
    halves = np.vstack([np.zeros(len(place)), np.eye(len(place)) / 2])
    z = [
        fisher(partial(weighted_coefficients(sample.values, 1 - halves[:, code], method)))
        for sample, code in zip(samples, codes, strict=True)
    ]
    centred = np.array(bins) - np.mean(bins)
    slopes = (centred @ np.array(z))[:, None] / (centred**2).sum()
    error = np.sqrt(whole.covariance(slopes)[0])
    p = StudentEstimate(slopes[0], error, np.full(1, whole.df)).p_value()[0]
    return None if np.isnan(p) else float(p)
