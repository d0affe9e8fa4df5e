"""The verb ``analyse``: explanations of scores, from tables with one row per treebank."""

from typing import get_args

from treegauge.core.errors import ChoiceError, TreegaugeError
from treegauge.core.verbs import Verb, verb
from treegauge.statistics.regression.background import remove_background
from treegauge.statistics.regression.coefficients import check_coefficient
from treegauge.statistics.regression.correlation import (
    Correlations,
    adjusted,
    associate,
    choose_columns,
    strongest_correlation,
)
from treegauge.statistics.regression.linear_model import regress
from treegauge.statistics.tables.correlation_tables import correlate_bins, correlation_matrix
from treegauge.statistics.tables.data_table import Tables, group_rows
from treegauge.statistics.tables.normality import normality, shape
from treegauge.statistics.tables.table_joins import load_tables
from treegauge.statistics.tables.variables import (
    Correction,
    CorrelationSettings,
    Names,
    RowResampling,
    TableSettings,
    sign_analysis,
)
from treegauge.statistics.tests.power import plan_power


def _correlation(
    tables: Tables,
    target: str,
    of: Names = (),
    given: Names = (),
    *,
    how: CorrelationSettings = CorrelationSettings(),
    columns: TableSettings = TableSettings(),
    intervals: RowResampling = RowResampling(),
) -> Correlations:
    """Explain scores: correlate columns with a target, alone and given covariates.

    Covariates are added one at a time. Shows intervals by formula and bootstrap (BCa), adjusted r²,
    p-values (also adjusted for their number), the smallest detectable coefficient, and the
    strongest of several columns, corrected for selection. Treebanks of one genus resemble each
    other, which intervals and p-values take into account. A note explains each missing value.

    Parameters
    ----------
    tables
        ud25, difficulty_table1, or files with one row per treebank: CSV, TSV, Parquet, or the JSON
        of measure or score. Several tables are joined by name. In Python also frames, dictionaries
        of columns and results.
    target
        Column to explain, such as las.
    of
        Columns that may explain it, as a,b or repeated; by default all other numeric columns.
    given
        Covariates, as a,b or repeated.

    Notes
    -----
    Sections 3.3, 4.2 and 5 of the EDV paper. Formulas:
    :func:`treegauge.statistics.regression.coefficients.partial` for the coefficient,
    :func:`treegauge.statistics.regression.coefficients.inference` for what follows from it.

    Examples
    --------
    >>> import treegauge as tg
    >>> result = tg.analyse("ud25", "las", "test_words", "train_words", resamples=0)
    >>> [round(row.inference.r, 3) for row in result.rows]
    [0.434, -0.158]
    """
    method, by, cut, correction = how.method, how.by, how.cut, how.correction
    table = load_tables(tables, columns.join)
    wanted, covariates, log = table.pick(of), table.pick(given), table.pick(columns.log)
    check_coefficient(method)
    if correction not in get_args(Correction):
        raise ChoiceError("correction of p-values", correction, get_args(Correction))
    if cut is not None and by is None:
        raise TreegaugeError(f"cut {cut!r} needs a column to cut: give by as well")
    variables = choose_columns(table, target, wanted, covariates, without=by)
    groups = {"all": range(table.frame.height)} | (group_rows(table, by, cut) if by else {})
    rows, notes = associate(table, target, variables, covariates, groups, method, log, intervals, how.cluster)
    selected, more = strongest_correlation(
        table, target, variables, covariates, method, log, intervals.level, how.cluster
    )
    return Correlations(
        rows=tuple(adjusted(rows, correction)),
        method=method,
        data=table,
        variables=tuple(variables),
        log=tuple(log),
        selected=selected,
        notes=(*notes, *more),
        signature=sign_analysis(
            "correlation", table.name, target=target, of=variables if wanted else "all",
            given=covariates, method=method, by=by, cut=cut, correction=correction, log=log,
            cluster=how.cluster, intervals=intervals,
        ),
    )  # fmt: skip


_correlation.__name__ = _correlation.__qualname__ = "analyse"
analyse: Verb[Correlations] = verb(
    subverbs={
        "correlation": verb(_correlation),
        "normality": normality,
        "matrix": correlation_matrix,
        "background": remove_background,
        "regression": regress,
        "bins": correlate_bins,
        "shape": shape,
        "power": plan_power,
    }
)(_correlation)
