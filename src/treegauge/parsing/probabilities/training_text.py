"""What the calibration of a model remembers of its training set: words, neighbours and tags.

A parser is more often correct on known words, above all if their neighbours are the same: some dev
and test sets have near copies of training sentences. Its own scores reflect that only in part.
"""

import base64
import binascii
import hashlib
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from treegauge.core.errors import TreegaugeError
from treegauge.parsing.probabilities.seen_tags import SeenTags, TaggedSentence
from treegauge.treebanks.data.columns import Treebank

Keys = npt.NDArray[np.uint32]
Doubles = npt.NDArray[np.float64]
_MIX = np.uint64(0x9E3779B97F4A7C15)


def _keys(treebank: Treebank) -> tuple[Keys, Keys]:
    """Return the keys of words, and of pairs of neighbours, one more per sentence.

    The pairs of a sentence of n words are n + 1: the first word follows nothing, and nothing
    follows the last.
    """
    codes, forms = treebank.codes("form")
    digests = (hashlib.blake2b(form.encode(), digest_size=8).digest() for form in forms)
    by_form = np.array([int.from_bytes(one, "little") for one in digests], np.uint64)
    words = by_form[codes] if len(codes) else by_form
    number = np.arange(len(words)) + treebank.sentence_of  # of the pair that a word ends
    left, right = (np.zeros(len(words) + len(treebank), np.uint64) for _ in range(2))
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
