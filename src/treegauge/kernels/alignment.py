"""Kernels that lay two segmentations of one text side by side and judge the words."""

import numpy as np
import numpy.typing as npt

from treegauge.kernels.columns import same
from treegauge.kernels.jit import kernel
from treegauge.kernels.scan import space_length

Bytes = npt.NDArray[np.uint8]
Ints = npt.NDArray[np.int32]

ALIGNED, UPOS, XPOS, UFEATS, LEMMA, HEAD, DEPREL, FULL_DEPREL, CHILDREN = (
    1, 2, 4, 8, 16, 32, 64, 128, 256,
)  # fmt: skip


@kernel
def characters(raw: Bytes, fields: Ints, rows: Ints) -> tuple[Bytes, Ints]:
    """Forms of the tokens run together without spaces, and where each token ends."""
    size = 0
    for r in rows:
        size += fields[r, 2] - 1 - fields[r, 1]
    text = np.empty(size, np.uint8)
    ends = np.empty(len(rows), np.int32)
    n = 0
    for t in range(len(rows)):
        i, stop = fields[rows[t], 1], fields[rows[t], 2] - 1
        while i < stop:
            space = space_length(raw, i, stop)
            if space:
                i += space
            else:
                text[n] = raw[i]
                n += 1
                i += 1
        ends[t] = n
    return text[:n], ends


@kernel
def first_difference(a: Bytes, b: Bytes) -> int:
    """Position of the first byte that differs, or the shorter length."""
    n = min(len(a), len(b))
    for i in range(n):
        if a[i] != b[i]:
            return i
    return n


@kernel
def _beyond(starts: Ints, ends: Ints, multi: npt.NDArray[np.bool_], i: int, stop: int) -> bool:
    if i >= len(starts):
        return True
    return bool(starts[i] >= stop) if multi[i] else bool(ends[i] > stop)


@kernel
def _equal(
    g_raw: Bytes, g_fields: Ints, g: int, s_raw: Bytes, s_fields: Ints, s: int, column: int
) -> bool:
    return same(
        g_raw, g_fields[g, column], g_fields[g, column + 1] - 1,
        s_raw, s_fields[s, column], s_fields[s, column + 1] - 1,
    )  # fmt: skip


@kernel
def align(
    g_raw: Bytes, g_fields: Ints, g_rows: Ints,
    g_starts: Ints, g_ends: Ints, g_multi: npt.NDArray[np.bool_],
    s_raw: Bytes, s_fields: Ints, s_rows: Ints,
    s_starts: Ints, s_ends: Ints, s_multi: npt.NDArray[np.bool_],
    to_system: Ints, to_gold: Ints,
) -> Ints:  # fmt: skip
    """Align words by equal spans and, around multiword tokens, by equal forms in a row.

    Returns the stretches around multiword tokens whose words are not one by one the same, as
    (first gold word, its stop, first system word, its stop): `align_stretches` sees to them.
    """
    gold, system = len(g_starts), len(s_starts)
    stretches = np.empty((64, 4), np.int32)
    found = 0
    g = s = 0
    while g < gold and s < system:
        if not g_multi[g] and not s_multi[s]:
            if g_starts[g] == s_starts[s] and g_ends[g] == s_ends[s]:
                to_system[g] = s
                to_gold[s] = g
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
        while not _beyond(g_starts, g_ends, g_multi, g, stop) or not _beyond(
            s_starts, s_ends, s_multi, s, stop
        ):
            if g < gold and (s >= system or g_starts[g] <= s_starts[s]):
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
                g_raw, g_fields, g_rows[g0 + i], s_raw, s_fields, s_rows[s0 + i], 1
            ):
                same_words = False
                break
        if same_words:
            for i in range(n):
                to_system[g0 + i] = s0 + i
                to_gold[s0 + i] = g0 + i
            continue
        if found == len(stretches):
            stretches = np.concatenate((stretches, np.empty_like(stretches)))
        stretches[found, 0] = g0
        stretches[found, 1] = g
        stretches[found, 2] = s0
        stretches[found, 3] = s
        found += 1
    return stretches[:found]


@kernel
def align_stretches(
    stretches: Ints, g_forms: Ints, s_forms: Ints, to_system: Ints, to_gold: Ints
) -> None:
    """Align the words of each stretch by the longest common subsequence of their forms' codes."""
    for k in range(len(stretches)):
        g0, s0 = stretches[k, 0], stretches[k, 2]
        n, m = stretches[k, 1] - g0, stretches[k, 3] - s0
        lcs = np.zeros((n + 1, m + 1), np.int32)
        for i in range(n - 1, -1, -1):
            for j in range(m - 1, -1, -1):
                best = max(lcs[i + 1, j], lcs[i, j + 1])
                if g_forms[g0 + i] == s_forms[s0 + j]:
                    best = max(best, 1 + lcs[i + 1, j + 1])
                lcs[i, j] = best
        i = j = 0
        while i < n and j < m:
            if g_forms[g0 + i] == s_forms[s0 + j]:
                to_system[g0 + i] = s0 + j
                to_gold[s0 + j] = g0 + i
                i += 1
                j += 1
            elif lcs[i, j] == lcs[i + 1, j]:
                i += 1
            else:
                j += 1


@kernel
def _children(parents: Ints, functional: npt.NDArray[np.bool_]) -> tuple[Ints, Ints]:
    """Functional children of every word in order: offsets and members."""
    offsets = np.zeros(len(parents) + 1, np.int32)
    for w in range(len(parents)):
        if functional[w] and parents[w] >= 0:
            offsets[parents[w] + 1] += 1
    for w in range(len(parents)):
        offsets[w + 1] += offsets[w]
    members = np.empty(offsets[-1], np.int32)
    filled = offsets[:-1].copy()
    for w in range(len(parents)):
        p = parents[w]
        if functional[w] and p >= 0:
            members[filled[p]] = w
            filled[p] += 1
    return offsets, members


@kernel
def judge(
    g_raw: Bytes, g_fields: Ints, g_rows: Ints, g_parents: Ints, g_feats: Ints, g_rel: Ints,
    g_full: Ints, g_functional: npt.NDArray[np.bool_],
    s_raw: Bytes, s_fields: Ints, s_rows: Ints, s_parents: Ints, s_feats: Ints, s_rel: Ints,
    s_full: Ints, s_functional: npt.NDArray[np.bool_],
    to_system: Ints, to_gold: Ints,
) -> npt.NDArray[np.uint16]:  # fmt: skip
    """For each gold word what its aligned system word has right, as a sum of flags."""
    g_offsets, g_members = _children(g_parents, g_functional)
    s_offsets, s_members = _children(s_parents, s_functional)
    flags = np.zeros(len(g_rows), np.uint16)
    for g in range(len(g_rows)):
        s = to_system[g]
        if s < 0:
            continue
        a, b = g_rows[g], s_rows[s]
        flag = ALIGNED
        if _equal(g_raw, g_fields, a, s_raw, s_fields, b, 3):
            flag |= UPOS
        if _equal(g_raw, g_fields, a, s_raw, s_fields, b, 4):
            flag |= XPOS
        if g_feats[g] == s_feats[s]:
            flag |= UFEATS
        lemma = g_fields[a, 2]
        if (g_fields[a, 3] - 1 - lemma == 1 and g_raw[lemma] == 95) or _equal(
            g_raw, g_fields, a, s_raw, s_fields, b, 2
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
                or not _equal(g_raw, g_fields, g_rows[c], s_raw, s_fields, s_rows[d], 3)
            ):
                match = False
                break
        if match:
            flag |= CHILDREN
        flags[g] = flag
    return flags
