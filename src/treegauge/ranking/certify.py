"""Say how far a claim "A is better than B" holds: one paragraph for a paper, and JSON."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from treegauge.core import tables
from treegauge.core.errors import ChoiceError, TreegaugeError
from treegauge.core.result import Result, countersign
from treegauge.core.verbs import verb
from treegauge.ranking.claims import Claim, Flip, flip, parse_claim
from treegauge.ranking.leaderboard import Leaderboard, metric_name
from treegauge.ranking.pairs import PairedEstimate, intervals, permutation, sign_test, wilcoxon
from treegauge.ranking.reading import READING, LeaderboardReading, leaderboard_of
from treegauge.ranking.sampler import GROUPINGS, Constraint, constraints_of, sizes_of

if TYPE_CHECKING:
    import polars as pl

Grouping = Literal["genus", "stock", "family", "language", "resource"]
_SIZES = (5, 10, 20, 40)
_PLURAL = {
    "genus": "genera", "stock": "stocks", "family": "families", "language": "languages",
    "resource": "resource classes",
}  # fmt: skip
_NAMED = 4


@dataclass(frozen=True, eq=False)
class Certificate(Result):
    """What there is to say for and against a claim.

    Attributes
    ----------
    claim
        A and B.
    metric, treebanks
        What was compared, and on how many treebanks.
    ahead, equal, behind
        Treebanks on which A is above, equal to, below B.
    difference, improvement
        Mean of A minus B, in points; probability that A is above B on a random treebank of these,
        ties half.
    rank_biserial
        Matched-pairs rank-biserial correlation: the signed-rank sums' difference over their sum,
        from -1 to 1.
    error_reduction
        Mean share of B's errors that A avoids, in percent; None where scores do not allow it.
    p_wilcoxon, p_sign, p_permutation
        Two-sided paired tests with treebanks as units: signed ranks, signs, mean difference.
    p_groups, groups
        The Wilcoxon test on one mean per group, and how many groups there are: treebanks of one
        language or family are not independent. None where groups are unknown.
    wins
        One row per size of subsets: share of subsets in which A wins, ties, loses; how it was
        found (``exact``, ``bounds`` or ``sampled``).
    families
        One row per group: treebanks, mean difference, and on how many A is ahead; least first.
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
    improvement: PairedEstimate
    rank_biserial: float
    error_reduction: float | None
    p_wilcoxon: float
    p_sign: float
    p_permutation: float
    p_groups: float | None
    groups: int | None
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
        """Return everything, the paragraph included."""
        plain = ("metric", "treebanks", "ahead", "equal", "behind")
        return {
            "claim": str(self.claim),
            "holds": self.holds,
            "text": self.text,
            **{name: getattr(self, name) for name in plain},
            "difference": dict(vars(self.difference)),
            "probability_of_improvement": dict(vars(self.improvement)),
            "rank_biserial": self.rank_biserial,
            "error_reduction": self.error_reduction,
            "tests": {
                "wilcoxon": self.p_wilcoxon,
                "sign": self.p_sign,
                "permutation": self.p_permutation,
                f"wilcoxon_by_{self.by}": self.p_groups,
            },
            "win_rates": list(self.wins),
            "families": list(self.families),
            "flip": self.flip.json_fields(),
        }

    @property
    def text(self) -> str:
        """One paragraph, meant to be pasted into a paper."""
        parts = (_means, _tests, _subsets, _losses, _flipped)
        return " ".join(filter(None, (part(self) for part in parts)))

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


