"""Checks of the arguments of verbs: limits of numbers, and names.

:func:`treegauge.core.verbs.verb` checks every call here, so that the command line and Python refuse
the same values with the same message.
"""

import math
import os
from collections.abc import Iterator, Mapping
from numbers import Integral
from types import MappingProxyType
from typing import Any

from treegauge.core.errors import TreegaugeError

MOST = 10**12
"""Largest whole number for parameters without their own limit."""

LIMITS: Mapping[str, tuple[int, int]] = {
    "seed": (0, 2**32 - 1),
    "seeds": (1, 1000),
    "workers": (1, 1024),
    "digits": (0, 15),
    "samples": (1, 10**8),
    "resamples": (0, 10**6),
    "permutations": (2, 10**7),
    "repeats": (1, 10**4),
    "orders": (0, 1000),
    "folds": (0, 10**4),
    "epochs": (1, 10**5),
    "retries": (0, 1000),
}
"""Smallest and largest value of whole numbers by word: a word means the same in all verbs.

Upper limits are far above what any study needs. They stop a typing error from running forever or
filling the memory. A verb declares the limits of its own words, and those that cost more there.
"""

SHARED: Mapping[str, str] = {
    "allow": "Problems of trees to allow: several-roots, no-root or cycle.",
    "convention": (
        "What counts: official (CoNLL 2018), challenges or no-punct (no punctuation), difficulty or subtypes "
        "(subtypes compared), or no-punct+subtypes."
    ),
    "errors": "Malformed sentences: strict refuses the file, skip leaves them out, repair repairs them.",
    "force": "Overwrite an existing file of another kind; an input is never overwritten.",
    "level": "Confidence level of intervals; tests use alpha = 1 - level.",
    "scores": "conll18, tables of scores, stores or results.",
    "seed": "Random seed; the same seed gives the same result.",
}
"""What parameters mean that mean the same everywhere; a verb describes only what differs from this."""


def check_arguments(
    given: Mapping[str, Any], defaults: Mapping[str, Any], limits: Mapping[str, tuple[int, int]] = MappingProxyType({})
) -> None:
    """Refuse numbers out of range, and names that are empty or not text.

    `limits` are those that the verb declares; a default is always accepted.

    Examples
    --------
    >>> check_arguments({"digits": 2, "metric": "las"}, {})
    >>> check_arguments({"digits": 99}, {})
    Traceback (most recent call last):
    treegauge.core.errors.TreegaugeError: digits: expected a whole number of at most 15, found 99
    >>> check_arguments({"parser": [" "]}, {})
    Traceback (most recent call last):
    treegauge.core.errors.TreegaugeError: parser: found an empty name; give one, or leave it out
    """
    bounds = {**LIMITS, **limits}
    for name, value in given.items():
        default = defaults.get(name)
        if value is default or (isinstance(value, str | int | float) and value == default):
            continue
        for item in flat(value):
            if isinstance(item, bool):
                continue
            if isinstance(item, str | os.PathLike):
                _check_name(name, os.fspath(item))
            elif isinstance(item, float) or isinstance(default, float):
                _check_share(name, float(item))
            elif isinstance(item, Integral):
                least, most = bounds.get(name, (0, MOST))
                check_between(name, int(item), least, most)


def check_between(name: str, found: int, least: int, most: int) -> None:
    """Refuse a whole number outside its limits."""
    if not least <= found <= most:
        limit = f"at least {least}" if found < least else f"at most {most:,}"
        raise TreegaugeError(f"{name}: expected a whole number of {limit}, found {found}")


def _check_share(name: str, found: float) -> None:
    if not math.isfinite(found):
        raise TreegaugeError(f"{name}: expected a finite number, found {found}")
    if name == "level" and not 0 < found < 1:
        raise TreegaugeError(f"level: expected a number between 0 and 1, such as 0.95, found {found:g}")


def flat(value: Any) -> Iterator[Any]:
    """Yield an argument, or the arguments in a list or a set of them."""
    if isinstance(value, list | tuple | set | frozenset):
        for item in value:
            yield from flat(item)
    else:
        yield value


def _check_name(name: str, text: str | bytes) -> None:
    if not text.strip():
        raise TreegaugeError(f"{name}: found an empty name; give one, or leave it out")
    problem = bad_text(text) if isinstance(text, str) else "bytes"
    if problem:
        raise TreegaugeError(
            f"{name}: {text!a} contains {problem}; expected text in UTF-8. Rename the file or folder if it is one"
        )


def bad_text(text: str) -> str:
    r"""Return why a text is unfit for UTF-8 files and file names, or an empty string.

    Examples
    --------
    >>> bad_text("ö"), bad_text("\udcff"), bad_text("a\0")
    ('', 'bytes that are not UTF-8', 'a null character')
    """
    if "\0" in text:
        return "a null character"
    try:
        text.encode()
    except UnicodeEncodeError:
        return "bytes that are not UTF-8"
    return ""
