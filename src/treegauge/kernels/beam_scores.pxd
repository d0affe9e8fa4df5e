"""Features of arc-eager states: what each group of templates looks at, and the keys of features.

Few groups change with an action: what is known of the next words stays until one is pushed, what is
known of a word's left dependents stays for good once it is on the stack. So the sum of a group's
weights is remembered under a signature of all that the group looks at, until weights change. Words
are told apart by what is seen of them, so that one sentence profits from another.
"""

from libc.stdint cimport int32_t, uint32_t, uint64_t

from treegauge.kernels.beam_states cimport Arena, Item, Node, Side, headed, mix

ctypedef uint64_t* KeysAt

cdef enum:  # parts whose sums are remembered; those from N_LEFT on are of one group
    FRONT, PAIR, HEAD, N_LEFT, S_LEFT, S_RIGHT, CROSS, PARTS

cdef enum:  # what is looked at, in the order of features.ATOMS
    NOTHING, S0_W, S0_P, S0_X, N0_W, N0_P, N0_X, N1_W, N1_P, N2_W, N2_P, DISTANCE, S0_L
    H_W, H_P, H_L, H2_W, H2_P, X_W, X_P, FIRST_W, FIRST_P, FIRST_L, SECOND_W, SECOND_P, SECOND_L
    COUNT, LABELS, L1_P, R1_P, N1_LEFT_P, ATOMS

cdef enum:
    LONGEST = 10  # distances from here on are the same
    SIDES = 3

cdef struct Sentence:  # what is seen of positions 0 (no word), 1..n, n + 1 (root), two after it
    KeysAt form, tag, ending, word  # the last is form and tag in one number
    Py_ssize_t length

cdef struct Templates:
    const int32_t* rows  # [template, 4]
    const int32_t* bounds  # of groups


cdef inline Node* above(Arena* arena, Node* node) noexcept nogil:
    """Give the node of a word's head, the bottom of the stack where there is none."""
    return &arena.nodes[node.below if headed(node) else 0]


cdef inline uint64_t distance(Item* item, Node* top) noexcept nogil:
    return min(item.front - top.word, <int32_t> LONGEST) if top.word > 0 else 0


cdef inline Side* side_of(
    Arena* arena, Item* item, Node* top, int part, int32_t* word
) noexcept nogil:
    """Give the side that a part is about, and its word."""
    word[0] = item.front if part == N_LEFT else top.word
    return &arena.sides[
        item.left if part == N_LEFT else top.left if part == S_LEFT else top.right
    ]


cdef inline uint64_t signature(
    Arena* arena, Item* item, Sentence* seen, int part, uint64_t start
) noexcept nogil:
    """Mix all that a part of the features looks at into one number."""
    cdef Node* top = &arena.nodes[item.top]
    cdef Node* head
    cdef Side* side
    cdef int32_t word
    if part == FRONT:
        start = mix(mix(start, seen.word[item.front]), seen.word[item.front + 1])
        return mix(start, seen.word[item.front + 2])
    if part == PAIR:
        start = mix(mix(start, seen.word[top.word]), seen.word[item.front])
        start = mix(mix(start, seen.ending[top.word]), seen.ending[item.front])
        return mix(start, seen.tag[item.front + 1] << 8 | distance(item, top))
    if part == HEAD:
        head = above(arena, top)
        start = mix(start, seen.tag[top.word] << 32 | <uint32_t> top.label)
        start = mix(start, seen.word[head.word])
        return mix(mix(start, <uint64_t> head.label), seen.word[above(arena, head).word])
    if part == CROSS:
        head = above(arena, top)
        start = mix(start, seen.tag[top.word] << 32 | seen.tag[item.front])
        start = mix(start, seen.tag[head.word] << 32 | seen.tag[arena.sides[top.left].first])
        return mix(
            start,
            seen.tag[arena.sides[top.right].first] << 32 | seen.tag[arena.sides[item.left].first],
        )
    side = side_of(arena, item, top, part, &word)
    return mix(mix(start, seen.word[word]), side.signature)


cdef inline void look(Sentence* seen, Py_ssize_t word, uint64_t* atoms) noexcept nogil:
    atoms[0], atoms[1] = seen.form[word], seen.tag[word]


cdef inline void look_at(
    Arena* arena, Item* item, Sentence* seen, int part, uint64_t* atoms
) noexcept nogil:
    """Write down what a part of the features looks at."""
    cdef Node* top = &arena.nodes[item.top]
    cdef Node* head = above(arena, top)
    cdef Side* side
    cdef int32_t word
    if part == FRONT:
        look(seen, item.front, atoms + N0_W)
        look(seen, item.front + 1, atoms + N1_W)
        look(seen, item.front + 2, atoms + N2_W)
    elif part == PAIR:
        look(seen, top.word, atoms + S0_W)
        look(seen, item.front, atoms + N0_W)
        atoms[S0_X], atoms[N0_X] = seen.ending[top.word], seen.ending[item.front]
        atoms[N1_P] = seen.tag[item.front + 1]
        atoms[DISTANCE] = distance(item, top)
    elif part == HEAD:
        atoms[S0_P], atoms[S0_L] = seen.tag[top.word], <uint64_t> (top.label + 1)
        look(seen, head.word, atoms + H_W)
        atoms[H_L] = <uint64_t> (head.label + 1)
        look(seen, above(arena, head).word, atoms + H2_W)
    elif part == CROSS:
        atoms[S0_P], atoms[N0_P] = seen.tag[top.word], seen.tag[item.front]
        atoms[H_P] = seen.tag[head.word]
        atoms[L1_P] = seen.tag[arena.sides[top.left].first]
        atoms[R1_P] = seen.tag[arena.sides[top.right].first]
        atoms[N1_LEFT_P] = seen.tag[arena.sides[item.left].first]
    else:
        side = side_of(arena, item, top, part, &word)
        look(seen, word, atoms + X_W)
        look(seen, side.first, atoms + FIRST_W)
        look(seen, side.second, atoms + SECOND_W)
        atoms[FIRST_L] = <uint64_t> (side.first_label + 1)
        atoms[SECOND_L] = <uint64_t> (side.second_label + 1)
        atoms[COUNT], atoms[LABELS] = <uint64_t> side.count, side.labels


cdef inline Py_ssize_t keys_of(
    Templates* templates, int part, const uint64_t* atoms, uint64_t* keys
) noexcept nogil:
    """Write the keys of a part's features; give their number."""
    cdef int group = 4 if part == CROSS else min(part, <int> N_LEFT)
    cdef int use = part - N_LEFT if part == S_LEFT or part == S_RIGHT else 0
    cdef Py_ssize_t row, n = 0
    cdef const int32_t* at
    cdef uint64_t key
    for row in range(templates.bounds[group], templates.bounds[group + 1]):
        at = templates.rows + 4 * row
        key = (
            <uint64_t> (row * SIDES + use + 1) * <uint64_t> 0x9E3779B97F4A7C15U
            + atoms[at[0]] * <uint64_t> 0xBF58476D1CE4E5B9U
            + atoms[at[1]] * <uint64_t> 0x94D049BB133111EBU
            + atoms[at[2]] * <uint64_t> 0xD6E8FEB86659FD93U
            + atoms[at[3]] * <uint64_t> 0xFF51AFD7ED558CCDU
        )
        key = (key ^ (key >> 32)) * <uint64_t> 0xC4CEB9FE1A85EC53U
        keys[n] = (key ^ (key >> 29)) | 1
        n += 1
    return n
