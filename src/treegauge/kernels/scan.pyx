"""Kernels that turn the bytes of a CoNLL-U file into tables of positions.

Three passes, each over what the one before found: `lex` cuts bytes into lines and fields,
`number` reads ID and HEAD, `build` strings rows into words, multiword tokens and trees. None of
them stops at a problem: they note it and go on, so that one reading finds everything.
"""

import numpy as np

from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t
from libc.string cimport memchr

cdef enum:
    TAB = 9, LF = 10, CR = 13, HASH = 35, MINUS = 45, DOT = 46, ZERO = 48, NINE = 57
    UNDERSCORE = 95

cpdef enum:
    WORD, MULTIWORD, EMPTY, ODD
    NO_HEAD = -1, ODD_HEAD = -2

cpdef enum:  # problem codes shared with problems.py; the order is that of problems.KINDS
    ENCODING, COLUMNS, COMMENT_INSIDE, EMPTY_SENTENCE, NO_FINAL_BLANK, WORD_ID, MULTIWORD_ID
    UNFINISHED_MULTIWORD, EMPTY_FORM, HEAD_NUMBER, HEAD_RANGE, CYCLE, NO_ROOT, SEVERAL_ROOTS
    MULTIWORD_RANGE, INNER_ID, BOM, EMPTY_ID


cdef inline bint _ends(const uint8_t* raw, Py_ssize_t i, Py_ssize_t n) noexcept nogil:
    """Whether a line ends at `i`: LF, or a CR without one, as text files are read everywhere."""
    return raw[i] == LF or (raw[i] == CR and not (i + 1 < n and raw[i + 1] == LF))


def count_lines(const uint8_t[::1] data):
    """Count line ends: LF, CRLF, or a lone CR."""
    cdef Py_ssize_t i, n = len(data)
    cdef const uint8_t* raw = &data[0]
    cdef const uint8_t* at = raw
    cdef uint32_t lines = 1
    with nogil:
        for i in range(n):
            lines += raw[i] == LF
        while True:  # in a loop of its own, for there are hardly any
            at = <const uint8_t*> memchr(at, CR, raw + n - at)
            if at == NULL:
                break
            lines += _ends(raw, at - raw, n)
            at += 1
    return lines


def line_starts(const uint8_t[::1] data, Py_ssize_t lines):
    """Position of the first byte of every line."""
    cdef int64_t[::1] starts = np.zeros(lines, np.int64)
    cdef Py_ssize_t i, found = 1
    for i in range(len(data)):
        if _ends(&data[0], i, len(data)):
            starts[found] = i + 1
            found += 1
    return np.asarray(starts)


cdef inline Py_ssize_t utf8_length(
    const uint8_t* raw, Py_ssize_t i, Py_ssize_t stop
) noexcept nogil:
    """Length of the UTF-8 sequence at `i`, or 0 if it is not a legal one."""
    cdef uint8_t a = raw[i], b, c, d
    if a < 0x80:
        return 1
    if a < 0xC2:
        return 0
    b = raw[i + 1] if i + 1 < stop else 0
    if a < 0xE0:
        return 2 if b & 0xC0 == 0x80 else 0
    c = raw[i + 2] if i + 2 < stop else 0
    if a < 0xF0:
        if b & 0xC0 != 0x80 or c & 0xC0 != 0x80:
            return 0
        if (a == 0xE0 and b < 0xA0) or (a == 0xED and b > 0x9F):
            return 0
        return 3
    d = raw[i + 3] if i + 3 < stop else 0
    if a > 0xF4 or b & 0xC0 != 0x80 or c & 0xC0 != 0x80 or d & 0xC0 != 0x80:
        return 0
    if (a == 0xF0 and b < 0x90) or (a == 0xF4 and b > 0x8F):
        return 0
    return 4


cdef inline void _note(
    int32_t[:, ::1] problems, Py_ssize_t* found, int code, Py_ssize_t where, Py_ssize_t sentence
) noexcept nogil:
    if found[0] < problems.shape[0]:
        problems[found[0], 0] = code
        problems[found[0], 1] = <int32_t> where
        problems[found[0], 2] = <int32_t> sentence
    found[0] += 1


