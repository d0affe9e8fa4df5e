"""Errors that users can cause; the command line shows them without a traceback."""

import re
from collections.abc import Iterable
from numbers import Integral
from typing import Self

#: Characters that move the cursor, change a terminal, end a line, or reorder the rest of it.
CONTROLS = re.compile("[\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
_CONTROLS_OF_LINES = re.compile(CONTROLS.pattern.replace("\x1f", "\x08\x0b-\x1f"))


def one_line(text: str) -> str:
    r"""Return a text for a cell of a table, a name or a line: control characters are escaped.

    Examples
    --------
    >>> print(one_line("a\x1b[2J\tb\u202e 中"))
    a\x1b[2J\tb\u202e 中
    """
    return text if text.isprintable() else CONTROLS.sub(_escape, text)


def lines_of_text(text: str) -> str:
    r"""Return a text of several lines: as :func:`one_line`, but line ends and tabs stay.

    Examples
    --------
    >>> print(lines_of_text("a\x1b[2J\nb\r"))
    a\x1b[2J
    b\r
    """
    return text if text.isprintable() else _CONTROLS_OF_LINES.sub(_escape, text)


def _escape(match: re.Match[str]) -> str:
    return repr(match[0])[1:-1]


class TreegaugeError(Exception):
    """An error in the input or the request; the message says what to do."""

    def __str__(self) -> str:
        return lines_of_text(super().__str__())


MOST_LISTED = 40
"""Of more choices than this, an error names only those that resemble what was given, if any do."""


class ChoiceError(TreegaugeError, ValueError):
    """A name that is not among the legal ones.

    Parameters
    ----------
    what
        The kind of thing named, such as ``"metric"``.
    found
        What was given.
    choices
        The legal names.

    Examples
    --------
    >>> print(ChoiceError("metric", "LSA", ["LAS", "UAS"]))
    unknown metric 'LSA'; did you mean 'LAS'? choices: LAS, UAS
    >>> print(ChoiceError("metric", "las", ["Tokens", "LAS[challenges]"]))
    unknown metric 'las'; did you mean 'LAS[challenges]'? choices: Tokens, LAS[challenges]
    >>> print(ChoiceError("option", "time", ["timeout=60", "memory=0"]))
    unknown option 'time'; did you mean 'timeout'? choices: timeout=60, memory=0
    >>> print(ChoiceError("measure", "edv7", ["edv", "edv2", *map(str, range(60))]))
    unknown measure 'edv7'; did you mean 'edv' or 'edv2'? (62 choices)
    """

    def __init__(self, what: str, found: object, choices: Iterable[object]) -> None:
        from difflib import get_close_matches

        names = [str(choice) for choice in choices]
        # Ignore case, the convention in LAS[challenges] and the default in timeout=60.
        words = [name if "(" in name else name.partition("=")[0] for name in names]
        plain = {word.partition("[")[0].casefold(): word for word in reversed(words)}
        many = len(names) > MOST_LISTED
        close = get_close_matches(str(found).casefold(), plain, n=3 if many else 1)
        hint = f"; did you mean {' or '.join(repr(plain[name]) for name in close)}?" if close else ";"
        shown = f"({len(names)} choices)" if many and close else f"choices: {', '.join(names)}"
        super().__init__(f"unknown {what} {str(found)!r}{hint} {shown}")
        self.what, self.found, self.choices = what, found, names

    def __reduce__(self) -> tuple[type[Self], tuple[str, object, list[str]]]:
        return type(self), (self.what, self.found, self.choices)


def printable(text: str) -> str:
    r"""Return a text with invisible and control characters escaped.

    Examples
    --------
    >>> print(printable("UPOS X\x1b[2J, FORM 中"))
    UPOS X\x1b[2J, FORM 中
    """
    if text.isprintable():
        return text
    return "".join(sign if sign.isprintable() else repr(sign)[1:-1] for sign in text)


def check_whole(what: str, found: object, least: int = 0) -> None:
    """Refuse a value that is not a whole number or is too small.

    Examples
    --------
    >>> check_whole("seed", -1)
    Traceback (most recent call last):
    ...
    treegauge.core.errors.TreegaugeError: seed: expected a whole number of at least 0, found -1
    """
    if isinstance(found, bool) or not isinstance(found, Integral) or found < least:
        expected = f"expected a whole number of at least {least}"
        raise TreegaugeError(f"{what}: {expected}, found {found!r}")


def check_options(seed: int, draws: int, what: str, level: float = 0.5) -> None:
    """Refuse invalid options of resampling."""
    check_whole("seed", seed)
    check_whole(what, draws, 2)
    if not 0 < level < 1:
        raise TreegaugeError(f"level: expected a number between 0 and 1, such as 0.95, found {level!r}")


def check_format(source: object, found: object, known: int, remedy: str) -> None:
    """Refuse a file whose format this version cannot read, and say what to do.

    `found` and `known` are the number of its format and of the one that is read; `remedy` is what to do about a
    file of an earlier version.

    Examples
    --------
    >>> check_format("a.model", 1, 2, "train it again")
    Traceback (most recent call last):
    ...
    treegauge.core.errors.TreegaugeError: a.model has format 1 of an earlier version ...
    """
    if found == known:
        return
    if not isinstance(found, int):
        raise TreegaugeError(f"{source} was not written by treegauge: it has no format number")
    if found > known:
        age, advice = "a later", "upgrade treegauge: pip install --upgrade treegauge"
    else:
        age, advice = "an earlier", remedy
    raise TreegaugeError(
        f"{source} has format {found} of {age} version of treegauge; this version reads format {known}: {advice}"
    )
