"""Kernels of the tagger: the best sequence of tags, and a structured perceptron that learns it.

A sequence scores the sum, over its words, of a weight for each pair of a feature and the tag, and
of a weight for the pair of the tag and the tag before it. Features are rows of `weights`; -1 is a
feature that training did not see. The last row of `pairs` is of the first word of a sentence.

Weights are averaged: a change at step ``t`` adds ``t`` times itself to the sums, so that the mean
over all steps is ``weights - sums / steps``.
"""

import numpy as np

from libc.stdint cimport int32_t, int64_t

ctypedef const int32_t[::1] Ints
ctypedef const int32_t[:, ::1] Features


cdef void _add_word(
    const int32_t* features, Py_ssize_t n_features, const float* weights, Py_ssize_t n_tags,
    double* scores,
) noexcept nogil:  # fmt: skip
    """Score each tag of a word by its features."""
    cdef Py_ssize_t f, tag
    cdef const float* row
    for tag in range(n_tags):
        scores[tag] = 0
    for f in range(n_features):
        if features[f] >= 0:
            row = weights + features[f] * n_tags
            for tag in range(n_tags):
                scores[tag] += row[tag]


cdef void _best(
    Features features, Py_ssize_t start, Py_ssize_t stop, const float* weights,
    const float* pairs, Py_ssize_t n_tags, const int32_t* gold, double margin,
    double* scores, int32_t* back, int32_t* tags,
) noexcept nogil:  # fmt: skip
    """Find the best tags of the words from `start` to `stop`.

    With `gold`, every incorrect tag gains `margin`. `scores` holds three rows of tags and `back`
    one row per word of the sentence.
    """
    cdef Py_ssize_t word, tag, before, chosen
    cdef double* last = scores
    cdef double* now = scores + n_tags
    cdef double* own = scores + 2 * n_tags
    cdef double* swap
    cdef double best, score
    for word in range(start, stop):
        _add_word(&features[word, 0], features.shape[1], weights, n_tags, own)
        if gold != NULL:
            for tag in range(n_tags):
                if tag != gold[word]:
                    own[tag] += margin
        for tag in range(n_tags):
            chosen = 0
            if word == start:
                best = pairs[n_tags * n_tags + tag]
            else:
                best = last[0] + pairs[tag]
                for before in range(1, n_tags):
                    score = last[before] + pairs[before * n_tags + tag]
                    if score > best:
                        best = score
                        chosen = before
            now[tag] = best + own[tag]
            back[(word - start) * n_tags + tag] = <int32_t> chosen
        swap = last
        last = now
        now = swap
    if stop == start:
        return
    chosen = 0
    for tag in range(1, n_tags):
        if last[tag] > last[chosen]:
            chosen = tag
    for word in range(stop - 1, start - 1, -1):
        tags[word] = <int32_t> chosen
        chosen = back[(word - start) * n_tags + chosen]


cdef inline void _change(
    float[:, ::1] weights, double[:, ::1] sums, Py_ssize_t row, Py_ssize_t tag, double amount,
    int64_t step,
) noexcept nogil:  # fmt: skip
    weights[row, tag] += <float> amount
    sums[row, tag] += step * amount


def best_tags(Features features, Ints offsets, const float[:, ::1] weights, const float[:, ::1] pairs):
    """Return the best tags of all words."""
    cdef Py_ssize_t sentence, n_tags = pairs.shape[1], n_words = features.shape[0]
    cdef Py_ssize_t longest = int(np.diff(offsets).max()) if offsets.shape[0] > 1 else 0
    cdef int32_t[::1] tags = np.zeros(n_words + 1, np.int32)
    cdef int32_t[::1] back = np.zeros(longest * n_tags + 1, np.int32)
    cdef double[::1] scores = np.zeros(3 * n_tags)
    cdef const float* rows = &weights[0, 0] if weights.shape[0] else NULL
    with nogil:
        for sentence in range(offsets.shape[0] - 1):
            _best(
                features, offsets[sentence], offsets[sentence + 1], rows, &pairs[0, 0],
                n_tags, NULL, 0, &scores[0], &back[0], &tags[0],
            )  # fmt: skip
    return np.asarray(tags)[:n_words]


def learn_tags(
    Features features, Ints offsets, Ints gold, Ints order, float[:, ::1] weights,
    double[:, ::1] sums, float[:, ::1] pairs, double[:, ::1] pair_sums, int64_t step,
    double margin,
):  # fmt: skip
    """Go once over the sentences in this order; return the number of incorrect tags."""
    cdef Py_ssize_t place, word, f, start, stop, n_tags = pairs.shape[1]
    cdef Py_ssize_t longest = int(np.diff(offsets).max()) if offsets.shape[0] > 1 else 0
    cdef Py_ssize_t before, guess_before, wrong = 0
    cdef int32_t[::1] tags = np.zeros(features.shape[0] + 1, np.int32)
    cdef int32_t[::1] back = np.zeros(longest * n_tags + 1, np.int32)
    cdef double[::1] scores = np.zeros(3 * n_tags)
    with nogil:
        for place in range(order.shape[0]):
            start, stop = offsets[order[place]], offsets[order[place] + 1]
            _best(
                features, start, stop, &weights[0, 0], &pairs[0, 0], n_tags, &gold[0], margin,
                &scores[0], &back[0], &tags[0],
            )  # fmt: skip
            before = guess_before = n_tags
            for word in range(start, stop):
                if tags[word] != gold[word]:
                    wrong += 1
                    for f in range(features.shape[1]):
                        if features[word, f] >= 0:
                            _change(weights, sums, features[word, f], gold[word], 1, step)
                            _change(weights, sums, features[word, f], tags[word], -1, step)
                if tags[word] != gold[word] or before != guess_before:
                    _change(pairs, pair_sums, before, gold[word], 1, step)
                    _change(pairs, pair_sums, guess_before, tags[word], -1, step)
                before, guess_before = gold[word], tags[word]
            step += 1
    return wrong
