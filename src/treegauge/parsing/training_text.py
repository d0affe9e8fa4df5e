"""What the calibration of a model remembers of its training set."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from treegauge.parsing.seen_tags import SeenTags, TaggedSentence
from treegauge.parsing.seen_words import Doubles, SeenWords
from treegauge.treebanks.columns import Treebank


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
