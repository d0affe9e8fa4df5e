"""All columns against all: the correlation matrix."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from treegauge.results.errors import TreegaugeError
from treegauge.results.result import sign
from treegauge.statistics.inference import Inference, correlated_pair
from treegauge.statistics.multiple import adjust
from treegauge.statistics.partial import Coefficient, check_coefficient
from treegauge.statistics.shown import Analysis
from treegauge.statistics.table import TableLike, as_table

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True, eq=False)
class CorrelationMatrix(Analysis):
    """Coefficients of all pairs of columns.

    Attributes
    ----------
    names
        The columns.
    pairs
        Every pair with its interval and p-values.
    """

    names: tuple[str, ...]
    pairs: tuple[dict[str, Any], ...]

    @property
    def table(self) -> "pl.DataFrame":
        """One row a pair."""
        import polars as pl

        kinds: dict[str, Any] = {"x": pl.String, "y": pl.String, "n": pl.Int64}
        numbers = ["r", "low", "high", "p_value", "p_adjusted"]
        return pl.DataFrame(self.pairs, schema=kinds | dict.fromkeys(numbers, pl.Float64))

    def shown(self) -> "pl.DataFrame":
        """Return the square; ``*`` marks adjusted p-values below 0.05, ``**`` below 0.001."""
        import polars as pl

        size = len(self.names)
        cells = [["1" if i == j else "" for j in range(size)] for i in range(size)]
        for pair in self.pairs:
            i, j = self.names.index(pair["x"]), self.names.index(pair["y"])
            r, p = pair["r"], pair["p_adjusted"]
            star = "" if p is None or p >= 0.05 else "**" if p < 0.001 else "*"
            cells[i][j] = cells[j][i] = "" if r is None else f"{r:.{self.digits}f}{star}"
        columns = {name: [row[j] for row in cells] for j, name in enumerate(self.names)}
        return pl.DataFrame({"": self.names} | columns)


def correlation_matrix(
    data: TableLike,
    columns: Sequence[str] = (),
    *,
    method: Coefficient = "spearman",
    log: Sequence[str] = (),
    level: float = 0.95,
    correction: str = "benjamini-hochberg",
) -> CorrelationMatrix:
    """Correlate every column with every other, each pair over the rows that have both.

    Parameters
    ----------
    data, columns
        A table and columns of it; by default all numeric ones.
    method, log, level, correction
        As for :func:`treegauge.statistics.correlation.correlate`; all pairs are one family.

    Returns
    -------
    CorrelationMatrix

    Notes
    -----
    Table 3 of the EDV paper (Spearman) and of the Content paper (Pearson).

    Examples
    --------
    >>> from treegauge.data import ud25
    >>> print(correlation_matrix(ud25(), ["las", "train_words", "test_words"]).shown().row(1))
    ('train_words', '0.661**', '1', '0.772**')
    """
    table = as_table(data)
    check_coefficient(method)
    wanted = list(columns) or table.numeric()
    repeated = [name for i, name in enumerate(wanted) if name in wanted[:i]]
    if repeated or len(wanted) < 2:
        raise TreegaugeError(
            f"{table.source}: a matrix needs two or more different columns, found "
            f"{', '.join(wanted) or 'none'}"
        )
    values, names = table.columns(wanted, log=log)
    pairs: list[dict[str, Any]] = []
    notes: list[str] = []
    for i, j in combinations(range(len(names)), 2):
        both = values[:, [i, j]]
        both = both[np.isfinite(both).all(axis=1)]
        found = Inference()
        if len(both) < 4:
            notes.append(
                f"{names[i]}, {names[j]}: missing, {len(both)} rows have both (at least 4)"
            )
        elif (np.ptp(both, axis=0) == 0).any():
            notes.append(f"{names[i]}, {names[j]}: missing, for one of them has one value only")
        else:
            found = correlated_pair(both, method=method, level=level)
        pairs.append(
            {"x": names[i], "y": names[j], "n": len(both), "r": found.r}
            | {"low": found.low, "high": found.high, "p_value": found.p_value}
        )
    corrected = adjust([pair["p_value"] for pair in pairs], correction)
    for pair, p in zip(pairs, corrected, strict=True):
        pair["p_adjusted"] = None if np.isnan(p) else float(p)
    return CorrelationMatrix(
        names=names,
        pairs=tuple(pairs),
        notes=tuple(notes),
        signature=sign(
            analysis="matrix",
            table=table.name,
            of="+".join(wanted) if columns else "all",
            method=method,
            log="+".join(log) or None,
            ci=f"fisher@{level}",
            adjust=correction,
        ),
    )
