"""Options that no computation could honour are refused, by what was found and expected."""

import numpy as np

from treegauge.results.errors import TreegaugeError


def check_whole(what: str, found: int, least: int = 0) -> None:
    """Refuse what is no whole number, or is too small a one.

    Examples
    --------
    >>> check_whole("seed", -1)
    Traceback (most recent call last):
    ...
    treegauge.results.errors.TreegaugeError: seed: expected a whole number of at least 0, found -1
    """
    if isinstance(found, bool) or not isinstance(found, int | np.integer) or found < least:
        expected = f"expected a whole number of at least {least}"
        raise TreegaugeError(f"{what}: {expected}, found {found!r}")


def check_options(seed: int, draws: int, what: str, level: float = 0.5) -> None:
    """Refuse options that no resampling can honour, naming what was found and expected."""
    check_whole("seed", seed)
    check_whole(what, draws, 2)
    if not 0 < level < 1:
        raise TreegaugeError(f"level: expected a number between 0 and 1, found {level!r}")
