from treegauge.kernels.validation_book cimport Book, Sentence


cdef Py_ssize_t read_block(
    Book book, Py_ssize_t position, Py_ssize_t size, Py_ssize_t row, Sentence* sentence, bint* whole
) except -1
cdef bint test_columns(Book book, Sentence* sentence) except -1
