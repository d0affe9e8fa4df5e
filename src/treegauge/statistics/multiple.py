"""Many comparisons: adjusted p-values, partial conjunction tests, letters of tie groups, and many looks.

Letters are a compact letter display (Piepho 2004, Journal of Computational and Graphical Statistics
13): two systems share a letter if and only if they do not differ significantly, whatever the
pattern of significant pairs. "Not significantly different" is not transitive, and systems that tie
need not be neighbours in a table. The groups are a cover of the pairs without a difference by
cliques (Gramm, Guo, Hüffner, Niedermeier, Piepho and Schmidt 2007, Computational Statistics & Data
Analysis 52).

A test at level .05 that is repeated after each new unit (seed, genus, sentence) is wrong far more
often than in 5 % of studies. A confidence sequence contains the true mean difference at all looks
together with probability .95, so that one may stop when it leaves out 0.
"""

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from treegauge.core.errors import ChoiceError, TreegaugeError
from treegauge.core.lazy import scipy
from treegauge.statistics.planning import check_shares
from treegauge.statistics.student_intervals import StudentEstimate

FloatArray = npt.NDArray[np.float64]
_LETTERS = 26


def check_p_values(p_values: npt.ArrayLike) -> FloatArray:
    """Return p-values as floats, NaN if missing; refuse invalid ones."""
    try:
        values = np.array(p_values, dtype=np.float64)
    except (TypeError, ValueError):
        raise TreegaugeError(f"p-values: expected numbers or None, found {p_values!r}") from None
    wrong = values[(values < 0) | (values > 1)]
    if len(wrong):
        raise TreegaugeError(f"p-values: expected numbers from 0 to 1, found {float(wrong[0])!r}")
    return values


def _benjamini_hochberg(ordered: FloatArray) -> FloatArray:
    # The factor (at least 1) comes first, so that rounding never reduces a p-value.
    scaled = ordered * (len(ordered) / np.arange(1, len(ordered) + 1))
    return np.minimum.accumulate(scaled[::-1])[::-1]


#: Each takes p-values in ascending order and returns adjusted ones, not yet limited to 1.
METHODS: dict[str, Callable[[FloatArray], FloatArray]] = {
    "holm": lambda ordered: np.maximum.accumulate(ordered * np.arange(len(ordered), 0, -1)),
    "bonferroni": lambda ordered: ordered * len(ordered),
    "benjamini-hochberg": _benjamini_hochberg,
}


def adjust(p_values: npt.ArrayLike, method: str = "holm") -> FloatArray:
    r"""Adjust p-values for the number of comparisons; compare the result with alpha as usual.

    For m p-values in ascending order, the i-th becomes, at most 1,

    - ``"holm"``: :math:`\max_{j \le i} (m - j + 1) p_{(j)}`,
    - ``"bonferroni"``: :math:`m p_{(i)}`,
    - ``"benjamini-hochberg"``: :math:`\min_{j \ge i} m p_{(j)} / j`.

    The first two control the family-wise error rate under any dependence (Holm is never less
    powerful); the last controls the false discovery rate if the tests are independent or positively
    dependent.

    Parameters
    ----------
    p_values
        Any shape, all entries one family. NaN and None are left out: they do not count as
        comparisons and stay NaN.
    method
        One of the three above.

    Returns
    -------
    numpy.ndarray
        Same shape.

    Notes
    -----
    Holm (1979), Scandinavian Journal of Statistics 6; Benjamini and Hochberg (1995), JRSS B 57.

    Examples
    --------
    >>> adjust([0.01, 0.04, None, 0.03]).tolist()
    [0.03, 0.06, nan, 0.06]
    """
    if method not in METHODS:
        raise ChoiceError("adjustment of p-values", method, METHODS)
    values = check_p_values(p_values)
    adjusted = np.full_like(values, np.nan)
    known = ~np.isnan(values)
    order = np.argsort(values[known], kind="stable")
    ordered = np.minimum(METHODS[method](values[known][order]), 1.0)
    back = np.empty_like(ordered)
    back[order] = ordered
    adjusted[known] = back
    return adjusted


class Conjunction(NamedTuple):
    """The number and names of the data sets that show the effect.

    Attributes
    ----------
    bonferroni, fisher
        p-values of "the effect holds on at least k data sets", k = 1 to n.
    k_hat, k_hat_fisher
        Largest k with such a p-value of at most alpha: under any dependence, and if independent.
    holm, significant
        Holm-adjusted p-values, and the names of data sets significant each on its own.
    """

    bonferroni: FloatArray
    fisher: FloatArray
    k_hat: int
    k_hat_fisher: int
    holm: FloatArray
    significant: tuple[str, ...]


