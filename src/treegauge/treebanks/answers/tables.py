"""Tables of words in an answer: lines with tabs, spaces, commas or bars, arcs, and JSON."""

import csv
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, NamedTuple

from treegauge.treebanks.data.relations import CONTENT, FUNCTIONAL, universal_relation

RELATIONS = CONTENT | FUNCTIONAL | {"punct"}
_NAMES = {
    "id": "id idx index i no nr num number token_id word_id position #",
    "form": "form word token text surface wordform word_form",
    "lemma": "lemma base lemma_form",
    "upos": "upos pos cpos upostag upos_tag pos_tag part_of_speech universal_pos tag",
    "xpos": "xpos xpostag xpos_tag",
    "feats": "feats feature feat morph morphology morphological_features",
    "head": "head head_id head_idx head_index head_no governor gov parent parent_id head_position",
    "head_word": "head_word head_form head_token governor_word parent_word",
    "deprel": "deprel relation rel dep label dep_rel dependency dependency_relation relation_type arc",
    "deps": "deps enhanced",
    "misc": "misc",
}  # fmt: skip
_ROLE = {name: role for role, names in _NAMES.items() for name in names.split()}
_IDS, _TEXTS = {"sent_id", "sentence_id", "sid", "id"}, {"text", "sentence", "sentence_text"}
WORD_ID = re.compile(r"\(?(\d{1,6})(?:([-.])(\d{1,6}))?[.):]?", re.ASCII)
_ARC = re.compile(r"[-*\s]*(?:\d+[.)]\s+)?([A-Za-z:]+)\((.+?)-(\d{1,6})'*,\s+(.+)-(\d{1,6})'*\)[.,;]?", re.ASCII)
_RULE = re.compile(r"[\s|:+=-]*-[\s|:+=-]*")
_COMMENT = re.compile(r"#+\s*(sent_id|text)\s*[=:]\s*(.*)", re.IGNORECASE)
_COMMA = re.compile(r"\d{1,6}([-.]\d{1,6})?([,;])", re.ASCII)
_BARS = re.compile(r"(?<!\\)\|")
_HEAD = re.compile(r"-?\d{1,6}|.+-\d{1,6}|_|root", re.IGNORECASE | re.ASCII)
_DEPTH, _TRIES, _NEAR, _WIDEST, _LONGEST = 3, 1000, 20_000, 64, 1000


class Row(NamedTuple):
    """A line of a table: its number, its cells, and the line itself."""

    line: int
    cells: list[str]
    raw: str = ""


class Unread(NamedTuple):
    """A line that looks like part of a tree and could not be read."""

    line: int
    text: str


@dataclass
class Block:
    """Lines of one kind without a gap: `roles` are those of the header, if there was one."""

    separator: str
    line: int
    rows: list[Row] = field(default_factory=list)
    roles: tuple[str, ...] = ()
    comments: dict[str, str] = field(default_factory=dict)
    joins: bool = False
    cut_off: bool = False


@lru_cache(4096)
def role_of(name: str) -> str:
    """Return what a column of this name has, or nothing.

    Examples
    --------
    >>> role_of("**Head ID**"), role_of("Dep. relation"), role_of("Remarks")
    ('head', 'deprel', '')
    """
    key = re.sub(r"[^\w#]+", "_", name.strip().lower()).strip("_") or name.strip()
    short = key.replace("dep_relation", "relation")
    return _ROLE.get(short) or _ROLE.get(short.removesuffix("s"), "")


def header_roles(cells: Sequence[str]) -> tuple[str, ...]:
    """Return the role of each column if this is a header, else nothing."""
    roles = tuple(map(role_of, cells))
    known = [role for role in roles if role]
    wanted = {"head", "head_word"} & {*known} and {"form", "id"} & {*known}
    if not wanted or 4 * len(known) < 3 * len(cells) or any(cell.strip().isdigit() for cell in cells):
        return ()
    taken: set[str] = set()
    unique = []
    for role in roles:
        unique.append("" if role in taken else role)
        taken.add(role)
    return tuple(unique)


