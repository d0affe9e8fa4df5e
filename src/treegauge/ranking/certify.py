"""Report the evidence for a claim "A is better than B": a paragraph for a paper, and JSON."""

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from treegauge.core.errors import ChoiceError, TreegaugeError
from treegauge.core.lazy import scipy
from treegauge.core.result import countersign
from treegauge.core.verbs import verb
from treegauge.ranking.certificate import Certificate, PairedEstimate
from treegauge.ranking.claims import Claim, flip, parse_claim
from treegauge.ranking.leaderboard import Leaderboard, metric_name
from treegauge.ranking.metadata import units_of
from treegauge.ranking.reading import READING, LeaderboardReading, leaderboard_of
from treegauge.ranking.stability.named_subsets import GROUPINGS, Constraint, constraints_of
from treegauge.ranking.stability.sampler import sizes_of
from treegauge.scoring.verdicts import error_reduction, table_verdict, treebank_verdict, unit_test
from treegauge.statistics.hierarchy import hierarchy
from treegauge.statistics.planning import detectable_difference, equivalence, margin_claims, signed_rank_difference
from treegauge.statistics.student_intervals import StudentEstimate, median_interval, signed_rank, wilson
from treegauge.statistics.units import LEAST_GROUPED

Grouping = Literal["genus", "stock", "family", "language", "resource"]
_SIZES = (5, 10, 20, 40)
PERMUTATIONS = 10_000


