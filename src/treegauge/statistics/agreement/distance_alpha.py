r"""Krippendorff's alpha for annotations with a distance, such as trees."""

from typing import Any

import numpy as np
import numpy.typing as npt

from treegauge.statistics.resampling.draws import FloatArray
from treegauge.statistics.resampling.small_samples import StudentEstimate, effective_df, heavy_tailed_df

Ints = npt.NDArray[np.int64]
#: Minimum number of units for an interval of alpha, and of units with a disagreement.
LEAST_DISTANCE_UNITS, LEAST_APART = 40, 5


def distance_alpha(
    within: FloatArray,
    within_unit: Ints,
    number: Ints,
    between: FloatArray,
    between_units: Ints,
    *,
    least: int = LEAST_DISTANCE_UNITS,
) -> StudentEstimate:
    r"""Return alpha for squared distances, with its standard error over units.

    .. math:: \alpha = 1 - D_o / D_e, \qquad
        D_o = \frac{1}{n} \sum_i \frac{1}{m_i - 1} \sum_{x \ne y \in i} \delta^2(x, y)

    where item i has :math:`m_i` annotations, n in all, and :math:`D_e` is the mean of
    :math:`\delta^2` over all pairs of annotations of whatever items.

    Parameters
    ----------
    within
        For each item the inner sum over its m annotations, divided by m - 1.
    within_unit, number
        For each item its unit, from 0, and m.
    between, between_units
        Squared distances of pairs of annotations (all, or drawn at random) and the units of the
        two, (pairs, 2).
    least
        Minimum number of units for a standard error.

    Notes
    -----
    Krippendorff (2004), chapter 11. With a squared distance of 1 between all that differ, this is
    the nominal alpha. Squared distances have heavy tails (few long sentences dominate), so
    the error is that of log(1 - alpha) without each unit, and its degrees of freedom are those of a
    variance of heavy-tailed values.

    Examples
    --------
    >>> pairs = np.array([[0, 1], [0, 2], [1, 2], [0, 0], [1, 1], [2, 2]])
    >>> made = distance_alpha(
    ...     np.array([0.0, 2.0, 0.0]), np.arange(3), np.full(3, 2),
    ...     np.array([9.0, 9, 9, 0, 1, 0]), pairs,
    ... )
    >>> made.value.round(3).tolist()
    [0.929]
    """
    units = int(within_unit.max(initial=-1)) + 1
    size = np.bincount(within_unit, number, units)
    apart = np.bincount(within_unit, within, units)
    # A pair is lost with either of its units; with both, it is lost once.
    first, second = between_units.T
    other = first != second
    lost = np.bincount(first, between, units)
    lost += np.bincount(second[other], between[other], units)
    gone = np.bincount(first, minlength=units) + np.bincount(second[other], minlength=units)

    def disagreement(total: Any, n: Any, far: Any, pairs: Any) -> FloatArray:
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.asarray((total / n) / (far / pairs))

    whole = disagreement(apart.sum(), size.sum(), between.sum(), len(between))
    used = size > 0
    n = int(used.sum())
    value, nothing = np.array([1 - whole]), np.array([np.nan])
    if n < least or int((apart > 0).sum()) < LEAST_APART:
        return StudentEstimate(value, nothing, nothing)
    left = disagreement(
        (apart.sum() - apart)[used], (size.sum() - size)[used],
        (between.sum() - lost)[used], (len(between) - gone)[used],
    )  # fmt: skip
    moves = np.log(left / whole)
    error = np.sqrt((n - 1) / n * (moves**2).sum())
    df = np.minimum(effective_df(lost[used]), heavy_tailed_df(moves[:, None]))
    return StudentEstimate(value, np.array([error * whole]), df)
