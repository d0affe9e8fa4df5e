"""Kernels for features of arcs: what a head, a dependent and the tags between them look like.

Numbers that stand for what is seen of a word alone are made once a sentence; a feature of an arc
is the sum of two of them, mixed with direction and distance. Its place in the table of weights is
given by the top bits of that, so that no table of features is needed.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from treegauge.kernels.graph_features import REACH, SPAN
from treegauge.kernels.jit import inner, part

Keys = npt.NDArray[np.uint64]
Ints = npt.NDArray[np.int32]
Weights = npt.NDArray[np.float32]
Floats = npt.NDArray[np.float64]
Whole = int | np.int64  # given as the latter, so that what is called is compiled for it alone

HEAD, DEPENDENT = np.uint64(11), np.uint64(12)  # tell the views of the two ends apart
KINDS = 64
"""Kinds of tags that can be told apart between two words."""


class Words(NamedTuple):
    """Sentences as rows of numbers with the root, and places for what is beside them.

    ``letters[l, place]`` is the hash of what letter ``l`` of the templates sees, ``kinds[place]``
    the small number of the tag; the root of sentence ``s`` is at ``roots[s]``.
    """

    letters: Keys
    kinds: Ints
    roots: Ints
    offsets: Ints


class Between(NamedTuple):
    """Kinds of tags between two words in order, the first `size[0]`, and how often each occurs."""

    kinds: Ints
    counts: Ints
    size: Ints


@inner
def mix(key: np.uint64, value: np.uint64) -> np.uint64:
    """Mix a value into a hash."""
    key = (key ^ value) * np.uint64(0x9E3779B97F4A7C15)
    return key ^ (key >> np.uint64(32))


@inner
def place_of(key: np.uint64, shift: np.uint64) -> np.int32:
    """Give the place of a feature in a table of ``2 ** (64 - shift)`` weights."""
    key *= np.uint64(0xD6E8FEB86659FD93)
    key ^= key >> np.uint64(32)
    return np.int32((key * np.uint64(0x9E3779B97F4A7C15)) >> shift)


@inner
def shift_of(size: int) -> np.uint64:
    """Give the number of bits of a hash that are not needed in a table of a power of two."""
    shift = np.uint64(64)
    while size > 1:
        size //= 2
        shift -= np.uint64(1)
    return shift


@inner
def side_of(h: Whole, d: Whole) -> np.uint64:
    """Hash of the direction."""
    return mix(np.uint64(71), np.uint64(1 if h < d else 2))


@inner
def _step_of(h: Whole, d: Whole) -> np.uint64:
    """Hash of direction and binned distance."""
    gap = h - d if h > d else d - h
    size: Whole = 5
    for end in (5, 7, 10, 15, 25):
        size += gap > end
    return mix(side_of(h, d), np.uint64(gap if gap < size else size))


@part
def views(letters: Keys, root: int, n: int, rows: Ints, salt: np.uint64) -> Keys:
    """Return the hashes of all views of the root and the words of a sentence."""
    out = np.empty((n + 1, len(rows)), np.uint64)
    for k in range(n + 1):
        for i in range(len(rows)):
            key = mix(salt, np.uint64(i) << np.uint64(8))
            for code in rows[i]:
                if code >= 0:
                    key = mix(key, letters[code // SPAN, root + k + code % SPAN - REACH])
            out[k, i] = mix(key, salt)
    return out


@inner
def _note(kind: int, between: Between) -> None:
    """Note one more tag between."""
    if between.counts[kind] == 0:
        between.kinds[between.size[0]] = kind
        between.size[0] += 1
    between.counts[kind] += 1


@inner
def _clear(between: Between) -> None:
    for k in range(between.size[0]):
        between.counts[between.kinds[k]] = 0
    between.size[0] = 0


@inner
def _features(
    heads: Keys, dependents: Keys, kinds: Ints, h: Whole, d: Whole, pairs: Ints, between: Between,
    shift: np.uint64, out: Ints,
) -> int:  # fmt: skip
    """Write the places of an arc's features, given what is between; returns their number."""
    side, step = side_of(h, d), _step_of(h, d)
    n = 0
    for t in range(len(pairs)):
        key = heads[h, pairs[t, 0]] + dependents[d, pairs[t, 1]]
        out[n] = place_of(key ^ side, shift)
        out[n + 1] = place_of(key ^ step, shift)
        n += 2
    base = mix(mix(side, np.uint64(kinds[h])), np.uint64(kinds[d]))
    for k in range(between.size[0]):
        kind = between.kinds[k]
        key = mix(base, np.uint64(kind))
        out[n] = place_of(key, shift)
        out[n + 1] = place_of(mix(key, np.uint64(min(between.counts[kind], 3))), shift)
        n += 2
    return n


@inner
def arc_features(
    heads: Keys, dependents: Keys, kinds: Ints, h: Whole, d: Whole, pairs: Ints, between: Between,
    shift: np.uint64, out: Ints,
) -> int:  # fmt: skip
    """Write the places of an arc's features in the table of weights; returns their number."""
    _clear(between)
    step = 1 if h > d else -1
    for k in range(d + step, h, step):
        _note(kinds[k], between)
    return _features(heads, dependents, kinds, h, d, pairs, between, shift, out)


@inner
def score_arcs(
    heads: Keys, dependents: Keys, kinds: Ints, pairs: Ints, between: Between, shift: np.uint64,
    weights: Weights, out: Ints, scores: Floats,
) -> None:  # fmt: skip
    """Score every arc of a sentence; ``scores[h, d]``, 0 is the root."""
    n = len(scores) - 1
    for d in range(1, n + 1):
        for step in (-1, 1):
            _clear(between)
            h = d + step
            while 0 <= h <= n:
                total = np.float64(0.0)
                for k in range(
                    _features(heads, dependents, kinds, h, d, pairs, between, shift, out)
                ):
                    total += weights[out[k]]
                scores[h, d] = total
                _note(kinds[h], between)
                h += step


@part
def nothing_between() -> Between:
    """Make room for what is between two words."""
    return Between(np.zeros(KINDS, np.int32), np.zeros(KINDS, np.int32), np.zeros(1, np.int32))


@inner
def most_features(pairs: Ints) -> int:
    """Give the most features that an arc can have."""
    return 2 * len(pairs) + 2 * KINDS
