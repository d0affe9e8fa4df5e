"""Level 3 of UD validation: contents of trees that are the same in all languages."""

from libc.stdint cimport int32_t, int64_t, uint8_t, uint64_t

from treegauge.kernels.validation_book cimport *
from treegauge.kernels.validation_columns cimport copies_tree
from treegauge.kernels.validation_punctuation cimport (
    attached_projectively, order_tree, test_punctuation,
)
from treegauge.kernels.validation_rules cimport *

cdef enum:  # what dependents a word has
    HAS_FIXED = 1, HAS_GOESWITH = 2, HAS_CLAUSE = 4

cdef inline uint64_t _bit(int relation) noexcept nogil:
    return <uint64_t> 1 << relation

cdef uint64_t LEAVES = (
    _bit(X_GOESWITH) | _bit(X_FIXED) | _bit(X_REPARANDUM) | _bit(X_CONJ) | _bit(X_CC)
    | _bit(X_PUNCT)
)
cdef uint64_t MODIFIED = LEAVES | _bit(X_ADVMOD) | _bit(X_OBL)
cdef uint64_t DETERMINER = (
    MODIFIED | _bit(X_DET) | _bit(X_CASE) | _bit(X_CLF) | _bit(X_FLAT) | _bit(X_COMPOUND)
    | _bit(X_DISCOURSE) | _bit(X_PARATAXIS)
)
cdef uint64_t POSSESSIVE = _bit(X_APPOS) | _bit(X_ACL) | _bit(X_NMOD)
cdef uint64_t NOMINAL = (
    _bit(X_NSUBJ) | _bit(X_OBJ) | _bit(X_IOBJ) | _bit(X_OBL) | _bit(X_VOCATIVE)
    | _bit(X_DISLOCATED) | _bit(X_EXPL) | _bit(X_NMOD)
)
cdef uint64_t CLAUSES = (
    _bit(X_CONJ) | _bit(X_PARATAXIS) | _bit(X_ROOT) | _bit(X_CSUBJ) | _bit(X_CCOMP)
    | _bit(X_ADVCL) | _bit(X_ACL) | _bit(X_REPARANDUM)
)
# By relation: the rule that says what its parent must not be, its bit, and the children it may have.
cdef int TAG_RULE[64]
cdef int TAG_BIT[64]
cdef int LEFT_RULE[64]
cdef int LEAF_RULE[64]
cdef uint64_t LEAF_CHILDREN[64]
cdef int _k
for _k in range(64):
    TAG_RULE[_k] = LEFT_RULE[_k] = LEAF_RULE[_k] = -1
    TAG_BIT[_k] = 0
    LEAF_CHILDREN[_k] = 0
for _relation, _rule, _mark in (
    (X_DET, R_REL_UPOS_DET, P_DET), (X_NUMMOD, R_REL_UPOS_NUMMOD, P_NUMMOD),
    (X_ADVMOD, R_REL_UPOS_ADVMOD, P_ADVMOD), (X_EXPL, R_REL_UPOS_EXPL, P_EXPL),
    (X_AUX, R_REL_UPOS_AUX, P_AUX), (X_COP, R_REL_UPOS_COP, P_COP),
    (X_CASE, R_REL_UPOS_CASE, P_CASE), (X_MARK, R_REL_UPOS_MARK, P_MARK),
    (X_CC, R_REL_UPOS_CC, P_CC), (X_PUNCT, R_REL_UPOS_PUNCT, P_PUNCT),
):
    TAG_RULE[<int> _relation], TAG_BIT[<int> _relation] = _rule, _mark
for _relation, _rule in (
    (X_CONJ, R_RIGHT_TO_LEFT_CONJ), (X_FIXED, R_RIGHT_TO_LEFT_FIXED),
    (X_FLAT, R_RIGHT_TO_LEFT_FLAT), (X_GOESWITH, R_RIGHT_TO_LEFT_GOESWITH),
    (X_APPOS, R_RIGHT_TO_LEFT_APPOS),
):
    LEFT_RULE[<int> _relation] = _rule
