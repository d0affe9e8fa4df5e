"""Kernels that find texts that are nearly the same, by the character n-grams that they share.

`join_tokens` takes the text of sentences out of a treebank, `index_ngrams` lists the texts of every
n-gram, and `near_pairs` looks each text up in that list and measures the edit distance to those
that share enough of it. All are linear in the characters but for n-grams that very many texts
share; `near_pairs` looks those up last, and stops when it has seen as many texts as it is told.
"""

import numpy as np

from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t, uint64_t
from libc.string cimport memcpy, memset

ctypedef const int32_t[::1] Ints
ctypedef const int64_t[::1] Longs
ctypedef const uint32_t[::1] Symbols


def join_tokens(
    const uint8_t[::1] data, const int32_t[:, ::1] fields, Ints rows, Ints multiword,
    Ints offsets,
):
    """Bytes of the forms of each sentence's tokens, with no space between, one line a sentence."""
    cdef Py_ssize_t s, w, row, size, last, used = 0, total = len(offsets)
    for w in range(len(rows)):
        row = rows[w] if multiword[w] < 0 else multiword[w]
        total += fields[row, 2] - 1 - fields[row, 1]
    cdef uint8_t[::1] text = np.empty(total, np.uint8)
    with nogil:
        for s in range(offsets.shape[0] - 1):
            last = -1
            for w in range(offsets[s], offsets[s + 1]):
                row = rows[w]
                if multiword[w] >= 0:
                    row = multiword[w]
                    if row == last:
                        continue
                    last = row
                size = fields[row, 2] - 1 - fields[row, 1]
                memcpy(&text[used], &data[fields[row, 1]], size)
                used += size
            text[used] = 10
            used += 1
    return np.asarray(text)[:used]


cdef inline uint64_t _mix(uint64_t value) noexcept nogil:
    """Scatter 64 bits (the finaliser of splitmix64)."""
    value = value + <uint64_t> 0x9E3779B97F4A7C15U
    value = (value ^ (value >> 30)) * <uint64_t> 0xBF58476D1CE4E5B9U
    value = (value ^ (value >> 27)) * <uint64_t> 0x94D049BB133111EBU
    return value ^ (value >> 31)


def text_hashes(Symbols symbols, Longs offsets):
    """A number for each text that it shares with equal texts, and with others almost surely not."""
    cdef uint64_t[::1] hashes = np.empty(len(offsets) - 1, np.uint64)
    cdef Py_ssize_t s, i
    cdef uint64_t value
    with nogil:
        for s in range(hashes.shape[0]):
            value = <uint64_t> (offsets[s + 1] - offsets[s])
            for i in range(offsets[s], offsets[s + 1]):
                value = _mix(value ^ symbols[i])
            hashes[s] = value
    return np.asarray(hashes)


cdef inline uint32_t _bucket(
    const uint32_t* symbols, Py_ssize_t at, Py_ssize_t n, int shift
) noexcept nogil:
    cdef uint64_t value = <uint64_t> n
    cdef Py_ssize_t i
    for i in range(at, at + n):
        value = value * <uint64_t> 0x9E3779B97F4A7C15U + symbols[i]
    return <uint32_t> (_mix(value) >> shift)


def index_ngrams(Symbols symbols, Longs offsets, Py_ssize_t n, int bits):
    """List the texts of every n-gram: those of bucket ``b`` are ``texts[starts[b]:starts[b + 1]]``.

    N-grams are hashed to so many bits; two that share a bucket count as one.
    """
    cdef Py_ssize_t s, i, total = 0, size = <Py_ssize_t> 1 << bits, b
    cdef int shift = 64 - bits
    cdef int32_t[::1] last = np.full(size, -1, np.int32)
    cdef int64_t[::1] starts = np.zeros(size + 1, np.int64)
    cdef uint32_t bucket
    with nogil:
        for s in range(offsets.shape[0] - 1):
            for i in range(offsets[s], offsets[s + 1] - n + 1):
                bucket = _bucket(&symbols[0], i, n, shift)
                if last[bucket] != s:
                    last[bucket] = <int32_t> s
                    starts[bucket + 1] += 1
                    total += 1
        for b in range(size):
            starts[b + 1] += starts[b]
            last[b] = -1
    cdef int32_t[::1] texts = np.empty(total, np.int32)
    cdef int64_t[::1] free = np.array(starts[:size])
    with nogil:
        for s in range(offsets.shape[0] - 1):
            for i in range(offsets[s], offsets[s + 1] - n + 1):
                bucket = _bucket(&symbols[0], i, n, shift)
                if last[bucket] != s:
                    last[bucket] = <int32_t> s
                    texts[free[bucket]] = <int32_t> s
                    free[bucket] += 1
    return np.asarray(starts), np.asarray(texts)


cdef inline Py_ssize_t _distance(
    const uint64_t* masks, Py_ssize_t blocks, Py_ssize_t size, const uint32_t* other,
    Py_ssize_t length, Py_ssize_t most, uint64_t* plus, uint64_t* minus,
) noexcept nogil:
    """Edit distance of a text, given as bit masks by symbol, and another; beyond `most` any number.

    The bits are differences of a column of the table of distances (Myers 1999), in blocks of 64.
    """
    cdef Py_ssize_t b, i, score = size
    cdef uint64_t eq, vp, vn, d0, hp, hn, carry_plus, carry_minus, out_plus, out_minus
    cdef uint64_t top = <uint64_t> 1 << ((size - 1) & 63)
    for b in range(blocks):
        plus[b] = ~<uint64_t> 0
        minus[b] = 0
    for i in range(length):
        carry_plus, carry_minus = 1, 0
        for b in range(blocks):
            eq, vp, vn = masks[other[i] * blocks + b], plus[b], minus[b]
            eq |= carry_minus
            d0 = (((eq & vp) + vp) ^ vp) | eq | vn
            hp = vn | ~(d0 | vp)
            hn = d0 & vp
            if b == blocks - 1:
                if hp & top:
                    score += 1
                elif hn & top:
                    score -= 1
            out_plus, out_minus = hp >> 63, hn >> 63
            hp = (hp << 1) | carry_plus
            hn = (hn << 1) | carry_minus
            plus[b] = hn | ~(d0 | hp)
            minus[b] = hp & d0
            carry_plus, carry_minus = out_plus, out_minus
        if score - (length - 1 - i) > most:
            return most + 1
    return score


