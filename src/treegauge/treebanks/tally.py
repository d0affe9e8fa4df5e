"""Counting what treebanks hold, many files at a time and none of them whole in memory."""

import os
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import astuple, dataclass
from pathlib import Path

import numpy as np

from treegauge.results.errors import TreegaugeError
from treegauge.results.messages import progress
from treegauge.treebanks.columns import NUMBER, Treebank
from treegauge.treebanks.conllu import TOLERABLE, stream_conllu


@dataclass(frozen=True)
class Tally:
    """Counts over sentences and words; they add up.

    Parameters
    ----------
    sentences, words
        Sentences and syntactic words that can be read.
    nonprojective
        Sentences with an arc that is not projective.
    text, lemmas, xpos, features
        Words whose column is not ``_``.
    skipped
        Sentences that cannot be read.

    Examples
    --------
    >>> Tally(sentences=2, words=9) + Tally(sentences=1, words=1) == Tally(3, 10)
    True
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
        """Return a count over the words, or over the sentences for `nonprojective`."""
        whole = self.sentences if name == "nonprojective" else self.words
        return getattr(self, name) / whole if whole else None


LAYERS = {"text": "form", "lemmas": "lemma", "xpos": "xpos", "features": "feats"}
"""Names of tallies and the columns they count."""


def tally(path: str) -> Tally:
    """Count a file, leaving out sentences that cannot be read."""
    total = Tally()
    for piece in stream_conllu(path, errors="skip", need_heads=False, allow=TOLERABLE):
        total += _count(piece)
    return total


def _count(piece: Treebank) -> Tally:
    from treegauge.treebanks.trees import is_projective

    lost = {p.sentence for p in piece.problems if p.action == "skipped"}
    return Tally(
        sentences=len(piece),
        words=piece.n_words,
        nonprojective=int(np.count_nonzero(~is_projective(piece.head, piece.offsets))),
        skipped=len(lost),
        **{name: _filled(piece, NUMBER[column]) for name, column in LAYERS.items()},
    )


def _filled(piece: Treebank, column: int) -> int:
    start = piece.fields[piece.rows, column]
    stop = piece.fields[piece.rows, column + 1]  # one after the tab
    return int(np.count_nonzero((stop - start != 2) | (piece.raw[start] != ord("_"))))


def tally_files(paths: Iterable[str], *, workers: int | None = None) -> dict[str, Tally | str]:
    """Count many files in parallel.

    Parameters
    ----------
    paths
        CoNLL-U files, packed or not.
    workers
        How many at a time; None is one for each processor. The counts are the same for any number.

    Returns
    -------
    dict
        For each path its counts, or why it cannot be read.
    """
    sizes = {path: _size(path) for path in paths}
    counts: dict[str, Tally | str] = {}
    pool = ThreadPoolExecutor(workers or os.cpu_count())
    with pool, progress("bytes of treebanks", sum(sizes.values())) as task:
        try:
            # The largest first, so that none is left over at the end.
            waiting = {
                pool.submit(_tally_or_reason, path): path
                for path in sorted(sizes, key=lambda p: -sizes[p])
            }
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
        return tally(path)
    except TreegaugeError as error:
        return str(error).splitlines()[0]


def _size(path: str) -> int:
    try:
        return Path(path).stat().st_size
    except OSError:
        return 0
