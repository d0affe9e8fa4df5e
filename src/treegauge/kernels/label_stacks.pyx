"""Loops between heads and hierarchical brackets, which open and close on a stack.

Words of a sentence count from 1, heads are within it, and 0 is the root. A label is a sequence of
operations; an index counts brackets from the top of the stack.
"""

import numpy as np

from libc.stdint cimport int32_t, int64_t, uint8_t

ctypedef const int32_t[::1] Ints
ctypedef const uint8_t[::1] Bytes
ctypedef const double[:, ::1] Table

# Close a bracket; close it, and its opener is my head; the opener of a bracket is my head; who
# closes a bracket is my head; open one; open one, and who closes it is my head.
cpdef enum:
    CLOSE, CLOSE_HEAD, ASK, WAIT, OPEN, OPEN_WAIT

# What a word does about its own head in hierarchical brackets.
cpdef enum:
    CLOSES, LEANS_LEFT, OPENS, LEANS_RIGHT


cdef bint _is_structural(
    Py_ssize_t word, const int32_t* heads, const int32_t* leftmost, const int32_t* rightmost,
    int32_t* structural, int32_t* path,
) noexcept nogil:
    """Say whether a word's arc is a bracket of its own; words are asked from the top down."""
    cdef Py_ssize_t top = 0, at = word, head, above
    while at != 0 and structural[at] < 0:
        path[top] = <int32_t> at
        top += 1
        at = heads[at - 1]
    while top:
        top -= 1
        at = path[top]
        head = heads[at - 1]
        if at != (rightmost[head] if at > head else leftmost[head]):
            structural[at] = 0  # a sibling's arc covers it
        elif head == 0:
            structural[at] = 1
        else:
            above = heads[head - 1]
            structural[at] = not (
                structural[head] and ((above > at > head) or (above < at < head))
            )
    return structural[word]


def hierarchy(Ints heads, Ints offsets, int32_t[:, ::1] rows):
    """Write what each word does: its part, its index, the index that it closes on the left + 1
    (0: none), and whether it opens a bracket on the right.
    """
    cdef Py_ssize_t longest = np.diff(offsets).max(initial=0) + 1, s, n, j, k, top, at, start
    cdef int32_t[:, ::1] room = np.zeros((7, 2 * longest + 2), np.int32)
    cdef int32_t *leftmost = &room[0, 0], *rightmost = &room[1, 0], *structural = &room[2, 0]
    cdef int32_t *path = &room[3, 0], *opener = &room[4, 0], *closer = &room[5, 0]
    cdef const int32_t* own
    cdef int32_t head
    with nogil:
        for s in range(offsets.shape[0] - 1):
            start, n = offsets[s], offsets[s + 1] - offsets[s]
            if n == 0:
                continue
            own = &heads[start]
            for j in range(n + 1):
                leftmost[j] = rightmost[j] = <int32_t> j
                structural[j] = -1
            for j in range(1, n + 1):
                head = own[j - 1]
                leftmost[head] = min(leftmost[head], <int32_t> j)
                rightmost[head] = max(rightmost[head], <int32_t> j)
            for j in range(1, n + 1):
                _is_structural(j, own, leftmost, rightmost, structural, path)
            opener[0], closer[0], top = 0, rightmost[0], 1
            for j in range(1, n + 1):
                head = own[j - 1]
                rows[start + j - 1, 2] = rows[start + j - 1, 3] = 0
                if head < j and structural[j]:
                    at = top - 1
                    while opener[at] != head or closer[at] != j:
                        at -= 1
                    rows[start + j - 1, 0] = CLOSES
                    rows[start + j - 1, 1] = <int32_t> (top - 1 - at)
                    top = _removed(opener, closer, at, top)
                k = leftmost[j]
                if k < j and structural[k]:
                    at = top - 1
                    while opener[at] != k or closer[at] != j:
                        at -= 1
                    rows[start + j - 1, 2] = <int32_t> (top - at)
                    top = _removed(opener, closer, at, top)
                if not structural[j]:
                    at = top - 1
                    while (opener[at] if head < j else closer[at]) != head:
                        at -= 1
                    rows[start + j - 1, 0] = LEANS_LEFT if head < j else LEANS_RIGHT
                    rows[start + j - 1, 1] = <int32_t> (top - 1 - at)
                k = rightmost[j]
                if k > j and structural[k]:
                    rows[start + j - 1, 3] = 1
                    opener[top], closer[top] = <int32_t> j, <int32_t> k
                    top += 1
                if head > j and structural[j]:
                    rows[start + j - 1, 0], rows[start + j - 1, 1] = OPENS, 0
                    opener[top], closer[top] = <int32_t> j, head
                    top += 1


cdef inline Py_ssize_t _removed(
    int32_t* opener, int32_t* closer, Py_ssize_t at, Py_ssize_t top
) noexcept nogil:
    cdef Py_ssize_t k
    for k in range(at, top - 1):
        opener[k], closer[k] = opener[k + 1], closer[k + 1]
    return top - 1


