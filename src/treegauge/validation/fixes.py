"""Repairs of problems that have one correct answer, as a unified diff.

White space, line ends, normal form, numbers of words, SpaceAfter by the text, order and repetition of
features, values, enhanced relations and attributes. A sentence without problems is never touched, and
a repair is kept only if its sentence then has fewer problems and none of another test.
"""

import re
import unicodedata
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from treegauge.treebanks.sources.files import open_bytes
from treegauge.validation.problems import Problem

CONTEXT = 3
"""Unchanged lines around a change in a diff."""
ID, FORM, LEMMA, UPOS, XPOS, FEATS, HEAD, DEPREL, DEPS, MISC = range(10)
_N = "[1-9][0-9]{0,8}"
_WORD, _RANGE, _EMPTY = (re.compile(p) for p in (f"{_N}", f"({_N})-({_N})", rf"(0|{_N})(\.{_N})"))
_ITEM = re.compile(rf"(0|{_N})(?:\.({_N}))?:(.*)", re.DOTALL)
_TEXT = re.compile(r"#\s*text\s*=\s*(.*)")
_ATTRIBUTES = {name.lower(): name for name in "SpaceAfter Lang Translit LTranslit Gloss LId LDeriv Ref".split()}
_BETWEEN = frozenset(("non-unix-newline", "missing-empty-line", "empty-sentence", "pseudo-empty-line"))
Lines = list[str]


class FixedFile(NamedTuple):
    """A file before and after; `repaired` counts the problems that are gone by test."""

    name: str
    old: Lines
    new: Lines
    edits: list[tuple[int, int, int, int]]
    repaired: Counter[str]

    @property
    def text(self) -> str:
        """The repaired file."""
        return "".join(self.new)

    def diff(self) -> Iterator[str]:
        """Yield the parts of a unified diff; ``git apply`` and ``patch`` apply it."""
        hunks: list[list[tuple[int, int, int, int]]] = []
        for edit in self.edits:
            if hunks and edit[0] - hunks[-1][-1][1] <= 2 * CONTEXT:
                hunks[-1].append(edit)
            else:
                hunks.append([edit])
        if hunks:
            tab = "\t" if " " in self.name else ""
            yield f"--- a/{self.name}{tab}\n+++ b/{self.name}{tab}\n"
        for hunk in hunks:
            (start, _, first, _), (_, stop, _, last) = hunk[0], hunk[-1]
            above, below = min(CONTEXT, start), min(CONTEXT, len(self.old) - stop)
            yield f"@@ -{_span(start - above, stop + below)} +{_span(first - above, last + below)} @@\n"
            at = start - above
            for begin, end, new_begin, new_end in hunk:
                yield from _marked(" ", self.old[at:begin])
                yield from _marked("-", self.old[begin:end])
                yield from _marked("+", self.new[new_begin:new_end])
                at = end
            yield from _marked(" ", self.old[at : stop + below])


def _span(start: int, stop: int) -> str:
    return f"{start + (start < stop)},{stop - start}"


def _marked(mark: str, lines: Sequence[str]) -> Iterator[str]:
    for line in lines:
        yield mark + line if line.endswith("\n") else f"{mark}{line}\n\\ No newline at end of file\n"


def fix_file(path: str, validated: Callable[[str], Iterable[Problem]]) -> FixedFile | None:
    """Return a file with its problems repaired, as far as they have one correct answer.

    `validated` returns the problems of a file. None if bytes are not UTF-8, which has no correct answer.
    """
    with open_bytes(path) as stream:
        data = stream.read()
    try:
        original = data.decode()
    except UnicodeDecodeError:
        return None
    problems = list(validated(path))
    raw = _lines(original)
    text = original.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n") if problems else original
    lines = _lines(text)
    blocks = _blocks(lines)
    before = _by_block(problems, blocks)
    wrong = {n: lines[slice(*blocks[n])] for n in range(len(blocks)) if before[n]}
    fixed = {n: new for n, old in wrong.items() if (new := fix_sentence(old)) != old}
    tidy = bool(problems)
    while True:
        made, shape = _joined(lines, blocks, fixed, tidy)
        after = _by_block(_checked("".join(made), validated), shape)
        totals = {n: (before[n].total(), after[n].total()) for n in after}
        worse = {
            n for n, (old, new) in totals.items() if after[n].keys() - before[n].keys() or new > old - (n in fixed)
        }
        if not worse or not (tidy or fixed):
            break
        if worse & fixed.keys():
            fixed = {n: fixed[n] for n in fixed.keys() - worse}
        elif tidy:
            tidy = False  # an empty line at the end can make an empty sentence
        else:
            fixed = {}  # a repair makes a problem of another sentence, such as its sent_id
    gone = sum(before.values(), Counter()) - sum(after.values(), Counter())
    known = blocks if len(raw) == len(lines) else []
    return FixedFile(_name(path), raw, made, _edits(raw, made, known, shape), gone)


