from libc.stdint cimport int32_t, uint64_t

ctypedef int32_t* IntsAt

cpdef enum:  # numbers of the actions: LEFT with label l is ARCS + 2 l, RIGHT is ARCS + 2 l + 1
    SHIFT, REDUCE, ARCS

cpdef enum:  # numbers of values never seen in training, of no word, the root, the first value
    UNKNOWN, NONE, ROOT, FIRST

cdef enum:
    NO_LABEL = -1

cdef struct Side:  # the dependents of a word to one side
    int32_t first, first_label  # the outermost one
    int32_t second, second_label  # the one before it
    int32_t count
    uint64_t labels  # a bit for each label, modulo 64
    uint64_t signature  # of all that is above

cdef struct Node:  # a word on the stack
    int32_t word, below, label, left, right

cdef struct Item:  # a state
    int32_t top, front, left  # node on top, first word of the input, its left side
    int32_t headless  # words on the stack that have no head
    int32_t previous, action  # how the state was made
    int32_t correct
    double score

cdef struct Arena:  # all states of a sentence; node 0 is the bottom of the stack, side 0 is empty
    Item* items
    Node* nodes
    Side* sides
    const uint64_t* words  # what identifies each word; equal words are alike
    int32_t n_items, n_nodes, n_sides

cdef struct Gold:
    # Heads (n + 1 is the root) and labels of words 1..n, and each word's dependents in order.
    # ``way[i]`` is the first word before i on the way up from the last word, 0 if there is none.
    Py_ssize_t length
    IntsAt head, label, bounds, dependents, way


cdef class States:
    cdef Arena arena
    cdef Gold gold
    cdef object room
    cdef void index(
        self, const int32_t* heads, const int32_t* labels, Py_ssize_t length
    ) noexcept nogil


cdef inline uint64_t mix(uint64_t value, uint64_t more) noexcept nogil:
    """Mix a number into another one."""
    value = (value ^ more) * <uint64_t> 0x9E3779B97F4A7C15U
    return value ^ (value >> 29)


cdef inline bint is_left(Py_ssize_t action) noexcept nogil:
    """Say whether an arc's action attaches to the left."""
    return (action - ARCS) & 1 == 0


cdef inline bint headed(const Node* node) noexcept nogil:
    """Say whether the word of a node has got its head."""
    return node.label != NO_LABEL


cdef inline void begin(Arena* arena, bint correct) noexcept nogil:
    """Forget all states and make state 0: an empty stack before the first word."""
    arena.n_items = arena.n_nodes = arena.n_sides = 1
    arena.nodes[0] = Node(0, 0, NO_LABEL, 0, 0)
    arena.sides[0] = Side(0, NO_LABEL, 0, NO_LABEL, 0, 0, 0)
    arena.items[0] = Item(0, 1, 0, 0, -1, 0, correct, 0.0)


cdef inline void valid(
    Arena* arena, Py_ssize_t number, Py_ssize_t length, bint* may
) noexcept nogil:
    """Say whether SHIFT, REDUCE, LEFT and RIGHT may be done."""
    cdef Item* item = &arena.items[number]
    cdef bint filled = item.top != 0, inside = item.front < length, last = item.front == length
    cdef bint has_head = filled and headed(&arena.nodes[item.top])
    may[0] = inside or (last and not filled)
    may[1] = has_head
    may[2] = filled and not has_head
    may[3] = filled and (inside or (last and item.headless == 1))


cdef inline int32_t wider(
    Arena* arena, Py_ssize_t side, int32_t word, int32_t label
) noexcept nogil:
    """Add an outermost dependent to a side."""
    cdef Side* old = &arena.sides[side]
    cdef Side* new = &arena.sides[arena.n_sides]
    cdef uint64_t value
    new.first, new.first_label = word, label
    new.second, new.second_label = old.first, old.first_label
    new.count = old.count + 1
    new.labels = old.labels | <uint64_t> 1 << (label & 63)
    value = mix(mix(arena.words[word], label), arena.words[old.first])
    new.signature = mix(mix(mix(value, old.first_label), new.count), new.labels)
    arena.n_sides += 1
    return arena.n_sides - 1


