from libc.stdint cimport int32_t, int64_t, uint8_t, uint64_t


cpdef enum:  # kinds of rows, as in treegauge.validation.messages
    COMMENT, BLANK, WORD, MULTIWORD, EMPTY, OTHER

cpdef enum:  # what the strings of FEATS are known by
    F_PROBLEMS = 1, F_BLOCKS = 2, F_PRONTYPE = 4, F_EXTPOS = 8, F_FIN = 16, F_MOOD = 32
    F_TYPO = 64, F_NEG = 128, F_POSS = 256, F_FOREIGN = 512

cpdef enum:  # of UPOS
    U_UNKNOWN = 1, U_PRON_DET = 2, U_NOMINAL = 4, U_NEGATOR = 8, U_X = 16

cpdef enum:  # bits from P_SHIFT on, of UPOS and of ExtPos: which relations the tag may not have
    P_SHIFT = 16
    P_DET = 1, P_NUMMOD = 2, P_ADVMOD = 4, P_EXPL = 8, P_AUX = 16, P_COP = 32, P_CASE = 64
    P_MARK = 128, P_CC = 256, P_PUNCT = 512, P_NOT_PUNCT = 1024, P_FIXED = 2048

cpdef enum:  # of DEPREL and of relations in DEPS; bits from D_SHIFT on are the universal relation
    D_INVALID = 1, D_UNKNOWN = 2, D_REF = 4, D_FOREIGN = 8, D_OUTER = 16, D_SUBJECT = 32
    D_LIKE_PUNCT = 64  # starts like punct or root
    D_SHIFT = 8

cpdef enum:  # universal relations that tests ask for; all others are one
    X_OTHER, X_ROOT, X_PUNCT, X_CONJ, X_FIXED, X_FLAT, X_GOESWITH, X_APPOS, X_OBJ, X_OBL, X_ORPHAN
    X_DET, X_NUMMOD, X_ADVMOD, X_EXPL, X_AUX, X_COP, X_CASE, X_MARK, X_CC, X_CLF, X_NSUBJ, X_CSUBJ
    X_IOBJ, X_VOCATIVE, X_DISLOCATED, X_NMOD, X_PARATAXIS, X_CCOMP, X_ADVCL, X_ACL, X_REPARANDUM
    X_COMPOUND, X_DISCOURSE

cdef enum:  # of MISC
    M_NO_SPACE = 1  # an item SpaceAfter=No
    M_TEXT_NO_SPACE = 2  # the text SpaceAfter=No anywhere
    M_NOT_NO_SPACE = 4  # the text NoSpaceAfter=Yes anywhere
    M_OTHER_VALUE = 8  # an item SpaceAfter= with another value
    M_LAST_NO_SPACE = 16  # the last item SpaceAfter= is SpaceAfter=No
    M_OUTER = 32  # the last item Subject= is Subject=Outer
    M_ODD = 64  # something that needs a closer look

ctypedef int32_t* Ints

cdef struct Rows:  # the lines of a chunk; see treegauge.validation.messages.Chunk
    const uint8_t* raw
    int32_t* fields  # eleven per row
    uint8_t* kinds
    uint8_t* spaced
    int32_t* number  # the ID: of a word, of a multiword token's first word, of an empty node
    int32_t* second  # its second part
    int32_t* head
    int32_t* parent
    int32_t* cover
    int32_t* upos
    int32_t* feats
    int32_t* deprel
    int32_t* lang
    uint8_t* misc
    int32_t* first_edge  # the first item of DEPS; that of the next row ends them

cdef struct Edge:
    int32_t row, head, second, relation

cdef struct Sentence:
    int32_t begin, token, stop  # first row, first row that is no comment, row after the last token
    int32_t n_words, n_empty
    bint has_deps


cdef class Distinct:
    # Strings of bytes and their codes; `flags[code]` is what `describe` says of a string.
    cdef uint64_t* hashes
    cdef int32_t* codes
    cdef int64_t size
    cdef uint8_t** keys
    cdef int32_t* lengths
    cdef int64_t* flags
    cdef int32_t count, room
    cdef object describe
    cdef readonly list values
    cdef int32_t code(self, const uint8_t* at, Py_ssize_t length) except -1
    cdef int32_t _add(self, const uint8_t* at, Py_ssize_t length) except -1
    cdef int _grow(self) except -1


cdef class Seen:
    # A set of 64-bit hashes.
    cdef uint64_t* hashes
    cdef int64_t size, count
    cdef bint add(self, const uint8_t* at, Py_ssize_t length) except -1


