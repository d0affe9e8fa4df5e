"""Kernels that turn the bytes of a CoNLL-U file into tables of positions.

Three passes, each over what the one before found: `lex` cuts bytes into lines and fields,
`number` reads ID and HEAD, `build` strings rows into words, multiword tokens and trees. None of
them stops at a problem: they note it and go on, so that one reading finds everything.
"""

import numpy as np
import numpy.typing as npt

from treegauge.kernels.jit import kernel

Bytes = npt.NDArray[np.uint8]
Ints = npt.NDArray[np.int32]

TAB, LF, CR, HASH, MINUS, DOT, ZERO, NINE, UNDERSCORE = 9, 10, 13, 35, 45, 46, 48, 57, 95
WORD, MULTIWORD, EMPTY, ODD = 0, 1, 2, 3
NO_HEAD, ODD_HEAD = -1, -2

# Problem codes shared with problems.py; the order is that of problems.KINDS.
(
    ENCODING, COLUMNS, COMMENT_INSIDE, EMPTY_SENTENCE, NO_FINAL_BLANK, WORD_ID, MULTIWORD_ID,
    UNFINISHED_MULTIWORD, EMPTY_FORM, HEAD_NUMBER, HEAD_RANGE, CYCLE, NO_ROOT, SEVERAL_ROOTS,
    MULTIWORD_RANGE, INNER_ID, BOM, EMPTY_ID,
) = range(18)  # fmt: skip


@kernel
def count_lines(raw: Bytes) -> int:
    """Count line ends: LF, CRLF, or a lone CR, as text files are read everywhere."""
    lines = 1
    for i in range(raw.size):
        byte = raw[i]
        if byte == LF:
            lines += 1
        elif byte == CR and not (i + 1 < raw.size and raw[i + 1] == LF):
            lines += 1
    return lines


@kernel
def line_starts(raw: Bytes, lines: int) -> npt.NDArray[np.int64]:
    """Position of the first byte of every line."""
    starts = np.zeros(lines, np.int64)
    found = 1
    for i in range(raw.size):
        byte = raw[i]
        if byte == LF or (byte == CR and not (i + 1 < raw.size and raw[i + 1] == LF)):
            starts[found] = i + 1
            found += 1
    return starts


@kernel
def utf8_length(raw: Bytes, i: int, stop: int) -> int:
    """Length of the UTF-8 sequence at `i`, or 0 if it is not a legal one."""
    a = raw[i]
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


@kernel
def space_length(raw: Bytes, i: int, stop: int) -> int:
    """Length of the Unicode space (category Zs) at `i`, or 0 if there is another character."""
    a = raw[i]
    if a == 0x20:
        return 1
    if a == 0xC2:
        return 2 if i + 1 < stop and raw[i + 1] == 0xA0 else 0
    if a < 0xE1 or a > 0xE3 or i + 2 >= stop:
        return 0
    b, c = raw[i + 1], raw[i + 2]
    if a == 0xE2:
        if b == 0x80:
            return 3 if c <= 0x8A or c == 0xAF else 0
        return 3 if b == 0x81 and c == 0x9F else 0
    if a == 0xE1:
        return 3 if b == 0x9A and c == 0x80 else 0
    return 3 if b == 0x80 and c == 0x80 else 0


@kernel
def _note(problems: Ints, found: int, code: int, where: int, sentence: int) -> int:
    if found < len(problems):
        problems[found, 0] = code
        problems[found, 1] = where
        problems[found, 2] = sentence
    return found + 1


@kernel
def lex(
    raw: Bytes, begin: int, fields: Ints, row_offsets: Ints, spans: Ints, problems: Ints
) -> tuple[int, int, int, int]:
    """Cut bytes into sentences, rows and fields.

    Field ``j`` of row ``r`` is ``raw[fields[r, j] : fields[r, j + 1] - 1]``. A sentence is the
    block from its first comment through its blank line; further blank lines are one block without
    words. Returns the numbers of rows, sentences and problems, and where trailing comments begin.
    Problems are (code, position, sentence); of a line's bytes that are no UTF-8, the first is one.
    """
    n = raw.size
    rows = sentences = found = 0
    position = block = begin
    tokens = 0  # token lines of the block so far, well-formed or not
    row_offsets[0] = 0
    while position < n:
        start = position
        if raw[start] == LF or raw[start] == CR:
            position += 2 if raw[start] == CR and start + 1 < n and raw[start + 1] == LF else 1
            if tokens == 0:
                found = _note(problems, found, EMPTY_SENTENCE, start, sentences)
                while (
                    block == start and position < n and (raw[position] == LF or raw[position] == CR)
                ):
                    position += 1
            spans[sentences, 0] = block
            spans[sentences, 1] = position
            sentences += 1
            row_offsets[sentences] = rows
            block = position
            tokens = 0
            continue
        comment = raw[start] == HASH
        skipped = comment and tokens == 0
        tabs = 0
        legal = True
        fields[rows, 0] = start
        i = start
        while i < n:
            byte = raw[i]
            if byte > CR and byte < 0x80:
                i += 1
            elif byte == TAB:
                tabs += 1
                i += 1
                if tabs < 10:
                    fields[rows, tabs] = i
            elif byte == LF or byte == CR:
                break
            elif byte < 0x80:
                i += 1
            else:
                length = utf8_length(raw, i, n)
                if length == 0:
                    if legal:
                        found = _note(problems, found, ENCODING, i, sentences)
                    legal = False
                    length = 1
                i += length
        if not skipped:
            tokens += 1
            if tabs == 9:
                fields[rows, 10] = i + 1
                rows += 1
            else:
                code = COMMENT_INSIDE if comment else COLUMNS
                found = _note(problems, found, code, start, sentences)
        position = i
        if position < n:
            position += 2 if raw[i] == CR and i + 1 < n and raw[i + 1] == LF else 1
    if tokens:
        found = _note(problems, found, NO_FINAL_BLANK, n, sentences)
        spans[sentences, 0] = block
        spans[sentences, 1] = n
        sentences += 1
        row_offsets[sentences] = rows
        block = n
    return rows, sentences, found, block


