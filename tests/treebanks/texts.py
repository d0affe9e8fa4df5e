"""CoNLL-U to test with: short ways to write it, random treebanks, and an independent look at it."""

import io
import re
import unicodedata
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import NamedTuple

from hypothesis import strategies as st
from udtools import udeval

from treegauge.treebanks.indexing import index
from treegauge.treebanks.pieces import count_lines, pieces
from treegauge.treebanks.problems import ReadingProblem
from treegauge.treebanks.relations import check_deps

_LINE = re.compile(rb"([^\r\n]*)(\r\n|\n|\r|\Z)")


def row(
    number: int | str,
    form: str = "w",
    head: int | str = "_",
    deprel: str = "_",
    *,
    deps: str = "_",
    misc: str = "_",
) -> str:
    """Write one line of a sentence."""
    fields = [number, form, "_", "_", "_", "_", head, deprel, deps, misc]
    return "\t".join(map(str, fields))


def conllu(*sentences: list[str]) -> str:
    """Write sentences of lines, each with its blank line."""
    return "".join("\n".join([*lines, "", ""]) for lines in sentences)


def chain(*forms: str, name: str | None = None) -> list[str]:
    """Write a sentence in which every word hangs from the one before it."""
    words = [row(i, form, i - 1, "dep" if i > 1 else "root") for i, form in enumerate(forms, 1)]
    return [f"# sent_id = {name}", *words] if name else words


def reading_problems(path: Path, chunk: int = 2 << 20) -> Iterator[ReadingProblem]:
    """Yield what readers object to in a file, read piece by piece."""
    line = 1
    for data in pieces(str(path), chunk):
        treebank, problems = index(data, path.stem, file=str(path), first_line=line)
        problems += check_deps(treebank, str(path))
        yield from sorted(problems, key=lambda problem: problem.line)
        line += count_lines(data)


# What another reader sees


class Block(NamedTuple):
    """Bytes up to a blank line and the number of their first line."""

    data: bytes
    line: int


def blocks(data: bytes) -> tuple[list[Block], bytes]:
    """Cut bytes after every first blank line in a row, and give the comments after the last.

    Further blank lines are one block.
    """
    found: list[Block] = []
    part, start, words, blank = b"", 1, False, False
    lines = [match for match in _LINE.finditer(data) if match[0]]
    for number, line in enumerate(lines, 1):
        if blank and line[1]:
            found.append(Block(part, start))
            part, start, blank = b"", number, False
        part += line[0]
        words |= bool(line[1]) and not line[1].startswith(b"#")
        if not line[1] and not blank:
            if part == line[0]:
                blank = True
            else:
                found.append(Block(part, start))
                part, start, words = b"", number + 1, False
    if blank or words:
        found.append(Block(part, start))
        part = b""
    return found, part


def accepted(block: bytes) -> bool:
    """Whether the official script reads a sentence; a lacking blank line and DEPS aside."""
    try:
        text = block.decode().replace("\r\n", "\n").replace("\r", "\n").rstrip("\n")
    except UnicodeDecodeError:
        return False
    lines = [line.split("\t") for line in text.split("\n")]
    for fields in lines:
        if len(fields) == 10:
            fields[8] = "_"
    bare = "\n".join(map("\t".join, lines)) + "\n\n"
    try:
        udeval.load_conllu(io.StringIO(bare), "block", {})
    except (udeval.UDError, ValueError):
        return False
    return True


# Random treebanks

_FIELD = st.text(
    st.characters(exclude_characters="\t\n\r", exclude_categories=["Cs"]), min_size=1, max_size=8
)
_FORM = _FIELD.filter(lambda text: any(unicodedata.category(sign) != "Zs" for sign in text))
_COMMENT = st.text(st.characters(exclude_characters="\n\r", exclude_categories=["Cs"]), max_size=12)


