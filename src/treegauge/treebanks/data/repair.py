"""Repair of malformed sentences by fixed rules that never invent words.

The rules, in this order: bytes that are not UTF-8 become U+FFFD, and a byte order mark is removed;
comments inside a sentence move to its top; lines of ten fields separated by spaces get tabs; empty
forms become ``_``; word IDs are renumbered in order, and heads with them (heads that refer to an ID
that occurs twice are lost); multiword ranges are cut to existing words; malformed trees are
repaired by :func:`treegauge.treebanks.data.trees.repair`. Blocks without words are dropped. A sentence
that no rule repairs is left out.
"""

import re
from collections import Counter

import numpy as np

from treegauge.treebanks.data.columns import Treebank, closed
from treegauge.treebanks.data.trees import repair as repair_heads

# Characters that the official script drops from a FORM (category Zs); U+0085 is not one of them.
BLANKS = " \u00a0\u1680\u2000-\u200a\u202f\u205f\u3000"
_BLANK = re.compile(f"[{BLANKS}]*")
_GAP = re.compile(f"[\t{BLANKS}]+")
_WORD = re.compile(r" *\+?\d{1,9} *")
_OTHER = re.compile(r"\d{1,9}[-.]\d{1,9}")


def repair_sentences(treebank: Treebank, broken: set[int]) -> tuple[bytes, list[int]]:
    """Return a treebank with malformed sentences repaired, or left out if no rule applies.

    The number after the last sentence means the comments after it. Returns the new bytes, and the
    old number of each sentence in them.
    """
    parts: list[bytes] = []
    numbers: list[int] = []
    for number, (start, stop) in enumerate(treebank.spans.tolist()):
        piece = treebank.raw[start:stop].tobytes()
        if number in broken:
            text = piece.decode(errors="replace").replace("\r\n", "\n").replace("\r", "\n")
            lines = repair_sentence([line for line in text.split("\n") if line])
            if lines is None:
                continue
            piece = "\n".join([*lines, "", ""]).encode()
        parts.append(closed(piece))
        numbers.append(number)
    tail = treebank.tail
    if len(treebank) in broken:
        tail = tail.decode(errors="replace").encode()
    return b"".join([*parts, tail]), numbers


def repair_sentence(lines: list[str]) -> list[str] | None:
    """Return the repaired lines of a sentence (without its blank line), or None."""
    comments = [line for line in lines if line.startswith("#")]
    table = [_fields(line) for line in lines if not line.startswith("#")]
    if not table or any(len(fields) != 10 for fields in table):
        return None
    for fields in table:
        if _BLANK.fullmatch(fields[1]):
            fields[1] = "_"
    words = [fields for fields in table if _WORD.fullmatch(fields[0])]
    others = [fields for fields in table if not _WORD.fullmatch(fields[0])]
    if not words or any(not _OTHER.fullmatch(fields[0]) for fields in others):
        return None
    _renumber(table, words)
    return comments + ["\t".join(fields) for fields in table if fields[0]]


def _fields(line: str) -> list[str]:
    fields = line.split("\t")
    return fields if len(fields) == 10 else [word for word in _GAP.split(line) if word]


def _renumber(table: list[list[str]], words: list[list[str]]) -> None:
    """Renumber the rows and repair the tree; a range of fewer than two words gets an empty ID."""
    old = [int(fields[0]) for fields in words]
    times = Counter(old)
    new = {value: i + 1 for i, value in enumerate(old) if times[value] == 1}
    heads = []
    for fields in words:
        try:
            head = int(fields[6])
        except ValueError:
            head = -1
        heads.append(0 if head == 0 else new.get(head, -1))
    before = np.array(heads, np.int32)
    repaired, _ = repair_heads(before)
    position = 0
    for fields in table:
        if "." in fields[0]:
            fields[0] = f"{position}.{fields[0].partition('.')[2]}"
        elif "-" in fields[0]:
            start, end = map(int, fields[0].split("-"))
            last = min(position + 1 + end - start, len(words))
            fields[0] = f"{position + 1}-{last}" if last > position + 1 else ""
        else:
            head = int(repaired[position])
            position += 1
            if head == 0:
                fields[7] = "root"
            elif fields[7] == "root":
                fields[7] = "dep"
            fields[0], fields[6] = str(position), str(head)