def lex(
    const uint8_t[::1] data, Py_ssize_t begin, int32_t[:, ::1] fields, int32_t[::1] row_offsets,
    int32_t[:, ::1] spans, int32_t[:, ::1] problems,
):
    """Cut bytes into sentences, rows and fields.

    Field ``j`` of row ``r`` is ``raw[fields[r, j] : fields[r, j + 1] - 1]``. A sentence is the
    block from its first comment through its blank line; further blank lines are one block without
    words. Returns the numbers of rows, sentences and problems, and where trailing comments begin.
    Problems are (code, position, sentence); of a line's bytes that are no UTF-8, the first is one.
    """
    cdef const uint8_t* raw = &data[0]
    cdef Py_ssize_t n = len(data), rows = 0, sentences = 0, found = 0, position = begin
    cdef Py_ssize_t block = begin, start, i, tabs, length
    cdef Py_ssize_t tokens = 0  # token lines of the block so far, well-formed or not
    cdef bint comment, legal
    cdef uint8_t byte
    row_offsets[0] = 0
    with nogil:
        while position < n:
            start = position
            if raw[start] in b"\n\r":
                position += 1 if _ends(raw, start, n) else 2
                if tokens == 0:
                    _note(problems, &found, EMPTY_SENTENCE, start, sentences)
                    while block == start and position < n and raw[position] in b"\n\r":
                        position += 1
                spans[sentences, 0] = <int32_t> block
                spans[sentences, 1] = <int32_t> position
                sentences += 1
                row_offsets[sentences] = <int32_t> rows
                block = position
                tokens = 0
                continue
            comment = raw[start] == HASH
            tabs = 0
            legal = True
            fields[rows, 0] = <int32_t> start
            i = start
            while i < n:
                byte = raw[i]
                if byte > CR and byte < 0x80:
                    i += 1
                elif byte == TAB:
                    tabs += 1
                    i += 1
                    if tabs < 10:
                        fields[rows, tabs] = <int32_t> i
                elif byte == LF or byte == CR:
                    break
                elif byte < 0x80:
                    i += 1
                else:
                    length = utf8_length(raw, i, n)
                    if length == 0:
                        if legal:
                            _note(problems, &found, ENCODING, i, sentences)
                        legal = False
                        length = 1
                    i += length
            if not comment or tokens > 0:
                tokens += 1
                if tabs == 9:
                    fields[rows, 10] = <int32_t> (i + 1)
                    rows += 1
                else:
                    _note(
                        problems, &found, COMMENT_INSIDE if comment else COLUMNS, start, sentences
                    )
            position = i
            if position < n:
                position += 1 if _ends(raw, i, n) else 2
        if tokens:
            _note(problems, &found, NO_FINAL_BLANK, n, sentences)
            spans[sentences, 0] = <int32_t> block
            spans[sentences, 1] = <int32_t> n
            sentences += 1
            row_offsets[sentences] = <int32_t> rows
            block = n
    return rows, sentences, found, block


cdef inline int32_t _digits(const uint8_t* raw, Py_ssize_t start, Py_ssize_t stop) noexcept nogil:
    """Read a plain decimal number of at most nine digits; -1 if it is anything else."""
    cdef int32_t value = 0
    cdef Py_ssize_t i
    if stop <= start or stop - start > 9:
        return -1
    for i in range(start, stop):
        if raw[i] < ZERO or raw[i] > NINE:
            return -1
        value = value * 10 + (raw[i] - ZERO)
    return value


def number(
    const uint8_t[::1] data, const int32_t[:, ::1] fields, uint8_t[::1] kinds, int32_t[:, ::1] ids,
    int32_t[::1] heads,
):
    """Read ID and HEAD of every row; whatever is not plain is marked odd for a slower look."""
    cdef const uint8_t* raw = &data[0]
    cdef Py_ssize_t r, i, start, stop, mark, odd = 0
    cdef int32_t value
    with nogil:
        for r in range(fields.shape[0]):
            start, stop = fields[r, 0], fields[r, 1] - 1
            value = _digits(raw, start, stop)
            ids[r, 0] = ids[r, 1] = value
            kinds[r] = WORD
            if value < 0:
                kinds[r] = ODD
                mark = -1
                for i in range(start, stop):
                    if raw[i] == DOT:
                        kinds[r] = EMPTY
                        mark = i
                        break
                    if raw[i] == MINUS and mark < 0:
                        mark = i
                if mark >= 0:
                    ids[r, 0] = _digits(raw, start, mark)
                    ids[r, 1] = _digits(raw, mark + 1, stop)
                    if kinds[r] == ODD and ids[r, 0] >= 0 and ids[r, 1] >= 0:
                        kinds[r] = MULTIWORD
            start, stop = fields[r, 6], fields[r, 7] - 1
            heads[r] = _digits(raw, start, stop)
            if heads[r] < 0 and not (stop == start + 1 and raw[start] == UNDERSCORE):
                heads[r] = ODD_HEAD
            if kinds[r] == ODD or (kinds[r] == WORD and heads[r] == ODD_HEAD):
                odd += 1
    return odd


