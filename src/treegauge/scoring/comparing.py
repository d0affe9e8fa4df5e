"""Paired tests between systems, on one file and across treebanks."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np
import numpy.typing as npt

from treegauge.results.errors import ChoiceError, TreegaugeError
from treegauge.results.result import Result, countersign
from treegauge.scoring import metrics
from treegauge.scoring.metrics import canonical
from treegauge.scoring.scoring import Scores, SystemScore
from treegauge.statistics.multiple import adjust
from treegauge.statistics.permutation import (
    Alternative,
    Comparison,
    paired_bootstrap,
    paired_permutation,
)

if TYPE_CHECKING:
    import polars as pl

Test = Literal["permutation", "bootstrap"]


@dataclass(frozen=True, eq=False)
class Comparisons(Result):
    """Every pair of systems: difference, error reduction, p-values as they are and by Holm."""

    rows: tuple[dict[str, Any], ...]
    signature: str

    @property
    def table(self) -> "pl.DataFrame":
        """One row a pair and metric; scores are fractions."""
        import polars as pl

        return pl.DataFrame(list(self.rows), infer_schema_length=None)

    def shown(self) -> "pl.DataFrame":
        """Return scores in per cent and p-values with four digits."""
        import polars as pl

        return self.table.with_columns(
            pl.col("f1_a", "f1_b", "difference") * 100,
            pl.col("p_value", "p_holm").map_elements("{:.4f}".format, return_dtype=pl.String),
        )


def error_reduction(a: float, b: float) -> float | None:
    r"""Share of B's errors that A does not make, in per cent; None where B makes none.

    .. math:: 100 \, \frac{(1 - b) - (1 - a)}{1 - b}

    Examples
    --------
    >>> round(error_reduction(0.85, 0.80), 2)
    25.0
    """
    return None if b >= 1 else 100 * (a - b) / (1 - b)


def compare(
    scores: Scores,
    *,
    metric: str | Sequence[str] = "LAS",
    test: Test = "permutation",
    draws: int = 10_000,
    seed: int = 0,
) -> Comparisons:
    """Test every pair of systems on the sentences they share.

    Parameters
    ----------
    scores
        Scores of at least two systems, with their per-sentence statistics (``resamples > 0``).
    metric
        One metric or several; p-values are adjusted by Holm over all pairs and metrics.
    test
        ``"permutation"`` swaps the two systems' results sentence by sentence; ``"bootstrap"``
        draws the same sentences for both.
    draws, seed
        Number of random draws, and their seed.
    """
    if len(scores.systems) < 2:
        raise TreegaugeError(
            f"a comparison needs at least two systems, there is {len(scores.systems)}"
        )
    names = [canonical(m) for m in ([metric] if isinstance(metric, str) else metric)]
    rows: list[dict[str, Any]] = []
    for one, other in combinations(scores.systems, 2):
        result = paired(one, other, names, test=test, draws=draws, seed=seed)
        for i, name in enumerate(names):
            a, b = float(result.a[i]), float(result.b[i])
            rows.append(
                {
                    "metric": name,
                    "a": one.system,
                    "b": other.system,
                    "f1_a": a,
                    "f1_b": b,
                    "difference": a - b,
                    "error_reduction": error_reduction(a, b),
                    "p_value": float(result.p_value[i]),
                }
            )
    held = adjust([row["p_value"] for row in rows], "holm")
    rows = [row | {"p_holm": float(p)} for row, p in zip(rows, held, strict=True)]
    signature = countersign(
        scores.signature, test=f"paired-{test}", m="+".join(names), draws=draws, seed=seed,
        adjust="holm",
    )  # fmt: skip
    return Comparisons(tuple(rows), signature)


def paired(
    one: SystemScore,
    other: SystemScore,
    names: Sequence[str],
    *,
    test: Test = "permutation",
    draws: int = 10_000,
    seed: int = 0,
    alternative: Alternative = "two-sided",
) -> Comparison:
    """Compare two systems on the gold sentences they share."""
    if test not in get_args(Test):
        raise ChoiceError("test", test, get_args(Test))
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
        return paired_permutation(a, b, statistic, permutations=draws, **how)
    return paired_bootstrap(a, b, statistic, resamples=draws, **how)


def _rows(system: SystemScore) -> npt.NDArray[Any]:
    for run in system.runs:
        if len(run.rows) != run.sentences:
            raise TreegaugeError(
                "only totals were kept: score with resamples > 0 to compare systems"
            )
    return np.stack([run.rows for run in system.runs])
