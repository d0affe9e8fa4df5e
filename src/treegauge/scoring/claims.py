"""Which of two systems is better, and on how many treebanks at least."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import ceil
from typing import TYPE_CHECKING, Any

from treegauge.results import tables
from treegauge.results.errors import TreegaugeError
from treegauge.results.result import Result, countersign
from treegauge.scoring.comparing import Test, paired
from treegauge.scoring.scoring import Scores
from treegauge.statistics.conjunction import partial_conjunction

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True, eq=False)
class Claims(Result):
    """Every pair of systems: on how many treebanks each is better than the other, at least.

    The counts come from partial conjunction tests (:mod:`treegauge.statistics.conjunction`). All of
    them together, in both directions and of every pair, are wrong with probability at most
    `alpha`: each is tested at `alpha` over twice the number of pairs.

    Attributes
    ----------
    rows
        One a pair: the counts, valid under any dependence, and what they would be if the
        treebanks are independent (Fisher).
    tests
        One a pair and treebank: the difference and the one-sided p-values of both directions.
    draws
        Draws of each test, which bound its p-value from below.
    """

    rows: tuple[dict[str, Any], ...]
    tests: tuple[dict[str, Any], ...]
    alpha: float
    draws: int
    signature: str

    @property
    def table(self) -> "pl.DataFrame":
        """One row a pair; differences are fractions."""
        import polars as pl

        flat = [{name: _flat(value) for name, value in row.items()} for row in self.rows]
        return pl.DataFrame(flat, infer_schema_length=None)

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON format: the pairs, and the tests behind them."""
        return {
            "signature": self.signature,
            "alpha": self.alpha,
            "rows": list(self.rows),
            "tests": list(self.tests),
        }

    def shown(self) -> "pl.DataFrame":
        """Return mean differences in per cent, and the counts."""
        import polars as pl

        return self.table.drop("a_better_on", "b_better_on").with_columns(
            pl.col("mean_difference") * 100
        )

    @property
    def needed_draws(self) -> int:
        """Draws without which no test can come out significant."""
        most: int = max(row["treebanks"] for row in self.rows)
        return ceil(2 * len(self.rows) * most / self.alpha)

    def __str__(self) -> str:
        said = []
        for row in self.rows:
            for one, other, side in (("a", "b", "a_better"), ("b", "a", "b_better")):
                if row[side]:
                    said.append(
                        f"{row[one]} is better than {row[other]} on at least {row[side]} of "
                        f"{row['treebanks']} treebanks: {', '.join(row[f'{side}_on'])}"
                    )
        if self.draws < self.needed_draws:
            said.append(
                f"so many tests need at least {self.needed_draws} draws for one to be significant, "
                f"there were {self.draws} (--draws)"
            )
        return "\n".join([tables.to_text(self.shown()), *said, self.signature])


def _flat(value: Any) -> Any:
    return " ".join(value) if isinstance(value, list) else value


def make_claims(
    treebanks: Mapping[str, Scores],
    shared: Mapping[tuple[str, str], Sequence[str]],
    *,
    metric: str,
    test: Test,
    draws: int,
    alpha: float,
    seed: int,
    signature: str,
) -> Claims:
    """Test every pair of systems on the treebanks they share.

    Parameters
    ----------
    treebanks
        Scores by treebank.
    shared
        For each pair the treebanks on which both have scores; pairs without one are left out.
    metric, test, draws, alpha, seed
        The metric, the paired test on each treebank, its draws and seed, and the probability of
        any wrong claim.
    signature
        How the systems were scored.
    """
    if not 0 < alpha < 1:
        raise TreegaugeError(f"alpha: expected a number between 0 and 1, found {alpha!r}")
    pairs = {pair: names for pair, names in shared.items() if names}
    if not pairs:
        raise TreegaugeError("no two systems have scores on the same treebank")
    how: dict[str, Any] = {"test": test, "draws": draws, "seed": seed, "alternative": "greater"}
    rows, tests = [], []
    for (a, b), names in pairs.items():
        done: list[dict[str, Any]] = []
        for name in names:
            one, other = treebanks[name][a], treebanks[name][b]
            done.append(
                {
                    "a": a,
                    "b": b,
                    "treebank": name,
                    "difference": one[metric].f1 - other[metric].f1,
                    "p_a_better": float(paired(one, other, [metric], **how).p_value[0]),
                    "p_b_better": float(paired(other, one, [metric], **how).p_value[0]),
                }
            )
        row: dict[str, Any] = {
            "a": a,
            "b": b,
            "treebanks": len(names),
            "mean_difference": sum(one["difference"] for one in done) / len(done),
        }
        for side in ("a_better", "b_better"):
            outcome = partial_conjunction(
                [one[f"p_{side}"] for one in done], alpha=alpha / (2 * len(pairs)), names=names
            )
            row |= {side: outcome.k_hat, f"{side}_if_independent": outcome.k_hat_fisher}
            row |= {f"{side}_on": list(outcome.significant)}
        rows.append(row)
        tests += done
    signed = countersign(
        signature, test=f"paired-{test}", m=metric, draws=draws, seed=seed,
        claims="partial-conjunction", alpha=alpha, adjust="bonferroni",
    )  # fmt: skip
    return Claims(tuple(rows), tuple(tests), alpha, draws, signed)
