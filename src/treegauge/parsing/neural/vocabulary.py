"""Vocabularies of words, characters, tags, relations and labels, and treebanks as arrays."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from treegauge.parsing.label_encodings import Encoding
from treegauge.parsing.neural import data
from treegauge.parsing.neural.data import Encoded
from treegauge.treebanks.data.columns import Codes, Treebank, concat

MOST_CHARS = 20
"""The number of characters of a word that are read; the rest is ignored."""


@dataclass(frozen=True)
class Vocabulary:
    """The known values: frequent lower-case words, and all other values of the training set."""

    words: tuple[str, ...]
    chars: tuple[str, ...]
    tags: tuple[str, ...]
    relations: tuple[str, ...]
    labels: tuple[tuple[str, ...], ...] = ()

    @classmethod
    def of(cls, train: Treebank, *, min_count: int = 2, encoding: Encoding | None = None) -> "Vocabulary":
        """Return the vocabulary of a training set."""
        codes, forms = train.codes("form")
        counts: Counter[str] = Counter()
        for form, n in zip(forms, np.bincount(codes, minlength=len(forms)).tolist(), strict=True):
            counts[form.lower()] += n
        written = [] if encoding is None else encode_labels(train, encoding)
        return cls(
            tuple(sorted(word for word, n in counts.items() if n >= min_count)),
            tuple(sorted({char for form in forms for char in form[:MOST_CHARS]})),
            tuple(sorted(train.codes("upos").values)),
            tuple(sorted(train.codes("deprel").values)),
            tuple(tuple(sorted(column.values)) for column in written),
        )

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> "Vocabulary":
        """Return the vocabulary from :func:`dataclasses.asdict`, after its way through JSON."""
        plain = {name: tuple(values[name]) for name in ("words", "chars", "tags", "relations")}
        return cls(**plain, labels=tuple(tuple(column) for column in values["labels"]))

    def encode(self, treebank: Treebank, encoding: Encoding | None = None) -> Encoded:
        """Return a treebank as arrays, with labels of its trees if an encoding is given."""
        forms = treebank.codes("form")
        words = _numbers(self.words, data.FIRST_WORD)
        chars = _numbers(self.chars, data.FIRST_CHAR)
        spelled = [[chars.get(char, data.UNKNOWN_CHAR) for char in form[:MOST_CHARS]] for form in forms.values]
        longest = max(map(len, spelled), default=1)
        type_chars = np.zeros((len(spelled) + 2, max(longest, 1)), np.int32)
        type_chars[data.ROOT_TYPE, 0] = data.ROOT_CHAR
        type_chars[data.HIDDEN_TYPE, 0] = data.HIDDEN_CHAR
        for row, numbers in zip(type_chars[2:], spelled, strict=True):
            row[: len(numbers)] = numbers
        type_words = [words.get(form.lower(), data.UNKNOWN) for form in forms.values]
        written = [] if encoding is None else encode_labels(treebank, encoding)
        columns = [
            _column(own, values, data.FIRST_LABEL)
            for own, values in zip(written, self.labels, strict=encoding is not None)
        ]
        sizes = [
            data.FIRST_WORD + len(words), data.FIRST_CHAR + len(chars),
            data.FIRST_TAG + len(self.tags), data.FIRST_LABEL + len(self.relations),
        ]  # fmt: skip
        return Encoded(
            treebank.offsets.astype(np.int64), (forms.codes + 2).astype(np.int32),
            _column(treebank.codes("upos"), self.tags, data.FIRST_TAG),
            np.maximum(treebank.head, 0).astype(np.int32),
            _column(treebank.codes("deprel"), self.relations, data.FIRST_LABEL),
            np.array([data.ROOT_WORD, data.HIDDEN_WORD, *type_words], np.int32), type_chars,
            np.array(sizes, np.int32),
            np.stack(columns, 1) if columns else np.zeros((treebank.n_words, 0), np.int32),
            np.array([data.FIRST_LABEL + len(one) for one in self.labels], np.int32),
        )  # fmt: skip


def _numbers(values: Iterable[str], first: int) -> dict[str, int]:
    return {value: number for number, value in enumerate(values, first)}


def _column(column: Codes, values: Sequence[str], first: int) -> npt.NDArray[np.int32]:
    known = _numbers(values, first)
    numbers = np.array([known.get(value, 0) for value in column.values], np.int32)
    return numbers[column.codes] if len(column.codes) else np.zeros(0, np.int32)


def encode_labels(treebank: Treebank, encoding: Encoding) -> list[Codes]:
    """Return a treebank's trees as labels."""
    return encoding.encode(treebank.head, treebank.offsets)


def encode_parts(
    train: Treebank, *others: Treebank, min_count: int = 2, encoding: Encoding | None = None
) -> tuple[Encoded, list[npt.NDArray[np.int64]]]:
    """Return several treebanks as arrays, for :func:`treegauge.parsing.neural.jobs.run_jobs`.

    Words at least `min_count` times in `train`, and its characters, tags and relations, are known.
    Returns the arrays of all parts, and for each part the numbers of its sentences.
    """
    words = Vocabulary.of(train, min_count=min_count, encoding=encoding)
    encoded = words.encode(concat([train, *others]), encoding)
    ends = np.cumsum([0, len(train), *map(len, others)])
    return encoded, [np.arange(a, b) for a, b in pairwise(ends.tolist())]
