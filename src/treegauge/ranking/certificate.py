"""Certificates: the evidence for and against a claim "A is better than B"."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from treegauge.core import tables
from treegauge.core.result import Result
from treegauge.ranking.claims import Claim, Flip
from treegauge.ranking.paragraph import paragraph

if TYPE_CHECKING:
    import polars as pl


class PairedEstimate(NamedTuple):
    """A number with its interval; the limits are None with too few treebanks."""

    value: float
    low: float | None = None
    high: float | None = None
    level: float = 0.95

    def __str__(self) -> str:
        if self.low is None or self.high is None:
            return f"{self.value:+.2f}"
        return f"{self.value:+.2f} ({100 * self.level:g} % interval {self.reach})"

    @property
    def reach(self) -> str:
        """The limits of the interval as text."""
        return f"{self.low:+.2f} to {self.high:+.2f}"


@dataclass(frozen=True, eq=False)
class Certificate(Result):
    """The evidence for and against a claim.

    Attributes
    ----------
    ahead, equal, behind
        Treebanks on which A is above, equal to, below B.
    difference, new
        Mean of A minus B, in points, with its interval for other treebanks of these families; and
        with that for one new treebank of a new family.
    median
        The median difference; its interval holds from six treebanks on.
    detectable
        The smallest mean difference that a test detects with 80 % power; None as with intervals.
    improvement
        Probability that A is above B on a treebank, ties half; Wilson's interval.
    rank_biserial
        The signed-rank sums' difference over their sum, from -1 to 1, over treebanks.
    error_reduction
        Mean share of B's errors that A avoids, in percent; None if scores do not allow it.
    tests
        Two-sided p-values by name. First the primary test: signed ranks of one mean per group,
        since treebanks of one family are not independent (signed ranks of treebanks with fewer than
        six groups). Then, with treebanks as units: signed ranks, signs, permutation of the mean.
    equivalence
        With a margin: p-values of equivalence, of non-inferiority of A, and of superiority of A by
        more than the margin.
    groups
        The number of groups of treebanks, with those of one unplaced treebank; None if all
        groups are unknown.
    unplaced
        The treebanks whose group is unknown; each is a group of its own.
    wins
        One row per size of subsets: shares of subsets in which A wins, ties and loses, and how they
        were computed (``exact``, ``bounds`` or ``sampled``).
    families
        One row per group: treebanks, mean difference, treebanks on which A is ahead; lowest first.
    flip
        The smallest change of treebanks that makes the claim fail.
    """

    claim: Claim
    metric: str
    treebanks: int
    ahead: int
    equal: int
    behind: int
    difference: PairedEstimate
    new: PairedEstimate
    median: PairedEstimate
    detectable: float | None
    improvement: PairedEstimate
    rank_biserial: float
    error_reduction: float | None
    tests: dict[str, float]
    equivalence: dict[str, float] | None
    groups: int | None
    unplaced: tuple[str, ...]
    by: str
    wins: tuple[dict[str, Any], ...]
    families: tuple[dict[str, Any], ...]
    flip: Flip
    signature: str
    kind: ClassVar[str] = "certificate"
    unit: ClassVar[str | None] = "percent"
    digits: ClassVar[tables.Digits] = 4

    @property
    def table(self) -> "pl.DataFrame":
        """Win rates by size of subsets."""
        import polars as pl

        return pl.DataFrame(list(self.wins), infer_schema_length=None)

    @property
    def holds(self) -> bool:
        """Whether A's mean over all treebanks is above B's."""
        return self.flip.holds

    def json_fields(self) -> dict[str, Any]:
        """Return all fields and the paragraph."""
        plain = ("metric", "treebanks", "ahead", "equal", "behind", "detectable", "rank_biserial",
                 "error_reduction", "tests", "equivalence")  # fmt: skip
        estimates = {
            "difference": self.difference, "new_treebank": self.new, "median": self.median,
            "probability_of_improvement": self.improvement,
        }  # fmt: skip
        return {
            "claim": str(self.claim), "holds": self.holds, "text": self.text,
            **{name: getattr(self, name) for name in plain},
            **{name: estimate._asdict() for name, estimate in estimates.items()},
            "primary_test": next(iter(self.tests)), "win_rates": list(self.wins),
            "families": list(self.families),
            "unplaced": list(self.unplaced), "flip": self.flip.json_fields(),
        }  # fmt: skip

    @property
    def text(self) -> str:
        """One paragraph to paste into a paper."""
        return paragraph(self)

    def own_text(self) -> str:
        """Return the paragraph and its signature."""
        return f"{self.text}\n[{self.signature}]"

    def own_html(self) -> str:
        """Return the paragraph and the table."""
        from html import escape

        return f"<p>{escape(self.text)}</p>\n{super().own_html()}"

    def own_latex(self) -> str:
        """Return the paragraph, its signature as a comment."""
        return f"% {self.signature}\n{tables.latex(self.text)}"

    def own_markdown(self) -> str:
        """Return the paragraph and its signature."""
        return f"{tables.markdown(self.text)}\n\n`{self.signature}`"
