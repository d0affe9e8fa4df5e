"""Kernels that learn weights: 1-best MIRA over trees, and log-linear models by AdaGrad."""

import numpy as np
import numpy.typing as npt

from treegauge._jit import kernel
from treegauge.parse._decoding import eisner, spanning_tree
from treegauge.parse.graph._arcs import (
    MOST,
    Ints,
    Keys,
    Weights,
    arc_features,
    between_tags,
    label_features,
    score_arcs,
)

Floats = npt.NDArray[np.float64]
TINY = 1e-3  # smaller gradients change nothing that can be seen and would cost most of the time


@kernel
def decode(scores: Floats, projective: bool, heads: Ints) -> None:
    """Best tree with one root; the scores of the root's arcs are changed."""
    n = len(scores)
    if projective:
        eisner(scores, heads)
        return
    low, high = np.inf, -np.inf
    for h in range(n):
        scores[h, h] = 0.0
        for d in range(1, n):
            if h != d:
                low, high = min(low, scores[h, d]), max(high, scores[h, d])
    for d in range(1, n):
        scores[0, d] -= (high - low + 1.0) * n
    spanning_tree(scores, heads)


@kernel
def mira_epoch(
    words: Keys, tags: Keys, ends: Keys, small: Ints, gold: Ints, offsets: Ints, order: Ints,
    weights: Weights, sums: Floats, steps: int, mask: np.uint64, projective: bool,
) -> tuple[int, int]:  # fmt: skip
    """Pass once over the sentences; returns the number of steps so far and of wrong heads.

    ``alpha = (loss - (s(gold) - s(tree))) / |f(gold) - f(tree)|^2`` where that is positive, for
    the tree that the margin is most violated by (each wrong head counts one more); the averaged
    weights are ``weights - sums / steps``.
    """
    out = np.empty(MOST, np.int32)
    delta = np.zeros(len(weights), np.float32)
    stamp = np.full(len(weights), -1, np.int32)
    wrong = 0
    for s in order:
        first, n = offsets[s], offsets[s + 1] - offsets[s]
        at = first + 3 * s
        w, t, x = words[at : at + n + 3], tags[at : at + n + 3], ends[at : at + n + 3]
        m = small[at : at + n + 3]
        scores = np.zeros((n + 1, n + 1))
        score_arcs(w, t, x, m, weights, mask, scores, out)
        kept = scores.copy()
        for d in range(1, n + 1):
            scores[gold[first + d - 1], d] -= 1.0
        found = np.zeros(n + 1, np.int32)
        decode(scores, projective, found)
        touched = np.empty(2 * n * MOST, np.int32)
        margin, loss, count = 0.0, 0, 0
        for d in range(1, n + 1):
            g, p = gold[first + d - 1], found[d]
            if g == p:
                continue
            loss += 1
            margin += kept[g, d] - kept[p, d]
            for sign in (1, -1):
                h = g if sign > 0 else p
                for k in range(arc_features(w, t, x, h, d, between_tags(m, h, d), mask, out)):
                    place = out[k]
                    delta[place] += sign
                    if stamp[place] != steps:
                        stamp[place] = steps
                        touched[count] = place
                        count += 1
        norm = 0.0
        for k in range(count):
            norm += np.float64(delta[touched[k]]) ** 2
        alpha = max(0.0, (loss - margin) / norm) if norm > 0 else 0.0
        for k in range(count):
            change = alpha * delta[touched[k]]
            weights[touched[k]] += np.float32(change)
            sums[touched[k]] += steps * change
            delta[touched[k]] = 0
        steps += 1
        wrong += loss
    return steps, wrong


@kernel
def softmax_heads(scores: Floats, d: int, shares: Floats) -> None:
    """Probabilities of the heads of a word, its own place left out."""
    n = len(scores)
    top = -np.inf
    for h in range(n):
        if h != d:
            top = max(top, scores[h, d])
    total = 0.0
    for h in range(n):
        shares[h] = np.exp(scores[h, d] - top) if h != d else 0.0
        total += shares[h]
    for h in range(n):
        shares[h] /= total


@kernel
def head_epoch(
    words: Keys, tags: Keys, ends: Keys, small: Ints, gold: Ints, offsets: Ints, order: Ints,
    weights: Weights, squares: Weights, mask: np.uint64, rate: float,
) -> float:  # fmt: skip
    """Pass once over the sentences with AdaGrad on ``-log p(head | word)``; returns its sum."""
    out = np.empty(MOST, np.int32)
    loss = 0.0
    for s in order:
        first, n = offsets[s], offsets[s + 1] - offsets[s]
        at = first + 3 * s
        w, t, x = words[at : at + n + 3], tags[at : at + n + 3], ends[at : at + n + 3]
        m = small[at : at + n + 3]
        scores = np.zeros((n + 1, n + 1))
        score_arcs(w, t, x, m, weights, mask, scores, out)
        shares = np.empty(n + 1)
        for d in range(1, n + 1):
            softmax_heads(scores, d, shares)
            g = gold[first + d - 1]
            loss -= np.log(max(shares[g], 1e-300))
            for h in range(n + 1):
                if h == d:
                    continue
                slope = shares[h] - (1.0 if h == g else 0.0)
                if abs(slope) < TINY:
                    continue
                for k in range(arc_features(w, t, x, h, d, between_tags(m, h, d), mask, out)):
                    place = out[k]
                    squares[place] += np.float32(slope * slope)
                    weights[place] -= np.float32(rate * slope / np.sqrt(squares[place]))
    return loss


