"""Alignment of several annotations of the same sentences, word by word."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations

import numpy as np
import numpy.typing as npt

from treegauge.core.errors import TreegaugeError
from treegauge.scoring.alignment.align import align
from treegauge.scoring.alignment.segmentation import Side, mismatch, segmentation
from treegauge.treebanks.data.columns import Treebank
from treegauge.treebanks.data.indexing import document_starts

Longs = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Annotator:
    """One annotation: words and tokens as positions in the shared text.

    Attributes
    ----------
    name, treebank
        Name of the annotator, and the sentences.
    keys
        For each sentence, its number among those that at least two annotated, or -1.
    starts, ends
        For each word, the start and end of its token in the shared text, or -1.
    token_starts, token_ends, token_words
        The same for each token, and its number of words.
    sentence_ends
        Where sentences end in the shared text.
    item
        For each word, the number of its item, or -1.
    """

    name: str
    treebank: Treebank
    keys: Longs
    starts: Longs
    ends: Longs
    token_starts: Longs
    token_ends: Longs
    token_words: Longs
    sentence_ends: Longs
    item: Longs = field(repr=False)


@dataclass(frozen=True, eq=False)
class Annotations:
    """Annotations of the same sentences, and the items: words of at least one annotator.

    Items are in text order. `sentence_bounds` has the start of each shared sentence in the shared
    text, and its end. `by_id` means that sentences were matched by id, so that annotators cannot
    differ in sentence boundaries.
    """

    annotators: tuple[Annotator, ...]
    text: npt.NDArray[np.uint8]
    sentence_bounds: Longs
    item_sentence: Longs
    by_id: bool
    notes: tuple[str, ...] = ()

    @property
    def names(self) -> list[str]:
        """Names of the annotators."""
        return [annotator.name for annotator in self.annotators]

    @property
    def items(self) -> int:
        """Number of items."""
        return len(self.item_sentence)

    @property
    def sentences(self) -> int:
        """Number of sentences that at least two annotated."""
        return len(self.sentence_bounds) - 1

    @cached_property
    def words(self) -> Longs:
        """For each item and annotator, the number of the word in the treebank, or -1."""
        table = np.full((self.items, len(self.annotators)), -1, np.int64)
        for column, annotator in enumerate(self.annotators):
            used = np.flatnonzero(annotator.item >= 0)
            table[annotator.item[used], column] = used
        return table

    @cached_property
    def present(self) -> npt.NDArray[np.bool_]:
        """For each sentence and annotator, whether it was annotated."""
        table = np.zeros((self.sentences, len(self.annotators)), bool)
        for column, annotator in enumerate(self.annotators):
            table[:, column] = True if not self.by_id else np.isin(np.arange(len(table)), annotator.keys)
        return table

    @cached_property
    def documents(self) -> Longs:
        """For each sentence, the number of its document in the first annotation that has it."""
        label: dict[int, str] = {}
        for column, annotator in enumerate(self.annotators):
            starts = document_starts(annotator.treebank)
            if not starts.any():
                continue
            names = annotator.treebank.metadata("newdoc id")
            current = f"{column}:-"
            for sentence, key in enumerate(annotator.keys.tolist()):
                if starts[sentence]:
                    current = names[sentence] or f"{column}:{sentence}"
                if key >= 0:
                    label.setdefault(key, current)
            if not self.by_id:
                break
        numbers: dict[str, int] = {}
        return np.array(
            [numbers.setdefault(label.get(key, "-"), len(numbers)) for key in range(self.sentences)], np.int64
        )

    def sentence_at(self, positions: Longs) -> Longs:
        """Return the sentence of each position in the text."""
        return np.searchsorted(self.sentence_bounds, positions, "right") - 1


def lay_side_by_side(treebanks: Mapping[str, Treebank]) -> Annotations:
    """Match the sentences of annotations, then their words.

    Files with the same characters (ignoring spaces) are matched by position in the text, so that
    annotators may differ in sentences, tokens and words. Otherwise, sentences are matched by
    ``sent_id``; those that only one annotator has, or that have different characters, are left out.
    Words are matched as in scoring.
    """
    segments = {name: segmentation(treebank) for name, treebank in treebanks.items()}
    first, *rest = segments
    same = all(np.array_equal(segments[first].text, segments[name].text) for name in rest)
    notes: list[str] = []
    if same:
        keys = _keys_by_position(segments)
        bounds = np.concatenate(([0], segments[first].sentence_ends)).astype(np.int64)
        text = segments[first].text
    else:
        keys, bounds, text, notes = _keys_by_id(segments)
    annotators = [_annotator(name, side, keys[name], bounds, by_id=not same) for name, side in segments.items()]
    item_sentence = _number_items(annotators, bounds, by_id=not same)
    return Annotations(tuple(annotators), text, bounds, item_sentence, not same, tuple(notes))


def _keys_by_position(segments: Mapping[str, Side]) -> dict[str, Longs]:
    """Return, for each sentence, the first annotator's sentence in which it starts."""
    ends = next(iter(segments.values())).sentence_ends
    return {
        name: np.searchsorted(ends, one.sentence_starts, "right").astype(np.int64) for name, one in segments.items()
    }


