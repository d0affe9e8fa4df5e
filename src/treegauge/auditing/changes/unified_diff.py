"""Unified diffs of two versions of a treebank, which ``git apply`` and ``patch`` apply."""

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import cached_property
from itertools import accumulate, pairwise
from os import PathLike
from pathlib import Path
from typing import IO, NamedTuple

from treegauge.core.errors import TreegaugeError
from treegauge.treebanks.data.columns import Treebank
from treegauge.treebanks.data.indexing import index
from treegauge.treebanks.data.sentence_pairing import pair_texts, sentence_ids, sentence_texts
from treegauge.treebanks.sources.files import Source, is_conllu, open_bytes, short_name
from treegauge.treebanks.sources.resolver import find, read_treebank

CONTEXT = 3
"""Unchanged lines around a change, which show where it belongs if lines have moved."""
_LINE = re.compile(rb"[^\n]*\n|[^\n]+")
_NO_FILE = b"/dev/null"


@dataclass(frozen=True, eq=False)
class FileText:
    """A CoNLL-U file as bytes, cut into sentences; nothing is left out or repaired.

    Diffs refer to it by its `name`, messages by its `path`.
    """

    name: str
    data: bytes
    path: str = ""

    @cached_property
    def _treebank(self) -> Treebank:
        return index(self.data, self.name, need_heads=False)

    @property
    def ids(self) -> list[str | None]:
        """The sent_id of each sentence, or None."""
        return sentence_ids(self._treebank)

    @property
    def texts(self) -> list[bytes]:
        """The characters of each sentence without spaces."""
        return sentence_texts(self._treebank)

    @cached_property
    def lines(self) -> list[bytes]:
        """The lines with their ends."""
        return _LINE.findall(self.data)

    @cached_property
    def starts(self) -> list[int]:
        """The first line of each sentence, counted from 0, and the line after the last sentence."""
        ends = [0, *self._treebank.spans[:, 1].tolist()]
        counts = (self.data.count(b"\n", start, stop) for start, stop in pairwise(ends))
        starts = list(accumulate(counts, initial=0))
        return starts if ends[-1] < len(self.data) else [*starts[:-1], len(self.lines)]


class Edit(NamedTuple):
    """Lines of the old file, ``old[start:stop]``, that lines of the new file replace."""

    start: int
    stop: int
    new_start: int
    new_stop: int


def read_files(source: Treebank | Source | IO[str] | IO[bytes], split: str | None = None) -> list[FileText]:
    """Return the unpacked bytes of the CoNLL-U files of a source."""
    if not isinstance(source, str | PathLike):
        if hasattr(source, "read"):
            content = source.read()
            data = content.encode(errors="surrogatepass") if isinstance(content, str) else content
            return [FileText("text.conllu", data)]
        treebank = read_treebank(source)
        return [FileText(f"{treebank.name.replace('/', '-')}.conllu", treebank.to_bytes())]
    files = []
    for path in find(source, split=split):
        with open_bytes(path) as stream:
            name = f"{short_name(path)}.conllu" if path == "-" or is_conllu(path) else path
            files.append(FileText(Path(name).name, stream.read(), path))
    return files


def unified_diff(old: Sequence[FileText], new: Sequence[FileText]) -> bytes:
    r"""Return the unified diff that turns the old files into the new ones, byte for byte.

    Files are matched by name; if there is one of each, the diff is of the old file. Other files are
    removed or added. Sentences are paired as in the tables of ``diff``, so that a change never
    spreads to its neighbours.

    Examples
    --------
    >>> word = b"1\tGo\t_\tX\t_\t_\t0\troot\t_\t_\n"
    >>> files = FileText("a.conllu", word), FileText("a.conllu", word.replace(b"X", b"VERB"))
    >>> print(unified_diff(files[:1], files[1:]).decode().expandtabs(4), end="")
    --- a/a.conllu
    +++ b/a.conllu
    @@ -1,1 +1,1 @@
    -1  Go  _   X   _   _   0   root    _   _
    +1  Go  _   VERB    _   _   0   root    _   _
    """
    for files in (old, new):
        repeated = [name for name, count in Counter(file.name for file in files).items() if count > 1]
        if repeated:
            raise TreegaugeError(f"found several files named {repeated[0]}; expected one of a name")
    if len(old) == len(new) == 1:
        return b"".join(_file_diff(old[0], FileText(old[0].name, new[0].data)))
    before, after = {file.name: file for file in old}, {file.name: file for file in new}
    names = dict.fromkeys([*before, *after])
    return b"".join(part for name in names for part in _file_diff(before.get(name), after.get(name)))