for _relation, _rule, _children in (
    (X_MARK, R_LEAF_MARK_CASE, MODIFIED), (X_CASE, R_LEAF_MARK_CASE, MODIFIED),
    (X_AUX, R_LEAF_AUX_COP, LEAVES), (X_COP, R_LEAF_AUX_COP, LEAVES),
    (X_DET, R_LEAF_DET, DETERMINER), (X_CLF, R_LEAF_CLF, MODIFIED),
    (X_CC, R_LEAF_CC, LEAVES & ~_bit(X_CC)),
    (X_FIXED, R_LEAF_FIXED, LEAVES & ~_bit(X_CC) & ~_bit(X_FIXED)),
    (X_GOESWITH, R_LEAF_GOESWITH, 0), (X_PUNCT, R_LEAF_PUNCT, _bit(X_PUNCT)),
):
    LEAF_RULE[<int> _relation], LEAF_CHILDREN[<int> _relation] = _rule, _children


cdef int test_roots(Book book, Sentence* sentence) except -1:
    """Test roots and orphans, of trees and of enhanced graphs."""
    cdef Py_ssize_t row, i
    cdef int relation
    cdef Edge* edge
    cdef bint orphan
    for row in range(sentence.token, sentence.stop):
        if book.rows.kinds[row] == MULTIWORD:
            continue
        if book.rows.kinds[row] == WORD:
            relation = book.deprel.flags[book.rows.deprel[row]] >> D_SHIFT
            if book.rows.head[row] == 0 and relation != X_ROOT:
                book.note_column(R_0_IS_NOT_ROOT, row, 7)
            elif book.rows.head[row] and relation == X_ROOT:
                book.note_column(R_ROOT_IS_NOT_0, row, 6)
        else:
            if not book.empty_seen and book.orphan_seen:
                book.note_row(R_EMPTY_NODE_AFTER_EORPHAN, row)
            book.empty_seen = True
        if book.rows.first_edge[row] == book.rows.first_edge[row + 1]:
            continue
        orphan = False
        for i in range(book.rows.first_edge[row], book.rows.first_edge[row + 1]):
            edge = book.edges + i
            relation = book.edeprel.flags[edge.relation] >> D_SHIFT
            orphan = orphan or relation == X_ORPHAN
            if edge.head == 0 and edge.second == 0:
                if relation != X_ROOT:
                    book.note_column(R_ENHANCED_0_IS_NOT_ROOT, row, 8)
            elif relation == X_ROOT:
                book.note_column(R_ENHANCED_ROOT_IS_NOT_0, row, 8)
        if orphan:
            if book.empty_seen:
                book.note_column(R_EORPHAN_AFTER_EMPTY_NODE, row, 8)
            book.orphan_seen = True
    return 0