cdef class Book:
    cdef Rows rows
    cdef Distinct upos, feats, deprel, edeprel, lang
    cdef Seen sent_ids
    cdef readonly int level
    cdef readonly object language, look  # language: str; look: slow looks at odd things
    cdef bint ref_allowed, features_seen, empty_seen, orphan_seen, last_no_space
    cdef bint graphs_seen, trees_seen, sometimes_told, graph_differs
    cdef readonly bint carriage_return
    cdef readonly int last_token  # row of the last line of the last block that was looked at
    cdef int32_t* records  # rule, row, start, stop, other row
    cdef int64_t n_records, room_records
    cdef list delayed
    cdef Edge* edges
    cdef int64_t n_edges, room_edges
    cdef int32_t* nodes
    cdef int64_t n_nodes
    cdef Ints scratch  # sixteen arrays as long as the longest sentence
    cdef int64_t room_scratch
    cdef uint8_t* classes[4352]  # what characters are, 256 each; NULL where nobody has asked
    cdef int note(
        self, int rule, Py_ssize_t row, Py_ssize_t start, Py_ssize_t stop, Py_ssize_t other
    ) except -1
    cdef int note_column(self, int rule, Py_ssize_t row, int column) except -1
    cdef int note_row(self, int rule, Py_ssize_t row) except -1
    cdef int add_edge(
        self, Py_ssize_t row, int32_t head, int32_t second, int32_t relation
    ) except -1
    cdef Ints room(self, Py_ssize_t words) except NULL


cdef inline bint is_space(uint64_t c) noexcept nogil:
    # Unicode White_Space
    return (
        c == 0x20 or 9 <= c <= 13 or c == 0x85 or c == 0xA0 or c == 0x1680
        or 0x2000 <= c <= 0x200A or c == 0x2028 or c == 0x2029 or c == 0x202F or c == 0x205F
        or c == 0x3000
    )


cdef inline bint is_wide_space(uint64_t c) noexcept nogil:
    # what str.isspace calls white space
    return is_space(c) or 0x1C <= c <= 0x1F


cdef inline uint64_t decode(const uint8_t* raw, Py_ssize_t* at) noexcept nogil:
    # The character at a place in valid UTF-8; the place moves on.
    cdef uint64_t a = raw[at[0]]
    if a < 0x80:
        at[0] += 1
        return a
    if a < 0xE0:
        at[0] += 2
        return (a & 0x1F) << 6 | (raw[at[0] - 1] & 0x3F)
    if a < 0xF0:
        at[0] += 3
        return (a & 0x0F) << 12 | (raw[at[0] - 2] & 0x3F) << 6 | (raw[at[0] - 1] & 0x3F)
    at[0] += 4
    return (
        (a & 0x07) << 18 | <uint64_t> (raw[at[0] - 3] & 0x3F) << 12
        | (raw[at[0] - 2] & 0x3F) << 6 | (raw[at[0] - 1] & 0x3F)
    )


cdef inline Py_ssize_t skip_spaces(
    const uint8_t* raw, Py_ssize_t i, Py_ssize_t stop, bint wide
) noexcept nogil:
    # The first place that is not white space.
    cdef Py_ssize_t after = i
    cdef uint64_t c
    while i < stop:
        c = decode(raw, &after)
        if not (is_wide_space(c) if wide else is_space(c)):
            return i
        i = after
    return i


cdef inline uint64_t hash_bytes(const uint8_t* at, Py_ssize_t length) noexcept nogil:
    cdef uint64_t h = 0x9E3779B97F4A7C15ULL ^ <uint64_t> length, word
    cdef Py_ssize_t i = 0
    while i + 8 <= length:
        word = (
            <uint64_t> at[i] | <uint64_t> at[i + 1] << 8 | <uint64_t> at[i + 2] << 16
            | <uint64_t> at[i + 3] << 24 | <uint64_t> at[i + 4] << 32 | <uint64_t> at[i + 5] << 40
            | <uint64_t> at[i + 6] << 48 | <uint64_t> at[i + 7] << 56
        )
        h = (h ^ word) * 0xFF51AFD7ED558CCDULL
        h ^= h >> 32
        i += 8
    word = 0
    while i < length:
        word = word << 8 | at[i]
        i += 1
    h = (h ^ word) * 0xC4CEB9FE1A85EC53ULL
    h ^= h >> 29
    h *= 0xFF51AFD7ED558CCDULL
    return h ^ h >> 32
