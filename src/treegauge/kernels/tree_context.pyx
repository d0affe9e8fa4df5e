"""Kernels that learn how likely a word's head and relation are, given the rest of the tree.

A parser sees words alone. This model also sees what annotators wrote about all other words: the
relations of the head, of its other dependents and of the word's own dependents. So it cannot parse,
but it can say which annotation does not fit the others. For each word the alternatives are its head
with any other relation, and any other head with its relation, unless that makes a cycle:

    p(head, relation | the rest) = exp s(head, relation) / sum of exp s over the alternatives

The score is the sum of the weights of hashed features, each joined with the relation. Weights are
learned by AdaGrad and averaged: where a change made at step ``t`` adds ``t`` times itself to the
sums, the mean over all steps is ``weights - sums / steps``.
"""

import numpy as np

from libc.math cimport exp, fabs, log, sqrtf
from libc.stdint cimport int32_t, uint8_t, uint64_t

from treegauge.kernels.graph_arcs cimport mix, place_of

cpdef enum:  # what is seen of a word, one row of hashes each
    FORM
    LEMMA
    TAG
    XPOS
    FEATS
    END  # of the form
    LETTERS

cdef enum:
    OWN_SIZE = 64
    PAIR_SIZE = 128
    MOST_CHILDREN = 5
    MOST_SIBLINGS = 8
    MOST_BETWEEN = 8
    ROOT = 1001  # in place of a hash
    OUTSIDE = 1002
    NOTHING = 1003

cdef double LEAST_SLOPE = 1e-3  # smaller ones change nothing that can be seen
cdef double NEVER = -690.0  # log-probability of what there is not

ctypedef const int32_t[::1] Ints
ctypedef const uint64_t[:, ::1] Keys


cdef inline uint64_t joined(uint64_t one, uint64_t two, uint64_t kind) noexcept nogil:
    return mix(mix(mix(kind, one), two + 3), 5)