class _Reader:
    """Reads the lines of an answer one by one."""

    def __init__(self, depth: int = 0) -> None:
        self.blocks: list[Block] = []
        self.unread: list[Unread] = []
        self.depth = depth
        self._open: Block | None = None
        self._roles: dict[str, tuple[str, ...]] = {}
        self._comments: dict[str, str] = {}
        self._fenced = self._blank = False
        self._failures = 0

    def read(self, text: str, first: int = 1) -> None:
        """Read a text whose first line has this number."""
        lines = text.split("\n")
        starts, place = [], 0
        for line in lines:
            starts.append(place)
            place += len(line) + 1
        number = 0
        while number < len(lines):
            line = lines[number]
            stripped = line.strip()
            start = starts[number] + len(line) - len(line.lstrip())
            if stripped[:1] in {"[", "{"} and text.find('"', start, start + _NEAR) > 0 and self._failures < _TRIES:
                end, blocks = self._json(text, start, first + number)
                self._failures += not blocks
                if blocks:
                    self._close()
                    self._add_json(blocks, fresh=self._blank)
                    while number < len(lines) and starts[number] < end:
                        number += 1
                    self._blank = False
                    continue
            self._line(line, stripped, first + number)
            number += 1

    def _json(self, text: str, start: int, line: int) -> tuple[int, list[Block]]:
        """Return where the JSON that begins here ends, and its tables."""
        decoder = json.JSONDecoder()
        try:
            value, end = decoder.raw_decode(text, start)
            return end, list(self._tables(value, line))
        except (ValueError, RecursionError):
            pass
        blocks: list[Block] = []
        place, end = start + 1, start
        stop = text.find("```", start)
        stop = len(text) if stop < 0 else stop
        while self._failures < _TRIES:
            here = [at for at in (text.find("{", place, stop), text.find("[", place, stop)) if at >= 0]
            if not here:
                break
            try:
                value, place = decoder.raw_decode(text, min(here))
                found = list(self._tables(value, line + text.count("\n", start, min(here))))
                blocks += found
                end = place if found else end
            except (ValueError, RecursionError):
                self._failures += 1
                place = min(here) + 1
        if blocks:
            blocks[-1].cut_off = True
            end = stop
        return end, blocks

    def _add_json(self, blocks: list[Block], *, fresh: bool) -> None:
        """Add tables; single words, as in JSON lines, continue the sentence before."""
        for block in blocks:
            last = self.blocks[-1] if self.blocks else None
            single = block.joins and last is not None and last.joins and last.roles == block.roles and not fresh
            if single and last is not None:
                last.rows += block.rows
                last.cut_off |= block.cut_off
            else:
                block.comments = self._comments | block.comments
                self._comments = {}
                self.blocks.append(block)
            fresh = False

    def _tables(self, value: Any, line: int, comments: Mapping[str, str] | None = None) -> Iterator[Block]:
        """Yield the tables in a JSON value."""
        said = dict(comments or {})
        if isinstance(value, str):
            if ("\n" in value or "\t" in value) and self.depth < _DEPTH:
                inner = _Reader(self.depth + 1)
                inner.read(value, line)
                self.unread += inner.unread
                yield from inner.blocks
        elif isinstance(value, dict):
            yield from self._of_object(value, line, said)
        elif isinstance(value, list):
            yield from self._of_list(value, line, said)

    def _of_object(self, value: dict[str, Any], line: int, said: dict[str, str]) -> Iterator[Block]:
        roles = {key: role_of(key) for key in value}
        known = {*roles.values()}
        columns = {key: column for key, column in value.items() if roles[key] and isinstance(column, list)}
        lengths = {len(column) for column in columns.values()}
        plain = all(not isinstance(cell, dict | list) for column in columns.values() for cell in column)
        column_roles = {roles[key] for key in columns}
        if _is_word(value):
            yield _block([value], line, said, joins=True)
        elif "head" in column_roles and "form" in column_roles and len(lengths) == 1 and plain:
            rows = zip(*columns.values(), strict=True)
            yield _block([dict(zip(columns, row, strict=True)) for row in rows], line, said)
        elif value and all(key.isdigit() for key in value) and all(isinstance(one, dict) for one in value.values()):
            words = [{"id": key} | one for key, one in value.items()]
            yield from self._of_list(words, line, said)
        else:
            for key, inner in value.items():
                name = key.strip().lower()
                if isinstance(inner, str | int) and name in _IDS:
                    said["sent_id"] = str(inner)
                elif isinstance(inner, str) and name in _TEXTS and "\t" not in inner:
                    said["text"] = inner
            for inner in value.values():
                for block in self._tables(inner, line, said):
                    block.joins = block.joins and "head" in known
                    yield block

    def _of_list(self, value: list[Any], line: int, said: dict[str, str]) -> Iterator[Block]:
        if value and all(isinstance(one, list) and _is_plain(one) for one in value):
            rows = [[json_cell(cell) for cell in one] for one in value]
            roles = header_roles(rows[0])
            kept = [Row(line, row) for row in rows[bool(roles) :]]
            yield Block("json", line, kept, roles, said)
        elif value and all(isinstance(one, str) for one in value):
            yield from self._tables("\n".join(value) + "\n", line, said)
        elif any(isinstance(one, dict) and _is_word(one) for one in value):
            yield _block([one for one in value if isinstance(one, dict) and _is_word(one)], line, said)
        else:
            for one in value:
                yield from self._tables(one, line, said if len(value) == 1 else None)

    def _line(self, line: str, stripped: str, number: int) -> None:
        if not stripped:
            self._close()
            self._blank = True
            return
        if stripped.startswith(("```", "~~~")):
            self._close()
            self._fenced = not self._fenced
            return
        separator, cells = self._cells(line, stripped)
        like_above = separator == "tab" and self._open and len(self._open.rows[0].cells) == len(cells)
        if stripped[0] == "#" and not like_above:
            self._close()
            if found := _COMMENT.fullmatch(stripped):
                self._comments[found[1].lower()] = found[2].strip()
            self._blank = False
            return
        if separator == "rule":
            return
        if separator and (roles := header_roles(cells)):
            self._close()
            self._roles[separator] = roles
            return
        if not separator:
            if self._open is not None or self._fenced or "\t" in line or stripped[0] == "|":
                self.unread.append(Unread(number, stripped))
            if self._open is not None and not self._fenced and "\t" not in line:
                self._close()
            return
        if self._open is None or self._open.separator != separator:
            self._close()
            roles = self._roles.get(separator, ())
            self._open = Block(separator, number, [], roles, self._comments, joins=self._blank)
            self._comments = {}
            self.blocks.append(self._open)
        self._open.rows.append(Row(number, cells, line))
        self._blank = False

    def _cells(self, line: str, stripped: str) -> tuple[str, list[str]]:  # noqa: PLR0911 -- one kind of line each
        """Return how a line separates its cells, and these; nothing if it is prose."""
        if "\t" in line:
            cells = [cell.strip(" ") for cell in line.strip("\n").split("\t")]
            return ("tab", cells) if 2 < len(cells) <= _WIDEST else ("", [])
        if stripped[0] == "|" or line.count(" | ") > 1:
            if _RULE.fullmatch(stripped):
                return "rule", []
            inner = stripped.removeprefix("|")
            inner = inner.removesuffix("|") if not inner.endswith("\\|") else inner
            cells = [_unescaped(cell) for cell in _BARS.split(inner)]
            return ("bar", cells) if 2 < len(cells) <= _WIDEST else ("", [])
        if len(stripped) < _LONGEST and (found := _ARC.fullmatch(stripped)):
            relation, head, number, word, place = found.groups()
            return "arcs", [place, word, number if head.upper() != "ROOT" else "0", relation]
        header = self._fenced and "," in stripped and header_roles(stripped.split(","))
        after_id = _COMMA.match(stripped)
        if header or after_id:
            mark = after_id[2] if after_id else ","
            cells = [cell.strip() for cell in next(csv.reader([stripped], delimiter=mark))]
            if 3 < len(cells) <= _WIDEST:
                return "comma", cells
        cells = stripped.split(maxsplit=_WIDEST)
        if len(cells) > _WIDEST:
            return "", []
        if len(cells) > 2 and header_roles(cells):
            return "space", cells
        if len(cells) > 3 and WORD_ID.fullmatch(cells[0]):
            rest = cells[2:]
            related = [i for i, cell in enumerate(rest) if universal_relation(cell.lower()) in RELATIONS or cell == "_"]
            if any(_HEAD.fullmatch(cell) and [i] != related[:1] for i, cell in enumerate(rest) if related):
                return "space", cells
        return "", cells

    def _close(self) -> None:
        self._open = None


