r"""Ways to write a tree as one label per word, and to read any labels as a tree.

Brackets (Strzyz et al. 2019, 2020): all arcs in one plane, or in two in which none cross. In the
label of word i, plane by plane, stand ``<`` if word i - 1 has its head to the right, ``/`` for each
right dependent of word i - 1, ``\`` for each left dependent of word i, and ``>`` if word i has
its head to the left; ``.`` if nothing stands there. The root's arc is not written: who has the
relation ``root`` is the root. Arcs that find no plane are lost. Planes are found greedily; by
propagation of what an arc's place forbids for others; or, ``directed``, greedily with a mind for
crossings of arcs in one direction only, which is enough, since the two directions are read by
stacks of their own.

Relative: how many words to the right (+) or left (-) the head is, 0 for the root; counting either
all words, or those with the head's UPOS, which is then named, too.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from treegauge.core.errors import ChoiceError, TreegaugeError
from treegauge.kernels import label_encodings as _kernels
from treegauge.parsing.label_marginals import bracket_marginals, completed, step_marginals
from treegauge.treebanks.columns import Codes

Ints = npt.NDArray[np.int32]
Bools = npt.NDArray[np.bool_]
Doubles = npt.NDArray[np.float64]
EMPTY = "."
_PARTS = "</\\>"
_ROOT = "-1@ROOT"


@dataclass(frozen=True)
class Trees:
    """Trees with one root each, read from labels.

    `made_root` are words that became root though their relation does not say so, because no word's
    did; `repaired` are words whose head is not what labels alone say.
    """

    heads: Ints
    made_root: Bools
    repaired: Bools


Reader = Callable[[Ints, Bools], Ints]
"""Takes codes (columns, words) and who has the relation root; gives heads, -1 for none."""
Weigher = Callable[[Sequence[Doubles], Doubles], list[Doubles]]
"""Takes p(label) of each column and p(root relation) of each word; gives p(head) by sentence."""


@dataclass(frozen=True)
class Encoding:
    """A way to write trees as labels, `columns` of them per word beside its relation."""

    name: str
    columns: int
    _write: Callable[[Ints, Ints, Codes], list[Codes]]
    _reader: Callable[[Sequence[Sequence[str]], Ints, Codes], Reader]
    _weigher: Callable[[Sequence[Sequence[str]], Ints, Codes], Weigher]

    def encode(self, heads: npt.ArrayLike, offsets: npt.ArrayLike, tags: Codes) -> list[Codes]:
        """Write trees as labels, one column of codes each; only `relative-upos` reads the tags."""
        return self._write(np.asarray(heads, np.int32), np.asarray(offsets, np.int32), tags)

    def reader(
        self, labels: Sequence[Sequence[str]], offsets: npt.ArrayLike, tags: Codes
    ) -> Callable[[npt.ArrayLike, npt.ArrayLike], Trees]:
        """Return a function that reads codes of these labels as trees.

        Whatever the labels, each sentence becomes a tree with one root, in this order: if no word
        is root, all words with the relation root are; if still none, the first word is; of several,
        the first stays and the others hang from it; words without a head hang from the root; and so
        does the word at which a walk upwards first returns to itself.
        """
        self._check(labels)
        bounds = np.asarray(offsets, np.int32)
        read = self._reader(labels, bounds, tags)

        def trees(codes: npt.ArrayLike, roots: npt.ArrayLike) -> Trees:
            given = np.ascontiguousarray(codes, np.int32).reshape(self.columns, -1)
            marked = np.asarray(roots, np.bool_)
            said = read(given, marked)
            heads, made = said.copy(), np.zeros(len(said), np.bool_)
            _kernels.repair(heads, marked, bounds, made)
            return Trees(heads, made, heads != said)

        return trees

    def weigher(
        self, labels: Sequence[Sequence[str]], offsets: npt.ArrayLike, tags: Codes
    ) -> Weigher:
        """Return a function that turns probabilities of these labels into those of heads.

        Exact for labels that are drawn independently, one per word and column. What is not said of
        a word's head is shared by all heads alike (:mod:`treegauge.parsing.label_marginals`).
        """
        self._check(labels)
        return self._weigher(labels, np.asarray(offsets, np.int32), tags)

    def _check(self, labels: Sequence[Sequence[str]]) -> None:
        if len(labels) != self.columns:
            raise TreegaugeError(
                f"{self.name} has {self.columns} columns of labels; found {len(labels)}"
            )


def _brackets(method: int | None) -> Callable[[Ints, Ints, Codes], list[Codes]]:
    """Write brackets in two planes by a method, or all in one."""

    def write(heads: Ints, offsets: Ints, _: Codes) -> list[Codes]:
        plane = np.ones(len(heads), np.uint8)
        if method is not None:
            _kernels.planes(heads, offsets, method, plane)
        counts = np.zeros((1 if method is None else 2, len(heads), 4), np.int32)
        _kernels.brackets(heads, offsets, plane, counts)
        made = []
        for own in counts:
            rows, codes = np.unique(own, axis=0, return_inverse=True)
            parts = ([p * n for p, n in zip(_PARTS, row, strict=True)] for row in rows.tolist())
            labels = ["".join(some) or EMPTY for some in parts]
            made.append(Codes(codes.reshape(-1).astype(np.int32), labels))
        return made

    return write


def _bracket_reader(labels: Sequence[Sequence[str]], offsets: Ints, _: Codes) -> Reader:
    parts: list[int] = []
    bounds = np.zeros((len(labels), max(map(len, labels), default=0) + 1), np.int32)
    for plane, values in enumerate(labels):
        bounds[plane, 0] = len(parts)
        for number, label in enumerate(values):
            for part in "" if label == EMPTY else label:
                if part not in _PARTS:
                    raise TreegaugeError(
                        f"label {label!r} holds {part!r}; brackets are < / \\ > or . for none"
                    )
                parts.append(_PARTS.index(part))
            bounds[plane, number + 1] = len(parts)
    flat = np.array(parts, np.uint8)

    def read(codes: Ints, roots: Bools) -> Ints:
        heads = np.zeros(codes.shape[1], np.int32)
        _kernels.match_brackets(codes, flat, bounds, roots, offsets, heads)
        return heads

    return read


def _bracket_weigher(labels: Sequence[Sequence[str]], offsets: Ints, _: Codes) -> Weigher:
    counts = [
        np.array([[label.count(part) for part in _PARTS] for label in own], np.int64).reshape(-1, 4)
        for own in labels
    ]

    def weigh(shares: Sequence[Doubles], roots: Doubles) -> list[Doubles]:
        claims = bracket_marginals(shares, counts, offsets)
        return [
            completed(own, roots[start : start + len(own)])
            for own, start in zip(claims, offsets[:-1].tolist(), strict=True)
        ]

    return weigh


def _write_relative(heads: Ints, offsets: Ints, _: Codes) -> list[Codes]:
    place = np.arange(len(heads)) - np.repeat(offsets[:-1], np.diff(offsets)) + 1
    steps, codes = np.unique(np.where(heads > 0, heads - place, 0), return_inverse=True)
    named = [f"{step:+d}" if step else "0" for step in steps.tolist()]
    return [Codes(codes.astype(np.int32), named)]


def _write_upos(heads: Ints, offsets: Ints, tags: Codes) -> list[Codes]:
    steps = np.zeros(len(heads), np.int32)
    _kernels.count_tags(heads, tags.codes, offsets, steps)
    parents = np.repeat(offsets[:-1], np.diff(offsets)) + np.maximum(heads, 1) - 1
    wanted = np.where(heads > 0, tags.codes[parents], -1)
    pairs, codes = np.unique(np.stack([steps, wanted]), axis=1, return_inverse=True)
    named = [f"{step:+d}@{tags.values[tag]}" if step else _ROOT for step, tag in pairs.T.tolist()]
    return [Codes(codes.reshape(-1).astype(np.int32), named)]


def _step_reader(labels: Sequence[Sequence[str]], offsets: Ints, tags: Codes) -> Reader:
    known = {tag: number for number, tag in enumerate(tags.values)}
    steps, wanted, everything = [], [], True
    for label in labels[0]:
        text, at, tag = label.partition("@")
        try:
            steps.append(0 if label == _ROOT else int(text))
        except ValueError:
            raise TreegaugeError(
                f"label {label!r} is no step; expected such as +2, 0, -1@NOUN or {_ROOT}"
            ) from None
        wanted.append(known.get(tag, -1))
        everything = everything and not at
    of_step, of_tag = np.array(steps, np.int32), np.array(wanted, np.int32)

    def read(codes: Ints, _: Bools) -> Ints:
        heads = np.zeros(codes.shape[1], np.int32)
        _kernels.follow_tags(
            of_step[codes[0]], of_tag[codes[0]], tags.codes, offsets, everything, heads
        )
        return heads

    return read


def _step_weigher(labels: Sequence[Sequence[str]], offsets: Ints, tags: Codes) -> Weigher:
    read = _step_reader(labels, offsets, tags)
    words = int(offsets[-1])
    numbers = np.arange(len(labels[0]), dtype=np.int32)
    nobody = np.zeros(words, np.bool_)
    heads = np.stack([read(np.full((1, words), one, np.int32), nobody) for one in numbers], 1)

    def weigh(shares: Sequence[Doubles], _: Doubles) -> list[Doubles]:
        return [completed(own) for own in step_marginals(shares[0], heads, offsets)]

    return weigh


def encodings() -> dict[str, Encoding]:
    """Return all encodings by name."""
    planes = {
        "": _kernels.GREEDY,
        "-propagation": _kernels.PROPAGATED,
        "-directed": _kernels.DIRECTED,
    }
    brackets = (_bracket_reader, _bracket_weigher)
    made = [
        *(
            Encoding(f"two-planar{end}", 2, _brackets(how), *brackets)
            for end, how in planes.items()
        ),
        Encoding("one-planar", 1, _brackets(None), *brackets),
        Encoding("relative-upos", 1, _write_upos, _step_reader, _step_weigher),
        Encoding("relative", 1, _write_relative, _step_reader, _step_weigher),
    ]
    return {one.name: one for one in made}


def find_encoding(name: str) -> Encoding:
    """Return an encoding by name; unknown names get the choices."""
    known = encodings()
    if name not in known:
        raise ChoiceError("encoding", name, known)
    return known[name]


def is_root(relations: Codes) -> Bools:
    """Tell which words' relations say that they are roots, subtypes included."""
    said = [value.partition(":")[0] == "root" for value in relations.values]
    return np.array(said, np.bool_)[relations.codes]