cdef class TreeContext:
    """Treebank with the buffers of one sentence; positions in it count from 1, and 0 is the root.

    `letters` has a row of hashes for each thing seen of words, `names` and `values` the hashes of
    each word's first features, `keys` one hash per relation, and `allowed` the relations that words
    of a tag may have.
    """

    cdef Keys letters, names, values
    cdef Ints heads, relations, tags, offsets
    cdef const uint64_t[::1] keys
    cdef const uint8_t[:, ::1] allowed
    cdef Py_ssize_t start, n, root, own_count
    cdef int32_t[::1] first, following, counts, other_heads, other_relations
    cdef uint8_t[::1] below
    cdef uint64_t[::1] own
    cdef uint64_t[:, ::1] pairs
    cdef double[::1] scores

    def __init__(
        self, Keys letters, Keys names, Keys values, Ints heads, Ints relations, Ints tags,
        Ints offsets, const uint64_t[::1] keys, const uint8_t[:, ::1] allowed, Py_ssize_t root,
    ):
        self.letters, self.names, self.values = letters, names, values
        self.heads, self.relations, self.tags, self.offsets = heads, relations, tags, offsets
        self.keys, self.allowed, self.root = keys, allowed, root
        longest = int(np.diff(offsets).max(initial=0)) + 2
        most = longest + len(keys)
        self.first, self.following = np.zeros((2, longest), np.int32)
        self.counts, self.other_heads, self.other_relations = np.zeros((3, most), np.int32)
        self.below = np.zeros(longest, np.uint8)
        self.own = np.zeros(OWN_SIZE, np.uint64)
        self.pairs = np.zeros((longest, PAIR_SIZE), np.uint64)
        self.scores = np.zeros(most)

    cdef void look(self, Py_ssize_t sentence) noexcept nogil:
        """Go to a sentence and list the dependents of each word from left to right."""
        cdef Py_ssize_t j
        cdef int32_t head
        self.start = self.offsets[sentence] - 1
        self.n = self.offsets[sentence + 1] - self.offsets[sentence]
        for j in range(self.n + 1):
            self.first[j] = 0
        for j in range(self.n, 0, -1):
            head = self.heads[self.start + j]
            self.following[j] = self.first[head]
            self.first[head] = <int32_t> j

    cdef inline uint64_t letter(self, int kind, Py_ssize_t j) noexcept nogil:
        if j < 1 or j > self.n:
            return ROOT if j == 0 else OUTSIDE
        return self.letters[kind, self.start + j]

    cdef inline uint64_t beside(self, int kind, Py_ssize_t j) noexcept nogil:
        """Give what is seen of a neighbour; before the first word there is no root."""
        return OUTSIDE if j == 0 else self.letter(kind, j)

    cdef inline uint64_t relation(self, Py_ssize_t j) noexcept nogil:
        return self.keys[self.relations[self.start + j]]

    cdef void look_at_word(self, Py_ssize_t d) noexcept nogil:
        """Collect what is seen of a word without its head."""
        cdef uint64_t* out = &self.own[0]
        cdef uint64_t tag = self.letter(TAG, d)
        cdef uint64_t left = self.beside(TAG, d - 1), right = self.beside(TAG, d + 1)
        cdef Py_ssize_t k = 0, j, f, children = 0
        for f in range(LETTERS):
            out[k] = joined(self.letter(<int> f, d), tag, 11 + f)
            k += 1
        out[k] = joined(left, tag, 21)
        out[k + 1] = joined(tag, right, 22)
        out[k + 2] = joined(joined(left, tag, 23), right, 23)
        out[k + 3] = joined(self.beside(FORM, d - 1), tag, 24)
        out[k + 4] = joined(self.beside(FORM, d + 1), tag, 25)
        k += 5
        j = self.first[d]
        while j:
            if children < MOST_CHILDREN:
                out[k] = joined(self.relation(j), tag, 26 if j < d else 27)
                out[k + 1] = joined(self.relation(j), self.letter(LEMMA, j), 28)
                k += 2
            children += 1
            j = self.following[j]
        out[k] = joined(min(children, 4), tag, 29)
        k += 1
        for f in range(self.values.shape[1]):
            if self.values[self.start + d, f]:
                out[k] = joined(self.values[self.start + d, f], tag, 30)
                k += 1
        self.own_count = k

    cdef Py_ssize_t look_at_pair(self, Py_ssize_t d, Py_ssize_t h, uint64_t* out) noexcept nogil:
        """Collect what is seen of a word under a head; return the number of features."""
        cdef uint64_t tag = self.letter(TAG, d), head_tag = self.letter(TAG, h)
        cdef uint64_t tags = joined(tag, head_tag, 40), lemma = self.letter(LEMMA, d)
        cdef uint64_t head_lemma = self.letter(LEMMA, h), side = 1 if h < d else 2
        cdef Py_ssize_t gap = h - d if h > d else d - h, k, j, f, g
        cdef Py_ssize_t before = 0, after = 0, siblings = 0, place = self.start + d
        cdef bint agree
        if gap > 4:
            gap = 5 if gap < 8 else 6 if gap < 12 else 7
        cdef uint64_t step = 3 if h == 0 else 10 * side + <uint64_t> gap
        out[0] = tags
        out[1] = joined(tags, step, 41)
        out[2] = joined(head_tag, 0, 42)
        out[3] = joined(tag, step, 43)
        out[4] = joined(head_lemma, tag, 44)
        out[5] = joined(lemma, head_lemma, 45)
        out[6] = joined(lemma, head_tag, 46)
        out[7] = joined(self.letter(FEATS, d), tags, 47)
        out[8] = joined(joined(self.letter(END, d), head_tag, 48), step, 48)
        out[9] = joined(joined(self.letter(FORM, d), head_tag, 49), side, 49)
        out[10] = joined(self.letter(FEATS, h), tags, 50)
        k = 11
        if h:
            k += self._around(d, h, tags, step, side, out + k)
            for f in range(self.names.shape[1]):
                for g in range(self.names.shape[1] if self.names[place, f] else 0):
                    if self.names[self.start + h, g] == self.names[place, f]:
                        agree = self.values[self.start + h, g] == self.values[place, f]
                        out[k] = joined(self.names[place, f], tags, 56 if agree else 57)
                        k += 1
            j = self.first[h]
            while j:
                if j != d:
                    if j < d:
                        before = j
                    elif not after:
                        after = j
                    if siblings < MOST_SIBLINGS:
                        out[k] = joined(self.relation(j), head_tag, 58)
                        out[k + 1] = joined(self.relation(j), tags, 59 if j < d else 60)
                        k += 2
                    siblings += 1
                j = self.following[j]
        out[k] = joined(self.relation(before) if before else <uint64_t> NOTHING, tags, 61)
        out[k + 1] = joined(self.relation(after) if after else <uint64_t> NOTHING, tags, 62)
        out[k + 2] = joined(min(siblings, 5), tags, 63)
        return k + 3

    cdef Py_ssize_t _around(
        self, Py_ssize_t d, Py_ssize_t h, uint64_t tags, uint64_t step, uint64_t side, uint64_t* out
    ) noexcept nogil:
        """Collect the head's own annotation, neighbours, crossing arcs and words between."""
        cdef Py_ssize_t low = min(h, d), high = max(h, d), j, head, k = 9
        cdef uint64_t crossing = 0
        cdef uint64_t left = self.beside(TAG, d - 1), right = self.beside(TAG, d + 1)
        cdef uint64_t head_left = self.beside(TAG, h - 1), head_right = self.beside(TAG, h + 1)
        cdef bint inside
        for j in range(1, self.n + 1):
            head = self.heads[self.start + j]
            if j == d or j == h or head == h or head == d:
                continue
            inside = low < j < high
            if (inside and not low <= head <= high) or (not inside and low < head < high):
                crossing = 1
                break
        out[0] = joined(self.relation(h), tags, 51)
        out[1] = joined(joined(self.relation(h), self.letter(TAG, d), 52), step, 52)
        out[2] = joined(joined(head_left, tags, 53), left, side)
        out[3] = joined(joined(head_right, tags, 53), right, 2 + side)
        out[4] = joined(joined(head_right, tags, 53), left, 4 + side)
        out[5] = joined(self.letter(TAG, self.heads[self.start + h]), tags, 54)
        out[6] = joined(crossing, 0, 55)
        out[7] = joined(crossing, tags, 55)
        out[8] = joined(self.letter(LEMMA, d), self.relation(h), 64)
        for j in range(low + 1, min(high, low + 1 + MOST_BETWEEN)):
            out[k] = joined(self.letter(TAG, j), tags, 65)
            k += 1
        return k

    cdef inline double _sum(
        self, const uint64_t* keys, Py_ssize_t count, uint64_t relation, const float* weights,
        uint64_t shift,
    ) noexcept nogil:
        cdef double total = 0.0
        cdef Py_ssize_t k
        for k in range(count):
            total += weights[place_of(mix(keys[k], relation), shift)]
        return total

    cdef Py_ssize_t score(self, Py_ssize_t d, const float* weights, uint64_t shift) noexcept nogil:
        """Score a word's annotation, in the first place, and its alternatives; count them."""
        cdef Py_ssize_t place = self.start + d, head = self.heads[place], h, r, count = 1, top
        cdef Py_ssize_t gold = self.relations[place]
        cdef double own
        self.look_at_word(d)
        self.counts[0] = <int32_t> self.look_at_pair(d, head, &self.pairs[0, 0])
        self.other_heads[0], self.other_relations[0] = <int32_t> head, <int32_t> gold
        own = self._sum(&self.own[0], self.own_count, self.keys[gold], weights, shift)
        self.scores[0] = own + self._sum(
            &self.pairs[0, 0], self.counts[0], self.keys[gold], weights, shift
        )
        for r in range(self.keys.shape[0]):
            if r == gold or not self.allowed[self.tags[place], r] or (head and r == self.root):
                continue
            self.scores[count] = self._sum(
                &self.own[0], self.own_count, self.keys[r], weights, shift
            ) + self._sum(&self.pairs[0, 0], self.counts[0], self.keys[r], weights, shift)
            self.other_heads[count], self.other_relations[count] = <int32_t> head, <int32_t> r
            count += 1
        if not head:
            return count
        for h in range(1, self.n + 1):
            top = h
            while top and top != d:
                top = self.heads[self.start + top]
            self.below[h] = top == d
        for h in range(1, self.n + 1):
            if h == head or self.below[h]:
                continue
            self.counts[h] = <int32_t> self.look_at_pair(d, h, &self.pairs[h, 0])
            self.scores[count] = own + self._sum(
                &self.pairs[h, 0], self.counts[h], self.keys[gold], weights, shift
            )
            self.other_heads[count], self.other_relations[count] = <int32_t> h, <int32_t> gold
            count += 1
        return count


