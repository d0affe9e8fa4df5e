"""Scores of the actions in a state: sums of weights, shared where states look alike.

The features of a state fall into groups (see :mod:`.templates`), and few groups change with an
action: what is known of the next words stays until one is pushed, what is known of a word's left
dependents stays for good once it is on the stack. So the sum of a group's weights is remembered
under a signature of all that the group looks at, until weights change. Five in six are found there.
"""

from typing import NamedTuple

import numpy as np

from treegauge.kernels.beam_features import ATOMS, GROUPS, SIDES, Templates
from treegauge.kernels.beam_states import Arena, Int, Records, headed
from treegauge.kernels.beam_weights import Floats, Keys, Weights, accumulate
from treegauge.kernels.jit import inner

REMEMBERED = 2048
LONGEST = 10
"""Distances from here on are the same."""
FRONT, PAIR, HEAD, SIDE, CROSS = np.arange(len(GROUPS))
N_LEFT, S_LEFT, S_RIGHT = SIDE + np.arange(SIDES)
PARTS = len(GROUPS) - 2 + SIDES
"""Groups that are remembered, each side one of its own."""

_S0, _N0, _N1, _N2 = np.array([ATOMS.index(name) for name in ("S0w", "N0w", "N1w", "N2w")])
_H, _H2, _X, _1, _2 = np.array([ATOMS.index(name) for name in ("hw", "h2w", "Xw", "1w", "2w")])
_ATOMS = len(ATOMS)
_D, _S0L, _V, _L1P = np.array([ATOMS.index(name) for name in ("d", "S0l", "v", "l1p")])
_ODD = np.array(
    [0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB, 0xD6E8FEB86659FD93,
     0xFF51AFD7ED558CCD, 0xC4CEB9FE1A85EC53], np.uint64,
)  # fmt: skip


class Sentence(NamedTuple):
    """What is seen of positions 0 (no word), 1..n, n + 1 (root) and the two after it."""

    form: Keys
    tag: Keys
    ending: Keys
    length: Int


class Memory(NamedTuple):
    """Sums of groups by signature, and room to work in; `clock` voids old signatures."""

    signatures: Keys
    sums: Floats
    clock: Keys
    atoms: Keys
    keys: Keys


def memory(actions: Int, templates: Templates) -> Memory:
    """Make an empty memory."""
    return Memory(
        np.zeros(REMEMBERED, np.uint64), np.zeros((REMEMBERED, actions), np.float32),
        np.zeros(1, np.uint64), np.zeros(_ATOMS, np.uint64),
        np.zeros(SIDES * len(templates.rows), np.uint64),
    )  # fmt: skip


@inner
def forget(memory: Memory) -> None:
    """Make all remembered sums void, as another sentence or other weights do."""
    memory.clock[0] += np.uint64(PARTS)


@inner
def _mix(value: np.uint64, more: np.uint64) -> np.uint64:
    value = (value ^ more) * _ODD[0]
    return value ^ (value >> np.uint64(29))


@inner
def _above(nodes: Records, node: Int) -> Int:
    """Give the node of a word's head, 0 where there is none."""
    return nodes[node].below if headed(nodes, node) else np.int64(0)


@inner
def _side(arena: Arena, number: Int, part: Int) -> tuple[Int, Int]:
    """Give the word and the side that a part is about."""
    item = arena.items[number]
    top = arena.nodes[item.top]
    if part == N_LEFT:
        return item.front, item.left
    return top.word, top.left if part == S_LEFT else top.right


@inner
def _signature(arena: Arena, number: Int, part: Int, clock: np.uint64) -> np.uint64:
    """Mix all that a part of the features looks at into one number."""
    item, nodes = arena.items[number], arena.nodes
    top = nodes[item.top]
    value = (clock + np.uint64(part)) * _ODD[1]
    if part == FRONT:
        return _mix(value, np.uint64(item.front))
    if part == PAIR:
        return _mix(_mix(value, np.uint64(item.front)), np.uint64(top.word))
    if part == HEAD:
        above = _above(nodes, item.top)
        value = _mix(_mix(value, np.uint64(top.word)), np.uint64(top.label))
        value = _mix(_mix(value, np.uint64(nodes[above].word)), np.uint64(nodes[above].label))
        return _mix(value, np.uint64(nodes[_above(nodes, above)].word))
    word, side = _side(arena, number, part)
    return _mix(_mix(value, np.uint64(word)), arena.sides[side].signature)


@inner
def _look(sentence: Sentence, word: Int, atoms: Keys, at: Int) -> None:
    atoms[at] = sentence.form[word]
    atoms[at + 1] = sentence.tag[word]


