from libc.stdint cimport int32_t

from treegauge.kernels.validation_book cimport Book, Sentence


cdef bint order_tree(Book book, Sentence* sentence) except -1
cdef bint attached_projectively(Book book, Sentence* sentence, int32_t word) except -1
cdef int test_punctuation(Book book, Sentence* sentence) except -1