cdef void _step(
    const uint64_t* keys, Py_ssize_t count, uint64_t relation, double slope, double rate,
    double number, float* weights, double* sums, float* squares, uint64_t shift,
) noexcept nogil:
    cdef Py_ssize_t k, place
    cdef double change
    for k in range(count):
        place = place_of(mix(keys[k], relation), shift)
        squares[place] += <float> (slope * slope)
        change = -rate * slope / sqrtf(squares[place])
        weights[place] += <float> change
        sums[place] += number * change


def learn(
    TreeContext context, Ints order, float[::1] weights, double[::1] sums, float[::1] squares,
    int bits, double rate, Py_ssize_t steps,
):
    """Pass once over sentences; `steps` is the number of sentences seen before."""
    cdef Py_ssize_t at, d, a, count, pair
    cdef uint64_t shift = 64 - bits, relation
    cdef double top, total, slope
    with nogil:
        for at in range(order.shape[0]):
            context.look(order[at])
            for d in range(1, context.n + 1):
                count = context.score(d, &weights[0], shift)
                top, total = context.scores[0], 0.0
                for a in range(count):
                    top = max(top, context.scores[a])
                for a in range(count):
                    total += exp(context.scores[a] - top)
                for a in range(count):
                    slope = exp(context.scores[a] - top) / total - (1.0 if a == 0 else 0.0)
                    if fabs(slope) < LEAST_SLOPE:
                        continue
                    relation = context.keys[context.other_relations[a]]
                    pair = context.other_heads[a]
                    if pair == context.other_heads[0]:
                        pair = 0
                    _step(
                        &context.own[0], context.own_count, relation, slope, rate,
                        <double> (steps + at + 1), &weights[0], &sums[0], &squares[0], shift,
                    )
                    _step(
                        &context.pairs[pair, 0], context.counts[pair], relation, slope, rate,
                        <double> (steps + at + 1), &weights[0], &sums[0], &squares[0], shift,
                    )


