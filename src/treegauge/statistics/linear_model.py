"""Multiple linear regression: coefficients, importance of predictors, and prediction error."""

import math
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from treegauge.core.errors import TreegaugeError
from treegauge.core.lazy import pl, scipy
from treegauge.statistics.clusters import clusters_of
from treegauge.statistics.correlation import choose_columns
from treegauge.statistics.correlation_coefficients import (
    LeastSquares,
    SlopeErrors,
    coefficients,
    collinearity_notes,
    condition_number,
    relative_importance,
    variance_inflation,
)
from treegauge.statistics.data_table import Sample, TableLike, Tables, as_table
from treegauge.statistics.draws import FloatArray
from treegauge.statistics.planning import check_shares
from treegauge.statistics.table_joins import load_tables
from treegauge.statistics.units import GENUS, LEAST_CLUSTERS, cluster_note
from treegauge.statistics.variables import Analysis, Names, RowResampling, sign_analysis

_NO_INTERVAL = "importance has no interval: in simulations, those of the bootstrap were too narrow"


@dataclass(frozen=True, eq=False)
class Predictions(Analysis, kind="predictions"):
    """Predicted values with their prediction intervals at `level`, and true values."""

    labels: tuple[str, ...]
    predicted: FloatArray
    low: FloatArray | None
    high: FloatArray | None
    actual: FloatArray | None
    level: float
    target: str

    @property
    def table(self) -> "pl.DataFrame":
        """One row per predicted row; ``error`` is the true minus the predicted value."""
        columns: dict[str, Any] = {"row": self.labels, "predicted": self.predicted}
        if self.low is not None:
            columns |= {"low": self.low, "high": self.high}
        if self.actual is not None:
            columns |= {"actual": self.actual, "error": self.actual - self.predicted}
        return pl.DataFrame(columns, nan_to_null=True)

    @property
    def mean_absolute_error(self) -> float | None:
        """Mean absolute error over rows with a true value."""
        errors = np.array([]) if self.actual is None else np.abs(self.actual - self.predicted)
        known = errors[np.isfinite(errors)]
        return float(known.mean()) if len(known) else None

    @property
    def summary(self) -> dict[str, Any]:
        """The mean absolute error, if there are true values."""
        error = self.mean_absolute_error
        return {} if error is None else {"mean_absolute_error": error}


@dataclass(frozen=True, eq=False)
class Regression(Analysis, kind="regression"):
    """A fitted linear model.

    Attributes
    ----------
    terms, log
        Predictor columns, and those that are log-transformed.
    intercept
        Value where all predictors are 0.
    fit
        Numbers of the whole model: ``r2``, ``adj_r2``, ``p_value`` of the F test, ``rmse``, the
        mean absolute error of leave-one-out predictions ``loo_mae``, that of predicting the
        others' mean ``baseline_mae``, and the predictors' ``condition_number``.
    """

    target: str
    terms: tuple[str, ...]
    log: tuple[str, ...]
    level: float
    rows: tuple[dict[str, Any], ...]
    intercept: float
    fit: dict[str, float | None]
    _sample: Sample = field(repr=False)
    _solved: LeastSquares = field(repr=False)
    _errors: SlopeErrors = field(repr=False)

    @property
    def table(self) -> "pl.DataFrame":
        """One row per predictor; coefficients in the predictor's own units."""
        return pl.DataFrame(self.rows)

    @property
    def summary(self) -> dict[str, Any]:
        """The numbers of the whole model."""
        return {"n": len(self._sample.values), "intercept": self.intercept, **self.fit}

    def leave_one_out(self) -> Predictions:
        """Predict every row from a model of all the others."""
        solved = self._solved
        return Predictions(
            labels=self._sample.labels, predicted=solved.y - solved.left_out, low=None, high=None,
            actual=solved.y, level=self.level, target=self.target, notes=(),
            signature=f"{self.signature}|predict:leave-one-out",
        )  # fmt: skip

    def predict(self, data: TableLike) -> Predictions:
        r"""Predict the target of other rows.

        The interval holds for one new row, of a new cluster where rows have clusters:
        :math:`\hat y \pm t \sqrt{s^2 + x^\top V x}`, with s and the coefficients' covariance V of
        :meth:`~treegauge.statistics.correlation_coefficients.LeastSquares.errors`.

        Parameters
        ----------
        data
            A table with the predictors' columns; with the target's as well, the result has errors.
        """
        table = as_table(data)
        table.check(self.terms, "predictor")
        sample = table.complete(self.terms, log=[name for name in self.log if name in self.terms])
        if not len(sample.values):
            raise TreegaugeError(f"{table.source}: no row has all predictors")
        solved = self._solved
        scaled = (sample.values - solved.centre) / solved.scale
        predicted = solved.mean + scaled @ solved.slopes
        reach = self._errors.reach(np.column_stack([np.ones(len(scaled)), scaled]), self.level)
        actual = None
        if self.target in table.frame.columns:
            logarithm = [name for name in self.log if name == self.target]
            actual = table.columns([self.target], log=logarithm)[0][list(sample.rows), 0]
        observed, here = self._sample.values[:, 1:], sample.values
        outside = ((here < observed.min(axis=0)) | (here > observed.max(axis=0))).any(axis=1)
        far = ", ".join(np.array(sample.labels)[outside])
        notes = (f"outside the range the model was fitted on: {far}",) if far else ()
        return Predictions(
            labels=sample.labels, predicted=predicted, low=predicted - reach,
            high=predicted + reach, actual=actual, level=self.level, target=self.target,
            notes=(*sample.notes, *notes), signature=f"{self.signature}|predict:{table.name}",
        )  # fmt: skip


