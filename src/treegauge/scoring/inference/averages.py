"""Claims across treebanks: on how many of them one system is better than another, at least."""

from dataclasses import dataclass
from math import ceil
from typing import TYPE_CHECKING, Any, ClassVar

from treegauge.core import tables
from treegauge.core.result import Result

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True, eq=False)
class Claims(Result):
    """Every pair of systems: the number of treebanks on which each is better, at least.

    The counts come from partial conjunction tests (:mod:`treegauge.statistics.multiple`). The
    probability that any of them is wrong, in both directions and over all pairs and metrics, is at
    most `alpha`: each is tested at `alpha` divided by twice the number of pairs and metrics.
    `pairs` has the counts, valid under any dependence, and what they would be if the treebanks were
    independent (Fisher); `tests` the difference and the one-sided p-values of each pair on each
    treebank.
    """

    pairs: tuple[dict[str, Any], ...]
    tests: tuple[dict[str, Any], ...]
    alpha: float
    permutations: int
    signature: str
    kind: ClassVar[str] = "claims"
    unit: ClassVar[str | None] = "percent"

    @property
    def table(self) -> "pl.DataFrame":
        """One row per pair and metric."""
        import polars as pl

        lists = pl.selectors.by_dtype(pl.List(pl.String)).list.join(" ")
        return pl.DataFrame(self.pairs, infer_schema_length=None).with_columns(lists)

    def json_fields(self) -> dict[str, Any]:
        """Return the pairs, and the tests behind them."""
        return {"alpha": self.alpha, "rows": list(self.pairs), "tests": list(self.tests)}

    def shown(self) -> "pl.DataFrame":
        """Return mean differences and counts, without treebank names."""
        hidden = [name for name in self.table.columns if name.endswith(("_on", "_if_independent"))]
        return self.table.drop(hidden)

    @property
    def needed_permutations(self) -> int:
        """Number of permutations below which no test can be significant."""
        most: int = max(row["treebanks"] for row in self.pairs)
        return ceil(2 * len(self.pairs) * most / self.alpha)

    def own_text(self) -> str:
        """Return the table, and each claim as a sentence."""
        claims = []
        several = len({row["metric"] for row in self.pairs}) > 1
        for row in self.pairs:
            where = f" in {row['metric']}" if several else ""
            for better, worse, side in (("a", "b", "a_better"), ("b", "a", "b_better")):
                if row[side]:
                    claims.append(
                        f"{row[better]} is better than {row[worse]}{where} on at least {row[side]} "
                        f"of {row['treebanks']} treebanks: {', '.join(row[f'{side}_on'])}"
                    )
        if self.permutations and self.permutations < self.needed_permutations:
            claims.append(
                f"with this number of tests, significance needs at least "
                f"{self.needed_permutations} permutations; there were {self.permutations} "
                "(--resamples)"
            )
        return "\n".join([tables.to_text(self.shown()), *claims, self.signature])