def _name(path: str) -> str:
    """Return the name of a file in a diff: from the current folder, else without folders."""
    whole, here = Path(path).resolve(), Path.cwd()
    return (whole.relative_to(here) if whole.is_relative_to(here) else Path(whole.name)).as_posix()


def _lines(text: str) -> Lines:
    return re.findall(r"[^\n]*\n|[^\n]+", text)


def _blocks(lines: Sequence[str]) -> list[tuple[int, int]]:
    """Return the first line of each sentence and the line after its last."""
    blocks, start = [], None
    for number, line in enumerate([*lines, ""]):
        if line.strip():
            start = number if start is None else start
        elif start is not None:
            blocks.append((start, number))
            start = None
    return blocks


def _by_block(problems: Iterable[Problem], blocks: Sequence[tuple[int, int]]) -> dict[int, Counter[str]]:
    """Count the problems of each sentence by test; those of lines between sentences are at -1."""
    counts: dict[int, Counter[str]] = {number: Counter() for number in range(-1, max(len(blocks), 1))}
    starts = [start for start, _ in blocks]
    for problem in problems:
        place = -1 if problem.id in _BETWEEN else max(bisect_right(starts, problem.line - 1) - 1, 0)
        counts[place][problem.id] += 1
    return counts


def _checked(text: str, validated: Callable[[str], Iterable[Problem]]) -> list[Problem]:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "fixed.conllu"
        path.write_bytes(text.encode())
        return list(validated(str(path)))


def _joined(
    lines: Lines, blocks: Sequence[tuple[int, int]], fixed: dict[int, Lines], tidy: bool
) -> tuple[Lines, list[tuple[int, int]]]:
    """Return the lines with repaired sentences, one empty line after each, and where sentences are."""
    made: Lines = [] if tidy or not blocks else lines[: blocks[0][0]]
    shape = []
    for number, (start, stop) in enumerate(blocks):
        sentence = fixed.get(number, lines[start:stop])
        shape.append((len(made), len(made) + len(sentence)))
        following = blocks[number + 1][0] if number + 1 < len(blocks) else len(lines)
        ended = [*sentence[:-1], f"{sentence[-1].rstrip(chr(10))}\n", "\n"]
        made += ended if tidy else [*sentence, *lines[stop:following]]
    return (made, shape) if blocks else (lines, [])


def _edits(
    old: Lines, new: Lines, blocks: Sequence[tuple[int, int]], shape: Sequence[tuple[int, int]]
) -> list[tuple[int, int, int, int]]:
    """Return the lines that differ; repairs keep the number of lines of a sentence."""
    if old == new:
        return []
    if not blocks:
        return [(0, len(old), 0, len(new))]
    pairs = [(a + k, b + k) for (a, stop), (b, _) in zip(blocks, shape, strict=True) for k in range(stop - a)]
    edits, at, new_at = [], 0, 0
    for a, b in [*pairs, (len(old), len(new))]:
        if old[at:a] != new[new_at:b]:  # empty lines
            edits.append((at, a, new_at, b))
        if a < len(old) and old[a] != new[b]:
            edits.append((a, a + 1, b, b + 1))
        at, new_at = a + 1, b + 1
    joined: list[tuple[int, int, int, int]] = []
    for start, stop, new_start, new_stop in edits:
        if joined and joined[-1][1] == start and joined[-1][3] == new_start:
            begin, _, new_begin, _ = joined.pop()
            joined.append((begin, stop, new_begin, new_stop))
        else:
            joined.append((start, stop, new_start, new_stop))
    return joined


def fix_sentence(lines: Lines) -> Lines:
    r"""Return the lines of a sentence, repaired; their number stays the same.

    Examples
    --------
    >>> fix_sentence(["1\tGo \tgo\tVERB\t_\tB=C|A=D\t0\troot\t_\t_\n"])
    ['1\tGo\tgo\tVERB\t_\tA=D|B=C\t0\troot\t_\t_\n']
    """
    ends = ["\n" if line.endswith("\n") else "" for line in lines]
    made = [unicodedata.normalize("NFC", line.removesuffix("\n")) for line in lines]
    rows = {n: line.split("\t") for n, line in enumerate(made) if line[:1].isdigit() and line.count("\t") == 9}
    for columns in rows.values():
        for number, column in enumerate(columns):
            columns[number] = _spaces(column, number) or "_"
        columns[FEATS] = _features(columns[FEATS])
        columns[DEPS] = _enhanced(columns[DEPS])
        columns[MISC] = _attributes(columns[MISC])
    texts = [n for n, line in enumerate(made) if _TEXT.fullmatch(line)]
    for n in texts:
        made[n] = made[n].rstrip() if _TEXT.fullmatch(made[n].rstrip()) else made[n]
    if all(n in rows or line.startswith("#") for n, line in enumerate(made)):
        _renumber(list(rows.values()))
        if len(texts) == 1 and (match := _TEXT.fullmatch(made[texts[0]])):
            _space_after(list(rows.values()), match[1])
    for n, columns in rows.items():
        made[n] = "\t".join(columns)
    return [line + end for line, end in zip(made, ends, strict=True)]


