"""What an action costs: how many right arcs it puts out of reach (Goldberg & Nivre 2012).

An arc is within reach of an arc-eager state if its later word has not been pushed yet, or if its
dependent lies on the stack without a head and its head has not been pushed. That trees have one
root takes more out of reach: the arc to the root, when its word is shifted onto other words, and
one arc on the way down to the last word from a word without a head that lies on others, for such a
word has to get its head from a later one. For projective trees the costs are exact: the least
number of wrong words after an action, less that before it.

Trees that are not projective are used as they are: of arcs that cross, those are lost which the
cheapest derivation gives up, and costs are estimates.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from treegauge.kernels.beam_states import ARCS, Arena, Int, headed, is_left
from treegauge.kernels.jit import inner, part

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
