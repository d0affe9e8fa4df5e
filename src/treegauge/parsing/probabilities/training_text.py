"""What the calibration of a model remembers of its training set: words, neighbours and tags.

A parser is more often correct on known words, above all if their neighbours are the same: some dev
and test sets have near copies of training sentences. Its own scores reflect that only in part.
Parsers are also less often correct than they say on arcs, and on tags between those of a word's
neighbours, that they rarely saw.
"""

import base64
import binascii
import zlib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from treegauge.core.errors import TreegaugeError
from treegauge.parsing.base import hash_keys
from treegauge.treebanks.data.columns import Treebank
from treegauge.treebanks.data.relations import universal_relation

Doubles = npt.NDArray[np.float64]
Longs = npt.NDArray[np.int64]
_SIDES = 3  # the head is the root, or precedes, or follows
MOST_NAMES = 60
"""Of more tags or relations than this, only the most frequent ones are distinguished."""


@dataclass(frozen=True, eq=False)
class TaggedSentence:
    """The tags of a sentence as numbers, and how often the training set has each in its context.

    Tag 0 is any other tag than those that are counted.
    """

    tags: Longs
    contexts: Doubles
    arcs: Longs

    def arc_counts(self, heads: npt.NDArray[Any], relations: npt.NDArray[Any]) -> Doubles:
        """Return log(1 + count) of each arc's tags and side, without and with its relation.

        Numbers of relations are places in the names that :meth:`SeenTags.sentences` was given.
        """
        words = np.arange(1, len(heads) + 1)
        of_head = np.where(heads > 0, self.tags[heads - 1] + 1, 0)
        found = self.arcs[self.tags, of_head, _sides(words, heads)]
        return np.asarray(np.log1p(np.stack([found[:, -1], found[words - 1, relations]], 1)))


@dataclass(frozen=True, eq=False)
class SeenTags:
    """Counts of a training set: arcs by (tag, head's tag, side, relation), tags by neighbours.

    Attributes
    ----------
    tags, relations
        The values of UPOS that are counted, and the relations, without subtypes.
    arcs
        Counts by tag, tag of the head, side and relation. Head 0 is the root; tag 0 of a word, and
        1 of a head, are all other tags, and the last relation is all others.
    contexts
        Counts by tag before, tag, and tag after; neighbour 0 is the end of the sentence.

    Examples
    --------
    >>> from treegauge.testing.synthetic import synthetic
    >>> train = synthetic(30, seed=1)
    >>> int(SeenTags.of(train).arcs.sum()) == train.n_words
    True
    """

    tags: tuple[str, ...]
    relations: tuple[str, ...]
    arcs: Longs
    contexts: Longs

    @classmethod
    def of(cls, train: Treebank) -> "SeenTags":
        """Count the arcs and contexts of a training set."""
        names, tags = _numbered(train, "upos")
        tags += 1
        tags[tags > len(names)] = 0
        relations, own = _numbered(train, "deprel")
        starts = np.repeat(train.offsets[:-1], np.diff(train.offsets)).astype(np.int64)
        heads = train.head.astype(np.int64)
        words = np.arange(len(heads)) - starts + 1
        of_head = np.where(heads > 0, tags[starts + heads - 1] + 1, 0)
        arcs, contexts = (np.zeros(shape, np.int64) for shape in _shapes(names, relations))
        np.add.at(arcs, (tags, of_head, _sides(words, heads), own), 1)
        np.add.at(contexts, _neighbours(tags, train), 1)
        return cls(names, relations, arcs, contexts)

    def sentences(self, treebank: Treebank, names: Sequence[str]) -> list[TaggedSentence]:
        """Return the sentences of a treebank with what the training set has of their tags.

        Parameters
        ----------
        treebank
            Sentences with tags.
        names
            Relations, whose places number those of arcs.
        """
        codes, values = treebank.codes("upos")
        plain = list(map(universal_relation, values))
        shown = list(map(universal_relation, names))
        numbers = {name: number for number, name in enumerate(self.tags, 1)}
        known = np.array([numbers.get(value, 0) for value in plain], np.int64)
        tags = known[codes] if len(codes) else codes.astype(np.int64)
        contexts = np.log1p(self.contexts[_neighbours(tags, treebank)])
        places = {name: place for place, name in enumerate(self.relations)}
        columns = [places.get(name, len(places)) for name in shown]
        arcs = np.concatenate([self.arcs[..., columns], self.arcs.sum(-1, keepdims=True)], -1)
        return [
            TaggedSentence(tags[start:stop], contexts[start:stop], arcs)
            for start, stop in pairwise(treebank.offsets.tolist())
        ]

    def to_dict(self) -> dict[str, Any]:
        """Return data for JSON: names, and the places and values of counts that are not 0."""
        made: dict[str, Any] = {"tags": list(self.tags), "relations": list(self.relations)}
        for name in ("arcs", "contexts"):
            counts = getattr(self, name).ravel()
            places = np.flatnonzero(counts)
            made[name] = [np.diff(places, prepend=0).tolist(), counts[places].tolist()]
        return made

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> "SeenTags":
        """Return the object that :meth:`to_dict` wrote; a ValueError says that it is damaged."""
        tags, relations = (tuple(map(str, values[name])) for name in ("tags", "relations"))
        if max(len(tags), len(relations)) > MOST_NAMES:
            raise ValueError(f"{len(tags)} tags and {len(relations)} relations")
        made = []
        for name, shape in zip(("arcs", "contexts"), _shapes(tags, relations), strict=True):
            steps, counts = (np.array(one, np.int64) for one in values[name])
            places, whole = np.cumsum(steps), np.zeros(int(np.prod(shape)), np.int64)
            if steps.shape != counts.shape or steps.ndim != 1:
                raise ValueError(f"{name} of {steps.shape} places")
            if len(places) and not (0 <= places.min() <= places.max() < len(whole)):
                raise ValueError(f"{name} out of range")
            if len(counts) and counts.min() < 0:
                raise ValueError(f"{name} below zero")
            whole[places] = counts
            made.append(whole.reshape(shape))
        return cls(tags, relations, *made)


