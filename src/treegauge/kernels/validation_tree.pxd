from treegauge.kernels.validation_book cimport Book, Sentence


cdef enum:
    DELAYED = 4096  # added to rules that count only once the treebank has shown a feature


cdef int test_roots(Book book, Sentence* sentence) except -1
cdef int test_words(Book book, Sentence* sentence) except -1
