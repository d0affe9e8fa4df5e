from treegauge.kernels.validation_book cimport Book, Sentence


cdef bint test_references(Book book, Sentence* sentence) except -1
cdef bint test_tree(Book book, Sentence* sentence) except -1
cdef bint test_values(Book book, Sentence* sentence) except -1
cdef bint copies_tree(Book book, Py_ssize_t row) noexcept
cdef int test_graph(Book book, Sentence* sentence) except -1