def _numbered(treebank: Treebank, column: str) -> tuple[tuple[str, ...], Longs]:
    """Return the most frequent values without subtypes, and each word's; their number is others."""
    codes, values = treebank.codes(column)
    plain = list(map(universal_relation, values))
    counts: Counter[str] = Counter()
    for value, count in zip(plain, np.bincount(codes, minlength=len(values)), strict=True):
        counts[value] += int(count)
    names = tuple(name for name, _ in counts.most_common(MOST_NAMES))
    numbers = {name: number for number, name in enumerate(names)}
    known = [numbers.get(value, len(names)) for value in plain]
    return names, np.array([*known, 0], np.int64)[codes]


def _shapes(tags: Sequence[str], relations: Sequence[str]) -> tuple[tuple[int, ...], ...]:
    """Return the shapes of counts of arcs and of contexts."""
    own, other = len(tags) + 1, len(tags) + 2
    return (own, other, _SIDES, len(relations) + 1), (other, own, other)


def _sides(words: Longs, heads: npt.NDArray[Any]) -> Longs:
    """Return 0 where the head is the root, 1 where it precedes, and 2 where it follows."""
    return np.where(heads == 0, 0, np.where(heads < words, 1, 2))


def _neighbours(tags: Longs, treebank: Treebank) -> tuple[Longs, Longs, Longs]:
    """Return the tag before each word, its own, and the one after; 0 beyond the sentence."""
    before, after = (np.zeros(len(tags), np.int64) for _ in range(2))
    before[1:], after[:-1] = tags[:-1] + 1, tags[1:] + 1
    full = np.flatnonzero(np.diff(treebank.offsets))
    before[treebank.offsets[:-1][full]] = 0
    after[treebank.offsets[1:][full] - 1] = 0
    return before, tags, after


Keys = npt.NDArray[np.uint32]
_MIX = np.uint64(0x9E3779B97F4A7C15)


def _keys(treebank: Treebank) -> tuple[Keys, Keys]:
    """Return the keys of words, and of pairs of neighbours, one more per sentence.

    The pairs of a sentence of n words are n + 1: the first word follows nothing, and nothing
    follows the last.
    """
    (codes, forms), sentence_of, sentences = treebank.codes("form"), treebank.sentence_of, len(treebank)
    by_form = hash_keys(forms)
    words = by_form[codes] if len(codes) else by_form
    number = np.arange(len(words)) + sentence_of  # of the pair that a word ends
    left, right = np.zeros((2, len(words) + sentences), np.uint64)
    right[number], left[number + 1] = words, words
    pairs = (left * _MIX) ^ (right + (left >> np.uint64(7)))
    return _short(words), _short(pairs)


