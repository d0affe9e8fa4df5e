"""What validation keeps while it reads: distinct strings, IDs seen, and what was found."""

from cpython.mem cimport PyMem_Free, PyMem_Malloc, PyMem_Realloc
from libc.string cimport memcmp, memcpy, memset


cdef void* _more(void* old, size_t size) except NULL:
    cdef void* new = PyMem_Realloc(old, size)
    if new == NULL:
        raise MemoryError
    return new


cdef class Distinct:
    """Strings of bytes and their codes, from 0 in the order in which they were first seen.

    `describe(text)` gives the flags of a string, once.
    """

    def __cinit__(self, describe):
        self.describe = describe
        self.values = []
        self.size = 256
        self.hashes = <uint64_t*> _more(NULL, self.size * sizeof(uint64_t))
        self.codes = <int32_t*> _more(NULL, self.size * sizeof(int32_t))
        memset(self.codes, 0xFF, self.size * sizeof(int32_t))
        self._add(b"_", 1)

    def __dealloc__(self):
        cdef int32_t i
        for i in range(self.count):
            PyMem_Free(self.keys[i])
        PyMem_Free(self.keys)
        PyMem_Free(self.lengths)
        PyMem_Free(self.flags)
        PyMem_Free(self.hashes)
        PyMem_Free(self.codes)

    cdef int32_t code(self, const uint8_t* at, Py_ssize_t length) except -1:
        if length == 1 and at[0] == b"_":
            return 0
        cdef uint64_t h = hash_bytes(at, length)
        cdef int64_t slot = h & (self.size - 1)
        cdef int32_t found
        while self.codes[slot] >= 0:
            found = self.codes[slot]
            if (
                self.hashes[slot] == h and self.lengths[found] == length
                and memcmp(self.keys[found], at, length) == 0
            ):
                return found
            slot = (slot + 1) & (self.size - 1)
        return self._add(at, length)

    cdef int32_t _add(self, const uint8_t* at, Py_ssize_t length) except -1:
        cdef int32_t new = self.count, room
        cdef int64_t slot
        cdef uint64_t h = hash_bytes(at, length)
        text = (<bytes> at[:length]).decode("utf-8")
        flags = self.describe(text)
        if 2 * (new + 1) > self.size:
            self._grow()
        if new == self.room:
            room = max(64, 2 * self.room)
            self.keys = <uint8_t**> _more(self.keys, room * sizeof(uint8_t*))
            self.lengths = <int32_t*> _more(self.lengths, room * sizeof(int32_t))
            self.flags = <int64_t*> _more(self.flags, room * sizeof(int64_t))
            self.room = room
        self.keys[new] = <uint8_t*> _more(NULL, length + 1)
        memcpy(self.keys[new], at, length)
        self.lengths[new] = <int32_t> length
        self.flags[new] = flags
        self.values.append(text)
        slot = h & (self.size - 1)
        while self.codes[slot] >= 0:
            slot = (slot + 1) & (self.size - 1)
        self.codes[slot] = new
        self.hashes[slot] = h
        self.count += 1
        return new

    cdef int _grow(self) except -1:
        # The table changes only when all its memory is there: it is used after a MemoryError, too.
        cdef int64_t size = 2 * self.size, i, slot
        cdef uint64_t* hashes = <uint64_t*> _more(NULL, size * sizeof(uint64_t))
        cdef int32_t* codes = <int32_t*> PyMem_Malloc(size * sizeof(int32_t))
        if codes == NULL:
            PyMem_Free(hashes)
            raise MemoryError
        memset(codes, 0xFF, size * sizeof(int32_t))
        for i in range(self.size):
            if self.codes[i] >= 0:
                slot = self.hashes[i] & (size - 1)
                while codes[slot] >= 0:
                    slot = (slot + 1) & (size - 1)
                codes[slot] = self.codes[i]
                hashes[slot] = self.hashes[i]
        self.hashes, hashes = hashes, self.hashes
        self.codes, codes = codes, self.codes
        self.size = size
        PyMem_Free(hashes)
        PyMem_Free(codes)
        return 0


