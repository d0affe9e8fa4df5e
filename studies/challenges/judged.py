"""How far means over other treebanks may differ from printed ones by chance."""

from math import erfc, sqrt
from typing import NamedTuple

from studies.challenges.printed import TREEBANKS
from studies.verdicts import Why


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


def by_chance(mean: Mean, printed: str, margin: float = 2.0) -> Why:
    """Return how often samples of treebanks differ as much, with the interval of ours and a margin.

    Examples
    --------
    >>> why = by_chance(Mean(62.6, 1.9, 28), "59.0")
    >>> str(why), why.state_of("59.0")
    ('samples of 28 and of 56 treebanks differ as much with p = 0.12', 'inconclusive')
    """
    p = chance(mean, printed)
    if p is None or mean.error is None:
        return Why("too few treebanks for an interval")
    reach = 1.96 * mean.error * sqrt(1 + mean.number / TREEBANKS)
    text = f"samples of {mean.number} and of {TREEBANKS} treebanks differ as much with p = {p:.2g}"
    return Why(text, least=mean.value - reach, most=mean.value + reach, margin=margin)