def regress(
    tables: Tables, target: str, on: Names, *, log: Names = (), level: float = 0.95, cluster: str = GENUS
) -> Regression:
    r"""Fit a linear model: coefficients, relative importance (LMG), error on unseen rows.

    Standardises predictors before the fit; coefficients are in original units, with p-values from
    Student's t. Importance is each predictor's share of R² in percent, without an interval. Rows of
    one genus (or another `cluster`) vary together. Columns in `log` are log-transformed.

    Notes
    -----
    Section 4.3 of the EDV paper. Adjusted :math:`R^2 = 1 - (1 - R^2)(n - 1)/(n - p - 1)`;
    leave-one-out errors are :math:`e_i / (1 - h_i)`, with h the leverage.

    Examples
    --------
    >>> model = regress("ud25", "las", "train_words,mean_test_length", log="train_words")
    >>> round(model.fit["adj_r2"], 3), [round(row["importance"], 1) for row in model.rows]
    (0.503, [87.8, 12.2])
    """
    check_shares(level=level)
    table = load_tables(tables)
    terms, log = table.pick(on), table.pick(log)
    if not terms:
        raise TreegaugeError(f"name at least one predictor; choices: {', '.join(table.numeric())}")
    choose_columns(table, target, terms)
    sample = table.complete([target, *terms], log=log)
    sample.check(table.source, len(terms) + 3)
    matrix = coefficients(np.roll(sample.values, -1, axis=1), "pearson")
    inflation = variance_inflation(matrix[:-1, :-1])
    stuck = ", ".join(np.array(sample.names[1:])[np.isinf(inflation)])
    if stuck:
        raise TreegaugeError(f"{table.source}: predictors {stuck} determine one another; leave one out")
    solved = LeastSquares.of(sample.values)
    clusters, notes = clusters_of(table.kinds(cluster), sample.rows), [_NO_INTERVAL]
    errors = solved.errors(clusters.codes if clusters else None)
    if clusters:
        notes.append(cluster_note(len(clusters.codes), clusters.number, cluster))
        if clusters.number < LEAST_CLUSTERS:
            errors = replace(errors, df=math.nan)
    return Regression(
        target=target,
        terms=tuple(terms),
        log=tuple(log),
        level=level,
        rows=tuple(_terms(sample, solved, errors, matrix, inflation, level)),
        intercept=float(solved.mean - solved.centre @ (solved.slopes / solved.scale)),
        fit=_fit(solved, errors, condition_number(matrix[:-1, :-1])),
        notes=(*sample.notes, *collinearity_notes(sample.names[1:], matrix[:-1, :-1]), *notes),
        signature=sign_analysis(
            "regression",
            table.name,
            target=target,
            on=terms,
            log=log,
            intervals=RowResampling(level, 0),
            kind="t",
            units="rows" if cluster == "none" else cluster,
        ),
        _sample=sample,
        _solved=solved,
        _errors=errors,
    )


def _fit(solved: LeastSquares, errors: SlopeErrors, condition: float) -> dict[str, float | None]:
    n, size = len(solved.y), len(solved.slopes)
    # Wald's statistic of all slopes; over clusters like Hotelling's, with fewer degrees of freedom.
    free = errors.df if errors.df == solved.free else errors.df - size + 1
    spread, p_value = errors.covariance[1:, 1:], None
    if free > 0 and np.isfinite(spread).all():
        wald = float(solved.slopes @ np.linalg.pinv(spread, hermitian=True) @ solved.slopes)
        p_value = float(scipy.special.fdtrc(size, free, wald * free / (errors.df * size)))
    deviations = solved.y - solved.mean
    unexplained = float(solved.residuals @ solved.residuals)
    r2 = 1 - unexplained / float(deviations @ deviations)
    predicted = bool(np.isfinite(solved.left_out).all())
    return {
        "r2": r2,
        "adj_r2": 1 - (1 - r2) * (n - 1) / solved.free,
        "p_value": 0.0 if r2 >= 1 else p_value,
        "rmse": solved.noise,
        "loo_mae": float(np.abs(solved.left_out).mean()) if predicted else None,
        "baseline_mae": float(np.abs(deviations).mean() * n / (n - 1)),
        "condition_number": condition,
    }


def _terms(
    sample: Sample, solved: LeastSquares, errors: SlopeErrors, matrix: FloatArray, inflation: FloatArray, level: float
) -> list[dict[str, Any]]:
    error = np.sqrt(np.diagonal(errors.covariance)[1:])
    reach = float(scipy.special.stdtrit(errors.df, (1 + level) / 2)) * error
    spread = float(solved.y.std(ddof=1))
    shares = relative_importance(matrix)
    slopes, unit = solved.slopes, solved.scale
    t = np.divide(slopes, error, out=np.copysign(np.inf, slopes), where=error != 0)
    p_values = 2 * scipy.special.stdtr(errors.df, -np.abs(t))
    columns: dict[str, Any] = {
        "predictor": sample.names[1:],
        "coefficient": slopes / unit,
        "low": (slopes - reach) / unit,
        "high": (slopes + reach) / unit,
        "standardised": slopes / spread,
        "t": [float(value) if math.isfinite(value) else None for value in t],
        "p_value": p_values,
        "importance": 100 * shares / shares.sum(),
        "vif": inflation,
    }
    return pl.DataFrame(columns, nan_to_null=True).to_dicts()
