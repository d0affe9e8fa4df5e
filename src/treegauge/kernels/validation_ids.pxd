from treegauge.kernels.validation_book cimport Book, Sentence


cdef int read_id(Book book, Py_ssize_t row) except -1
cdef bint test_ids(Book book, Sentence* sentence) except -1
