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

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from treegauge.kernels.jit import inner, part

Int = Any  # a whole number, Python's or NumPy's
Records = Any  # an array of records
# Numbers in kernels are NumPy's, for each Python number would have a compilation of its own.
SHIFT, REDUCE, ARCS = np.int64(0), np.int64(1), np.int64(2)
"""Numbers of the actions: LEFT with label l is ARCS + 2 l, RIGHT is ARCS + 2 l + 1."""
NO_LABEL = np.int64(-1)
UNKNOWN, NONE, ROOT, FIRST = 0, 1, 2, 3
"""Numbers of values never seen in training, of no word, of the root, and of the first value."""
_ODD1, _ODD2 = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xD6E8FEB86659FD93)

SIDE = np.dtype(
    [
        ("first", "i8"), ("first_label", "i8"),  # the outermost dependent
        ("second", "i8"), ("second_label", "i8"),  # the one before it
        ("count", "i8"), ("labels", "u8"),  # a bit for each label, modulo 64
        ("signature", "u8"),  # of all dependents in order
    ]
)  # fmt: skip
NODE = np.dtype([("word", "i8"), ("below", "i8"), ("label", "i8"), ("left", "i8"), ("right", "i8")])
ITEM = np.dtype(
    [
        ("top", "i8"), ("front", "i8"), ("left", "i8"),  # node on top, first word, its left side
        ("headless", "i8"),  # words on the stack that have no head
        ("previous", "i8"), ("action", "i8"),  # how the item was made
        ("score", "f8"), ("correct", "i8"),
    ]
)  # fmt: skip


class Arena(NamedTuple):
    """All that is made for one sentence; node 0 is the bottom of the stack, side 0 is empty."""

    items: Records
    nodes: Records
    sides: Records
    used: npt.NDArray[np.int64]


def arena(words: Int, beam: Int) -> Arena:
    """Make room for the states of a sentence of so many words."""
    made = 2 * words * beam + 2
    return Arena(
        np.zeros(made, ITEM), np.zeros(2 * made, NODE), np.zeros(made, SIDE), np.zeros(3, np.int64)
    )


@inner
def begin(arena: Arena, correct: Int) -> None:
    """Forget all states and make state 0: an empty stack before the first word."""
    arena.used[:] = 1
    arena.nodes[0].label = NO_LABEL
    arena.sides[0].first_label = NO_LABEL
    arena.sides[0].second_label = NO_LABEL
    item = arena.items[0]
    item.top = 0
    item.front = 1
    item.left = 0
    item.headless = 0
    item.previous = -1
    item.score = 0.0
    item.correct = correct


@inner
def is_left(action: Int) -> bool:
    """Say whether an arc's action attaches to the left."""
    return bool((action - ARCS) & 1 == 0)


@inner
def headed(nodes: Records, node: Int) -> bool:
    """Say whether the word of a node has got its head."""
    return bool(nodes[node].label != NO_LABEL)


@inner
def valid(arena: Arena, number: Int, length: Int) -> tuple[bool, bool, bool, bool]:
    """Say whether SHIFT, REDUCE, LEFT and RIGHT may be done."""
    item = arena.items[number]
    filled = item.top != 0
    has_head = filled and headed(arena.nodes, item.top)
    inside = item.front < length
    last = item.front == length
    shift = inside or (last and not filled)
    right = filled and (inside or (last and item.headless == 1))
    return shift, has_head, filled and not has_head, right


@inner
def _wider(arena: Arena, side: Int, word: Int, label: Int) -> Int:
    """Add an outermost dependent to a side."""
    number = arena.used[2]
    arena.used[2] += 1
    old, new = arena.sides[side], arena.sides[number]
    new.first = word
    new.first_label = label
    new.second = old.first
    new.second_label = old.first_label
    new.count = old.count + 1
    new.labels = old.labels | (np.uint64(1) << np.uint64(label & 63))
    mixed = (old.signature + np.uint64(word)) * _ODD1
    new.signature = ((mixed ^ (mixed >> np.uint64(31))) + np.uint64(label)) * _ODD2
    return number


@inner
def _push(arena: Arena, word: Int, below: Int, label: Int, left: Int, right: Int) -> Int:
    number = arena.used[1]
    arena.used[1] += 1
    node = arena.nodes[number]
    node.word = word
    node.below = below
    node.label = label
    node.left = left
    node.right = right
    return number


