r"""Encodings of trees as one label per word, and decoding of any labels to a tree.

Brackets in two planes (:mod:`~treegauge.parsing.bracket_labels`), and hierarchical brackets (Ezquerro, Vilares,
Yli-Jyrä & Gómez-Rodríguez 2025). Names joined by ``+`` are several encodings of the same tree, used
together.

Of hierarchical brackets, few arcs are brackets of their own, with a symbol at both ends: ``/*`` or
``<*`` at the left end, ``>*`` or ``\*`` at the right end, where ``<`` and ``>`` are of the dependent.
Any other arc leans on one that covers it and shares its head; its dependent has ``>`` if the head is
where that bracket opened, and ``<`` if the head is where it closes. The outermost arc of a head on
each side is a bracket, unless the arc to the head's own head is one, on the same side and longer. For
projective trees that is the smallest set of brackets, and 12 labels are enough.

In trees that are not projective a closing bracket may be below others on the stack, and so may the
bracket that an arc leans on. The symbol then has a number: how many open brackets are above it.
So every tree is preserved. (In the paper an arc may lean on either end; here only on its head's, so
that each label says of its own word only where its head is.) The root hangs from a word before the
first one, which opens ``/*``.

A hierarchical label is a sequence of operations on one stack of brackets: it opens and closes some,
and says of its own word where the head is: the word that opened a bracket, or the word that closes
it. Reading is one pass over the words. Probabilities of heads follow the depth of a bracket from the
word that opened it, or that waits for its end, onwards: exact for labels drawn independently.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from treegauge.core.errors import ChoiceError, TreegaugeError
from treegauge.kernels import label_encodings as _kernels
from treegauge.kernels import label_stacks as _stacks
from treegauge.kernels.label_stacks import ASK, CLOSE, CLOSE_HEAD, OPEN, OPEN_WAIT, WAIT
from treegauge.parsing.bracket_labels import (
    Bools,
    Doubles,
    Ints,
    MakeReader,
    MakeWeigher,
    Reader,
    Weigher,
    Writer,
    bracket_reader,
    bracket_weigher,
    completed,
    write_brackets,
)
from treegauge.treebanks.data.columns import Codes

Operation = tuple[int, int]
"""A kind, and the bracket it is about, counted from the top of the stack."""
_DEPTH = 16
"""The largest number of open brackets above the one that is followed."""


_LABEL = re.compile(r"(>\*\d{0,3})?(\\\*\d{0,3})?([<>]\d{0,3})?(/\*)?(<\*)?")
_SYMBOL = re.compile(r"([<>/\\]\*?)(\d*)")
_KINDS = {">*": CLOSE_HEAD, "\\*": CLOSE, ">": ASK, "<": WAIT, "/*": OPEN, "<*": OPEN_WAIT}


@dataclass(frozen=True, eq=False)
class _Tables:
    """The effect of labels (first axis) on a bracket at each depth of the stack."""

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


def write_hierarchy(heads: Ints, offsets: Ints) -> list[Codes]:
    """Write trees as hierarchical brackets."""
    rows = np.zeros((len(heads), 4), np.int32)
    _stacks.hierarchy(heads, offsets, rows)
    kinds, codes = np.unique(rows, axis=0, return_inverse=True)
    labels = [_label(*row) for row in kinds.tolist()]
    return [Codes(codes.reshape(-1).astype(np.int32), labels)]


def _label(part: int, index: int, closed: int, opens: int) -> str:
    """Put the symbols in the order in which they are read."""
    number = str(index or "")
    return "".join(
        (
            f">*{number}" if part == _stacks.CLOSES else "",
            f"\\*{closed - 1 or ''}" if closed else "",
            f">{number}" if part == _stacks.LEANS_LEFT else "",
            f"<{number}" if part == _stacks.LEANS_RIGHT else "",
            "/*" if opens else "",
            "<*" if part == _stacks.OPENS else "",
        )
    )


def parse_hierarchy(label: str) -> list[Operation]:
    """Return the stack operations of a label.

    Examples
    --------
    >>> parse_hierarchy(">*1/*") == [(CLOSE_HEAD, 1), (OPEN, 0)]
    True
    """
    if not _LABEL.fullmatch(label):
        raise TreegaugeError(
            f"label {label!r} is not made of hierarchical brackets; expected a label such as >*/* or \\*<1"
        )
    symbols = _SYMBOL.findall(label)
    return [(_KINDS[symbol], int(number or 0)) for symbol, number in symbols]


def hierarchy_reader(labels: Sequence[Sequence[str]], offsets: Ints) -> Reader:
    """Return a reader of hierarchical brackets."""
    parsed = [parse_hierarchy(label) for label in labels[0]]
    flat = [operation for own in parsed for operation in own]
    bounds = np.cumsum([0, *map(len, parsed)]).astype(np.int32)
    kinds = np.array([kind for kind, _ in flat], np.uint8)
    index = np.array([index for _, index in flat], np.int32)

    def read(codes: Ints, roots: Bools) -> Ints:
        heads = np.zeros(codes.shape[1], np.int32)
        _stacks.follow(np.ascontiguousarray(codes[0]), kinds, index, bounds, roots, offsets, heads)
        return heads

    return read


def hierarchy_weigher(labels: Sequence[Sequence[str]], offsets: Ints) -> Weigher:
    """Return the function that sums the probabilities of all labels that give a head."""
    tables = _tables([parse_hierarchy(label) for label in labels[0]])
    sizes = np.diff(offsets).astype(np.int64)
    places = np.concatenate([np.zeros(1, np.int64), np.cumsum(sizes * (sizes + 1))])

    def weigh(shares: Sequence[Doubles], roots: Doubles) -> list[Doubles]:
        own = np.ascontiguousarray(shares[0], np.float64)
        found = np.zeros(int(places[-1]) + 1)
        _stacks.claims(
            _mixed(own, tables.moves), _mixed(own, tables.closed),
            _mixed(own, tables.claimed), _mixed(own, tables.opened),
            _mixed(own, tables.waiting), offsets, places, found,
        )  # fmt: skip
        return [
            completed(found[place : place + n * (n + 1)].reshape(n, n + 1), roots[start : start + n])
            for place, start, n in zip(places[:-1].tolist(), offsets[:-1].tolist(), sizes.tolist(), strict=True)
        ]

    return weigh


_LEAST = 1e-30
"""Probabilities below this are treated as equal."""


@dataclass(frozen=True)
class Trees:
    """Trees with one root each, read from labels.

    `made_root` are words that became root though their relation does not say so, because no word's
    did; `repaired` are words whose head differs from the one in the labels.
    """

    heads: Ints
    made_root: Bools
    repaired: Bools


@dataclass(frozen=True)
class Encoding:
    """An encoding of trees as labels: `columns` labels per word, and its relation."""

    name: str
    columns: int
    _write: Writer
    _reader: MakeReader
    _weigher: MakeWeigher

    def encode(self, heads: npt.ArrayLike, offsets: npt.ArrayLike) -> list[Codes]:
        """Write trees as labels, one column of codes each."""
        return self._write(np.asarray(heads, np.int32), np.asarray(offsets, np.int32))

    def reader(
        self, labels: Sequence[Sequence[str]], offsets: npt.ArrayLike
    ) -> Callable[[npt.ArrayLike, npt.ArrayLike], Trees]:
        """Return a function that reads codes of these labels as trees.

        Whatever the labels, each sentence becomes a tree with one root, in this order: if no word
        is root, all words with the relation root are; if still none, the first word is; of several,
        the first stays and the others hang from it; words without a head hang from the root; and so
        does the word at which a walk upwards first returns to itself.
        """
        self._check(labels)
        bounds = np.asarray(offsets, np.int32)
        read = self._reader(labels, bounds)

        def trees(codes: npt.ArrayLike, roots: npt.ArrayLike) -> Trees:
            given = np.ascontiguousarray(codes, np.int32).reshape(self.columns, -1)
            marked = np.asarray(roots, np.bool_)
            said = read(given, marked)
            heads, made = said.copy(), np.zeros(len(said), np.bool_)
            _kernels.repair(heads, marked, bounds, made)
            return Trees(heads, made, heads != said)

        return trees

    def weigher(self, labels: Sequence[Sequence[str]], offsets: npt.ArrayLike) -> Weigher:
        """Return a function that turns probabilities of these labels into those of heads.

        Exact for labels that are drawn independently, one per word and column. Probability that the
        labels assign to no head is divided equally (:mod:`treegauge.parsing.bracket_labels`).
        """
        self._check(labels)
        return self._weigher(labels, np.asarray(offsets, np.int32))

    def _check(self, labels: Sequence[Sequence[str]]) -> None:
        if len(labels) != self.columns:
            raise TreegaugeError(f"{self.name} has {self.columns} columns of labels; found {len(labels)}")


def encodings() -> dict[str, Encoding]:
    """Return all encodings by name."""
    brackets = (bracket_reader, bracket_weigher)
    made = (
        Encoding("two-planar", 2, write_brackets(), *brackets),
        Encoding("two-planar-directed", 2, write_brackets(directed=True), *brackets),
        Encoding("hierarchical", 1, write_hierarchy, hierarchy_reader, hierarchy_weigher),
    )
    return {one.name: one for one in made}


def find_encoding(name: str) -> Encoding:
    """Return an encoding by name, or several joined by ``+``; unknown names get the choices."""
    known = encodings()
    names = name.split("+")
    for one in names:
        if one not in known:
            raise ChoiceError("encoding", one, known)
    return known[name] if len(names) == 1 else _joined(name, [known[one] for one in names])


def _joined(name: str, several: Sequence[Encoding]) -> Encoding:
    """Return several encodings as one: the first is read, and all of them weigh heads."""
    ends = np.cumsum([0, *(one.columns for one in several)]).tolist()
    parts = [slice(a, b) for a, b in pairwise(ends)]

    def write(heads: Ints, offsets: Ints) -> list[Codes]:
        return [column for one in several for column in one.encode(heads, offsets)]

    def reader(labels: Sequence[Sequence[str]], offsets: Ints) -> Reader:
        read = several[0]._reader(labels[parts[0]], offsets)
        return lambda codes, roots: read(codes[parts[0]], roots)

    def weigher(labels: Sequence[Sequence[str]], offsets: Ints) -> Weigher:
        weighers = [one.weigher(labels[part], offsets) for one, part in zip(several, parts, strict=True)]

        def weigh(shares: Sequence[Doubles], roots: Doubles) -> list[Doubles]:
            found = [weigh_one(shares[part], roots) for weigh_one, part in zip(weighers, parts, strict=True)]
            return [geometric_mean(own) for own in zip(*found, strict=True)]

        return weigh

    return Encoding(name, ends[-1], write, reader, weigher)


def geometric_mean(shares: Sequence[Doubles]) -> Doubles:
    """Return the geometric mean of probabilities of heads, each row scaled to 1.

    Encodings that are certain of different heads share the probability.

    Examples
    --------
    >>> one = np.array([[0.2, 0, 0.8], [1, 0, 0]])
    >>> other = np.array([[0.8, 0, 0.2], [0, 1, 0]])
    >>> geometric_mean([one, other]).round(3)
    array([[0.5, 0. , 0.5],
           [0.5, 0.5, 0. ]])
    """
    found = np.exp(np.log(np.maximum(shares, _LEAST)).mean(0))
    words = np.arange(len(found))
    found[words, words + 1] = 0  # no word is its own head
    return np.asarray(found / found.sum(1, keepdims=True))


def is_root(relations: Codes) -> Bools:
    """Return which words have the relation root, with or without a subtype."""
    said = [value.partition(":")[0] == "root" for value in relations.values]
    return np.array(said, np.bool_)[relations.codes]
