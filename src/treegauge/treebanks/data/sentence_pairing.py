"""Pairing of the sentences of two versions of a treebank."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal, NamedTuple
from zlib import crc32

import numpy as np

from treegauge.kernels.alignment import characters
from treegauge.kernels.scan import MULTIWORD
from treegauge.treebanks.data.columns import Ints, Treebank

How = Literal["id", "text", "similarity"]
SAME_ID = 0.3
"""Minimum similarity for two sentences with the same sent_id to be paired."""
OTHER_ID = 0.6
"""Minimum similarity for two sentences with different texts and ids to be paired."""
_SHINGLE = 5  # length of a common substring of similar sentences
_SKETCH = 16  # shingles kept per sentence
_RARE = 10  # maximum number of sentences with a shingle for it to be used
_PREFIX = 8  # characters by which the first piece of a split sentence is found
_ID = re.compile(rb"^#[ \t]*sent_id[ \t]*=[ \t]*(.*?)[ \t\r]*$", re.M)


class Group(NamedTuple):
    """Sentences with the same text but different boundaries: their numbers on both sides."""

    old: tuple[int, ...]
    new: tuple[int, ...]


@dataclass(frozen=True, eq=False)
class SentencePairs:
    """The pairs of old and new sentences.

    Attributes
    ----------
    to_new, to_old
        The partner of each sentence, -1 for those without one.
    how
        For each old sentence with a partner, what they have in common: ``"id"`` (and a similar
        text), ``"text"`` (not the id), or ``"similarity"``.
    groups
        Sentences that were split or merged; they have no partner.
    """

    to_new: Ints
    to_old: Ints
    how: dict[int, How]
    groups: tuple[Group, ...]

    @property
    def deleted(self) -> list[int]:
        """Old sentences that are not in the new version."""
        return _rest(self.to_new, (group.old for group in self.groups))

    @property
    def inserted(self) -> list[int]:
        """New sentences that are not in the old version."""
        return _rest(self.to_old, (group.new for group in self.groups))


def _rest(partners: Ints, grouped: Iterator[tuple[int, ...]]) -> list[int]:
    inside = {number for numbers in grouped for number in numbers}
    return [number for number in np.flatnonzero(partners < 0).tolist() if number not in inside]


def sentence_ids(treebank: Treebank) -> list[str | None]:
    """Return the ``sent_id`` of each sentence, or None."""
    matches = list(_ID.finditer(treebank.raw.tobytes()))
    starts = [match.start() for match in matches] + [len(treebank.raw) + 1]
    # Sentences may be in a different order from their bytes, and occur several times.
    firsts = np.searchsorted(starts, treebank.spans[:, 0]).tolist()
    return [
        matches[first][1].decode(errors="replace") or None if starts[first] < stop else None
        for first, stop in zip(firsts, treebank.spans[:, 1].tolist(), strict=True)
    ]


def sentence_texts(treebank: Treebank) -> list[bytes]:
    """Return the characters of each sentence's tokens without spaces."""
    token = treebank.kinds == MULTIWORD
    token[treebank.rows] = treebank.multiword < 0
    rows = np.flatnonzero(token).astype(np.int32)
    text, ends = characters(treebank.raw, treebank.fields, rows)
    edges = np.concatenate((np.zeros(1, np.int32), ends))
    cuts = edges[np.searchsorted(rows, treebank.row_offsets)].tolist()
    whole = text.tobytes()
    return [whole[a:b] for a, b in pairwise(cuts)]


def pair_sentences(old: Treebank, new: Treebank) -> SentencePairs:
    r"""Pair the sentences of two versions of a treebank.

    The steps, each for sentences not yet paired: the same sent_id and text; the same text, unique
    on both sides; one sentence whose text is that of several consecutive ones (split or merged);
    the same sent_id and a similar text (from 0.3); the same text, several times, in order;
    different ids and a very similar text (from 0.6). Texts are compared without spaces. Similarity
    is the share of common pairs of neighbouring characters (Dice coefficient).

    Examples
    --------
    >>> from treegauge.treebanks.data.conllu import parse_conllu
    >>> old = parse_conllu("# sent_id = a\n1\tGo\t_\t_\t_\t_\t0\troot\t_\t_\n\n")
    >>> pair_sentences(old, old).how
    {0: 'id'}
    """
    return pair_texts(sentence_ids(old), sentence_texts(old), sentence_ids(new), sentence_texts(new))


def pair_texts(
    old_ids: Sequence[str | None], old_texts: Sequence[bytes], new_ids: Sequence[str | None], new_texts: Sequence[bytes]
) -> SentencePairs:
    """Pair sentences as :func:`pair_sentences` does, given their ids and their texts."""
    pairing = _Pairing((old_ids, new_ids), (old_texts, new_texts))
    pairing.by_id_and_text()
    pairing.by_text(once=True)
    pairing.by_cutting()
    pairing.by_id()
    pairing.by_text(once=False)
    pairing.by_similarity()
    return SentencePairs(pairing.to_new, pairing.to_old, pairing.how, tuple(pairing.groups))


