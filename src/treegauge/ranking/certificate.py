"""How far a claim "A is better than B" holds: one paragraph for a paper, and JSON."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from treegauge.ranking._paired import Estimate, intervals, permutation, sign_test, wilcoxon
from treegauge.ranking.claims import Claim, Flip, flip, parse_claim
from treegauge.ranking.scores import Scores
from treegauge.ranking.subsets import Constraint, constraints_of, sizes_of
from treegauge.results import tables
from treegauge.results.errors import ChoiceError, TreegaugeError
from treegauge.results.result import Result

if TYPE_CHECKING:
    import polars as pl

_SIZES = (5, 10, 20, 40)
GROUPS = ("genus", "stock", "family", "language", "resource")


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
    difference
        Mean of A minus B, in points.
    improvement
        Probability that A is above B on a random treebank of these, ties half.
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
    signature
        All choices, in one line.
    """

    claim: Claim
    metric: str
    treebanks: int
    ahead: int
    equal: int
    behind: int
    difference: Estimate
    improvement: Estimate
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
    digits: ClassVar[int] = 4

    @property
    def table(self) -> "pl.DataFrame":
        """Win rates by size of subsets."""
        import polars as pl

        return pl.DataFrame(list(self.wins), infer_schema_length=None)

    @property
    def holds(self) -> bool:
        """Whether A's mean over all treebanks is above B's."""
        return self.flip.holds

    def to_dict(self) -> dict[str, Any]:
        """Return everything, the paragraph included."""
        return {
            "signature": self.signature,
            "claim": str(self.claim),
            "holds": self.holds,
            "text": self.text,
            "metric": self.metric,
            "treebanks": self.treebanks,
            "ahead": self.ahead,
            "equal": self.equal,
            "behind": self.behind,
            "difference": dict(self.difference.__dict__),
            "probability_of_improvement": dict(self.improvement.__dict__),
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
            "flip": self.flip.to_dict(),
        }

    @property
    def text(self) -> str:
        """One paragraph, meant to be pasted into a paper."""
        from treegauge.ranking._paragraph import paragraph

        return paragraph(self)

    def __str__(self) -> str:
        return f"{self.text}\n[{self.signature}]"

    def to_html(self) -> str:
        """Return the paragraph and the table."""
        from html import escape

        return f"<p>{escape(self.text)}</p>\n{super().to_html()}"

    def to_latex(self) -> str:
        """Return the paragraph, its signature as a comment."""
        return f"% {self.signature}\n{tables.latex(self.text)}"


