"""Random damage to sentences: the same seed gives the same damage.

A sentence is a list of lines without the empty one at its end. Each function registered by
``@damage`` changes the list in place; it may leave a sentence as it is where it has nothing to
change.
"""

# ruff: noqa: E501 -- a case or a list of values reads better on one line

import random
import re
import unicodedata
from collections.abc import Callable, Sequence

from tests.validation.damage_words import DEPREL_WORDS, FEATURES, LANGUAGES, MISC_ITEMS, SPACES

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


def damaged(sentence: str, draw: random.Random, *, crashes: float = 0.0) -> str:
    """Return a sentence with one to four kinds of damage; a share `crashes` has one more."""
    lines = sentence.rstrip("\n").split("\n")
    for _ in range(draw.choice((1, 1, 1, 2, 2, 3, 4))):
        draw.choice(DAMAGES)(lines, draw)
    if draw.random() < crashes:
        draw.choice(CRASHES)(lines, draw)
    ends = ["\n\n"] * 40 + ["\n\n\n", "\n \n", "\n\t\n", "\n\xa0\n", "\n\x0c\n", "\n", "\r\n\r\n"]
    return "\n".join(lines) + draw.choice(ends)


def rows(lines: Lines, *, plain: bool = True) -> list[int]:
    """Return the numbers of the lines of words, or of all tokens and nodes."""
    found = []
    for number, line in enumerate(lines):
        node = line.partition("\t")[0]
        if (
            line.count("\t") == 9
            and node[:1].isdigit()
            and (not plain or (node.isascii() and node.isdigit()))
        ):
            found.append(number)
    return found


def edit(
    lines: Lines,
    draw: random.Random,
    column: int,
    change: Callable[[str], str],
    *,
    plain: bool = True,
) -> None:
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


# ------------------------------------------------------------------------------ lines


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
        lines[number] = insert_at(
            lines[number], draw, draw.choice("\r\x0b\x0c\x85\u2028\u2029\x1c\x1e")
        )


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
        new = draw.choice(
            ["", line[place : place + 1] * 2, draw.choice("aZ0#|=:_,-.[]/ é\t\u0301")]
        )
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


# ------------------------------------------------------------------------------ tokens and nodes


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
        fields[draw.randint(2, 8)] = draw.choice(
            ["x", "_", "Typo=Yes", "Foo=Bar|Typo=Yes", "", "1", "X Y"]
        )
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
    deps = draw.choice(
        [
            f"{draw.randint(0, len(numbers))}:dep",
            "0:root",
            "_",
            "1:orphan",
            "1:root",
            f"{after}.1:dep",
        ]
    )
    head, deprel = draw.choice([("_", "_")] * 5 + [("1", "dep"), ("_", "dep"), ("0", "root")])
    minor = draw.choice([1, 1, 1, 1, 1, 2])
    tag = draw.choice([*TAGS, "_", "_", "FOO"])
    fields = [f"{after}.{minor}", "e", "e", tag, "_", draw.choice(["_", "_", *FEATURES]), head, deprel, deps,
              draw.choice(["_", "_", *MISC_ITEMS])]  # fmt: skip
    place = numbers[after - 1] + 1 if after and draw.random() < 0.8 else draw.randint(0, len(lines))
    lines.insert(place, "\t".join(fields))
    if draw.random() < 0.4:
        enhance(lines, draw)


# ------------------------------------------------------------------------------ columns


@damage
def heads(lines: Lines, draw: random.Random) -> None:
    size = len(rows(lines))
    odd = ["_", "", "00", "-1", "1.1", " 1", "x", "01", str(size + 1), "0", "٣"]
    for _ in range(draw.randint(1, 3)):
        edit(
            lines,
            draw,
            HEAD,
            lambda _: str(draw.randint(0, size)) if draw.random() < 0.8 else draw.choice(odd),
        )


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
    edit(
        lines,
        draw,
        XPOS,
        lambda _: draw.choice(["", " ", "a b", "a\xa0b", "_", "x|y"]),
        plain=False,
    )


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
    odd = ["_", "", "a b", " a", "a ", "a  b", "10 000", "be", "a\xa0b", "\u2003", "a\x1cb", "\x1fa", "have"]  # fmt: skip
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


def enhance(lines: Lines, draw: random.Random) -> None:
    """Make an enhanced graph out of the tree."""
    for number in rows(lines):
        fields = lines[number].split("\t")
        set_fields(lines, number, DEPS=f"{fields[HEAD]}:{fields[DEPREL]}")


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


# ------------------------------------------------------------------------------ syntax


