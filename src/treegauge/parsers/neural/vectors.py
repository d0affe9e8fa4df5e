"""Pretrained word vectors from the text format of word2vec and fastText."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from treegauge.results.errors import TreegaugeError


@dataclass(frozen=True, eq=False)
class WordVectors:
    """Words and their vectors, (words, size), in half precision to keep models small."""

    words: tuple[str, ...]
    values: npt.NDArray[np.float16]

    def of(self, forms: Sequence[str]) -> npt.NDArray[np.float32]:
        """Return a vector for each form as it is, else in lower case, else zeros."""
        numbers = {word: number for number, word in enumerate(self.words)}
        found = np.zeros((len(forms), self.values.shape[1]), np.float32)
        for row, form in zip(found, forms, strict=True):
            number = numbers.get(form, numbers.get(form.lower()))
            if number is not None:
                row[:] = self.values[number]
        return found


def read_vectors(path: str | Path, limit: int) -> WordVectors:
    """Read the first vectors of a text file: a word and its numbers on each line.

    Parameters
    ----------
    path
        A file with or without a first line that says how many words and numbers there are.
    limit
        How many vectors to take; such files are sorted by frequency.
    """
    words: list[str] = []
    rows: list[npt.NDArray[np.float16]] = []
    size = 0
    try:
        with Path(path).open(encoding="utf-8", errors="replace", newline="\n") as file:
            for number, line in enumerate(file, 1):
                parts = line.rstrip().split(" ")
                if number == 1 and len(parts) == 2 and all(part.isdigit() for part in parts):
                    size = int(parts[1])
                    continue
                size = size or len(parts) - 1
                try:
                    # A word may hold spaces; its numbers may not.
                    row = np.array(parts[-size:], np.float32)
                    if len(parts) <= size or not size or not np.isfinite(row).all():
                        raise ValueError
                except ValueError:
                    raise TreegaugeError(
                        f"{path}:{number}: expected a word and {size} numbers, separated by "
                        f"spaces; found {line[:60]!r}"
                    ) from None
                words.append(" ".join(parts[:-size]))
                rows.append(row.astype(np.float16))
                if len(words) == limit:
                    break
    except OSError as error:
        raise TreegaugeError(f"{path}: cannot read word vectors: {error.strerror}") from error
    if not words:
        raise TreegaugeError(f"{path} holds no word vectors")
    return WordVectors(tuple(words), np.stack(rows))
