r"""Patches: changes of treebanks in a readable text format.

A patch consists of lines of text, with tabs between the parts of a line. It changes single fields
of words, lines of sentences, and the order of sentences. An example::

    treegauge patch 1
    sentence	weblog-1
    3	dog	head	5	4
    3	dog	deprel	nmod	obl

``treegauge diff --patch`` writes patches, ``treegauge convert --apply`` applies them. The page
`docs/diff.md` describes the format line by line.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal

from treegauge.core.errors import TreegaugeError, lines_of_text
from treegauge.treebanks.data.columns import COLUMNS

TITLE = "treegauge patch 1"
NONE = "-"
"""Placeholder for a missing file."""
NEWLINES = {"lf": "\n", "crlf": "\r\n"}
ROW_ID = re.compile(r"[0-9]+(?:[-.][0-9]+)?")
_NO_END = "\\."  # after the text of a line without a line end


@dataclass(frozen=True)
class FieldEdit:
    """A new value in one column of one word; the word must have the old value."""

    line: int
    id: str
    form: str
    column: str
    old: str
    new: str


@dataclass(frozen=True)
class LineEdit:
    """A line of a sentence to remove (``-``), or to add before (``+``) a line, by number from 1."""

    line: int
    sign: Literal["-", "+"]
    number: int
    text: str


@dataclass
class SentenceEdit:
    """The changes of one sentence; an empty address means the lines after the last sentence."""

    line: int
    address: str
    fields: list[FieldEdit] = field(default_factory=list)
    lines: list[LineEdit] = field(default_factory=list)


@dataclass(frozen=True)
class Deletion:
    """A sentence to remove, and the start of its checksum (empty: not checked)."""

    line: int
    address: str
    digest: str


@dataclass(frozen=True)
class Move:
    """Consecutive sentences to move from a file, which may be another one."""

    line: int
    first: str
    last: str
    file: str


@dataclass
class Placement:
    """Insertions after a sentence (None: at the start of the file): new or moved sentences."""

    line: int
    after: str | None
    items: list[str | Move] = field(default_factory=list)


@dataclass
class FilePatch:
    """The changes of one file.

    A file that the patch creates has no `old` name, one that it removes has no `new` name. Changes
    before the first line that names a file have neither: they apply to the file that has the
    sentence.
    """

    line: int
    old: str | None = None
    new: str | None = None
    old_digest: str = ""
    new_digest: str = ""
    newlines: tuple[str, str] | None = None
    edits: list[SentenceEdit] = field(default_factory=list)
    deletions: list[Deletion] = field(default_factory=list)
    placements: list[Placement] = field(default_factory=list)

    @property
    def is_named(self) -> bool:
        """Whether the changes are of a certain file."""
        return self.old is not None or self.new is not None


def escaped(text: str) -> str:
    r"""Return a line, with its end, escaped for patches.

    Examples
    --------
    >>> escaped("a\\b\x1b\r\n"), escaped("no end")
    ('a\\\\b\\x1b\\r', 'no end\\.')
    """
    plain = text.removesuffix("\n")
    plain = lines_of_text(plain.replace("\\", "\\\\"))
    return plain if text.endswith("\n") else plain + _NO_END


def _escaped_name(name: str) -> str:
    return escaped(f"{name}\n")


def unescaped(text: str) -> str:
    r"""Return an escaped line as it is in the treebank.

    Examples
    --------
    >>> unescaped(r"a\\b\x1b\r"), unescaped(r"no end\.")
    ('a\\b\x1b\r\n', 'no end')
    """
    if "\\" not in text:
        return f"{text}\n"
    whole = not re.search(r"(?<!\\)(?:\\\\)*\\\.$", text)
    plain = text if whole else text.removesuffix(_NO_END)
    return re.sub(r"\\(x[0-9a-f]{2}|u[0-9a-f]{4}|.)", _meant, plain) + ("\n" if whole else "")


def _meant(match: re.Match[str]) -> str:
    if len(match[1]) > 1:
        return chr(int(match[1][1:], 16))
    return {"r": "\r"}.get(match[1], match[1])


def format_patch(files: Sequence[FilePatch]) -> str:
    """Write a patch as text."""
    lines = [TITLE]
    for part in files:
        lines += _format_file(part)
    return "".join(f"{line}\n" for line in lines)


def _format_file(part: FilePatch) -> Iterator[str]:
    if part.is_named:
        names = map(_escaped_name, (part.old or NONE, part.new or NONE))
        yield "\t".join(["file", *names, part.old_digest or NONE, part.new_digest or NONE])
    if part.newlines:
        yield "\t".join(["newlines", *part.newlines])
    for edit in part.edits:
        yield f"sentence\t{_escaped_name(edit.address)}" if edit.address else "tail"
        for each in edit.fields:
            values = (escaped(value + "\n") for value in (each.form, each.column, each.old))
            yield "\t".join([each.id, *values, escaped(each.new + "\n")])
        for line in edit.lines:
            yield f"{line.sign}{line.number}\t{escaped(line.text)}"
    for deletion in part.deletions:
        address = _escaped_name(deletion.address)
        yield "\t".join(["delete", address, *([deletion.digest] * bool(deletion.digest))])
    for placement in part.placements:
        yield "first" if placement.after is None else f"after\t{_escaped_name(placement.after)}"
        for item in placement.items:
            if isinstance(item, Move):
                yield "\t".join(["move", *map(_escaped_name, (item.first, item.last, item.file))])
            else:
                yield f"+{escaped(item)}"


def lines_of(text: str) -> list[str]:
    """Return the lines of a text with their ends; only a line feed ends a line."""
    lines = text.split("\n")
    return [f"{line}\n" for line in lines[:-1]] + ([lines[-1]] if lines[-1] else [])


def parse_patch(text: str, name: str = "patch") -> list[FilePatch]:
    """Read a patch; `name` is the file's in messages."""
    return _Reader(name).read(text)