@kernel
def label_scores(
    words: Keys, tags: Keys, ends: Keys, h: int, d: int, table: Weights, mask: np.uint64, out: Ints,
    scores: Floats,
) -> int:  # fmt: skip
    """Score the relations of an arc; returns the number of features."""
    n = label_features(words, tags, ends, h, d, mask, out)
    scores[:] = 0.0
    for k in range(n):
        row = table[out[k]]
        for r in range(len(scores)):
            scores[r] += row[r]
    return n


@kernel
def softmax(scores: Floats) -> None:
    """Turn scores into probabilities in place."""
    top = scores.max()
    total = 0.0
    for r in range(len(scores)):
        scores[r] = np.exp(scores[r] - top)
        total += scores[r]
    for r in range(len(scores)):
        scores[r] /= total


@kernel
def label_epoch(
    words: Keys, tags: Keys, ends: Keys, gold: Ints, relations: Ints, offsets: Ints, order: Ints,
    table: Weights, squares: Weights, mask: np.uint64, rate: float,
) -> float:  # fmt: skip
    """Pass once over gold arcs with AdaGrad on ``-log p(relation | arc)``; returns its sum."""
    out = np.empty(MOST, np.int32)
    shares = np.empty(table.shape[1])
    loss = 0.0
    for s in order:
        first, n = offsets[s], offsets[s + 1] - offsets[s]
        at = first + 3 * s
        w, t, x = words[at : at + n + 3], tags[at : at + n + 3], ends[at : at + n + 3]
        for d in range(1, n + 1):
            h, g = gold[first + d - 1], relations[first + d - 1]
            count = label_scores(w, t, x, h, d, table, mask, out, shares)
            softmax(shares)
            loss -= np.log(max(shares[g], 1e-300))
            shares[g] -= 1.0
            for k in range(count):
                for r in range(len(shares)):
                    slope = shares[r]
                    if abs(slope) >= TINY:
                        squares[out[k], r] += np.float32(slope * slope)
                        change = rate * slope / np.sqrt(squares[out[k], r])
                        table[out[k], r] -= np.float32(change)
    return loss


@kernel
def parse_sentences(
    words: Keys, tags: Keys, ends: Keys, small: Ints, offsets: Ints, weights: Weights,
    table: Weights, mask: np.uint64, label_mask: np.uint64, root: int, projective: bool,
    heads: Ints, relations: Ints,
) -> None:  # fmt: skip
    """Find the best tree of every sentence and then the best relation of every arc.

    The relation ``root`` belongs to the root's arc and to no other.
    """
    out = np.empty(MOST, np.int32)
    shares = np.empty(table.shape[1])
    for s in range(len(offsets) - 1):
        first, n = offsets[s], offsets[s + 1] - offsets[s]
        at = first + 3 * s
        w, t, x = words[at : at + n + 3], tags[at : at + n + 3], ends[at : at + n + 3]
        m = small[at : at + n + 3]
        scores = np.zeros((n + 1, n + 1))
        score_arcs(w, t, x, m, weights, mask, scores, out)
        found = np.zeros(n + 1, np.int32)
        decode(scores, projective, found)
        for d in range(1, n + 1):
            heads[first + d - 1] = found[d]
            if found[d] == 0:
                relations[first + d - 1] = root
                continue
            label_scores(w, t, x, found[d], d, table, label_mask, out, shares)
            shares[root] = -np.inf
            relations[first + d - 1] = np.argmax(shares)


@kernel
def head_shares(
    words: Keys, tags: Keys, ends: Keys, small: Ints, offsets: Ints, weights: Weights,
    mask: np.uint64, starts: npt.NDArray[np.int64], shares: Floats,
) -> None:  # fmt: skip
    """Write p(head | word) of all sentences; word d of s fills n + 1 places from its start on."""
    out = np.empty(MOST, np.int32)
    for s in range(len(offsets) - 1):
        first, n = offsets[s], offsets[s + 1] - offsets[s]
        at = first + 3 * s
        w, t, x = words[at : at + n + 3], tags[at : at + n + 3], ends[at : at + n + 3]
        m = small[at : at + n + 3]
        scores = np.zeros((n + 1, n + 1))
        score_arcs(w, t, x, m, weights, mask, scores, out)
        for d in range(1, n + 1):
            place = starts[s] + (d - 1) * (n + 1)
            softmax_heads(scores, d, shares[place : place + n + 1])


@kernel
def relation_shares(
    words: Keys, tags: Keys, ends: Keys, heads: Ints, offsets: Ints, table: Weights,
    mask: np.uint64, shares: Floats,
) -> None:  # fmt: skip
    """Write p(relation | word, head) for the given heads, one row a word."""
    out = np.empty(MOST, np.int32)
    for s in range(len(offsets) - 1):
        first, n = offsets[s], offsets[s + 1] - offsets[s]
        at = first + 3 * s
        w, t, x = words[at : at + n + 3], tags[at : at + n + 3], ends[at : at + n + 3]
        for d in range(1, n + 1):
            row = shares[first + d - 1]
            label_scores(w, t, x, heads[first + d - 1], d, table, mask, out, row)
            softmax(row)
