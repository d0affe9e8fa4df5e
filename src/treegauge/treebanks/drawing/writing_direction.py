"""The direction in which words are written: right to left in Arabic, Hebrew, Syriac and others."""

import unicodedata
from collections.abc import Iterable

_LEFT_TO_RIGHT_MARK = "\u200e"
_ISOLATE, _POP = "\u2068", "\u2069"
_STRONG = frozenset({"R", "AL"})


def _letters(text: str) -> tuple[int, int]:
    """Count characters that are written from the right and from the left."""
    kinds = [unicodedata.bidirectional(character) for character in text]
    return sum(kind in _STRONG for kind in kinds), kinds.count("L")


def is_right_to_left(texts: Iterable[str]) -> bool:
    """Whether most letters are of a script that is written from right to left.

    Examples
    --------
    >>> is_right_to_left(["שלום", "PDF"]), is_right_to_left(["hello", "سلام", "2021"])
    (True, False)
    """
    right, left = map(sum, zip((0, 0), *map(_letters, texts), strict=True))
    return right > left


def has_right_to_left(text: str) -> bool:
    """Whether some character of a text is written from right to left."""
    return not text.isascii() and _letters(text)[0] > 0


def kept_left_to_right(line: str) -> str:
    """Keep a terminal from turning a line around because it has an Arabic or Hebrew word."""
    return _LEFT_TO_RIGHT_MARK + line if has_right_to_left(line) else line


def isolated(text: str) -> str:
    """Keep a word of another direction from moving the text around it."""
    return f"{_ISOLATE}{text}{_POP}" if has_right_to_left(text) else text