@verb(limits={"subsets": (1, 10**8)})
def certify(
    *scores: Any,
    claim: str | Claim,
    treebanks: Sequence[str] = (),
    size: int | str | None = None,
    constraint: Sequence[str | Constraint] = (),
    subsets: int = 100_000,
    cluster: Grouping = "genus",
    margin: float | None = None,
    level: float = 0.95,
    seed: int = 0,
    reading: LeaderboardReading = READING,
) -> Certificate:
    """Report the evidence for the claim that one system beats another.

    One paragraph to paste into a paper: mean difference with its confidence interval, one primary
    significance test, win rates over subsets of treebanks, the families in which the claim fails,
    and the smallest number of treebanks without which it would fail.

    Parameters
    ----------
    claim
        The claim, such as "A > B".
    treebanks
        Only these treebanks: a named subset (such as Ma18) or codes separated by commas. The search
        for changes that make the claim fail then also tries other treebanks.
    size
        Sizes of subsets for win rates: 10, 5-20 or 5,10,20. Default: 5, 10, 20 and 40, or half of
        the treebanks if there are few.
    constraint
        Constraint on subsets, such as language:1; win rates are then sampled. Without a constraint,
        all subsets are counted.
    subsets
        The number of random subsets of each size, if they are sampled.
    cluster
        Column that groups treebanks: intervals leave out one group at a time, and the primary test
        uses one value per group. A treebank whose group is unknown is a group of its own.
    margin
        Margin in points for tests of equivalence, non-inferiority and superiority.

    Examples
    --------
    >>> print(certify("conll18", claim="HIT-SCIR > Stanford").text[94:174])
    On new treebanks: yes, HIT-SCIR is better than Stanford by 3.55 LAS points (95 %
    """
    from treegauge.ranking.stability.named_subsets import restrict

    board = leaderboard_of(scores, reading)
    stated = parse_claim(board, claim)
    if cluster not in GROUPINGS:
        raise ChoiceError("column of clusters", cluster, GROUPINGS)
    if margin is not None and margin <= 0:
        raise TreegaugeError(f"margin {margin}: expected more than 0 points")
    chosen = restrict(board, treebanks, missing=reading.missing).treebanks if treebanks else ()
    pair = board.select(systems=[stated.a, stated.b], treebanks=chosen or None)
    total = len(pair.treebanks)
    usual = [k for k in _SIZES if k < total] or [(total + 1) // 2]
    sizes = sizes_of(usual if size is None else size, total)
    bounds = constraints_of(constraint)
    numbers, scale = pair.fixed_point()
    whole = numbers[0] - numbers[1]
    differences = whole / scale
    units = units_of(pair, cluster)
    tested = unit_test(units, differences, cluster)
    families = tested.rows
    model = hierarchy(differences, units.names)
    ranked = signed_rank(whole)
    tests = {"wilcoxon": ranked.p_value, "sign": sign_test(whole),
             "permutation": permutation(differences, PERMUTATIONS, seed)}  # fmt: skip
    if families and tested.p_value is not None:
        tests = {f"wilcoxon_by_{cluster}": tested.p_value, **tests}
    metric = metric_name(board.metric)
    known = bool(np.isfinite(model.alike.standard_error))
    better = float((1 + np.sign(whole)).sum() / 2)
    claims = margin_claims(*_parts(model.alike), margin) if known and margin else {}
    answer = treebank_verdict(
        stated.a, stated.b, differences, units, metric, by=cluster, level=level, test=tested, margin=margin,
        claims={name: float(p) for name, p in claims.items()},
    )  # fmt: skip
    chances, middle = wilson(better, total, level), median_interval(differences, level)
    signature = countersign(
        pair.signature, claim=stated, constraints=",".join(map(str, bounds)) or None,
        subsets=subsets if bounds else None,
        units=cluster if len(families) >= LEAST_GROUPED else "treebanks",
        margin=margin, permutations=PERMUTATIONS, level=level, seed=seed,
    )  # fmt: skip
    return Certificate(
        claim=stated, metric=board.metric, treebanks=total, ahead=int((whole > 0).sum()),
        equal=int((whole == 0).sum()), behind=int((whole < 0).sum()),
        difference=_estimate(model.alike, level), new=_estimate(model.new, level),
        median=_paired(np.median(differences), middle, level),
        detectable=_detectable(model.alike, families, level),
        improvement=_paired(better / total, chances, level),
        rank_biserial=ranked.correlation, error_reduction=error_reduction(*map(float, pair.values.mean(axis=1))),
        tests=tests, primary=next(iter(tests)) if tested.p_value is not None else None,
        verdicts=(table_verdict(stated.a, stated.b, float(differences.mean()), metric), answer),
        equivalence=_equivalence(model.alike, margin, answer.words) if known and margin else None,
        groups=len(families) or None, unplaced=units.unplaced, cluster=cluster,
        wins=_win_rates(pair, sizes, bounds, subsets, seed),
        families=families, flip=flip(board, stated, subset=chosen or None), signature=signature,
    )  # fmt: skip


def _estimate(estimate: StudentEstimate, level: float) -> PairedEstimate:
    known = np.isfinite(estimate.standard_error)
    return _paired(estimate.value, estimate.interval(level) if known else None, level)


def _detectable(alike: StudentEstimate, families: Sequence[dict[str, Any]], level: float) -> float | None:
    """Return the mean difference detectable with 80 % power; with few treebanks, by the primary test."""
    if np.isfinite(alike.standard_error):
        return float(detectable_difference(alike.standard_error, alike.df, level=level))
    if len(families) < LEAST_GROUPED:
        return None
    means, number = [row["difference"] for row in families], len(families)
    least = signed_rank_difference(float(np.std(means, ddof=1)), number, pilot=number - 1, level=level)
    return least if np.isfinite(least) else None


def _paired(value: Any, ends: tuple[Any, Any] | None, level: float) -> PairedEstimate:
    low, high = (None, None) if ends is None else map(float, ends)
    return PairedEstimate(float(value), low, high, level)


def _parts(estimate: StudentEstimate) -> tuple[Any, Any, Any]:
    return estimate.value, estimate.standard_error, estimate.df


def _equivalence(estimate: StudentEstimate, margin: float, words: str) -> dict[str, Any]:
    """Return p-values of claims with a margin, twice the one-sided ones, and the verdict in words."""
    claims, better = margin_claims(*_parts(estimate), margin), equivalence(*_parts(estimate), margin).p_better
    p_values = {"p_equivalent": float(claims["p_equivalent"]), "p_not_worse": float(claims["p_a_not_worse"])}
    return {"margin": margin, **p_values, "p_better": min(2 * float(better), 1.0), "verdict": words}


def sign_test(differences: NDArray[Any]) -> float:
    """Return the two-sided p-value of the sign test; zeros are left out."""
    ahead, behind = int((differences > 0).sum()), int((differences < 0).sum())
    return float(scipy.stats.binomtest(ahead, ahead + behind).pvalue) if ahead + behind else 1.0


def permutation(differences: NDArray[np.float64], resamples: int, seed: int) -> float:
    """Return the two-sided p-value of the mean difference under random sign changes."""
    from treegauge.statistics.permutation import paired_permutation

    a, treebanks = differences[:, None], len(differences)
    compared = paired_permutation(a, np.zeros_like(a), lambda sums: sums / treebanks, permutations=resamples, seed=seed)
    return float(compared.p_value[0])


def _win_rates(
    pair: Leaderboard, sizes: Sequence[int], bounds: Sequence[Constraint], subsets: int, seed: int
) -> tuple[dict[str, Any], ...]:
    """Return shares of subsets won, tied and lost: counted, or sampled if there are constraints."""
    from treegauge.ranking.stability.exact_win_rates import exact_ranks
    from treegauge.ranking.stability.win_rates import stability

    rows = []
    counted = None if bounds else exact_ranks(pair, size=sizes)
    for size in sizes:
        if counted is not None:
            how = "bounds" if counted.coarse or counted.rounding else "exact"
            total = counted.subsets(size)
            counts: Sequence[int] = counted.count(pair.systems[0], pair.systems[1], size)
        else:
            ranks = stability(pair, size=size, subsets=subsets, seed=seed, constraints=bounds)
            total = ranks.samples
            how = "sampled" if ranks.sampler.complete is None else "exact"
            counts = [int(n) for n in (ranks.above[0, 1], ranks.tied[0, 1], ranks.above[1, 0])]
        shares = zip(("wins", "ties", "losses"), (n / total for n in counts), strict=True)
        rows.append({"size": size, **dict(shares), "subsets": total, "how": how})
    return tuple(rows)
