"""Level 2 of UD validation: heads, trees, and the values of columns."""

from libc.stdint cimport int32_t, int64_t, uint8_t
from libc.string cimport memchr, memcmp

from treegauge.kernels.validation_book cimport (
    D_INVALID, D_REF, D_UNKNOWN, EMPTY, F_BLOCKS, F_PROBLEMS, MULTIWORD, U_UNKNOWN, WORD, Book,
    Edge, Ints, Sentence,
)
from treegauge.kernels.validation_misc cimport test_misc
from treegauge.kernels.validation_rules cimport *

cdef enum:
    BAR = 124, COLON = 58, DOT = 46, ZERO = 48, NINE = 57, LARGE = 1000000000


cdef inline bint _blank(const uint8_t* raw, int32_t* fields, int column) noexcept nogil:
    return fields[column + 1] == fields[column] + 2 and raw[fields[column]] == b"_"


cdef Py_ssize_t _whole_number(
    const uint8_t* raw, Py_ssize_t i, Py_ssize_t stop, bint zero, int32_t* value
) noexcept nogil:
    """Where a number without leading zeros ends, or -1."""
    cdef int64_t number = 0
    if i == stop or not ZERO <= raw[i] <= NINE:
        return -1
    if raw[i] == ZERO:
        value[0] = 0
        return i + 1 if zero else -1
    while i < stop and ZERO <= raw[i] <= NINE:
        number = min(10 * number + raw[i] - ZERO, <int64_t> LARGE)
        i += 1
    value[0] = <int32_t> number
    return i


cdef bint _is_empty_node(
    Book book, Sentence* sentence, Py_ssize_t start, Py_ssize_t stop
) noexcept:
    """Whether an empty node has these bytes as its ID."""
    cdef int32_t* fields
    cdef Py_ssize_t row
    if sentence.n_empty:
        for row in range(sentence.token, sentence.stop):
            fields = book.rows.fields + 11 * row
            if (
                book.rows.kinds[row] == EMPTY and fields[1] - 1 - fields[0] == stop - start
                and memcmp(book.rows.raw + fields[0], book.rows.raw + start, stop - start) == 0
            ):
                return True
    return False


cdef bint test_references(Book book, Sentence* sentence) except -1:
    """Test HEAD and the heads in DEPS, and keep the items of DEPS; whether to go on."""
    cdef const uint8_t* raw = book.rows.raw
    cdef int32_t* fields
    cdef Py_ssize_t row, end
    cdef int64_t before = book.n_records
    cdef int32_t head
    sentence.has_deps = False
    for row in range(sentence.token, sentence.stop):
        book.rows.first_edge[row] = <int32_t> book.n_edges
        if book.rows.kinds[row] == MULTIWORD:
            continue
        fields = book.rows.fields + 11 * row
        if book.rows.kinds[row] == WORD:
            head = 0
            end = _whole_number(raw, fields[6], fields[7] - 1, True, &head)
            book.rows.head[row] = head
            if end != fields[7] - 1:
                book.note_column(R_INVALID_HEAD, row, 6)
                if not _is_empty_node(book, sentence, fields[6], fields[7] - 1):
                    book.note_column(R_UNKNOWN_HEAD, row, 6)
            elif head > sentence.n_words:
                book.note_column(R_UNKNOWN_HEAD, row, 6)
        if not _blank(raw, fields, 8):
            sentence.has_deps = True
            _read_deps(book, sentence, row)
    book.rows.first_edge[sentence.stop] = <int32_t> book.n_edges
    return book.n_records == before


cdef int _read_deps(Book book, Sentence* sentence, Py_ssize_t row) except -1:
    cdef const uint8_t* raw = book.rows.raw
    cdef Py_ssize_t start = book.rows.fields[11 * row + 8], stop = book.rows.fields[11 * row + 9] - 1
    cdef Py_ssize_t i = start, after, colon, end
    cdef const uint8_t* mark
    cdef int32_t head, second
    cdef bint known
    while i <= stop:  # an item without a colon hides all other problems of DEPS
        mark = <const uint8_t*> memchr(raw + i, BAR, stop - i)
        after = mark - raw if mark != NULL else stop
        if memchr(raw + i, COLON, after - i) == NULL:
            return book.note_column(R_INVALID_DEPS, row, 8)
        i = after + 1
    i = start
    while i <= stop:
        mark = <const uint8_t*> memchr(raw + i, BAR, stop - i)
        after = mark - raw if mark != NULL else stop
        colon = <const uint8_t*> memchr(raw + i, COLON, after - i) - raw
        head = second = 0
        end = _whole_number(raw, i, colon, True, &head)
        known = head <= sentence.n_words
        if 0 <= end < colon and raw[end] == DOT:
            end = _whole_number(raw, end + 1, colon, False, &second)
            known = False
        if end != colon:
            book.note(R_INVALID_EHEAD, row, i, colon, -1)
            known = False
        if not known and not _is_empty_node(book, sentence, i, colon):
            book.note(R_UNKNOWN_EHEAD, row, i, colon, -1)
        book.add_edge(row, head, second, book.edeprel.code(raw + colon + 1, after - colon - 1))
        i = after + 1
    return 0


