"""The absolute rank of treebanks over all measures of difficulty."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from treegauge.results.errors import ChoiceError, TreegaugeError
from treegauge.results.result import Result, sign
from treegauge.statistics.table import TableLike, as_table

if TYPE_CHECKING:
    import polars as pl

__all__ = ["LARGER_IS_EASIER", "AbsoluteRank", "absolute_rank"]

LARGER_IS_EASIER: Mapping[str, bool] = {
    "uas": True, "las": True,
    "arc_conf": True, "arc_var": False, "arc_vinfo": True, "arc_mdl": False,
    "rel_conf": True, "rel_var": False, "rel_vinfo": True, "rel_mdl": False,
}  # fmt: skip
"""The ten measures of the Difficulty paper's Table 1, and whether a larger value ranks first."""


@dataclass(frozen=True, eq=False)
class AbsoluteRank(Result):
    """Treebanks in the order of their mean rank.

    Attributes
    ----------
    rows
        Treebank, absolute rank, mean rank, and the rank by each measure (None where it is missing).
    measures
        The measures.
    """

    rows: tuple[dict[str, object], ...]
    measures: tuple[str, ...]
    signature: str
    digits: ClassVar[int] = 1

    @property
    def table(self) -> "pl.DataFrame":
        """One row a treebank, the easiest first."""
        import polars as pl

        kinds: dict[str, type[pl.DataType]] = {"treebank": pl.String, "rank": pl.Int64}
        return pl.DataFrame(
            list(self.rows), schema=kinds | dict.fromkeys(("mean", *self.measures), pl.Float64)
        )


def absolute_rank(
    data: TableLike, measures: Sequence[str] = (), *, label: str = "treebank"
) -> AbsoluteRank:
    """Rank treebanks by each measure, and then by the mean of these ranks.

    Rank 1 is the highest UAS, LAS, confidence and usable information, and the lowest variability
    and description length. Equal values share the mean of their ranks, equal means the best rank.
    A missing value does not count for its treebank.

    Parameters
    ----------
    data
        A table with one row a treebank.
    measures
        Columns out of :data:`LARGER_IS_EASIER`; by default those that the table has.
    label
        Column of the treebanks' names.

    Notes
    -----
    The Difficulty paper's Table 1, column "Abs. Rank". The paper does not define it; on the rows
    that can be read in full this definition orders the treebanks as it does (Spearman 0.998).

    Examples
    --------
    >>> found = absolute_rank({"treebank": ["a", "b"], "las": [80, 90], "arc_var": [0.2, 0.1]})
    >>> found.table["treebank"].to_list()
    ['b', 'a']
    """
    from scipy.stats import rankdata

    table = as_table(data)
    table.check([label], "column of names")
    chosen = list(measures) or [name for name in LARGER_IS_EASIER if name in table.frame.columns]
    for name in chosen:
        if name not in LARGER_IS_EASIER:
            raise ChoiceError("measure", name, LARGER_IS_EASIER)
    if not chosen:
        raise TreegaugeError(
            f"{table.source} has none of the measures {', '.join(LARGER_IS_EASIER)}"
        )
    names = [str(name) for name in table.frame[label]]
    ranks = np.full((len(names), len(chosen)), np.nan)
    for j, name in enumerate(chosen):
        values = table.numbers(name)
        known = np.isfinite(values)
        ranks[known, j] = rankdata(-values[known] if LARGER_IS_EASIER[name] else values[known])
    bare = [name for name, row in zip(names, ranks, strict=True) if np.isnan(row).all()]
    if bare:
        raise TreegaugeError(f"{bare[0]} has none of the measures {', '.join(chosen)}")
    means = np.nanmean(ranks, axis=1)
    places = rankdata(means, method="min")
    order = np.argsort(places, kind="stable").tolist()
    rows = tuple(
        {"treebank": names[i], "rank": int(places[i]), "mean": float(means[i])}
        | {name: None if np.isnan(ranks[i, j]) else float(ranks[i, j])
           for j, name in enumerate(chosen)}
        for i in order
    )  # fmt: skip
    signature = sign(v="absolute-rank", table=table.name, m="+".join(chosen))
    return AbsoluteRank(rows, tuple(chosen), signature)