class _Reader:
    """Reads a patch line by line."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.number = 1
        self.files = [FilePatch(1)]
        self.edit: SentenceEdit | None = None
        self.placement: Placement | None = None

    def error(self, found: str, expected: str) -> TreegaugeError:
        return TreegaugeError(f"{self.name}:{self.number}: found {found}; expected {expected}")

    def read(self, text: str) -> list[FilePatch]:
        lines = [line.removesuffix("\r") for line in text.removeprefix("\ufeff").split("\n")]
        if lines[0].strip() != TITLE:
            raise self.error(repr(lines[0][:60]), f"{TITLE!r} as the first line of a patch")
        for number, line in enumerate(lines[1:], 2):
            self.number = number
            if line.strip() and not line.startswith("#"):
                self._line(line)
        return [part for part in self.files if part.is_named or part.edits or part.deletions]

    def _line(self, line: str) -> None:
        word, *rest = line.split("\t")
        if line[0] in "+-":
            self._text(line)
        elif ROW_ID.fullmatch(word):
            self._field(word, rest)
        elif word in _DIRECTIVES:
            low, high, form = _DIRECTIVES[word]
            if not low <= len(rest) <= high:
                raise self.error(repr(line[:60]), f"{form}, with tabs in between")
            self.edit = self.placement = None
            names = (unescaped(part).removesuffix("\n") for part in rest)
            getattr(self, f"_{word}")(*names)
        else:
            raise self.error(
                repr(line[:60]),
                f"a change of a word (ID, FORM, column, old, new), a line that begins with + or -, "
                f"or one of {', '.join(_DIRECTIVES)}; parts of a line are separated by tabs",
            )

    def _file(self, old: str, new: str, old_digest: str = NONE, new_digest: str = NONE) -> None:
        parts = ["" if text == NONE else text for text in (old, new, old_digest, new_digest)]
        if not parts[0] and not parts[1]:
            raise self.error("no file name", "the name of the old file, of the new file, or both")
        self.files.append(FilePatch(self.number, parts[0] or None, parts[1] or None, parts[2], parts[3]))

    def _newlines(self, old: str, new: str) -> None:
        if {old, new} - NEWLINES.keys():
            raise self.error(f"newlines {old} {new}", "lf or crlf")
        self.files[-1].newlines = old, new

    def _sentence(self, address: str) -> None:
        self.edit = SentenceEdit(self.number, address)
        self.files[-1].edits.append(self.edit)

    def _tail(self) -> None:
        self._sentence("")

    def _delete(self, address: str, digest: str = "") -> None:
        self.files[-1].deletions.append(Deletion(self.number, address, digest))

    def _first(self) -> None:
        self._after(None)

    def _after(self, address: str | None) -> None:
        if not self.files[-1].is_named:
            raise self.error("'after' or 'first'", "a line that names the file before it")
        self.placement = Placement(self.number, address)
        self.files[-1].placements.append(self.placement)

    def _move(self, first: str, last: str, file: str) -> None:
        if not self.files[-1].placements:
            raise self.error("'move'", "'after' or 'first' before it")
        self.placement = self.files[-1].placements[-1]
        self.placement.items.append(Move(self.number, first, last, file))

    def _text(self, line: str) -> None:
        if self.placement is not None and line[0] == "+":
            self.placement.items.append(unescaped(line[1:]))
            return
        match = re.fullmatch(r"([+-])([0-9]+)\t(.*)", line, re.S)
        if self.edit is None or not match:
            raise self.error(repr(line[:60]), "-N or +N, a tab and a text, in the changes of a sentence")
        sign: Literal["-", "+"] = "-" if match[1] == "-" else "+"
        text = unescaped(match[3])
        self.edit.lines.append(LineEdit(self.number, sign, int(match[2]), text))

    def _field(self, word: str, rest: list[str]) -> None:
        if self.edit is None or len(rest) != 4:
            expected = "ID, FORM, column, old and new value, in the changes of a sentence"
            raise self.error(f"{len(rest) + 1} parts", expected)
        form, column, old, new = (unescaped(part).removesuffix("\n") for part in rest)
        if column not in COLUMNS:
            raise self.error(f"column {column!r}", f"one of {', '.join(COLUMNS)}")
        if not new:
            raise self.error("an empty new value", "'_' for nothing")
        self.edit.fields.append(FieldEdit(self.number, word, form, column, old, new))


_DIRECTIVES = {
    "file": (2, 4, "file, the old name, the new name and two checksums"),
    "newlines": (2, 2, "newlines, lf or crlf before, lf or crlf after"),
    "sentence": (1, 1, "sentence and a sent_id or #number"),
    "tail": (0, 0, "tail alone"),
    "delete": (1, 2, "delete, a sent_id or #number and a checksum"),
    "first": (0, 0, "first alone"),
    "after": (1, 1, "after and a sent_id or #number"),
    "move": (3, 3, "move, the first and last sentence, and their file"),
}