def _short(keys: npt.NDArray[np.uint64]) -> Keys:
    mixed = keys * _MIX
    return ((mixed ^ (mixed >> np.uint64(29))) * _MIX >> np.uint64(32)).astype(np.uint32)


@dataclass(frozen=True, eq=False)
class SeenWords:
    """Keys of the words and of the pairs of neighbours of a training set, in order.

    Examples
    --------
    >>> from treegauge.testing.synthetic import synthetic
    >>> train = synthetic(30, seed=1)
    >>> bool(SeenWords.of(train).shares(train).all())
    True
    """

    words: Keys
    pairs: Keys

    @classmethod
    def of(cls, train: Treebank) -> "SeenWords":
        """Collect the words and pairs of a training set."""
        words, pairs = _keys(train)
        return cls(np.unique(words), np.unique(pairs))

    def shares(self, treebank: Treebank) -> Doubles:
        """Return for each word whether it is known, and the share of its two pairs that are."""
        words, pairs = _keys(treebank)
        seen = np.isin(pairs, self.pairs).astype(np.float64)
        number = np.arange(len(words)) + treebank.sentence_of
        both = (seen[number] + seen[number + 1]) / 2 if len(words) else np.zeros(0)
        return np.stack([np.isin(words, self.words).astype(np.float64), both], 1)

    def to_dict(self) -> dict[str, str]:
        """Return data for JSON."""
        return {name: _packed(keys) for name, keys in vars(self).items()}

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> "SeenWords":
        """Return the object that :meth:`to_dict` wrote."""
        return cls(_unpacked(values["words"]), _unpacked(values["pairs"]))


def _packed(keys: Keys) -> str:
    """Return ascending keys as text: their differences, compressed."""
    steps = np.diff(keys, prepend=np.uint32(0)).astype("<u4")
    by_byte = steps.view(np.uint8).reshape(-1, 4).T  # high bytes are mostly zero
    return base64.b85encode(zlib.compress(by_byte.tobytes(), 6)).decode()


def _unpacked(text: str) -> Keys:
    try:
        data = zlib.decompress(base64.b85decode(text))
        by_byte = np.frombuffer(data, np.uint8).reshape(4, -1)
    except (ValueError, zlib.error, binascii.Error) as error:
        raise TreegaugeError("the model's calibration is damaged: train it again") from error
    steps = np.ascontiguousarray(by_byte.T).view("<u4").ravel()
    return np.cumsum(steps, dtype=np.uint32)


@dataclass(frozen=True, eq=False)
class KnownSentence:
    """What the training set has of a sentence: its words and pairs of neighbours, and its tags."""

    words: Doubles
    tags: TaggedSentence


@dataclass(frozen=True, eq=False)
class TrainingText:
    """The words of a training set, and counts of its tags.

    Examples
    --------
    >>> from treegauge.testing.synthetic import synthetic
    >>> train = synthetic(30, seed=1)
    >>> first = TrainingText.of(train).sentences(train, ["nsubj"])[0]
    >>> bool((first.words == 1).all() and (first.tags.contexts > 0).all())
    True
    """

    words: SeenWords
    tags: SeenTags

    @classmethod
    def of(cls, train: Treebank) -> "TrainingText":
        """Collect the words and count the tags of a training set."""
        return cls(SeenWords.of(train), SeenTags.of(train))

    def sentences(self, treebank: Treebank, names: Sequence[str]) -> list[KnownSentence]:
        """Return what is known of each sentence; `names` are the numbered relations of arcs."""
        shares = self.words.shares(treebank)
        tagged = self.tags.sentences(treebank, names)
        return [
            KnownSentence(shares[start:stop], own)
            for own, (start, stop) in zip(tagged, pairwise(treebank.offsets.tolist()), strict=True)
        ]

    def to_dict(self) -> dict[str, Any]:
        """Return data for JSON."""
        return {"words": self.words.to_dict(), "tags": self.tags.to_dict()}

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> "TrainingText":
        """Return the object that :meth:`to_dict` wrote."""
        return cls(SeenWords.from_dict(values["words"]), SeenTags.from_dict(values["tags"]))


def known_sentences(
    text: TrainingText | None, treebank: Treebank, names: Sequence[str]
) -> list[KnownSentence] | list[None]:
    """Return what is known of each sentence, or None for each without a training set."""
    return [None] * len(treebank) if text is None else text.sentences(treebank, names)
