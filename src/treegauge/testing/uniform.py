"""A stream of uniform numbers that depends on nothing but its key."""

from collections.abc import Callable, Iterator

import numpy as np

Uniform = Callable[[], float]
"""Gives one number in [0, 1) after another."""


def uniforms(*key: int) -> Uniform:
    """Return the stream of a key, such as a seed and the number of a sentence.

    Examples
    --------
    >>> first, again, other = uniforms(1, 5), uniforms(1, 5), uniforms(1, 6)
    >>> first() == again(), again() == other()
    (True, False)
    """
    rng = np.random.default_rng(key)

    def stream() -> Iterator[float]:
        # Drawn in blocks: one number at a time would take five times as long.
        while True:
            yield from rng.random(192).tolist()

    return stream().__next__
