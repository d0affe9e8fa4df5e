"""Pretrained word vectors in the text format of word2vec and fastText, compressed or not."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from treegauge.core.errors import TreegaugeError
from treegauge.core.messages import progress
from treegauge.treebanks.sources.files import Source, open_bytes

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