def _keys_by_id(segments: Mapping[str, Side]) -> tuple[dict[str, Longs], Longs, npt.NDArray[np.uint8], list[str]]:
    """Match sentences by their ids; return keys, bounds, the shared text and notes."""
    ids = {name: one.treebank.metadata("sent_id") for name, one in segments.items()}
    for name, own in ids.items():
        repeated = [sent_id for sent_id, times in Counter(own).items() if sent_id is None or times > 1]
        if repeated:
            first, second = list(segments.values())[:2]
            why = mismatch(first, second)
            reason = "a sentence has no sent_id" if repeated[0] is None else f"{repeated[0]} repeated"
            raise TreegaugeError(
                f"{name}: the annotations do not have the same text, and sentences cannot be "
                f"matched by sent_id ({reason}); expected the same text, or one sent_id per "
                "sentence"
                f"\n{why}"
            )
    texts: dict[str, dict[str, bytes]] = {}
    for name, own in ids.items():
        starts, ends = segments[name].sentence_starts, segments[name].sentence_ends
        texts[name] = {str(one): bytes(segments[name].text[a:b]) for one, a, b in zip(own, starts, ends, strict=True)}
    reference: dict[str, bytes] = {}
    for own_texts in texts.values():
        for one, characters in own_texts.items():
            reference.setdefault(one, characters)
    alike = Counter(one for own in texts.values() for one, t in own.items() if t == reference[one])
    different = [(name, one) for name, own in texts.items() for one, t in own.items() if t != reference[one]]
    shared = [sent_id for sent_id in reference if alike[sent_id] >= 2]
    notes = []
    if different:
        notes.append(
            f"left out: {len(different)} annotations of sentences with another text under the same "
            f"sent_id, such as {different[0][1]} of {different[0][0]}"
        )
    alone = len(reference) - len(shared)
    if alone:
        notes.append(f"left out: {alone} sentences that only one annotator has")
    if not shared:
        raise TreegaugeError(
            f"no sentence was annotated twice: {' and '.join(segments)} share no sent_id with the "
            "same text; expected annotations of the same sentences"
        )
    number = {sent_id: key for key, sent_id in enumerate(shared)}
    keys = {
        name: np.array(
            [number.get(one, -1) if texts[name][one] == reference[one] else -1 for one in map(str, own)], np.int64
        )
        for name, own in ids.items()
    }
    bounds = np.concatenate(([0], np.cumsum([len(reference[sent_id]) for sent_id in shared])))
    text = np.frombuffer(b"".join(reference[sent_id] for sent_id in shared), np.uint8)
    return keys, bounds.astype(np.int64), text, notes


def _annotator(name: str, segments: Side, keys: Longs, bounds: Longs, *, by_id: bool) -> Annotator:
    treebank, token = segments.treebank, segments.word_tokens
    sentence = np.searchsorted(treebank.row_offsets, segments.token_rows, "right") - 1
    shift = np.zeros(len(segments.token_rows), np.int64)
    usable = np.ones(len(segments.token_rows), bool)
    ends = segments.sentence_ends.astype(np.int64)
    if by_id:
        shift = bounds[keys] - segments.sentence_starts
        ends = (shift + ends)[keys >= 0]
        shift, usable = shift[sentence], keys[sentence] >= 0
    starts, stops = segments.token_starts + shift, segments.token_ends + shift
    words = np.bincount(token, minlength=len(starts))
    within = usable[token]
    return Annotator(
        name, treebank, keys,
        np.where(within, starts[token], -1), np.where(within, stops[token], -1),
        starts[usable], stops[usable], words[usable].astype(np.int64), ends,
        np.full(treebank.n_words, -1, np.int64),
    )  # fmt: skip


def _number_items(annotators: list[Annotator], bounds: Longs, *, by_id: bool) -> Longs:
    """Assign words to items, numbered in text order; return the items' sentences."""
    starts: list[npt.NDArray[np.int64]] = []
    count = 0
    for k, annotator in enumerate(annotators):
        is_used = np.zeros(count, bool)
        for earlier in annotators[:k]:
            words, partners = _partners(annotator, earlier, by_id=by_id)
            item = earlier.item[partners]
            free = (item >= 0) & (annotator.item[words] < 0)
            free[free] &= ~is_used[item[free]]
            annotator.item[words[free]] = item[free]
            is_used[item[free]] = True
        new = np.flatnonzero((annotator.item < 0) & (annotator.starts >= 0))
        annotator.item[new] = np.arange(count, count + len(new))
        starts.append(annotator.starts[new])
        count += len(new)
    position = np.concatenate(starts)
    order = np.argsort(position, kind="stable")
    rank = np.empty(count, np.int64)
    rank[order] = np.arange(count)
    for annotator in annotators:
        used = annotator.item >= 0
        annotator.item[used] = rank[annotator.item[used]]
    return np.searchsorted(bounds, position[order], "right") - 1


def _partners(one: Annotator, other: Annotator, *, by_id: bool) -> tuple[Longs, Longs]:
    """Return words of one annotator and their partners among another's words."""
    a, b = one.treebank, other.treebank
    words = [np.arange(tb.n_words) for tb in (a, b)]
    if by_id:
        _, i, j = np.intersect1d(
            np.where(one.keys < 0, -1, one.keys), np.where(other.keys < 0, -2, other.keys), return_indices=True
        )
        if not len(i):
            return np.zeros(0, np.int64), np.zeros(0, np.int64)
        words = [
            np.concatenate([np.arange(tb.offsets[s], tb.offsets[s + 1]) for s in chosen.tolist()])
            for tb, chosen in ((a, i), (b, j))
        ]
        a, b = a.take(i), b.take(j)
    to_other = align(a, b).to_system
    paired = np.flatnonzero(to_other >= 0)
    return words[0][paired].astype(np.int64), words[1][to_other[paired]].astype(np.int64)


def pairs_of(annotations: Annotations) -> list[tuple[int, int]]:
    """Return all pairs of annotators, by number."""
    return list(combinations(range(len(annotations.annotators)), 2))