def find_tables(text: str) -> tuple[list[Block], list[Unread]]:
    r"""Return the tables of words in an answer, in order, and the lines that could not be read.

    Examples
    --------
    >>> blocks, _ = find_tables("Here:\n\n| ID | Form | Head | Deprel |\n|---|---|---|---|\n| 1 | Go | 0 | root |")
    >>> blocks[0].roles, blocks[0].rows[0].cells
    (('id', 'form', 'head', 'deprel'), ['1', 'Go', '0', 'root'])
    """
    reader = _Reader()
    reader.read(text)
    return reader.blocks, reader.unread


def json_cell(value: Any) -> str:
    """Return a value of JSON as the text of a cell."""
    if value is None:
        return "_"
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    if isinstance(value, dict):
        number = next((value[key] for key in ("id", "index") if key in value), None)
        return json_cell(number) if number is not None else "|".join(f"{k}={json_cell(v)}" for k, v in value.items())
    if isinstance(value, list):
        return "|".join(map(json_cell, value))
    return str(value)


def _is_word(value: dict[str, Any]) -> bool:
    roles = {role_of(key) for key, cell in value.items() if not isinstance(cell, list)}
    return bool({"head", "head_word"} & roles) and bool({"form", "id"} & roles)


def _is_plain(row: list[Any]) -> bool:
    return 2 < len(row) <= _WIDEST and all(not isinstance(cell, dict | list) for cell in row)


def _block(words: list[dict[str, Any]], line: int, said: dict[str, str], *, joins: bool = False) -> Block:
    """Return the table of words given as objects."""
    keys = list(dict.fromkeys(key for word in words for key in word if role_of(key)))[:_WIDEST]
    roles = tuple("" if role in (before := [role_of(one) for one in keys[:i]]) and before else role
                  for i, role in enumerate(map(role_of, keys)))  # fmt: skip
    rows = [Row(line, [json_cell(word.get(key)) for key in keys]) for word in words]
    return Block("json", line, rows, roles, said, joins=joins)


def _unescaped(cell: str) -> str:
    text = re.sub(r"\\([\\|`*_])", r"\1", cell.strip())
    for mark in ("**", "`"):
        if len(text) > 2 * len(mark) and text.startswith(mark) and text.endswith(mark):
            text = text[len(mark) : -len(mark)]
    return text
