r"""Agreement of annotators beyond chance: Cohen's and Fleiss' kappa, Krippendorff's alpha.

A coding is a table (items, annotators) of whole numbers from 0, one per category; -1 means that an
annotator did not code the item. All three coefficients are :math:`1 - D_o / D_e`, with the observed
disagreement and the one expected by chance. They differ in the model of chance: Cohen's kappa draws
each annotator's categories from that annotator's distribution, the others from a common one.
"""

from typing import Any

import numpy as np
import numpy.typing as npt

from treegauge.core.errors import TreegaugeError
from treegauge.statistics.draws import FloatArray
from treegauge.statistics.student_intervals import StudentEstimate, effective_df, heavy_tailed_df
from treegauge.statistics.units import LEAST_UNITS

Codes = npt.NDArray[np.int64]
#: Coefficients estimated by :func:`agreement`, in order.
COEFFICIENTS = ("observed", "kappa", "alpha")
#: Minimum number of units with a disagreement for inference about other units.
LEAST_DISAGREEING = 5


def _checked(codes: npt.ArrayLike) -> Codes:
    """Return a coding as an array; raise an error if it is not one."""
    table = np.asarray(codes)
    if table.ndim != 2 or table.shape[1] < 2 or not np.issubdtype(table.dtype, np.integer):
        raise TreegaugeError(
            f"found a coding of shape {table.shape} and type {table.dtype}; expected whole "
            "numbers, one row per item and one column per annotator, of at least two annotators"
        )
    return table.astype(np.int64)