def _file_diff(old: FileText | None, new: FileText | None) -> Iterator[bytes]:
    """Yield the parts of the diff of one file; None is a file that does not exist."""
    hunks = list(_hunks(_edits(old or FileText("", b""), new or FileText("", b""))))
    if not hunks:
        return
    yield b"--- %b\n+++ %b\n" % (_label(b"a/", old), _label(b"b/", new))
    lines, new_lines = old.lines if old else [], new.lines if new else []
    for hunk in hunks:
        first, last = hunk[0], hunk[-1]
        start, stop = max(first.start - CONTEXT, 0), min(last.stop + CONTEXT, len(lines))
        new_start, new_stop = first.new_start - (first.start - start), last.new_stop + (stop - last.stop)
        yield b"@@ -%b +%b @@\n" % (_range(start, stop), _range(new_start, new_stop))
        for edit in hunk:
            yield from _marked(b" ", lines[start : edit.start])
            yield from _marked(b"-", lines[edit.start : edit.stop])
            yield from _marked(b"+", new_lines[edit.new_start : edit.new_stop])
            start = edit.stop
        yield from _marked(b" ", lines[start:stop])


def _label(folder: bytes, file: FileText | None) -> bytes:
    """Return a file's name in a diff; a tab ends a name with spaces."""
    if file is None:
        return _NO_FILE
    return folder + file.name.encode(errors="surrogateescape") + (b"\t" if " " in file.name else b"")


def _range(start: int, stop: int) -> bytes:
    """Return lines as first line, counted from 1, and number; no lines are after the line before."""
    return b"%d,%d" % (start + (start < stop), stop - start)


def _marked(mark: bytes, lines: Sequence[bytes]) -> Iterator[bytes]:
    for line in lines:
        yield mark + line if line.endswith(b"\n") else mark + line + b"\n\\ No newline at end of file\n"


def _hunks(edits: Iterator[Edit]) -> Iterator[list[Edit]]:
    """Group edits whose unchanged lines around them touch."""
    hunk: list[Edit] = []
    for edit in edits:
        if hunk and edit.start - hunk[-1].stop > 2 * CONTEXT:
            yield hunk
            hunk = []
        hunk.append(edit)
    if hunk:
        yield hunk


def _edits(old: FileText, new: FileText) -> Iterator[Edit]:
    """Yield the lines that differ, in order; they are compared sentence by sentence."""
    if old.data == new.data:
        return
    kept = _kept_sentences(old, new)
    start = new_start = 0
    for i, j in [*kept, (len(old.starts) - 1, len(new.starts) - 1)]:
        if start < old.starts[i] or new_start < new.starts[j]:  # sentences without a partner
            yield Edit(start, old.starts[i], new_start, new.starts[j])
        start, new_start = old.starts[i], new.starts[j]
        stop = old.starts[i + 1] if i + 1 < len(old.starts) else len(old.lines)
        new_stop = new.starts[j + 1] if j + 1 < len(new.starts) else len(new.lines)
        before, after = old.lines[start:stop], new.lines[new_start:new_stop]
        if before != after:
            for tag, a, b, c, d in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
                if tag != "equal":
                    yield Edit(start + a, start + b, new_start + c, new_start + d)
        start, new_start = stop, new_stop


def _kept_sentences(old: FileText, new: FileText) -> list[tuple[int, int]]:
    """Return the pairs of sentences that are in the same order in both files."""
    partners = pair_texts(old.ids, old.texts, new.ids, new.texts).to_new.tolist()
    pairs = [(i, j) for i, j in enumerate(partners) if j >= 0]
    return [pairs[k] for k in longest_increasing([j for _, j in pairs])]


def longest_increasing(numbers: Sequence[int]) -> list[int]:
    """Return the positions of a longest increasing subsequence."""
    tops: list[int] = []
    ends: list[int] = []
    before: list[int] = []
    for i, number in enumerate(numbers):
        position = bisect_left(tops, number)
        before.append(ends[position - 1] if position else -1)
        tops[position : position + 1] = [number]
        ends[position : position + 1] = [i]
    chosen = []
    position = ends[-1] if ends else -1
    while position >= 0:
        chosen.append(position)
        position = before[position]
    return chosen[::-1]
