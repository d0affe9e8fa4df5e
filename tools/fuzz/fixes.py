"""Repairs of ``check --fix`` change no valid file, add no problem, and change no line without need."""

import re
import unicodedata
from collections import Counter
from collections.abc import Callable
from functools import cache
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

from tools.fuzz.mutation import damaged
from tools.fuzz.targets import Target
from treegauge.testing.synthetic import synthetic
from treegauge.validation.check import validate
from treegauge.validation.fixes import FixedFile, fix_file

LINES = 6
"""Changed lines that are tried without their change, at most."""
ANY = 0.3
"""Share of inputs with damage of any kind."""


@cache
def _sentences() -> tuple[str, ...]:
    """Return valid sentences with features, text without spaces, enhanced relations and attributes."""
    made = []
    for number, one in enumerate(synthetic(90, seed=1).to_bytes().decode().split("\n\n")[:-1]):
        rows = [line.split("\t") for line in one.split("\n") if line[:1].isdigit()]
        if not all(row[0].isdigit() for row in rows):
            continue
        text = ""
        for row in rows:
            row[5] = "Case=Nom|Number=Plur,Sing" if int(row[0]) % 2 else "_"
            row[8] = f"{row[6]}:{row[7]}" if row[6] == "0" else f"{row[6]}:{row[7]}|{row[6]}:{row[7]}:x"
            row[9] = "Gloss=é|SpaceAfter=No" if int(row[0]) % 3 == 0 and row is not rows[-1] else "_"
            text += row[1] + ("" if "SpaceAfter=No" in row[9] else " ")
        lines = [f"# sent_id = s{number}", f"# text = {text.rstrip()}", *("\t".join(row) for row in rows)]
        made.append("\n".join(lines) + "\n\n")
    return tuple(made)


def _in_row(change: Callable[[list[str], Random], None]) -> Callable[[str, Random], str]:
    def damage(sentence: str, draw: Random) -> str:
        lines = sentence.split("\n")
        at = draw.choice([n for n, line in enumerate(lines) if line[:1].isdigit()])
        row = lines[at].split("\t")
        change(row, draw)
        lines[at] = "\t".join(row)
        return "\n".join(lines)

    return damage


def _outer_space(row: list[str], draw: Random) -> None:
    column = draw.randrange(1, 10)
    row[column] = draw.choice([f" {row[column]}", f"{row[column]}\u2003", f" {row[column]} "])


def _feature_order(row: list[str], _: Random) -> None:
    row[5] = "|".join(reversed(row[5].split("|")))


def _feature_twice(row: list[str], _: Random) -> None:
    row[5] = row[5] if row[5] == "_" else f"{row[5]}|{row[5].split('|')[-1]}"


def _value_order(row: list[str], _: Random) -> None:
    row[5] = row[5].replace("Plur,Sing", "Sing,Plur,Sing")


def _deps_order(row: list[str], _: Random) -> None:
    row[8] = "|".join(reversed(row[8].split("|")))


def _misc(row: list[str], draw: Random) -> None:
    items = [] if row[9] == "_" else row[9].split("|")
    row[9] = draw.choice(["|".join([*items, ""]), "|".join([*items, " X=1"]), "|".join([*items, "lang=en"])]) or "|"


def _space_after(row: list[str], _: Random) -> None:
    row[9] = "SpaceAfter=No" if row[9] == "_" else row[9].replace("|SpaceAfter=No", "")


def _empty_column(row: list[str], draw: Random) -> None:
    empty = [n for n in (4, 5, 9) if row[n] == "_"]
    for column in draw.sample(empty, min(1, len(empty))):
        row[column] = ""


def _ids(sentence: str, draw: Random) -> str:
    step = draw.randrange(1, 4)
    lines = [line.split("\t") for line in sentence.split("\n")]
    cut = draw.randrange(2, 4)
    moved = {str(n): str(n + step * (n >= cut)) for n in range(1, 500)}
    for row in lines:
        if len(row) == 10:
            row[0], row[6] = moved[row[0]], moved.get(row[6], "0")
            row[8] = re.sub(r"(?<![^|])\d+", lambda match: moved.get(match[0], "0"), row[8])
    return "\n".join("\t".join(row) for row in lines)


