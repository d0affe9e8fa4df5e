"""Random damage to treebanks: the same seed gives the same damage."""

import random
import re
from collections.abc import Callable, Sequence

from tests.validation import damage_columns, damage_lines, damage_syntax
from tests.validation.damage_kinds import CRASHES, DAMAGES, DEPREL, DEPS, FEATS, HEAD, MISC, XPOS, rows

MODULES = [one.__name__ for one in (damage_lines, damage_columns, damage_syntax)]
KINDS = sorted(DAMAGES, key=lambda kind: MODULES.index(kind.__module__))


def damaged(sentence: str, draw: random.Random, *, crashes: float = 0.0) -> str:
    """Return a sentence with one to four kinds of damage; a share `crashes` has one more."""
    lines = sentence.rstrip("\n").split("\n")
    for _ in range(draw.choice((1, 1, 1, 2, 2, 3, 4))):
        draw.choice(KINDS)(lines, draw)
    if draw.random() < crashes:
        draw.choice(CRASHES)(lines, draw)
    ends = ["\n\n"] * 40 + ["\n\n\n", "\n \n", "\n\t\n", "\n\xa0\n", "\n\x0c\n", "\n", "\r\n\r\n"]
    return "\n".join(lines) + draw.choice(ends)


def sentences(text: str) -> list[str]:
    """Return the sentences of a file."""
    return [f"{one}\n\n" for one in text.strip("\n").split("\n\n") if one]


def damaged_files(text: str, seed: int, count: int, size: int, *, crashes: float = 0.0) -> list[str]:
    """Return files of `size` sentences each, most of them damaged, drawn from a treebank.

    Parameters
    ----------
    text
        The treebank.
    seed
        Equal seeds give equal files.
    count
        The number of damaged sentences in all files together.
    size
        The number of damaged sentences in a file.
    crashes
        The share of sentences with damage on which the official program crashes.
    """
    draw = random.Random(seed)
    originals: Sequence[str] = sentences(text)
    files = []
    for _ in range(0, count, size):
        own = []
        for _ in range(min(size, count)):
            own.append(damaged(draw.choice(originals), draw, crashes=crashes))
            if draw.random() < 0.1:
                own.append(draw.choice(originals))
        mark = draw.choice(["\ufeff"] + [""] * 40)
        files.append(mark + whole_file("".join(own), draw))
    return files


def whole_file(text: str, draw: random.Random) -> str:
    """Change one thing in all sentences of a file, in one file of four."""
    way = draw.randrange(32)
    if way == 0:
        return text.replace("\n", "\r\n")
    if way == 1:
        return text.rstrip("\n")
    if way == 2:
        return re.sub(r"^# (text|sent_id) = .*\n", "", text, flags=re.MULTILINE)
    if way <= 7:
        column = draw.choice([FEATS, FEATS, DEPS, MISC, XPOS])
        return on_rows(text, lambda fields: [*fields[:column], "_", *fields[column + 1 :]])
    if way == 8:
        return on_rows(text, lambda fields: [*fields[:DEPS], f"{fields[HEAD]}:{fields[DEPREL]}", fields[MISC]])
    return text


def on_rows(text: str, change: Callable[[list[str]], list[str]]) -> str:
    """Change all words of a file."""
    lines = text.split("\n")
    for number in rows(lines):
        lines[number] = "\t".join(change(lines[number].split("\t")))
    return "\n".join(lines)
