"""What an action costs: how many right arcs it puts out of reach (Goldberg & Nivre 2012).

An arc is within reach of an arc-eager state if its later word has not been pushed yet, or its
dependent lies on the stack without a head and its head has not been pushed. For projective trees
all arcs within reach can be had together, so that the costs along a derivation add up to its
number of errors. Other trees are used as they are: arcs that cross are lost when the parser
has to choose between them, and the cheapest action is the right one.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from treegauge._jit import kernel
from treegauge.parse.perceptron._states import ARCS, Arena, headed

Ints = npt.NDArray[np.int32]


class Gold(NamedTuple):
    """Heads (n + 1 is the root) and labels of words 1..n, and each word's dependents in order."""

    head: Ints
    label: Ints
    bounds: Ints
    dependents: Ints


@kernel
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
    return Gold(head, label, bounds, dependents)


@kernel
def costs(arena: Arena, number: int, gold: Gold, cost: Ints) -> None:
    """Write the costs of SHIFT, REDUCE, LEFT and RIGHT; a wrong label on a right arc is extra."""
    item = arena.items[number]
    nodes = arena.nodes
    front, top = item.front, nodes[item.top].word
    waiting, head_on_stack = 0, False
    node = item.top
    while node != 0:
        word = nodes[node].word
        head_on_stack = head_on_stack or gold.head[front] == word
        if gold.head[word] == front and not headed(nodes, node):
            waiting += 1
        node = nodes[node].below
    later = 0
    place = gold.bounds[top + 1] - 1
    while place >= gold.bounds[top] and gold.dependents[place] >= front:
        later += 1
        place -= 1
    cost[0] = waiting + head_on_stack
    cost[1] = later
    cost[2] = later + (gold.head[top] > front)
    reachable = head_on_stack or gold.head[front] > front
    cost[3] = waiting + (reachable and gold.head[front] != top)


@kernel
def label_cost(arena: Arena, number: int, gold: Gold, action: int) -> int:
    """Give 1 for a right arc under a wrong label."""
    if action < ARCS:
        return 0
    item = arena.items[number]
    top, front = arena.nodes[item.top].word, item.front
    label = (action - ARCS) >> 1
    if action & 1 == ARCS & 1:
        return int(gold.head[top] == front and gold.label[top] != label)
    return int(gold.head[front] == top and gold.label[front] != label)