@kernel
def _digits(raw: Bytes, start: int, stop: int) -> int:
    """Read a plain decimal number of at most nine digits; -1 if it is anything else."""
    if stop <= start or stop - start > 9:
        return -1
    value = 0
    for i in range(start, stop):
        byte = raw[i]
        if byte < ZERO or byte > NINE:
            return -1
        value = value * 10 + (byte - ZERO)
    return value


@kernel
def number(raw: Bytes, fields: Ints, kinds: Bytes, ids: Ints, heads: Ints) -> int:
    """Read ID and HEAD of every row; whatever is not plain is marked odd for a slower look."""
    odd = 0
    for r in range(len(fields)):
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


@kernel
def _blank_form(raw: Bytes, start: int, stop: int) -> bool:
    i = start
    while i < stop:
        length = space_length(raw, i, stop)
        if length == 0:
            return False
        i += length
    return True


@kernel
def _check_tree(
    heads: Ints, rows: Ints, first: int, size: int, sentence: int, state: Ints, problems: Ints,
    found: int,
) -> tuple[int, int]:  # fmt: skip
    """Number of roots of one sentence, and of problems after noting one word of every cycle."""
    roots = 0
    for w in range(size):
        state[w] = 0
    for w in range(size):
        at = w
        while at >= 0 and state[at] == 0:
            state[at] = w + 1
            head = heads[first + at]
            at = head - 1 if 0 < head <= size else -1
        if at >= 0 and state[at] == w + 1:
            found = _note(problems, found, CYCLE, rows[first + at], sentence)
        if heads[first + w] == 0:
            roots += 1
    return roots, found


@kernel
def build(
    raw: Bytes, fields: Ints, kinds: Bytes, ids: Ints, row_heads: Ints, row_offsets: Ints,
    need_heads: bool, rows: Ints, heads: Ints, multiword: Ints, offsets: Ints, problems: Ints,
) -> tuple[int, int]:  # fmt: skip
    """String rows into words with their multiword tokens, and check IDs, heads and trees.

    Returns the numbers of words and problems; a problem is (code, row or -1, sentence).
    """
    words = found = 0
    state = np.zeros(64, np.int32)
    offsets[0] = 0
    for s in range(len(row_offsets) - 1):
        first = words
        cover, remaining, expected = -1, 0, 0
        for r in range(row_offsets[s], row_offsets[s + 1]):
            kind = kinds[r]
            if kind == EMPTY:
                if ids[r, 0] < 0 or ids[r, 1] < 0:
                    found = _note(problems, found, EMPTY_ID, r, s)
                continue
            if remaining == 0 and _blank_form(raw, fields[r, 1], fields[r, 2] - 1):
                found = _note(problems, found, EMPTY_FORM, r, s)
            if remaining == 0 and kind == MULTIWORD:
                cover, expected = r, ids[r, 0]
                if ids[r, 0] < 0 or ids[r, 1] < 0:
                    found = _note(problems, found, MULTIWORD_ID, r, s)
                    continue
                remaining = max(0, ids[r, 1] - ids[r, 0] + 1)
                if ids[r, 0] != words - first + 1 or ids[r, 1] <= ids[r, 0]:
                    found = _note(problems, found, MULTIWORD_RANGE, r, s)
                continue
            if remaining == 0:
                cover = -1
                if kind == ODD or ids[r, 0] != words - first + 1:
                    found = _note(problems, found, WORD_ID, r, s)
            else:
                if kind != WORD or ids[r, 0] != expected:
                    found = _note(problems, found, INNER_ID, r, s)
                remaining -= 1
                expected += 1
            if row_heads[r] < 0 and (need_heads or row_heads[r] != NO_HEAD):
                found = _note(problems, found, HEAD_NUMBER, r, s)
            rows[words] = r
            heads[words] = max(row_heads[r], NO_HEAD)
            multiword[words] = cover
            words += 1
        size = words - first
        offsets[s + 1] = words
        if remaining > 0:
            found = _note(problems, found, UNFINISHED_MULTIWORD, cover, s)
        if size == 0:
            if row_offsets[s + 1] > row_offsets[s]:
                found = _note(problems, found, EMPTY_SENTENCE, -1, s)
            continue
        headless = 0
        for w in range(first, words):
            if heads[w] > size:
                found = _note(problems, found, HEAD_RANGE, rows[w], s)
            if heads[w] < 0:
                headless += 1
        if headless and not need_heads:
            continue
        if len(state) < size:
            state = np.zeros(2 * size, np.int32)
        roots, found = _check_tree(heads, rows, first, size, s, state, problems, found)
        if roots == 0 and headless == 0:
            found = _note(problems, found, NO_ROOT, -1, s)
        if roots > 1:
            found = _note(problems, found, SEVERAL_ROOTS, -1, s)
    return words, found
