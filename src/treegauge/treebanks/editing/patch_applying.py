"""Application of a patch to files; every change is checked against the file's contents."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from treegauge.core.errors import TreegaugeError
from treegauge.treebanks.editing.patch_writing import FileText, digest
from treegauge.treebanks.editing.patches import Deletion, FilePatch, Move, Placement, SentenceEdit
from treegauge.treebanks.editing.sentence_edits import EditError, edited, encoded

_SHOWN = 10


class Refusal(NamedTuple):
    """A change that does not fit: its line in the patch, the sentence, and why."""

    line: int
    sentence: str
    reason: str

    def __str__(self) -> str:
        where = f"{self.sentence}: " if self.sentence else ""
        return f"line {self.line} of the patch: {where}{self.reason}"


@dataclass(frozen=True)
class Applied:
    """The files after a patch, counts of changed sentences by kind, and refused changes."""

    files: list[tuple[str, bytes]]
    counts: dict[str, int]
    refused: list[Refusal]


@dataclass
class _File:
    """A file during the change: its sentences, None for those removed or moved away."""

    text: FileText
    sentences: list[bytes | None]
    tail: bytes
    index: dict[str, int]
    moved: dict[int, bytes] = field(default_factory=dict)

    @classmethod
    def of(cls, text: FileText) -> "_File":
        index = {f"#{number}": number - 1 for number in range(1, len(text.sentences) + 1)}
        named = zip(text.addresses, range(len(text.sentences)), strict=True)
        return cls(text, list(text.sentences), text.tail, {**index, **dict(named)})


def apply_patch(patch: Sequence[FilePatch], files: Sequence[FileText], *, partial: bool = False) -> Applied:
    """Apply a patch to the files of a treebank.

    Parameters
    ----------
    patch
        The changes, by file.
    files
        The files; those that the patch does not name stay as they are.
    partial
        Apply the changes that fit and list the others, instead of refusing all of them.

    Raises
    ------
    TreegaugeError
        If a file is not the one that the patch was made from, or a change does not fit.
    """
    return _Application(patch, files, partial).run()


class _Application:
    def __init__(self, patch: Sequence[FilePatch], files: Sequence[FileText], partial: bool) -> None:
        self.patch, self.partial = patch, partial
        self.given = {file.name: file for file in files}
        self.refused: list[Refusal] = []
        self.counts = dict.fromkeys(("changed", "deleted", "inserted", "moved"), 0)
        named = [part for part in patch if part.old is not None]
        self.only = files[0].name if len(files) == 1 and len(named) == 1 else None
        self.files = {file.name: _File.of(self._prepared(file)) for file in files}

    def run(self) -> Applied:
        for part in self.patch:
            for edit in part.edits:
                if edit.address or part.old is not None:
                    self._edit(part, edit)
            for deletion in part.deletions:
                self._delete(part, deletion)
        self._take_moved()
        outputs: list[tuple[str, bytes]] = []
        done: set[str] = set()
        for part in self.patch:
            if part.old is not None and (file_name := self._own_name(part)):
                done.add(file_name)
            if part.new is not None and self._is_there(part):
                outputs.append((part.new, self._assembled(part)))
        plain = ((name, file) for name, file in self.files.items() if name not in done)
        outputs += [(name, b"".join(filter(None, file.sentences)) + file.tail) for name, file in plain]
        if self.refused and not self.partial:
            raise TreegaugeError(self._complaint())
        if not self.partial:
            self._check_result(outputs)
        return Applied(sorted(outputs), self.counts, self.refused)

    # files

    def _own_name(self, part: FilePatch) -> str | None:
        """Return the name of the given file that a part of the patch changes."""
        if part.old in self.given:
            return part.old
        return self.only if part.old is not None else None

    def _prepared(self, text: FileText) -> FileText:
        """Check that a file is the one that the patch was made from, and convert its line ends."""
        for part in self.patch:
            if self._own_name(part) != text.name:
                continue
            checksum = digest(text.data)
            if part.old_digest and checksum != part.old_digest and not self.partial:
                raise TreegaugeError(
                    f"{text.name} is not the file that the patch was made from: its checksum is "
                    f"{checksum}, expected {part.old_digest}; partial (--partial) applies the "
                    "changes "
                    "that fit and lists the others"
                )
            if part.newlines:
                return text.with_newlines(*part.newlines)
        return text

    def _is_there(self, part: FilePatch) -> bool:
        """Whether the file that a part of the patch changes was given."""
        if {"/", "\\"} & {*str(part.new)} or part.new in {"..", "."}:
            raise TreegaugeError(
                f"line {part.line} of the patch: found the file name {part.new!r}; expected a name without folders"
            )
        there = part.old is None or self._own_name(part) is not None
        if not there and (part.placements or not self.partial):
            given = ", ".join(self.given)
            self._refuse(part.line, "", f"found no file {part.old}; the files are {given}")
        return there

    def _check_result(self, outputs: Sequence[tuple[str, bytes]]) -> None:
        results = dict(outputs)
        for part in self.patch:
            if part.new is not None and part.new_digest:
                checksum = digest(results[part.new])
                if checksum != part.new_digest:
                    raise TreegaugeError(
                        f"{part.new}: the checksum after the patch is {checksum}, expected "
                        f"{part.new_digest}; the patch was edited or damaged. Remove the checksums "
                        "from its line 'file' if it was edited on purpose"
                    )

    # sentences

    def _place(self, part: FilePatch, address: str) -> tuple[_File, int] | None:
        """Return a sentence in its file, or in any file if the patch names no given file."""
        file_name = self._own_name(part)
        files = [self.files[file_name]] if file_name else list(self.files.values())
        if not file_name and not self.partial and part.old is not None:
            return None
        matches = [(file, file.index[address]) for file in files if address in file.index]
        return matches[0] if len(matches) == 1 else None

    def _refuse(self, line: int, sentence: str, reason: str) -> None:
        self.refused.append(Refusal(line, sentence, reason))

    def _complaint(self) -> str:
        count = len(self.refused)
        lines = [f"{count} {'change does' if count == 1 else 'changes do'} not fit these files:"]
        lines += [str(refusal) for refusal in self.refused[:_SHOWN]]
        lines += [f"... and {count - _SHOWN} more"] if count > _SHOWN else []
        return "\n".join([*lines, "partial (--partial) applies the changes that fit"])

    def _edit(self, part: FilePatch, edit: SentenceEdit) -> None:
        file_name = self._own_name(part)
        if not edit.address:
            if file_name:
                self._edit_tail(self.files[file_name], edit)
            return
        place = self._place(part, edit.address)
        before = place[0].sentences[place[1]] if place else None
        if place is None or before is None:
            self._refuse(edit.line, edit.address, "found no such sentence, or several")
            return
        try:
            place[0].sentences[place[1]] = edited(before, edit)
        except EditError as problem:
            self._refuse(problem.line, edit.address, str(problem))
        else:
            self.counts["changed"] += 1

    def _edit_tail(self, file: _File, edit: SentenceEdit) -> None:
        try:
            file.tail = edited(file.tail, edit)
        except EditError as problem:
            self._refuse(problem.line, "after the last sentence", str(problem))

    def _delete(self, part: FilePatch, deletion: Deletion) -> None:
        place = self._place(part, deletion.address)
        before = place[0].sentences[place[1]] if place else None
        if place is None or before is None:
            self._refuse(deletion.line, deletion.address, "found no such sentence, or several")
        elif deletion.digest and digest(before, len(deletion.digest)) != deletion.digest:
            reason = "the sentence to delete is not the one that the patch was made from"
            self._refuse(deletion.line, deletion.address, reason)
        else:
            place[0].sentences[place[1]] = None
            self.counts["deleted"] += 1

    # order

    def _source(self, move: Move) -> tuple[_File, range] | None:
        """Return the sentences to move, if they exist."""
        name = self.only if move.file not in self.files and self.only else move.file
        file = self.files.get(name)
        if file is None or move.first not in file.index or move.last not in file.index:
            return None
        numbers = range(file.index[move.first], file.index[move.last] + 1)
        return (file, numbers) if numbers else None

    def _moves(self) -> Iterator[Move]:
        for part in self.patch:
            for placement in part.placements:
                if self._anchor(part, placement) is not None:
                    yield from (item for item in placement.items if isinstance(item, Move))

    def _take_moved(self) -> None:
        for move in self._moves():
            if source := self._source(move):
                file, numbers = source
                for number in numbers:
                    if (sentence := file.sentences[number]) is not None:
                        file.moved[number] = sentence
                        file.sentences[number] = None

    def _anchor(self, part: FilePatch, placement: Placement) -> int | None:
        """Return the number of the sentence to insert after; -1 for the start of the file."""
        file_name = self._own_name(part)
        if placement.after is None:
            return -1
        return self.files[file_name].index.get(placement.after) if file_name else None

    def _assembled(self, part: FilePatch) -> bytes:
        """Return a new file: the old sentences and those that the patch inserts."""
        file_name = self._own_name(part)
        added: dict[int, list[bytes]] = {}
        for placement in part.placements:
            anchor = self._anchor(part, placement)
            if anchor is None:
                self._refuse(placement.line, str(placement.after), "found no such sentence")
                continue
            added.setdefault(anchor, []).extend(self._items(placement))
        if file_name is None:
            parts = added.get(-1, [])
            tails = [edit for edit in part.edits if not edit.address]
            return b"".join(parts) + b"".join(edited(b"", edit) for edit in tails)
        file = self.files[file_name]
        parts = list(added.get(-1, []))
        for number, sentence in enumerate(file.sentences):
            parts += [sentence] if sentence is not None else []
            parts += added.get(number, [])
        return b"".join([*parts, file.tail])

    def _items(self, placement: Placement) -> Iterator[bytes]:
        for item in placement.items:
            if isinstance(item, str):
                self.counts["inserted"] += not item.strip("\r\n")  # a blank line ends a sentence
                yield encoded(item)
            elif source := self._source(item):
                file, numbers = source
                moved = [file.moved[number] for number in numbers if number in file.moved]
                self.counts["moved"] += len(moved)
                yield from moved
            else:
                reason = f"found no sentences {item.first} to {item.last} in {item.file}"
                self._refuse(item.line, item.first, reason)
