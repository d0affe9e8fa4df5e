"""Creation of a patch from two versions of a treebank."""

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from itertools import pairwise

from treegauge.core.errors import TreegaugeError
from treegauge.treebanks.data.columns import Treebank
from treegauge.treebanks.data.indexing import index
from treegauge.treebanks.editing.patches import Deletion, FilePatch, Move, Placement, SentenceEdit, lines_of
from treegauge.treebanks.editing.sentence_edits import decoded, line_edits, sentence_edit
from treegauge.treebanks.editing.sentence_pairs import pair_texts, sentence_ids, sentence_texts
from treegauge.treebanks.sources.files import split_of


def digest(data: bytes, size: int = 16) -> str:
    """Return the start of the SHA-256 of these bytes."""
    return sha256(data).hexdigest()[:size]


@dataclass(frozen=True, eq=False)
class FileText:
    """A CoNLL-U file as bytes, cut into sentences; nothing is left out or repaired.

    Patches refer to it by its `name`, messages by its `path`.
    """

    name: str
    data: bytes
    path: str = ""

    @cached_property
    def _treebank(self) -> Treebank:
        return index(self.data, self.name, need_heads=False).treebank

    @cached_property
    def sentences(self) -> list[bytes]:
        """The bytes of each sentence, with the comments before and the blank line after it."""
        ends = self._treebank.spans[:, 1].tolist()
        return [self.data[a:b] for a, b in pairwise([0, *ends])]

    @cached_property
    def tail(self) -> bytes:
        """The bytes after the last sentence."""
        return self.data[sum(map(len, self.sentences)) :]

    @cached_property
    def ids(self) -> list[str | None]:
        """The sent_id of each sentence, or None."""
        return sentence_ids(self._treebank)

    @cached_property
    def texts(self) -> list[bytes]:
        """The characters of each sentence without spaces."""
        return sentence_texts(self._treebank)

    @cached_property
    def addresses(self) -> list[str]:
        """The address of each sentence in patches: its sent_id if unique, else its number."""
        counts = Counter(self.ids)
        return [
            name if name and counts[name] == 1 and name[0] != "#" else f"#{number}"
            for number, name in enumerate(self.ids, 1)
        ]

    def with_newlines(self, old: str, new: str) -> "FileText":
        """Return the file with other line ends."""
        ends = {"lf": b"\n", "crlf": b"\r\n"}
        return FileText(self.name, self.data.replace(ends[old], ends[new]))


def newline_style(data: bytes) -> str:
    """Return ``lf`` or ``crlf`` if all lines end so, else an empty text."""
    if b"\r" not in data:
        return "lf" if b"\n" in data else ""
    pairs = data.count(b"\r\n")
    return "crlf" if pairs == data.count(b"\n") == data.count(b"\r") else ""


def make_patch(old: Sequence[FileText], new: Sequence[FileText]) -> list[FilePatch]:
    """Return the patch that turns the old files into the new ones.

    Parameters
    ----------
    old, new
        The files of both versions. Files are matched by name, then by split, then one to one.
        Sentences may move between them.
    """
    for files in (old, new):
        repeated = [name for name, n in Counter(file.name for file in files).items() if n > 1]
        if repeated:
            raise TreegaugeError(f"found several files named {repeated[0]}; expected one of a name")
    bases = _match_files(old, new)
    styles: dict[str, tuple[str, str]] = {}
    for two in new:
        one = bases[two.name]
        before, after = newline_style(one.data) if one else "", newline_style(two.data)
        if one is not None and before and after and before != after:
            styles[one.name] = before, after
    plain = [file.with_newlines(*styles[file.name]) if file.name in styles else file for file in old]
    sections = {two.name: FilePatch(0, None, two.name, "", digest(two.data)) for two in new}
    of_old: dict[str, FilePatch] = {}
    for file in old:
        name = next((two.name for two in new if bases[two.name] is file), None)
        section = sections[name] if name else FilePatch(0)
        section.old, section.old_digest = file.name, digest(file.data)
        section.newlines = styles.get(file.name)
        of_old[file.name] = section
    _compare(plain, new, of_old, sections)
    for two in new:
        base = bases[two.name]
        tails = next((o.tail for o in plain if base and o.name == base.name), b""), two.tail
        if tails[0] != tails[1]:
            lines = list(line_edits(lines_of(decoded(tails[0])), lines_of(decoded(tails[1]))))
            sections[two.name].edits.append(SentenceEdit(0, "", [], lines))
    removed = [part for part in of_old.values() if part.new is None]
    return [*(part for part in sections.values() if not _is_empty(part)), *removed]