cdef inline void _sort(int64_t* values, Py_ssize_t size) noexcept nogil:
    """Sort a few hundred numbers (Shell 1959)."""
    cdef Py_ssize_t i, j, gap = 1
    cdef int64_t value
    while gap < size // 3:
        gap = 3 * gap + 1
    while gap > 0:
        for i in range(gap, size):
            value, j = values[i], i
            while j >= gap and values[j - gap] > value:
                values[j] = values[j - gap]
                j -= gap
            values[j] = value
        gap //= 3


def near_pairs(
    Symbols symbols, Longs offsets, Py_ssize_t alphabet, Longs starts, Ints texts, Py_ssize_t n,
    int bits, Py_ssize_t first, Py_ssize_t step, Py_ssize_t visits, double share,
    double similarity, Py_ssize_t kept,
):
    """Pairs of texts and their edit distances, for the texts `first`, ``first + step``, and so on.

    A text looks up its n-grams, the rarest first, until it has seen `visits` texts. Those before it
    that share at least two, and at least `share` of the n-grams looked up, are compared with it.
    A pair counts if its similarity, 1 - distance / length of the longer, is at least as given; a
    text has at most so many that are `kept`.
    """
    cdef Py_ssize_t s, i, j, k, size, other_size, longest = 0, blocks, distinct, probes, seen
    cdef Py_ssize_t touched, most, distance, least, found = 0, own_found, room = 1024, bucket
    cdef int shift = 64 - bits
    for s in range(len(offsets) - 1):
        longest = max(longest, offsets[s + 1] - offsets[s])
    cdef Py_ssize_t widest = (longest + 63) // 64
    cdef int32_t[::1] shared = np.zeros(len(offsets), np.int32)
    cdef int32_t[::1] touch = np.empty(len(offsets), np.int32)
    cdef int64_t[::1] keys = np.empty(longest + 1, np.int64)
    cdef uint64_t[::1] masks = np.zeros(alphabet * widest + 1, np.uint64)
    cdef uint64_t[::1] plus = np.empty(widest + 1, np.uint64)
    cdef uint64_t[::1] minus = np.empty(widest + 1, np.uint64)
    cdef int32_t[:, ::1] pairs = np.empty((room, 3), np.int32)
    cdef const uint32_t* own
    cdef uint32_t hashed
    cdef int64_t count
    for s in range(first, len(offsets) - 1, step):
        size = offsets[s + 1] - offsets[s]
        if size < n:
            continue
        own = &symbols[offsets[s]]
        with nogil:
            # The number of texts is the high part of a key, so that keys sort by it.
            distinct = 0
            for i in range(size - n + 1):
                hashed = _bucket(own, i, n, shift)
                count = starts[hashed + 1] - starts[hashed]
                if count > 1:
                    keys[distinct] = (count << 32) | hashed
                    distinct += 1
            _sort(&keys[0], distinct)
            probes, seen, touched = 0, 0, 0
            for k in range(distinct):
                if k and keys[k] == keys[k - 1]:
                    continue
                if seen + (keys[k] >> 32) > visits and probes:
                    break
                seen += keys[k] >> 32
                probes += 1
                bucket = <uint32_t> keys[k]
                for i in range(starts[bucket], starts[bucket + 1]):
                    j = texts[i]
                    if j >= s:
                        break
                    if shared[j] == 0:
                        touch[touched] = <int32_t> j
                        touched += 1
                    shared[j] += 1
            least = <Py_ssize_t> (share * probes)
            least = max(min(probes, 2), least)
            blocks, own_found = 0, 0
            for k in range(touched):
                j = touch[k]
                if shared[j] < least or own_found == kept:
                    shared[j] = 0
                    continue
                shared[j] = 0
                other_size = offsets[j + 1] - offsets[j]
                most = <Py_ssize_t> ((1 - similarity) * max(size, other_size) + 1e-9)
                if size - other_size > most or other_size - size > most:
                    continue
                if blocks == 0:
                    blocks = (size + 63) // 64
                    for i in range(size):
                        masks[own[i] * blocks + (i >> 6)] |= <uint64_t> 1 << (i & 63)
                distance = _distance(
                    &masks[0], blocks, size, &symbols[offsets[j]], other_size, most, &plus[0],
                    &minus[0],
                )
                if distance > most:
                    continue
                if found == room:
                    room *= 2
                    with gil:
                        pairs = np.resize(pairs, (room, 3))
                pairs[found, 0] = <int32_t> s
                pairs[found, 1] = <int32_t> j
                pairs[found, 2] = <int32_t> distance
                found += 1
                own_found += 1
            if blocks:
                for i in range(size):
                    memset(&masks[own[i] * blocks], 0, blocks * sizeof(uint64_t))
    return np.asarray(pairs)[:found].copy()