@inner
def act(arena: Arena, number: Int, action: Int) -> Int:
    """Make the state that an action leads to."""
    after = arena.used[0]
    arena.used[0] += 1
    old, new = arena.items[number], arena.items[after]
    top = arena.nodes[old.top]
    new.previous = number
    new.action = action
    new.top = top.below
    new.front = old.front
    new.left = old.left
    new.headless = old.headless
    label = (action - ARCS) >> 1
    if action == REDUCE:
        return after
    if action >= ARCS and is_left(action):
        new.left = _wider(arena, old.left, top.word, label)
        new.headless -= 1
        return after
    below = old.top
    if action == SHIFT:
        label = NO_LABEL
        new.headless += 1
    else:
        right = _wider(arena, top.right, old.front, label)
        below = _push(arena, top.word, top.below, top.label, top.left, right)
    new.top = _push(arena, old.front, below, label, old.left, np.int64(0))
    new.front = old.front + 1
    new.left = 0
    return after


Ints = npt.NDArray[np.int32]


class Gold(NamedTuple):
    """Heads (n + 1 is the root) and labels of words 1..n, and each word's dependents in order.

    ``way[i]`` is the first word before i on the way up from the last word, 0 if there is none.
    """

    head: Ints
    label: Ints
    bounds: Ints
    dependents: Ints
    way: Ints


@part
def gold_tree(heads: Ints, labels: Ints) -> Gold:
    """Index the tree of one sentence; heads count from 1, 0 is the root."""
    length = len(heads)
    head = np.zeros(length + 2, np.int32)
    label = np.zeros(length + 2, np.int32)
    bounds = np.zeros(length + 3, np.int32)
    for word in range(1, length + 1):
        head[word] = heads[word - 1] if heads[word - 1] > 0 else length + 1
        label[word] = labels[word - 1]
        bounds[head[word] + 1] += 1
    for word in range(length + 2):
        bounds[word + 1] += bounds[word]
    dependents = np.empty(length, np.int32)
    place = bounds.copy()
    for word in range(1, length + 1):
        dependents[place[head[word]]] = word
        place[head[word]] += 1
    way = np.zeros(length + 3, np.int32)
    word, place_on_way = length, length + 2
    while 0 < word <= length:
        while place_on_way > word:
            way[place_on_way] = word
            place_on_way -= 1
        word = head[word]
    return Gold(head, label, bounds, dependents, way)


@inner
def costs(arena: Arena, number: Int, gold: Gold, cost: Ints) -> None:
    """Write the costs of SHIFT, REDUCE, LEFT and RIGHT, without those of a wrong label."""
    item, nodes = arena.items[number], arena.nodes
    front, top = item.front, nodes[item.top].word
    head = gold.head[front]
    waiting, head_on_stack = 0, False
    on_way, below_way, below_top, first = False, False, False, True
    node = item.top
    while node != 0:
        word = nodes[node].word
        head_on_stack = head_on_stack or head == word
        on_way = on_way or word == gold.way[front]
        if not headed(nodes, node):
            waiting += gold.head[word] == front
            if first:
                below_top = nodes[node].below != 0
                first = False
            if on_way:
                below_way = nodes[node].below != 0
                on_way = False
        node = nodes[node].below
    later = 0
    place = gold.bounds[top + 1] - 1
    while place >= gold.bounds[top] and gold.dependents[place] >= front:
        later += 1
        place -= 1
    root = len(gold.head) - 1
    cost[0] = waiting + (head_on_stack or (head == root and item.top != 0))
    cost[1] = later
    lost = gold.head[top] == root and nodes[item.top].below != 0
    cost[2] = later + (gold.head[top] > front and not lost)
    cost[3] = waiting + ((head_on_stack and head != top) or head > front)
    if gold.way[front] == top and below_way:
        cost[1] -= 1
        cost[2] -= 1
    if gold.way[front + 1] == front:
        cost[0] += (item.top != 0) - below_way
        cost[3] += below_top - below_way


@inner
def mislabels(arena: Arena, number: Int, gold: Gold, action: Int) -> bool:
    """Say whether an action makes a right arc with a wrong label, which costs 1."""
    if action < ARCS:
        return False
    item = arena.items[number]
    top, front, label = arena.nodes[item.top].word, item.front, (action - ARCS) >> 1
    if is_left(action):
        return bool(gold.head[top] == front and gold.label[top] != label)
    return bool(gold.head[front] == top and gold.label[front] != label)
