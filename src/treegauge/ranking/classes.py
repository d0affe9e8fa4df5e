"""Classes of treebanks, and the chance that a random subset has so many of one."""

from collections.abc import Mapping, Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from treegauge.ranking.scores import Scores
from treegauge.results.errors import ChoiceError

COLUMNS = ("stock", "genus", "resource", "tokens", "language", "treebank")
_EXACT = 5_000


def tail(found: int, *, population: int, members: int, size: int, subsets: int = 1) -> float:
    r"""Return the chance that random subsets have at least so many members of a class.

    .. math:: P(X \ge x) = \sum_{i \ge x} \binom{K}{i} \binom{N - K}{n - i} / \binom{N}{n}

    for one subset; for several, X is the sum of as many independent such numbers.

    Parameters
    ----------
    found
        Members of the class in the subsets, added up.
    population, members, size
        Treebanks in all (N), those of the class (K), treebanks per subset (n).
    subsets
        How many subsets. The distribution of the sum is exact up to a total of 5,000 treebanks in
        the subsets. Beyond, it is taken as normal: a tail of 0.001 or more is then within a tenth
        of the exact one, a smaller one right in its order of magnitude at best.

    Examples
    --------
    Six or more of 17 Slavic treebanks among 10 of 82:

    >>> round(tail(6, population=82, members=17, size=10), 5)
    0.00434

    Fragility prints 0.00043 for this, which is the chance of seven or more (0.000421), rounded up.
    """
    if found <= 0:
        return 1.0
    from scipy.stats import hypergeom, norm

    one = hypergeom(population, members, size)
    if subsets == 1:
        return float(one.sf(found - 1))
    if size * subsets <= _EXACT:
        sums = _sum_of(population, members, size, subsets)
        return float(min(sums[found:].sum(), 1.0))
    centre, spread = subsets * one.mean(), np.sqrt(subsets * one.var())
    return float(norm.sf(found - 0.5, centre, spread)) if spread > 0 else float(found <= centre)


@lru_cache(maxsize=256)
def _sum_of(population: int, members: int, size: int, subsets: int) -> NDArray[np.float64]:
    """Return the distribution of a sum of hypergeometric numbers, by repeated squaring.

    Only positive numbers are added and multiplied, so that small tails are as accurate as large.
    """
    from scipy.stats import hypergeom

    power = np.asarray(hypergeom(population, members, size).pmf(np.arange(size + 1)))
    result = np.ones(1)
    while subsets:
        if subsets & 1:
            result = np.convolve(result, power)
        subsets >>= 1
        if subsets:
            power = np.convolve(power, power)
    return result


def classes_of(
    scores: Scores,
    by: Sequence[str] = ("stock", "genus", "resource", "tokens"),
    own: Mapping[str, Sequence[str]] | None = None,
) -> dict[str, NDArray[np.bool_]]:
    """Return classes of treebanks as masks over the columns of a score table.

    Parameters
    ----------
    scores
        The table, with its metadata.
    by
        Columns whose values are classes. ``tokens`` cuts at thirds of the treebanks; ``resource``
        also gives ``resource not big`` if there are several other classes, which is what the
        Fragility paper calls low-resource. Classes of one treebank are left out, unless `by`
        names ``treebank``, and so are classes with the same members as an earlier one.
    own
        Further classes: names and members.

    Examples
    --------
    >>> from treegauge.ranking.scores import read_scores
    >>> classes = classes_of(read_scores("conll18"), ["genus", "resource"])
    >>> int(classes["genus Slavic"].sum()), int(classes["resource not big"].sum())
    (17, 21)
    """
    found: dict[str, NDArray[np.bool_]] = {}
    for column in by:
        if column not in COLUMNS:
            raise ChoiceError("column of classes", column, COLUMNS)
        values = scores.metadata[column].to_list()
        known = np.array([value is not None for value in values])
        if column == "tokens":
            if known.sum() >= 3:
                numbers = np.array([value or 0 for value in values])
                low, high = np.quantile(numbers[known], [1 / 3, 2 / 3], method="lower")
                found[f"tokens <= {low:,}"] = known & (numbers <= low)
                found[f"tokens <= {high:,}"] = known & (numbers <= high)
                found[f"tokens > {low:,}"] = known & (numbers > low)
                found[f"tokens > {high:,}"] = known & (numbers > high)
            continue
        names = sorted({str(value) for value in values if value is not None})
        for name in names:
            mask = np.array([str(value) == name for value in values]) & known
            if column == "treebank" or 1 < mask.sum() < len(mask):
                found[f"{column} {name}"] = mask
        if column == "resource" and "big" in names and len(names) > 2:
            found["resource not big"] = known & np.array([str(value) != "big" for value in values])
    for name, members in (own or {}).items():
        mask = np.zeros(len(scores.treebanks), dtype=np.bool_)
        mask[[scores.treebank(member) for member in members]] = True
        found[name] = mask
    distinct: dict[bytes, str] = {}
    for name, mask in found.items():
        distinct.setdefault(mask.tobytes(), name)
    return {name: found[name] for name in distinct.values()}