@verb
def certify(
    *scores: Any,
    claim: str | Claim,
    subset: str | None = None,
    size: int | str | None = None,
    constraint: Sequence[str | Constraint] = (),
    samples: int = 100_000,
    by: Grouping = "genus",
    resamples: int = 10_000,
    level: float = 0.95,
    seed: int = 0,
    reading: LeaderboardReading = READING,
) -> Certificate:
    """Say what the claim that one system beats another rests on.

    One paragraph to paste into a paper: mean difference with its confidence interval, significance
    tests over treebanks, win rates over subsets of treebanks, the families that speak against the
    claim, and the fewest treebanks without which it would fail.

    Parameters
    ----------
    scores
        conll18, tables of scores, stores or results.
    claim
        The claim, such as "A > B".
    subset
        Only these treebanks: a named subset (such as Ma18) or codes with commas. What would make
        the claim fail then also looks at exchanges with other treebanks.
    size
        Sizes of subsets whose win rates to give: 10, 5-20 or 5,10,20; default: 5, 10, 20 and 40, or
        half the treebanks if there are few.
    constraint
        Bound subsets, such as language:1; win rates are then sampled. Without, all subsets are
        counted.
    samples
        Subsets of each size, if sampled.
    by
        Column whose groups are looked at one by one.
    resamples
        Bootstrap resamples of the intervals and permutations of the test.
    level
        Confidence level of the intervals.
    seed
        Same seed, same result.

    Examples
    --------
    >>> print(certify("conll18", claim="HIT-SCIR > Stanford").text[:89])
    Over 82 treebanks, HIT-SCIR scores higher in LAS than Stanford: mean difference +3.55 poi
    """
    from treegauge.ranking.subsets import restrict

    board = leaderboard_of(scores, reading)
    stated = parse_claim(board, claim)
    if by not in GROUPINGS:
        raise ChoiceError("column to group treebanks by", by, GROUPINGS)
    chosen = subset and restrict(board, subset, missing=reading.missing).treebanks
    pair = board.select(systems=[stated.a, stated.b], treebanks=chosen or None)
    held = len(pair.treebanks)
    usual = [k for k in _SIZES if k < held] or [(held + 1) // 2]
    sizes = sizes_of(usual if size is None else size, held)
    bounds = constraints_of(constraint)
    numbers, scale = pair.fixed_point()
    whole = numbers[0] - numbers[1]
    differences = whole / scale
    families = _families(pair, differences, by)
    means = np.array([row["difference"] for row in families])
    p_groups = wilcoxon(means)[0] if len(means) > 1 else None
    wins = _win_rates(pair, sizes, bounds, samples, seed)
    p_wilcoxon, biserial = wilcoxon(whole)
    interval = intervals(differences, resamples, seed, level)
    signature = countersign(
        pair.signature, claim=stated, constraints=",".join(map(str, bounds)) or None,
        samples=samples if bounds else None, by=by, resamples=resamples, level=level, seed=seed,
    )  # fmt: skip
    return Certificate(
        claim=stated, metric=board.metric, treebanks=held, ahead=int((whole > 0).sum()),
        equal=int((whole == 0).sum()), behind=int((whole < 0).sum()), difference=interval[0],
        improvement=interval[1], rank_biserial=biserial, error_reduction=_error_reduction(pair),
        p_wilcoxon=p_wilcoxon, p_sign=sign_test(whole),
        p_permutation=permutation(differences, resamples, seed), p_groups=p_groups,
        groups=len(means) if p_groups is not None else None, by=by, wins=wins, families=families,
        flip=flip(board, stated, subset=chosen or None), signature=signature,
    )  # fmt: skip


def _win_rates(
    pair: Leaderboard, sizes: Sequence[int], bounds: Sequence[Constraint], samples: int, seed: int
) -> tuple[dict[str, Any], ...]:
    """Return shares of subsets won, tied and lost: counted, or with bounds sampled."""
    from treegauge.ranking.exact import exact_ranks
    from treegauge.ranking.stability import stability

    rows = []
    counted = None if bounds else exact_ranks(pair, size=sizes)
    for size in sizes:
        if counted is not None:
            how = "bounds" if counted.coarse or counted.rounding else "exact"
            total = counted.subsets(size)
            counts: Sequence[int] = counted.count(pair.systems[0], pair.systems[1], size)
        else:
            how, total = "sampled", samples
            ranks = stability(pair, size=size, samples=samples, seed=seed, constraints=bounds)
            counts = [int(n) for n in (ranks.above[0, 1], ranks.tied[0, 1], ranks.above[1, 0])]
        shares = zip(("wins", "ties", "losses"), (n / total for n in counts), strict=True)
        rows.append({"size": size, **dict(shares), "subsets": total, "how": how})
    return tuple(rows)


def _families(
    pair: Leaderboard, differences: NDArray[np.float64], by: str
) -> tuple[dict[str, Any], ...]:
    values = pair.metadata[by].to_list()
    rows = []
    for name in sorted({value for value in values if value is not None}):
        inside = differences[[value == name for value in values]]
        mean, ahead = round(float(inside.mean()), 12), int((inside > 0).sum())
        rows.append({by: name, "treebanks": len(inside), "difference": mean, "ahead": ahead})
    return tuple(sorted(rows, key=lambda row: (row["difference"], row[by])))


def _error_reduction(pair: Leaderboard) -> float | None:
    from treegauge.ranking.subsets import error_reduction

    try:
        return error_reduction(pair.values[1], pair.values[0])
    except TreegaugeError:
        return None


def _means(made: Certificate) -> str:
    a, b, mean = made.claim.a, made.claim.b, made.difference
    metric = metric_name(made.metric)
    compared = f"{a} scores {'higher' if mean.value > 0 else 'lower'} in {metric} than {b}"
    if mean.value == 0:
        compared = f"{a} and {b} score alike in {metric}"
    ties = f", equal on {made.equal}" if made.equal else ""
    error = ""
    if made.error_reduction is not None:
        error = f" (mean error reduction {made.error_reduction:.1f} %)"
    return (
        f"Over {made.treebanks} treebanks, {compared}: mean difference {mean.value:+.2f} points, "
        f"{100 * mean.level:g} % interval {mean.low:+.2f} to {mean.high:+.2f}{error}. {a} is ahead "
        f"on {made.ahead} treebanks and behind on {made.behind}{ties}: probability of improvement "
        f"{made.improvement}."
    )


def _tests(made: Certificate) -> str:
    grouped = ""
    if made.p_groups is not None:
        grouped = f"; over the means of {made.groups} {_PLURAL[made.by]}, {_p(made.p_groups)}"
    return (
        "Paired significance tests over treebanks, two-sided: Wilcoxon signed-rank "
        f"{_p(made.p_wilcoxon)} (rank-biserial correlation {made.rank_biserial:.2f}{grouped}), "
        f"sign test {_p(made.p_sign)}, permutation of the mean {_p(made.p_permutation)}."
    )


def _subsets(made: Certificate) -> str:
    shares = _listed([f"{_percent(row)} of size {row['size']}" for row in made.wins])
    how = {
        "exact": "all of them counted",
        "bounds": "all of them counted on a rounded grid, undecided ones not as wins",
        "sampled": f"{made.wins[0]['subsets']:,} random ones of each size",
    }
    kind = made.wins[0]["how"]
    return f"Of subsets of the treebanks, {made.claim.a} wins {shares} ({how[kind]})."


def _losses(made: Certificate) -> str:
    if not made.families:
        return ""
    by, groups = made.by, _PLURAL[made.by]
    losing = [row for row in made.families if row["difference"] <= 0]
    if not losing:
        least = made.families[0]
        return f"It leads in all {groups}, least in {least[by]} ({least['difference']:+.2f})."
    named = [f"{row[by]} ({row['difference']:+.2f})" for row in losing[:_NAMED]]
    if len(losing) > _NAMED:
        named.append(f"{len(losing) - _NAMED} more")
    share = f"{len(losing)} of {len(made.families)} {groups}"
    return f"It does not lead in {share}: {_listed(named)}."


def _flipped(made: Certificate) -> str:
    flip = made.flip
    if not flip.holds:
        return "The claim does not hold on these treebanks."
    if flip.removed is None and flip.swapped is None:
        return "No choice of treebanks would make the claim fail."
    parts = []
    if flip.removed is not None:
        few = _some(flip.removed)
        parts.append(f"without {len(flip.removed)} of the treebanks ({few}) and no fewer")
    if flip.swapped is not None:
        swaps = _some([f"{gone} for {come}" for gone, come in flip.swapped])
        parts.append(f"with {len(flip.swapped)} of them exchanged ({swaps})")
    single = len(flip.single)
    alone = f"it fails on {single} treebank{'' if single == 1 else 's'} taken alone"
    return f"The claim would fail {' or '.join(parts)}; {alone}."


def _some(names: Sequence[str]) -> str:
    return ", ".join(names[:_NAMED]) + (", ..." if len(names) > _NAMED else "")


def _p(value: float) -> str:
    return "p < 0.0001" if value < 1e-4 else f"p = {value:.2g}"


def _percent(row: dict[str, Any]) -> str:
    share = 100 * float(row["wins"])
    if share in {0.0, 100.0}:
        return "none" if share == 0 else "all"
    if share >= 99.995 or share < 0.005:
        return "> 99.99 %" if share > 50 else "< 0.01 %"
    return f"{share:.2f} %"


def _listed(parts: Sequence[str]) -> str:
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"
