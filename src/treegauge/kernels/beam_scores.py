"""Features of arc-eager states and scores of actions: sums of weights, shared between like states.

The templates are those of Zhang & Nivre (2011), in groups that change for the same reasons. S0 is
the word on top of the stack; N0, N1, N2 are the next words of the input; h is the head of S0 and h2
the head of that. Of a word X, 1 is the outermost dependent on one side and 2 the one before it. A
letter says what is looked at: w the form, p the part of speech, x the end of the form (which is our
addition, and may be left out), l the relation to the head; v is the number of X's dependents on
that side, s the set of their relations, d the distance between S0 and N0. The group ``side`` stands
for three: N0's left, S0's left and S0's right, whose outermost dependents are n1, l1, r1.

Few groups change with an action: what is known of the next words stays until one is pushed, what is
known of a word's left dependents stays for good once it is on the stack. So the sum of a group's
weights is remembered under a signature of all that the group looks at, until weights change. Five
in six are found there.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from treegauge.kernels.beam_states import Arena, Int, Records, headed
from treegauge.kernels.beam_weights import BeamWeights, Floats, Keys, accumulate
from treegauge.kernels.jit import inner

GROUPS = {
    "front": "N0w N0p N0w.N0p N1w N1p N1w.N1p N2w N2p N2w.N2p N0p.N1p N0p.N1p.N2p",
    "pair": """
        S0w S0p S0w.S0p S0w.S0p.N0w.N0p S0w.S0p.N0w S0w.N0w.N0p S0w.S0p.N0p S0p.N0w.N0p S0w.N0w
        S0p.N0p S0p.N0p.N1p S0w.d S0p.d N0w.d N0p.d S0w.N0w.d S0p.N0p.d
        S0x.S0p N0x.N0p S0x.S0p.N0x.N0p S0x.S0p.N0p S0p.N0x.N0p
    """,
    "head": "S0l hw hp hl h2w h2p S0p.hp.h2p",
    "side": "1w 1p 1l 2w 2p 2l Xp.1p.2p Xw.v Xp.v Xw.s Xp.s",
    "cross": "S0p.N0p.hp S0p.N0p.l1p S0p.N0p.r1p S0p.N0p.n1p",
}
ATOMS = """
    none S0w S0p S0x N0w N0p N0x N1w N1p N2w N2p d S0l hw hp hl h2w h2p
    Xw Xp 1w 1p 1l 2w 2p 2l v s l1p r1p n1p
""".split()
"""What is looked at, in the order in which the kernels write it down."""
WIDEST = 4
"""Most atoms in a template."""
SIDES = 3


class Templates(NamedTuple):
    """Atoms of each template, as numbers, and where each group begins."""

    rows: npt.NDArray[np.int32]
    bounds: npt.NDArray[np.int32]


def templates(*, lexical: bool = True, endings: bool = True, labelled: bool = True) -> Templates:
    """Return the templates, without those that look at forms, endings or relations if so wished.

    Examples
    --------
    >>> classic = templates(endings=False)
    >>> front, pair, head, side, cross = np.diff(classic.bounds).tolist()
    >>> front + pair + head + 3 * side + cross  # as many as in the paper
    72
    >>> len(templates(lexical=False, labelled=False).rows)
    22
    """
    unwanted = {"w": not lexical, "x": not (lexical and endings), "l": not labelled}
    rows: list[list[int]] = []
    bounds = [0]
    for group in GROUPS.values():
        for template in group.split():
            names = template.split(".")
            letters = {"l" if name == "s" else name[-1] for name in names}
            if not any(unwanted.get(letter) for letter in letters):
                rows.append([ATOMS.index(name) for name in names] + [0] * (WIDEST - len(names)))
        bounds.append(len(rows))
    return Templates(np.array(rows, np.int32), np.array(bounds, np.int32))


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


class BeamSentence(NamedTuple):
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
def _look(sentence: BeamSentence, word: Int, atoms: Keys, at: Int) -> None:
    atoms[at] = sentence.form[word]
    atoms[at + 1] = sentence.tag[word]


@inner
def _look_at(arena: Arena, number: Int, part: Int, sentence: BeamSentence, atoms: Keys) -> None:
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
def _look_across(arena: Arena, number: Int, sentence: BeamSentence, atoms: Keys) -> None:
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
    arena: Arena, number: Int, sentence: BeamSentence, templates: Templates, atoms: Keys, keys: Keys
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
    arena: Arena, number: Int, sentence: BeamSentence, templates: Templates, weights: BeamWeights,
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
