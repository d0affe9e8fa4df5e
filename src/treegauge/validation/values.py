"""Checks of distinct values; each string is examined once.

The kernels call :class:`Look` for strings of UPOS, FEATS, DEPREL and DEPS that are new, and for the
few unusual lines. They check the normal form of a line with classes of characters: it is in NFC if
no character of it can combine with the one before, none has a shorter form, and combining marks are
in order; lines with a character that may combine are checked in full by :mod:`unicodedata`.
"""

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import treegauge.kernels.validation_book as codes
from treegauge.validation.problems import RULES

SPACES = frozenset(
    map(chr, (*range(9, 14), 0x20, 0x85, 0xA0, 0x1680, *range(0x2000, 0x200B), 0x2028, 0x2029, 0x202F, 0x205F, 0x3000))
)
"""Unicode White_Space."""

SPACE, NOT_NORMAL_SPACE, REPLACED, SLOW = 250, 251, 252, 255
"""Classes in addition to the combining classes, 0 to 240."""

_FROM = 0x11000
"""From here on every mark is checked in full: later versions of Unicode add some that combine."""


def _ranges() -> dict[str, list[range]]:
    """Return the ranges of characters in ``data/unicode_ranges.txt``, by name."""
    lines = (Path(__file__).parents[1] / "data" / "unicode_ranges.txt").read_text(encoding="ascii").splitlines()
    pairs = {name: [item.partition("-") for item in items] for name, *items in map(str.split, lines)}
    return {name: [range(int(a, 16), int(b or a, 16) + 1) for a, _, b in own] for name, own in pairs.items()}


_RANGES = _ranges()
MAY_COMBINE = frozenset(code for block in _RANGES["combining"] for code in block)
"""Characters before `_FROM` that may combine with the preceding character."""
_NEW_RANGES = _RANGES["new"]
"""Small letters, letters without case, and marks that Unicode has added since version 14.0.

Python 3.11 does not know them, and UD validation does.
"""
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


_SPACE = f"[{re.escape(''.join(sorted(SPACES)))}]"
_ID = re.compile(
    rf"#{_SPACE}*parallel_id{_SPACE}*={_SPACE}*"
    r"((?P<key>[a-z]+/[-0-9a-z]+)"
    r"(?:/(?=alt|part)(?:alt(?P<alt>[1-9][0-9]*))?(?:part(?P<part>[1-9][0-9]*))?)?)"
)
Numbers = tuple[int | None, int | None]
"""Numbers of the alternative and of the part of a sentence."""


def broken_rules(comments: list[str], seen: set[str], last: dict[str, Numbers]) -> list[str]:
    """Return the rules that the parallel IDs of one sentence break.

    `comments` are, or look like, parallel IDs. `seen` and `last` have the IDs so far, and the numbers of the
    last sentence with the same key; both are updated.

    Examples
    --------
    >>> seen, last = set(), {}
    >>> broken_rules(["# parallel_id = pud/n1"], seen, last)
    []
    >>> broken_rules(["# parallel_id = pud/n1/alt2"], seen, last)
    ['parallel-id-alt']
    """
    matches = []
    broken = []
    for comment in comments:
        match = _ID.fullmatch(comment)
        if match:
            matches.append(match)
        elif comment.startswith(("# parallel_id", "#parallel_id")):
            broken.append("invalid-parallel-id")
    if len(matches) > 1:
        return [*broken, "multiple-parallel-id"]
    if not matches:
        return broken
    match = matches[0]
    if match[1] in seen:
        return [*broken, "non-unique-parallel-id"]
    seen.add(match[1])
    numbers: Numbers = (int(match["alt"]) if match["alt"] else None, int(match["part"]) if match["part"] else None)
    before = last.get(match["key"])
    last[match["key"]] = numbers
    for rule, place in (("parallel-id-alt", 0), ("parallel-id-part", 1)):
        number = numbers[place]
        previous = before[place] if before else None
        changed = before is not None and (previous is None) != (number is None)
        if changed or (number is not None and number != (previous or 0) + 1):
            broken.append(rule)
    return broken


UPOS = frozenset("ADJ ADP ADV AUX CCONJ DET INTJ NOUN NUM PART PRON PROPN PUNCT SCONJ SYM VERB X".split())
RELATIONS = frozenset(
    "acl advcl advmod amod appos aux case cc ccomp clf compound conj cop csubj dep det discourse "
    "dislocated expl fixed flat goeswith iobj list mark nmod nsubj nummod obj obl orphan parataxis "
    "punct reparandum root vocative xcomp".split()
)
ATTRIBUTES = ("SpaceAfter", "Lang", "Translit", "LTranslit", "Gloss", "LId", "LDeriv", "Ref")
"""Attributes of MISC whose spelling is tested."""

