"""From treebanks to arrays: vocabularies, pretrained word vectors, and the sets to train on.

Word vectors are read from the text format of word2vec and fastText, compressed or not.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from treegauge.core.errors import TreegaugeError
from treegauge.core.messages import note, progress
from treegauge.parsing.base import check_training
from treegauge.parsing.label_encodings import Encoding
from treegauge.parsing.neural import data
from treegauge.parsing.neural.data import Encoded
from treegauge.parsing.neural.options import NeuralOptions
from treegauge.treebanks.data.columns import Codes, Treebank, concat
from treegauge.treebanks.data.conllu import TOLERABLE
from treegauge.treebanks.sources.files import Source, open_bytes
from treegauge.treebanks.sources.resolver import read_treebank

_EVERY = 10_000  # lines between two progress updates
_LARGEST = 1e30  # of a number that single precision holds with room to spare


@dataclass(frozen=True, eq=False)
class WordVectors:
    """Words and their vectors, (words, size); in half precision."""

    words: tuple[str, ...]
    values: npt.NDArray[Any]

    @cached_property
    def _numbers(self) -> dict[str, int]:
        return {word: number for number, word in enumerate(self.words)}

    def number(self, form: str) -> int | None:
        """Return the row of a form, else of its lower-case form, else None."""
        return self._numbers.get(form, self._numbers.get(form.lower()))

    def of(self, forms: Sequence[str]) -> npt.NDArray[np.float32]:
        """Return zeros for the root and a hidden word, then a vector for each form or zeros."""
        rows = np.zeros((2 + len(forms), self.values.shape[1]), np.float32)
        for row, form in zip(rows[2:], forms, strict=True):
            number = self.number(form)
            if number is not None:
                row[:] = self.values[number]
        return rows

    def coverage(self, forms: Sequence[str]) -> float:
        """Return the share of forms that have a vector."""
        return sum(self.number(form) is not None for form in forms) / max(len(forms), 1)


def read_vectors(path: Source, limit: int, needed: Collection[str] = ()) -> WordVectors:
    r"""Read vectors from a text file: a word and its numbers on each line, separated by spaces.

    A first line may say how many words and numbers there are. The first `limit` words are kept,
    since such files are sorted by frequency, and the `needed` words wherever they are, as they
    are or in lower case. Values are divided by their standard deviation, so that vectors of any
    tool are of the size of learned embeddings.

    Parameters
    ----------
    path
        The file; ``.gz``, ``.xz``, ``.bz2`` and ``.zst`` are unpacked.
    limit
        The number of vectors to keep from the top of the file.
    needed
        Further word forms whose vectors are kept.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder, "small.vec")
    ...     _ = file.write_text("3 2\nthe 1 0\ncat 0 1\ndog 1 1\n", encoding="utf-8")
    ...     read_vectors(file, 1, ["Dog"]).words
    ('the', 'dog')
    """
    if not Path(path).is_file():
        raise TreegaugeError(f"{path}: cannot read word vectors: no such file")
    wanted = {*needed, *(form.lower() for form in needed)}
    words: dict[str, npt.NDArray[np.float32]] = {}
    size, promised, lines = 0, None, 0
    with open_bytes(path) as file, progress("lines of word vectors") as task:
        for number, line in enumerate(file, 1):
            if number == 1:
                promised, size = _first(path, line)
                if promised is not None:
                    continue
            lines += 1
            if not number % _EVERY:
                task.update(number)
            if lines > limit and not wanted:
                break
            word, row = _line(path, number, line, size, wanted if lines > limit else None)
            if row is not None:
                words.setdefault(word, row)
        else:
            if promised is not None and promised != lines:
                raise TreegaugeError(
                    f"{path}: found {lines:,} vectors; expected {promised:,} as its first line "
                    "says: the file is cut off or damaged"
                )
    if not lines:
        raise TreegaugeError(f"{path} contains no word vectors")
    if not words:
        raise TreegaugeError(f"{path} has no vector for any word of the training set; is it of the same language?")
    values = np.stack(list(words.values()))
    spread = float(values.std(dtype=np.float64))
    return WordVectors(tuple(words), (values / (spread or 1.0)).astype(np.float16))


def _first(path: Source, line: bytes) -> tuple[int | None, int]:
    """Return the number of vectors, if the first line gives it, and their size."""
    if b"\0" in line:
        raise TreegaugeError(f"{path}:1: found binary data; expected vectors as text, such as fastText's .vec files")
    parts = line.split()
    if len(parts) == 2 and all(part.isdigit() for part in parts):
        count, size = (int(part) for part in parts)
        if not size:
            raise TreegaugeError(f"{path}:1: found vectors of 0 numbers; expected at least 1")
        return count, size
    if len(parts) < 2:
        raise TreegaugeError(f"{path}:1: found {_start(line)}; expected a word and its numbers, separated by spaces")
    return None, len(line.rstrip().split(b" ")) - 1


def _line(
    path: Source, number: int, line: bytes, size: int, wanted: set[str] | None
) -> tuple[str, npt.NDArray[np.float32] | None]:
    """Return the word of a line and its vector, or None if it is not needed."""
    # A word may contain spaces; its numbers may not.
    first, *numbers = line.rstrip().rsplit(b" ", size)
    try:
        word = first.decode()
    except UnicodeDecodeError:
        raise TreegaugeError(f"{path}:{number}: found bytes that are not UTF-8; expected text in UTF-8") from None
    if wanted is not None and word not in wanted:
        return word, None
    try:
        values = np.array([float(one) for one in numbers])
        if len(values) != size or not word or not (np.abs(values) <= _LARGEST).all():
            raise ValueError
    except ValueError:
        raise TreegaugeError(
            f"{path}:{number}: expected a word and {size} numbers, separated by spaces; found {_start(line)}"
        ) from None
    return word, values.astype(np.float32)


def _start(line: bytes) -> str:
    """Return the beginning of a line as an error shows it."""
    text = line.rstrip(b"\r\n").decode(errors="replace")
    return repr(text if len(text) <= 60 else f"{text[:60]}…")


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


Sentences = npt.NDArray[Any]


@dataclass(frozen=True, eq=False)
class PreparedSets:
    """The training and dev sets as numbers.

    Attributes
    ----------
    data
        The sentences of both sets.
    train, dev
        Numbers of the sentences of each set; `dev` is None without one.
    vocabulary
        The vocabulary of the training set.
    forms
        All word forms of both sets.
    vectors
        Pretrained vectors of words, or None.
    """

    data: Encoded
    train: Sentences
    dev: Sentences | None
    vocabulary: Vocabulary
    forms: Sequence[str]
    vectors: WordVectors | None

    @classmethod
    def of(
        cls, train: Treebank, dev: Treebank | None, options: NeuralOptions, encoding: Encoding | None, *, seed: int
    ) -> "PreparedSets":
        """Check and encode both sets, and read the vectors that options name."""
        others = [] if dev is None or dev.n_words == 0 else [dev]
        check_training(train, *others, seed=seed)
        settings: dict[str, Any] = {"min_count": options.min_count, "encoding": encoding}
        data, (own, *held) = encode_parts(train, *others, **settings)
        forms = concat([train, *others]).codes("form").values
        return cls(
            data, own, held[0] if held else None, Vocabulary.of(train, **settings), forms,
            chosen_vectors(options, forms),
        )  # fmt: skip

    @property
    def type_vectors(self) -> npt.NDArray[np.float32] | None:
        """The pretrained vector of each form."""
        return None if self.vectors is None else self.vectors.of(self.forms)


def chosen_vectors(options: NeuralOptions, forms: Sequence[str]) -> WordVectors | None:
    """Read the vectors that the options name, and report how many of these forms have one."""
    if not options.vectors:
        return None
    needed = list(forms)
    if options.vectors_for:
        others = read_treebank(options.vectors_for, need_heads=False, allow=TOLERABLE)
        needed += others.codes("form").values
    vectors = read_vectors(options.vectors, options.vectors_limit, needed)
    note(
        f"{len(vectors.words):,} word vectors of {vectors.values.shape[1]} numbers from "
        f"{Path(options.vectors).name}: {vectors.coverage(forms):.1%} of the forms have one"
    )
    return vectors
