"""What characters are, as far as validation asks: white space, replaced, in normal form or not.

A line is in normal form NFC if no character of it can combine with the one before, none has a
shorter form, and combining marks are in order. The kernels see that from the classes given here;
lines with a character that may combine get a full look by :mod:`unicodedata`.
"""

import unicodedata

SPACES = frozenset(
    map(chr, (*range(9, 14), 0x20, 0x85, 0xA0, 0x1680, *range(0x2000, 0x200B),
              0x2028, 0x2029, 0x202F, 0x205F, 0x3000))
)  # fmt: skip
"""Unicode White_Space."""

SPACE, NOT_NORMAL_SPACE, REPLACED, SLOW = 250, 251, 252, 255
"""Classes beside the combining classes, 0 to 240."""

_COMBINING = """
0300-0304 0306-030C 030F 0311 0313-0314 031B 0323-0328 032D-032E 0330-0331 0338 0342 0345 0653-0655
093C 09BE 09D7 0B3E 0B56-0B57 0BBE 0BD7 0C56 0CC2 0CD5-0CD6 0D3E 0D57 0DCA 0DCF 0DDF 102E 1161-1175
11A8-11C2 1B35 3099-309A
"""
_FROM = 0x11000
"""From here on every mark gets a full look: later versions of Unicode add some that combine."""


def _may_combine() -> frozenset[int]:
    ranges = (item.partition("-") for item in _COMBINING.split())
    return frozenset(
        code
        for first, _, last in ranges
        for code in range(int(first, 16), int(last or first, 16) + 1)
    )


MAY_COMBINE = _may_combine()
"""Characters before `_FROM` that combine with some character before them."""


def character_class(code: int) -> int:
    """Return the class of a character.

    Examples
    --------
    >>> character_class(ord("é")), character_class(0x3000), character_class(0x64E)
    (0, 250, 30)
    """
    character = chr(code)
    normal = unicodedata.is_normalized("NFC", character)
    if character in SPACES:
        return SPACE if normal else NOT_NORMAL_SPACE
    if code == 0xFFFD:
        return REPLACED
    if not normal or code in MAY_COMBINE:
        return SLOW
    if code >= _FROM and unicodedata.category(character) in ("Mn", "Mc", "Lo", "Cn"):
        return SLOW
    if unicodedata.category(character) == "Cn":
        return SLOW
    return unicodedata.combining(character)


def classes(block: int) -> bytes:
    """Return the classes of 256 characters."""
    return bytes(map(character_class, range(256 * block, 256 * block + 256)))
