"""The official scoring script as a reference for CoNLL-U, and its view of sentences."""

import io
import re
from collections import Counter
from typing import Any, NamedTuple

from udtools import udeval

KINDS = {
    "1": "no_gapping", "2": "no_shared_parents_in_coordination",
    "3": "no_shared_dependents_in_coordination", "4": "no_control",
    "5": "no_external_arguments_of_relative_clauses", "6": "no_case_info",
}  # fmt: skip
"""The official script's names of the types of enhancement that it can leave out, by code."""
_LINE = re.compile(rb"([^\r\n]*)(\r\n|\n|\r|\Z)")


class Block(NamedTuple):
    """Bytes up to a blank line and the number of their first line."""

    data: bytes
    line: int


def blocks(data: bytes) -> tuple[list[Block], bytes]:
    """Split bytes after the first of consecutive blank lines; return comments after the last one.

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
    """Whether the official script reads a sentence, ignoring a missing blank line and DEPS."""
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


def load(data: str | bytes, **kinds: Any) -> Any:
    """Read a file as the official script does, in text mode."""
    raw = data.encode() if isinstance(data, str) else data
    return udeval.load_conllu(io.TextIOWrapper(io.BytesIO(raw), "utf-8"), "file", kinds)


def match_once(side: Any, *, subtypes: bool) -> None:
    """Make the official script match equal enhanced edges one to one, by numbering them.

    It compares every edge with every other, so that an edge that is listed twice on both sides
    would be correct four times. Without `subtypes`, edges are equal if they differ only in these.
    """
    for word in side.words:
        seen: Counter[Any] = Counter()
        for place, (head, steps) in enumerate(word.columns[udeval.DEPS]):
            path = steps if subtypes else [step.split(":")[0] for step in steps]
            key = id(head), *path
            word.columns[udeval.DEPS][place] = head, [*path, str(seen[key])]
            seen[key] += 1


def repeats_edges(data: str | bytes) -> bool:
    """Whether a word has two enhanced edges that differ only in their subtypes."""
    text = data if isinstance(data, str) else data.decode()
    fields = {line.split("\t")[8] for line in text.split("\n") if line.count("\t") == 9}
    return any(max(Counter(map(bare, deps.split("|"))).values()) > 1 for deps in fields)


def bare(edge: str) -> tuple[str, ...]:
    """Return head and steps of an enhanced edge without their subtypes."""
    head, _, path = edge.partition(":")
    return head, *(step.partition(":")[0] for step in path.split(">"))