cdef int test_words(Book book, Sentence* sentence) except -1:
    """Test the words of a tree one by one, and with their parents and children."""
    cdef int32_t n = sentence.n_words, stride = n + 2, word, parent
    cdef Ints room = book.room(n)
    cdef Ints rows = room + stride, heads = room + 2 * stride, relations = room + 4 * stride
    cdef Ints subjects = room + 5 * stride, objects = room + 6 * stride, has = room + 7 * stride
    cdef Ints last_fixed = room + 8 * stride, last_goes = room + 9 * stride
    cdef Ints goes = room + 10 * stride, first_goes = room + 3 * stride
    cdef Py_ssize_t row, above
    cdef int relation
    cdef int64_t flags, feats, upos, tag
    cdef bint punctuation = False, projective = order_tree(book, sentence)
    for word in range(n + 1):
        subjects[word] = objects[word] = has[word] = goes[word] = 0
        last_fixed[word] = last_goes[word] = 0
    relations[0] = X_OTHER
    for word in range(1, n + 1):
        row, parent = rows[word], heads[word]
        flags = book.deprel.flags[book.rows.deprel[row]]
        relation = flags >> D_SHIFT
        relations[word] = relation
        if flags & D_SUBJECT and not flags & D_OUTER and not book.rows.misc[row] & M_OUTER:
            subjects[parent] += 1
        if relation == X_OBJ:
            objects[parent] += 1
        elif relation == X_FIXED:
            has[parent] |= HAS_FIXED
            last_fixed[parent] = word
        elif relation == X_GOESWITH:
            has[parent] |= HAS_GOESWITH
            if not last_goes[parent]:
                first_goes[parent] = word
            last_goes[parent] = word
            goes[parent] += 1 if word > parent else n + 1
        elif relation == X_COP or relation == X_NSUBJ or relation == X_CSUBJ:
            has[parent] |= HAS_CLAUSE
        punctuation = punctuation or relation == X_PUNCT
    for word in range(1, n + 1):
        row, parent, relation = rows[word], heads[word], relations[word]
        above = rows[parent] if parent else -1
        upos = book.upos.flags[book.rows.upos[row]]
        feats = book.feats.flags[book.rows.feats[row]]
        tag = (feats if feats & F_EXTPOS else upos) >> P_SHIFT
        if upos & U_PRON_DET and not feats & F_PRONTYPE:
            book.note(
                R_PRON_DET_WITHOUT_PRONTYPE + (0 if book.features_seen else DELAYED), row,
                book.rows.fields[11 * row + 5], book.rows.fields[11 * row + 6] - 1, -1,
            )
        if feats & F_FIN and not feats & F_MOOD:
            book.note_column(R_VERBFORM_FIN_WITHOUT_MOOD, row, 5)
        if TAG_RULE[relation] >= 0 and tag & TAG_BIT[relation]:
            if relation != X_ADVMOD or not has[word] & HAS_GOESWITH:
                book.note_column(TAG_RULE[relation], row, 3)
        if not tag & P_NOT_PUNCT and not book.deprel.flags[book.rows.deprel[row]] & D_LIKE_PUNCT:
            book.note_column(R_UPOS_REL_PUNCT, row, 7)
        if tag & P_FIXED and (relation == X_FIXED or has[word] & HAS_FIXED):
            book.note_column(R_REL_UPOS_FIXED, row, 3)
        if LEFT_RULE[relation] >= 0 and word < parent:
            book.note(
                LEFT_RULE[relation], row, book.rows.fields[11 * row + 6],
                book.rows.fields[11 * row + 7] - 1, above,
            )
        if subjects[word] > 1:
            book.note_row(R_TOO_MANY_SUBJECTS, row)
        if objects[word] > 1:
            book.note_row(R_TOO_MANY_OBJECTS, row)
        if has[word] & HAS_FIXED:
            if not feats & F_EXTPOS:
                book.note_column(R_FIXED_WITHOUT_EXTPOS, row, 5)
            _test_fixed_gap(book, sentence, word)
        if has[word] & HAS_GOESWITH:
            _test_goeswith(book, sentence, word)
        if relation == X_GOESWITH:
            _test_goeswith_part(book, row, upos)
        if not parent:
            continue
        if book.deprel.flags[book.rows.deprel[row]] & D_FOREIGN:
            if not (upos & U_X and feats & F_FOREIGN):
                book.note_column(R_FLAT_FOREIGN_UPOS_FEATS, row, 3)
            if not (
                book.upos.flags[book.rows.upos[above]] & U_X
                and book.feats.flags[book.rows.feats[above]] & F_FOREIGN
            ):
                book.note_column(R_FLAT_FOREIGN_UPOS_FEATS, above, 3)
        if (
            relation == X_OBL and book.upos.flags[book.rows.upos[above]] & U_NOMINAL
            and _bit(relations[parent]) & NOMINAL and not has[parent] & HAS_CLAUSE
        ):
            book.note(
                R_OBL_SHOULD_BE_NMOD, row, book.rows.fields[11 * row + 7],
                book.rows.fields[11 * row + 8] - 1, above,
            )
        if relation == X_ORPHAN and not _bit(relations[parent]) & CLAUSES:
            book.note(
                R_ORPHAN_PARENT, row, book.rows.fields[11 * row + 7],
                book.rows.fields[11 * row + 8] - 1, above,
            )
        if LEAF_RULE[relations[parent]] >= 0:
            _test_leaf(book, sentence, word)
    if punctuation and not projective:
        test_punctuation(book, sentence)
    return 0