def partial_conjunction(
    p_values: npt.ArrayLike, *, alpha: float = 0.05, names: Sequence[str] | None = None
) -> Conjunction:
    r"""Test "better on at least k of n data sets" for every k, and return the largest k.

    From p-values in ascending order, that of "at least k" is

    - Bonferroni: :math:`(n - k + 1) p_{(k)}`, valid under any dependence,
    - Fisher: the upper tail of :math:`\chi^2_{2(n-k+1)}` at :math:`-2 \sum_{i=k}^n \ln p_{(i)}`,
      valid for independent data sets,

    each cut off at 1 and made monotone in k by a running maximum. :math:`\hat k` is the largest k
    whose p-value is at most alpha; with probability at least :math:`1 - \alpha` it does not exceed
    the true count. The Bonferroni count always equals the number of Holm rejections, so it comes
    with their names.

    Parameters
    ----------
    p_values
        One p-value per data set, one-sided if the question is "better" (``alternative="greater"``).
        NaN and None are left out.
    alpha
        Error rate.
    names
        Data set names, one per p-value.

    Notes
    -----
    Benjamini and Heller (2008), Biometrics 64; Dror, Baumer, Bogomolov and Reichart (2017),
    TACL 5.

    Examples
    --------
    >>> outcome = partial_conjunction([0.001, 0.3, 0.01, 0.02], names=["el", "fi", "hu", "tr"])
    >>> outcome.k_hat, outcome.k_hat_fisher, outcome.significant
    (3, 3, ('el', 'hu', 'tr'))
    """
    values = check_p_values(p_values)
    if values.ndim != 1:
        raise TreegaugeError(f"p-values: expected one per data set, found an array of shape {values.shape}")
    check_shares(alpha=alpha)
    labels = tuple(map(str, range(len(values)))) if names is None else tuple(names)
    if len(labels) != len(values):
        raise TreegaugeError(f"names: found {len(labels)} for {len(values)} p-values")

    ordered = np.sort(values[~np.isnan(values)])
    with np.errstate(divide="ignore"):
        tails = np.cumsum(np.log(ordered)[::-1])[::-1]
    fisher = np.maximum.accumulate(scipy.special.chdtrc(2.0 * np.arange(len(ordered), 0, -1), -2 * tails))
    holm = adjust(values, "holm")
    # The monotone Bonferroni p-values of "at least k" are the Holm p-values in order.
    bonferroni = np.sort(holm[~np.isnan(holm)])
    return Conjunction(
        bonferroni, fisher, int((bonferroni <= alpha).sum()), int((fisher <= alpha).sum()), holm,
        tuple(np.array(labels, dtype=object)[holm <= alpha]),
    )  # fmt: skip


def tie_groups(differ: npt.ArrayLike, order: npt.ArrayLike) -> list[tuple[int, ...]]:
    """Return groups of systems: two are in a common group if and only if they do not differ.

    A system that differs from all others is in none. Each group is maximal, and none is
    superfluous. Where ties are runs of neighbours in `order`, the groups are the longest of these
    runs.

    Parameters
    ----------
    differ
        Systems x systems: whether a pair differs significantly.
    order
        The systems as the table is sorted; members and groups have this order.

    Examples
    --------
    >>> tie_groups([[0, 0, 0], [0, 0, 1], [0, 1, 0]], [0, 1, 2])
    [(0, 1), (0, 2)]
    """
    places = np.asarray(order, np.intp)
    tied = ~np.asarray(differ, bool)[np.ix_(places, places)]
    np.fill_diagonal(tied, True)
    wanted = np.triu(tied, 1)
    covered, groups = np.zeros(tied.shape, np.intp), []
    for a, b in np.argwhere(wanted):
        if covered[a, b]:
            continue
        fits, members = tied[a] & tied[b], [a, b]
        for other in np.flatnonzero(fits):
            if fits[other] and other not in members:
                members.append(other)
                fits &= tied[other]
        groups.append(np.sort(members))
        covered[np.ix_(members, members)] += 1
    needed = []
    for group in reversed(groups):
        inside = np.ix_(group, group)
        if len(group) > 1 and (covered[inside][np.triu_indices(len(group), 1)] > 1).all():
            covered[inside] -= 1
        else:
            needed.append(tuple(group.tolist()))
    return [tuple(places[list(group)].tolist()) for group in sorted(needed)]


def tie_letters(differ: npt.ArrayLike, order: npt.ArrayLike) -> list[str]:
    """Return the letters of each system, the first letters for the first systems in `order`.

    A system that differs from all others has none. After z follow aa, ab, ...; letters are then
    separated by spaces.

    Examples
    --------
    >>> tie_letters([[0, 0, 0], [0, 0, 1], [0, 1, 0]], [2, 1, 0])
    ['ab', 'b', 'a']
    """
    groups = tie_groups(differ, order)
    letters: list[list[str]] = [[] for _ in np.asarray(order)]
    for number, group in enumerate(groups):
        for system in group:
            letters[system].append(_letter(number))
    return [(" " if len(groups) > _LETTERS else "").join(own) for own in letters]


def _letter(number: int) -> str:
    """Return a, b, ..., z, aa, ab, ... for 0, 1, ...."""
    before, last = divmod(number, _LETTERS)
    return (_letter(before - 1) if before else "") + chr(ord("a") + last)


