from libc.stdint cimport uint8_t


cdef inline Py_ssize_t space_length(
    const uint8_t* raw, Py_ssize_t i, Py_ssize_t stop
) noexcept nogil:
    """Length of the Unicode space (category Zs) at `i`, or 0 if there is another character."""
    cdef uint8_t a = raw[i], b, c
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
