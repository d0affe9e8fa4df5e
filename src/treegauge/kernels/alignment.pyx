"""Kernels that lay two segmentations of one text side by side and judge the words."""

import numpy as np

from libc.stdint cimport int32_t, uint8_t, uint16_t

from treegauge.kernels.columns cimport same
from treegauge.kernels.scan cimport space_length

ctypedef const uint8_t* ConstBytesAt
ctypedef const int32_t* ConstIntsAt

cpdef enum:
    ALIGNED = 1, UPOS = 2, XPOS = 4, UFEATS = 8, LEMMA = 16, HEAD = 32, DEPREL = 64
    FULL_DEPREL = 128, CHILDREN = 256

ctypedef const uint8_t[::1] Bytes
ctypedef const int32_t[::1] Ints
ctypedef const int32_t[:, ::1] Table


def characters(Bytes raw, Table fields, Ints rows):
    """Forms of the tokens run together without spaces, and where each token ends."""
    cdef Py_ssize_t size = 0, n = 0, t, i, stop, space
    for t in range(len(rows)):
        size += fields[rows[t], 2] - 1 - fields[rows[t], 1]
    made, ended = np.empty(size, np.uint8), np.empty(len(rows), np.int32)
    cdef uint8_t[::1] text = made
    cdef int32_t[::1] ends = ended
    with nogil:
        for t in range(rows.shape[0]):
            i, stop = fields[rows[t], 1], fields[rows[t], 2] - 1
            while i < stop:
                space = space_length(&raw[0], i, stop)
                if space:
                    i += space
                else:
                    text[n] = raw[i]
                    n += 1
                    i += 1
            ends[t] = <int32_t> n
    return made[:n], ended


def first_difference(Bytes a, Bytes b):
    """Position of the first byte that differs, or the shorter length."""
    cdef Py_ssize_t i, n = min(len(a), len(b))
    with nogil:
        for i in range(n):
            if a[i] != b[i]:
                break
        else:
            i = n
    return i


cdef struct Words:
    ConstBytesAt raw, multi
    ConstIntsAt fields, rows, starts, ends  # fields are rows of eleven
    Py_ssize_t size


cdef inline bint _beyond(Words* words, Py_ssize_t i, Py_ssize_t stop) noexcept nogil:
    if i >= words.size:
        return True
    return words.starts[i] >= stop if words.multi[i] else words.ends[i] > stop


cdef inline bint _equal(
    Words* gold, Py_ssize_t g, Words* system, Py_ssize_t s, Py_ssize_t column
) noexcept nogil:
    """Whether two words have the same value in a column."""
    cdef const int32_t* a = gold.fields + 11 * gold.rows[g] + column
    cdef const int32_t* b = system.fields + 11 * system.rows[s] + column
    return same(gold.raw + a[0], system.raw + b[0], a[1] - 1 - a[0], b[1] - 1 - b[0])


