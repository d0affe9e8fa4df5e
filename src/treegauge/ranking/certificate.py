"""Certificates: the evidence for and against a claim "A is better than B", and its paragraph."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

from treegauge.core import tables
from treegauge.core.lazy import pl
from treegauge.core.result import Result
from treegauge.ranking.claims import Claim, Flip
from treegauge.ranking.leaderboard import metric_name, some
from treegauge.scoring.verdicts import KINDS, PairVerdict, units_in_words


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
class Certificate(Result, kind="certificate", unit="percent"):
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
        The smallest mean difference that these treebanks detect with 80 % power: by the test of the
        interval or, where there is none, by the primary test; None with fewer than six groups.
    improvement
        Probability that A is above B on a treebank, ties half; Wilson's interval.
    rank_biserial
        The signed-rank sums' difference over their sum, from -1 to 1, over treebanks.
    error_reduction
        Share of B's errors that A avoids, in percent, from the mean scores, as in ``score``; None if
        B makes no errors.
    tests
        Two-sided p-values by name. First, with six groups or more, signed ranks of one mean per group,
        since treebanks of one family are not independent. Then, with treebanks as units: signed
        ranks, signs, permutation of the mean.
    primary
        The name of the test that answers the question on new treebanks; None with too few groups.
    verdicts
        The answers to two questions: would the difference hold on new text, and on new treebanks?
    equivalence
        With a margin: p-values of equivalence, of non-inferiority of A, and of superiority of A by
        more than the margin, twice the one-sided ones, and the verdict in the words of ``score``.
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
    primary: str | None
    verdicts: tuple[PairVerdict, PairVerdict]
    equivalence: dict[str, Any] | None
    groups: int | None
    unplaced: tuple[str, ...]
    cluster: str
    wins: tuple[dict[str, Any], ...]
    families: tuple[dict[str, Any], ...]
    flip: Flip
    signature: str
    digits: ClassVar[tables.Digits] = 4

    @property
    def table(self) -> "pl.DataFrame":
        """Win rates by size of subsets."""
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
            "verdicts": [one._asdict() for one in self.verdicts],
            **{name: getattr(self, name) for name in plain},
            **{name: estimate._asdict() for name, estimate in estimates.items()},
            "primary_test": self.primary, "win_rates": list(self.wins),
            "families": list(self.families),
            "unplaced": list(self.unplaced), "flip": self.flip.json_fields(),
        }  # fmt: skip

    @property
    def text(self) -> str:
        """One paragraph to paste into a paper: the two answers and the evidence."""
        return " ".join([*(one.sentence for one in self.verdicts), self.evidence])

    @property
    def evidence(self) -> str:
        """The evidence behind the answers, one paragraph; further tests come last."""
        return paragraph(self)

    def own_text(self) -> str:
        """Return the two answers, the evidence and the signature."""
        return "\n".join([*(one.sentence for one in self.verdicts), self.evidence, f"[{self.signature}]"])

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


_NAMED = 4


def paragraph(certificate: Certificate) -> str:
    """Return the evidence for a paper."""
    parts = (_means, _wins, _margins, _subsets, _losses, _flipped, _tests)
    return " ".join(filter(None, (part(certificate) for part in parts)))


def _means(certificate: Certificate) -> str:
    a, b, mean = certificate.claim.a, certificate.claim.b, certificate.difference
    metric = metric_name(certificate.metric)
    compared = f"{a} scores {'higher' if mean.value > 0 else 'lower'} in {metric} than {b}"
    if mean.value == 0:
        compared = f"{a} and {b} have the same mean {metric}"
    error = ""
    if certificate.error_reduction is not None:
        error = f" (error reduction {certificate.error_reduction:.1f} %)"
    first = (
        f"Over {certificate.treebanks} treebanks{_resting_on(certificate)}, {compared}: "
        f"mean difference {mean.value:+.2f} points"
    )
    level = f"{100 * mean.level:g} % interval"
    least = ""
    if certificate.detectable is not None:
        least = f" A mean difference of {certificate.detectable:.2f} points could be detected with 80 % power."
    if mean.low is None:
        return (
            f"{first}{error}; there are too few treebanks or families for an interval of the mean. "
            f"Median difference {certificate.median}.{least}"
        )
    return (
        f"{first}, {level} for other treebanks of these families {mean.reach}{error}; for one new "
        f"treebank of a new family {certificate.new.reach}.{least}"
    )


def _resting_on(certificate: Certificate) -> str:
    """Return the units of the treebanks, and the names of those that cannot be placed."""
    one, unplaced = KINDS[certificate.cluster][0], certificate.unplaced
    if len(unplaced) == certificate.treebanks:
        return f" of unknown {one}"
    if not unplaced:
        return f" of {units_in_words(certificate.cluster, certificate.groups or 0)}"
    return (
        f" ({certificate.treebanks - len(unplaced)} of {_placed(certificate)}; {one} unknown "
        f"for {len(unplaced)}, {'each ' * (len(unplaced) > 1)}a unit of its own: "
        f"{', '.join(unplaced)})"
    )


def _placed(certificate: Certificate) -> str:
    """Return the number of groups, without treebanks of unknown groups."""
    groups = (certificate.groups or 0) - len(certificate.unplaced)
    return units_in_words(certificate.cluster, groups)


def _units(certificate: Certificate, groups: str) -> str:
    """Return all units that tests and families rest on."""
    alone = len(certificate.unplaced)
    if not alone:
        return groups
    kind = KINDS[certificate.cluster][0]
    return f"{groups} and {alone} treebank{'s' * (alone > 1)} of unknown {kind}"


def _wins(certificate: Certificate) -> str:
    ties = f", equal on {certificate.equal}" if certificate.equal else ""
    chance = certificate.improvement
    return (
        f"{certificate.claim.a} is ahead on {certificate.ahead} treebanks and behind on "
        f"{certificate.behind}{ties}: "
        f"probability of improvement {chance.value:.2f} "
        f"({100 * chance.level:g} % interval {chance.low:.2f} to {chance.high:.2f})."
    )


def _tests(certificate: Certificate) -> str:
    others = {name: p for name, p in certificate.tests.items() if name != certificate.primary}
    names = {"wilcoxon": "signed-rank", "sign": "sign", "permutation": "permutation of the mean"}
    rest = ", ".join(f"{names[name]} {tables.p_value_text(p)}" for name, p in others.items())
    units = f"the means of {_units(certificate, _placed(certificate))}"
    if certificate.primary == "wilcoxon":
        units = f"{certificate.treebanks} treebanks as if they were independent"
    test = f"Test of new treebanks: Wilcoxon signed-rank over {units}, two-sided. "
    return (
        f"{test if certificate.primary else ''}Further tests, with treebanks as independent units: {rest} "
        f"(rank-biserial correlation {certificate.rank_biserial:.2f})."
    )


def _margins(certificate: Certificate) -> str:
    if certificate.equivalence is None:
        return ""
    tested = certificate.equivalence
    same, not_worse, better = (
        tables.p_value_text(tested[name]) for name in ("p_equivalent", "p_not_worse", "p_better")
    )
    return (
        f"Tests with a margin of {tested['margin']:g}: equivalence {same}, "
        f"non-inferiority of {certificate.claim.a} {not_worse}, superiority by "
        f"more than the margin {better}."
    )


def _subsets(certificate: Certificate) -> str:
    shares = _listed([f"{_percent(row)} of size {row['size']}" for row in certificate.wins])
    how = {
        "exact": "exact counts over all subsets",
        "bounds": "counts over all subsets on a rounded grid, where undecided subsets are not wins",
        "sampled": f"{certificate.wins[0]['subsets']:,} random subsets of each size",
    }
    kind = certificate.wins[0]["how"]
    return f"Among subsets of these treebanks, {certificate.claim.a} wins {shares} ({how[kind]})."


def _losses(certificate: Certificate) -> str:
    if not certificate.families:
        return ""
    cluster, groups = certificate.cluster, KINDS[certificate.cluster][1]
    losing = [row for row in certificate.families if row["difference"] <= 0]
    if not losing:
        least = certificate.families[0]
        where = _units(certificate, f"all {groups}")
        return f"It leads in {where}, least in {least[cluster]} ({least['difference']:+.2f})."
    named = [f"{row[cluster]} ({row['difference']:+.2f})" for row in losing[:_NAMED]]
    if len(losing) > _NAMED:
        named.append(f"{len(losing) - _NAMED} more")
    units = "units" if certificate.unplaced else groups
    share = f"{len(losing)} of {len(certificate.families)} {units}"
    return f"It does not lead in {share}: {_listed(named)}."


def _flipped(certificate: Certificate) -> str:
    flip = certificate.flip
    if not flip.holds:
        return "The claim does not hold on these treebanks."
    if flip.removed is None and flip.swapped is None:
        return "No choice of treebanks would make the claim fail."
    parts = []
    if flip.removed is not None:
        few = some(flip.removed)
        parts.append(f"at least {len(flip.removed)} of the treebanks are removed ({few})")
    if flip.swapped is not None:
        swaps = some([f"{gone} for {come}" for gone, come in flip.swapped])
        parts.append(f"at least {len(flip.swapped)} of them are exchanged ({swaps})")
    single = len(flip.single)
    alone = f"it fails on {single} treebank{'' if single == 1 else 's'} taken alone"
    return f"The claim fails only if {' or '.join(parts)}; {alone}."


def _percent(row: dict[str, Any]) -> str:
    share = 100 * float(row["wins"])
    if share in {0.0, 100.0}:
        return "none" if share == 0 else "all"
    if share >= 99.995 or share < 0.005:
        return "> 99.99 %" if share > 50 else "< 0.01 %"
    return f"{share:.2f} %"


def _listed(parts: Sequence[str]) -> str:
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"