_SPACES = "".join(SPACES)
_FOLDED = str.maketrans("İſ", "is")
"""Letters whose upper or lower case is an ASCII letter, as in UD validation."""
_CODES = {rule.id: code for code, rule in enumerate(RULES)}
_FEATURE = re.compile(r"[A-Z][A-Za-z0-9]*(?:\[[a-z0-9]+\])?=[A-Z0-9][A-Za-z0-9]*(?:,[A-Z0-9][A-Za-z0-9]*)*", re.ASCII)
_DEPREL = re.compile(r"[a-z]+(?::[a-z]+)?")
# Letters other than a to z, and marks, are replaced by é before matching.
_EDEPREL = re.compile(r"[a-z]+(?::[a-z]+)?(?::[a-zé]+(?:_[a-zé]+)*)?(?::[a-z]+)?")
_ALLOWED = {
    codes.P_DET: ("DET", "PRON"),
    codes.P_ADVMOD: ("ADV", "ADJ", "CCONJ", "DET", "PART", "SYM"),
    codes.P_AUX: ("AUX",),
    codes.P_COP: ("AUX", "PRON", "DET", "SYM"),
}
_ALLOWED_EXACTLY = {
    codes.P_NUMMOD: ("NUM", "NOUN", "SYM"),
    codes.P_EXPL: ("PRON", "DET", "PART"),
    codes.P_PUNCT: ("PUNCT",),
    codes.P_NOT_PUNCT: ("PUNCT",),
}
_REFUSED = {
    codes.P_CASE: ("PROPN", "ADJ", "PRON", "DET", "NUM", "AUX"),
    codes.P_MARK: ("NOUN", "PROPN", "ADJ", "PRON", "DET", "NUM", "AUX", "INTJ"),
    codes.P_CC: ("NOUN", "PROPN", "ADJ", "PRON", "DET", "NUM", "VERB", "AUX", "INTJ"),
}
Span = tuple[int, int, int]
"""A rule and the affected bytes of a value: the first, and one past the last."""


def _refused_relations(tag: str) -> int:
    """Return the bits of the relations that a tag (UPOS or ExtPos) may not have."""
    bits = sum(bit for bit, tags in _ALLOWED.items() if not tag.startswith(tags))
    bits += sum(bit for bit, tags in _ALLOWED_EXACTLY.items() if tag not in tags)
    bits += sum(bit for bit, tags in _REFUSED.items() if tag.startswith(tags))
    bits += codes.P_FIXED if tag == "PROPN" else 0
    return bits << codes.P_SHIFT


def _items(value: str) -> Iterator[tuple[str, int, int]]:
    """Yield the items between bars, with their positions in bytes."""
    start = 0
    for item in value.split("|"):
        stop = start + len(item.encode())
        yield item, start, stop
        start = stop + 1


