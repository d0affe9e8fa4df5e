"""The verb ``analyse``: explanations of scores, from tables with one row per treebank."""

from treegauge.core.errors import TreegaugeError
from treegauge.core.verbs import verb
from treegauge.statistics.regression.correlation import correlate
from treegauge.statistics.regression.linear_model import regress
from treegauge.statistics.tables.correlation_tables import correlation_matrix
from treegauge.statistics.tables.data_table import DataTable, Tables
from treegauge.statistics.tables.table_joins import load_tables
from treegauge.statistics.tables.variables import Analysis, CorrelationSettings, Names, RowResampling


@verb
def analyse(
    tables: Tables,
    target: str | None = None,
    of: Names = (),
    given: Names = (),
    *,
    on: Names = (),
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
        ud25, difficulty_table1, or files with one row per treebank: CSV, TSV, Parquet, or the JSON
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
        the error on unseen rows. It takes rows as independent.

    Notes
    -----
    Sections 3.3, 4.2, 4.3 and 5 of the EDV paper. Formulas:
    :func:`treegauge.statistics.regression.coefficients.partial` for the coefficient,
    :func:`treegauge.statistics.regression.coefficients.inference` for what follows from it.

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
    table = load_tables(tables)
    (left, columns, covariates, predictors), log = _logarithms(table, target or (), of, given, on)
    if predictors:
        if not target or columns or covariates or how != CorrelationSettings():
            raise TreegaugeError("on: a linear model needs a target, and takes no options of correlations")
        return regress(table, left[0], predictors, log=log, level=intervals.level)
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
