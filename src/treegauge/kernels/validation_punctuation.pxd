from libc.stdint cimport int32_t

from treegauge.kernels.validation_book cimport Book, Sentence


cdef bint attached_projectively(Book book, Sentence* sentence, int32_t word) noexcept
cdef int test_punctuation(Book book, Sentence* sentence) except -1