class Look:
    """Examines values for the kernels; one object serves a whole validation."""

    def __init__(self) -> None:
        self.feats_problems: list[list[Span]] = []
        self._parallel: dict[str, tuple[int | None, int | None]] = {}
        self._parallel_seen: set[str] = set()

    def upos(self, tag: str) -> int:
        """Describe a tag."""
        flags = _refused_relations(tag)
        for bit, tags in (
            (codes.U_PRON_DET, ("PRON", "DET")),
            (codes.U_NOMINAL, ("NOUN", "PROPN", "PRON")),
            (codes.U_NEGATOR, ("PART", "ADV")),
            (codes.U_X, ("X",)),
        ):
            flags |= bit if tag in tags else 0
        return flags | (0 if tag in UPOS else codes.U_UNKNOWN)

    def feats(self, value: str) -> int:
        """Describe the features of a word, and remember their problems."""
        problems: list[Span] = []
        self.feats_problems.append(problems)
        if value == "_":
            return 0
        items = value.split("|")
        if items != sorted(items, key=str.lower):
            problems.append((_CODES["unsorted-features"], 0, len(value.encode())))
        flags, names = 0, []
        for item, start, stop in _items(value):
            if not _FEATURE.fullmatch(item):
                problems.append((_CODES["invalid-feature"], start, stop))
                flags |= codes.F_BLOCKS
                names.append(item)
                continue
            name, _, text = item.partition("=")
            names.append(name)
            several = text.split(",")
            if len(set(several)) < len(several):
                problems.append((_CODES["repeated-feature-value"], start, stop))
            if several != sorted(several, key=str.lower):
                problems.append((_CODES["unsorted-feature-values"], start, stop))
        if len(set(names)) < len(names):
            problems.append((_CODES["repeated-feature"], 0, len(value.encode())))
        features = dict(item.partition("=")[::2] for item in items)
        for bit, holds in (
            (codes.F_PROBLEMS, bool(problems)),
            (codes.F_PRONTYPE, "PronType" in features),
            (codes.F_EXTPOS, "ExtPos" in features),
            (codes.F_FIN, features.get("VerbForm") == "Fin"),
            (codes.F_MOOD, "Mood" in features),
            (codes.F_TYPO, features.get("Typo") == "Yes"),
            (codes.F_NEG, features.get("Polarity") == "Neg"),
            (codes.F_POSS, features.get("Poss") == "Yes"),
            (codes.F_FOREIGN, value == "Foreign=Yes"),
        ):
            flags |= bit if holds else 0
        return flags | (_refused_relations(features["ExtPos"]) if "ExtPos" in features else 0)

    def deprel(self, relation: str) -> int:
        """Describe a relation of DEPREL."""
        flags = 0 if _DEPREL.fullmatch(relation) else codes.D_INVALID
        flags |= codes.D_FOREIGN if relation == "flat:foreign" else 0
        flags |= codes.D_OUTER if relation in ("nsubj:outer", "csubj:outer") else 0
        flags |= codes.D_LIKE_PUNCT if relation.startswith(("punct", "root")) else 0
        return flags | self._universal(relation)

    def edeprel(self, relation: str) -> int:
        """Describe a relation of DEPS."""
        plain = "".join("é" if c > "z" and may_be_in_marker(c) else c for c in relation)
        flags = 0 if _EDEPREL.fullmatch(plain) else codes.D_INVALID
        return flags | self._universal(relation)

    @staticmethod
    def _universal(relation: str) -> int:
        universal = relation.partition(":")[0]
        flags = 0 if universal in RELATIONS else codes.D_UNKNOWN
        flags |= codes.D_REF if universal == "ref" else 0
        flags |= codes.D_SUBJECT if "subj" in universal else 0
        known = universal in RELATIONS
        number = getattr(codes, f"X_{universal.upper()}", codes.X_OTHER) if known else codes.X_OTHER
        return flags | number << codes.D_SHIFT

    def lang(self, code: str) -> int:
        """Describe a language; there is nothing to describe."""
        return 0

    def classes(self, block: int) -> bytes:
        """Return the classes of 256 characters."""
        return classes(block)

    def is_normalized(self, line: bytes) -> bool:
        """Whether a line is in normal form NFC."""
        return unicodedata.is_normalized("NFC", line.decode())

    def is_digit(self, code: int) -> bool:
        """Whether a character is a digit in any script."""
        return chr(code).isdigit()

    def misc(self, value: str) -> list[Span]:
        """Return the problems of the attributes of MISC."""
        problems: list[Span] = []
        counts: dict[str, int] = {}
        lowered = {name.lower(): name for name in ATTRIBUTES}
        for item, start, stop in _items(value):
            name, equals, text = item.partition("=")
            if not item:
                problems.append((_CODES["empty-misc"], start, stop))
                continue
            if equals and not name:
                problems.append((_CODES["empty-misc-key"], start, stop))
            if any(part and (part[0] in SPACES or part[-1] in SPACES) for part in (name, text)):
                problems.append((_CODES["misc-extra-space"], start, stop))
            usual = lowered.get(name.strip(_SPACES).translate(_FOLDED).lower())
            if usual and usual != name:
                problems.append((_CODES["misc-attr-typo"], start, stop))
            if name in ATTRIBUTES:
                counts[name] = counts.get(name, 0) + 1
        whole = (0, len(value.encode()))
        problems += [(_CODES["repeated-misc"], *whole) for number in counts.values() if number > 1]
        return problems

    def parallel_ids(self, comments: list[str]) -> list[int]:
        """Return the rules that the parallel IDs of a sentence break."""
        return [_CODES[rule] for rule in broken_rules(comments, self._parallel_seen, self._parallel)]
