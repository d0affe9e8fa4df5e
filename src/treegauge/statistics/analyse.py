"""The verb ``analyse``: what explains a score, from tables with one row per treebank."""

from treegauge.core.verbs import Verb, verb, verb_with
from treegauge.statistics.analysis import CorrelationSettings, Names, RowResampling, TableSettings
from treegauge.statistics.background import remove_background
from treegauge.statistics.correlation import Correlations, correlate
from treegauge.statistics.correlation_tables import correlate_bins, correlation_matrix
from treegauge.statistics.data_table import Tables
from treegauge.statistics.normality import normality, shape
from treegauge.statistics.power import plan_power
from treegauge.statistics.regression import regress


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

    Covariates are added one at a time. Fisher and bootstrap (BCa) intervals, adjusted r², p-values
    (also adjusted for their number), and power. A coefficient that cannot be computed is missing,
    and a note says why.

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

    Examples
    --------
    >>> import treegauge as tg
    >>> result = tg.analyse("ud25", "las", "test_words", "train_words", resamples=0)
    >>> [round(row.inference.r, 3) for row in result.rows]
    [0.434, -0.158]
    """
    return correlate(tables, target, of, given, how=how, columns=columns, intervals=intervals)


_correlation.__name__ = _correlation.__qualname__ = "analyse"
analyse: Verb[Correlations] = verb_with(
    correlation=verb(_correlation), normality=normality, matrix=correlation_matrix,
    background=remove_background, regression=regress, bins=correlate_bins, shape=shape,
    power=plan_power,
)(_correlation)  # fmt: skip