def judge(
    TreeContext context, const float[::1] weights, int bits, double[:, ::1] logp,
    int32_t[:, ::1] rivals, double[:, ::1] rival_logp,
):
    """Fill in what annotation and best alternative have of probability: heads, then relations.

    Heads are judged among heads with the relation given, relations among relations with the head
    given. A rival is -1 where there is no alternative.
    """
    cdef Py_ssize_t sentence, d, a, count, place, layer
    cdef uint64_t shift = 64 - bits
    cdef double best[2]
    cdef double total[2]
    cdef double gold, top
    with nogil:
        for sentence in range(context.offsets.shape[0] - 1):
            context.look(sentence)
            for d in range(1, context.n + 1):
                count, place = context.score(d, &weights[0], shift), context.start + d
                gold = context.scores[0]
                for layer in range(2):
                    best[layer], rivals[layer, place] = NEVER, -1
                for a in range(1, count):
                    layer = context.other_heads[a] == context.other_heads[0]
                    if context.scores[a] > best[layer]:
                        best[layer] = context.scores[a]
                        rivals[layer, place] = (
                            context.other_relations[a] if layer else context.other_heads[a]
                        )
                for layer in range(2):
                    total[layer] = exp(gold - max(gold, best[layer]))
                for a in range(1, count):
                    layer = context.other_heads[a] == context.other_heads[0]
                    total[layer] += exp(context.scores[a] - max(gold, best[layer]))
                for layer in range(2):
                    top = max(gold, best[layer]) + log(total[layer])
                    logp[layer, place] = gold - top
                    rival_logp[layer, place] = max(best[layer] - top, NEVER)