cdef int _test_leaf(Book book, Sentence* sentence, int32_t word) except -1:
    """Test whether the parent of a word may have it as its child."""
    cdef int32_t stride = sentence.n_words + 2
    cdef Ints room = book.room(sentence.n_words)
    cdef Ints rows = room + stride, heads = room + 2 * stride, relations = room + 4 * stride
    cdef int32_t parent = heads[word]
    cdef Py_ssize_t row = rows[word], above = rows[parent]
    cdef uint64_t allowed = LEAF_CHILDREN[relations[parent]]
    if relations[parent] == X_DET and book.feats.flags[book.rows.feats[above]] & F_POSS:
        allowed |= POSSESSIVE
    if allowed & _bit(relations[word]):
        return 0
    if (
        relations[parent] != X_PUNCT and relations[word] == X_ADVMOD
        and book.upos.flags[book.rows.upos[row]] & U_NEGATOR
        and book.feats.flags[book.rows.feats[row]] & F_NEG
    ):
        return 0
    if relations[word] == X_PUNCT and not attached_projectively(book, sentence, parent):
        return 0
    return book.note(
        LEAF_RULE[relations[parent]], row, book.rows.fields[11 * row + 7],
        book.rows.fields[11 * row + 8] - 1, above,
    )


cdef int _test_fixed_gap(Book book, Sentence* sentence, int32_t word) except -1:
    cdef int32_t stride = sentence.n_words + 2, between
    cdef Ints room = book.room(sentence.n_words)
    cdef Ints rows = room + stride, heads = room + 2 * stride, relations = room + 4 * stride
    for between in range(word + 1, (room + 8 * stride)[word]):
        if relations[between] != X_PUNCT and not (
            relations[between] == X_FIXED and heads[between] == word
        ):
            return book.note(R_FIXED_GAP, rows[word], -1, -1, rows[between])
    return 0


cdef int _test_goeswith(Book book, Sentence* sentence, int32_t word) except -1:
    """Test a word that was split into several, at its first part."""
    cdef int32_t stride = sentence.n_words + 2, part
    cdef Ints room = book.room(sentence.n_words)
    cdef Ints rows = room + stride, heads = room + 2 * stride, relations = room + 4 * stride
    cdef Py_ssize_t row = rows[word]
    cdef int32_t first = (room + 3 * stride)[word], last = (room + 9 * stride)[word]
    cdef int64_t feats = book.feats.flags[book.rows.feats[row]]
    if (room + 10 * stride)[word] != last - word:
        book.note_row(R_GOESWITH_GAP, row)
    for part in range(min(first, word), max(last, word)):
        if (
            (part == word or relations[part] == X_GOESWITH and heads[part] == word)
            and book.rows.misc[rows[part]] & M_LAST_NO_SPACE
            and book.rows.cover[rows[part]] < 0  # spaces inside a multiword token do not count
        ):
            book.note(R_GOESWITH_NOSPACE, row, -1, -1, rows[part])
            break
    if not feats & F_TYPO:
        book.note(
            R_GOESWITH_MISSING_TYPO + (0 if book.features_seen else DELAYED), row,
            book.rows.fields[11 * row + 5], book.rows.fields[11 * row + 6] - 1, -1,
        )
    return 0


cdef int _test_goeswith_part(Book book, Py_ssize_t row, int64_t upos) except -1:
    """Test a later part of a split word."""
    cdef const uint8_t* raw = book.rows.raw
    cdef int32_t* fields = book.rows.fields + 11 * row
    if fields[3] != fields[2] + 2 or raw[fields[2]] != b"_":
        book.note_column(R_GOESWITH_LEMMA, row, 2)
    if not upos & U_X:
        book.note_column(R_GOESWITH_UPOS, row, 3)
    if book.rows.feats[row]:
        book.note_column(R_GOESWITH_FEATS, row, 5)
    if _has_other_edges(book, row):
        book.note_column(R_GOESWITH_EDEPS, row, 8)
    return 0


cdef bint _has_other_edges(Book book, Py_ssize_t row) except -1:
    """Whether an item of DEPS is not HEAD:DEPREL; the same item twice is another matter."""
    cdef Py_ssize_t i
    cdef Edge* edge
    if copies_tree(book, row):
        return False
    for i in range(book.rows.first_edge[row], book.rows.first_edge[row + 1]):
        edge = book.edges + i
        if (
            edge.head != book.rows.head[row] or edge.second
            or book.edeprel.values[edge.relation] != book.deprel.values[book.rows.deprel[row]]
        ):
            return True
    return False
