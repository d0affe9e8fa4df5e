r"""Encodings of trees as one label per word, and decoding of any labels to a tree.

Brackets in two planes (:mod:`~treegauge.parsing.bracket_labels`), and hierarchical brackets
(:mod:`~treegauge.parsing.hierarchical_labels`). Names joined by ``+`` are several encodings of the same tree,
used together.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from treegauge.core.errors import ChoiceError, TreegaugeError
from treegauge.kernels import label_encodings as _kernels
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
    write_brackets,
)
from treegauge.parsing.hierarchical_labels import hierarchy_reader, hierarchy_weigher, write_hierarchy
from treegauge.treebanks.data.columns import Codes

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