KINDS: dict[str, Callable[[str, Random], str]] = {
    **{change.__name__.strip("_"): _in_row(change) for change in (
        _outer_space, _feature_order, _feature_twice, _value_order, _deps_order, _misc, _space_after, _empty_column,
    )},
    "ids": _ids,
    "text": lambda sentence, _: re.sub(r"(?m)^(# text = .*)$", r"\1 ", sentence),
    "decomposed": lambda sentence, _: sentence.replace("é", unicodedata.normalize("NFD", "é"), 1),
    "line_ends": lambda sentence, _: sentence.replace("\n", "\r\n"),
    "blank": lambda sentence, draw: sentence[:-1] + draw.choice([" \n", "\t\n", "\n\n", "\n\n\n"]),
    "end": lambda sentence, _: sentence.rstrip("\n"),
}  # fmt: skip
"""Damage that has one correct answer."""


def make(draw: Random) -> bytes:
    """Damage one of three sentences in one way with a correct answer, or in any way, or not at all."""
    sentences = draw.sample(_sentences(), 3)
    at = 2 if (kind := draw.choice(["none", *KINDS])) == "end" else draw.randrange(3)
    if kind != "none":
        sentences[at] = KINDS[kind](sentences[at], draw)
    data = "".join(sentences).encode()
    return damaged(data, draw) if draw.random() < ANY else data


def _problems(path: str) -> list[tuple[str, int]]:
    return [(problem.id, problem.line) for problem in validate([path], level=2)]


def _applied(fixed: FixedFile) -> str:
    """Apply the diff as ``patch`` does: lines of the old file by number, checked against the diff."""
    made, at, old = [], 0, fixed.old
    lines = re.findall(r"[^\n]*\n", "".join(fixed.diff()))
    for number, line in enumerate(lines):
        if match := re.match(r"@@ -(\d+),(\d+) ", line):
            start = int(match[1]) - (match[2] != "0")
            made += old[at:start]
            at = start
        elif number > 1 and line[0] in " -+":
            bare = line[1:-1] if number + 1 < len(lines) and lines[number + 1][0] == "\\" else line[1:]
            assert line[0] == "+" or old[at] == bare, (old[at], bare)
            made += [] if line[0] == "-" else [bare]
            at += line[0] != "+"
    return "".join([*made, *old[at:]])


def _trees(text: str) -> list[list[int]]:
    """Return the place of each word's head among the words of its sentence; -1 for others."""
    trees = []
    for sentence in re.split(r"\n[^\S\n]*\n", text.replace("\r\n", "\n").replace("\r", "\n")):
        rows = [line.split("\t") for line in sentence.split("\n") if re.match(r"\s*[1-9]\d*\s*\t", line)]
        places = {row[0].strip(): n for n, row in enumerate(rows)}
        trees += [[places.get(row[6].strip(), -1) if len(row) == 10 else -2 for row in rows]] if rows else []
    return trees


def check(data: bytes) -> str:
    """Repair a file and judge the result."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "a.conllu"
        path.write_bytes(data)

        def tests_of(text: str) -> "Counter[str]":
            path.with_name("b.conllu").write_bytes(text.encode())
            return Counter(test for test, _ in _problems(str(path.with_name("b.conllu"))))

        before = Counter(test for test, _ in _problems(str(path)))
        fixed = fix_file(str(path), lambda file: validate([file], level=2))
        if fixed is None:
            return "refused"
        original = data.decode()
        assert "".join(fixed.old) == original
        assert _applied(fixed) == fixed.text
        after = tests_of(fixed.text)
        if not before:
            assert fixed.text == original
            return "valid"
        assert after.total() <= before.total() and not after.keys() - before.keys()
        if fixed.text == original:
            return "refused"
        assert after.total() < before.total()
        path.write_bytes(fixed.text.encode())
        again = fix_file(str(path), lambda file: validate([file], level=2))
        assert again is not None and again.text == fixed.text
        if "word-id-sequence" in fixed.repaired:
            assert _trees(fixed.text) == _trees(original)
        elif len(fixed.old) == len(fixed.new):  # each changed line is needed
            changed = [n for n, (old, new) in enumerate(zip(fixed.old, fixed.new, strict=True)) if old != new]
            for n in changed[:LINES]:
                assert tests_of("".join([*fixed.new[:n], fixed.old[n], *fixed.new[n + 1 :]])).total() > after.total()
        return "partly repaired" if after else "repaired"


TARGET = Target(
    "`check --fix` changes no valid file, adds no problem of another test, changes no line without "
    "need, writes a diff that gives the repaired file, and finds nothing to repair in its own result",
    make, check, damaged,
)  # fmt: skip
