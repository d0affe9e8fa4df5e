"""Scores of the actions in a state: sums of weights, shared where states look alike.

The features of a state fall into groups (see :mod:`.templates`), and most groups change with few
actions: what is known of the next words stays until one is pushed, what is known of a
word's left dependents stays for good once it is on the stack. The sum of each group's weights is
therefore remembered under a signature of what the group looks at, until weights change.
"""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from treegauge._jit import kernel
from treegauge.parse.perceptron._states import NO_LABEL, Arena
from treegauge.parse.perceptron._weights import Weights, accumulate
from treegauge.parse.perceptron.templates import ATOMS, Templates

Words64 = npt.NDArray[np.uint64]
Floats = npt.NDArray[np.float32]

REMEMBERED = 1024
import os

LARGEST_DISTANCE = int(os.environ.get("LD", "10"))
FRONT, PAIR, HEAD, SIDE, CROSS = range(5)
_S0, _N0, _N1, _N2 = (ATOMS.index(name) for name in ("S0w", "N0w", "N1w", "N2w"))
_D, _S0L, _H, _H2 = (ATOMS.index(name) for name in ("d", "S0l", "hw", "h2w"))
_X, _1, _2, _V = (ATOMS.index(name) for name in ("Xw", "1w", "2w", "v"))
_T = ATOMS.index("Tp")
_L1P, _R1P, _N1P = (ATOMS.index(name) for name in ("l1p", "r1p", "n1p"))
_ODD = np.array(
    [0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB, 0xD6E8FEB86659FD93,
     0xFF51AFD7ED558CCD, 0xC4CEB9FE1A85EC53], np.uint64,
)  # fmt: skip


class Sentence(NamedTuple):
    """Forms and parts of speech of positions 0 (no word), 1..n, n + 1 (root) and two beyond."""

    form: Words64
    tag: Words64
    suffix: Words64
    length: int


class Memory(NamedTuple):
    """Sums of groups by signature, and scratch space."""

    signatures: Words64
    sums: Floats
    clock: Words64
    atoms: Words64
    keys: Words64


def memory(actions: int, templates: int) -> Memory:
    """Make an empty memory."""
    return Memory(
        np.zeros(REMEMBERED, np.uint64), np.zeros((REMEMBERED, actions), np.float32),
        np.array([8,0,0,0,0,0,0,0], np.uint64), np.zeros(len(ATOMS), np.uint64), np.zeros(3 * templates, np.uint64),
    )  # fmt: skip


@kernel
def forget(memory: Memory) -> None:
    """Make all remembered sums void."""
    memory.clock[0] += np.uint64(8)  # the low bits say which group


@kernel
def _mix(value: np.uint64, more: int) -> np.uint64:
    value = (value ^ np.uint64(more)) * _ODD[0]
    return value ^ (value >> np.uint64(29))


@kernel
def _keys(
    templates: Templates, group: int, use: int, atoms: Words64, keys: Words64, at: int
) -> int:
    """Write the keys of a group's features; give the place after them."""
    rows = templates.rows
    for row in range(templates.bounds[group], templates.bounds[group + 1]):
        key = (
            np.uint64(row * 4 + use + 1) * _ODD[0]
            + atoms[rows[row, 0]] * _ODD[1] + atoms[rows[row, 1]] * _ODD[2]
            + atoms[rows[row, 2]] * _ODD[3] + atoms[rows[row, 3]] * _ODD[4]
        )  # fmt: skip
        key = (key ^ (key >> np.uint64(32))) * _ODD[5]
        keys[at] = (key ^ (key >> np.uint64(29))) | np.uint64(1)
        at += 1
    return at


@kernel
def _look(sentence: Sentence, word: int, atoms: Words64, at: int) -> None:
    atoms[at] = sentence.form[word]
    atoms[at + 1] = sentence.tag[word]


@kernel
def _look_front(sentence: Sentence, front: int, atoms: Words64) -> None:
    _look(sentence, front, atoms, _N0)
    _look(sentence, front + 1, atoms, _N1)
    _look(sentence, front + 2, atoms, _N2)


@kernel
def _look_pair(sentence: Sentence, top: int, front: int, atoms: Words64) -> None:
    _look(sentence, top, atoms, _S0)
    _look(sentence, front, atoms, _N0)
    _look(sentence, front + 1, atoms, _N1)
    atoms[_S0 + 2] = sentence.suffix[top]
    atoms[_N0 + 2] = sentence.suffix[front]
    atoms[_T] = sentence.tag[top + 1] if top > 0 else 1
    atoms[_T + 1] = sentence.tag[max(top - 1, 0)]
    atoms[_T + 2] = sentence.tag[front - 1]
    atoms[_D] = min(front - top, LARGEST_DISTANCE) if top > 0 else 0


@kernel
def _above(nodes: npt.NDArray[Any], node: int) -> int:
    """Give the node of a word's head, 0 where there is none."""
    return nodes[node].below if nodes[node].label != NO_LABEL else 0


