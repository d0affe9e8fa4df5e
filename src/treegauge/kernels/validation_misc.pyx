"""Level 2 of UD validation: the attributes of MISC."""

from libc.stdint cimport int32_t, uint8_t
from libc.string cimport memchr, memcmp

from treegauge.kernels.validation_book cimport (
    M_LAST_NO_SPACE, M_NO_SPACE, M_NOT_NO_SPACE, M_ODD, M_OTHER_VALUE, M_OUTER, M_TEXT_NO_SPACE,
    Book, decode, is_space, is_wide_space,
)

cdef enum:
    BAR = 124, EQUALS = 61

cdef const char* NAMES[8]
NAMES[:] = [b"SpaceAfter", b"Lang", b"Translit", b"LTranslit", b"Gloss", b"LId", b"LDeriv", b"Ref"]
cdef int LENGTHS[8]
LENGTHS[:] = [10, 4, 8, 9, 5, 3, 6, 3]


cdef inline bint _space_at(
    const uint8_t* raw, Py_ssize_t start, Py_ssize_t stop, bint last
) noexcept nogil:
    """Whether some bytes start, or end, with white space."""
    cdef Py_ssize_t i = start
    if start == stop:
        return False
    if last:
        i = stop - 1
        while i > start and raw[i] & 0xC0 == 0x80:
            i -= 1
    return is_wide_space(decode(raw, &i))


cdef inline bint _ascii(const uint8_t* raw, Py_ssize_t i, Py_ssize_t stop) noexcept nogil:
    while i < stop and raw[i] < 0x80:
        i += 1
    return i == stop


cdef int _name(const uint8_t* at, Py_ssize_t length, bint* exact) noexcept nogil:
    """The number of a well-known name, in any case, or -1."""
    cdef int k, i
    for k in range(8):
        if LENGTHS[k] == length:
            for i in range(length):
                if at[i] | 0x20 != <uint8_t> NAMES[k][i] | 0x20:
                    break
            else:
                exact[0] = memcmp(at, NAMES[k], length) == 0
                return k
    return -1


cdef int test_misc(Book book, Py_ssize_t row) except -1:
    """Read the attributes of MISC that other tests need, and test all."""
    cdef const uint8_t* raw = book.rows.raw
    cdef Py_ssize_t start = book.rows.fields[11 * row + 9]
    cdef Py_ssize_t stop = book.rows.fields[11 * row + 10] - 1
    cdef Py_ssize_t i = start, after, equals
    cdef const uint8_t* mark
    cdef int flags = 0, names = 0, name
    cdef bint spaces = book.rows.misc[row], exact = False
    book.rows.lang[row] = 0
    if stop == start + 1 and raw[start] == b"_":
        book.rows.misc[row] = 0
        return 0
    if stop - start == 13 and memcmp(raw + start, b"SpaceAfter=No", 13) == 0:
        book.rows.misc[row] = M_NO_SPACE | M_TEXT_NO_SPACE | M_LAST_NO_SPACE
        return 0
    while i <= stop:
        mark = <const uint8_t*> memchr(raw + i, BAR, stop - i)
        after = mark - raw if mark != NULL else stop
        mark = <const uint8_t*> memchr(raw + i, EQUALS, after - i)
        equals = mark - raw if mark != NULL else after
        if equals == i or not _ascii(raw, i, equals):  # nothing, no name, or an unusual one
            flags |= M_ODD
        if spaces and (
            _space_at(raw, i, equals, False) or _space_at(raw, i, equals, True)
            or (equals < after and (
                _space_at(raw, equals + 1, after, False) or _space_at(raw, equals + 1, after, True)
            ))
        ):
            flags |= M_ODD
        name = _name(raw + i, equals - i, &exact)
        if name >= 0:
            if not exact or names & 1 << name:
                flags |= M_ODD
            if exact:
                names |= 1 << name
        if equals < after:
            if name == 0 and exact:
                if after - equals == 3 and raw[equals + 1] == b"N" and raw[equals + 2] == b"o":
                    flags |= M_NO_SPACE | M_LAST_NO_SPACE
                else:
                    flags = (flags | M_OTHER_VALUE) & ~M_LAST_NO_SPACE
            elif name == 1 and exact:
                book.rows.lang[row] = book.lang.code(raw + equals + 1, after - equals - 1)
            elif equals - i == 7 and memcmp(raw + i, b"Subject", 7) == 0:
                if after - equals == 6 and memcmp(raw + equals + 1, b"Outer", 5) == 0:
                    flags |= M_OUTER
                else:
                    flags &= ~M_OUTER
        elif name == 0 and exact:  # an attribute without a value has the value True
            flags &= ~M_LAST_NO_SPACE
        elif name == 1 and exact:
            book.rows.lang[row] = book.lang.code(b"True", 4)
        elif equals - i == 7 and memcmp(raw + i, b"Subject", 7) == 0:
            flags &= ~M_OUTER
        i = after + 1
    i = start
    while True:
        mark = <const uint8_t*> memchr(raw + i, b"S", stop - i)
        if mark == NULL:
            break
        i = mark - raw
        if stop - i >= 13 and memcmp(mark, b"SpaceAfter=No", 13) == 0:
            flags |= M_TEXT_NO_SPACE
        if (
            i - start >= 2 and stop - i >= 14 and memcmp(mark - 2, b"NoSpaceAfter=Yes", 16) == 0
        ):
            flags |= M_NOT_NO_SPACE
        i += 1
    book.rows.misc[row] = <uint8_t> flags
    if flags & M_ODD:
        for rule, begin, end in book.look.misc((<bytes> raw[start:stop]).decode("utf-8")):
            book.note(rule, row, start + begin, start + end, -1)
    return 0
