"""Damage to lines, characters, tokens and nodes."""

# ruff: noqa: E501 -- a list of values reads better on one line

import random
import unicodedata

from tests.validation.damage_kinds import FORM, ID, MISC, TAGS, UPOS, Lines, damage, edit, enhance, insert_at, rows
from tests.validation.damage_words import FEATURES, MISC_ITEMS, SPACES


@damage
def lose_line(lines: Lines, draw: random.Random) -> None:
    del lines[draw.randrange(len(lines))]
    if not lines:
        lines.append("")


@damage
def repeat_line(lines: Lines, draw: random.Random) -> None:
    lines.insert(draw.randint(0, len(lines)), draw.choice(lines))


@damage
def swap_lines(lines: Lines, draw: random.Random) -> None:
    one, two = draw.randrange(len(lines)), draw.randrange(len(lines))
    lines[one], lines[two] = lines[two], lines[one]


@damage
def odd_line(lines: Lines, draw: random.Random) -> None:
    choices = ["", "", " ", "\t", "\xa0", "# late", "#", "odd", " # x", "\u0663\tx", "²\tx", "1", "1\t", "_",
               "\x1c", "\x0c", "0\t" + "\t".join("_" * 9), "-1\t" + "\t".join("_" * 9)]  # fmt: skip
    lines.insert(draw.randint(0, len(lines)), draw.choice(choices))


@damage
def tabs(lines: Lines, draw: random.Random) -> None:
    number = draw.randrange(len(lines))
    line = lines[number]
    lines[number] = draw.choice(
        [line + "\t", "\t" + line, line.replace("\t", " ", 1), line.replace("\t", "\t\t", 1), line.replace("\t", "  "),
         line.rpartition("\t")[0] or line, insert_at(line, draw, "\t"), " " + line, line + " "]
    )  # fmt: skip


@damage
def newlines(lines: Lines, draw: random.Random) -> None:
    number = draw.randrange(len(lines))
    if draw.random() < 0.5:
        lines[number] += "\r"
    else:
        lines[number] = insert_at(lines[number], draw, draw.choice("\r\x0b\x0c\x85\u2028\u2029\x1c\x1e"))


@damage
def characters(lines: Lines, draw: random.Random) -> None:
    number = draw.randrange(len(lines))
    line = lines[number]
    kinds = [
        unicodedata.normalize("NFD", line), unicodedata.normalize("NFC", line), insert_at(line, draw, "\ufffd"),
        insert_at(line, draw, "e\u0301"), insert_at(line, draw, "\u0344"), insert_at(line, draw, "\u212b"),
        insert_at(line, draw, "\u0301"), insert_at(line, draw, "\u200b"), "\ufeff" + line,
        insert_at(line, draw, draw.choice(SPACES)), insert_at(line, draw, draw.choice("#|=:_,-.")),
        line.upper(), line.lower(), line[: draw.randint(0, len(line))],
    ]  # fmt: skip
    lines[number] = draw.choice(kinds)


@damage
def one_character(lines: Lines, draw: random.Random) -> None:
    for _ in range(draw.randint(1, 3)):
        number = draw.randrange(len(lines))
        line = lines[number]
        place = draw.randint(0, max(len(line) - 1, 0))
        new = draw.choice(["", line[place : place + 1] * 2, draw.choice("aZ0#|=:_,-.[]/ é\t\u0301")])
        lines[number] = line[:place] + new + line[place + 1 :]


@damage
def fields_of_a_row(lines: Lines, draw: random.Random) -> None:
    numbers = rows(lines, plain=False)
    if not numbers:
        return
    number = draw.choice(numbers)
    fields = lines[number].split("\t")
    one, two = draw.randrange(10), draw.randrange(10)
    way = draw.randrange(4)
    if way == 0:
        fields[one], fields[two] = fields[two], fields[one]
    elif way == 1:
        fields[one] = fields[two]
    elif way == 2:
        fields[one] = ""
    else:
        other = lines[draw.choice(numbers)].split("\t")
        fields[one] = other[one]
    if fields[UPOS] != "_" or "-" in fields[ID] or "." in fields[ID]:
        lines[number] = "\t".join(fields)


@damage
def node_ids(lines: Lines, draw: random.Random) -> None:
    choices = ["0", "01", "1.0", "1-", "-1", "a", "1", "2", "3", "1.1", "2.1", "0.1", "1-2", "2-1", "1-1", "99", "1-2-3",
               "1.1.1", " 1", "1 ", "٣", "", "_", "3-5"]  # fmt: skip
    edit(lines, draw, ID, lambda _: draw.choice(choices), plain=draw.random() < 0.5)


@damage
def multiword(lines: Lines, draw: random.Random) -> None:
    numbers = rows(lines)
    if not numbers:
        return
    start = draw.randint(1, len(numbers))
    end = start + draw.choice((-1, 0, 1, 1, 1, 2, 2, 3))
    fields = [f"{start}-{end}", "xy", *"_" * 8]
    if draw.random() < 0.4:
        fields[draw.randint(2, 8)] = draw.choice(["x", "_", "Typo=Yes", "Foo=Bar|Typo=Yes", "", "1", "X Y"])
    if draw.random() < 0.5:
        fields[MISC] = draw.choice(MISC_ITEMS)
    if draw.random() < 0.2:
        fields[FORM] = draw.choice(["x y", "_", "", " x", "\xa0"])
    place = numbers[start - 1] if draw.random() < 0.8 else draw.randint(0, len(lines))
    lines.insert(place, "\t".join(fields))


@damage
def empty_node(lines: Lines, draw: random.Random) -> None:
    numbers = rows(lines)
    if not numbers:
        return
    after = draw.randint(0, len(numbers))
    deps = draw.choice([f"{draw.randint(0, len(numbers))}:dep", "0:root", "_", "1:orphan", "1:root", f"{after}.1:dep"])
    head, deprel = draw.choice([("_", "_")] * 5 + [("1", "dep"), ("_", "dep"), ("0", "root")])
    minor = draw.choice([1, 1, 1, 1, 1, 2])
    tag = draw.choice([*TAGS, "_", "_", "FOO"])
    fields = [f"{after}.{minor}", "e", "e", tag, "_", draw.choice(["_", "_", *FEATURES]), head, deprel, deps,
              draw.choice(["_", "_", *MISC_ITEMS])]  # fmt: skip
    place = numbers[after - 1] + 1 if after and draw.random() < 0.8 else draw.randint(0, len(lines))
    lines.insert(place, "\t".join(fields))
    if draw.random() < 0.4:
        enhance(lines, draw)
