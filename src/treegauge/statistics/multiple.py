"""P-values of many comparisons, adjusted so that chance findings stay rare."""

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from treegauge.results.errors import ChoiceError, TreegaugeError

FloatArray = npt.NDArray[np.float64]


def check_p_values(p_values: npt.ArrayLike) -> FloatArray:
    """Return p-values as floats, NaN for a missing one; refuse what is no p-value.

    Examples
    --------
    >>> check_p_values([0.5, None]).tolist()
    [0.5, nan]
    """
    try:
        values = np.array(p_values, dtype=np.float64)
    except (TypeError, ValueError):
        raise TreegaugeError(f"p-values: expected numbers or None, found {p_values!r}") from None
    wrong = values[(values < 0) | (values > 1)]
    if len(wrong):
        raise TreegaugeError(f"p-values: expected numbers from 0 to 1, found {float(wrong[0])!r}")
    return values


def _bonferroni(ordered: FloatArray) -> FloatArray:
    return ordered * len(ordered)


def _holm(ordered: FloatArray) -> FloatArray:
    return np.maximum.accumulate(ordered * np.arange(len(ordered), 0, -1))


def _benjamini_hochberg(ordered: FloatArray) -> FloatArray:
    # The factor first: at least 1, so that rounding lets no p-value shrink.
    scaled = ordered * (len(ordered) / np.arange(1, len(ordered) + 1))
    return np.minimum.accumulate(scaled[::-1])[::-1]


#: Each takes p-values in ascending order and returns adjusted ones, not yet cut off at 1.
METHODS: dict[str, Callable[[FloatArray], FloatArray]] = {
    "holm": _holm,
    "bonferroni": _bonferroni,
    "benjamini-hochberg": _benjamini_hochberg,
}


def adjust(p_values: npt.ArrayLike, method: str = "holm") -> FloatArray:
    r"""Adjust p-values for the number of comparisons; compare the result with alpha as usual.

    For m p-values in ascending order, the i-th becomes, at most 1,

    - ``"holm"``: :math:`\max_{j \le i} (m - j + 1) p_{(j)}`,
    - ``"bonferroni"``: :math:`m p_{(i)}`,
    - ``"benjamini-hochberg"``: :math:`\min_{j \ge i} m p_{(j)} / j`.

    The first two bound the probability of any false finding under every dependence (Holm is never
    weaker); the last bounds the expected share of false findings among the findings, when the
    tests are independent or positively dependent.

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
