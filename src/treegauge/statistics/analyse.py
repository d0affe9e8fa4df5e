"""The verb ``analyse``: explanations of scores, from tables with one row per treebank; all pairs of columns."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

import numpy as np

from treegauge.core.errors import TreegaugeError
from treegauge.core.lazy import pl
from treegauge.core.verbs import verb
from treegauge.statistics.clusters import clustered_inferences, clusters_of
from treegauge.statistics.correlation import correlate
from treegauge.statistics.correlation_coefficients import LEAST_ROWS, Inference, check_coefficient, correlated_pair
from treegauge.statistics.data_table import DataTable, Tables
from treegauge.statistics.linear_model import regress
from treegauge.statistics.multiple import adjust
from treegauge.statistics.table_joins import load_tables
from treegauge.statistics.units import GENUS, cluster_note
from treegauge.statistics.variables import (
    Analysis,
    Coefficient,
    Correction,
    CorrelationSettings,
    Names,
    RowResampling,
    frame_of,
    sign_analysis,
)


@dataclass(frozen=True, eq=False)
class CorrelationMatrix(Analysis, kind="correlation matrix"):
    """Coefficients of all pairs of columns, with their intervals and p-values."""

    names: tuple[str, ...]
    pairs: tuple[dict[str, Any], ...]

    @property
    def table(self) -> "pl.DataFrame":
        """One row per pair."""
        return frame_of(self.pairs, x=str, y=str, n=int)

    def shown(self) -> "pl.DataFrame":
        """Return the matrix; ``*`` marks adjusted p-values below 0.05, ``**`` below 0.001."""
        cells = {(name, name): "1" for name in self.names}
        for pair in self.pairs:
            x, y, r, p = (pair[key] for key in ("x", "y", "r", "p_adjusted"))
            star = "" if p is None or p >= 0.05 else "**" if p < 0.001 else "*"
            cells[x, y] = cells[y, x] = "" if r is None else f"{r:.{self.digits}f}{star}"
        columns = {name: [cells[row, name] for row in self.names] for name in self.names}
        return pl.DataFrame({"": self.names} | columns)


def correlation_matrix(
    tables: Tables,
    of: Names = (),
    *,
    method: Coefficient = "spearman",
    level: float = 0.95,
    correction: Correction = "benjamini-hochberg",
    cluster: str = "genus",
    log: Names = (),
) -> CorrelationMatrix:
    """Correlate every column with every other; stars mark small adjusted p-values.

    Each pair is correlated over the rows that have both; all pairs are one family of p-values. The
    columns are all numeric ones unless named.

    Notes
    -----
    Table 3 of the EDV paper (Spearman) and of the Content paper (Pearson).

    Examples
    --------
    >>> print(correlation_matrix("ud25", "las,train_words,test_words").shown().row(1))
    ('train_words', '0.661**', '1', '0.772**')
    """
    table = load_tables(tables)
    check_coefficient(method)
    chosen, log = table.pick(of), table.pick(log)
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
                notes.append(cluster_note(len(clusters.codes), clusters.number, cluster))
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
            correction=correction, units="rows" if cluster == "none" else cluster, log=log,
            intervals=RowResampling(level, 0),
        ),
    )  # fmt: skip


@verb
def analyse(
    tables: Tables,
    target: str | None = None,
    of: Names = (),
    given: Names = (),
    *,
    on: Names = (),
    where: Sequence[str] = (),
    how: CorrelationSettings = CorrelationSettings(),
    intervals: RowResampling = RowResampling(),
) -> Analysis:
    """Explain scores: correlate columns with a target, alone and given covariates.

    Covariates are added one at a time. Shows intervals by formula and bootstrap (BCa), adjusted r²,
    p-values (also adjusted for their number), the smallest detectable coefficient, and the
    strongest of several columns, corrected for selection. Treebanks of one genus resemble each
    other, which intervals and p-values take into account. A note explains each missing value.
    Without a target, all pairs of columns are correlated. With --on, a linear model of the target
    is fitted instead.

    Parameters
    ----------
    tables
        ud25, ud26, difficulty_table1, published, or files with one row per treebank: CSV, TSV, Parquet, or the JSON
        of measure or score. Several tables are joined by treebank. In Python also frames,
        dictionaries of columns and results.
    target
        Column to explain, such as las; log(COLUMN) takes the logarithm of any column.
    of
        Columns that may explain it, as a,b or repeated; by default all other numeric columns.
    given
        Covariates, as a,b or repeated.
    on
        Predictors of a linear model, as a,b or repeated: coefficients, relative importance, and
        the error on unseen rows.
    where
        A condition on a column of each table, such as release=2.5 or 'words >= 30000'.

    Notes
    -----
    Sections 3.3, 4.2, 4.3 and 5 of the EDV paper. Formulas:
    :func:`treegauge.statistics.correlation_coefficients.partial` for the coefficient,
    :func:`treegauge.statistics.correlation_coefficients.inference` for what follows from it.

    Examples
    --------
    >>> import treegauge as tg
    >>> result = tg.analyse("ud25", "las", "test_words", "train_words", resamples=0)
    >>> [round(row.inference.r, 3) for row in result.rows]
    [0.434, -0.158]
    >>> model = tg.analyse("ud25", "las", on="log(train_words),mean_test_length")
    >>> round(model.fit["adj_r2"], 3), [round(row["importance"], 1) for row in model.rows]
    (0.503, [87.8, 12.2])
    """
    table = load_tables(tables, where)
    (left, columns, covariates, predictors), log = _logarithms(table, target or (), of, given, on)
    if predictors:
        if not target or columns or covariates or replace(how, cluster=GENUS) != CorrelationSettings():
            raise TreegaugeError(
                "on: a linear model needs a target; of the options of correlations it takes only cluster"
            )
        return regress(table, left[0], predictors, log=log, level=intervals.level, cluster=how.cluster)
    if not target:
        if covariates or how.by is not None:
            raise TreegaugeError("given and by need a target to explain")
        chosen = {name: value for name, value in vars(how).items() if name != "by"}
        return correlation_matrix(table, columns, log=log, level=intervals.level, **chosen)
    by, options = how.by, {**vars(how), **vars(intervals)}
    if by is not None and by not in table.frame.columns and ":" in by:
        options["by"], _, options["cut"] = by.rpartition(":")
    return correlate(table, left[0], columns, covariates, log=log, **options)


def _logarithms(table: DataTable, *given: Names) -> tuple[list[list[str]], list[str]]:
    """Return lists of columns, and those among them that were given as ``log(COLUMN)``."""
    log: dict[str, None] = {}
    plain = []
    for names in given:
        columns = []
        for name in table.pick(names):
            inner = name.removeprefix("log(").removesuffix(")")
            if name == f"log({inner})" and name not in table.frame.columns:
                log[inner] = None
                columns.append(inner)
            else:
                columns.append(name)
        plain.append(columns)
    return plain, list(log)
