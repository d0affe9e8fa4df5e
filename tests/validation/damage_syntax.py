"""Damage to trees and comments, and what the official program crashes on."""

# ruff: noqa: E501 -- a list of values reads better on one line

import random

from tests.validation.damage_kinds import (
    DEPREL,
    HEAD,
    ID,
    UPOS,
    Lines,
    crash,
    damage,
    edit,
    group,
    insert_at,
    rows,
    set_fields,
)
from tests.validation.damage_words import DEPREL_WORDS, SPACES


@damage
def goeswith(lines: Lines, draw: random.Random) -> None:
    members = group(lines, draw, "goeswith")
    for number in members[1:]:
        if draw.random() < 0.7:
            set_fields(lines, number, LEMMA="_", UPOS="X", FEATS=draw.choice(["_", "_", "Typo=Yes"]))
        if draw.random() < 0.2:
            set_fields(lines, number, MISC=draw.choice(["SpaceAfter=No", "Lang=en"]))
    if members and draw.random() < 0.7:
        set_fields(lines, members[0], FEATS=draw.choice(["Typo=Yes", "Case=Nom|Typo=Yes", "Typo=No", "_"]))


@damage
def fixed(lines: Lines, draw: random.Random) -> None:
    members = group(lines, draw, draw.choice(["fixed", "fixed", "fixed:x"]), 5)
    if members and draw.random() < 0.5:
        values = ["ExtPos=ADV", "ExtPos=PROPN", "ExtPos=ADP,ADV", "ExtPos=PUNCT", "ExtPos=DET", "ExtPos=PRON,NOUN"]
        set_fields(lines, members[0], FEATS=draw.choice(values))


@damage
def flat(lines: Lines, draw: random.Random) -> None:
    members = group(lines, draw, draw.choice(["flat", "flat:name", "flat:foreign", "conj", "appos", "list"]))
    for number in members:
        if draw.random() < 0.5 and lines[number].split("\t")[HEAD] != "0":
            set_fields(lines, number, UPOS="X", FEATS=draw.choice(["Foreign=Yes", "Foreign=Yes|Typo=Yes", "_"]))


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
            set_fields(lines, number, MISC=draw.choice(["Subject=Outer", "Subject=Outer|SpaceAfter=No"]))


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
