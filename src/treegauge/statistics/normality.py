"""Tests of whether numbers could have come from a normal distribution."""

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from treegauge.results.errors import TreegaugeError
from treegauge.results.result import sign
from treegauge.statistics.multiple import adjust
from treegauge.statistics.shown import Analysis
from treegauge.statistics.table import TableLike, as_table

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True, eq=False)
class Normality(Analysis):
    """Tests of normality, one row a column; ``normal`` is False where it is rejected."""

    rows: tuple[dict[str, Any], ...]

    @property
    def table(self) -> "pl.DataFrame":
        """One row a variable."""
        import polars as pl

        numbers = ["mean", "sd", "skewness", "kurtosis", "w", "p_value", "p_adjusted", "k2", "p_k2"]
        kinds: dict[str, Any] = {"variable": pl.String, "n": pl.Int64}
        kinds |= dict.fromkeys(numbers, pl.Float64)
        return pl.DataFrame(self.rows, schema=kinds | {"normal": pl.Boolean})


def normality(
    data: TableLike,
    columns: Sequence[str] = (),
    *,
    log: Sequence[str] = (),
    alpha: float = 0.05,
) -> Normality:
    r"""Test every column for normality.

    Shapiro and Wilk's :math:`W = (\sum_i a_i x_{(i)})^2 / \sum_i (x_i - \bar x)^2`, with weights
    :math:`a` from the expected order statistics of the normal distribution, is the one to go by;
    D'Agostino and Pearson's :math:`K^2 = z_{skew}^2 + z_{kurt}^2` is a second opinion that says
    by its parts what is wrong.

    Parameters
    ----------
    data, columns
        A table and columns of it; by default all numeric ones.
    log
        Columns of which the logarithm is tested.
    alpha
        ``normal`` is False where the Shapiro-Wilk p-value is below it.

    Returns
    -------
    Normality
        ``w, p_value, p_adjusted`` (Benjamini-Hochberg) of Shapiro-Wilk and ``k2, p_k2`` of
        D'Agostino-Pearson (at least 20 rows). Missing, with a note, for constant columns.

    Notes
    -----
    Table 1 of the EDV paper. Not being rejected is not being normal: with few rows nothing is.

    Examples
    --------
    >>> from treegauge.data import ud25
    >>> found = normality(ud25(), ["las", "mean_test_length"])
    >>> [(row["variable"], round(row["w"], 3), row["normal"]) for row in found.rows]
    [('las', 0.92, False), ('mean_test_length', 0.978, True)]
    """
    table = as_table(data)
    if not 0 < alpha < 1:
        raise TreegaugeError(f"alpha: expected a number between 0 and 1, found {alpha!r}")
    names = list(columns) or table.numeric()
    rows, notes = [], []
    for name in names:
        sample = table.complete([name], log=log)
        found, problem = _test(sample.values[:, 0])
        rows.append({"variable": sample.names[0], "n": len(sample.values), **found})
        notes += [*sample.notes, *([f"{name}: {problem}"] if problem else [])]
    known = [row for row in rows if row.get("p_value") is not None]
    if not known:
        raise TreegaugeError(f"{table.source}: nothing to test: {'; '.join(notes) or 'no column'}")
    corrected = adjust([row["p_value"] for row in known], "benjamini-hochberg")
    for row, p in zip(known, corrected, strict=True):
        row |= {"p_adjusted": float(p), "normal": bool(row["p_value"] >= alpha)}
    return Normality(
        rows=tuple(rows),
        notes=tuple(notes),
        signature=sign(
            analysis="normality",
            table=table.name,
            of="+".join(names) if columns else "all",
            log="+".join(log) or None,
            alpha=alpha,
        ),
    )


def _test(values: np.typing.NDArray[np.float64]) -> tuple[dict[str, Any], str | None]:
    from scipy import stats

    if len(values) < 3:
        return {}, f"missing, for the test needs at least 3 rows, found {len(values)}"
    if np.ptp(values) == 0:
        return {}, "missing, for the column has one value only"
    with warnings.catch_warnings():
        # Beyond 5,000 rows W stays right and scipy doubts its p-value, which is 0 by then.
        warnings.simplefilter("ignore", UserWarning)
        w, p = stats.shapiro(values)
    found = {
        "mean": float(values.mean()),
        "sd": float(values.std(ddof=1)),
        "skewness": float(stats.skew(values)),
        "kurtosis": float(stats.kurtosis(values)),
        "w": float(w),
        "p_value": float(p),
    }
    # Below that the approximation behind the kurtosis test is poor.
    if len(values) >= 20:
        k2, p_k2 = stats.normaltest(values)
        found |= {"k2": float(k2), "p_k2": float(p_k2)}
    return found, None
