"""Checks whether other treebanks, or another reading of the paper, explain a difference."""

from collections.abc import Mapping
from math import erfc, sqrt
from typing import NamedTuple

from studies.challenges.printed import TREEBANKS

XPOS = "MSTParser reads XPOS for UPOS"
SMALL = "treebanks with fewer than 30 words of the class count too"
MOVED = "UDPipe's treebanks move it as far as they move BEAM"


class Mean(NamedTuple):
    """A mean over treebanks, its standard error and the number of treebanks run."""

    value: float
    error: float | None
    number: int


def chance(mean: Mean, printed: str) -> float | None:
    r"""Return how often samples of treebanks differ as much as two means do, by chance.

    .. math:: z = (\bar x - \bar y) / (s \sqrt{1 + n / 56})

    where s is the standard error of our mean over n treebanks; the paper's 56 are taken to vary as
    much as ours.

    Examples
    --------
    >>> round(chance(Mean(62.6, 1.9, 28), "59.0"), 2)
    0.12
    """
    if mean.error is None:
        return None
    width = mean.error * sqrt(1 + mean.number / TREEBANKS)
    return erfc(abs(mean.value - float(printed)) / width / sqrt(2))


def by_chance(mean: Mean, printed: str, readings: Mapping[str, Mean | None] | None = None) -> str:
    """Say why a mean differs from a printed one: other treebanks, another reading, or not known.

    `readings` are the same mean by other readings of the paper, by what they say.

    Examples
    --------
    >>> by_chance(Mean(62.6, 1.9, 28), "59.0")
    'other treebanks: samples of 28 and of 56 differ this much by chance with p = 0.12'
    >>> by_chance(Mean(65, 1.9, 28), "53", {XPOS: Mean(54, 2, 28)})
    'another reading: 54.0 if MSTParser reads XPOS for UPOS (p = 0.68)'
    """
    p = chance(mean, printed)
    if p is None:
        return "too few treebanks for an interval"
    if p > 0.05:
        samples = f"samples of {mean.number} and of {TREEBANKS}"
        return f"other treebanks: {samples} differ this much by chance with p = {p:.2g}"
    tried = {name: other for name, other in (readings or {}).items() if other}
    for name, other in tried.items():
        again = chance(other, printed)
        if again is not None and again > 0.05:
            return f"another reading: {other.value:.1f} if {name} (p = {again:.2g})"
    listed = "; ".join(f"{other.value:.1f} if {name}" for name, other in tried.items())
    return f"unexplained: as much by chance with p = {p:.2g}; tried: samples of training; {listed}"