def align(
    Bytes g_raw, Table g_fields, Ints g_rows, Ints g_starts, Ints g_ends, Bytes g_multi,
    Bytes s_raw, Table s_fields, Ints s_rows, Ints s_starts, Ints s_ends, Bytes s_multi,
    int32_t[::1] to_system, int32_t[::1] to_gold,
):
    """Align words by equal spans and, around multiword tokens, by equal forms in a row.

    Returns the stretches around multiword tokens whose words are not one by one the same, as
    (first gold word, its stop, first system word, its stop): `align_stretches` sees to them.
    """
    cdef Words gold = Words(
        &g_raw[0], &g_multi[0], &g_fields[0, 0], &g_rows[0], &g_starts[0], &g_ends[0], len(g_rows)
    )
    cdef Words system = Words(
        &s_raw[0], &s_multi[0], &s_fields[0, 0], &s_rows[0], &s_starts[0], &s_ends[0], len(s_rows)
    )
    cdef int32_t[:, ::1] stretches = np.empty((64, 4), np.int32)
    cdef Py_ssize_t found = 0, g = 0, s = 0, g0, s0, n, m, i, stop
    cdef bint same_words
    with nogil:
        while g < gold.size and s < system.size:
            if not g_multi[g] and not s_multi[s]:
                if g_starts[g] == s_starts[s] and g_ends[g] == s_ends[s]:
                    to_system[g] = <int32_t> s
                    to_gold[s] = <int32_t> g
                    g += 1
                    s += 1
                elif g_starts[g] <= s_starts[s]:
                    g += 1
                else:
                    s += 1
                continue
            if g_multi[g]:
                stop = g_ends[g]
                if not s_multi[s] and s_starts[s] < g_starts[g]:
                    s += 1
            else:
                stop = s_ends[s]
                if g_starts[g] < s_starts[s]:
                    g += 1
            g0, s0 = g, s
            while not _beyond(&gold, g, stop) or not _beyond(&system, s, stop):
                if g < gold.size and (s >= system.size or g_starts[g] <= s_starts[s]):
                    if g_multi[g] and g_ends[g] > stop:
                        stop = g_ends[g]
                    g += 1
                else:
                    if s_multi[s] and s_ends[s] > stop:
                        stop = s_ends[s]
                    s += 1
            n, m = g - g0, s - s0
            if n == 0 or m == 0:
                continue
            same_words = n == m
            for i in range(n if same_words else 0):
                if g_multi[g0 + i] != s_multi[s0 + i] or not _equal(
                    &gold, g0 + i, &system, s0 + i, 1
                ):
                    same_words = False
                    break
            if same_words:
                for i in range(n):
                    to_system[g0 + i] = <int32_t> (s0 + i)
                    to_gold[s0 + i] = <int32_t> (g0 + i)
                continue
            if found == stretches.shape[0]:
                with gil:
                    stretches = np.resize(stretches, (2 * found, 4))
            stretches[found, 0] = <int32_t> g0
            stretches[found, 1] = <int32_t> g
            stretches[found, 2] = <int32_t> s0
            stretches[found, 3] = <int32_t> s
            found += 1
    return np.array(stretches[:found])


def align_stretches(
    Table stretches, Ints g_forms, Ints s_forms, int32_t[::1] to_system, int32_t[::1] to_gold
):
    """Align the words of each stretch by the longest common subsequence of their forms' codes."""
    cdef Py_ssize_t k, g0, s0, n, m, i, j
    cdef int32_t[:, ::1] lcs
    for k in range(len(stretches)):
        g0, s0 = stretches[k, 0], stretches[k, 2]
        n, m = stretches[k, 1] - g0, stretches[k, 3] - s0
        lcs = np.zeros((n + 1, m + 1), np.int32)
        for i in range(n - 1, -1, -1):
            for j in range(m - 1, -1, -1):
                lcs[i, j] = max(lcs[i + 1, j], lcs[i, j + 1])
                if g_forms[g0 + i] == s_forms[s0 + j]:
                    lcs[i, j] = max(lcs[i, j], 1 + lcs[i + 1, j + 1])
        i = j = 0
        while i < n and j < m:
            if g_forms[g0 + i] == s_forms[s0 + j]:
                to_system[g0 + i] = <int32_t> (s0 + j)
                to_gold[s0 + j] = <int32_t> (g0 + i)
                i += 1
                j += 1
            elif lcs[i, j] == lcs[i + 1, j]:
                i += 1
            else:
                j += 1


cdef void _children(
    Ints parents, Bytes functional, int32_t[::1] offsets, int32_t[::1] members
) noexcept nogil:
    """Functional children of every word in order: offsets (all 0 before) and members."""
    cdef Py_ssize_t w, p, n = parents.shape[0]
    for w in range(n):
        if functional[w] and parents[w] >= 0:
            offsets[parents[w] + 2] += 1
    for w in range(n):
        offsets[w + 2] += offsets[w + 1]
    for w in range(n):  # moves each offset from where the children begin to where they end
        p = parents[w]
        if functional[w] and p >= 0:
            members[offsets[p + 1]] = <int32_t> w
            offsets[p + 1] += 1


