"""The text of a treebank as one string of characters, and where two such texts diverge."""

import unicodedata
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from treegauge.core.errors import TreegaugeError
from treegauge.kernels import alignment as _align
from treegauge.treebanks.data.columns import Treebank

Ints = npt.NDArray[np.int32]
_MULTIWORD = 1
_SHOWN = 5
_ENOUGH, _FURTHEST = 60, 1000
"""Bytes that identify the text after a missing sentence, and how many sentences may be missing."""


class MismatchError(TreegaugeError):
    """Gold and system contain different texts."""


@dataclass(frozen=True, eq=False)
class Side:
    """Gold or system: a treebank, its tokens as one string of characters, and where they and sentences end."""

    treebank: Treebank
    text: npt.NDArray[np.uint8]
    token_rows: Ints
    token_ends: Ints
    sentence_ends: Ints

    @property
    def token_starts(self) -> Ints:
        """Where each token starts."""
        return _starts(self.token_ends)

    @property
    def sentence_starts(self) -> Ints:
        """Where each sentence starts."""
        return _starts(self.sentence_ends)

    @cached_property
    def word_tokens(self) -> npt.NDArray[np.intp]:
        """The number of each word's token, which several words share in a multiword token."""
        row = np.where(self.treebank.multiword < 0, self.treebank.rows, self.treebank.multiword)
        return np.searchsorted(self.token_rows, row)

    @cached_property
    def starts(self) -> Ints:
        """Where the token of each word starts."""
        return self.token_starts[self.word_tokens]

    @cached_property
    def ends(self) -> Ints:
        """Where the token of each word ends."""
        return self.token_ends[self.word_tokens]

    def cut(self, sentences: int) -> tuple["Side", "Side"]:
        """Split after this number of sentences."""
        tb, rows = self.treebank, self.token_rows
        row = tb.row_offsets[sentences]
        token = int(np.searchsorted(rows, row))
        stop = self.sentence_ends[sentences - 1] if sentences else 0
        head = Side(tb[:sentences], self.text[:stop], rows[:token], self.token_ends[:token],
                    self.sentence_ends[:sentences])  # fmt: skip
        rest = Side(tb[sentences:], self.text[stop:], rows[token:] - row, self.token_ends[token:] - stop,
                    self.sentence_ends[sentences:] - stop)  # fmt: skip
        return head, rest


def _starts(ends: Ints) -> Ints:
    return np.concatenate((np.zeros(1, np.int32), ends))[: len(ends)]


def segmentation(treebank: Treebank) -> Side:
    """Return tokens (surface forms) and sentences as positions in the text without spaces.

    Positions count bytes of UTF-8, which order and compare as characters do.
    """
    token = treebank.kinds == _MULTIWORD
    token[treebank.rows] = treebank.multiword < 0
    rows = np.flatnonzero(token).astype(np.int32)
    text, ends = _align.characters(treebank.raw, treebank.fields, rows)
    last = np.searchsorted(rows, treebank.row_offsets[1:])
    sentence_ends = np.concatenate((np.zeros(1, np.int32), ends))[last]
    return Side(treebank, text, rows, ends, sentence_ends.astype(np.int32))


class TextChanges(NamedTuple):
    """Differences between the text of a system and gold, which loose alignment accepts.

    `forms` counts pairs of a gold form and the different form of its partner; then come the numbers
    of words without a partner, and of all words, of gold and system.
    """

    forms: Counter[tuple[str, str]]
    unaligned_gold: int
    unaligned_system: int
    gold: int
    system: int

    @property
    def changed_forms(self) -> int:
        """The number of changed forms."""
        return self.forms.total()

    @classmethod
    def joined(cls, several: Sequence["TextChanges"]) -> "TextChanges | None":
        """Return the changes of several runs together; None for none."""
        if not several:
            return None
        forms: Counter[tuple[str, str]] = Counter()
        for one in several:
            forms.update(one.forms)
        return cls(forms, *(sum(numbers) for numbers in list(zip(*several, strict=True))[1:]))

    def to_dict(self) -> dict[str, Any]:
        """Return the numbers and the most frequent changes."""
        pairs = self.forms.most_common(_SHOWN)
        return {
            "changed_forms": self.changed_forms,
            "examples": [{"gold": a, "predicted": b, "count": n} for (a, b), n in pairs],
            "unaligned_gold": self.unaligned_gold,
            "unaligned_predicted": self.unaligned_system,
        }

    def __str__(self) -> str:
        said = []
        if number := self.changed_forms:
            pairs = self.forms.most_common(_SHOWN)
            shown = [f"{a!r} as {b!r}" + f" ({n:,} times)" * (n > 1) for (a, b), n in pairs]
            said.append(f"{number:,} aligned form{'s' * (number > 1)} changed, such as {', '.join(shown)}")
        if self.unaligned_gold or self.unaligned_system:
            said.append(
                f"{self.unaligned_gold:,} of {self.gold:,} gold words and "
                f"{self.unaligned_system:,} of {self.system:,} system words are not aligned and "
                "count as incorrect"
            )
        return f"loose alignment: {'; '.join(said)}" if said else ""


