"""Damage to columns."""

# ruff: noqa: E501 -- a list of values reads better on one line

import random
from collections.abc import Callable

from tests.validation.damage_kinds import (
    DEPREL,
    DEPS,
    FEATS,
    FORM,
    HEAD,
    ID,
    LEMMA,
    MISC,
    TAGS,
    UPOS,
    XPOS,
    Lines,
    damage,
    edit,
    enhance,
    insert_at,
    rows,
    set_fields,
)
from tests.validation.damage_words import DEPREL_WORDS, FEATURES, LANGUAGES, MISC_ITEMS, SPACES


@damage
def heads(lines: Lines, draw: random.Random) -> None:
    size = len(rows(lines))
    odd = ["_", "", "00", "-1", "1.1", " 1", "x", "01", str(size + 1), "0", "٣"]
    for _ in range(draw.randint(1, 3)):
        edit(lines, draw, HEAD, lambda _: str(draw.randint(0, size)) if draw.random() < 0.8 else draw.choice(odd))


@damage
def reattach(lines: Lines, draw: random.Random) -> None:
    """Give words another head without making a cycle: the one before them, or the root."""
    numbers = rows(lines)
    for _ in range(draw.randint(1, 6) if numbers else 0):
        number = draw.choice(numbers)
        fields = lines[number].split("\t")
        here = int(fields[ID])
        if fields[HEAD] != "0" and here > 1:
            set_fields(lines, number, HEAD=str(draw.randint(max(1, here - 6), here - 1)))


@damage
def random_tree(lines: Lines, draw: random.Random) -> None:
    """Attach every word at random, without cycles; the root stays."""
    numbers = rows(lines)
    nodes = {lines[number].split("\t")[ID]: number for number in numbers}
    roots = [node for node, number in nodes.items() if lines[number].split("\t")[HEAD] == "0"]
    if len(roots) != 1:
        return
    done, left = roots, [node for node in nodes if node not in roots]
    draw.shuffle(left)
    for node in left:
        near = [one for one in done if abs(int(one) - int(node)) < 5]
        set_fields(lines, nodes[node], HEAD=draw.choice(near or done))
        done.append(node)


@damage
def relations(lines: Lines, draw: random.Random) -> None:
    for _ in range(draw.randint(1, 4)):
        edit(lines, draw, DEPREL, lambda _: draw.choice(DEPREL_WORDS))


@damage
def relations_more(lines: Lines, draw: random.Random) -> None:
    for _ in range(draw.randint(3, 12)):
        edit(lines, draw, DEPREL, lambda _: draw.choice(DEPREL_WORDS[:37]))


@damage
def tags(lines: Lines, draw: random.Random) -> None:
    for _ in range(draw.randint(1, 5)):
        edit(lines, draw, UPOS, lambda _: draw.choice([*TAGS, *TAGS, "noun", "FOO", "X "]))


@damage
def xpos(lines: Lines, draw: random.Random) -> None:
    edit(lines, draw, XPOS, lambda _: draw.choice(["", " ", "a b", "a\xa0b", "_", "x|y"]), plain=False)


def one_feature(feats: str, draw: random.Random) -> str:
    """Add, repeat, reorder, remove or misspell features."""
    items = [] if feats == "_" else feats.split("|")
    way = draw.randrange(9)
    if way <= 2:
        items.append(draw.choice(FEATURES))
        items.sort(key=str.lower)
    elif way == 3:
        items.insert(0, draw.choice(FEATURES))
    elif way == 4:
        draw.shuffle(items)
    elif way == 5 and items:
        items.append(draw.choice(items))
    elif way == 6 and items:
        del items[draw.randrange(len(items))]
    elif way == 7 and items:
        number = draw.randrange(len(items))
        item = items[number]
        items[number] = draw.choice(
            [item.lower(), item.upper(), item + ",Foo", item + ",", item.replace("=", ""), item + "=", " " + item, item + "x",
             item.replace("=", "[psor]="), item.replace("=", "[Psor]="), item + "," + item.partition("=")[2], "Aaa=" + item]
        )  # fmt: skip
    elif way == 8:
        items = [draw.choice(["", "_", "|", "Case", "Foo=Bar", "_|Case=Nom", "case=Nom"])]
    return "|".join(items) or "_"


