"""Changes of one sentence: computed from two versions, and applied to one."""

from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from itertools import pairwise

from treegauge.treebanks.data.columns import COLUMNS, NUMBER
from treegauge.treebanks.editing.patches import ROW_ID, FieldEdit, LineEdit, SentenceEdit, lines_of


class EditError(Exception):
    """A change does not fit a sentence; `line` is its line in the patch."""

    def __init__(self, line: int, reason: str) -> None:
        super().__init__(reason)
        self.line = line


def decoded(data: bytes) -> str:
    """Return bytes as text; :func:`encoded` returns exactly the same bytes."""
    return data.decode(errors="surrogateescape")


def encoded(text: str) -> bytes:
    """Return the bytes of a text from :func:`decoded`."""
    return text.encode(errors="surrogateescape")


def sentence_edit(address: str, old: bytes, new: bytes) -> SentenceEdit:
    """Return the changes that turn one sentence into another, as field changes if possible."""
    edit = SentenceEdit(0, address)
    sides = lines_of(decoded(old)), lines_of(decoded(new))
    rows = [[i for i, line in enumerate(lines) if _is_row(line)] for lines in sides]
    ids = [[lines[i].split("\t", 1)[0] for i in own] for lines, own in zip(sides, rows, strict=True)]
    if ids[0] != ids[1] or len({*ids[0]}) != len(ids[0]) or not all(map(ROW_ID.fullmatch, ids[0])):
        edit.lines += line_edits(*sides)
        return edit
    edges = [[-1, *own, len(lines)] for lines, own in zip(sides, rows, strict=True)]
    for (a, b), (c, d) in zip(_gaps(edges[0]), _gaps(edges[1]), strict=True):
        edit.lines += line_edits(sides[0][a:b], sides[1][c:d], a)
    for i, j in zip(*rows, strict=True):
        if sides[0][i] != sides[1][j]:
            before, after = (lines[k].removesuffix("\n").split("\t") for lines, k in ((sides[0], i), (sides[1], j)))
            edit.fields += [
                FieldEdit(0, before[0], before[1], column, old_value, two)
                for column, old_value, two in zip(COLUMNS, before, after, strict=True)
                if old_value != two
            ]
            if sides[0][i].endswith("\n") != sides[1][j].endswith("\n"):
                return SentenceEdit(0, address, [], list(line_edits(*sides)))
            if any(not field.new for field in edit.fields):
                return SentenceEdit(0, address, [], list(line_edits(*sides)))
    return edit


def _is_row(line: str) -> bool:
    return line.count("\t") == len(COLUMNS) - 1 and line[0] != "#"


def _gaps(edges: Sequence[int]) -> list[tuple[int, int]]:
    return [(a + 1, b) for a, b in pairwise(edges)]


def line_edits(old: Sequence[str], new: Sequence[str], start: int = 0) -> Iterator[LineEdit]:
    """Yield the lines to remove and to add; `start` is the number of lines before these."""
    if old == new:
        return
    for kind, a, b, c, d in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if kind != "equal":
            yield from (LineEdit(0, "-", start + i + 1, old[i]) for i in range(a, b))
            yield from (LineEdit(0, "+", start + b + 1, new[j]) for j in range(c, d))


def edited(sentence: bytes, edit: SentenceEdit) -> bytes:
    """Return a sentence after its changes; every old value must be present."""
    lines = lines_of(decoded(sentence))
    if edit.fields:
        lines = _with_fields(lines, edit.fields)
    if edit.lines:
        lines = _with_lines(lines, edit.lines)
    return encoded("".join(lines))


def _with_fields(lines: Sequence[str], edits: Sequence[FieldEdit]) -> list[str]:
    rows = {line.split("\t", 1)[0]: i for i, line in enumerate(lines) if line[0] != "#"}
    cells: dict[int, list[str]] = {}
    for edit in edits:
        if edit.id not in rows:
            raise EditError(edit.line, f"found no word {edit.id}")
        before = lines[rows[edit.id]].removesuffix("\n").split("\t")
        if len(before) != len(COLUMNS):
            raise EditError(edit.line, f"word {edit.id} has {len(before)} columns, expected 10")
        own = cells.setdefault(rows[edit.id], list(before))
        number = NUMBER[edit.column]
        checks = (("FORM", before[1], edit.form), (edit.column.upper(), own[number], edit.old))
        for name, found, expected in checks:
            if found != expected:
                reason = f"word {edit.id}: found {name} {found!r}, expected {expected!r}"
                raise EditError(edit.line, reason)
        own[number] = edit.new
    result = list(lines)
    for i, own in cells.items():
        result[i] = "\t".join(own) + ("\n" if lines[i].endswith("\n") else "")
    return result


def _with_lines(lines: Sequence[str], edits: Sequence[LineEdit]) -> list[str]:
    removed: set[int] = set()
    added: dict[int, list[str]] = {}
    for edit in edits:
        if not 1 <= edit.number <= len(lines) + (edit.sign == "+"):
            raise EditError(edit.line, f"found {len(lines)} lines, expected a line {edit.number}")
        if edit.sign == "+":
            added.setdefault(edit.number, []).append(edit.text)
        elif lines[edit.number - 1] != edit.text:
            found, expected = lines[edit.number - 1].rstrip("\r\n"), edit.text.rstrip("\r\n")
            raise EditError(edit.line, f"line {edit.number}: found {found!r}, expected {expected!r}")
        else:
            removed.add(edit.number)
    result: list[str] = []
    for number in range(1, len(lines) + 2):
        result += added.get(number, [])
        if number <= len(lines) and number not in removed:
            result.append(lines[number - 1])
    return result
