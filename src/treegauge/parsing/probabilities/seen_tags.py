"""How often a parser's training set has an arc, or a word's tag between those of its neighbours.

Parsers are less often correct than they say on arcs and contexts that they rarely saw.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

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
        numbers = {name: number for number, name in enumerate(self.tags, 1)}
        known = np.array([numbers.get(universal_relation(value), 0) for value in values], np.int64)
        tags = known[codes] if len(codes) else codes.astype(np.int64)
        contexts = np.log1p(self.contexts[_neighbours(tags, treebank)])
        places = {name: place for place, name in enumerate(self.relations)}
        columns = [places.get(universal_relation(name), len(places)) for name in names]
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
    counts: Counter[str] = Counter()
    for value, count in zip(values, np.bincount(codes, minlength=len(values)), strict=True):
        counts[universal_relation(value)] += int(count)
    names = tuple(name for name, _ in counts.most_common(MOST_NAMES))
    numbers = {name: number for number, name in enumerate(names)}
    known = [numbers.get(universal_relation(value), len(names)) for value in values]
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