@damage
def features(lines: Lines, draw: random.Random) -> None:
    for _ in range(draw.randint(1, 4)):
        edit(lines, draw, FEATS, lambda feats: one_feature(feats, draw), plain=draw.random() < 0.9)


@damage
def no_features(lines: Lines, draw: random.Random) -> None:
    for number in rows(lines):
        set_fields(lines, number, FEATS="_")


@damage
def lemmas(lines: Lines, draw: random.Random) -> None:
    odd = ["_", "", "a b", " a", "a ", "a  b", "10 000", "be", "a\xa0b", "\u2003", "a\x1cb", "\x1fa", "have"]
    for _ in range(draw.randint(1, 3)):
        edit(lines, draw, LEMMA, lambda _: draw.choice(odd), plain=draw.random() < 0.9)


@damage
def forms(lines: Lines, draw: random.Random) -> None:
    kinds: list[Callable[[str], str]] = [
        lambda form: insert_at(form, draw, draw.choice(SPACES)), lambda form: form + "x", lambda form: form[:-1],
        lambda form: "", lambda form: "_", lambda form: " " + form, lambda form: form + " ", lambda form: form + "  x",
        lambda form: "10 000", lambda form: form.swapcase(), lambda form: form + "\x1f",
    ]  # fmt: skip
    edit(lines, draw, FORM, draw.choice(kinds), plain=draw.random() < 0.8)


def one_edge(deps: str, draw: random.Random, size: int) -> str:
    items = [] if deps == "_" else deps.split("|")
    way = draw.randrange(8)
    edge = f"{draw.randint(0, size)}:{draw.choice(DEPREL_WORDS)}"
    if way <= 2:
        items.append(edge)
        if draw.random() < 0.7:
            items.sort(key=lambda item: (item.partition(":")[0].zfill(4), item))
    elif way == 3:
        items = [edge]
    elif way == 4:
        items.reverse()
    elif way == 5 and items:
        items.append(items[0])
    elif way == 6:
        items.append(draw.choice(["", "1", "x:dep", "01:dep", "99:dep", "1.1:dep", "0:dep", "1:", ":dep", "1:a:b:c:d:e", "0.1:dep",
                                  "1.0:dep", "1:obl:in_on:gen", "1:obl:για", "1:obl:में", "1:obl:In", "1:obl:in__on", "0:root"]))  # fmt: skip
    else:
        items = []
    return "|".join(items) or "_"


@damage
def edges(lines: Lines, draw: random.Random) -> None:
    if draw.random() < 0.6:
        enhance(lines, draw)
    size = len(rows(lines))
    for _ in range(draw.randint(0, 4)):
        edit(lines, draw, DEPS, lambda deps: one_edge(deps, draw, size), plain=draw.random() < 0.9)


@damage
def misc(lines: Lines, draw: random.Random) -> None:
    for _ in range(draw.randint(1, 4)):
        item = draw.choice(MISC_ITEMS)
        edit(lines, draw, MISC, lambda old, item=item: item if old == "_" or draw.random() < 0.3 else f"{old}|{item}",
             plain=draw.random() < 0.8)  # fmt: skip


@damage
def languages(lines: Lines, draw: random.Random) -> None:
    code = draw.choice(LANGUAGES)
    numbers = rows(lines, plain=False)
    start = draw.randrange(len(numbers)) if numbers else 0
    for number in numbers[start : start + draw.randint(1, 12)]:
        old = lines[number].split("\t")[MISC]
        set_fields(lines, number, MISC=code if old == "_" else f"{code}|{old}")
