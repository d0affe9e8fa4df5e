from libc.stdint cimport int32_t

cdef double best_projective(
    const double* scores, Py_ssize_t size, int32_t* heads, double* room, int32_t* places
) noexcept nogil
cdef void best_spanning(
    const double* scores, Py_ssize_t size, int32_t* heads, double* score, int32_t* places
) noexcept nogil
