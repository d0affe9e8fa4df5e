"""Intervals of ratios of sums that stay honest for a handful of sentences."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from treegauge.results.errors import TreegaugeError


class Estimate(NamedTuple):
    """A ratio with its interval; without limits if there are too few sentences for any."""

    value: float
    low: float | None
    high: float | None
    error: float | None

    @property
    def excludes_zero(self) -> bool:
        """Whether the whole interval is on one side of zero."""
        return self.low is not None and self.high is not None and self.low * self.high > 0

    def times(self, factor: float) -> "Estimate":
        """Return the estimate in another unit, such as per cent."""
        return Estimate(*(None if part is None else factor * part for part in self))  # type: ignore[arg-type]

    @property
    def detectable(self) -> float | None:
        r"""The smallest difference that as many sentences would show, four times in five.

        .. math:: (t_{n-1} + z_{0.8}) \, s
        """
        if self.high is None or self.error is None:
            return None
        return self.high - self.value + 0.8416 * self.error

    def sentences_needed(self, seen: int) -> int | None:
        """Return how many sentences would show a difference of this size, four times in five.

        That is if the `seen` ones are typical. None where the difference is zero or its error
        unknown.
        """
        if not self.value or self.detectable is None:
            return None
        return max(2, int(np.ceil(seen * (self.detectable / self.value) ** 2)))


def ratio(counts: npt.ArrayLike, words: npt.ArrayLike, *, level: float = 0.95) -> Estimate:
    r"""Return the ratio of two sums over sentences with Student's interval.

    .. math::
        r = \frac{\sum_i x_i}{\sum_i w_i}, \quad
        s^2 = \frac{n}{n - 1} \frac{\sum_i (x_i - r w_i)^2}{(\sum_i w_i)^2}, \quad
        r \pm t_{n-1} s

    Whole sentences vary, not words, and t makes up for the few there are: resampling ten sentences
    gives intervals that are too short. Sentences without words do not count.

    Parameters
    ----------
    counts, words
        One value a sentence, such as right heads (or a difference of two parsers' right heads) and
        words.
    level
        Coverage of the interval.

    Notes
    -----
    Cochran (1977), Sampling Techniques, section 6.3.

    Examples
    --------
    >>> found = ratio([8, 5, 9, 3, 7, 11], [10, 5, 12, 9, 7, 14])
    >>> print(f"{found.value:.3f} [{found.low:.2f}, {found.high:.2f}]")
    0.754 [0.54, 0.97]
    >>> ratio([3], [4])
    Estimate(value=0.75, low=None, high=None, error=None)
    """
    if not 0 < level < 1:
        raise TreegaugeError(f"the level is {level:g}; expected a share between 0 and 1")
    x, w = np.asarray(counts, np.float64), np.asarray(words, np.float64)
    x, w = x[w > 0], w[w > 0]
    total = float(w.sum())
    if not total:
        return Estimate(float("nan"), None, None, None)
    value, n = float(x.sum()) / total, len(w)
    if n < 2:
        return Estimate(value, None, None, None)
    from scipy.special import stdtrit

    error = float(np.sqrt(n / (n - 1) * np.square(x - value * w).sum()) / total)
    half = float(stdtrit(n - 1, (1 + level) / 2)) * error
    return Estimate(value, value - half, value + half, error)