def judge(
    Bytes g_raw, Table g_fields, Ints g_rows, Ints g_parents, Ints g_feats, Ints g_rel,
    Ints g_full, Bytes g_functional,
    Bytes s_raw, Table s_fields, Ints s_rows, Ints s_parents, Ints s_feats, Ints s_rel,
    Ints s_full, Bytes s_functional,
    Ints to_system, Ints to_gold,
):
    """For each gold word what its aligned system word has right, as a sum of flags."""
    cdef Py_ssize_t size = len(g_rows), others = len(s_rows), g, s, k, n, p, q, c, d
    cdef Words gold = Words(&g_raw[0], NULL, &g_fields[0, 0], &g_rows[0], NULL, NULL, size)
    cdef Words system = Words(&s_raw[0], NULL, &s_fields[0, 0], &s_rows[0], NULL, NULL, others)
    cdef int32_t[::1] g_offsets = np.zeros(size + 2, np.int32)
    cdef int32_t[::1] s_offsets = np.zeros(others + 2, np.int32)
    cdef int32_t[::1] g_members = np.empty(size, np.int32), s_members = np.empty(others, np.int32)
    cdef uint16_t[::1] flags = np.zeros(size, np.uint16)
    cdef uint16_t flag
    cdef const int32_t* lemma
    cdef bint match
    with nogil:
        _children(g_parents, g_functional, g_offsets, g_members)
        _children(s_parents, s_functional, s_offsets, s_members)
        for g in range(size):
            s = to_system[g]
            if s < 0:
                continue
            flag = ALIGNED
            if _equal(&gold, g, &system, s, 3):
                flag |= UPOS
            if _equal(&gold, g, &system, s, 4):
                flag |= XPOS
            if g_feats[g] == s_feats[s]:
                flag |= UFEATS
            lemma = &g_fields[g_rows[g], 2]
            if (lemma[1] - lemma[0] == 2 and g_raw[lemma[0]] == c"_") or _equal(
                &gold, g, &system, s, 2
            ):
                flag |= LEMMA
            p, q = g_parents[g], s_parents[s]
            if (p < 0 and q < 0) or (p >= 0 and q >= 0 and to_gold[q] == p):
                flag |= HEAD
            if g_rel[g] == s_rel[s]:
                flag |= DEPREL
            if g_full[g] == s_full[s]:
                flag |= FULL_DEPREL
            n = g_offsets[g + 1] - g_offsets[g]
            match = n == s_offsets[s + 1] - s_offsets[s]
            for k in range(n if match else 0):
                c, d = g_members[g_offsets[g] + k], s_members[s_offsets[s] + k]
                if (
                    to_gold[d] != c
                    or g_rel[c] != s_rel[d]
                    or g_feats[c] != s_feats[d]
                    or not _equal(&gold, c, &system, d, 3)
                ):
                    match = False
                    break
            if match:
                flag |= CHILDREN
            flags[g] = flag
    return np.asarray(flags)


def edit_path(Bytes a, Bytes b):
    """For each byte of `b`, the byte of `a` that it stands for at the least cost of edits, or -1.

    An edit replaces, adds or leaves out a byte; a replaced byte stands for the one that it replaces.
    An edit costs 3, but 2 for adding or leaving out a space or line end, and 9 for replacing one by
    another byte, or the other way round: words that are cut in another way keep their letters.
    """
    cdef Py_ssize_t m = a.shape[0], n = b.shape[0], i, j
    made = np.full(n, -1, np.int32)
    cdef int32_t[::1] out = made
    cdef int32_t[::1] row = np.zeros(n + 1, np.int32)
    cdef uint8_t[:, ::1] moves = np.empty((m + 1, n + 1), np.uint8)  # 0 both, 1 of a, 2 of b
    cdef int32_t corner, above, cost, less, more
    with nogil:
        moves[0, 0] = 2
        for j in range(1, n + 1):
            moves[0, j], row[j] = 2, row[j - 1] + (2 if b[j - 1] <= c" " else 3)
        for i in range(1, m + 1):
            less = 2 if a[i - 1] <= c" " else 3
            corner = row[0]
            row[0] += less
            moves[i, 0] = 1
            for j in range(1, n + 1):
                above = row[j]
                more = 2 if b[j - 1] <= c" " else 3
                cost = corner
                if a[i - 1] != b[j - 1]:
                    cost += 3 if less == more else 9
                moves[i, j] = 0
                if above + less < cost:
                    cost, moves[i, j] = above + less, 1
                if row[j - 1] + more < cost:
                    cost, moves[i, j] = row[j - 1] + more, 2
                corner, row[j] = above, cost
        i, j = m, n
        while j > 0:
            if moves[i, j] == 0:
                i, j = i - 1, j - 1
                out[j] = <int32_t> i
            elif moves[i, j] == 1:
                i -= 1
            else:
                j -= 1
    return made
