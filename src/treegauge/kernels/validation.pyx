"""UD validation, levels 1 to 3: the order of tests within a sentence."""

import numpy as np

from libc.stdint cimport int32_t, uint8_t
from libc.string cimport memcpy

from treegauge.kernels.validation_book cimport BLANK, Book, Edge, MULTIWORD, Sentence
from treegauge.kernels.validation_columns cimport (
    test_graph, test_references, test_tree, test_values,
)
from treegauge.kernels.validation_ids cimport test_ids
from treegauge.kernels.validation_lines cimport read_block, test_columns
from treegauge.kernels.validation_text cimport test_metadata
from treegauge.kernels.validation_tree cimport test_roots, test_words


def book(int level, str language, look):
    """The state of a validation; see :class:`treegauge.kernels.validation_book.Book`."""
    return Book(level, language, look)


def state(Book book):
    """What the end of a file or of a run needs to know.

    Whether a CR was seen in this file, the row of the last token, whether any feature was seen,
    and whether all enhanced graphs are copies of trees.
    """
    cdef bint copies = book.graphs_seen and not book.graph_differs
    return book.carriage_return, book.last_token, book.features_seen, copies


def start_file(Book book):
    """Forget what belongs to the file before."""
    book.carriage_return = False


def values(Book book):
    """The distinct values of UPOS, FEATS, DEPREL, relations in DEPS, and MISC Lang, by code."""
    return tuple(
        column.values
        for column in (book.upos, book.feats, book.deprel, book.edeprel, book.lang)
    )


cdef bint _test(Book book, Sentence* sentence) except -1:
    """Test a block whose lines were good; whether it got to the end."""
    if not test_columns(book, sentence) or not test_ids(book, sentence):
        return False
    if book.level < 2:
        return False
    if not test_references(book, sentence) or not test_tree(book, sentence):
        return False
    if not test_values(book, sentence):
        return False
    test_metadata(book, sentence)
    test_graph(book, sentence)
    if book.level > 2:
        test_roots(book, sentence)
        test_words(book, sentence)
    return True


def validate(Book book, const uint8_t[::1] data, Py_ssize_t lines):
    """Validate whole sentences.

    Parameters
    ----------
    book
        The state so far.
    data, lines
        Valid UTF-8, and the number of its lines.

    Returns
    -------
    records, begins, fields, kinds, nodes, parent, cover, spaced, upos, feats, deprel, lang, edges
        Problems (rule, row, first byte, byte after the last, another row) by sentence, the first
        row of each sentence, the number of rows last; for the rest see
        :class:`treegauge.validation.messages.Chunk`.
    """
    cdef Py_ssize_t position = 0, row = 0, size = len(data), r, n_begins = 0, i
    cdef int32_t[:, ::1] fields = np.empty((lines + 1, 11), np.int32)
    cdef int32_t[:, ::1] more = np.empty((10, lines + 2), np.int32)
    cdef uint8_t[:, ::1] small = np.zeros((3, lines + 1), np.uint8)
    cdef int32_t[::1] begins = np.empty(lines + 1, np.int32)
    cdef int32_t[::1] nodes = np.empty(lines + 1, np.int32)
    cdef int32_t[:, ::1] records, edges
    cdef Sentence sentence
    cdef bint whole
    cdef long long first_edge
    book.rows.raw = &data[0]
    book.rows.fields = &fields[0, 0]
    book.rows.kinds, book.rows.spaced, book.rows.misc = &small[0, 0], &small[1, 0], &small[2, 0]
    book.rows.number, book.rows.second, book.rows.head = &more[0, 0], &more[1, 0], &more[2, 0]
    book.rows.parent, book.rows.cover, book.rows.upos = &more[3, 0], &more[4, 0], &more[5, 0]
    book.rows.feats, book.rows.deprel, book.rows.lang = &more[6, 0], &more[7, 0], &more[8, 0]
    book.rows.first_edge = &more[9, 0]
    book.nodes = &nodes[0]
    book.n_records = book.n_edges = book.n_nodes = 0
    book.last_token = -1
    while position < size:
        whole = False
        first_edge = book.n_edges
        position = read_block(book, position, size, row, &sentence, &whole)
        begins[n_begins] = <int32_t> row
        n_begins += 1
        row = sentence.stop + (position < size or book.rows.kinds[sentence.stop] == BLANK)
        if whole and _test(book, &sentence):
            for r in range(sentence.token, sentence.stop):
                if book.rows.kinds[r] != MULTIWORD:
                    nodes[book.n_nodes] = <int32_t> r
                    book.n_nodes += 1
        else:
            book.n_edges = first_edge
    begins[n_begins] = <int32_t> row
    records = np.empty((book.n_records, 5), np.int32)
    if book.n_records:
        memcpy(&records[0, 0], book.records, book.n_records * 5 * sizeof(int32_t))
    edges = np.empty((book.n_edges, 2), np.int32)
    for i in range(book.n_edges):
        edges[i, 0], edges[i, 1] = book.edges[i].row, book.edges[i].relation
    return (
        np.asarray(records), np.asarray(begins)[: n_begins + 1], np.asarray(fields),
        np.asarray(small[0]), np.asarray(nodes)[: book.n_nodes], np.asarray(more[3]),
        np.asarray(more[4]), np.asarray(small[1]), np.asarray(more[5]), np.asarray(more[6]),
        np.asarray(more[7]), np.asarray(more[8]), np.asarray(edges),
    )