@kernel
def _look_head(sentence: Sentence, nodes: npt.NDArray[Any], node: int, atoms: Words64) -> None:
    head = _above(nodes, node)
    atoms[_S0 + 1] = sentence.tag[nodes[node].word]
    atoms[_S0L] = nodes[node].label + 1
    _look(sentence, nodes[head].word, atoms, _H)
    atoms[_H + 2] = nodes[head].label + 1
    _look(sentence, nodes[_above(nodes, head)].word, atoms, _H2)


@kernel
def _look_side(sentence: Sentence, sides: Any, side: int, word: int, atoms: Words64) -> None:
    _look(sentence, word, atoms, _X)
    found = sides[side]
    _look(sentence, found.first, atoms, _1)
    atoms[_1 + 2] = found.first_label + 1
    _look(sentence, found.second, atoms, _2)
    atoms[_2 + 2] = found.second_label + 1
    atoms[_V] = found.count
    atoms[_V + 1] = found.labels


@kernel
def _look_cross(sentence: Sentence, arena: Arena, number: int, atoms: Words64) -> None:
    item, tag = arena.items[number], sentence.tag
    top = arena.nodes[item.top]
    atoms[_S0 + 1] = tag[top.word]
    atoms[_N0 + 1] = tag[item.front]
    atoms[_H + 1] = tag[arena.nodes[_above(arena.nodes, item.top)].word]
    atoms[_L1P] = tag[arena.sides[top.left].first]
    atoms[_R1P] = tag[arena.sides[top.right].first]
    atoms[_T + 3] = tag[arena.nodes[top.below].word]
    atoms[_T + 4] = sentence.form[arena.nodes[top.below].word]
    atoms[_N1P] = tag[arena.sides[item.left].first]


@kernel
def features(
    arena: Arena, number: int, sentence: Sentence, templates: Templates, memory: Memory,
    keys: Words64,
) -> int:  # fmt: skip
    """Write the keys of all features of a state; give their number."""
    item, atoms = arena.items[number], memory.atoms
    top = arena.nodes[item.top]
    _look_front(sentence, item.front, atoms)
    at = _keys(templates, FRONT, 0, atoms, keys, 0)
    _look_pair(sentence, top.word, item.front, atoms)
    at = _keys(templates, PAIR, 0, atoms, keys, at)
    _look_head(sentence, arena.nodes, item.top, atoms)
    at = _keys(templates, HEAD, 0, atoms, keys, at)
    for use in range(3):
        side = item.left if use == 0 else top.left if use == 1 else top.right
        _look_side(sentence, arena.sides, side, item.front if use == 0 else top.word, atoms)
        at = _keys(templates, SIDE, use, atoms, keys, at)
    _look_cross(sentence, arena, number, atoms)
    return _keys(templates, CROSS, 0, atoms, keys, at)


@kernel
def scores(
    arena: Arena, number: int, sentence: Sentence, templates: Templates, weights: Weights,
    memory: Memory, sums: Floats,
) -> None:  # fmt: skip
    """Write the score of every action in a state, valid or not."""
    item, atoms, keys = arena.items[number], memory.atoms, memory.keys
    nodes = arena.nodes
    top = nodes[item.top]
    _look_cross(sentence, arena, number, atoms)
    count = _keys(templates, CROSS, 0, atoms, keys, 0)
    sums[:] = 0
    memory.clock[7] += np.uint64(1)
    accumulate(weights, keys, count, sums)
    for part in range(6):
        signature = _mix(memory.clock[0], part)
        side = 0
        if part == 0:
            signature = _mix(signature, item.front)
        elif part == 1:
            signature = _mix(_mix(signature, item.front), top.word)
        elif part == 2:
            head = nodes[_above(nodes, item.top)]
            above = nodes[_above(nodes, _above(nodes, item.top))].word
            signature = _mix(_mix(signature, top.word), top.label)
            signature = _mix(_mix(_mix(signature, head.word), head.label), above)
        else:
            side = item.left if part == 3 else top.left if part == 4 else top.right
            word = item.front if part == 3 else top.word
            signature = _mix(_mix(signature, word), arena.sides[side].signature)
        place = np.int64(signature >> np.uint64(40)) % REMEMBERED
        if memory.signatures[place] != signature:
            memory.clock[1 + part] += np.uint64(1)
            memory.signatures[place] = signature
            if part == 0:
                _look_front(sentence, item.front, atoms)
            elif part == 1:
                _look_pair(sentence, top.word, item.front, atoms)
            elif part == 2:
                _look_head(sentence, nodes, item.top, atoms)
            else:
                word = item.front if part == 3 else top.word
                _look_side(sentence, arena.sides, side, word, atoms)
            use = max(0, part - SIDE)
            count = _keys(templates, min(part, SIDE), use, atoms, keys, 0)
            memory.sums[place] = 0
            accumulate(weights, keys, count, memory.sums[place])
        row = memory.sums[place]
        for action in range(len(sums)):
            sums[action] += row[action]