@damage
def goeswith(lines: Lines, draw: random.Random) -> None:
    members = group(lines, draw, "goeswith")
    for number in members[1:]:
        if draw.random() < 0.7:
            set_fields(
                lines, number, LEMMA="_", UPOS="X", FEATS=draw.choice(["_", "_", "Typo=Yes"])
            )
        if draw.random() < 0.2:
            set_fields(lines, number, MISC=draw.choice(["SpaceAfter=No", "Lang=en"]))
    if members and draw.random() < 0.7:
        set_fields(
            lines, members[0], FEATS=draw.choice(["Typo=Yes", "Case=Nom|Typo=Yes", "Typo=No", "_"])
        )


@damage
def fixed(lines: Lines, draw: random.Random) -> None:
    members = group(lines, draw, draw.choice(["fixed", "fixed", "fixed:x"]), 5)
    if members and draw.random() < 0.5:
        values = [
            "ExtPos=ADV",
            "ExtPos=PROPN",
            "ExtPos=ADP,ADV",
            "ExtPos=PUNCT",
            "ExtPos=DET",
            "ExtPos=PRON,NOUN",
        ]
        set_fields(lines, members[0], FEATS=draw.choice(values))


@damage
def flat(lines: Lines, draw: random.Random) -> None:
    members = group(
        lines, draw, draw.choice(["flat", "flat:name", "flat:foreign", "conj", "appos", "list"])
    )
    for number in members:
        if draw.random() < 0.5 and lines[number].split("\t")[HEAD] != "0":
            set_fields(
                lines,
                number,
                UPOS="X",
                FEATS=draw.choice(["Foreign=Yes", "Foreign=Yes|Typo=Yes", "_"]),
            )


@damage
def function_words(lines: Lines, draw: random.Random) -> None:
    relation = draw.choice("mark case aux cop det clf cc fixed goeswith punct".split())
    members = group(lines, draw, draw.choice(DEPREL_WORDS[:37]), 6)
    if members and lines[members[0]].split("\t")[HEAD] != "0":
        set_fields(lines, members[0], DEPREL=relation)
        if draw.random() < 0.4:
            set_fields(lines, members[0], FEATS=draw.choice(["Poss=Yes", "Poss=Yes|PronType=Prs"]))
    for number in members[1:]:
        if draw.random() < 0.3:
            set_fields(
                lines,
                number,
                UPOS=draw.choice(["PART", "ADV", "X"]),
                FEATS=draw.choice(["Polarity=Neg", "Polarity=Neg,Pos"]),
                DEPREL="advmod",
            )


@damage
def punctuation(lines: Lines, draw: random.Random) -> None:
    numbers = rows(lines)
    for _ in range(draw.randint(1, 5) if numbers else 0):
        number = draw.choice(numbers)
        fields = lines[number].split("\t")
        if fields[HEAD] != "0":
            head = str(draw.randint(1, len(numbers)))
            set_fields(lines, number, UPOS=draw.choice(["PUNCT"] * 6 + ["SYM"]), DEPREL="punct",
                       HEAD=head if head != fields[ID] and draw.random() < 0.6 else fields[HEAD])  # fmt: skip


@damage
def punctuation_heads(lines: Lines, draw: random.Random) -> None:
    """Attach punctuation elsewhere: it rarely has children, so that this seldom makes a cycle."""
    numbers = rows(lines)
    for number in numbers:
        fields = lines[number].split("\t")
        if fields[DEPREL].startswith("punct") and draw.random() < 0.6:
            head = str(draw.randint(1, len(numbers)))
            if head != fields[ID]:
                set_fields(lines, number, HEAD=head)


@damage
def clauses(lines: Lines, draw: random.Random) -> None:
    kinds = draw.choice([["nsubj", "nsubj:outer", "csubj", "nsubj:pass", "csubj:outer"], ["obj", "obj", "iobj", "obj:x"],
                         ["obl", "obl:arg", "nmod"], ["orphan", "orphan:x"], ["advmod", "det", "nummod", "expl"]])  # fmt: skip
    for number in group(lines, draw, kinds[0], 5)[1:]:
        set_fields(lines, number, DEPREL=draw.choice(kinds))
        if draw.random() < 0.2:
            set_fields(
                lines, number, MISC=draw.choice(["Subject=Outer", "Subject=Outer|SpaceAfter=No"])
            )


# ------------------------------------------------------------------------------ comments


def comment(lines: Lines, name: str) -> int | None:
    """Return the number of the line of a comment, or None."""
    starts = (f"# {name}", f"#{name}")
    return next((number for number, line in enumerate(lines) if line.startswith(starts)), None)


