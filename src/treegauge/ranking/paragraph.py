"""The paragraph of a certificate, sentence by sentence."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from treegauge.core.tables import p_value_text
from treegauge.ranking.leaderboard import metric_name, some

if TYPE_CHECKING:
    from treegauge.ranking.certificate import Certificate

_PLURAL = {
    "genus": "genera", "stock": "stocks", "family": "families", "language": "languages",
    "resource": "resource classes",
}  # fmt: skip
_NAMED = 4


def paragraph(certificate: "Certificate") -> str:
    """Return the paragraph to paste into a paper."""
    parts = (_means, _wins, _tests, _margins, _subsets, _losses, _flipped)
    return " ".join(filter(None, (part(certificate) for part in parts)))


def _means(certificate: "Certificate") -> str:
    a, b, mean = certificate.claim.a, certificate.claim.b, certificate.difference
    metric = metric_name(certificate.metric)
    compared = f"{a} scores {'higher' if mean.value > 0 else 'lower'} in {metric} than {b}"
    if mean.value == 0:
        compared = f"{a} and {b} have the same mean {metric}"
    error = ""
    if certificate.error_reduction is not None:
        error = f" (mean error reduction {certificate.error_reduction:.1f} %)"
    first = (
        f"Over {certificate.treebanks} treebanks, {compared}: "
        f"mean difference {mean.value:+.2f} points"
    )
    level = f"{100 * mean.level:g} % interval"
    if certificate.detectable is None:
        return (
            f"{first}{error}; there are too few treebanks or families for an interval of the mean. "
            f"Median difference {certificate.median}."
        )
    return (
        f"{first}, {level} for other treebanks of these families {mean.reach}{error}; for one new "
        f"treebank of a new family {certificate.new.reach}. A mean difference of "
        f"{certificate.detectable:.2f} points could be detected with 80 % power."
    )


def _wins(certificate: "Certificate") -> str:
    ties = f", equal on {certificate.equal}" if certificate.equal else ""
    chance = certificate.improvement
    return (
        f"{certificate.claim.a} is ahead on {certificate.ahead} treebanks and behind on "
        f"{certificate.behind}{ties}: "
        f"probability of improvement {chance.value:.2f} "
        f"({100 * chance.level:g} % interval {chance.low:.2f} to {chance.high:.2f})."
    )


def _tests(certificate: "Certificate") -> str:
    (_, primary), *others = certificate.tests.items()
    units = f"{certificate.treebanks} treebanks as if they were independent"
    if others[0][0] == "wilcoxon":
        units = f"the means of {certificate.groups} {_PLURAL[certificate.by]}"
    names = {"wilcoxon": "signed-rank", "sign": "sign", "permutation": "permutation of the mean"}
    rest = ", ".join(f"{names[name]} {p_value_text(p)}" for name, p in others)
    return (
        f"Primary test (Wilcoxon signed-rank over {units}, two-sided): {p_value_text(primary)}. "
        f"Other tests, with treebanks as independent units: {rest} (rank-biserial correlation "
        f"{certificate.rank_biserial:.2f})."
    )


def _margins(certificate: "Certificate") -> str:
    if certificate.equivalence is None:
        return ""
    tested = certificate.equivalence
    same, not_worse, better = (
        p_value_text(tested[name]) for name in ("p_equivalent", "p_not_worse", "p_better")
    )
    return (
        f"Tests with a margin of {tested['margin']:g}: equivalence {same}, "
        f"non-inferiority of {certificate.claim.a} {not_worse}, superiority by "
        f"more than the margin {better}."
    )


def _subsets(certificate: "Certificate") -> str:
    shares = _listed([f"{_percent(row)} of size {row['size']}" for row in certificate.wins])
    how = {
        "exact": "exact counts over all subsets",
        "bounds": "counts over all subsets on a rounded grid, where undecided subsets are not wins",
        "sampled": f"{certificate.wins[0]['subsets']:,} random subsets of each size",
    }
    kind = certificate.wins[0]["how"]
    return f"Among subsets of these treebanks, {certificate.claim.a} wins {shares} ({how[kind]})."


def _losses(certificate: "Certificate") -> str:
    if not certificate.families:
        return ""
    by, groups = certificate.by, _PLURAL[certificate.by]
    losing = [row for row in certificate.families if row["difference"] <= 0]
    if not losing:
        least = certificate.families[0]
        return f"It leads in all {groups}, least in {least[by]} ({least['difference']:+.2f})."
    named = [f"{row[by]} ({row['difference']:+.2f})" for row in losing[:_NAMED]]
    if len(losing) > _NAMED:
        named.append(f"{len(losing) - _NAMED} more")
    share = f"{len(losing)} of {len(certificate.families)} {groups}"
    return f"It does not lead in {share}: {_listed(named)}."


def _flipped(certificate: "Certificate") -> str:
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
