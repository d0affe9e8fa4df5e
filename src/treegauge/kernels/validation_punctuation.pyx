"""Level 3 of UD validation: punctuation and projectivity."""

from libc.stdint cimport int32_t

from treegauge.kernels.validation_book cimport X_PUNCT, Book, Ints, Sentence
from treegauge.kernels.validation_rules cimport *


cdef bint _below(Ints heads, int32_t word, int32_t ancestor) noexcept nogil:
    """Whether a word is a descendant of another."""
    while word and word != ancestor:
        word = heads[word]
    return word == ancestor


cdef bint attached_projectively(Book book, Sentence* sentence, int32_t word) noexcept:
    """Whether all words between a word and its head are descendants of the head."""
    cdef Ints heads = book.room(sentence.n_words) + 2 * (sentence.n_words + 2)
    cdef int32_t head = heads[word], between
    if head == 0:
        return True
    for between in range(min(word, head) + 1, max(word, head)):
        if not _below(heads, between, head):
            return False
    return True


cdef bint _projective(Ints heads, int32_t n, Ints first, Ints last, Ints count) noexcept nogil:
    """Whether all arcs of a tree are projective: every subtree is without a gap."""
    cdef int32_t word, at
    for word in range(1, n + 1):
        first[word] = last[word] = word
        count[word] = 0
    for word in range(1, n + 1):
        at = word
        while at:  # up to the root: trees are shallow
            first[at] = min(first[at], word)
            last[at] = max(last[at], word)
            count[at] += 1
            at = heads[at]
    for word in range(1, n + 1):
        if last[word] - first[word] + 1 != count[word]:
            return False
    return True


cdef int test_punctuation(Book book, Sentence* sentence) except -1:
    """Test whether punctuation is attached projectively and leaves other arcs projective."""
    cdef int32_t n = sentence.n_words, stride = n + 2, word, head, x, h
    cdef Ints room = book.room(n)
    cdef Ints rows = room + stride, heads = room + 2 * stride, relations = room + 4 * stride
    cdef bint crossed
    if _projective(heads, n, room + 11 * stride, room + 12 * stride, room + 13 * stride):
        return 0
    for word in range(1, n + 1):
        head = heads[word]
        if relations[word] != X_PUNCT or head == 0:
            continue
        if not attached_projectively(book, sentence, word):
            book.note(
                R_PUNCT_IS_NONPROJ, rows[word], book.rows.fields[11 * rows[word] + 6],
                book.rows.fields[11 * rows[word] + 7] - 1, rows[head],
            )
        for x in range(1, n + 1):
            h = heads[x]
            if x == word:
                continue
            if head < word:
                crossed = head < x < word and h > word or x > word and head < h < word
            else:
                crossed = x < word and word < h < head or word < x < head and h < word
            if crossed and not _below(heads, word, h):
                book.note(
                    R_PUNCT_CAUSES_NONPROJ, rows[word], book.rows.fields[11 * rows[word] + 6],
                    book.rows.fields[11 * rows[word] + 7] - 1, rows[x],
                )
                break
    return 0
