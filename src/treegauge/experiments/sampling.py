"""Which sentences a sampling of a given size holds."""

import numpy as np
import numpy.typing as npt

from treegauge.results.errors import TreegaugeError


def sampled(
    available: int, size: int, sample: int, *, seed: int = 0, nested: bool = False
) -> npt.NDArray[np.int64]:
    """Draw sentences without replacement; the same arguments give the same sentences everywhere.

    Every sampling is a prefix of a random permutation of ``0 .. available - 1``. Independent
    samplings have a permutation of their own for each size; nested ones share one, so that the
    sentences of a smaller size are among those of a larger one.

    Parameters
    ----------
    available
        How many sentences there are to draw from.
    size
        How many to draw.
    sample
        Which sampling it is: 0, 1, 2, ...
    seed
        Start of the random numbers.
    nested
        Whether smaller sizes of one sampling are contained in larger ones.

    Returns
    -------
    numpy.ndarray
        The indices in ascending order.

    Raises
    ------
    TreegaugeError
        If there are fewer sentences than asked for.

    Examples
    --------
    >>> sampled(500, 5, 0).tolist()
    [61, 187, 231, 308, 333]
    >>> set(sampled(500, 5, 0, nested=True)) <= set(sampled(500, 10, 0, nested=True))
    True
    >>> sampled(3, 5, 0)
    Traceback (most recent call last):
    treegauge.results.errors.TreegaugeError: a train set of 5 sentences cannot be drawn from 3
    """
    for name, value, least in (
        ("size", size, 1), ("sample", sample, 0), ("seed", seed, 0)
    ):  # fmt: skip
        if value < least:
            raise TreegaugeError(f"the {name} is {value}; expected {least} or more")
    if size > available:
        raise TreegaugeError(
            f"a train set of {size} sentences cannot be drawn from {max(available, 0)}"
        )
    key = [seed, sample] if nested else [seed, sample, size]
    order = np.random.default_rng(key).permutation(available)
    return np.sort(order[:size]).astype(np.int64)
