"""Kernels over fields: strings to codes, positions to views, new values into old bytes."""

import numpy as np
import numpy.typing as npt

from treegauge.kernels.jit import kernel

Bytes = npt.NDArray[np.uint8]
Ints = npt.NDArray[np.int32]


@kernel
def _hash(raw: Bytes, start: int, stop: int) -> np.uint64:
    value = np.uint64(14695981039346656037)
    for i in range(start, stop):
        value = (value ^ np.uint64(raw[i])) * np.uint64(1099511628211)
    return value ^ (value >> np.uint64(29))


@kernel
def same(a: Bytes, a0: int, a1: int, b: Bytes, b0: int, b1: int) -> bool:
    """Whether two byte ranges are equal."""
    if a1 - a0 != b1 - b0:
        return False
    for i in range(a1 - a0):
        if a[a0 + i] != b[b0 + i]:
            return False
    return True


@kernel
def encode(raw: Bytes, fields: Ints, rows: Ints, column: int, codes: Ints) -> Ints:
    """Number the distinct values of a column in order of first use; returns their rows."""
    size = 1024
    table = np.full(size, -1, np.int32)
    firsts = np.empty(256, np.int32)
    hashes = np.empty(256, np.uint64)
    distinct = 0
    for i in range(len(rows)):
        r = rows[i]
        start, stop = fields[r, column], fields[r, column + 1] - 1
        h = _hash(raw, start, stop)
        slot = np.int64(h & np.uint64(size - 1))
        while True:
            code = table[slot]
            if code < 0:
                break
            f = firsts[code]
            if hashes[code] == h and same(
                raw, start, stop, raw, fields[f, column], fields[f, column + 1] - 1
            ):
                break
            slot = (slot + 1) & (size - 1)
        if code < 0:
            if distinct == len(firsts):
                firsts = np.concatenate((firsts, np.empty(distinct, np.int32)))
                hashes = np.concatenate((hashes, np.empty(distinct, np.uint64)))
            code = np.int32(distinct)
            firsts[code] = r
            hashes[code] = h
            table[slot] = code
            distinct += 1
            if 2 * distinct > size:
                size *= 2
                table = np.full(size, -1, np.int32)
                for c in range(distinct):
                    slot = np.int64(hashes[c] & np.uint64(size - 1))
                    while table[slot] >= 0:
                        slot = (slot + 1) & (size - 1)
                    table[slot] = c
        codes[i] = code
    return firsts[:distinct].copy()


@kernel
def views(raw: Bytes, fields: Ints, rows: Ints, column: int) -> Ints:
    """Arrow string views (16 bytes each) on the file's own bytes; nothing long is copied."""
    out = np.zeros((len(rows), 4), np.int32)
    inline = out.view(np.uint8)
    for i in range(len(rows)):
        r = rows[i]
        start = fields[r, column]
        size = fields[r, column + 1] - 1 - start
        out[i, 0] = size
        for j in range(min(size, 12 if size <= 12 else 4)):
            inline[i, 4 + j] = raw[start + j]
        if size > 12:
            out[i, 3] = start
    return out


@kernel
def rewrite(
    raw: Bytes, fields: Ints, rows: Ints, offsets: Ints, spans: Ints, columns: Ints, values: Bytes,
    ends: npt.NDArray[np.int64], out: Bytes,
) -> int:  # fmt: skip
    """Copy sentences with some columns of their words replaced; returns the bytes written.

    ``values`` holds the new values word by word, the columns of a word side by side; ``ends[k]``
    is where the k-th of them ends.
    """
    written = 0
    k = 0
    value = np.int64(0)
    for s in range(len(offsets) - 1):
        position = spans[s, 0]
        for w in range(offsets[s], offsets[s + 1]):
            r = rows[w]
            for c in columns:
                for i in range(position, fields[r, c]):
                    out[written] = raw[i]
                    written += 1
                while value < ends[k]:
                    out[written] = values[value]
                    written += 1
                    value += 1
                k += 1
                position = fields[r, c + 1] - 1
        for i in range(position, spans[s, 1]):
            out[written] = raw[i]
            written += 1
    return written
