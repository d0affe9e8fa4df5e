"""The paragraph of a certificate, sentence by sentence."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from treegauge.ranking.leaderboard import metric_name, some

if TYPE_CHECKING:
    from treegauge.ranking.certify import Certificate

_PLURAL = {
    "genus": "genera", "stock": "stocks", "family": "families", "language": "languages",
    "resource": "resource classes",
}  # fmt: skip
_NAMED = 4


def paragraph(made: "Certificate") -> str:
    """Return one paragraph, meant to be pasted into a paper."""
    parts = (_means, _wins, _tests, _margins, _subsets, _losses, _flipped)
    return " ".join(filter(None, (part(made) for part in parts)))


def _means(made: "Certificate") -> str:
    a, b, mean = made.claim.a, made.claim.b, made.difference
    metric = metric_name(made.metric)
    compared = f"{a} scores {'higher' if mean.value > 0 else 'lower'} in {metric} than {b}"
    if mean.value == 0:
        compared = f"{a} and {b} score alike in {metric}"
    error = ""
    if made.error_reduction is not None:
        error = f" (mean error reduction {made.error_reduction:.1f} %)"
    first = f"Over {made.treebanks} treebanks, {compared}: mean difference {mean.value:+.2f} points"
    level = f"{100 * mean.level:g} % interval"
    if made.detectable is None:
        return (
            f"{first}{error}; there are too few treebanks or families for an interval of the mean. "
            f"Median difference {made.median}."
        )
    return (
        f"{first}, {level} for other treebanks of these families {mean.reach}{error}; for one new "
        f"treebank of a new family {made.new.reach}. A mean difference of {made.detectable:.2f} "
        "points could be detected with 80 % power."
    )


def _wins(made: "Certificate") -> str:
    ties = f", equal on {made.equal}" if made.equal else ""
    chance = made.improvement
    return (
        f"{made.claim.a} is ahead on {made.ahead} treebanks and behind on {made.behind}{ties}: "
        f"probability of improvement {chance.value:.2f} "
        f"({100 * chance.level:g} % interval {chance.low:.2f} to {chance.high:.2f})."
    )


def _tests(made: "Certificate") -> str:
    (_, primary), *others = made.tests.items()
    units = f"{made.treebanks} treebanks as if they were independent"
    if others[0][0] == "wilcoxon":
        units = f"the means of {made.groups} {_PLURAL[made.by]}"
    names = {"wilcoxon": "signed-rank", "sign": "sign", "permutation": "permutation of the mean"}
    rest = ", ".join(f"{names[name]} {_p(p)}" for name, p in others)
    return (
        f"Primary test (Wilcoxon signed-rank over {units}, two-sided): {_p(primary)}. Other tests, "
        f"with treebanks as independent units: {rest} (rank-biserial correlation "
        f"{made.rank_biserial:.2f})."
    )


def _margins(made: "Certificate") -> str:
    if made.equivalence is None:
        return ""
    tested = made.equivalence
    return (
        f"Tests with a margin of {tested['margin']:g}: equivalent {_p(tested['p_equivalent'])}, "
        f"{made.claim.a} not worse {_p(tested['p_not_worse'])}, better by more than the margin "
        f"{_p(tested['p_better'])}."
    )


def _subsets(made: "Certificate") -> str:
    shares = _listed([f"{_percent(row)} of size {row['size']}" for row in made.wins])
    how = {
        "exact": "all of them counted",
        "bounds": "all of them counted on a rounded grid, undecided ones not as wins",
        "sampled": f"{made.wins[0]['subsets']:,} random ones of each size",
    }
    kind = made.wins[0]["how"]
    return f"Of subsets of the treebanks, {made.claim.a} wins {shares} ({how[kind]})."


def _losses(made: "Certificate") -> str:
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


def _flipped(made: "Certificate") -> str:
    flip = made.flip
    if not flip.holds:
        return "The claim does not hold on these treebanks."
    if flip.removed is None and flip.swapped is None:
        return "No choice of treebanks would make the claim fail."
    parts = []
    if flip.removed is not None:
        few = some(flip.removed)
        parts.append(f"without {len(flip.removed)} of the treebanks ({few}) and no fewer")
    if flip.swapped is not None:
        swaps = some([f"{gone} for {come}" for gone, come in flip.swapped])
        parts.append(f"with {len(flip.swapped)} of them exchanged ({swaps})")
    single = len(flip.single)
    alone = f"it fails on {single} treebank{'' if single == 1 else 's'} taken alone"
    return f"The claim would fail {' or '.join(parts)}; {alone}."


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
