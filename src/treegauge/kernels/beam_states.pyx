"""States of the arc-eager system, and what an action costs in them.

States are made once and never changed, so that branches share their past. The words of a sentence
are 1..n, and the artificial root n + 1 is at the end of the buffer, so that every derivation takes
exactly 2n actions: each word is pushed once and popped once. 0 is no word. A word on the stack that
has a head has the word below it as its head.

The actions are SHIFT, REDUCE, LEFT + label and RIGHT + label. Trees have exactly one root: the last
word may be shifted only onto an empty stack, and attached to the right only while a single word on
the stack lacks a head. So one word without a head meets the root, whatever was done before.

The cost of an action is the number of correct arcs it puts out of reach (Goldberg & Nivre 2012). An
arc is within reach of an arc-eager state if its later word has not been pushed yet, or if its
dependent lies on the stack without a head and its head has not been pushed. That trees have one
root takes more out of reach: the arc to the root, when its word is shifted onto other words, and
one arc on the way down to the last word from a word without a head that lies on others, for such a
word has to get its head from a later one. For projective trees the costs are exact: the least
number of incorrect words after an action, less that before it. Trees that are not projective are
used as they are: of arcs that cross, those are lost which the cheapest derivation gives up, and
costs are estimates.
"""

import numpy as np

from libc.string cimport memset


cdef class States:
    """The states of one sentence at a time, and its gold tree if there is one.

    There is room for sentences of so many words and for so many states after each action.
    """

    def __init__(self, Py_ssize_t words, Py_ssize_t beam):
        cdef Py_ssize_t made = 2 * words * beam + 2
        sizes = (sizeof(Item) * made, sizeof(Node) * 2 * made, sizeof(Side) * made)
        arrays = [np.empty(size, np.uint8) for size in sizes]
        names = np.arange(words + 4, dtype=np.uint64)
        tree = np.zeros((5, words + 4), np.int32)
        cdef unsigned char[::1] items = arrays[0], nodes = arrays[1], sides = arrays[2]
        cdef uint64_t[::1] numbers = names
        cdef int32_t[:, ::1] gold = tree
        self.room = arrays, names, tree
        self.arena.items, self.arena.nodes = <Item*> &items[0], <Node*> &nodes[0]
        self.arena.sides, self.arena.words = <Side*> &sides[0], &numbers[0]
        self.gold.head, self.gold.label = &gold[0, 0], &gold[1, 0]
        self.gold.bounds, self.gold.dependents = &gold[2, 0], &gold[3, 0]
        self.gold.way = &gold[4, 0]
        begin(&self.arena, True)

    cdef void index(
        self, const int32_t* heads, const int32_t* labels, Py_ssize_t length
    ) noexcept nogil:
        """Index the tree of one sentence; heads count from 1, 0 is the root."""
        cdef Gold* gold = &self.gold
        cdef int32_t* bounds = gold.bounds
        cdef int32_t word, place = <int32_t> length + 2
        gold.length = length
        gold.head[0] = gold.head[length + 1] = 0
        gold.label[0] = gold.label[length + 1] = 0
        memset(bounds, 0, (length + 3) * sizeof(int32_t))
        memset(gold.way, 0, (length + 3) * sizeof(int32_t))
        for word in range(1, <int32_t> length + 1):
            gold.head[word] = heads[word - 1] if heads[word - 1] > 0 else <int32_t> length + 1
            gold.label[word] = labels[word - 1]
            bounds[gold.head[word] + 1] += 1
        for word in range(<int32_t> length + 2):
            bounds[word + 1] += bounds[word]
        for word in range(<int32_t> length, 0, -1):  # from the ends of groups to their beginnings
            bounds[gold.head[word] + 1] -= 1
            gold.dependents[bounds[gold.head[word] + 1]] = word
        for word in range(<int32_t> length + 2):
            bounds[word] = bounds[word + 1]
        bounds[length + 2] = <int32_t> length
        word = <int32_t> length
        while 0 < word <= length:
            while place > word:
                gold.way[place] = word
                place -= 1
            word = gold.head[word]

    def learn_from(self, const int32_t[::1] heads, const int32_t[::1] labels):
        """Start again, with a gold tree."""
        self.index(&heads[0], &labels[0], len(heads))
        begin(&self.arena, True)

    def act(self, int32_t number, int32_t action):
        """Give the number of the state that an action leads to from another one."""
        return act(&self.arena, number, action)

    def valid(self, Py_ssize_t number, Py_ssize_t length):
        """Say whether SHIFT, REDUCE, LEFT and RIGHT may be done."""
        cdef bint may[4]
        valid(&self.arena, number, length, may)
        return [bool(one) for one in may]

    def costs(self, Py_ssize_t number):
        """Give the costs of SHIFT, REDUCE, LEFT and RIGHT."""
        cdef int32_t cost[4]
        costs(&self.arena, number, &self.gold, cost)
        return list(cost)

    def mislabels(self, Py_ssize_t number, int32_t action):
        """Say whether an action makes a right arc with a wrong label, which costs 1."""
        return bool(mislabels(&self.arena, number, &self.gold, action))
