"""Confidence sequences: intervals of a mean difference that hold at every look, however often one looks.

A test at level .05 that is repeated after each new unit (seed, genus, sentence) is wrong far more
often than in 5 % of studies. A confidence sequence contains the true value at all looks together
with probability .95, so that one may stop when it leaves out 0.
"""

import math

import numpy as np
import numpy.typing as npt

from treegauge.core.errors import TreegaugeError
from treegauge.statistics.draws import FloatArray
from treegauge.statistics.small_samples import StudentEstimate

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
    >>> from treegauge.statistics.small_samples import student_mean
    >>> low, high = sequence_interval(student_mean([1.1, 0.7, 1.3, 0.8, 1.0, 1.2]), 6, SEED_WIDTH)
    >>> round(low, 2), round(high, 2)
    (0.5, 1.54)
    """
    value, around = float(estimate.value), reach(number, width, level) * float(estimate.standard_error)
    return value - around, value + around
