"""Classes of characters for validation: white space, replacement characters, normal forms.

A line is in normal form NFC if no character of it can combine with the one before, none has a
shorter form, and combining marks are in order. The kernels check this with the classes given here;
lines with a character that may combine are checked in full by :mod:`unicodedata`.
"""

import unicodedata
from bisect import bisect_right
from functools import cache

SPACES = frozenset(
    map(chr, (*range(9, 14), 0x20, 0x85, 0xA0, 0x1680, *range(0x2000, 0x200B), 0x2028, 0x2029, 0x202F, 0x205F, 0x3000))
)
"""Unicode White_Space."""

SPACE, NOT_NORMAL_SPACE, REPLACED, SLOW = 250, 251, 252, 255
"""Classes in addition to the combining classes, 0 to 240."""

_COMBINING = """
0300-0304 0306-030C 030F 0311 0313-0314 031B 0323-0328 032D-032E 0330-0331 0338 0342 0345 0653-0655
093C 09BE 09D7 0B3E 0B56-0B57 0BBE 0BD7 0C56 0CC2 0CD5-0CD6 0D3E 0D57 0DCA 0DCF 0DDF 102E 1161-1175
11A8-11C2 1B35 3099-309A
"""
_FROM = 0x11000
"""From here on every mark is checked in full: later versions of Unicode add some that combine."""


_NEW_LETTERS = """
0558 058B-058C 05C8-05C9 088F 0897 0B53-0B54 0C5C 0CDC 0CF3 0ECE 1ACF-1AF0 1C8A 208F 209D-209F A7CD
A7CF A7DB A7F1 105C0-105F3 107BB-107BF 10940-10959 10D4A-10D4F 10D69-10D6D 10D6F-10D85 10EC2-10EC7
10ECB-10ECF 10ED9-10EEE 10EF0-10EFF 1123F-11241 11380-11389 1138B 1138E 11390-113B5 113B7-113C0
113C2 113C5 113C7-113CA 113CC-113D3 113E1-113E2 11B0A 11B60-11B67 11BC0-11BE0 11DB0-11DDB
11DF0-11DF1 11F00-11F10 11F12-11F3A 11F3E-11F42 11F5A 1342F 13440-13455 13460-143FA 16100-1612F
16D40-16D6C 16EBB-16ED3 16FF2-16FF3 187F8-187FF 18CD6-18CDA 18CFF 18D09-18D20 18D80-18DF2
18E00-19191 191A0-191D2 1B123-1B128 1B132 1B155 1B168 1D127-1D128 1D250-1D252 1D25B-1D25C 1D25F
1D280-1D281 1D6A6 1DF1F-1DF3F 1DF41-1DF47 1DF49 1DF4B-1DF4C 1DF4E-1DF50 1DF52-1DF67 1DF69 1DF6B
1DF6D 1DF6F-1DF71 1DF73 1DF75 1DF77 1DF79 1DF7B 1DF7D 1DF7F-1DF81 1DF90-1DF96 1DFCD-1DFFF
1E030-1E06D 1E08F 1E4D0-1E4EF 1E5D0-1E5F0 1E6C0-1E6DE 1E6E0-1E6F5 1E6FE-1E6FF 2B739-2B73F 2B81E
2CEA2-2CEAD 2EBF0-2EE5D 31350-33479 3D000-3FC3F
"""
"""Small letters, letters without case, and marks that Unicode has added since version 14.0.

Python 3.11 does not know them, and UD validation does.
"""


def _ranges(codes: str) -> list[range]:
    pairs = (item.partition("-") for item in codes.split())
    return [range(int(first, 16), int(last or first, 16) + 1) for first, _, last in pairs]


MAY_COMBINE = frozenset(code for block in _ranges(_COMBINING) for code in block)
"""Characters before `_FROM` that may combine with the preceding character."""

_NEW_RANGES = _ranges(_NEW_LETTERS)
_NEW_STARTS = [block.start for block in _NEW_RANGES]


def may_be_in_marker(character: str) -> bool:
    """Whether a character is allowed in case markers in DEPS: letters except capitals, and marks.

    Examples
    --------
    >>> [may_be_in_marker(one) for one in "éÉ中1"]
    [True, False, True, False]
    """
    category = unicodedata.category(character)
    if category != "Cn":
        return category in ("Ll", "Lm", "Lo", "Mn", "Mc", "Me")
    place = bisect_right(_NEW_STARTS, ord(character)) - 1
    return place >= 0 and ord(character) in _NEW_RANGES[place]


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


@cache
def classes(block: int) -> bytes:
    """Return the classes of 256 characters."""
    return bytes(map(character_class, range(256 * block, 256 * block + 256)))
