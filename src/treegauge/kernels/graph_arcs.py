"""Kernels for features of arcs and relations: a head, a dependent and the tags between them.

Numbers that stand for what is seen of a word alone are made once per sentence; a feature of an arc
is the sum of two of them, mixed with direction and distance. Its place in the table of weights is
given by the top bits of that, so that no table of features is needed. A feature of a relation has
a row of weights, one weight per relation.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from treegauge.kernels.graph_features import REACH, SPAN, Pairs
from treegauge.kernels.jit import inner, part

Keys = npt.NDArray[np.uint64]
Ints = npt.NDArray[np.int32]
Weights = npt.NDArray[np.float32]
Floats = npt.NDArray[np.float64]
Whole = int | np.int64  # given as the latter, so that what is called is compiled for it alone

HEAD, DEPENDENT = np.uint64(11), np.uint64(12)  # tell the views of the two ends apart
KINDS = 64
"""Kinds of tags that can be told apart between two words."""


class GraphWords(NamedTuple):
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


@inner
def relation_features(
    heads: Keys, dependents: Keys, h: Whole, d: Whole, pairs: Ints, shift: np.uint64, out: Ints
) -> None:
    """Write the rows of the features that tell an arc's relation, as many as there are pairs."""
    side = side_of(h, d)
    for t in range(len(pairs)):
        out[t] = place_of((heads[h, pairs[t, 0]] + dependents[d, pairs[t, 1]]) ^ side, shift)


@inner
def relation_scores(
    heads: Keys, dependents: Keys, h: Whole, d: Whole, pairs: Ints, table: Weights,
    shift: np.uint64, out: Ints, scores: Floats,
) -> None:  # fmt: skip
    """Score the relations of one arc."""
    relation_features(heads, dependents, h, d, pairs, shift, out)
    for r in range(len(scores)):
        scores[r] = 0.0
    for t in range(len(pairs)):
        for r in range(len(scores)):
            scores[r] += table[out[t], r]


@inner
def softmax(scores: Floats) -> None:
    """Turn scores into probabilities in place."""
    top = -np.inf
    for r in range(len(scores)):
        top = max(top, scores[r])
    total = 0.0
    for r in range(len(scores)):
        scores[r] = np.exp(scores[r] - top)
        total += scores[r]
    for r in range(len(scores)):
        scores[r] /= total


@part
def _alone(
    views: Keys, empty: np.uint64, pairs: Ints, column: Whole, table: Weights, shift: np.uint64
) -> Weights:
    """Sum, for both directions and every word, the rows of features of one end of an arc."""
    sums = np.zeros((2, len(views), table.shape[1]), np.float32)
    for after in range(2):
        side = side_of(1 - after, after)
        for k in range(len(views)):
            for t in range(len(pairs)):
                row = place_of((views[k, pairs[t, column]] + empty) ^ side, shift)
                for r in range(table.shape[1]):
                    sums[after, k, r] += table[row, r]
    return sums


@part
def best_relations(
    heads: Keys, dependents: Keys, pairs: Pairs, table: Weights, shift: np.uint64, root: int,
    gold: Ints, wanted: Ints, scores: Floats, best: Ints,
) -> None:  # fmt: skip
    """Add to every arc's score that of its best relation, which is written to `best`.

    Where `gold` heads and `wanted` relations are given (not empty), every other head and every
    other relation than these counts one more.
    """
    n = len(scores) - 1
    first, second = pairs.alone
    left, right = np.int64(0), np.int64(1)
    of_head = _alone(
        heads, dependents[0, pairs.pairs[0, 1]], pairs.pairs[:first], left, table, shift
    )
    of_dependent = _alone(
        dependents, heads[0, pairs.pairs[first, 0]], pairs.pairs[first:second], right, table, shift
    )
    both = pairs.pairs[second:]
    row = np.empty(table.shape[1], np.float32)
    for d in range(1, n + 1):
        for h in range(n + 1):
            if h == d:
                continue
            after = 1 if h < d else 0
            side = side_of(h, d)
            for r in range(len(row)):
                row[r] = of_head[after, h, r] + of_dependent[after, d, r]
            for t in range(len(both)):
                key = (heads[h, both[t, 0]] + dependents[d, both[t, 1]]) ^ side
                place = place_of(key, shift)
                for r in range(len(row)):
                    row[r] += table[place, r]
            if len(gold):
                scores[h, d] += 0.0 if gold[d - 1] == h else 1.0
                for r in range(len(row)):
                    row[r] += 0.0 if gold[d - 1] == h and wanted[d - 1] == r else 1.0
            found = root
            if h != 0:
                found = 1 if root == 0 and len(row) > 1 else 0
                for r in range(len(row)):
                    if r != root and row[r] > row[found]:
                        found = r
            best[h, d] = found
            scores[h, d] += row[found]
