"""Significance tests between systems, on one gold file and across treebanks."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from math import ceil
from typing import TYPE_CHECKING, Any, ClassVar, Literal, get_args

import numpy as np
import numpy.typing as npt

from treegauge.core import tables
from treegauge.core.errors import ChoiceError, TreegaugeError
from treegauge.core.result import Result, countersign
from treegauge.scoring import metrics
from treegauge.scoring.metrics import canonical, metric_label
from treegauge.scoring.scores import Scores, SystemScore
from treegauge.statistics.multiple import adjust
from treegauge.statistics.permutation import (
    Alternative,
    PairedComparison,
    paired_bootstrap,
    paired_permutation,
)

if TYPE_CHECKING:
    import polars as pl

PairedTest = Literal["permutation", "bootstrap"]


@dataclass(frozen=True, eq=False)
class Comparisons(Result):
    """Every pair of systems: difference, error reduction, p-value, and p-value after correction."""

    pairs: tuple[dict[str, Any], ...]
    signature: str
    kind: ClassVar[str] = "comparisons"
    unit: ClassVar[str | None] = "percent"

    @property
    def table(self) -> "pl.DataFrame":
        """One row per pair and metric."""
        import polars as pl

        return pl.DataFrame(list(self.pairs), infer_schema_length=None)

    def shown(self) -> list[dict[str, Any]]:
        """Return p-values with four digits."""
        digits = ("p_value", "p_corrected")
        return [row | {name: f"{row[name]:.4f}" for name in digits} for row in self.pairs]


def error_reduction(a: float, b: float) -> float | None:
    r"""Share of B's errors that A does not make, in percent; None where B makes none.

    .. math:: 100 \, \frac{(100 - b) - (100 - a)}{100 - b}

    Examples
    --------
    >>> round(error_reduction(85, 80), 2)
    25.0
    """
    return None if b >= 100 else 100 * (a - b) / (100 - b)


def compare(
    scores: Scores,
    *,
    metric: str | Sequence[str] = "LAS",
    test: PairedTest = "permutation",
    permutations: int = 10_000,
    correction: str = "holm",
    seed: int = 0,
) -> Comparisons:
    """Test every pair of systems on the sentences they share (scored with ``resamples > 0``).

    ``"permutation"`` swaps the two systems' results sentence by sentence, ``"bootstrap"`` draws
    the same sentences for both. p-values are corrected over all pairs and metrics.
    """
    if len(scores.systems) < 2:
        raise TreegaugeError(
            f"a comparison needs at least two systems, there is {len(scores.systems)}"
        )
    names = [canonical(m) for m in ([metric] if isinstance(metric, str) else metric)]
    rows: list[dict[str, Any]] = []
    for one, other in combinations(scores.systems, 2):
        result = paired(one, other, names, test=test, permutations=permutations, seed=seed)
        for i, name in enumerate(names):
            a, b = 100 * float(result.a[i]), 100 * float(result.b[i])
            rows.append(
                {
                    "metric": metric_label(name, scores.convention),
                    "a": one.system,
                    "b": other.system,
                    "f1_a": a,
                    "f1_b": b,
                    "difference": a - b,
                    "error_reduction": error_reduction(a, b),
                    "p_value": float(result.p_value[i]),
                }
            )
    corrected = adjust([row["p_value"] for row in rows], correction)
    rows = [row | {"p_corrected": float(p)} for row, p in zip(rows, corrected, strict=True)]
    signature = countersign(
        scores.signature, test=f"paired-{test}", m="+".join(names), permutations=permutations,
        seed=seed, correction=correction,
    )  # fmt: skip
    return Comparisons(tuple(rows), signature)


def paired(
    one: SystemScore,
    other: SystemScore,
    names: Sequence[str],
    *,
    test: PairedTest = "permutation",
    permutations: int = 10_000,
    seed: int = 0,
    alternative: Alternative = "two-sided",
) -> PairedComparison:
    """Compare two systems on the gold sentences they share."""
    if test not in get_args(PairedTest):
        raise ChoiceError("test", test, get_args(PairedTest))
    names = [one[name].name for name in names]
    a, b = _rows(one), _rows(other)
    if a.shape[1:] != b.shape[1:]:
        raise TreegaugeError(
            f"{one.system!r} and {other.system!r} cover {a.shape[1]} and {b.shape[1]} gold "
            "sentences: paired tests need the same sentences (errors='strict' or 'repair')"
        )

    def statistic(sums: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        return metrics.f1(sums, names)

    how: dict[str, Any] = {"seed": seed, "names": names, "alternative": alternative}
    if test == "permutation":
        return paired_permutation(a, b, statistic, permutations=permutations, **how)
    return paired_bootstrap(a, b, statistic, resamples=permutations, **how)


def _rows(system: SystemScore) -> npt.NDArray[Any]:
    for run in system.runs:
        if len(run.rows) != run.sentences:
            raise TreegaugeError(
                "only totals were kept: score with resamples > 0 to compare systems"
            )
    return np.stack([run.rows for run in system.runs])


@dataclass(frozen=True, eq=False)
class Claims(Result):
    """Every pair of systems: on how many treebanks each is better than the other, at least.

    The counts come from partial conjunction tests (:mod:`treegauge.statistics.multiple`). All of
    them together, in both directions and of every pair, are wrong with probability at most
    `alpha`: each is tested at `alpha` over twice the number of pairs. `pairs` has the counts, valid
    under any dependence, and what they would be if the treebanks were independent (Fisher);
    `tests` the difference and the one-sided p-values of each pair on each treebank.
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
        """One row per pair."""
        import polars as pl

        lists = pl.selectors.by_dtype(pl.List(pl.String)).list.join(" ")
        return pl.DataFrame(self.pairs, infer_schema_length=None).with_columns(lists)

    def json_fields(self) -> dict[str, Any]:
        """Return the pairs, and the tests behind them."""
        return {"alpha": self.alpha, "rows": list(self.pairs), "tests": list(self.tests)}

    def shown(self) -> "pl.DataFrame":
        """Return mean differences and counts, without the names of the treebanks."""
        hidden = [name for name in self.table.columns if name.endswith(("_on", "_if_independent"))]
        return self.table.drop(hidden)

    @property
    def needed_permutations(self) -> int:
        """Random draws below which no test can be significant."""
        most: int = max(row["treebanks"] for row in self.pairs)
        return ceil(2 * len(self.pairs) * most / self.alpha)

    def own_text(self) -> str:
        """Return the table, and each claim as a sentence."""
        said = []
        for row in self.pairs:
            for one, other, side in (("a", "b", "a_better"), ("b", "a", "b_better")):
                if row[side]:
                    said.append(
                        f"{row[one]} is better than {row[other]} on at least {row[side]} of "
                        f"{row['treebanks']} treebanks: {', '.join(row[f'{side}_on'])}"
                    )
        if self.permutations < self.needed_permutations:
            said.append(
                f"with this number of tests, significance needs at least "
                f"{self.needed_permutations} permutations; there were {self.permutations} "
                "(--permutations)"
            )
        return "\n".join([tables.to_text(self.shown()), *said, self.signature])
