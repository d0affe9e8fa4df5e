"""Kernels over fields: strings to codes, positions to views, new values into old bytes."""

import numpy as np

from libc.stdint cimport int32_t, int64_t, uint8_t, uint64_t
from libc.string cimport memcpy


cdef inline uint64_t _hash(const uint8_t* raw, Py_ssize_t size) noexcept nogil:
    cdef uint64_t value = 14695981039346656037U
    cdef Py_ssize_t i
    for i in range(size):
        value = (value ^ raw[i]) * 1099511628211U
    return value ^ (value >> 29)


def encode(
    const uint8_t[::1] data, const int32_t[:, ::1] fields, const int32_t[::1] rows,
    Py_ssize_t column, int32_t[::1] codes,
):
    """Number the distinct values of a column in order of first use; returns their rows."""
    cdef const uint8_t* raw = &data[0]
    cdef int32_t[::1] table = np.full(1024, -1, np.int32), firsts = np.empty(512, np.int32)
    cdef uint64_t[::1] hashes = np.empty(512, np.uint64)
    cdef Py_ssize_t mask = 1023, distinct = 0, i, slot, start, size, f, c
    cdef int32_t code
    cdef uint64_t h
    with nogil:
        for i in range(rows.shape[0]):
            start = fields[rows[i], column]
            size = fields[rows[i], column + 1] - 1 - start
            h = _hash(raw + start, size)
            slot = <Py_ssize_t> (h & mask)
            while True:
                code = table[slot]
                if code < 0:
                    break
                if hashes[code] == h:
                    f = fields[firsts[code], column]
                    if same(
                        raw + start, raw + f, size, fields[firsts[code], column + 1] - 1 - f
                    ):
                        break
                slot = (slot + 1) & mask
            if code < 0:
                code = <int32_t> distinct
                firsts[code] = rows[i]
                hashes[code] = h
                table[slot] = code
                distinct += 1
                if 2 * distinct > mask:  # there is room for as many values as half the slots
                    mask = 2 * mask + 1
                    with gil:
                        table = np.full(mask + 1, -1, np.int32)
                        firsts = np.resize(firsts, mask // 2 + 1)
                        hashes = np.resize(hashes, mask // 2 + 1)
                    for c in range(distinct):
                        slot = <Py_ssize_t> (hashes[c] & mask)
                        while table[slot] >= 0:
                            slot = (slot + 1) & mask
                        table[slot] = <int32_t> c
            codes[i] = code
    return np.array(firsts[:distinct])


def rewrite(
    const uint8_t[::1] data, const int32_t[:, ::1] fields, const int32_t[::1] rows,
    const int32_t[::1] offsets, const int32_t[:, ::1] spans, const int32_t[::1] columns,
    const uint8_t[::1] values, const int64_t[::1] ends, uint8_t[::1] out,
):
    """Copy sentences with some columns of their words replaced; returns the bytes written.

    ``values`` holds the new values word by word, the columns of a word side by side; ``ends[k]``
    is where the k-th of them ends.
    """
    cdef Py_ssize_t written = 0, k = 0, value = 0, s, w, c, position, size
    with nogil:
        for s in range(offsets.shape[0] - 1):
            position = spans[s, 0]
            for w in range(offsets[s], offsets[s + 1]):
                for c in range(columns.shape[0]):
                    size = max(0, fields[rows[w], columns[c]] - position)
                    memcpy(&out[written], &data[position], size)
                    written += size
                    size = <Py_ssize_t> ends[k] - value
                    memcpy(&out[written], &values[value], size)
                    written += size
                    value += size
                    k += 1
                    position = fields[rows[w], columns[c] + 1] - 1
            size = max(0, spans[s, 1] - position)
            memcpy(&out[written], &data[position], size)
            written += size
    return written
