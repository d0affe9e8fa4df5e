"""Reading and writing of CoNLL-U: exact, of any size, with all problems reported at once."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import Any, get_args

import numpy as np

from treegauge.core.errors import ChoiceError, TreegaugeError
from treegauge.core.files import atomic
from treegauge.core.messages import standard_output
from treegauge.treebanks.data.columns import Treebank, closed, concat
from treegauge.treebanks.data.indexing import index
from treegauge.treebanks.data.problems import BY_NAME, CUT_OFF, ConlluError, ReadingProblem
from treegauge.treebanks.data.trees import repair as repair_heads
from treegauge.treebanks.sources.files import (
    Errors,
    Source,
    count_lines,
    open_bytes,
    packed,
    pieces,
    short_name,
    split_of,
)  # fmt: skip
from treegauge.treebanks.sources.resolver import find, folder_name

CHUNK = 2 << 20
TOLERABLE = ("several-roots", "no-root", "cycle")
"""Kinds of problems that can be allowed."""


def parse_conllu(
    text: str | bytes,
    *,
    name: str = "text",
    errors: Errors = "strict",
    need_heads: bool = True,
    allow: Sequence[str] = (),
    file: str | None = None,
    first_line: int = 1,
) -> Treebank:
    r"""Read a treebank from text.

    Parameters
    ----------
    text
        CoNLL-U.
    name, file
        Names of the treebank, and of the file in messages.
    errors
        What to do about problems. ``"strict"`` raises a :class:`ConlluError` that lists all of
        them, ``"skip"`` leaves the sentences out, ``"repair"`` repairs what it can (see
        :mod:`treegauge.treebanks.data.conllu`) and leaves out the rest. The treebank's `problems` and
        all signatures made from it record what was done.
    need_heads
        Whether ``_`` in HEAD is a problem; set to False for unparsed text.
    allow
        Kinds of problems to allow: ``"several-roots"``, ``"no-root"``, ``"cycle"``.
    first_line
        Number of the first line, for pieces of a larger file.

    Examples
    --------
    >>> tb = parse_conllu("1\tGo\tgo\tVERB\t_\t_\t0\troot\t_\t_\n\n")
    >>> tb["upos"].to_list()
    ['VERB']
    >>> parse_conllu("1\tGo\tgo\tVERB\t_\t_\t4\troot\t_\t_\n\n")
    Traceback (most recent call last):
    ...
    treegauge.treebanks.data.problems.ConlluError: text:1: error: head-range: found HEAD '4', ...
    """
    if errors not in get_args(Errors):
        raise ChoiceError("error policy", errors, get_args(Errors))
    for kind in allow:
        if kind not in TOLERABLE:
            raise ChoiceError("kind of problem to allow", kind, TOLERABLE)
    data = text.encode(errors="surrogatepass") if isinstance(text, str) else text
    options: dict[str, Any] = {"file": file, "first_line": first_line, "need_heads": need_heads}
    treebank = index(data, name, **options)
    problems = treebank.problems

    def refused(problem: ReadingProblem) -> bool:
        readable = errors != "repair" and not problem.blocks_reading
        return problem.level == "error" and problem.kind not in allow and not readable

    bad = [problem for problem in problems if refused(problem)]
    if bad and errors == "strict":
        cut_off = {p.sentence for p in problems if p.kind == CUT_OFF} & {p.sentence for p in bad}
        raise ConlluError(bad, cut_off=bool(cut_off))
    if bad:
        lost = {p.sentence for p in bad if p.blocks_reading and p.sentence >= 0}
        if errors == "repair":
            repaired, numbers = repair_sentences(treebank, lost)
            again = index(repaired, name, **options)
            lost -= {*numbers, len(treebank)}
            lost |= {numbers[p.sentence] for p in again.problems if refused(p)}
            treebank = _without(again, {i for i, n in enumerate(numbers) if n in lost})
        else:
            treebank = _without(treebank, lost)
        problems = tuple(
            replace(p, action="skipped" if p.sentence in lost else "repaired") if refused(p) else p for p in problems
        )
    return replace(treebank, problems=problems, policy=errors)


def _without(treebank: Treebank, lost: set[int]) -> Treebank:
    """Leave sentences out; the number after the last one means the comments at the end."""
    kept = np.setdiff1d(np.arange(len(treebank)), sorted(lost))
    return replace(treebank.take(kept), tail=b"" if len(treebank) in lost else treebank.tail)


def read_conllu(
    source: Source | Sequence[Source],
    *,
    split: str | None = None,
    name: str | None = None,
    errors: Errors = "strict",
    need_heads: bool = True,
    allow: Sequence[str] = (),
) -> Treebank:
    """Read a treebank from a file, a folder, a pattern, standard input or a packed file.

    Parameters
    ----------
    source
        A path, ``-`` for standard input, a pattern, a folder such as ``UD_Greek-GDT`` (its train,
        dev and test files in this order), or several of these. Files ending in ``.gz``, ``.xz``,
        ``.bz2`` or ``.zst`` are unpacked while reading.
    split
        ``"train"``, ``"dev"`` or ``"test"``: only that set of a folder, pattern or name.
    name, errors, need_heads, allow
        As in :func:`parse_conllu`.

    Returns
    -------
    Treebank
        All sentences in memory; see :func:`stream_conllu` for files that are too large.
    """
    paths = _paths(source, split)
    parts: list[Treebank] = []
    refused: list[ReadingProblem] = []
    cut_off = False
    for path in paths:
        with open_bytes(path) as stream:
            data = stream.read()
        title = name if name and len(paths) == 1 else short_name(path)
        try:
            part = parse_conllu(data, name=title, file=path, errors=errors, need_heads=need_heads, allow=allow)
            parts.append(part)
        except ConlluError as error:
            refused += error.problems
            cut_off |= error.cut_off
    if refused:
        raise ConlluError(refused, cut_off=cut_off)
    if len(parts) == 1:
        return parts[0]
    if name is None and isinstance(source, str | Path):
        from treegauge.treebanks.sources.resolver import folder_name

        name = folder_name(source)
    return concat(parts, name=name)


def read_splits(source: Source, **options: Any) -> dict[str, Treebank]:
    """Read the training, dev and test sets of a treebank that exist.

    `source` is the folder of a treebank, or its name or code; options are those of :func:`read_conllu`.
    """
    parts: dict[str, list[str]] = {}
    for path in find(source):
        if part := split_of(path):
            parts.setdefault(part, []).append(path)
    name = folder_name(source) or short_name(source)
    return {part: read_conllu(paths, name=f"{name}/{part}", **options) for part, paths in parts.items()}


def stream_conllu(
    source: Source | Sequence[Source],
    *,
    split: str | None = None,
    errors: Errors = "strict",
    need_heads: bool = True,
    allow: Sequence[str] = (),
    chunk: int = CHUNK,
) -> Iterator[Treebank]:
    """Yield a treebank in pieces, with memory that does not grow with the file.

    Parameters
    ----------
    source, split, errors, need_heads, allow
        As in :func:`read_conllu`.
    chunk
        Approximate size of a piece in bytes; a piece ends with a sentence.

    Yields
    ------
    Treebank
        Consecutive pieces; concatenated they equal the result of :func:`read_conllu`.
    """
    for path in _paths(source, split):
        line = 1
        for data in pieces(path, chunk):
            yield parse_conllu(
                data, name=short_name(path), file=path, errors=errors, need_heads=need_heads,
                allow=allow, first_line=line,
            )  # fmt: skip
            line += count_lines(data)


def _paths(source: Source | Sequence[Source], split: str | None) -> list[str]:
    sources = [source] if isinstance(source, str | PathLike) else source
    return [path for item in sources for path in find(item, split=split)]


def write_conllu(treebank: Treebank, path: Source) -> None:
    """Write a treebank atomically, compressed if the file ending says so.

    Parameters
    ----------
    treebank
        What to write. Sentences are written byte for byte as they were read.
    path
        A file name (``.gz``, ``.xz`` and ``.zst`` are packed), or ``-`` for standard output.
    """
    data = treebank.to_bytes()
    if str(path) == "-":
        standard_output().buffer.write(data)
        return
    try:
        with atomic(path) as file:
            file.write(packed(data, Path(path).suffix))
    except OSError as error:
        raise TreegaugeError(f"cannot write {path}: {error.strerror or error}") from error


def refusals(treebank: Treebank) -> list[ReadingProblem]:
    """Return the problems that make the official script refuse a file that we can read."""
    return [p for p in treebank.problems if p.level == "error" and BY_NAME[p.kind].readable]


__all__ = [
    "ConlluError", "Treebank", "TreegaugeError", "parse_conllu", "read_conllu", "read_splits",
    "stream_conllu", "write_conllu",
]  # fmt: skip


# Characters that the official script drops from a FORM (category Zs); U+0085 is not one of them.
BLANKS = " \u00a0\u1680\u2000-\u200a\u202f\u205f\u3000"
_BLANK = re.compile(f"[{BLANKS}]*")
_GAP = re.compile(f"[\t{BLANKS}]+")
_WORD = re.compile(r" *\+?\d{1,9} *")
_OTHER = re.compile(r"\d{1,9}[-.]\d{1,9}")


def repair_sentences(treebank: Treebank, broken: set[int]) -> tuple[bytes, list[int]]:
    """Return a treebank with malformed sentences repaired, or left out if no rule applies.

    The number after the last sentence means the comments after it. Returns the new bytes, and the
    old number of each sentence in them.
    """
    parts: list[bytes] = []
    numbers: list[int] = []
    for number, (start, stop) in enumerate(treebank.spans.tolist()):
        piece = treebank.raw[start:stop].tobytes()
        if number in broken:
            text = piece.decode(errors="replace").replace("\r\n", "\n").replace("\r", "\n")
            lines = repair_sentence([line for line in text.split("\n") if line])
            if lines is None:
                continue
            piece = "\n".join([*lines, "", ""]).encode()
        parts.append(closed(piece))
        numbers.append(number)
    tail = treebank.tail
    if len(treebank) in broken:
        tail = tail.decode(errors="replace").encode()
    return b"".join([*parts, tail]), numbers


def repair_sentence(lines: list[str]) -> list[str] | None:
    """Return the repaired lines of a sentence (without its blank line), or None."""
    comments = [line for line in lines if line.startswith("#")]
    table = [_fields(line) for line in lines if not line.startswith("#")]
    if not table or any(len(fields) != 10 for fields in table):
        return None
    for fields in table:
        if _BLANK.fullmatch(fields[1]):
            fields[1] = "_"
    words = [fields for fields in table if _WORD.fullmatch(fields[0])]
    others = [fields for fields in table if not _WORD.fullmatch(fields[0])]
    if not words or any(not _OTHER.fullmatch(fields[0]) for fields in others):
        return None
    _renumber(table, words)
    return comments + ["\t".join(fields) for fields in table if fields[0]]


def _fields(line: str) -> list[str]:
    fields = line.split("\t")
    return fields if len(fields) == 10 else [word for word in _GAP.split(line) if word]


def _renumber(table: list[list[str]], words: list[list[str]]) -> None:
    """Renumber the rows and repair the tree; a range of fewer than two words gets an empty ID."""
    old = [int(fields[0]) for fields in words]
    times = Counter(old)
    new = {value: i + 1 for i, value in enumerate(old) if times[value] == 1}
    heads = []
    for fields in words:
        try:
            head = int(fields[6])
        except ValueError:
            head = -1
        heads.append(0 if head == 0 else new.get(head, -1))
    before = np.array(heads, np.int32)
    repaired, _ = repair_heads(before)
    position = 0
    for fields in table:
        if "." in fields[0]:
            fields[0] = f"{position}.{fields[0].partition('.')[2]}"
        elif "-" in fields[0]:
            start, end = map(int, fields[0].split("-"))
            last = min(position + 1 + end - start, len(words))
            fields[0] = f"{position + 1}-{last}" if last > position + 1 else ""
        else:
            head = int(repaired[position])
            position += 1
            if head == 0:
                fields[7] = "root"
            elif fields[7] == "root":
                fields[7] = "dep"
            fields[0], fields[6] = str(position), str(head)
