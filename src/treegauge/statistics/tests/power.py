"""The power of a test of a correlation, and the number of rows it needs."""

import math
from typing import TYPE_CHECKING

from treegauge.core.errors import TreegaugeError
from treegauge.statistics.tests.planning import check_shares, smallest

if TYPE_CHECKING:
    pass


def correlation_power(r: float, n: float, alpha: float = 0.05) -> float:
    r"""Return the two-sided power of the test that a correlation differs from zero.

    With :math:`t` the critical value of Student's distribution with :math:`n - 2` degrees of
    freedom and :math:`r_c = \sqrt{t^2 / (t^2 + n - 2)}` the smallest coefficient it detects,

    .. math:: \Phi\bigl((z - \operatorname{atanh} r_c)\sqrt{n - 3}\bigr)
              + \Phi\bigl((-z - \operatorname{atanh} r_c)\sqrt{n - 3}\bigr),
              \qquad z = \operatorname{atanh} r + \frac{r}{2 (n - 1)}

    Parameters
    ----------
    r
        The true coefficient. With an observed one, this is the "achieved power" of the EDV paper,
        which adds no information to the p-value.
    n
        Number of rows, less the number of covariates for a partial correlation.

    Notes
    -----
    Cohen (1988), section 3; agrees with ``pingouin.power_corr`` and R's ``pwr.r.test``.

    Examples
    --------
    >>> round(correlation_power(-0.265, 93), 3)
    0.735
    """
    from scipy import special

    check_shares(alpha=alpha)
    if not -1 <= r <= 1:
        raise TreegaugeError(f"r: expected a coefficient from -1 to 1, found {r!r}")
    if not n > 3:
        raise TreegaugeError(f"n: the power of a correlation test needs more than 3 rows, found {n}")
    if abs(r) == 1:
        return 1.0
    critical = special.stdtrit(n - 2, 1 - alpha / 2)
    least = math.atanh(math.sqrt(critical**2 / (critical**2 + n - 2)))
    size = math.atanh(abs(r)) + abs(r) / (2 * (n - 1))
    scale = math.sqrt(n - 3)
    return float(special.ndtr((size - least) * scale) + special.ndtr((-size - least) * scale))


def needed_rows(r: float, power: float = 0.8, alpha: float = 0.05) -> int:
    """Return the smallest number of rows with which the test has at least this power.

    Add the number of covariates for a partial correlation.

    Examples
    --------
    >>> needed_rows(0.3)
    85
    """
    check_shares(power=power)
    if not 0 < abs(r) <= 1:
        raise TreegaugeError(f"r: expected a coefficient other than 0, at most 1, found {r!r}")
    return smallest(lambda n: correlation_power(r, n, alpha) >= power, 4)


def detectable(n: float, power: float = 0.8, alpha: float = 0.05) -> float:
    """Return the smallest coefficient that `n` rows detect with this power.

    Examples
    --------
    >>> round(detectable(94), 3)
    0.284
    """
    from scipy.optimize import brentq

    check_shares(power=power)
    if correlation_power(0.0, n, alpha) >= power:
        return 0.0
    return float(brentq(lambda r: correlation_power(r, n, alpha) - power, 0.0, 1 - 1e-12))
