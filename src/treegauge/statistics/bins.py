"""One coefficient a bin of sentence length, and whether they grow with it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from treegauge.results.errors import TreegaugeError
from treegauge.results.result import sign
from treegauge.statistics.association import adjusted, associate
from treegauge.statistics.correlation import Correlations, choose_columns, interval_signature
from treegauge.statistics.groups import Group
from treegauge.statistics.inference import Inference, correlated_pair
from treegauge.statistics.partial import Coefficient
from treegauge.statistics.shown import Analysis
from treegauge.statistics.table import TableLike, as_table

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True, eq=False)
class BinnedCorrelations(Analysis):
    """Coefficients of one variable, one row a bin.

    Attributes
    ----------
    bin, bins
        The column that bins, and its values.
    coefficients
        The coefficients, given all covariates.
    trend
        Spearman correlation of the coefficients with the bins.
    """

    bin: str
    bins: tuple[int, ...]
    coefficients: Correlations
    trend: Inference

    @property
    def table(self) -> "pl.DataFrame":
        """One row a bin, in ascending order."""
        import polars as pl

        frame = self.coefficients.table.drop("group")
        return frame.insert_column(0, pl.Series(self.bin, self.bins, dtype=pl.Int64))

    @property
    def summary(self) -> dict[str, Any]:
        """The trend over the bins."""
        return {"trend_r": self.trend.r, "p_trend": self.trend.p_value}


def correlate_bins(
    data: TableLike,
    target: str,
    of: str,
    given: Sequence[str] = (),
    *,
    bin: str = "length",
    low: int = 3,
    high: int = 30,
    method: Coefficient = "spearman",
    log: Sequence[str] = (),
    level: float = 0.95,
    resamples: int = 0,
    correction: str = "benjamini-hochberg",
    seed: int = 0,
) -> BinnedCorrelations:
    """Correlate within each bin of a long table, one row a treebank and bin.

    Sentences of different lengths mixed together can hide or feign an effect; here each length
    has its own coefficient. Every bin rests on other sentences of the same treebanks, so the
    p-values are not independent; the adjusted ones allow for their number.

    Parameters
    ----------
    data
        A table with a row for every treebank and bin.
    target, of, given
        Column to explain, variable of interest, covariates.
    bin, low, high
        Column of whole numbers that bins, and the smallest and largest bin to look at.
    method, log, level, resamples, correction, seed
        As for :func:`treegauge.statistics.correlation.correlate`.

    Returns
    -------
    BinnedCorrelations
        Bins with too few rows are missing, with a note.

    Notes
    -----
    Section 4.4 and Fig. 10 of the EDV paper: EDV and LAS of sentences of 3 to 30 words, with the
    words in the training data as covariate.

    Examples
    --------
    >>> rows = [(length, i, (i * length) % 11) for length in (3, 4, 5) for i in range(10)]
    >>> columns = dict(zip(("length", "las", "edv"), map(list, zip(*rows)), strict=True))
    >>> found = correlate_bins(columns, "las", "edv")
    >>> [(row["length"], round(row["r"], 2)) for row in found.table.to_dicts()]
    [(3, 0.32), (4, 0.38), (5, -0.09)]
    """
    table = as_table(data)
    table.check([bin], "column that bins")
    numbers = table.numbers(bin)
    odd = numbers[np.isfinite(numbers) & (numbers != np.round(numbers))]
    if len(odd):
        raise TreegaugeError(
            f"{table.source}: column {bin!r} must hold whole numbers to bin by, found {odd[0]:g}"
        )
    inside = np.flatnonzero((numbers >= low) & (numbers <= high))
    if not len(inside):
        raise TreegaugeError(f"{table.source}: no {bin!r} lies between {low} and {high}")
    bins = sorted({int(number) for number in numbers[inside]})
    groups = [Group(f"{bin} {one}", tuple(np.flatnonzero(numbers == one).tolist())) for one in bins]
    choose_columns(table, target, [of], given, without=bin)
    rows, notes = associate(table, target, [of], given, groups, method, log, level, resamples, seed)
    last = adjusted([row for row in rows if len(row.given) == len(given)], correction)
    known = [
        (one, row.found.r) for one, row in zip(bins, last, strict=True) if row.found.r is not None
    ]
    enough = len(known) > 3
    signature = sign(
        analysis="bins",
        table=table.name,
        bin=f"{bin}:{low}-{high}",
        target=target,
        of=of,
        given="+".join(given) or None,
        method=method,
        log="+".join(log) or None,
        ci=interval_signature(level, resamples),
        adjust=correction,
        seed=seed if resamples else None,
    )
    return BinnedCorrelations(
        bin=bin,
        bins=tuple(bins),
        coefficients=Correlations(signature, tuple(notes), tuple(last), method),
        trend=correlated_pair(np.array(known, dtype=np.float64)) if enough else Inference(),
        notes=tuple(notes),
        signature=signature,
    )
