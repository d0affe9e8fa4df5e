"""States of the arc-eager system, made once and never changed, so that branches share their past.

The words of a sentence are 1..n, and the artificial root n + 1 stands at the end of the buffer, so
that every derivation takes exactly 2n actions: each word is pushed once and popped once. 0 is no
word. A word with a head on the stack has the word below it as its head.

The actions are SHIFT, REDUCE, LEFT + label and RIGHT + label. Trees have exactly one root: the last
word may only be shifted onto an empty stack, and only be attached while one word on the stack
lacks a head; so one word without a head meets the root, whatever was done before.
"""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from treegauge._jit import kernel

SHIFT, REDUCE, ARCS = 0, 1, 2
"""Numbers of the actions; LEFT with label l is ARCS + 2 l, RIGHT is ARCS + 2 l + 1."""
NO_LABEL = -1

SIDE = np.dtype(
    [
        ("first", "i4"), ("first_label", "i4"),  # the outermost dependent
        ("second", "i4"), ("second_label", "i4"),  # the one before it
        ("count", "i8"), ("labels", "u8"),  # bits of the labels, modulo 64
        ("signature", "u8"),  # of all dependents in order
    ]
)  # fmt: skip
NODE = np.dtype([("word", "i4"), ("below", "i4"), ("label", "i4"), ("left", "i4"), ("right", "i4")])
ITEM = np.dtype(
    [
        ("top", "i4"), ("front", "i4"), ("left", "i4"),  # node on top, first word, its left side
        ("headless", "i4"),  # words on the stack that have no head
        ("previous", "i4"), ("action", "i4"),  # how the item was made
        ("score", "f8"), ("correct", "i8"),
    ]
)  # fmt: skip


class Arena(NamedTuple):
    """Everything made for one sentence; index 0 of nodes and sides is the empty one."""

    items: npt.NDArray[Any]
    nodes: npt.NDArray[Any]
    sides: npt.NDArray[Any]
    used: npt.NDArray[np.int64]


@kernel
def arena(words: int, beam: int) -> Arena:
    """Make room for a sentence of so many words."""
    made = 2 * words * beam + 2
    return Arena(
        np.zeros(made, ITEM), np.zeros(2 * made, NODE), np.zeros(made, SIDE), np.zeros(3, np.int64)
    )


@kernel
def begin(arena: Arena) -> int:
    """Forget all states and make the first one: an empty stack before the first word."""
    items, nodes, sides, used = arena
    used[:] = 1
    nodes[0].label = NO_LABEL
    sides[0].first_label = NO_LABEL
    sides[0].second_label = NO_LABEL
    item = items[0]
    item.top = 0
    item.front = 1
    item.left = 0
    item.headless = 0
    item.previous = -1
    item.score = 0.0
    item.correct = 1
    return 0


@kernel
def _wider(arena: Arena, side: int, word: int, label: int) -> int:
    """Add an outermost dependent to a side."""
    sides, used = arena.sides, arena.used
    number = used[2]
    used[2] += 1
    old, new = sides[side], sides[number]
    new.first = word
    new.first_label = label
    new.second = old.first
    new.second_label = old.first_label
    new.count = old.count + 1
    new.labels = old.labels | (np.uint64(1) << np.uint64(label & 63))
    mixed = (old.signature + np.uint64(word)) * np.uint64(0x9E3779B97F4A7C15)
    mixed = (mixed ^ (mixed >> np.uint64(31))) + np.uint64(label)
    new.signature = mixed * np.uint64(0xD6E8FEB86659FD93)
    return number


@kernel
def _push(arena: Arena, word: int, below: int, label: int, left: int, right: int) -> int:
    number = arena.used[1]
    arena.used[1] += 1
    node = arena.nodes[number]
    node.word = word
    node.below = below
    node.label = label
    node.left = left
    node.right = right
    return number


@kernel
def headed(nodes: npt.NDArray[Any], node: int) -> bool:
    """Say whether the word of a node has got its head."""
    return nodes[node].label != NO_LABEL


@kernel
def valid(arena: Arena, number: int, length: int) -> tuple[bool, bool, bool, bool]:
    """Say whether SHIFT, REDUCE, LEFT and RIGHT may be done."""
    item = arena.items[number]
    filled = item.top != 0
    has_head = filled and headed(arena.nodes, item.top)
    inside = item.front < length
    last = item.front == length
    shift = inside or (last and not filled)
    right = filled and (inside or (last and item.headless == 1))
    return shift, has_head, filled and not has_head, right


@kernel
def act(arena: Arena, number: int, action: int) -> int:
    """Make the state that an action leads to."""
    items, nodes, sides, used = arena
    after = used[0]
    used[0] += 1
    old, new = items[number], items[after]
    new.previous = number
    new.action = action
    new.front = old.front
    new.left = old.left
    new.headless = old.headless
    if action == SHIFT:
        new.top = _push(arena, old.front, old.top, NO_LABEL, old.left, 0)
        new.front = old.front + 1
        new.left = 0
        new.headless = old.headless + 1
    elif action == REDUCE:
        new.top = nodes[old.top].below
    elif action & 1 == ARCS & 1:
        top = nodes[old.top]
        new.top = top.below
        new.left = _wider(arena, old.left, top.word, (action - ARCS) >> 1)
        new.headless = old.headless - 1
    else:
        label = (action - ARCS) >> 1
        top = nodes[old.top]
        right = _wider(arena, top.right, old.front, label)
        head = _push(arena, top.word, top.below, top.label, top.left, right)
        new.top = _push(arena, old.front, head, label, old.left, 0)
        new.front = old.front + 1
        new.left = 0
    return after
