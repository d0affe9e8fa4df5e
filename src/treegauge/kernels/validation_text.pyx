"""Level 2 of UD validation: comments, and the text of a sentence beside its words."""

from libc.stdint cimport int32_t, uint8_t
from libc.string cimport memchr, memcmp

from treegauge.kernels.validation_book cimport (
    EMPTY, M_NO_SPACE, M_NOT_NO_SPACE, M_OTHER_VALUE, M_TEXT_NO_SPACE, MULTIWORD, WORD, Book,
    Sentence, decode, is_space, is_wide_space, skip_spaces,
)
from treegauge.kernels.validation_rules cimport *


cdef Py_ssize_t _value(
    const uint8_t* raw, Py_ssize_t start, Py_ssize_t stop, const char* name, Py_ssize_t length
) noexcept nogil:
    """Where the value of a comment ``# name = value`` starts, or -1 for other comments."""
    cdef Py_ssize_t i = skip_spaces(raw, start + 1, stop, False)
    if stop - i < length or memcmp(raw + i, name, length):
        return -1
    i = skip_spaces(raw, i + length, stop, False)
    if i == stop or raw[i] != b"=":
        return -1
    return skip_spaces(raw, i + 1, stop, False)


cdef bint _one_word(const uint8_t* raw, Py_ssize_t i, Py_ssize_t stop) noexcept nogil:
    """Whether there are characters from `i` on, and no white space."""
    if i == stop:
        return False
    while i < stop:
        if is_space(decode(raw, &i)):
            return False
    return True


cdef bint _starts(
    const uint8_t* raw, Py_ssize_t start, Py_ssize_t stop, const char* name, Py_ssize_t length
) noexcept nogil:
    """Whether a comment starts with a name, after # and at most one space."""
    cdef Py_ssize_t i = start + 1
    if i < stop and raw[i] == b" ":
        i += 1
    return stop - i >= length and memcmp(raw + i, name, length) == 0


cdef bint _marks(
    const uint8_t* raw, Py_ssize_t start, Py_ssize_t stop, const char* name
) noexcept nogil:
    """Whether a comment is a name of six letters, alone or with one word after it."""
    cdef Py_ssize_t i = skip_spaces(raw, start + 1, stop, False), after
    if stop - i < 6 or memcmp(raw + i, name, 6):
        return False
    after = skip_spaces(raw, i + 6, stop, False)
    return i + 6 == stop or (after > i + 6 and _one_word(raw, after, stop))


cdef int test_metadata(Book book, Sentence* sentence) except -1:
    """Test the comments of a sentence and its text."""
    cdef const uint8_t* raw = book.rows.raw
    cdef Py_ssize_t row, start, stop, at, id_start = 0, id_stop = 0, text = 0, text_stop = 0, i
    cdef Py_ssize_t text_row = -1, id_row = -1
    cdef int ids = 0, texts = 0, documents = 0, paragraphs = 0, slashes
    cdef bint graph = sentence.has_deps or sentence.n_empty > 0
    cdef int32_t token = sentence.token
    parallel = []
    if graph and book.trees_seen or not graph and book.graphs_seen:
        if not book.sometimes_told:
            book.note_row(R_EDEPS_ONLY_SOMETIMES, token)
        book.sometimes_told = True
    if graph:
        book.graphs_seen = True
    else:
        book.trees_seen = True
    for row in range(sentence.begin, token):
        start, stop = book.rows.fields[11 * row], book.rows.fields[11 * row + 10] - 1
        at = _value(raw, start, stop, b"text", 4)
        if at >= 0:
            texts += 1
            text, text_stop, text_row = at, stop, row
            continue
        at = _value(raw, start, stop, b"sent_id", 7)
        if at >= 0 and _one_word(raw, at, stop):
            ids += 1
            id_start, id_stop, id_row = at, stop, row
            continue
        if _starts(raw, start, stop, b"sent_id", 7):
            book.note(R_INVALID_SENT_ID, token, -1, -1, row)
        elif _value(raw, start, stop, b"parallel_id", 11) >= 0 or _starts(
            raw, start, stop, b"parallel_id", 11
        ):
            parallel.append((<bytes> raw[start:stop]).decode("utf-8"))
        else:
            documents += _marks(raw, start, stop, b"newdoc")
            paragraphs += _marks(raw, start, stop, b"newpar")
    if ids != 1:
        book.note_row(R_MULTIPLE_SENT_ID if ids else R_MISSING_SENT_ID, token)
    else:
        if not book.sent_ids.add(raw + id_start, id_stop - id_start):
            book.note(R_NON_UNIQUE_SENT_ID, token, -1, -1, id_row)
        slashes = 0
        for i in range(id_start, id_stop):
            slashes += raw[i] == b"/"
        if slashes > 1 or (slashes == 1 and book.language != "ud"):
            book.note(R_SLASH_IN_SENT_ID, token, -1, -1, id_row)
    if parallel:
        for rule in book.look.parallel_ids(parallel):
            book.note_row(rule, token)
    if documents > 1:
        book.note_row(R_MULTIPLE_NEWDOC, token)
    if paragraphs > 1:
        book.note_row(R_MULTIPLE_NEWPAR, token)
    if documents + paragraphs and book.last_no_space:
        book.note_row(R_SPACEAFTER_NEWDOCPAR, token)
    if texts != 1:
        return book.note_row(R_MULTIPLE_TEXT if texts else R_MISSING_TEXT, token)
    if text == text_stop:
        book.note_row(R_EMPTY_TEXT, token)
    else:
        i = text_stop - 1
        while raw[i] & 0xC0 == 0x80:
            i -= 1
        if is_wide_space(decode(raw, &i)):
            book.note(R_TEXT_TRAILING_WHITESPACE, token, -1, -1, text_row)
    return _test_text(book, sentence, text, text_stop, text_row)


cdef int _test_text(
    Book book, Sentence* sentence, Py_ssize_t text, Py_ssize_t text_stop, Py_ssize_t text_row
) except -1:
    cdef const uint8_t* raw = book.rows.raw
    cdef Py_ssize_t row, form, length, next
    cdef int misc
    cdef bint mismatch = False
    for row in range(sentence.token, sentence.stop):
        misc = book.rows.misc[row]
        if misc & M_NOT_NO_SPACE:
            book.note(R_NOSPACEAFTER_YES, sentence.token, -1, -1, row)
        if misc & M_OTHER_VALUE:
            book.note_column(R_SPACEAFTER_VALUE, row, 9)
        if book.rows.kinds[row] == EMPTY:
            if misc & M_TEXT_NO_SPACE:
                book.note_column(R_SPACEAFTER_EMPTY_NODE, row, 9)
            continue
        if book.rows.kinds[row] == WORD and book.rows.cover[row] >= 0:
            if misc & M_TEXT_NO_SPACE:
                book.note_column(R_SPACEAFTER_MWT_NODE, row, 9)
            continue
        form = book.rows.fields[11 * row + 1]
        length = book.rows.fields[11 * row + 2] - 1 - form
        if text_stop - text < length or memcmp(raw + text, raw + form, length):
            if not mismatch:
                book.note(R_TEXT_FORM_MISMATCH, row, form, form + length, text)
            mismatch = True
            continue
        text += length
        if misc & M_NO_SPACE:
            book.last_no_space = True
            continue
        book.last_no_space = False
        next = skip_spaces(raw, text, text_stop, True)
        if next == text and text < text_stop:
            book.note_column(R_MISSING_SPACEAFTER, row, 9)
        text = next
    if text < text_stop:
        book.note(R_TEXT_EXTRA_CHARS, sentence.token, -1, -1, text)
    return 0