# many looks

SEED_WIDTH, TREEBANK_WIDTH, TEXT_WIDTH = 1.0, 0.25, 0.05
"""Widths of the mixture for seeds, for treebanks or their genera, and for sentences or documents.

A larger width decides sooner where the difference is large compared with its standard deviation.
Treebanks have the largest with which centred differences of genera, of the systems of CoNLL 2018
with even numbers, were decided in at most 5 % of sequences (.20, .25, .33 and .50 were tried)."""


def log_evidence(t: npt.ArrayLike, number: npt.ArrayLike, width: float) -> FloatArray:
    r"""Return the logarithm of the evidence against a mean of 0, from Student's t over units.

    The likelihood ratio of standardised effects :math:`\delta \sim N(0, w^2)` to no effect, free of
    the unknown variance. With :math:`\nu = n - 1`, :math:`x = t^2 / \nu` and :math:`g = 1 + n w^2`,

    .. math:: E_n = g^{-1/2} \left(\frac{1 + x}{1 + x / g}\right)^{n/2}

    Without an effect the probability that it ever reaches :math:`1/\alpha` is at most
    :math:`\alpha`, for independent normal units.

    Parameters
    ----------
    t, number
        The mean over its standard error, and the number of units; of several looks at once.
    width
        Standard deviation of the effects that the test looks for, in standard deviations of a unit.

    Notes
    -----
    Lai (1976), On confidence sequences, Annals of Statistics 4; Wang and Ramdas (2025), Anytime-valid
    t-tests and confidence sequences for Gaussian means with unknown variance, Sequential Analysis 44.

    Examples
    --------
    >>> log_evidence([2.0, 6.0], 10, 1.0).round(2).tolist()
    [0.44, 5.3]
    """
    n = np.asarray(number, np.float64)
    g = 1 + n * width**2
    x = np.square(np.asarray(t, np.float64)) / np.maximum(n - 1, 1)
    # Infinite t: the units are equal, and the ratio has a limit.
    ratio = np.where(np.isfinite(x), np.log1p(x) - np.log1p(x / g), np.log(g))
    return np.asarray(np.where(n < 2, 0.0, n / 2 * ratio - np.log(g) / 2))


def evidence_over(values: npt.ArrayLike, width: float) -> FloatArray:
    """Return the logarithm of the evidence after each unit, for values (..., units).

    Examples
    --------
    >>> evidence_over([1.1, 0.9, 1.0, 1.2, 0.8, 1.0], 1.0).argmax().item()
    5
    """
    table = np.asarray(values, np.float64)
    n = np.arange(1, table.shape[-1] + 1)
    total, squares = np.cumsum(table, axis=-1), np.cumsum(table**2, axis=-1)
    around = np.maximum(squares - total**2 / n, 1e-12 * squares)
    with np.errstate(divide="ignore", invalid="ignore"):
        t = np.where(total == 0, 0.0, total / np.sqrt(n * around / np.maximum(n - 1, 1)))
    return log_evidence(t, n, width)


def reach(number: float, width: float, level: float = 0.95) -> float:
    r"""Return the half-width of a confidence sequence in standard errors; infinite with few units.

    The :math:`t` at which :func:`log_evidence` is :math:`\log 1/\alpha`.

    Examples
    --------
    >>> reach(4, 1.0), round(reach(10, 1.0), 2), round(reach(1000, 0.05), 2)
    (inf, 3.87, 3.19)
    """
    if not (0 < level < 1 and width > 0):
        raise TreegaugeError(f"expected a level between 0 and 1 and a width above 0, found {level} and {width}")
    g = 1 + number * width**2
    growth = (math.log(g) / 2 - math.log(1 - level)) * 2 / max(number, 1)
    if number < 2 or growth >= math.log(g):
        return math.inf
    ratio = math.exp(growth)
    return math.sqrt((number - 1) * (ratio - 1) / (1 - ratio / g))


def least_looks(width: float, level: float = 0.95) -> int:
    """Return the smallest number of units after which anything can be decided.

    Examples
    --------
    >>> least_looks(SEED_WIDTH), least_looks(TREEBANK_WIDTH)
    (5, 12)
    """
    return next(n for n in range(2, 10**6) if reach(n, width, level) < math.inf)


def sequence_interval(estimate: StudentEstimate, number: int, width: float, level: float = 0.95) -> tuple[float, float]:
    """Return the limits of an estimate over units that hold at every look.

    Examples
    --------
    >>> from treegauge.statistics.student_intervals import student_mean
    >>> low, high = sequence_interval(student_mean([1.1, 0.7, 1.3, 0.8, 1.0, 1.2]), 6, SEED_WIDTH)
    >>> round(low, 2), round(high, 2)
    (0.5, 1.53)
    """
    value, around = float(estimate.value), reach(number, width, level) * float(estimate.standard_error)
    return value - around, value + around