cdef bint test_tree(Book book, Sentence* sentence) except -1:
    """Test whether HEADs make a tree; whether to go on.

    Leaves the rows of words in array 1 of the room, and their heads in array 2.
    """
    cdef Py_ssize_t stride = sentence.n_words + 2, row
    cdef Ints room = book.room(sentence.n_words)
    cdef Ints rows = room + stride, heads = room + 2 * stride, state = room + 3 * stride
    cdef int32_t word = 0, at, roots = 0, n = sentence.n_words
    for row in range(sentence.token, sentence.stop):
        if book.rows.kinds[row] == WORD:
            word += 1
            rows[word], heads[word] = <int32_t> row, book.rows.head[row]
            roots += heads[word] == 0
            if heads[word] == word:
                book.note_column(R_HEAD_SELF_LOOP, row, 6)
                return False
    if n == 0:  # empty nodes alone
        book.note_row(R_NON_TREE, sentence.token)
        return False
    if roots > 1:
        book.note_row(R_MULTIPLE_ROOTS, sentence.token)
        return False
    for word in range(1, n + 1):
        state[word] = 0
    state[0] = -1
    for word in range(1, n + 1):
        at = word
        while state[at] == 0:
            state[at] = word
            at = heads[at]
        if state[at] == word:  # the way up came back to where it had been
            book.note_row(R_NON_TREE, sentence.token)
            return False
        at = word
        while state[at] == word:
            state[at] = -1
            at = heads[at]
    for word in range(1, n + 1):
        book.rows.parent[rows[word]] = rows[heads[word]] if heads[word] else -1
    return True


cdef bint test_values(Book book, Sentence* sentence) except -1:
    """Test the values of all columns, line by line; whether to go on."""
    cdef const uint8_t* raw = book.rows.raw
    cdef int32_t* fields
    cdef Py_ssize_t row
    cdef int column
    cdef bint good = True
    cdef int64_t flags
    for row in range(sentence.token, sentence.stop):
        fields = book.rows.fields + 11 * row
        if book.rows.kinds[row] == MULTIWORD:
            for column in range(2, 9):
                if not _blank(raw, fields, column) and not (
                    column == 5 and fields[6] == fields[5] + 9
                    and memcmp(raw + fields[5], b"Typo=Yes", 8) == 0
                ):
                    book.note_column(R_MWT_NONEMPTY_FIELD, row, column)
            test_misc(book, row)
            continue
        book.rows.upos[row] = book.upos.code(raw + fields[3], fields[4] - 1 - fields[3])
        book.rows.feats[row] = book.feats.code(raw + fields[5], fields[6] - 1 - fields[5])
        if book.rows.kinds[row] == EMPTY:
            book.rows.parent[row] = -1
            book.rows.deprel[row] = 0
            for column in range(6, 8):
                if not _blank(raw, fields, column):
                    book.note_column(R_EMPTY_NODE_NONEMPTY_FIELD, row, column)
            if book.rows.upos[row] and book.upos.flags[book.rows.upos[row]] & U_UNKNOWN:
                book.note_column(R_UNKNOWN_UPOS, row, 3)
        elif book.upos.flags[book.rows.upos[row]] & U_UNKNOWN:
            book.note_column(R_UNKNOWN_UPOS, row, 3)
        if fields[5] == fields[4] + 1:
            book.note_column(R_EMPTY_STRING_IN_XPOS, row, 4)
        if book.rows.feats[row]:
            book.features_seen = True
            flags = book.feats.flags[book.rows.feats[row]]
            if flags & F_PROBLEMS:
                for rule, start, stop in book.look.feats_problems[book.rows.feats[row]]:
                    book.note(rule, row, fields[5] + start, fields[5] + stop, -1)
                good = good and not flags & F_BLOCKS
        if book.rows.kinds[row] == WORD:
            book.rows.deprel[row] = book.deprel.code(raw + fields[7], fields[8] - 1 - fields[7])
            flags = book.deprel.flags[book.rows.deprel[row]]
            if flags & D_INVALID:
                book.note_column(R_INVALID_DEPREL, row, 7)
            elif flags & D_UNKNOWN and not (flags & D_REF and book.ref_allowed):
                book.note_column(R_UNKNOWN_UDEPREL, row, 7)
        if not _blank(raw, fields, 8):
            book.ref_allowed = True  # as in the official program, for DEPREL too from here on
            book.graph_differs = book.graph_differs or not copies_tree(book, row)
            _test_deps(book, row)
        test_misc(book, row)
    return good


