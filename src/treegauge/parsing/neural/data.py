"""Sentences as arrays for training and parsing."""

from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int32]

ROOT_TYPE, HIDDEN_TYPE = 0, 1
"""Numbers of the forms of the root and of a hidden word."""
UNKNOWN, ROOT_WORD, HIDDEN_WORD, FIRST_WORD = 0, 1, 2, 3
PAD_CHAR, UNKNOWN_CHAR, ROOT_CHAR, HIDDEN_CHAR, FIRST_CHAR = 0, 1, 2, 3, 4
UNKNOWN_TAG, FIRST_TAG = 0, 1
UNKNOWN_LABEL, FIRST_LABEL = 0, 1


@dataclass(frozen=True, eq=False)
class Encoded:
    """A treebank as numbers.

    Sentences lie between `offsets`. Types (forms), tags, heads within sentences (0: the root),
    relations and labels are of words; `type_words` and the padded `type_chars` of types. `sizes`
    has the numbers of different words, characters, tags and relations.
    """

    offsets: npt.NDArray[np.int64]
    types: Ints
    tags: Ints
    heads: Ints
    relations: Ints
    type_words: Ints
    type_chars: Ints
    sizes: Ints
    labels: Ints
    label_sizes: Ints

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @property
    def lengths(self) -> npt.NDArray[np.int64]:
        """Words of each sentence."""
        return np.diff(self.offsets)

    def words_of(self, sentences: npt.ArrayLike) -> npt.NDArray[np.int64]:
        """Return the numbers of the words of these sentences, in their order."""
        index = np.asarray(sentences, np.int64)
        sizes = self.lengths[index]
        ends = np.cumsum(sizes)
        first = np.repeat(self.offsets[index] - (ends - sizes), sizes)
        return first + np.arange(ends[-1] if len(ends) else 0)

    def hidden(self, *, tags: bool = True) -> "Encoded":
        """Return the same trees with all words (and tags) replaced by ``_``."""
        blind = np.full_like(self.types, HIDDEN_TYPE)
        return replace(self, types=blind, tags=np.zeros_like(self.tags) if tags else self.tags)

    def save(self, path: str | Path, **more: npt.ArrayLike) -> None:
        """Write the arrays, and any others, to an ``.npz`` file."""
        arrays: dict[str, Any] = {one.name: getattr(self, one.name) for one in fields(self)}
        arrays |= {name: np.asarray(value) for name, value in more.items()}
        np.savez_compressed(path, allow_pickle=False, **arrays)

    @classmethod
    def load(cls, path: str | Path) -> "tuple[Encoded, dict[str, npt.NDArray[Any]]]":
        """Read a file of :meth:`save`: the data, and the other arrays."""
        with np.load(path, allow_pickle=False) as archive:
            arrays = {name: archive[name] for name in archive.files}
        return cls(**{one.name: arrays.pop(one.name) for one in fields(cls)}), arrays


def known_words(data: Encoded, sentences: npt.ArrayLike, least: int) -> Ints:
    """Map word numbers to themselves if they occur often enough in these sentences, else to 0."""
    counts = np.bincount(data.type_words[data.types[data.words_of(sentences)]], minlength=data.sizes[0])
    keep = counts >= least
    keep[ROOT_WORD] = True
    return np.where(keep, np.arange(data.sizes[0]), UNKNOWN).astype(np.int32)


def rare_words(data: Encoded, sentences: npt.ArrayLike) -> npt.NDArray[np.bool_]:
    """Return for each word number whether it occurs once in these sentences."""
    own = data.type_words[data.types[data.words_of(sentences)]]
    return np.asarray(np.bincount(own, minlength=data.sizes[0]) == 1)


def known_chars(data: Encoded, sentences: npt.ArrayLike) -> Ints:
    """Map character numbers to themselves if they occur in these sentences, else to unknown."""
    seen = np.unique(data.types[data.words_of(sentences)])
    keep = np.zeros(data.sizes[1], bool)
    keep[data.type_chars[seen].ravel()] = True
    keep[[PAD_CHAR, ROOT_CHAR]] = True
    return np.where(keep, np.arange(data.sizes[1]), UNKNOWN_CHAR).astype(np.int32)
