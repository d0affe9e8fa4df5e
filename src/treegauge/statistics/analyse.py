"""The verb ``analyse``: what explains a score, from tables with one row per treebank."""

from treegauge.results.verbs import verb_with
from treegauge.statistics.analysis import (
    Coefficient,
    Correction,
    Names,
    RowResampling,
    TableSettings,
)
from treegauge.statistics.background import remove_background
from treegauge.statistics.correlation import Correlations, correlate
from treegauge.statistics.correlation_tables import correlate_bins, correlation_matrix
from treegauge.statistics.data_table import Tables
from treegauge.statistics.normality import normality, shape
from treegauge.statistics.power import plan_power
from treegauge.statistics.regression import regress


@verb_with(
    correlation=correlate, normality=normality, matrix=correlation_matrix,
    background=remove_background, regression=regress, bins=correlate_bins, shape=shape,
    power=plan_power,
)  # fmt: skip
def analyse(
    tables: Tables,
    target: str,
    of: Names = (),
    given: Names = (),
    *,
    method: Coefficient = "spearman",
    by: str | None = None,
    cut: str | float | None = None,
    correction: Correction = "benjamini-hochberg",
    columns: TableSettings = TableSettings(),
    intervals: RowResampling = RowResampling(),
) -> Correlations:
    """Analyse what explains scores: correlations, regressions, power.

    Without the name of an analysis, columns are correlated with a target, as `analyse correlation`
    does: alone and with one covariate more at a time.

    Parameters
    ----------
    tables
        ud25, difficulty_table1, or files with one row per treebank: CSV, TSV, Parquet, or the JSON
        of measure or score. Several are joined by name. In Python also frames, dictionaries of
        columns and results.
    target
        Column to explain, such as las.
    of
        Columns to explain it with, a,b or repeated; by default all other numeric ones.
    given
        Covariates, a,b or repeated.
    method
        Coefficient of correlation.
    by
        Repeat for each value of this column.
    cut
        Divide the values of that column in two: at their mean, median, or a number.
    correction
        How p-values are adjusted for their number: the false discovery rate
        (benjamini-hochberg), or any false finding (holm, bonferroni).

    Examples
    --------
    >>> result = analyse("ud25", "las", "test_words", "train_words", resamples=0)
    >>> [round(row.found.r, 3) for row in result.rows]
    [0.434, -0.158]
    """
    return correlate(
        tables, target, of, given, method=method, by=by, cut=cut, correction=correction,
        columns=columns, intervals=intervals,
    )  # fmt: skip
