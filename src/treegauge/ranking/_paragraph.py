"""A certificate in words."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from treegauge.ranking.certificate import Certificate

_PLURAL = {
    "genus": "genera",
    "stock": "stocks",
    "family": "families",
    "language": "languages",
    "resource": "resource classes",
}
_NAMED = 4


def paragraph(found: "Certificate") -> str:
    """Tell what a certificate holds in a few sentences."""
    parts = (_means(found), _tests(found), _subsets(found), _families(found), _flipped(found))
    return " ".join(part for part in parts if part)


def metric_name(metric: str) -> str:
    """Return a metric as papers write it.

    Examples
    --------
    >>> metric_name("las"), metric_name("lemmas"), metric_name("MLAS")
    ('LAS', 'lemmas', 'MLAS')
    """
    return metric.upper() if metric.islower() and len(metric) <= 4 else metric


def _means(found: "Certificate") -> str:
    a, b, mean = found.claim.a, found.claim.b, found.difference
    metric = metric_name(found.metric)
    compared = f"{a} scores {'higher' if mean.value > 0 else 'lower'} in {metric} than {b}"
    if mean.value == 0:
        compared = f"{a} and {b} score alike in {metric}"
    ties = f", equal on {found.equal}" if found.equal else ""
    error = ""
    if found.error_reduction is not None:
        error = f" (mean error reduction {found.error_reduction:.1f} %)"
    return (
        f"Over {found.treebanks} treebanks, {compared}: mean difference {mean.value:+.2f} points, "
        f"95 % interval {mean.low:+.2f} to {mean.high:+.2f}{error}. {a} is ahead on {found.ahead} "
        f"treebanks and behind on {found.behind}{ties}: probability of improvement "
        f"{found.improvement}."
    )


def _tests(found: "Certificate") -> str:
    grouped = ""
    if found.p_groups is not None:
        grouped = f"; over the means of {found.groups} {_PLURAL[found.by]}, {_p(found.p_groups)}"
    return (
        f"Paired tests over treebanks, two-sided: Wilcoxon signed-rank {_p(found.p_wilcoxon)} "
        f"(rank-biserial correlation {found.rank_biserial:.2f}{grouped}), sign test "
        f"{_p(found.p_sign)}, permutation of the mean {_p(found.p_permutation)}."
    )


def _subsets(found: "Certificate") -> str:
    shares = _listed([f"{_percent(row)} of size {row['size']}" for row in found.wins])
    how = {
        "exact": "all of them counted",
        "bounds": "all of them counted on a rounded grid, undecided ones not as wins",
        "sampled": f"{found.wins[0]['subsets']:,} random ones of each size",
    }
    kind = found.wins[0]["how"]
    return f"Of subsets of the treebanks, {found.claim.a} wins {shares} ({how[kind]})."


def _families(found: "Certificate") -> str:
    if not found.families:
        return ""
    by, groups = found.by, _PLURAL[found.by]
    losing = [row for row in found.families if row["difference"] <= 0]
    if not losing:
        least = found.families[0]
        return f"It leads in all {groups}, least in {least[by]} ({least['difference']:+.2f})."
    named = [f"{row[by]} ({row['difference']:+.2f})" for row in losing[:_NAMED]]
    if len(losing) > _NAMED:
        named.append(f"{len(losing) - _NAMED} more")
    share = f"{len(losing)} of {len(found.families)} {groups}"
    return f"It does not lead in {share}: {_listed(named)}."


def _flipped(found: "Certificate") -> str:
    flip = found.flip
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
    alone = f"on {single} treebank{'' if single == 1 else 's'} it fails alone"
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
