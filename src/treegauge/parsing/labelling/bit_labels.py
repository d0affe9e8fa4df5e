r"""Trees as 4 or 7 bits per word (Gómez-Rodríguez, Roca & Vilares 2023).

4 bits: whether the word's head is to the left (1) or to the right (0); whether it is the outermost
dependent of its head on that side; whether it has dependents to its left; and to its right. A
non-projective tree is first made projective: its shortest non-projective arc is lifted to the
head's head, until there is none.

7 bits are for two planes: whether the head is to the left; whether the arc is in the second plane;
whether the word is the head's outermost dependent on that side and in that plane; and whether it
has dependents to its left and right in the first plane, and in the second. Planes are found
greedily, so that no two arcs of one direction cross in a plane; each direction has a stack of its
own. The few arcs that fit into no plane are lost.

The root hangs from a word before the first one, as its only dependent.
"""

import numpy as np
import numpy.typing as npt

from treegauge.core.errors import TreegaugeError
from treegauge.kernels import label_encodings as _planes
from treegauge.kernels import label_stacks as _kernels
from treegauge.parsing.labelling.label_readers import Bools, Ints
from treegauge.parsing.labelling.stack_labels import ASK, CLOSE, CLOSE_HEAD, OPEN, OPEN_WAIT, WAIT, Operation
from treegauge.treebanks.data.columns import Codes


def write_four_bits(heads: Ints, offsets: Ints, _: Codes) -> list[Codes]:
    """Write trees as 4 bits per word."""
    lifted = heads.copy()
    _kernels.projectivise(lifted, offsets)
    leftwards, outermost, dependents = _roles(lifted, offsets, np.ones(len(heads), np.uint8), 1)
    return [_bits(np.stack([leftwards, outermost, *dependents[0]], 1))]


def write_seven_bits(heads: Ints, offsets: Ints, _: Codes) -> list[Codes]:
    """Write trees as 7 bits per word."""
    plane = _two_planes(heads, offsets)
    leftwards, outermost, dependents = _roles(heads, offsets, plane, 2)
    lost = plane == 0
    # A lost arc takes the nearest head on the left in the second plane, and changes no other arc.
    first = np.stack([leftwards | lost, lost | (plane == 2), outermost], 1)
    return [_bits(np.concatenate([first, *(np.stack(one, 1) for one in dependents)], 1))]


def _two_planes(heads: Ints, offsets: Ints) -> npt.NDArray[np.uint8]:
    """Return each word's plane, 1 or 2, or 0 for none; the root's head is before the first word."""
    sentences = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
    place = np.arange(len(heads)) + sentences + 1
    shifted = np.zeros(len(heads) + len(offsets) - 1, np.int32)
    shifted[place] = heads + 1
    plane = np.zeros(len(shifted), np.uint8)
    bounds = (offsets + np.arange(len(offsets))).astype(np.int32)
    _planes.planes(shifted, bounds, _planes.DIRECTED, plane)
    return np.asarray(plane[place])


def _roles(
    heads: Ints, offsets: Ints, plane: npt.NDArray[np.uint8], planes: int
) -> tuple[Bools, Bools, list[tuple[Bools, Bools]]]:
    """Return which words have a left head, are outermost, and have dependents by plane.

    Dependents to the left come first. Arcs in no plane do not count.
    """
    words, starts = np.arange(len(heads)), np.repeat(offsets[:-1], np.diff(offsets))
    sentences = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
    leftwards = heads <= words - starts
    # One more position in each sentence for the root's head.
    head_at, own_at = starts + heads + sentences, words + sentences + 1
    outermost = np.zeros(len(heads), np.bool_)
    dependents = []
    for number in range(1, planes + 1):
        sides = []
        for left_head, extreme in ((False, np.minimum), (True, np.maximum)):
            own = np.flatnonzero((plane == number) & (leftwards == left_head))
            edge = np.full(len(heads) + len(offsets) - 1, -1, np.int64)
            edge[head_at[own]] = own
            extreme.at(edge, head_at[own], own)
            outermost[edge[edge >= 0]] = True
            sides.append(edge[own_at] >= 0)
        dependents.append((sides[0], sides[1]))
    return leftwards, outermost, dependents


def _bits(table: npt.NDArray[np.bool_]) -> Codes:
    weights = 1 << np.arange(table.shape[1])[::-1]
    numbers, codes = np.unique(table @ weights, return_inverse=True)
    labels = [f"{number:0{table.shape[1]}b}" for number in numbers.tolist()]
    return Codes(codes.reshape(-1).astype(np.int32), labels)


def parse_bits(label: str) -> list[list[Operation]]:
    """Return the stack operations of a label of 4 or 7 bits by plane: right arcs, left arcs.

    Examples
    --------
    A right dependent, not outermost, with right dependents asks for its head, and opens a bracket:

    >>> parse_bits("1001") == [[(ASK, 0), (OPEN, 0)], []]
    True
    """
    if len(label) not in {4, 7} or set(label) - {"0", "1"}:
        raise TreegaugeError(f"label {label!r} is not a label of 4 or 7 bits; expected a label such as 0110")
    bits = [bit == "1" for bit in label]
    if len(bits) == 4:
        leftwards, outermost, second, sides = bits[0], bits[1], False, [bits[2:]]
    else:
        leftwards, second, outermost, sides = bits[0], bits[1], bits[2], [bits[3:5], bits[5:]]
    stacks: list[list[Operation]] = []
    for plane, (has_left, has_right) in enumerate(sides):
        right, left = [], [(CLOSE, 0)] if has_left else []
        if plane == second:
            if leftwards:
                right.append((CLOSE_HEAD if outermost else ASK, 0))
            else:
                left.append((OPEN_WAIT if outermost else WAIT, 0))
        if has_right:
            right.append((OPEN, 0))
        stacks += [right, left]
    return stacks
