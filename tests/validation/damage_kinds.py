"""Kinds of damage: how they are registered, and what they have in common.

A sentence is a list of lines without the empty one at its end. Each function registered by
``@damage`` changes the list in place; it may leave a sentence as it is where it has nothing to
change.
"""

import random
from collections.abc import Callable

Lines = list[str]
Damage = Callable[[Lines, random.Random], None]
DAMAGES: list[Damage] = []
CRASHES: list[Damage] = []
"""Damage on which the official program is known to crash."""
ID, FORM, LEMMA, UPOS, XPOS, FEATS, HEAD, DEPREL, DEPS, MISC = range(10)
TAGS = "ADJ ADP ADV AUX CCONJ DET INTJ NOUN NUM PART PRON PROPN PUNCT SCONJ SYM VERB X".split()


def damage(function: Damage) -> Damage:
    """Register a kind of damage."""
    DAMAGES.append(function)
    return function


def crash(function: Damage) -> Damage:
    """Register a kind of damage on which the official program crashes."""
    CRASHES.append(function)
    return function


def rows(lines: Lines, *, plain: bool = True) -> list[int]:
    """Return the numbers of the lines of words, or of all tokens and nodes."""
    found = []
    for number, line in enumerate(lines):
        node = line.partition("\t")[0]
        if line.count("\t") == 9 and node[:1].isdigit() and (not plain or (node.isascii() and node.isdigit())):
            found.append(number)
    return found


def edit(lines: Lines, draw: random.Random, column: int, change: Callable[[str], str], *, plain: bool = True) -> None:
    """Change one column of a random row."""
    numbers = rows(lines, plain=plain)
    if not numbers:
        return
    number = draw.choice(numbers)
    fields = lines[number].split("\t")
    fields[column] = change(fields[column])
    lines[number] = "\t".join(fields)


def set_fields(lines: Lines, number: int, **values: str) -> None:
    """Set columns of a row by name."""
    fields = lines[number].split("\t")
    for name, value in values.items():
        fields[globals()[name]] = value
    lines[number] = "\t".join(fields)


def group(lines: Lines, draw: random.Random, relation: str, size: int = 4) -> list[int]:
    """Make neighbouring words a group under the first one; gaps and wrong directions happen."""
    numbers = rows(lines)
    if len(numbers) < 2:
        return []
    start = draw.randrange(len(numbers) - 1)
    members = numbers[start : start + draw.randint(2, size)]
    if draw.random() < 0.2:
        members.reverse()
    head = lines[members[0]].split("\t")[ID]
    for number in members[1:]:
        if draw.random() < 0.85:
            set_fields(lines, number, HEAD=head, DEPREL=relation)
    return members


def insert_at(text: str, draw: random.Random, what: str) -> str:
    """Put something at a random place of a text."""
    place = draw.randint(0, len(text))
    return text[:place] + what + text[place:]


def enhance(lines: Lines, draw: random.Random) -> None:
    """Make an enhanced graph out of the tree."""
    for number in rows(lines):
        fields = lines[number].split("\t")
        set_fields(lines, number, DEPS=f"{fields[HEAD]}:{fields[DEPREL]}")