cdef bint copies_tree(Book book, Py_ssize_t row) noexcept:
    """Whether DEPS is HEAD:DEPREL."""
    cdef const uint8_t* raw = book.rows.raw
    cdef int32_t* fields = book.rows.fields + 11 * row
    cdef Py_ssize_t head = fields[7] - 1 - fields[6], relation = fields[8] - 1 - fields[7]
    return (
        fields[9] - 1 - fields[8] == head + 1 + relation
        and memcmp(raw + fields[8], raw + fields[6], head) == 0
        and raw[fields[8] + head] == b":"
        and memcmp(raw + fields[8] + head + 1, raw + fields[7], relation) == 0
    )


cdef int _test_deps(Book book, Py_ssize_t row) except -1:
    cdef Py_ssize_t i, first = book.rows.first_edge[row], last = book.rows.first_edge[row + 1]
    cdef Edge* edge
    cdef Edge* previous
    cdef bint sorted = True, loop = False
    cdef int64_t flags
    for i in range(first, last):
        edge = book.edges + i
        loop = loop or (
            edge.head == book.rows.number[row] and edge.second == book.rows.second[row]
        )
        flags = book.edeprel.flags[edge.relation]
        if flags & D_INVALID:
            book.note_column(R_INVALID_EDEPREL, row, 8)
        elif flags & D_UNKNOWN and not flags & D_REF:
            book.note_column(R_UNKNOWN_EUDEPREL, row, 8)
        if i > first:
            previous = edge - 1
            if edge.head < previous.head or (
                edge.head == previous.head and edge.second < previous.second
            ):
                sorted = False
    if not sorted:
        book.note_column(R_UNSORTED_DEPS, row, 8)
    else:
        for i in range(first + 1, last):
            edge = book.edges + i
            previous = edge - 1
            if edge.head == previous.head and edge.second == previous.second:
                if edge.relation == previous.relation:
                    book.note_column(R_REPEATED_DEPS, row, 8)
                elif (
                    book.edeprel.values[edge.relation] < book.edeprel.values[previous.relation]
                ):
                    book.note_column(R_UNSORTED_DEPS_2, row, 8)
    if loop:
        book.note_column(R_DEPS_SELF_LOOP, row, 8)
    return 0


cdef int test_graph(Book book, Sentence* sentence) except -1:
    """Test whether every node of an enhanced graph can be reached from 0."""
    cdef Py_ssize_t rows = sentence.stop - sentence.token, i, at, target
    cdef Py_ssize_t n_edges = book.rows.first_edge[sentence.stop]
    cdef Py_ssize_t first = book.rows.first_edge[sentence.token]
    cdef Ints room, reached
    cdef Ints words
    cdef Edge* edge
    cdef bint changed = True
    if not sentence.has_deps and sentence.n_empty == 0:
        return 0
    words = book.room(sentence.n_words) + sentence.n_words + 2
    targets = {}
    if sentence.n_empty:
        for i in range(sentence.token, sentence.stop):
            if book.rows.kinds[i] == EMPTY:
                targets[book.rows.number[i], book.rows.second[i]] = i
    # Edges are few and mostly point to the left or right by a little: sweep until nothing changes.
    cdef bytearray marks = bytearray(rows)
    cdef uint8_t* mark = marks
    while changed:
        changed = False
        for i in range(first, n_edges):
            edge = book.edges + i
            at = edge.row - sentence.token
            if mark[at]:
                continue
            if edge.head == 0 and edge.second == 0:
                mark[at] = changed = True
                continue
            target = targets[edge.head, edge.second] if edge.second else words[edge.head]
            if mark[target - sentence.token]:
                mark[at] = changed = True
        if not changed:
            break
        changed = False
        for i in range(n_edges - 1, first - 1, -1):
            edge = book.edges + i
            at = edge.row - sentence.token
            if mark[at] or (edge.head == 0 and edge.second == 0):
                continue
            target = targets[edge.head, edge.second] if edge.second else words[edge.head]
            if mark[target - sentence.token]:
                mark[at] = changed = True
    lost = [
        ((<bytes> book.rows.raw[book.rows.fields[11 * i] : book.rows.fields[11 * i + 1] - 1]), i)
        for i in range(sentence.token, sentence.stop)
        if not mark[i - sentence.token] and book.rows.kinds[i] != MULTIWORD
    ]
    if lost:  # the official program names the first in the order of strings: 10 before 2
        book.note_column(R_UNCONNECTED_EGRAPH, min(lost)[1], 8)
    return 0