@st.composite
def sentences(draw: st.DrawFn, size: int = 6) -> list[list[str]]:
    """Draw the rows of a sentence: words, multiword tokens, empty nodes."""
    n = draw(st.integers(1, size))
    order = draw(st.permutations(range(1, n + 1)))
    heads = {word: order[draw(st.integers(0, i - 1))] if i else 0 for i, word in enumerate(order)}
    rows: list[list[str]] = []
    free = 0  # the last word inside a multiword token

    def add(identifier: str, head: str) -> None:
        middle = [draw(_FIELD) for _ in range(4)]
        last = [draw(_FIELD) for _ in range(3)]
        rows.append([identifier, draw(_FORM), *middle, head, *last])

    for word in range(n + 1):
        if word and word > free and draw(st.integers(0, 3)) == 0 and word < n:
            free = draw(st.integers(word + 1, n))
            add(f"{word}-{free}", "_")
        if word:
            add(str(word), str(heads[word]))
        for number in range(draw(st.sampled_from([0, 0, 0, 1, 2]))):
            add(f"{word}.{number + 1}", "_")
    return rows


class Drawn(NamedTuple):
    """A random treebank: its text, the rows and the comment lines of its sentences."""

    text: str
    rows: list[list[list[str]]]
    comments: list[list[str]]


@st.composite
def treebanks(draw: st.DrawFn, size: int = 4) -> Drawn:
    """Draw a valid treebank in one of the three styles of line ends, ended in any legal way."""
    rows = draw(st.lists(sentences(), max_size=size))
    comments = [["#" + text for text in draw(st.lists(_COMMENT, max_size=3))] for _ in rows]
    parts = ["\n".join([*c, *map("\t".join, r)]) for c, r in zip(comments, rows, strict=True)]
    text = "".join(f"{part}\n\n" for part in parts)
    text += draw(st.sampled_from(["", "", "# the end", "# the end\n", "#\n# the end\n"]))
    if rows and text.endswith("\n\n"):
        text = text[: len(text) - draw(st.integers(0, 2))]
    return Drawn(text.replace("\n", draw(st.sampled_from(["\n", "\r\n", "\r"]))), rows, comments)


# Damage

_BYTES = [
    b"", b"\0", b"\xff", b"\xc3", b"\xed\xa0\x80", b"\xe2\x80\xa8", b"\xc2\x85", b"\xc2\xa0",
    b"\t", b"\n", b"\r", b"\r\n", b"\n\n", b"\n#\n", b"#", b" ", b"-", b".", b"_", b"+", b"0",
    b"9" * 9, b"9" * 5000, b"\xef\xbb\xbf", b"1-2", b"2-1", "２".encode(),
]  # fmt: skip


def damaged(data: bytes, random: Random) -> bytes:
    """Hurt a file in one of many ways."""
    at = random.randrange(len(data) + 1)
    lines = data.splitlines(keepends=True) or [b""]
    line = random.randrange(len(lines))
    fields = lines[line].split(b"\t")
    field = random.randrange(len(fields))
    kind = random.randrange(10)
    if kind == 0:  # a byte is another
        return data[:at] + bytes([random.randrange(256)]) + data[at + 1 :]
    if kind == 1:
        return data[:at]
    if kind == 2:
        return data[:at] + random.choice(_BYTES) + data[at + random.randrange(3) :]
    if kind == 3:
        fields[field] = random.choice(_BYTES)
    elif kind == 4:
        fields[field] += random.choice(_BYTES)
    elif kind == 5:
        fields.insert(field, random.choice(_BYTES))
    elif kind == 6:
        return b"".join(lines[:line] + lines[line + 1 :])
    elif kind == 7:
        return b"".join(lines[: line + 1] + lines[line:])
    elif kind == 8:
        other = random.randrange(len(lines))
        lines[line], lines[other] = lines[other], lines[line]
        return b"".join(lines)
    else:  # a tab is gone
        gone = data.find(b"\t", at)
        return data[:gone] + data[gone + 1 :] if gone >= 0 else data
    lines[line] = b"\t".join(fields)
    return b"".join(lines)