cdef bint _blank_form(const uint8_t* raw, Py_ssize_t i, Py_ssize_t stop) noexcept nogil:
    cdef Py_ssize_t length
    while i < stop:
        length = space_length(raw, i, stop)
        if length == 0:
            return False
        i += length
    return True


cdef Py_ssize_t _check_tree(
    int32_t* heads, int32_t* rows, Py_ssize_t size, Py_ssize_t sentence, int32_t* state,
    int32_t[:, ::1] problems, Py_ssize_t* found,
) noexcept nogil:
    """Number of roots of one sentence; notes one word of every cycle."""
    cdef Py_ssize_t roots = 0, w, at
    for w in range(size):
        state[w] = 0
    for w in range(size):
        at = w
        while at >= 0 and state[at] == 0:
            state[at] = <int32_t> (w + 1)
            at = heads[at] - 1 if 0 < heads[at] <= size else -1
        if at >= 0 and state[at] == w + 1:
            _note(problems, found, CYCLE, rows[at], sentence)
        if heads[w] == 0:
            roots += 1
    return roots


def build(
    const uint8_t[::1] data, const int32_t[:, ::1] fields, const uint8_t[::1] kinds,
    const int32_t[:, ::1] ids, const int32_t[::1] row_heads, const int32_t[::1] row_offsets,
    bint need_heads, int32_t[::1] rows, int32_t[::1] heads, int32_t[::1] multiword,
    int32_t[::1] offsets, int32_t[:, ::1] problems,
):
    """String rows into words with their multiword tokens, and check IDs, heads and trees.

    Returns the numbers of words and problems; a problem is (code, row or -1, sentence).
    """
    cdef const uint8_t* raw = &data[0]
    cdef Py_ssize_t s, r, w, first, cover, remaining, expected, size, headless, roots
    cdef Py_ssize_t words = 0, found = 0, longest = 0
    cdef uint8_t kind
    for s in range(len(row_offsets) - 1):
        longest = max(longest, row_offsets[s + 1] - row_offsets[s])
    cdef int32_t[::1] state = np.zeros(longest + 1, np.int32)
    offsets[0] = 0
    with nogil:
        for s in range(row_offsets.shape[0] - 1):
            first = words
            cover, remaining, expected = -1, 0, 0
            for r in range(row_offsets[s], row_offsets[s + 1]):
                kind = kinds[r]
                if kind == EMPTY:
                    if ids[r, 0] < 0 or ids[r, 1] < 0:
                        _note(problems, &found, EMPTY_ID, r, s)
                    continue
                if remaining == 0 and _blank_form(raw, fields[r, 1], fields[r, 2] - 1):
                    _note(problems, &found, EMPTY_FORM, r, s)
                if remaining == 0 and kind == MULTIWORD:
                    cover, expected = r, ids[r, 0]
                    if ids[r, 0] < 0 or ids[r, 1] < 0:
                        _note(problems, &found, MULTIWORD_ID, r, s)
                        continue
                    remaining = max(0, <Py_ssize_t> ids[r, 1] - ids[r, 0] + 1)
                    if ids[r, 0] != words - first + 1 or ids[r, 1] <= ids[r, 0]:
                        _note(problems, &found, MULTIWORD_RANGE, r, s)
                    continue
                if remaining == 0:
                    cover = -1
                    if kind == ODD or ids[r, 0] != words - first + 1:
                        _note(problems, &found, WORD_ID, r, s)
                else:
                    if kind != WORD or ids[r, 0] != expected:
                        _note(problems, &found, INNER_ID, r, s)
                    remaining -= 1
                    expected += 1
                if row_heads[r] < 0 and (need_heads or row_heads[r] != NO_HEAD):
                    _note(problems, &found, HEAD_NUMBER, r, s)
                rows[words] = <int32_t> r
                heads[words] = max(row_heads[r], <int32_t> NO_HEAD)
                multiword[words] = <int32_t> cover
                words += 1
            size = words - first
            offsets[s + 1] = <int32_t> words
            if remaining > 0:
                _note(problems, &found, UNFINISHED_MULTIWORD, cover, s)
            if size == 0:
                if row_offsets[s + 1] > row_offsets[s]:
                    _note(problems, &found, EMPTY_SENTENCE, -1, s)
                continue
            headless = 0
            for w in range(first, words):
                if heads[w] > size:
                    _note(problems, &found, HEAD_RANGE, rows[w], s)
                if heads[w] < 0:
                    headless += 1
            if headless and not need_heads:
                continue
            roots = _check_tree(
                &heads[first], &rows[first], size, s, &state[0], problems, &found
            )
            if roots == 0 and headless == 0:
                _note(problems, &found, NO_ROOT, -1, s)
            if roots > 1:
                _note(problems, &found, SEVERAL_ROOTS, -1, s)
    return words, found
