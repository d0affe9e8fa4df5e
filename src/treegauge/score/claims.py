"""Which of two systems is better, and on how many treebanks at least."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from treegauge import tables
from treegauge.result import Result
from treegauge.stats.conjunction import Conjunction, partial_conjunction

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True, eq=False)
class Claim:
    """Two systems on the treebanks on which both have scores.

    Attributes
    ----------
    a, b
        The systems.
    differences
        Score of A less that of B, by treebank.
    a_better, b_better
        On how many treebanks each is better, by partial conjunction.
    """

    a: str
    b: str
    differences: dict[str, float]
    a_better: Conjunction
    b_better: Conjunction

    def to_dict(self) -> dict[str, Any]:
        """Return the claim's part of the JSON format."""
        p_values = zip(self.a_better.names, self.a_better.p_values, strict=True)
        return self.row() | {
            "a_better_on": list(self.a_better.significant),
            "b_better_on": list(self.b_better.significant),
            "tests": [
                {"treebank": name, "difference": self.differences[name], "p_a_better": float(p)}
                for name, p in p_values
            ],
        }

    def row(self) -> dict[str, Any]:
        """Return the claim's row of the table."""
        return {
            "a": self.a,
            "b": self.b,
            "treebanks": len(self.differences),
            "mean_difference": sum(self.differences.values()) / len(self.differences),
            "a_better": self.a_better.k_hat,
            "b_better": self.b_better.k_hat,
            "a_better_if_independent": self.a_better.k_hat_fisher,
            "b_better_if_independent": self.b_better.k_hat_fisher,
        }
