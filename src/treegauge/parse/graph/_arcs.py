"""Kernels for features of arcs: what a head, a dependent and the tags around them look like.

A sentence is given as three rows of numbers with a start mark, the root, the words and an end mark:
place ``k + 1`` belongs to word ``k``. Words, tags and ends of words are hashes of their text, so
that no table of words is needed; tags also have small numbers for the set of tags between two
words.
"""

import numpy as np
import numpy.typing as npt

from treegauge._jit import kernel

Keys = npt.NDArray[np.uint64]
Ints = npt.NDArray[np.int32]
Weights = npt.NDArray[np.float32]

MOST = 256  # features of an arc at most: 40 templates and up to 64 tags between, each twice


@kernel
def _mix(key: np.uint64, value: np.uint64) -> np.uint64:
    key = (key ^ value) * np.uint64(0x9E3779B97F4A7C15)
    return key ^ (key >> np.uint64(29))


@kernel
def _step(h: int, d: int) -> np.uint64:
    """Direction and binned distance."""
    gap = abs(h - d)
    size = gap if gap <= 5 else (6 if gap <= 10 else 7)
    return np.uint64(size + (16 if h < d else 32))


@kernel
def _put(key: np.uint64, step: np.uint64, mask: np.uint64, out: Ints, n: int) -> int:
    """Note a feature alone and with direction and distance."""
    out[n] = np.int32(key & mask)
    out[n + 1] = np.int32(_mix(key, step) & mask)
    return n + 2


@kernel
def arc_features(
    words: Keys,
    tags: Keys,
    ends: Keys,
    h: int,
    d: int,
    between: np.uint64,
    mask: np.uint64,
    out: Ints,
) -> int:
    """Write the places of an arc's features in the table of weights; returns their number."""
    step = _step(h, d)
    hw, hp, dw, dp = words[h + 1], tags[h + 1], words[d + 1], tags[d + 1]
    hx, dx = _mix(ends[h + 1], hp), _mix(ends[d + 1], dp)
    before_h, after_h = tags[h], tags[h + 2]
    before_d, after_d = tags[d], tags[d + 2]
    n = 0
    t = np.uint64(1)
    one = np.uint64(1)
    # the words and tags of the two ends, alone and together
    heads = (_mix(_mix(t, hw), hp), _mix(t + one, hw), _mix(t + np.uint64(2), hp))
    for key in heads:
        n = _put(key, step, mask, out, n)
    t = np.uint64(11)
    dependents = (_mix(_mix(t, dw), dp), _mix(t + one, dw), _mix(t + np.uint64(2), dp))
    for key in dependents:
        n = _put(key, step, mask, out, n)
    t = np.uint64(21)
    for i in range(3):
        for j in range(3):
            n = _put(_mix(_mix(t, heads[i]), dependents[j]), step, mask, out, n)
    # the ends of the words, which tell much of their inflection
    t = np.uint64(25)
    n = _put(_mix(t, hx), step, mask, out, n)
    n = _put(_mix(t + one, dx), step, mask, out, n)
    n = _put(_mix(_mix(t, hx), dx), step, mask, out, n)
    n = _put(_mix(_mix(t, hx), dp), step, mask, out, n)
    n = _put(_mix(_mix(t, hp), dx), step, mask, out, n)
    # the tags around them, from two to four
    base = _mix(_mix(np.uint64(31), hp), dp)
    around = (before_h, after_h, before_d, after_d)
    for i in range(4):
        n = _put(_mix(_mix(base, np.uint64(i)), around[i]), step, mask, out, n)
        for j in range(i + 1, 4):
            pair = _mix(_mix(_mix(base, np.uint64(8 + 4 * i + j)), around[i]), around[j])
            n = _put(pair, step, mask, out, n)
    # each kind of tag between them
    base = _mix(base, np.uint64(41))
    for tag in range(64):
        if between >> np.uint64(tag) & one:
            n = _put(_mix(base, np.uint64(tag)), step, mask, out, n)
    return n


@kernel
def label_features(
    words: Keys, tags: Keys, ends: Keys, h: int, d: int, mask: np.uint64, out: Ints
) -> int:
    """Write the places of the features that tell an arc's relation; returns their number."""
    side = np.uint64(1 if h < d else 2)
    step = _step(h, d)
    hw, hp, dw, dp = words[h + 1], tags[h + 1], words[d + 1], tags[d + 1]
    hx, dx = _mix(ends[h + 1], hp), _mix(ends[d + 1], dp)
    base = _mix(np.uint64(51), side)
    keys = (
        base, _mix(base, dp), _mix(_mix(base, dp), hp), _mix(_mix(base, dw), dp),
        _mix(_mix(_mix(base, dw), dp), hp), _mix(_mix(_mix(base, hw), hp), dp),
        _mix(_mix(_mix(base, hw), dw), dp), _mix(_mix(base, hw), hp),
        _mix(_mix(_mix(base, dp), hp), step),
        _mix(_mix(_mix(base, dp), tags[d]), hp), _mix(_mix(_mix(base, dp), tags[d + 2]), hp),
        _mix(_mix(_mix(base, words[d]), dp), hp), _mix(_mix(_mix(base, words[d + 2]), dp), hp),
        _mix(_mix(_mix(base, tags[d]), dp), tags[d + 2]),
        _mix(_mix(_mix(base, tags[h]), dp), hp), _mix(_mix(_mix(base, tags[h + 2]), dp), hp),
        _mix(base, dw), _mix(_mix(base, hw), dp),
        _mix(base, dx), _mix(_mix(base, dx), hp), _mix(_mix(base, hx), dp),
        _mix(_mix(base, hx), dx),
    )  # fmt: skip
    n = 0
    for key in keys:
        out[n] = np.int32(_mix(key, np.uint64(n)) & mask)
        n += 1
    return n


@kernel
def score_arcs(
    words: Keys, tags: Keys, ends: Keys, small: Ints, weights: Weights, mask: np.uint64,
    scores: npt.NDArray[np.float64], out: Ints,
) -> None:  # fmt: skip
    """Score every arc of a sentence; ``small`` are the tags' small numbers."""
    n = len(words) - 3
    one = np.uint64(1)
    for d in range(1, n + 1):
        for direction in (-1, 1):
            between = np.uint64(0)
            h = d + direction
            while 0 <= h <= n:
                total = np.float64(0.0)
                for k in range(arc_features(words, tags, ends, h, d, between, mask, out)):
                    total += weights[out[k]]
                scores[h, d] = total
                between |= one << np.uint64(small[h + 1])
                h += direction


@kernel
def between_tags(small: Ints, h: int, d: int) -> np.uint64:
    """Return the set of tags strictly between two words."""
    between = np.uint64(0)
    for k in range(min(h, d) + 1, max(h, d)):
        between |= np.uint64(1) << np.uint64(small[k + 1])
    return between
