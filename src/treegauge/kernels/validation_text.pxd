from treegauge.kernels.validation_book cimport Book, Sentence


cdef int test_metadata(Book book, Sentence* sentence) except -1