def certify(
    scores: Scores,
    claim: str | Claim,
    *,
    subset: Sequence[str] | None = None,
    size: int | str | Iterable[int] | None = None,
    constraints: Iterable[str | Constraint] = (),
    samples: int = 100_000,
    by: str = "genus",
    resamples: int = 10_000,
    seed: int = 0,
) -> Certificate:
    """Say how far a claim holds.

    Parameters
    ----------
    scores
        The table.
    claim
        Such as ``"HIT-SCIR > Stanford"``.
    subset
        Only these treebanks; what would flip the claim then also looks at exchanges with others.
    size
        Sizes of subsets whose win rates to give; default: 5, 10, 20 and 40, or half the
        treebanks if there are few.
    constraints
        Bounds on the subsets, such as ``"language:1"``. Win rates are then sampled; without, all
        subsets are counted.
    samples
        Subsets to draw for each size if they have to be sampled.
    by
        Column whose groups are looked at one by one: ``genus``, ``stock``, ``family``,
        ``language`` or ``resource``.
    resamples
        Resamples of the intervals and permutations of the test.
    seed
        Same seed, same certificate.

    Examples
    --------
    >>> from treegauge.ranking.scores import read_scores
    >>> found = certify(read_scores("conll18"), "HIT-SCIR > Stanford")
    >>> print(found.text[:89])
    Over 82 treebanks, HIT-SCIR scores higher in LAS than Stanford: mean difference +3.55 poi
    """
    stated = parse_claim(scores, claim)
    if by not in GROUPS:
        raise ChoiceError("column to group treebanks by", by, GROUPS)
    pair = scores.select(systems=[stated.a, stated.b], treebanks=subset)
    held = len(pair.treebanks)
    usual = [k for k in _SIZES if k < held] or [(held + 1) // 2]
    sizes = sizes_of(usual if size is None else size, held)
    bounds = constraints_of(constraints)
    numbers, scale = pair.fixed_point()
    whole = numbers[0] - numbers[1]
    differences = whole / scale
    families = _families(pair, differences, by)
    means = np.array([row["difference"] for row in families])
    p_groups = wilcoxon(means)[0] if len(means) > 1 else None
    drawn = bool(bounds)
    wins = _sampled(pair, sizes, bounds, samples, seed) if drawn else _counted(pair, sizes)
    p_wilcoxon, biserial = wilcoxon(whole)
    interval = intervals(differences, resamples, seed)
    limits = f"|constraints:{','.join(map(str, bounds))}|samples:{samples}" if drawn else ""
    return Certificate(
        claim=stated,
        metric=scores.metric,
        treebanks=held,
        ahead=int((whole > 0).sum()),
        equal=int((whole == 0).sum()),
        behind=int((whole < 0).sum()),
        difference=interval[0],
        improvement=interval[1],
        rank_biserial=biserial,
        error_reduction=_error_reduction(pair),
        p_wilcoxon=p_wilcoxon,
        p_sign=sign_test(whole),
        p_permutation=permutation(differences, resamples, seed),
        p_groups=p_groups,
        groups=len(means) if p_groups is not None else None,
        by=by,
        wins=wins,
        families=families,
        flip=flip(scores, stated, subset=subset),
        signature=f"{pair.signature}|claim:{stated}{limits}|by:{by}|"
        f"resamples:{resamples}|seed:{seed}",
    )


def _counted(pair: Scores, sizes: tuple[int, ...]) -> tuple[dict[str, Any], ...]:
    from treegauge.ranking.exact import exact

    found = exact(pair, size=sizes)
    how = "bounds" if found.coarse or found.rounding else "exact"
    rows = []
    for size in sizes:
        won, tied, lost = found.count(pair.systems[0], pair.systems[1], size)
        total = found.subsets(size)
        shares = {"wins": won / total, "ties": tied / total, "losses": lost / total}
        rows.append({"size": size, **shares, "subsets": total, "how": how})
    return tuple(rows)


def _sampled(
    pair: Scores,
    sizes: tuple[int, ...],
    constraints: tuple[Constraint, ...],
    samples: int,
    seed: int,
) -> tuple[dict[str, Any], ...]:
    from treegauge.ranking.stability import stability

    rows = []
    for size in sizes:
        found = stability(pair, size=size, samples=samples, seed=seed, constraints=constraints)
        won, tied, lost = (int(x) for x in (found.above[0, 1], found.tied[0, 1], found.above[1, 0]))
        shares = {"wins": won / samples, "ties": tied / samples, "losses": lost / samples}
        rows.append({"size": size, **shares, "subsets": samples, "how": "sampled"})
    return tuple(rows)


def _families(
    pair: Scores, differences: NDArray[np.float64], by: str
) -> tuple[dict[str, Any], ...]:
    values = pair.metadata[by].to_list()
    rows = []
    for name in sorted({value for value in values if value is not None}):
        inside = differences[[value == name for value in values]]
        rows.append(
            {
                by: name,
                "treebanks": len(inside),
                "difference": round(float(inside.mean()), 12),
                "ahead": int((inside > 0).sum()),
            }
        )
    return tuple(sorted(rows, key=lambda row: (row["difference"], row[by])))


def _error_reduction(pair: Scores) -> float | None:
    from treegauge.ranking.reduction import error_reduction

    try:
        return error_reduction(pair.values[1], pair.values[0])
    except TreegaugeError:
        return None
