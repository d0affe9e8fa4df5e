from libc.stdint cimport uint8_t
from libc.string cimport memcmp


cdef inline bint same(
    const uint8_t* a, const uint8_t* b, Py_ssize_t a_size, Py_ssize_t b_size
) noexcept nogil:
    """Whether two strings of bytes are equal."""
    return a_size == b_size and memcmp(a, b, a_size) == 0
