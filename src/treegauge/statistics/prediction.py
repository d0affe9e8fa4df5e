"""Predicted values beside the true ones, and how far off they are."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from treegauge.statistics._resample import FloatArray
from treegauge.statistics.shown import Analysis

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True, eq=False)
class Predictions(Analysis):
    """One predicted value a row.

    Attributes
    ----------
    labels, predicted
        What each row is called, and its predicted value.
    low, high
        Where a new row's value lies with probability `level`; None if not asked for.
    actual
        The true values, NaN where unknown; None if there are none.
    """

    labels: tuple[str, ...]
    predicted: FloatArray
    low: FloatArray | None
    high: FloatArray | None
    actual: FloatArray | None
    level: float

    @property
    def table(self) -> "pl.DataFrame":
        """One row a predicted row; ``error`` is the true value less the predicted one."""
        import polars as pl

        columns: dict[str, Any] = {"row": self.labels, "predicted": self.predicted}
        if self.low is not None:
            columns |= {"low": self.low, "high": self.high}
        if self.actual is not None:
            columns |= {"actual": self.actual, "error": self.actual - self.predicted}
        return pl.DataFrame(columns, nan_to_null=True)

    @property
    def mean_absolute_error(self) -> float | None:
        """Mean of the errors without their signs, over rows with a true value."""
        if self.actual is None:
            return None
        errors = np.abs(self.actual - self.predicted)
        known = errors[np.isfinite(errors)]
        return float(known.mean()) if len(known) else None

    @property
    def summary(self) -> dict[str, Any]:
        """The mean absolute error."""
        error = self.mean_absolute_error
        return {} if error is None else {"mean_absolute_error": error}
