"""Labels as operations on stacks of brackets: decoding, and probabilities of heads.

Bit encodings and hierarchical brackets share this module. A label opens and closes brackets, and
says of its own word where the head is: the word that opened a bracket, or the word that closes it.
Reading is one pass over the words. Probabilities of heads follow the depth of a bracket from the
word that opened it, or that waits for its end, onwards: exact for labels drawn independently.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from treegauge.kernels import label_stacks as _kernels
from treegauge.kernels.label_stacks import ASK, CLOSE, CLOSE_HEAD, OPEN, OPEN_WAIT, WAIT
from treegauge.parsing.labelling.label_marginals import completed
from treegauge.parsing.labelling.label_readers import Bools, Doubles, Ints, MakeReader, MakeWeigher, Reader, Weigher
from treegauge.treebanks.data.columns import Codes

Operation = tuple[int, int]
"""A kind, and the bracket it is about, counted from the top of the stack."""
Parse = Callable[[str], Sequence[Sequence[Operation]]]
"""Maps a label to its operations on each stack."""

_DEPTH = 16
"""The largest number of open brackets above the one that is followed."""


@dataclass(frozen=True, eq=False)
class _Tables:
    """The effect of labels (first axis) on a bracket at each depth of one stack."""

    moves: Doubles
    closed: Doubles
    claimed: Doubles
    opened: Doubles
    waiting: Doubles


def _tables(operations: Sequence[Sequence[Operation]]) -> _Tables:
    labels = len(operations)
    tables = _Tables(np.zeros((labels, _DEPTH, 5)), *(np.zeros((labels, _DEPTH)) for _ in range(4)))
    for label, own in enumerate(operations):
        opens = [kind in {OPEN, OPEN_WAIT} for kind, _ in own]
        for at, (kind, index) in enumerate(own):
            above = sum(opens[at + 1 :])
            if kind in {OPEN, OPEN_WAIT} and above < _DEPTH:
                tables.opened[label, above] += 1
            if kind in {OPEN_WAIT, WAIT}:
                depth = above + (index if kind == WAIT else 0)
                if depth < _DEPTH:
                    tables.waiting[label, depth] += 1
        for start in range(_DEPTH):
            depth = start
            for kind, index in own:
                if kind in {OPEN, OPEN_WAIT}:
                    depth += 1
                elif kind != WAIT and index == depth:
                    tables.claimed[label, start] += kind != CLOSE
                    if kind in {CLOSE, CLOSE_HEAD}:
                        tables.closed[label, start] = 1
                        break
                elif kind in {CLOSE, CLOSE_HEAD} and index < depth:
                    depth -= 1
            else:
                tables.moves[label, start, depth - start + 2] = 1
    return tables


def _mixed(shares: Doubles, table: Doubles) -> Doubles:
    """Return the mean of a table of labels for each word, weighted by its label probabilities."""
    return np.ascontiguousarray(np.tensordot(shares, table, 1))


def stack_reader(parse: Parse) -> MakeReader:
    """Return a factory of readers for labels that `parse` understands."""

    def make(labels: Sequence[Sequence[str]], offsets: Ints, _: Codes) -> Reader:
        parsed = [parse(label) for label in labels[0]]
        stacks = len(parsed[0]) if parsed else 1
        flat: list[Operation] = []
        bounds = np.zeros((stacks, len(parsed) + 1), np.int32)
        for stack in range(stacks):
            bounds[stack, 0] = len(flat)
            for number, own in enumerate(parsed, 1):
                flat += own[stack]
                bounds[stack, number] = len(flat)
        kinds = np.array([kind for kind, _ in flat], np.uint8)
        index = np.array([index for _, index in flat], np.int32)

        def read(codes: Ints, roots: Bools) -> Ints:
            heads = np.zeros(codes.shape[1], np.int32)
            _kernels.follow(np.ascontiguousarray(codes[0]), kinds, index, bounds, roots, offsets, heads)
            return heads

        return read

    return make


def stack_weigher(parse: Parse) -> MakeWeigher:
    """Return a factory of weighers for labels that `parse` understands."""

    def make(labels: Sequence[Sequence[str]], offsets: Ints, _: Codes) -> Weigher:
        parsed = [parse(label) for label in labels[0]]
        stacks = [_tables(one) for one in zip(*parsed, strict=True)]
        sizes = np.diff(offsets).astype(np.int64)
        places = np.concatenate([np.zeros(1, np.int64), np.cumsum(sizes * (sizes + 1))])

        def weigh(shares: Sequence[Doubles], roots: Doubles) -> list[Doubles]:
            own = np.ascontiguousarray(shares[0], np.float64)
            found = np.zeros(int(places[-1]) + 1)
            for tables in stacks:
                _kernels.claims(
                    _mixed(own, tables.moves), _mixed(own, tables.closed),
                    _mixed(own, tables.claimed), _mixed(own, tables.opened),
                    _mixed(own, tables.waiting), offsets, places, found,
                )  # fmt: skip
            return [
                completed(found[place : place + n * (n + 1)].reshape(n, n + 1), roots[start : start + n])
                for place, start, n in zip(places[:-1].tolist(), offsets[:-1].tolist(), sizes.tolist(), strict=True)
            ]

        return weigh

    return make


__all__ = ["ASK", "CLOSE", "CLOSE_HEAD", "OPEN", "OPEN_WAIT", "WAIT", "Operation", "stack_reader", "stack_weigher"]