@inner
def _look_at(arena: Arena, number: Int, part: Int, sentence: Sentence, atoms: Keys) -> None:
    """Write down what a part of the features looks at."""
    item, nodes = arena.items[number], arena.nodes
    top = nodes[item.top]
    if part == FRONT:
        _look(sentence, item.front, atoms, _N0)
        _look(sentence, item.front + 1, atoms, _N1)
        _look(sentence, item.front + 2, atoms, _N2)
    elif part == PAIR:
        _look(sentence, top.word, atoms, _S0)
        _look(sentence, item.front, atoms, _N0)
        atoms[_S0 + 2] = sentence.ending[top.word]
        atoms[_N0 + 2] = sentence.ending[item.front]
        atoms[_N1 + 1] = sentence.tag[item.front + 1]
        atoms[_D] = min(item.front - top.word, LONGEST) if top.word > 0 else 0
    elif part == HEAD:
        above = _above(nodes, item.top)
        atoms[_S0 + 1] = sentence.tag[top.word]
        atoms[_S0L] = top.label + 1
        _look(sentence, nodes[above].word, atoms, _H)
        atoms[_H + 2] = nodes[above].label + 1
        _look(sentence, nodes[_above(nodes, above)].word, atoms, _H2)
    else:
        word, number = _side(arena, number, part)
        side = arena.sides[number]
        _look(sentence, word, atoms, _X)
        _look(sentence, side.first, atoms, _1)
        atoms[_1 + 2] = side.first_label + 1
        _look(sentence, side.second, atoms, _2)
        atoms[_2 + 2] = side.second_label + 1
        atoms[_V] = side.count
        atoms[_V + 1] = side.labels


@inner
def _look_across(arena: Arena, number: Int, sentence: Sentence, atoms: Keys) -> None:
    """Write down what the group that looks everywhere looks at."""
    item, nodes, tag = arena.items[number], arena.nodes, sentence.tag
    top = nodes[item.top]
    atoms[_S0 + 1] = tag[top.word]
    atoms[_N0 + 1] = tag[item.front]
    atoms[_H + 1] = tag[nodes[_above(nodes, item.top)].word]
    atoms[_L1P] = tag[arena.sides[top.left].first]
    atoms[_L1P + 1] = tag[arena.sides[top.right].first]
    atoms[_L1P + 2] = tag[arena.sides[item.left].first]


@inner
def _keys(templates: Templates, group: Int, use: Int, atoms: Keys, keys: Keys, at: Int) -> Int:
    """Write the keys of a group's features; give the place after them."""
    rows = templates.rows
    for row in range(templates.bounds[group], templates.bounds[group + 1]):
        key = (
            np.uint64(row * SIDES + use + 1) * _ODD[0]
            + atoms[rows[row, 0]] * _ODD[1] + atoms[rows[row, 1]] * _ODD[2]
            + atoms[rows[row, 2]] * _ODD[3] + atoms[rows[row, 3]] * _ODD[4]
        )  # fmt: skip
        key = (key ^ (key >> np.uint64(32))) * _ODD[5]
        keys[at] = (key ^ (key >> np.uint64(29))) | np.uint64(1)
        at += 1
    return at


@inner
def features(
    arena: Arena, number: Int, sentence: Sentence, templates: Templates, atoms: Keys, keys: Keys
) -> Int:
    """Write the keys of all features of a state; give their number."""
    at = np.int64(0)
    for part in range(PARTS):
        _look_at(arena, number, part, sentence, atoms)
        at = _keys(templates, min(part, SIDE), max(part - SIDE, 0), atoms, keys, at)
    _look_across(arena, number, sentence, atoms)
    return _keys(templates, CROSS, np.int64(0), atoms, keys, at)


@inner
def scores(
    arena: Arena, number: Int, sentence: Sentence, templates: Templates, weights: Weights,
    memory: Memory, sums: Floats,
) -> None:  # fmt: skip
    """Write the score of every action in a state, be it valid or not."""
    start, no_use = np.int64(0), np.int64(0)
    _look_across(arena, number, sentence, memory.atoms)
    count = _keys(templates, CROSS, no_use, memory.atoms, memory.keys, start)
    sums[:] = 0
    accumulate(weights, memory.keys, count, sums)
    for part in range(PARTS):
        signature = _signature(arena, number, part, memory.clock[0])
        place = np.int64(signature >> np.uint64(40)) % REMEMBERED
        row = memory.sums[place]
        if memory.signatures[place] != signature:
            memory.signatures[place] = signature
            _look_at(arena, number, part, sentence, memory.atoms)
            use = max(part - SIDE, no_use)
            count = _keys(templates, min(part, SIDE), use, memory.atoms, memory.keys, start)
            row[:] = 0
            accumulate(weights, memory.keys, count, row)
        for action in range(len(sums)):
            sums[action] += row[action]