def _is_empty(part: FilePatch) -> bool:
    same = part.old == part.new and part.old_digest == part.new_digest
    return same and not (part.edits or part.deletions or part.placements)


def _match_files(old: Sequence[FileText], new: Sequence[FileText]) -> dict[str, FileText | None]:
    """Return the old file of each new one, by name, by split, or if there is one of each."""
    if len(old) == len(new) == 1:
        return {new[0].name: old[0]}
    names = {file.name: file for file in old}
    matches = {two.name: names.get(two.name) for two in new}
    free = [file for file in old if file not in matches.values()]
    for two in new:
        if matches[two.name] is None and split_of(two.name):
            alike = [file for file in free if split_of(file.name) == split_of(two.name)]
            if len(alike) == 1:
                matches[two.name] = alike[0]
                free.remove(alike[0])
    return matches


def _compare(
    old: Sequence[FileText], new: Sequence[FileText], of_old: dict[str, FilePatch], of_new: dict[str, FilePatch]
) -> None:
    """Pair the sentences of all files, and record edits, deletions, insertions and moves."""
    places = [(file, i) for file in old for i in range(len(file.sentences))]
    targets = [(two, i) for two in new for i in range(len(two.sentences))]
    pairs = pair_texts(
        [name for file in old for name in file.ids], [text for file in old for text in file.texts],
        [name for two in new for name in two.ids], [text for two in new for text in two.texts],
    )  # fmt: skip
    for number, (one, i) in enumerate(places):
        partner = int(pairs.to_new[number])
        if partner < 0:
            check = digest(one.sentences[i], 8)
            of_old[one.name].deletions.append(Deletion(0, one.addresses[i], check))
            continue
        two, j = targets[partner]
        if one.sentences[i] != two.sentences[j]:
            edit = sentence_edit(one.addresses[i], one.sentences[i], two.sentences[j])
            of_old[one.name].edits.append(edit)
    start = 0
    for two in new:
        stop = start + len(two.sentences)
        sources = [places[partner] if partner >= 0 else None for partner in pairs.to_old[start:stop].tolist()]
        section = of_new[two.name]
        section.placements += _placements(two, sources, section.old)
        start = stop


def _placements(two: FileText, sources: Sequence[tuple[FileText, int] | None], base: str | None) -> Iterator[Placement]:
    """Yield sentences that are new or moved, after the sentence that precedes them."""
    kept = [(i, place[1]) for i, place in enumerate(sources) if place and place[0].name == base]
    staying = {kept[k][0] for k in longest_increasing([number for _, number in kept])}
    after: str | None = None
    current: Placement | None = None
    previous: tuple[FileText, int] | None = None
    for i, place in enumerate(sources):
        if i in staying and place is not None:
            after, current = place[0].addresses[place[1]], None
            continue
        if current is None:
            current = Placement(0, after)
            previous = None
            yield current
        items = current.items
        if place is None:
            items += lines_of(decoded(two.sentences[i]))
        else:
            file, number = place
            address = file.addresses[number]
            last = items[-1] if items else None
            follows = previous is not None and previous[0] is file and previous[1] + 1 == number
            if isinstance(last, Move) and follows:
                items[-1] = Move(0, last.first, address, file.name)
            else:
                items.append(Move(0, address, address, file.name))
        previous = place


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
