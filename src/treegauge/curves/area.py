"""Areas between curves over the logarithm of size."""

import numpy as np
import numpy.typing as npt

from treegauge.results.errors import TreegaugeError

Floats = npt.NDArray[np.float64]


def simpson_weights(x: npt.ArrayLike) -> Floats:
    r"""Weights of composite Simpson's rule on uneven points: the integral is their product with y.

    Each pair of intervals :math:`h_0, h_1` gets the integral of the parabola through its three
    points, :math:`\frac{h_0+h_1}{6}\left[(2-\frac{h_1}{h_0})\,y_0 +
    \frac{(h_0+h_1)^2}{h_0 h_1}\,y_1 + (2-\frac{h_0}{h_1})\,y_2\right]`. The seven sizes of the
    paper make six intervals, which are three such pairs. With an odd number of intervals the last
    one alone is integrated under the parabola through the last three points; two points make a
    trapezium. Exact for parabolas throughout.

    Parameters
    ----------
    x
        Ascending points.

    Returns
    -------
    numpy.ndarray
        One weight a point.

    Notes
    -----
    Agrees with ``scipy.integrate.simpson``.

    Examples
    --------
    >>> x = np.array([0.0, 1.0, 3.0])
    >>> float(simpson_weights(x) @ (1 + x**2))  # 3 + 9
    12.0
    """
    points = np.asarray(x, float)
    steps = np.diff(points)
    if len(points) < 2 or not np.all(steps > 0):
        raise TreegaugeError(
            f"an area needs two or more different sizes in ascending order, found {points.tolist()}"
        )
    weights = np.zeros(len(points))
    if len(points) == 2:
        return np.full(2, steps[0] / 2)
    for i in range(0, len(steps) - 1, 2):
        a, b = steps[i], steps[i + 1]
        weights[i : i + 3] += (a + b) / 6 * np.array([2 - b / a, (a + b) ** 2 / (a * b), 2 - a / b])
    if len(steps) % 2:
        a, b = steps[-2], steps[-1]
        weights[-3:] += [
            -(b**3) / (6 * a * (a + b)),
            (b**2 + 3 * a * b) / (6 * a),
            (2 * b**2 + 3 * a * b) / (6 * (a + b)),
        ]
    return weights


def area_between(sizes: npt.ArrayLike, overall: npt.ArrayLike, curve: npt.ArrayLike) -> Floats:
    r"""COMPLEXITY of a relative curve: :math:`100\int (R(s) - R_C(s))\,d\ln s`, by Simpson's rule.

    Parameters
    ----------
    sizes
        Sizes of the train sets, ascending.
    overall, curve
        Relative scores of all words and of the class; sizes are the last axis.

    Returns
    -------
    numpy.ndarray
        Percentage points times units of ln(size); negative: simpler than the whole.

    Examples
    --------
    >>> float(area_between([5, 50, 500], [0.6, 0.8, 1.0], [0.6, 0.8, 1.0]))
    0.0
    >>> round(float(area_between([5, 50, 500], [0.6, 0.8, 1.0], [0.7, 0.9, 1.0])), 2)
    -38.38
    """
    gap = np.asarray(overall, float) - np.asarray(curve, float)
    return np.asarray(100 * gap @ simpson_weights(np.log(np.asarray(sizes, float))))
