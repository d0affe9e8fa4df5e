"""Parallel reading of gold and system in bounded memory."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from treegauge.core.errors import TreegaugeError
from treegauge.kernels import alignment as _align
from treegauge.scoring.alignment.align import Alignment, align
from treegauge.scoring.alignment.segmentation import MismatchError, Side, Surroundings, mismatch, segmentation
from treegauge.scoring.settings import Reading
from treegauge.treebanks.data.columns import NUMBER, Treebank, concat
from treegauge.treebanks.data.conllu import CHUNK, parse_conllu, refusals, stream_conllu
from treegauge.treebanks.data.problems import ConlluError, ReadingProblem
from treegauge.treebanks.sources.files import Source

if TYPE_CHECKING:
    from treegauge.scoring.alignment.loose import Arranged
    from treegauge.treebanks.answers.sentences import ModelAnswer

Input = Treebank | Source
LAYERS = {
    "lemma": ("Lemmas", "BLEX"), "upos": ("UPOS", "AllTags", "MLAS"), "xpos": ("XPOS", "AllTags"),
    "feats": ("UFeats", "AllTags", "MLAS"), "deprel": ("LAS", "CLAS", "MLAS", "BLEX"),
    "deps": ("ELAS", "EULAS"),
}  # fmt: skip
"""Columns that a file may lack, and the metrics that compare them."""
_EMPTY = ord("_")


@dataclass
class SideReader:
    """One side, read piece by piece; `problems` lists what was skipped, repaired or allowed.

    `before` sentences were taken, `taken` is the last piece of them. In loose alignment, `answer`
    is that of a language model, and `arranged` the output in the order of gold.
    """

    name: str
    pieces: Iterator[Treebank]
    policy: str
    seen: Callable[[bytes], object] | None = None
    pending: Side | None = None
    done: bool = False
    empty: frozenset[str] = frozenset(LAYERS)
    before: int = 0
    taken: Treebank | None = None
    problems: list[ReadingProblem] = field(default_factory=list)
    answer: "ModelAnswer | None" = None
    arranged: "Arranged | None" = None

    @classmethod
    def of(
        cls,
        source: Input,
        reading: Reading,
        *,
        seen: Callable[[bytes], object] | None = None,
        chunk: int = CHUNK,
        pieces: Iterator[Treebank] | None = None,
    ) -> "SideReader":
        """Return the reader of a source, `chunk` bytes at a time, or of its `pieces`."""
        if isinstance(source, Treebank):
            return cls(source.name, iter([source]), reading.errors, seen)
        pieces = pieces or stream_conllu(source, errors=reading.errors, allow=reading.allow, chunk=chunk)
        return cls(str(source), pieces, reading.errors, seen)

    @classmethod
    def of_output(cls, source: Input, reading: Reading, *, chunk: int = CHUNK) -> "SideReader":
        """Return the reader of a system's output, which may be an answer in loose alignment."""
        if reading.align != "loose" or isinstance(source, Treebank):
            return cls.of(source, reading, chunk=chunk)
        read, answer = read_output(source, reading)
        side = cls.of(read, reading)
        side.answer = answer
        return side

    @property
    def size(self) -> int:
        """The number of characters that wait."""
        return 0 if self.pending is None else len(self.pending.text)

    @property
    def waiting(self) -> Side:
        """The text that waits, perhaps empty."""
        if self.pending is None:
            self.pending = segmentation(parse_conllu(b"", name=self.name))
        return self.pending

    def take(self, end: int) -> Side:
        """Remove and return the sentences up to this position."""
        piece, self.pending = self.waiting, None
        sentences = int(np.searchsorted(piece.sentence_ends, end)) + 1
        if sentences < len(piece.sentence_ends):
            piece, self.pending = piece.cut(sentences)
        self.before += len(piece.sentence_ends)
        self.taken, self.name = piece.treebank, piece.treebank.name
        return piece

    def around(self, after: int = 0) -> Surroundings:
        """Return what was taken: sentences, and the line of the last; `after` it, more wait."""
        line = 0 if self.taken is None else self.taken.line(len(self.taken.fields) - 1)
        return Surroundings(self.before, line, after)

    def grow(self) -> None:
        """Read as much again as is waiting, so that the total time stays linear."""
        parts = [self.pending.treebank] if self.pending is not None and self.size else []
        waiting, read = sum(part.n_words for part in parts), 0
        while read <= waiting:
            piece = next(self.pieces, None)
            if piece is None:
                self.done = True
                break
            read += piece.n_words
            check_heads(piece, self.policy)
            if self.seen:
                self.seen(piece.to_bytes())
            self.policy = piece.policy
            self.empty = frozenset(column for column in self.empty if not _has_values(piece, column))
            self.problems += [p for p in piece.problems if p.action or p.blocks_reading]
            parts.append(piece)
        if parts:
            whole = parts[0] if len(parts) == 1 else concat(parts, name=parts[-1].name)
            self.pending = segmentation(whole)