class _Pairing:
    """The pairs found so far, and the steps that find more."""

    def __init__(
        self, ids: tuple[Sequence[str | None], Sequence[str | None]], texts: tuple[Sequence[bytes], Sequence[bytes]]
    ) -> None:
        self.texts = texts
        self.to_new = np.full(len(ids[0]), -1, np.int32)
        self.to_old = np.full(len(ids[1]), -1, np.int32)
        self.how: dict[int, How] = {}
        self.groups: list[Group] = []
        self.grouped: tuple[set[int], set[int]] = (set(), set())
        numbers = [_once(names) for names in ids]
        self.same_id = [(i, numbers[1][name]) for name, i in numbers[0].items() if name in numbers[1]]

    def pair(self, one: int, two: int, how: How) -> None:
        self.to_new[one], self.to_old[two] = two, one
        self.how[one] = how

    def left(self) -> tuple[list[int], list[int]]:
        """Return the sentences without partners on both sides."""
        sides = (self.to_new, self.to_old)
        return tuple(
            [i for i in np.flatnonzero(partners < 0).tolist() if i not in grouped]
            for partners, grouped in zip(sides, self.grouped, strict=True)
        )  # type: ignore[return-value]

    def by_id_and_text(self) -> None:
        for one, two in self.same_id:
            if self.texts[0][one] == self.texts[1][two]:
                self.pair(one, two, "id")

    def by_text(self, *, once: bool) -> None:
        sides: list[dict[bytes, list[int]]] = []
        for numbers, texts in zip(self.left(), self.texts, strict=True):
            places: dict[bytes, list[int]] = defaultdict(list)
            for i in numbers:
                places[texts[i]].append(i)
            sides.append(places)
        for text, here in sides[0].items():
            there = sides[1].get(text, ())
            if not once or len(here) == len(there) == 1:
                for one, two in zip(here, there, strict=False):
                    self.pair(one, two, "text")

    def by_id(self) -> None:
        for one, two in self.same_id:
            if self._is_free(one, two):
                texts = self.texts[0][one], self.texts[1][two]
                if similarity(*map(_bigrams, texts)) >= SAME_ID:
                    self.pair(one, two, "id")

    def _is_free(self, one: int, two: int) -> bool:
        grouped = one in self.grouped[0] or two in self.grouped[1]
        return bool(self.to_new[one] < 0 and self.to_old[two] < 0) and not grouped

    def by_cutting(self) -> None:
        for whole in (0, 1):
            left = self.left()
            cut = _cut(left[whole], self.texts[whole], left[1 - whole], self.texts[1 - whole])
            for one, several in cut:
                members = ((one,), several) if whole == 0 else (several, (one,))
                self.groups.append(Group(*members))
                for side in (0, 1):
                    self.grouped[side].update(members[side])

    def by_similarity(self) -> None:
        """Pair sentences that share a rare substring, the most similar first."""
        left = self.left()
        having: dict[int, list[int]] = defaultdict(list)
        for two in left[1]:
            for piece in _shingles(self.texts[1][two]):
                having[piece].append(two)
        near: list[tuple[float, int, int]] = []
        for one in left[0]:
            shared: Counter[int] = Counter()
            for piece in _shingles(self.texts[0][one]):
                if 0 < len(having.get(piece, ())) <= _RARE:
                    shared.update(having[piece])
            bigrams = _bigrams(self.texts[0][one])
            for two, _ in shared.most_common(3):
                likeness = similarity(bigrams, _bigrams(self.texts[1][two]))
                if likeness >= OTHER_ID:
                    near.append((-likeness, one, two))
        for _, one, two in sorted(near):
            if self._is_free(one, two):
                self.pair(one, two, "similarity")


def _once(ids: Sequence[str | None]) -> dict[str, int]:
    """Return sentences by unique ids."""
    counts = Counter(ids)
    return {name: i for i, name in enumerate(ids) if name is not None and counts[name] == 1}


def _shingles(text: bytes) -> list[int]:
    """Return the smallest checksums of a text's shingles; similar texts have some in common."""
    pieces = {crc32(text[i : i + _SHINGLE]) for i in range(max(1, len(text) - _SHINGLE + 1))}
    return sorted(pieces)[:_SKETCH]


def _bigrams(text: bytes) -> Counter[str]:
    plain = text.decode(errors="replace")
    return Counter(plain[i : i + 2] for i in range(max(1, len(plain) - 1)))


def similarity(one: Counter[str], two: Counter[str]) -> float:
    """Return the Dice coefficient of two multisets: 1 if equal, 0 if disjoint."""
    return 2 * (one & two).total() / (one.total() + two.total())


def _cut(
    wholes: Sequence[int], texts: Sequence[bytes], pieces: Sequence[int], piece_texts: Sequence[bytes]
) -> Iterator[tuple[int, tuple[int, ...]]]:
    """Yield sentences with the consecutive sentences of the other side that form their text."""
    starts: dict[bytes, list[int]] = defaultdict(list)
    for number in pieces:
        starts[piece_texts[number][:_PREFIX]].append(number)
    free = set(pieces)
    for whole in wholes:
        text = texts[whole]
        for size in range(min(_PREFIX, len(text)), 0, -1):
            for first in starts.get(text[:size], ()):
                run = _run(text, first, free, piece_texts)
                if run:
                    free.difference_update(run)
                    yield whole, run
                    break
            else:
                continue
            break


def _run(text: bytes, first: int, free: set[int], texts: Sequence[bytes]) -> tuple[int, ...]:
    """Return the sentences from `first` on that together form `text`; none if they do not."""
    length, number = 0, first
    while length < len(text):
        if number not in free or not texts[number] or not text.startswith(texts[number], length):
            return ()
        length += len(texts[number])
        number += 1
    return tuple(range(first, number)) if number > first + 1 else ()