def _spaces(value: str, column: int) -> str:
    value = value.strip()
    return re.sub(r"\s(?=\s)", "", value) if column in {FORM, LEMMA, MISC} else value


def _features(value: str) -> str:
    """Sort features and their values, each once."""
    items = []
    for item in filter(None, value.split("|")):
        name, mark, values = item.partition("=")
        several = values.split(",")
        ordered = sorted(dict.fromkeys(several), key=str.lower) if all(several) else several
        items.append(f"{name}{mark}{','.join(ordered)}")
    return "|".join(sorted(dict.fromkeys(items), key=str.lower)) or "_"


def _enhanced(value: str) -> str:
    """Sort enhanced relations, each once; what is malformed stays."""
    items = [(item, _ITEM.fullmatch(item)) for item in value.split("|")]
    keys = {item: (int(match[1]), int(match[2] or 0), match[3]) for item, match in items if match}
    return "|".join(sorted(keys, key=keys.__getitem__)) if all(match for _, match in items) else value


def _attributes(value: str) -> str:
    """Return MISC without empty and repeated items and outer spaces, with the names that UD writes."""
    items = []
    for item in value.split("|"):
        name, mark, content = (part.strip() for part in item.partition("="))
        name = _ATTRIBUTES.get(name.lower(), name)
        if (name, content) not in {("SpaceAfter", "Yes"), ("NoSpaceAfter", "No")}:
            items.append("SpaceAfter=No" if (name, content) == ("NoSpaceAfter", "Yes") else f"{name}{mark}{content}")
    known = [item.partition("=")[0] in _ATTRIBUTES.values() for item in items]
    kept = [item for n, item in enumerate(items) if item and not (known[n] and item in items[:n])]
    return "|".join(kept) or "_"


def _renumber(rows: list[list[str]]) -> None:
    """Give words the numbers from 1, if each head can be translated and IDs are in order."""
    old = [int(row[ID]) for row in rows if _WORD.fullmatch(row[ID])]
    if old == list(range(1, len(old) + 1)) or old != sorted(set(old)):
        return
    new = {"0": "0"} | {str(number): str(place) for place, number in enumerate(old, 1)}
    translated = []
    try:
        for row in rows:
            if match := _RANGE.fullmatch(row[ID]):
                node = f"{new[match[1]]}-{new[match[2]]}"
            else:
                match = _EMPTY.fullmatch(row[ID])
                node = f"{new[match[1]]}{match[2]}" if match else new[row[ID]]
            head = row[HEAD] if row[HEAD] == "_" else new[row[HEAD]]
            items = [] if row[DEPS] == "_" else [item.partition(":") for item in row[DEPS].split("|")]
            parts = [(place.partition("."), rest) for place, _, rest in items]
            deps = "|".join(f"{new[word]}{dot}{number}:{rest}" for (word, dot, number), rest in parts)
            translated.append((node, head, deps or "_"))
    except KeyError:
        return
    for row, (node, head, deps) in zip(rows, translated, strict=True):
        row[ID], row[HEAD], row[DEPS] = node, head, deps


def _space_after(rows: list[list[str]], text: str) -> None:
    """Set SpaceAfter=No where the text has no space, if the words spell the text."""
    place, last, changes = 0, 0, []
    for row in rows:
        if not (match := _RANGE.fullmatch(row[ID])) and (not _WORD.fullmatch(row[ID]) or int(row[ID]) <= last):
            changes.append((row, False))  # an empty node, or a word in a multiword token
            continue
        last = int(match[2]) if match else last
        if not text.startswith(row[FORM], place):
            return
        place += len(row[FORM])
        rest = text[place:].lstrip()
        if rest:
            changes.append((row, len(rest) == len(text) - place))
        place = len(text) - len(rest)
    if place != len(text):
        return
    for row, joined in changes:
        items = [] if row[MISC] == "_" else row[MISC].split("|")
        if joined and "SpaceAfter=No" not in items:
            ordered = items == sorted(items, key=str.lower)
            items = [item for item in items if not item.startswith("SpaceAfter=")] + ["SpaceAfter=No"]
            row[MISC] = "|".join(sorted(items, key=str.lower) if ordered else items)
        elif not joined and "SpaceAfter=No" in items:
            row[MISC] = "|".join(item for item in items if item != "SpaceAfter=No") or "_"
