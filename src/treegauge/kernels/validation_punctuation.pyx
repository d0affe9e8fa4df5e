"""Level 3 of UD validation: punctuation and projectivity."""

from libc.stdint cimport int32_t

from treegauge.kernels.validation_book cimport X_PUNCT, Book, Ints, Sentence
from treegauge.kernels.validation_rules cimport *


cdef bint order_tree(Book book, Sentence* sentence) except -1:
    """Number the words of a tree so that subtrees are intervals; whether it is projective.

    Array 11 of the room gets the number of each word, array 12 the size of its subtree. A tree is
    projective if no subtree has a gap in the order of words.
    """
    cdef int32_t n = sentence.n_words, stride = n + 2, word, at, head, ready = 0
    cdef Ints room = book.room(n)
    cdef Ints heads = room + 2 * stride, place = room + 11 * stride, size = room + 12 * stride
    cdef Ints first = room + 13 * stride, last = room + 14 * stride, order = room + 15 * stride
    cdef Ints waiting = room + 3 * stride
    cdef bint projective = True
    for word in range(n + 1):
        first[word] = last[word] = word
        size[word] = 1
        waiting[word] = 0
    for word in range(1, n + 1):
        waiting[heads[word]] += 1
    for word in range(1, n + 1):  # a word is done when all its children are
        at = word
        while at and waiting[at] == 0:
            waiting[at] = -1
            order[ready] = at
            ready += 1
            projective = projective and last[at] - first[at] + 1 == size[at]
            head = heads[at]
            first[head] = min(first[head], first[at])
            last[head] = max(last[head], last[at])
            size[head] += size[at]
            waiting[head] -= 1
            at = head if head <= word else 0
    place[0] = 0
    first[0] = 1
    for at in range(n - 1, -1, -1):
        word = order[at]
        place[word] = first[heads[word]]
        first[heads[word]] += size[word]
        first[word] = place[word] + 1
    return projective


cdef inline bint _below(Ints place, Ints size, int32_t word, int32_t ancestor) noexcept nogil:
    """Whether a word is another, or a descendant of it."""
    return place[ancestor] <= place[word] < place[ancestor] + size[ancestor]


cdef bint attached_projectively(Book book, Sentence* sentence, int32_t word) except -1:
    """Whether all words between a word and its head are descendants of the head."""
    cdef int32_t stride = sentence.n_words + 2, between
    cdef Ints room = book.room(sentence.n_words)
    cdef Ints place = room + 11 * stride, size = room + 12 * stride
    cdef int32_t head = (room + 2 * stride)[word]
    if head == 0:
        return True
    for between in range(min(word, head) + 1, max(word, head)):
        if not _below(place, size, between, head):
            return False
    return True


cdef int test_punctuation(Book book, Sentence* sentence) except -1:
    """Test whether punctuation is attached projectively and leaves other arcs projective."""
    cdef int32_t n = sentence.n_words, stride = n + 2, word, head, x, h
    cdef Ints room = book.room(n)
    cdef Ints rows = room + stride, heads = room + 2 * stride, relations = room + 4 * stride
    cdef Ints place = room + 11 * stride, size = room + 12 * stride
    cdef int32_t start, stop
    cdef bint crossed
    for word in range(1, n + 1):
        if relations[word] != X_PUNCT:
            continue
        head = heads[word]
        start = book.rows.fields[11 * rows[word] + 6]
        stop = book.rows.fields[11 * rows[word] + 7] - 1
        if not attached_projectively(book, sentence, word):
            book.note(R_PUNCT_IS_NONPROJ, rows[word], start, stop, rows[head])
        if -2 < head - word < 2:
            continue
        for x in range(1, n + 1):
            h = heads[x]
            if x == word:
                continue
            if head < word:
                crossed = head < x < word and h > word or x > word and head < h < word
            else:
                crossed = x < word and word < h < head or word < x < head and h < word
            if crossed and h and not _below(place, size, word, h):
                book.note(R_PUNCT_CAUSES_NONPROJ, rows[word], start, stop, rows[x])
                break
    return 0
