"""Level 1 of UD validation: lines, characters and columns."""

from cpython.mem cimport PyMem_Malloc
from libc.stdint cimport int32_t, uint8_t, uint64_t
from libc.string cimport memcpy

from treegauge.kernels.validation_book cimport (
    BLANK, COMMENT, MULTIWORD, OTHER, Book, Sentence, decode, is_space, is_wide_space,
    skip_spaces,
)
from treegauge.kernels.validation_ids cimport read_id
from treegauge.kernels.validation_rules cimport *

cdef enum:
    TAB = 9, LF = 10, CR = 13, HASH = 35, ZERO = 48, NINE = 57

cdef enum:  # classes of characters, as in treegauge.validation.values; 0 to 240 combine
    HIGHEST = 240, SPACE_NOT_NORMAL = 251, REPLACED = 252, SLOW = 255

cdef enum:  # what was seen in a line
    HAS_SPACE = 1, HAS_GAP = 2, NOT_ASCII = 4

# What a byte is: 0 plain, 1 a tab, 2 the end of a line, 3 white space, 4 not ASCII.
cdef uint8_t BYTES[256]
cdef int _i
for _i in range(256):
    BYTES[_i] = 4 if _i >= 0x80 else 3 if _i in (0x0B, 0x0C, 0x20) or 0x1C <= _i <= 0x1F else 0
BYTES[TAB] = 1
BYTES[LF] = BYTES[CR] = 2


cdef int _classify(Book book, int block) except -1:
    cdef bytes found = book.look.classes(block)
    cdef uint8_t* room = <uint8_t*> PyMem_Malloc(256)
    if room == NULL:
        raise MemoryError
    memcpy(room, <const uint8_t*> found, 256)
    book.classes[block] = room
    return 0


cdef int _test_characters(
    Book book, Py_ssize_t row, Py_ssize_t start, Py_ssize_t stop
) except -1:
    """Test the characters of a line; whether there is white space that is not ASCII."""
    cdef const uint8_t* raw = book.rows.raw
    cdef Py_ssize_t i = start, before
    cdef uint64_t c
    cdef int kind, last = 0, bad_at = -1, replaced_at = -1, slow_at = -1
    cdef int spaces = 0
    while i < stop:
        if raw[i] < 0x80:
            i += 1
            last = 0
            continue
        before = i
        c = decode(raw, &i)
        if book.classes[c >> 8] == NULL:
            _classify(book, <int> (c >> 8))
        kind = book.classes[c >> 8][c & 255]
        if kind == 0:
            last = 0
        elif kind <= HIGHEST:
            if kind < last and bad_at < 0:
                bad_at = <int> before
            last = kind
        elif kind == SLOW:
            if slow_at < 0:
                slow_at = <int> before
            last = 0
        else:
            last = 0
            spaces |= kind <= SPACE_NOT_NORMAL
            if kind == SPACE_NOT_NORMAL and bad_at < 0:
                bad_at = <int> before
            if kind == REPLACED and replaced_at < 0:
                replaced_at = <int> before
    if replaced_at >= 0:
        book.note(R_INVALID_UTF, row, replaced_at, replaced_at + 3, -1)
    if bad_at < 0 and slow_at >= 0 and not book.look.is_normalized(<bytes> raw[start:stop]):
        bad_at = slow_at
    if bad_at >= 0:
        i = bad_at
        decode(raw, &i)
        book.note(R_UNICODE_NORMALIZATION, row, bad_at, i, -1)
    return spaces


