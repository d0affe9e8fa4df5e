"""Level 1 of UD validation: IDs of words, multiword tokens and empty nodes."""

from libc.stdint cimport int32_t, int64_t, uint8_t

from treegauge.kernels.validation_book cimport EMPTY, MULTIWORD, OTHER, WORD, Book, Sentence
from treegauge.kernels.validation_rules cimport *

cdef enum:
    MINUS = 45, DOT = 46, ZERO = 48, NINE = 57
    LARGE = 1000000000


cdef Py_ssize_t _number(
    const uint8_t* raw, Py_ssize_t i, Py_ssize_t stop, int32_t* value
) noexcept nogil:
    """Where the digits from `i` on end; numbers too large for any sentence are one."""
    cdef int64_t number = 0
    while i < stop and ZERO <= raw[i] <= NINE:
        number = min(10 * number + raw[i] - ZERO, <int64_t> LARGE)
        i += 1
    value[0] = <int32_t> number
    return i


cdef int read_id(Book book, Py_ssize_t row) except -1:
    """Read an ID: the row becomes a word, a multiword token, an empty node, or stays OTHER."""
    cdef const uint8_t* raw = book.rows.raw
    cdef int32_t* fields = book.rows.fields + 11 * row
    cdef Py_ssize_t start = fields[0], stop = fields[1] - 1, mark, end
    mark = _number(raw, start, stop, book.rows.number + row)
    book.rows.second[row] = 0
    book.rows.kinds[row] = OTHER
    if mark == start:
        return 0
    if mark == stop:
        if raw[start] != ZERO:
            book.rows.kinds[row] = WORD
        return 0
    end = _number(raw, mark + 1, stop, book.rows.second + row)
    if end != stop or mark + 1 == stop or raw[mark + 1] == ZERO:
        return 0
    if raw[mark] == DOT:
        book.rows.kinds[row] = EMPTY
    elif raw[mark] == MINUS and raw[start] != ZERO:
        book.rows.kinds[row] = MULTIWORD
    return 0


cdef int _test_intervals(Book book, Sentence* sentence) except -1:
    """Test multiword tokens, and words that are not inside the interval before them."""
    cdef int32_t start = 0, stop = -1, first, last
    cdef Py_ssize_t row
    for row in range(sentence.token, sentence.stop):
        first, last = book.rows.number[row], book.rows.second[row]
        if book.rows.kinds[row] == MULTIWORD and book.rows.cover[row] == -1:
            start, stop = first, last
            if stop < start:
                book.note_column(R_REVERSED_WORD_INTERVAL, row, 0)
            elif stop > sentence.n_words:
                book.note_column(R_WORD_INTERVAL_OUT, row, 0)
        elif book.rows.kinds[row] == WORD and not start <= first <= stop:
            start = stop = first
            if stop > sentence.n_words:
                book.note_column(R_WORD_INTERVAL_OUT, row, 0)
    return 0


cdef bint test_ids(Book book, Sentence* sentence) except -1:
    """Test the IDs of a block and connect words with their multiword tokens; whether to go on."""
    cdef int32_t* number = book.rows.number
    cdef int32_t* second = book.rows.second
    cdef int32_t* covers
    cdef Py_ssize_t row
    cdef int64_t before = book.n_records
    cdef int32_t words = 0, last = 0, expected = 1, pending = 0, word, end = 0
    cdef bint multiwords = False, sequence = True, sound = True, overlaps
    cdef uint8_t kind
    sentence.n_empty = 0
    for row in range(sentence.token, sentence.stop):
        kind = book.rows.kinds[row]
        if kind == WORD:
            words += 1
            last, expected, pending = number[row], 1, 0
            sequence = sequence and last == words
        elif kind == MULTIWORD:
            multiwords = True
            sound = sound and second[row] >= number[row]
            end = max(end, second[row])
            if number[row] <= last:
                book.note_column(R_MISPLACED_WORD_INTERVAL, row, 0)
                book.rows.cover[row] = -2
            else:
                book.rows.cover[row] = -1
            expected, pending = 1, number[row]
        elif kind == EMPTY:
            sentence.n_empty += 1
            if number[row] != last or second[row] != expected:
                book.note_column(R_MISPLACED_EMPTY_NODE, row, 0)
            if number[row] == last and number[row] < pending:
                book.note_column(R_MISPLACED_EMPTY_NODE, row, 0)
            expected += 1
        else:
            book.note_column(R_INVALID_WORD_ID, row, 0)
    sentence.n_words = words
    if not sequence:
        book.note_column(R_WORD_ID_SEQUENCE, sentence.token, 0)
    if not sequence or not sound or end > words:
        _test_intervals(book, sentence)
    if book.n_records > before:
        return False
    if not multiwords:
        for row in range(sentence.token, sentence.stop):
            book.rows.cover[row] = -1
        return True
    covers = book.room(words)
    for word in range(words + 1):
        covers[word] = -1
    for row in range(sentence.token, sentence.stop):
        book.rows.cover[row] = -1
        if book.rows.kinds[row] == MULTIWORD:
            overlaps = False
            for word in range(number[row], second[row] + 1):
                overlaps = overlaps or covers[word] >= 0
                covers[word] = <int32_t> row
            if overlaps:
                book.note_column(R_OVERLAPPING_WORD_INTERVALS, row, 0)
    for row in range(sentence.token, sentence.stop):
        if book.rows.kinds[row] == WORD:
            book.rows.cover[row] = covers[number[row]]
    return book.n_records == before