def follow(
    Ints codes, Bytes kinds, Ints index, Ints bounds, Bytes roots, Ints offsets,
    int32_t[::1] heads,
):
    """Read heads from labels, -1 where none is said.

    The operations of label c are ``bounds[c]`` to ``bounds[c + 1]``. Below the
    root's bracket there are brackets that nobody opened, as many as are needed. If the relation of
    some word says that it is root, others are not.
    """
    cdef Py_ssize_t s, i, o, at, start, n, top, count, size = 1, longest = 1, deepest = 0
    cdef int32_t b, note, notes
    cdef bint rooted
    for o in range(index.shape[0]):
        deepest = max(deepest, index[o])
    for s in range(offsets.shape[0] - 1):
        size = 2 + deepest
        for i in range(offsets[s], offsets[s + 1]):
            size += bounds[codes[i] + 1] - bounds[codes[i]]
        longest = max(longest, size)
    cdef int32_t[:, ::1] room = np.zeros((5, 2 * longest + 1), np.int32)
    cdef int32_t *stack = &room[0, 0], *opener = &room[1, 0]
    # Who waits for a bracket's end: a chain of notes, 0 its end.
    cdef int32_t *first = &room[2, 0], *waiting = &room[3, 0], *further = &room[4, 0]
    with nogil:
        for s in range(offsets.shape[0] - 1):
            start, n = offsets[s], offsets[s + 1] - offsets[s]
            rooted = False
            for i in range(n):
                heads[start + i] = -1
                rooted = rooted or roots[start + i]
            top = 2 + deepest
            for i in range(n):
                top += bounds[codes[start + i] + 1] - bounds[codes[start + i]]
            for i in range(top):
                stack[i], opener[i], first[i] = <int32_t> i, -1, 0
            opener[top - 1] = 0
            count, notes = top, 0
            for i in range(1, n + 1):
                for o in range(bounds[codes[start + i - 1]],
                               bounds[codes[start + i - 1] + 1]):
                    if kinds[o] >= OPEN:
                        opener[count], first[count] = <int32_t> i, 0
                        stack[top] = <int32_t> count
                        top += 1
                        count += 1
                    at = top - 1 - index[o]
                    b = stack[at]
                    if kinds[o] == WAIT or kinds[o] == OPEN_WAIT:
                        notes += 1
                        waiting[notes], further[notes] = <int32_t> i, first[b]
                        first[b] = notes
                    if kinds[o] >= WAIT:
                        continue
                    if kinds[o] != CLOSE:
                        heads[start + i - 1] = opener[b]
                    if kinds[o] == ASK:
                        continue
                    note = first[b]
                    while note:
                        heads[start + waiting[note] - 1] = <int32_t> i
                        note = further[note]
                    for at in range(at, top - 1):
                        stack[at] = stack[at + 1]
                    top -= 1
            for i in range(start, start + n):
                if rooted and heads[i] == 0 and not roots[i]:
                    heads[i] = -1


def claims(
    const double[:, :, ::1] moves, Table closed, Table claimed, Table opened, Table waiting,
    Ints offsets, const int64_t[::1] places, double[::1] found,
):
    """Add how likely each head is to `found`, from ``places[s]`` on (words, words + 1).

    For words and depths: how likely a bracket at that depth moves by -2 to 2, is closed, and has
    its opener claimed as head; and how likely the word opens a bracket that lies there in the end,
    and waits for whoever closes the one there.
    """
    cdef Py_ssize_t s, i, j, x, to, start, n, depth = closed.shape[1]
    cdef int by
    cdef double[:, ::1] room = np.zeros((3, depth))
    cdef double* state = &room[0, 0]
    cdef double* wait = &room[1, 0]
    cdef double own, more, left
    cdef double* out
    with nogil:
        for s in range(offsets.shape[0] - 1):
            start, n = offsets[s], offsets[s + 1] - offsets[s]
            out = &found[places[s]]
            for i in range(n + 1):
                for x in range(depth):
                    state[x] = opened[start + i - 1, x] if i else (1.0 if x == 0 else 0.0)
                    wait[x] = waiting[start + i - 1, x] if i else 0.0
                for j in range(i + 1, n + 1):
                    own, more, left = 0.0, 0.0, 0.0
                    for x in range(depth):
                        own += state[x] * claimed[start + j - 1, x]
                        more += wait[x] * closed[start + j - 1, x]
                    out[(j - 1) * (n + 1) + i] += own
                    if i:
                        out[(i - 1) * (n + 1) + j] += more
                    left = _moved(state, &room[2, 0], moves, start + j - 1, depth)
                    left += _moved(wait, &room[2, 0], moves, start + j - 1, depth)
                    if left < 1e-12:
                        break


cdef double _moved(
    double* state, double* room, const double[:, :, ::1] moves, Py_ssize_t word, Py_ssize_t depth
) noexcept nogil:
    cdef Py_ssize_t x, to
    cdef int by
    cdef double left = 0.0
    for x in range(depth):
        room[x] = 0.0
    for x in range(depth):
        if state[x] > 0.0:
            for by in range(5):
                to = x + by - 2
                if 0 <= to < depth:
                    room[to] += state[x] * moves[word, x, by]
    for x in range(depth):
        state[x] = room[x]
        left += room[x]
    return left