cdef inline int32_t push(
    Arena* arena, int32_t word, int32_t below, int32_t label, int32_t left, int32_t right
) noexcept nogil:
    arena.nodes[arena.n_nodes] = Node(word, below, label, left, right)
    arena.n_nodes += 1
    return arena.n_nodes - 1


cdef inline int32_t act(Arena* arena, int32_t number, int32_t action) noexcept nogil:
    """Make the state that an action leads to."""
    cdef Item* old = &arena.items[number]
    cdef Item* new = &arena.items[arena.n_items]
    cdef Node* top = &arena.nodes[old.top]
    cdef int32_t label = (action - ARCS) >> 1, below = old.top
    new[0] = old[0]
    new.previous, new.action, new.top = number, action, top.below
    arena.n_items += 1
    if action == REDUCE:
        pass
    elif action >= ARCS and is_left(action):
        new.left = wider(arena, old.left, top.word, label)
        new.headless -= 1
    else:
        if action == SHIFT:
            label = NO_LABEL
            new.headless += 1
        else:
            below = push(
                arena, top.word, top.below, top.label, top.left,
                wider(arena, top.right, old.front, label),
            )
        new.top = push(arena, old.front, below, label, old.left, 0)
        new.front = old.front + 1
        new.left = 0
    return arena.n_items - 1


cdef inline void costs(
    Arena* arena, Py_ssize_t number, Gold* gold, int32_t* cost
) noexcept nogil:
    """Write the costs of SHIFT, REDUCE, LEFT and RIGHT, without those of a wrong label."""
    cdef Item* item = &arena.items[number]
    cdef Node* top = &arena.nodes[item.top]
    cdef Node* node = top
    cdef int32_t front = item.front, head = gold.head[front], waiting = 0, later = 0
    cdef int32_t root = <int32_t> gold.length + 1, at = item.top
    cdef bint head_on_stack = False, on_way = False, below_way = False, below_top = False
    cdef bint first = True, lost
    cdef Py_ssize_t place = gold.bounds[top.word + 1] - 1
    while at != 0:
        node = &arena.nodes[at]
        head_on_stack = head_on_stack or head == node.word
        on_way = on_way or node.word == gold.way[front]
        if not headed(node):
            waiting += gold.head[node.word] == front
            if first:
                below_top = node.below != 0
                first = False
            if on_way:
                below_way = node.below != 0
                on_way = False
        at = node.below
    while place >= gold.bounds[top.word] and gold.dependents[place] >= front:
        later += 1
        place -= 1
    lost = gold.head[top.word] == root and top.below != 0
    cost[0] = waiting + (head_on_stack or (head == root and item.top != 0))
    cost[1] = later
    cost[2] = later + (gold.head[top.word] > front and not lost)
    cost[3] = waiting + ((head_on_stack and head != top.word) or head > front)
    if gold.way[front] == top.word and below_way:
        cost[1] -= 1
        cost[2] -= 1
    if gold.way[front + 1] == front:
        cost[0] += (item.top != 0) - below_way
        cost[3] += below_top - below_way


cdef inline bint mislabels(
    Arena* arena, Py_ssize_t number, Gold* gold, int32_t action
) noexcept nogil:
    """Say whether an action makes a right arc with a wrong label, which costs 1."""
    cdef Item* item = &arena.items[number]
    cdef int32_t top = arena.nodes[item.top].word, label = (action - ARCS) >> 1
    if action < ARCS:
        return False
    if is_left(action):
        return gold.head[top] == item.front and gold.label[top] != label
    return gold.head[item.front] == top and gold.label[item.front] != label
