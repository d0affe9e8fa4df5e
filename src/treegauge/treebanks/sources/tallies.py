"""Sizes of treebanks: counts of sentences, words and filled columns, file by file."""

import os
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import suppress
from dataclasses import astuple, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from treegauge.core.errors import TreegaugeError
from treegauge.core.messages import progress

if TYPE_CHECKING:
    from treegauge.treebanks.data.columns import Treebank


@dataclass(frozen=True)
class Tally:
    """Additive counts over the readable sentences and words.

    `text`, `lemmas`, `xpos` and `features` count the words whose column is not ``_``,
    `nonprojective` and `skipped` sentences.
    """

    sentences: int = 0
    words: int = 0
    nonprojective: int = 0
    text: int = 0
    lemmas: int = 0
    xpos: int = 0
    features: int = 0
    skipped: int = 0

    def __add__(self, other: "Tally") -> "Tally":
        return Tally(*map(int.__add__, astuple(self), astuple(other)))

    def share(self, name: str) -> float | None:
        """Return a count divided by words, or by sentences for `nonprojective`."""
        whole = self.sentences if name == "nonprojective" else self.words
        return getattr(self, name) / whole if whole else None


TALLIED = {"text": "form", "lemmas": "lemma", "xpos": "xpos", "features": "feats"}
"""Names of tallies and the columns they count."""


def _tally(path: str) -> Tally:
    """Count a file, leaving out sentences that cannot be read."""
    from treegauge.treebanks.data.conllu import TOLERABLE, stream_conllu

    total = Tally()
    for piece in stream_conllu(path, errors="skip", need_heads=False, allow=TOLERABLE):
        total += _count(piece)
    return total


def _count(piece: "Treebank") -> Tally:
    import numpy as np

    from treegauge.treebanks.data.columns import NUMBER
    from treegauge.treebanks.data.trees import is_projective

    def filled(column: int) -> int:
        start = piece.fields[piece.rows, column]
        stop = piece.fields[piece.rows, column + 1]  # one after the tab
        return int(np.count_nonzero((stop - start != 2) | (piece.raw[start] != ord("_"))))

    lost = {p.sentence for p in piece.problems if p.action == "skipped"}
    return Tally(
        sentences=len(piece),
        words=piece.n_words,
        nonprojective=int(np.count_nonzero(~is_projective(piece.head, piece.offsets))),
        skipped=len(lost),
        **{name: filled(NUMBER[column]) for name, column in TALLIED.items()},
    )


def tally_files(paths: Iterable[str], *, workers: int | None = None) -> dict[str, Tally | str]:
    """Return the counts of each file, or why it cannot be read; runs in parallel."""
    sizes = dict.fromkeys(paths, 0)
    for path in sizes:
        with suppress(OSError):
            sizes[path] = Path(path).stat().st_size
    counts: dict[str, Tally | str] = {}
    pool = ThreadPoolExecutor(workers or os.cpu_count())
    with pool, progress("bytes of treebanks", sum(sizes.values())) as task:
        try:
            # Start with the largest, so that no long job is left at the end.
            waiting = {pool.submit(_tally_or_reason, path): path for path in sorted(sizes, key=lambda p: -sizes[p])}
            for future in as_completed(waiting):
                path = waiting[future]
                counts[path] = future.result()
                task.advance(sizes[path])
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise
    return counts


def _tally_or_reason(path: str) -> Tally | str:
    try:
        return _tally(path)
    except TreegaugeError as error:
        return str(error).splitlines()[0]