@damage
def text_comment(lines: Lines, draw: random.Random) -> None:
    number = comment(lines, "text =")
    if number is None:
        return
    line = lines[number]
    value = line.partition("=")[2].strip()
    lines[number] = draw.choice(
        [f"# text = {value} ", f"# text = {value}\xa0", f"# text = {value} x", f"# text={value}", f"#text ={value}", "# text =", "# text = ",
         f"# text = {value[:-1]}", f"# text = {value[1:]}", f"# text = {value.replace(' ', '  ', 1)}", f"# text = {value.replace(' ', '')}",
         f"# text = {insert_at(value, draw, 'x')}", f"# text = {insert_at(value, draw, ' ')}", f"# text {value}", f"#  text  =  {value}",
         f"# text = {value}\n# text = {value}", f"# text_en = {value}", f"# text = {value.replace(' ', chr(0xA0))}", f"#\xa0text = {value}",
         f"# text = {insert_at(value, draw, draw.choice(SPACES))}", f"#\ttext\t=\t{value}", "# text = \xa0", f"# Text = {value}"]
    )  # fmt: skip


@damage
def sent_id_comment(lines: Lines, draw: random.Random) -> None:
    number = comment(lines, "sent_id")
    if number is None:
        return
    value = lines[number].partition("=")[2].strip()
    lines[number] = draw.choice(
        ["# sent_id = ", "# sent_id", "# sent_id = a b", f"# sent_id={value}", f"#sent_id = {value}", f"# sent_id = {value}/x", "# sent_id = a/b/c",
         f"# sent_id = {value}\n# sent_id = {value}", "# sent_id = same", "# sent_ids = x", f"# sent_id = {value} ", f"#  sent_id = {value}",
         f"# sent_id  = {value}\xa0", f"# sent_id: {value}", f"#sent_id{value}", f"# sent_id = {value}\n#sent_id x"]
    )  # fmt: skip


@damage
def other_comments(lines: Lines, draw: random.Random) -> None:
    corpus = f"{draw.choice('ab')}/{draw.choice('12')}"
    choices = [
        "# newdoc", "# newpar", "#newdoc", "# newdoc x", "# newdoc id = x", "# newpar id = y", "# newdoc\n# newdoc", "# newpar\n# newpar z",
        "# newdocs", "#\xa0newpar", "# newdoc  ", "# newpar x y", "# comment", "#", "# global.columns = ID FORM",
        f"# parallel_id = {corpus}", f"# parallel_id = {corpus}/alt1", f"# parallel_id = {corpus}/alt2", f"# parallel_id = {corpus}/part1",
        f"# parallel_id = {corpus}/part2", f"# parallel_id = {corpus}/alt1part2", f"# parallel_id = {corpus}/part1alt1", f"#parallel_id={corpus}",
        "# parallel_id = A/1", "# parallel_id", f"# parallel_id = {corpus}\n# parallel_id = {corpus}", f"# parallel_id = {corpus}/alt0",
        f"# parallel_id = {corpus} ", f"# parallel_id = {corpus}/x", "# parallel_id = a-b/1", '# json_x = {"a": 1}', "# lang = en",
    ]  # fmt: skip
    lines.insert(draw.randint(0, min(3, len(lines))), draw.choice(choices))


# ------------------------------------------------------------------------------ crashes


@crash
def empty_relation(lines: Lines, draw: random.Random) -> None:
    edit(lines, draw, DEPREL, lambda _: "_")


@crash
def empty_tag(lines: Lines, draw: random.Random) -> None:
    edit(lines, draw, UPOS, lambda _: "_")


@crash
def foreign_root(lines: Lines, draw: random.Random) -> None:
    for number in rows(lines):
        if lines[number].split("\t")[HEAD] == "0":
            set_fields(lines, number, DEPREL="flat:foreign")


@crash
def json_comment(lines: Lines, draw: random.Random) -> None:
    lines.insert(0, "# json_x = {")


def sentences(text: str) -> list[str]:
    """Return the sentences of a file."""
    return [f"{one}\n\n" for one in text.strip("\n").split("\n\n") if one]


def damaged_files(
    text: str, seed: int, count: int, size: int, *, crashes: float = 0.0
) -> list[str]:
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
        return on_rows(
            text, lambda fields: [*fields[:DEPS], f"{fields[HEAD]}:{fields[DEPREL]}", fields[MISC]]
        )
    return text


def on_rows(text: str, change: Callable[[list[str]], list[str]]) -> str:
    """Change all words of a file."""
    lines = text.split("\n")
    for number in rows(lines):
        lines[number] = "\t".join(change(lines[number].split("\t")))
    return "\n".join(lines)