cdef Py_ssize_t read_block(
    Book book, Py_ssize_t position, Py_ssize_t size, Py_ssize_t row, Sentence* sentence, bint* whole
) except -1:
    """Read the lines of a block and test them; `whole` says whether to go on with it.

    Returns the position after the block. Until columns are tested, `head` has the number of tabs
    of a row and `spaced` what was seen in it; until MISC is read, `misc` has whether there is white
    space in the row.
    """
    cdef const uint8_t* raw = book.rows.raw
    cdef Py_ssize_t start, i, before
    cdef int32_t* fields
    cdef int tabs, seen
    cdef uint8_t kind
    cdef bint ended = False, digits = False, stopped = False
    sentence.begin = <int32_t> row
    sentence.token = -1
    while position < size and not ended:
        start = i = position
        fields = book.rows.fields + 11 * row
        fields[0] = <int32_t> start
        tabs = seen = 0
        while i < size:
            kind = BYTES[raw[i]]
            if kind == 0:
                i += 1
                continue
            if kind == 1:
                seen |= HAS_GAP * (i == fields[tabs if tabs < 9 else 9])
                tabs += 1
                i += 1
                if tabs < 10:
                    fields[tabs] = <int32_t> i
            elif kind == 2:
                break
            else:
                seen |= HAS_SPACE if kind == 3 else NOT_ASCII
                i += 1
        if tabs == 9 and fields[9] == i:
            seen |= HAS_GAP
        fields[10] = <int32_t> (i + 1)
        position = i
        if i < size:
            position += 1
            if raw[i] == CR:
                book.carriage_return = True
                if position < size and raw[position] == LF:
                    position += 1
        if i == start:
            book.rows.kinds[row] = BLANK
            ended = True
        elif raw[start] == HASH:
            book.rows.kinds[row] = COMMENT
            if sentence.token >= 0:
                book.rows.kinds[row] = OTHER
                book.note_row(R_MISPLACED_COMMENT, row)
                stopped = True
        elif skip_spaces(raw, start, i, False) == i:
            book.rows.kinds[row] = BLANK
            book.note_row(R_PSEUDO_EMPTY_LINE, row)
            ended = True
        else:
            book.rows.kinds[row] = OTHER
            if sentence.token < 0:
                sentence.token = <int32_t> row
            if ZERO <= raw[start] <= NINE:
                digits = True
            else:
                before = start
                if raw[start] >= 0x80 and book.look.is_digit(decode(raw, &before)):
                    digits = True
                else:
                    book.note_row(R_INVALID_LINE, row)
                    stopped = True
        if seen & NOT_ASCII and _test_characters(book, row, start, i):
            seen |= HAS_SPACE
        book.rows.head[row] = tabs
        book.rows.spaced[row] = seen & (HAS_SPACE | HAS_GAP)
        book.rows.misc[row] = seen & HAS_SPACE
        row += 1
    sentence.stop = <int32_t> (row - ended)
    if not ended:
        book.note_row(R_MISSING_EMPTY_LINE, row - 1)
        whole[0] = digits
    else:
        if not digits:
            book.note_row(R_EMPTY_SENTENCE, row - 1)
        whole[0] = digits and not stopped
    if whole[0]:  # lines of other widths do not count
        row = sentence.stop - 1
        while row >= sentence.token and book.rows.head[row] != 9:
            row -= 1
        if row >= sentence.token:
            book.last_token = <int> row
    return position


cdef int _test_field(
    Book book, Py_ssize_t row, int column, bint multiword
) except -1:
    cdef const uint8_t* raw = book.rows.raw
    cdef int32_t* fields = book.rows.fields + 11 * row
    cdef Py_ssize_t start = fields[column], stop = fields[column + 1] - 1, i = start
    cdef bint spaces = False, repeated = False, first = False, last = False, space, was = False
    cdef uint64_t c
    if start == stop:
        return book.note_column(R_EMPTY_COLUMN, row, column)
    while i < stop:
        space = i == start
        c = decode(raw, &i)
        last = is_wide_space(c)
        first |= space and last
        space = is_space(c)
        repeated |= space and was
        spaces |= space
        was = space
    if spaces and multiword and (column == 1 or column == 2):
        return book.note_column(R_INVALID_WHITESPACE_MWT, row, column)
    if spaces and column != 1 and column != 2 and column != 9:
        return book.note_column(R_INVALID_WHITESPACE, row, column)
    if spaces and column != 9:
        book.rows.spaced[row] = 1
    if first:
        book.note_column(R_LEADING_WHITESPACE, row, column)
    if last:
        book.note_column(R_TRAILING_WHITESPACE, row, column)
    if repeated:
        book.note_column(R_REPEATED_WHITESPACE, row, column)
    return 0


cdef bint test_columns(Book book, Sentence* sentence) except -1:
    """Test the columns of a block's lines; whether to go on."""
    cdef bint good = True
    cdef Py_ssize_t row
    cdef int column
    for row in range(sentence.token, sentence.stop):
        if book.rows.head[row] != 9:
            book.note_row(R_NUMBER_OF_COLUMNS, row)
            good = False
            continue
        read_id(book, row)
        if book.rows.spaced[row]:
            book.rows.spaced[row] = 0
            for column in range(10):
                _test_field(book, row, column, book.rows.kinds[row] == MULTIWORD)
    return good