class _Sums:
    """Sums of a coding for the coefficients: over all items, and without each unit in turn.

    Every method returns an array: first the value of all items, then without each unit.
    """

    def __init__(self, codes: Codes, units: npt.NDArray[Any] | None = None, n_units: int = 0):
        self.codes, self.n_units = codes, n_units
        self.units = np.zeros(len(codes), np.int64) if units is None else np.asarray(units)
        self.number = (codes >= 0).sum(axis=1)
        self.k = int(codes.max(initial=-1)) + 1
        # Ordered pairs of equal codes of each item: those of one annotator with all others.
        same = np.zeros(len(codes), np.int64)
        for a in range(codes.shape[1]):
            for b in range(a):
                same += 2 * ((codes[:, a] == codes[:, b]) & (codes[:, a] >= 0))
        self.same = same

    def left_out(self, values: npt.NDArray[Any], items: npt.NDArray[Any] | slice) -> FloatArray:
        """Return the sum of values of these items, and without each unit."""
        total = float(values.sum())
        per_unit = np.bincount(self.units[items], values, self.n_units) if self.n_units else np.zeros(0)
        return np.concatenate(([total], total - per_unit))

    def products(self, first: Codes, second: Codes, items: npt.NDArray[Any]) -> FloatArray:
        """Return the sum over categories of the products of two columns' counts.

        Each of `first` and `second` has rows of codes of the items given, -1 for none.
        """
        counts, sparse, crossed = [], [], []
        for table in (first, second):
            present = table >= 0
            codes = table[present]
            units = np.broadcast_to(self.units[items][:, None], table.shape)[present]
            counts.append(np.bincount(codes, minlength=self.k).astype(np.float64))
            sparse.append(np.unique(units * self.k + codes, return_counts=True))
            crossed.append((units, codes))
        total = float(counts[0] @ counts[1])
        if not self.n_units:
            return np.array([total])
        left = np.full(self.n_units, total)
        for (units, codes), other in zip(crossed, reversed(counts), strict=True):
            left -= np.bincount(units, other[codes], self.n_units)
        keys, i, j = np.intersect1d(sparse[0][0], sparse[1][0], return_indices=True)
        both = sparse[0][1][i] * sparse[1][1][j]
        left += np.bincount(keys // max(self.k, 1), both, self.n_units)
        return np.concatenate(([total], left))

    def observed(self) -> FloatArray:
        pairs = self.left_out(self.number * (self.number - 1), slice(None))
        return _ratio(self.left_out(self.same, slice(None)), pairs)

    def kappa(self) -> FloatArray:
        """Return Cohen's kappa of two annotators, Fleiss' of more."""
        if self.codes.shape[1] > 2:
            return self.fleiss()
        items = np.flatnonzero(self.number == 2)
        table = self.codes[items]
        n = self.left_out(np.ones(len(items)), items)
        agreed = _ratio(self.left_out(self.same[items] / 2, items), n)
        chance = _ratio(self.products(table[:, :1], table[:, 1:], items), n**2)
        return _ratio(agreed - chance, 1 - chance)

    def fleiss(self) -> FloatArray:
        m = self.codes.shape[1]
        items = np.flatnonzero(self.number == m)
        table = self.codes[items]
        n = self.left_out(np.ones(len(items)), items)
        agreed = _ratio(self.left_out(self.same[items] / (m * (m - 1)), items), n)
        chance = _ratio(self.products(table, table, items), (m * n) ** 2)
        return _ratio(agreed - chance, 1 - chance)

    def alpha(self) -> FloatArray:
        items = np.flatnonzero(self.number >= 2)
        number, table = self.number[items], self.codes[items]
        n = self.left_out(number, items)
        agreed = self.left_out(self.same[items] / (number - 1), items)
        return 1 - _ratio((n - 1) * (n - agreed), n**2 - self.products(table, table, items))


def _ratio(part: FloatArray, whole: FloatArray) -> FloatArray:
    """Return a ratio; NaN if the denominator is 0 (to the precision of its sum)."""
    usable = np.abs(whole) > 1e-12
    nothing = np.full(np.shape(part), np.nan)
    return np.asarray(np.divide(part, whole, out=nothing, where=usable))


def _specific(sums: _Sums, category: int) -> FloatArray:
    """Return how often the others chose a category where one annotator did (Spitzer and Fleiss 1974).

    With two annotators it is an F1 score: twice the common items over the sum of each one's items.
    """
    usable = sums.number >= 2
    chosen = (sums.codes == category).sum(axis=1) * usable
    agreed = chosen * (chosen - 1) / np.maximum(sums.number - 1, 1)
    return _ratio(sums.left_out(agreed, slice(None)), sums.left_out(chosen, slice(None)))


def agreement(codes: npt.ArrayLike, units: npt.ArrayLike, *, least: int = LEAST_UNITS) -> StudentEstimate:
    r"""Return observed agreement, kappa and alpha, with standard errors over units.

    .. math::
        \kappa_\text{Cohen} = \frac{p_o - \sum_c p_{1c}\, p_{2c}}{1 - \sum_c p_{1c}\, p_{2c}}, \quad
        \kappa_\text{Fleiss} = \frac{\bar P - \sum_c p_c^2}{1 - \sum_c p_c^2}, \quad
        \alpha = 1 - (n - 1) \frac{\sum_u \sum_{c \ne k} n_{uc} n_{uk} / (m_u - 1)}
        {\sum_{c \ne k} n_c n_k}

    with :math:`p_o` and :math:`\bar P` the share of equal pairs, :math:`p_c` that of a category among
    all codes, and :math:`n_{uc}` codes of category c among the :math:`m_u` of item u. Kappa is over
    the items that all annotators coded, alpha over those with two codes or more.

    Parameters
    ----------
    codes
        One row per item, one column per annotator, -1 where there is no code.
    units
        For each item, the number of its unit (sentence, document), from 0; units are random.
    least
        Minimum number of units for a standard error.

    Returns
    -------
    StudentEstimate
        Three entries, see :data:`COEFFICIENTS`; kappa is Cohen's for two annotators and Fleiss' for
        more. Standard errors are from the jackknife over units, and missing if annotators disagree
        (or agree) in fewer than five units. NaN where all use one category throughout.

    Notes
    -----
    Cohen (1960), Fleiss (1971), Krippendorff (2004, chapter 11). Agrees with
    ``statsmodels.stats.inter_rater`` and the package ``krippendorff``.

    Examples
    --------
    >>> random = np.random.default_rng(1)
    >>> first = random.integers(3, size=400)
    >>> second = np.where(random.random(400) < 0.8, first, random.integers(3, size=400))
    >>> made = agreement(np.stack([first, second], 1), np.arange(400) // 10)
    >>> made.value.round(2).tolist()
    [0.86, 0.8, 0.8]
    >>> low, high = coefficient_interval(made)
    >>> f"{low[2]:.2f} to {high[2]:.2f}"
    '0.73 to 0.85'
    """
    table, places = _checked(codes), np.asarray(units, np.int64)
    sums = _Sums(table, places, int(places.max(initial=-1)) + 1)
    values = np.stack([sums.observed(), sums.kappa(), sums.alpha()], axis=1)
    pairs = sums.number * (sums.number - 1)
    return _estimate(values, sums, sums.same, pairs, least)


def class_agreement(
    codes: npt.ArrayLike, units: npt.ArrayLike, category: int, *, least: int = LEAST_UNITS
) -> StudentEstimate:
    """Agreement on one category: specific agreement, then kappa and alpha of it against the rest.

    Parameters and result as in :func:`agreement`.

    Examples
    --------
    >>> made = class_agreement([[0, 0], [0, 1], [1, 1], [1, 1]], [0, 0, 1, 1], 0)
    >>> made.value.round(3).tolist()
    [0.667, 0.5, 0.533]
    """
    table, places = _checked(codes), np.asarray(units, np.int64)
    number = int(places.max(initial=-1)) + 1
    specific = _specific(_Sums(table, places, number), category)
    binary = np.where(table < 0, -1, table == category).astype(np.int64)
    sums = _Sums(binary, places, number)
    values = np.stack([specific, sums.kappa(), sums.alpha()], axis=1)
    chosen = (binary == 1).sum(axis=1) * (sums.number >= 2)
    agreed = chosen * (chosen - 1) / np.maximum(sums.number - 1, 1)
    return _estimate(values, sums, agreed, chosen, least)


def _estimate(
    values: FloatArray, sums: _Sums, agreed: npt.NDArray[Any], whole: npt.NDArray[Any], least: int
) -> StudentEstimate:
    """Return estimates from their values without each unit; `whole` is the size of items."""
    size, same = (np.bincount(sums.units, one, sums.n_units) for one in (whole, agreed))
    used = size > 0
    n = int(used.sum())
    left = values[1:][used] - values[0]
    error = np.sqrt((n - 1) / max(n, 1) * (left**2).sum(axis=0))
    deciding = min(int((same < size).sum()), int((same > 0).sum()))
    known = n >= least and deciding >= LEAST_DISAGREEING
    if not known:
        nothing = np.full(values.shape[1], np.nan)
        return StudentEstimate(values[0], nothing, nothing)
    df = np.minimum(effective_df(size[used]), heavy_tailed_df(left))
    return StudentEstimate(values[0], error, df)


def coefficient_interval(estimate: StudentEstimate, level: float = 0.95) -> tuple[FloatArray, FloatArray]:
    r"""Return the confidence limits of :func:`agreement` or :func:`class_agreement`.

    The first entry is a share, with its interval on the scale of log odds. Coefficients have theirs
    on the scale of :math:`\log(1 - \kappa)`, the logarithm of the disagreement relative to chance,
    which keeps it below 1. Limits are NaN where there is no standard error.
    """
    from treegauge.statistics.student import student_quantile

    low, high = estimate.interval(level, share=True)
    reach = student_quantile((1 + level) / 2, estimate.df) * estimate.standard_error
    rest = np.where(estimate.value < 1, 1 - estimate.value, np.nan)
    factor = np.exp(reach / rest)
    low[1:], high[1:] = (1 - rest * factor)[1:], (1 - rest / factor)[1:]
    return low, high


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
