"""One call for all checks of a treebank."""

from collections.abc import Callable, Iterator, Mapping

from treegauge.auditing.chance import check_splits
from treegauge.auditing.duplicates import check_duplicates
from treegauge.auditing.findings import LEVELS, Audit, Finding
from treegauge.auditing.layers import check_labels, check_layers, check_lengths, check_parts
from treegauge.results.result import sign
from treegauge.statistics.checks import check_whole
from treegauge.treebanks.columns import Treebank

Check = Callable[[Mapping[str, Treebank]], Iterator[Finding]]
CHECKS: dict[str, Check] = {
    "parts": check_parts,
    "duplicates": check_duplicates,
    "layers": check_layers,
    "lengths": check_lengths,
    "labels": check_labels,
}


def audit(
    parts: Mapping[str, Treebank], *, name: str = "treebank", draws: int = 999, seed: int = 0
) -> Audit:
    """Look for what makes scores on a treebank mislead.

    Parameters
    ----------
    parts
        ``train``, ``dev`` and ``test``, those that are there; see
        :func:`treegauge.treebanks.conllu.read_splits`.
    name
        The treebank's name.
    draws
        Random splits that each real one is compared with; 0 leaves that out.
    seed
        Same seed, same p-values.

    Returns
    -------
    Audit
        Findings, the gravest first.
    """
    check_whole("seed", seed)
    check_whole("draws", draws)
    found = [finding for check in CHECKS.values() for finding in check(parts)]
    if draws:
        found += check_splits(parts, draws=draws, seed=seed)
    found.sort(key=lambda finding: LEVELS.index(finding.level))
    signature = sign(audit=name, parts="+".join(parts), draws=draws, seed=seed)
    return Audit(name, tuple(found), signature)
