"""Background removal: divide by the prediction from covariates, and correlate the rest."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from treegauge.core.errors import TreegaugeError
from treegauge.core.verbs import verb
from treegauge.statistics.regression.coefficients import Inference, check_coefficient, coefficients, correlated_pair
from treegauge.statistics.regression.correlation import choose_columns
from treegauge.statistics.regression.least_squares import LeastSquares
from treegauge.statistics.resampling.bootstrap import bootstrap_rows
from treegauge.statistics.resampling.draws import FloatArray
from treegauge.statistics.tables.data_table import Sample, Tables
from treegauge.statistics.tables.table_joins import load_tables
from treegauge.statistics.tables.variables import (
    Analysis,
    Coefficient,
    Names,
    RowResampling,
    TableSettings,
    frame_of,
    sign_analysis,
)

if TYPE_CHECKING:
    import polars as pl

#: Minimum number of rows for a bootstrap interval after background removal.
LEAST_BACKGROUND = 15


@dataclass(frozen=True)
class Stage:
    """The target after division by a covariate's line (None: unchanged), and that line."""

    removed: str | None
    intercept: float | None
    slope: float | None
    r2: float | None
    values: FloatArray
    inference: Inference


@dataclass(frozen=True, eq=False)
class Background(Analysis):
    """The chain of fits, and the coefficient after each.

    Attributes
    ----------
    stages
        First the unchanged target, then one stage per covariate.
    bca
        Bootstrap interval of the last coefficient, with fits repeated in each resample.
    """

    target: str
    variable: str
    given: tuple[str, ...]
    stages: tuple[Stage, ...]
    bca: tuple[float, float] | None
    sample: Sample
    kind: ClassVar[str] = "background"

    @property
    def table(self) -> "pl.DataFrame":
        """One row per stage."""
        rows: list[dict[str, Any]] = [
            {
                "removed": stage.removed, "intercept": stage.intercept, "slope": stage.slope,
                "fit_r2": stage.r2, "variable": self.variable, "n": len(stage.values),
                "r": stage.inference.r, "low": stage.inference.low, "high": stage.inference.high,
                "bca_low": None, "bca_high": None, "p_value": stage.inference.p_value,
            }
            for stage in self.stages
        ]  # fmt: skip
        if self.bca:
            rows[-1] |= {"bca_low": self.bca[0], "bca_high": self.bca[1]}
        return frame_of(rows, removed=str, variable=str, n=int)


@verb
def remove_background(
    tables: Tables,
    target: str,
    of: str,
    given: Names = (),
    *,
    method: Coefficient = "spearman",
    columns: TableSettings = TableSettings(),
    intervals: RowResampling = RowResampling(),
) -> Background:
    r"""Divide the target by the prediction of each covariate, and correlate with the rest.

    With y the target, each step fits y = a + b x by least squares to a covariate x and continues
    with y / (a + b x). The covariates do not explain the remaining coefficient, as far as straight
    lines can describe their effect. Only the unchanged target has an interval by formula and a
    p-value; after the last covariate there is a bootstrap interval.

    Parameters
    ----------
    tables
        As for analyse: files, packaged tables, frames; several are joined.
    target
        Column to explain, such as las.
    of
        Column to explain it with, such as edv.
    given
        Covariates in the order of their removal (the order matters); a,b or repeated.
    method
        Coefficient of correlation.

    Notes
    -----
    Sections 3.3 and 4.2.2 of the EDV paper. Only the target is adjusted, not the variable, as in a
    semi-partial correlation: the coefficient is usually closer to zero than the partial one. Only
    the bootstrap takes the fitted lines into account; the usual test would find almost nothing.

    Examples
    --------
    >>> result = remove_background("ud25", "las", "test_words", "train_words",
    ...                            log="train_words", resamples=0)
    >>> [(stage.removed, round(stage.inference.r, 3)) for stage in result.stages]
    [(None, 0.434), ('log(train_words)', -0.123)]
    """
    table = load_tables(tables, columns.join)
    covariates, log = table.pick(given), table.pick(columns.log)
    check_coefficient(method)
    if not covariates:
        raise TreegaugeError(f"name at least one covariate; choices: {', '.join(table.numeric())}")
    choose_columns(table, target, [of], covariates)
    sample = table.complete([target, of, *covariates], log=log)
    sample.check(table.source, 4)
    stages = _chain(sample, method, intervals.level, table.source)
    bca = None
    few = len(sample.values) < LEAST_BACKGROUND
    note = f"{len(sample.values)} rows are too few for a bootstrap interval ({LEAST_BACKGROUND})"
    if intervals.resamples and not few:
        interval = bootstrap_rows(sample.values, lambda rows: _left(rows, method), **vars(intervals))
        if np.isfinite([interval.low[0], interval.high[0]]).all():
            bca = float(interval.low[0]), float(interval.high[0])
    return Background(
        target=sample.names[0],
        variable=sample.names[1],
        given=sample.names[2:],
        stages=tuple(stages),
        bca=bca,
        sample=sample,
        notes=(*sample.notes, *([note] if few and intervals.resamples else [])),
        signature=sign_analysis(
            "background", table.name, target=target, of=of, given=covariates, method=method,
            log=log, intervals=intervals,
        ),
    )  # fmt: skip


def _chain(sample: Sample, method: Coefficient, level: float, source: str) -> list[Stage]:
    target, variable, *covariates = sample.values.T

    def correlated(left: FloatArray) -> Inference:
        coefficient = correlated_pair(np.column_stack([left, variable]), method=method, level=level)
        # A line that fits perfectly leaves rounding errors, whose ranks are still ranks.
        if coefficient.r is None or np.ptp(left) <= 1e-9 * np.abs(left).max():
            raise TreegaugeError(f"{source}: nothing of {sample.names[0]} is left to correlate")
        return coefficient if left is target else Inference(r=coefficient.r)

    stages = [Stage(None, None, None, None, target, correlated(target))]
    for name, covariate in zip(sample.names[2:], covariates, strict=True):
        before = stages[-1].values
        line = LeastSquares.of(np.column_stack([before, covariate]))
        slope = float(line.slopes[0] / line.scale[0])
        intercept = line.mean - slope * float(line.centre[0])
        predicted = intercept + slope * covariate
        # Below that the line is zero up to rounding.
        wrong = np.flatnonzero(predicted * np.sign(line.mean) <= 1e-9 * abs(line.mean))
        if len(wrong):
            raise TreegaugeError(
                f"{source}: the line through {name} predicts {predicted[wrong[0]]:.3g} for "
                f"{sample.labels[wrong[0]]}; a background must not change sign to be divided out"
            )
        r2 = 1 - float(line.residuals @ line.residuals) / float(np.square(before - line.mean).sum())
        left = before / predicted
        stages.append(Stage(name, intercept, slope, r2, left, correlated(left)))
    return stages


def _left(rows: FloatArray, method: Coefficient) -> FloatArray:
    """Return the last coefficient of a stack of resamples: (..., 1)."""
    left = rows[..., 0]
    for j in range(2, rows.shape[-1]):
        x = rows[..., j] - rows[..., j].mean(axis=-1, keepdims=True)
        mean = left.mean(axis=-1, keepdims=True)
        slope = (x * left).sum(axis=-1, keepdims=True) / np.square(x).sum(axis=-1, keepdims=True)
        left = left / (mean + slope * x)
    both = np.stack([left, rows[..., 1]], axis=-1)
    return coefficients(both, method)[..., 0, 1][..., None]