def _has_values(treebank: Treebank, column: str) -> bool:
    """Whether a word has a value in this column."""
    starts, ends = treebank.fields[treebank.rows, NUMBER[column] :][:, :2].T
    lengths = ends - starts - 1
    return bool(((lengths > 1) | (lengths == 1) & (treebank.raw[starts] != _EMPTY)).any())


def check_heads(treebank: Treebank, policy: str) -> None:
    """Refuse words without heads and, in strict reading, trees with problems."""
    if treebank.problems and policy == treebank.policy == "strict" and (refused := refusals(treebank)):
        raise ConlluError(refused)
    if headless := int((treebank.head < 0).sum()):
        raise TreegaugeError(f"{treebank.name}: {headless} words have no HEAD; scoring needs one for every word")


def read_pairs(gold: SideReader, system: SideReader, reading: Reading | None = None) -> Iterator[Alignment]:
    """Yield aligned pieces of gold and system that contain the same characters and end with a sentence.

    Memory is bounded by the longest span without a common sentence end (where also the last tokens
    start together). Loose alignment is of whole files: characters may differ.
    """
    if reading is not None and reading.align == "loose":
        for side in (gold, system):
            while not side.done:
                side.grow()
        left, right = gold.waiting, system.waiting
        if left.treebank.n_words and right.treebank.n_words:
            from treegauge.scoring.alignment.loose import align_loosely, in_gold_order

            new = system.arranged = in_gold_order(left.treebank, right.treebank)
            yield align_loosely(left, right if new.treebank is right.treebank else new.treebank, new.pairs)
            return
    yield from _exact(gold, system)


def _exact(left: SideReader, right: SideReader) -> Iterator[Alignment]:
    while True:
        for side in (left, right):
            if not side.done and not side.size:
                side.grow()
        if not (left.size or right.size):
            break
        ours, theirs = left.waiting, right.waiting
        if _align.first_difference(ours.text, theirs.text) < min(left.size, right.size):
            break
        ended = left.done and right.done and left.size == right.size
        ends = [left.size] if ended else _meetings(ours, theirs)
        if len(ends):
            yield align(*(side.take(int(ends[-1])) for side in (left, right)))
            continue
        behind = [side for side, other in ((left, right), (right, left)) if not side.done and side.size <= other.size]
        if not behind:
            break
        for side in behind:
            side.grow()
    if left.size or right.size:
        unread = sum(map(len, left.pieces)) if right.done and right.size < left.size else 0
        error = str(mismatch(left.waiting, right.waiting, (left.around(unread), right.around())))
        if lost := sum(p.action == "skipped" for p in left.problems + right.problems):
            error += f"\nsentences were left out because of {lost} problems; "
            error += "errors='repair' keeps their words"
        raise MismatchError(error)


def align_by(reading: Reading, gold: Treebank, system: Treebank) -> Alignment:
    """Align whole treebanks, exactly or loosely according to the settings."""
    for side in (gold, system):
        check_heads(side, reading.errors)
    if reading.align == "exact":
        return align(gold, system)
    from treegauge.scoring.alignment.loose import align_loosely, in_gold_order

    new = in_gold_order(gold, system)
    return align_loosely(gold, new.treebank, new.pairs)


def read_output(source: Source, reading: Reading) -> "tuple[Treebank, ModelAnswer | None]":
    """Read a system's output for loose alignment: CoNLL-U, or else the answer of a language model."""
    from treegauge.treebanks.answers.sentences import answer_or_treebank

    treebank, answer = answer_or_treebank(source, allow=reading.allow)
    if answer is None:
        return treebank, None
    return replace(answer.attached(), policy="answer"), answer


def _meetings(ours: Side, theirs: Side) -> npt.NDArray[np.int32]:
    """Find common sentence ends after which the alignment can restart.

    Where the last tokens start at different characters, one side may have finished the sentence
    while two words of the other remain. If a multiword token follows, the official script may match
    its words with the second of these. So there is no cut at such places.
    """
    common = _common(ours.sentence_ends, theirs.sentence_ends)
    last = [np.searchsorted(side.token_ends, common) for side in (ours, theirs)]
    same = ours.token_starts[last[0]] == theirs.token_starts[last[1]]
    return np.asarray(common[same], np.int32)


def _common(ours: npt.NDArray[np.int32], theirs: npt.NDArray[np.int32]) -> npt.NDArray[np.int32]:
    """Return the ends that both have, once each; both are sorted.

    ``np.intersect1d`` would import masked arrays, a tenth of the time of a small file.

    Examples
    --------
    >>> _common(np.array([2, 5, 5, 9], np.int32), np.array([5, 7, 9], np.int32))
    array([5, 9], dtype=int32)
    """
    after = np.append(theirs, np.int32(-1))[np.searchsorted(theirs, ours)]
    kept = ours[after == ours]
    return np.asarray(kept[np.diff(kept, prepend=np.int32(-1)) > 0])