class Surroundings(NamedTuple):
    """What a side has before and after the piece in hand: sentences, and the last line before."""

    before: int = 0
    line: int = 0
    after: int = 0


def mismatch(
    left: Side, right: Side, around: tuple[Surroundings, Surroundings] = (Surroundings(), Surroundings())
) -> MismatchError:
    """Describe where two texts diverge: position, token and code point on both sides.

    If one text is the beginning of the other, the message says after which sentence it ends.
    """
    gold, system = left.treebank, right.treebank
    for side, outside in zip((left, right), around, strict=True):
        if not len(side.text) and not outside.before:
            return MismatchError(f"{side.treebank.name} has no words: the file is empty")
    position = _align.first_difference(left.text, right.text)
    while 0 < position < len(left.text) and left.text[position] & 0xC0 == 0x80:
        position -= 1
    if position == len(right.text):
        where = _end(left, around[0], position)
        last = _last_line(system, around[1])
        said = f"{system.name} ends {where} (line {last:,}): the output is incomplete"
        rest = f"gold continues:   {_place(left, position)}"
        hint = "let the parser write the rest; --align loose counts missing words as incorrect"
    elif position == len(left.text):
        number, last = around[0].before + len(gold), _last_line(gold, around[0])
        said = f"{system.name} continues after the last sentence of gold ({number:,}, line {last:,})"
        rest = f"system continues: {_place(right, position)}"
        hint = (
            "check that the system parsed this file (same set, same release); --align loose "
            "counts additional words as incorrect"
        )
    else:
        said = "gold and system do not contain the same text (ignoring spaces)"
        rest = f"gold:   {_place(left, position)}\n  system: {_place(right, position)}"
        hint = _shift(left, right, position) or (
            "both files must contain the same characters in the same order; check that the system "
            "parsed this file (same set, same release) and did not change characters; --align "
            "loose aligns texts whose characters differ"
        )
    return MismatchError(f"{said}\n  {rest}\nhint: {hint}")


def _end(gold: Side, outside: Surroundings, position: int) -> str:
    """Say after which sentence of gold, or within which one, a text ends."""
    complete = int(np.searchsorted(gold.sentence_ends, position, "right"))
    within = bool(position and (not complete or gold.sentence_ends[complete - 1] != position))
    number, total = outside.before + complete + within, outside.before + len(gold.treebank) + outside.after
    return f"{'within' if within else 'after'} sentence {number:,} of {total:,}"


def _last_line(treebank: Treebank, outside: Surroundings) -> int:
    return treebank.line(len(treebank.fields) - 1) if len(treebank.fields) else outside.line


def _shift(left: Side, right: Side, position: int) -> str:
    """Name the sentences that one side lacks, if it continues as the other does later."""
    ours, theirs = (int(np.searchsorted(s.sentence_ends, position, "right")) for s in (left, right))
    start = int(left.sentence_starts[ours])
    if start != right.sentence_starts[theirs]:
        return ""
    for side, first, other, said in (
        (left, ours, right, "the output lacks {} of gold"),
        (right, theirs, left, "the output has {} that gold lacks"),
    ):
        next_text = bytes(other.text[start : start + _ENOUGH])
        for later in range(first + 1, min(first + _FURTHEST, len(side.sentence_ends))):
            at = int(side.sentence_starts[later])
            if bytes(side.text[at : at + _ENOUGH]) == next_text:
                number = later - first
                count = "1 sentence" if number == 1 else f"{number:,} sentences"
                return f"{said.format(count)}, from {_where(side.treebank, first)}"
    return ""


def _where(treebank: Treebank, sentence: int, row: int | None = None) -> str:
    """Return line and sent_id of a row, by default of the first one of a sentence."""
    name, row = treebank[sentence].id, treebank.row_offsets[sentence] if row is None else row
    return f"{treebank.name}:{treebank.line(row)}" + (f" (sent_id {name})" if name else "")


def _place(side: Side, position: int) -> str:
    treebank, token = side.treebank, int(np.searchsorted(side.token_ends, position, "right"))
    row = int(side.token_rows[token])
    sentence = int(np.searchsorted(treebank.row_offsets, row, "right")) - 1
    rest = bytes(side.text[position : position + 80]).decode(errors="ignore")[:20]
    point = f"U+{ord(rest[0]):04X} {unicodedata.name(rest[0], '')}".strip() if rest else "nothing"
    token_here = f"token {treebank.field(row, 1)!r}, from here {rest!r} ({point})"
    return f"{_where(treebank, sentence, row)}: {token_here}"
