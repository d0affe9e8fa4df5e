"""Which sentences go into which update."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

Longs = npt.NDArray[np.int64]

_CHUNK = 20
"""Batches whose sentences are sorted by length together: little padding, much chance."""


def _cut_by_words(order: Longs, lengths: Longs, limit: int) -> list[Longs]:
    cuts, words = [], 0
    for at, sentence in enumerate(order.tolist()):
        if words and words + lengths[sentence] > limit:
            cuts.append(at)
            words = 0
        words += lengths[sentence]
    return np.split(order, cuts)


def count(sentences: int, size: int) -> int:
    """Return the number of batches of at most `size` sentences.

    Examples
    --------
    >>> count(65, 32)
    3
    """
    return -(-sentences // size)


def epoch(
    sentences: npt.ArrayLike, lengths: Longs, *, size: int, words: int = 0, seed: int, number: int
) -> list[Longs]:
    """Deal sentences into batches of similar length, for one epoch.

    Sentences are shuffled, sorted by length within a chunk of batches, and cut; then the batches
    are shuffled. With as many sentences, the k-th batches of different seeds are about equally
    long, which is what models that learn in lockstep need; so that shuffle depends on the epoch
    alone.

    Parameters
    ----------
    sentences
        Their numbers.
    lengths
        Words of every sentence there is.
    size, words
        Most sentences of a batch; if `words` is set, most words of a batch instead.
    seed, number
        Of the model and of the epoch.

    Examples
    --------
    >>> made = epoch(range(5), np.array([3, 1, 2, 9, 1]), size=2, seed=0, number=1)
    >>> sorted(map(len, made)), sorted(np.concatenate(made).tolist())
    ([1, 2, 2], [0, 1, 2, 3, 4])
    """
    order = np.random.default_rng([seed, number]).permutation(np.asarray(sentences, np.int64))
    each = max(int(lengths[order].sum()) // words, 1) if words else count(len(order), size)
    made: list[Longs] = []
    for piece in np.array_split(np.arange(each), max(round(each / _CHUNK), 1)):
        first, last = (int(at) * len(order) // each for at in (piece[0], piece[-1] + 1))
        chunk = order[first:last]
        chunk = chunk[np.argsort(lengths[chunk], kind="stable")]
        if words:
            made += _cut_by_words(chunk, lengths, words)
        else:
            made += np.array_split(chunk, len(piece))
    turns = np.random.default_rng([number]).permutation(len(made))
    return [made[turn] for turn in turns]


def by_length(sentences: npt.ArrayLike, lengths: Longs, places: int, most: int) -> list[Longs]:
    """Deal sentences into batches of at most so many places, padding counted, longest first.

    Examples
    --------
    >>> [one.tolist() for one in by_length([0, 1, 2], np.array([1, 9, 8]), 20, 64)]
    [[1, 2], [0]]
    """
    order = np.asarray(sentences, np.int64)
    order = order[np.argsort(-lengths[order], kind="stable")]
    made, at = [], 0
    while at < len(order):
        size = min(max(places // (int(lengths[order[at]]) + 1), 1), most)
        made.append(order[at : at + size])
        at += size
    return made


def side_by_side(batches: Sequence[Longs], none: int, rows: int = 1) -> Longs:
    """Put one batch of each model into a table, short ones filled up with no sentence."""
    wide = max(rows, *(len(batch) for batch in batches))
    table = np.full((len(batches), wide), none, np.int64)
    for row, batch in zip(table, batches, strict=True):
        row[: len(batch)] = batch
    return table


def rounded(width: int) -> int:
    """Round a padded length up, so that few different ones occur.

    Examples
    --------
    >>> [rounded(n) for n in (3, 24, 49, 130)]
    [4, 24, 56, 160]
    """
    step = 4 if width <= 48 else 8 if width <= 96 else 32 if width <= 256 else 64
    return -(-width // step) * step