cdef class Seen:
    """Strings seen before, by hashes of eight bytes, so that memory is 11 to 22 bytes per string.

    Two different strings of a million have the same hash with probability 3e-8.
    """

    def __cinit__(self):
        self.size = 1024
        self.hashes = <uint64_t*> _more(NULL, self.size * sizeof(uint64_t))
        memset(self.hashes, 0, self.size * sizeof(uint64_t))

    def __dealloc__(self):
        PyMem_Free(self.hashes)

    cdef bint add(self, const uint8_t* at, Py_ssize_t length) except -1:
        """Whether a string is new; it is not from then on."""
        cdef uint64_t h = hash_bytes(at, length) | 1  # 0 marks an empty slot
        cdef uint64_t* old = self.hashes
        cdef int64_t slot, i, size = self.size
        if 4 * (self.count + 1) > 3 * size:
            self.hashes = <uint64_t*> _more(NULL, 2 * size * sizeof(uint64_t))
            memset(self.hashes, 0, 2 * size * sizeof(uint64_t))
            self.size = 2 * size
            for i in range(size):
                if old[i]:
                    slot = (old[i] >> 20) & (self.size - 1)
                    while self.hashes[slot]:
                        slot = (slot + 1) & (self.size - 1)
                    self.hashes[slot] = old[i]
            PyMem_Free(old)
        slot = (h >> 20) & (self.size - 1)
        while self.hashes[slot]:
            if self.hashes[slot] == h:
                return False
            slot = (slot + 1) & (self.size - 1)
        self.hashes[slot] = h
        self.count += 1
        return True


cdef class Book:
    """The state of one validation, over all chunks and files.

    `look` takes slow looks: it describes distinct strings, and what is odd.
    """

    def __cinit__(self, int level, str language, look):
        self.level = level
        self.language = language
        self.look = look
        self.upos = Distinct(look.upos)
        self.feats = Distinct(look.feats)
        self.deprel = Distinct(look.deprel)
        self.edeprel = Distinct(look.edeprel)
        self.lang = Distinct(look.lang)
        self.sent_ids = Seen()
        self.delayed = []
        self.last_token = -1

    def __dealloc__(self):
        cdef int i
        for i in range(4352):
            PyMem_Free(self.classes[i])
        PyMem_Free(self.records)
        PyMem_Free(self.edges)
        PyMem_Free(self.scratch)

    cdef int note(
        self, int rule, Py_ssize_t row, Py_ssize_t start, Py_ssize_t stop, Py_ssize_t other
    ) except -1:
        """Note a problem: the rule, its row, the bytes it is about and another row, or -1."""
        cdef int32_t* at
        cdef Py_ssize_t room
        if self.n_records == self.room_records:
            room = max(256, 2 * self.room_records)
            self.records = <int32_t*> _more(self.records, room * 5 * sizeof(int32_t))
            self.room_records = room
        at = self.records + 5 * self.n_records
        at[0], at[1], at[2] = rule, <int32_t> row, <int32_t> start
        at[3], at[4] = <int32_t> stop, <int32_t> other
        self.n_records += 1
        return 0

    cdef int note_column(self, int rule, Py_ssize_t row, int column) except -1:
        cdef int32_t* fields = self.rows.fields + 11 * row
        return self.note(rule, row, fields[column], fields[column + 1] - 1, -1)

    cdef int note_row(self, int rule, Py_ssize_t row) except -1:
        """Note a problem of a whole line."""
        cdef int32_t start = self.rows.fields[11 * row]
        return self.note(rule, row, start, start, -1)

    cdef int add_edge(
        self, Py_ssize_t row, int32_t head, int32_t second, int32_t relation
    ) except -1:
        cdef Edge* edge
        cdef Py_ssize_t room
        if self.n_edges == self.room_edges:
            room = max(256, 2 * self.room_edges)
            self.edges = <Edge*> _more(self.edges, room * sizeof(Edge))
            self.room_edges = room
        edge = self.edges + self.n_edges
        edge.row, edge.head = <int32_t> row, head
        edge.second, edge.relation = second, relation
        self.n_edges += 1
        return 0

    cdef Ints room(self, Py_ssize_t words) except NULL:
        """Sixteen arrays of at least `words` + 2 numbers each; array k starts at k * (words + 2)."""
        cdef Py_ssize_t room = 32 * (words + 2)
        if 16 * (words + 2) > self.room_scratch:
            self.scratch = <Ints> _more(self.scratch, room * sizeof(int32_t))
            self.room_scratch = room
        return self.scratch
