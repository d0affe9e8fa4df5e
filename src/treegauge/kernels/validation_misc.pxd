from treegauge.kernels.validation_book cimport Book


cdef int test_misc(Book book, Py_ssize_t row) except -1
