"""Classes of words: what scores are broken down by."""

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from treegauge.core.errors import ChoiceError, TreegaugeError
from treegauge.treebanks import trees
from treegauge.treebanks.columns import Treebank
from treegauge.treebanks.relations import universal_relation

Ints = npt.NDArray[np.int32]
Classifier = Callable[[Treebank], Sequence[Any] | npt.NDArray[Any]]


class Classes(NamedTuple):
    """The class of each word as a code, and the classes' names.

    `ordered` says that the names are steps of a scale, such as distances, and stay in their order.
    """

    codes: Ints
    names: list[str]
    ordered: bool = False


def _binned(values: npt.NDArray[Any], edges: Sequence[int]) -> Classes:
    """Whole numbers up to the last edge alone, everything beyond together."""
    names = [str(low) if high == low + 1 else f"{low}-{high - 1}" for low, high in pairwise(edges)]
    codes = np.searchsorted(np.asarray(edges), values, "right") - 1
    return Classes(codes.astype(np.int32), [*names, f"{edges[-1]}+"], ordered=True)


def _column(name: str) -> Callable[[Treebank], Classes]:
    return lambda treebank: _sorted(*treebank.codes(name))


def _sorted(codes: Ints, values: list[str]) -> Classes:
    names = sorted(set(values))
    place = {name: i for i, name in enumerate(names)}
    table = np.array([place[value] for value in values], np.int32)
    return Classes(table[codes] if len(values) else codes, names)


def _relation(treebank: Treebank) -> Classes:
    codes, values = treebank.codes("deprel")
    return _sorted(codes, [universal_relation(value) for value in values])


def _direction(treebank: Treebank) -> Classes:
    codes = trees.direction(treebank.head, treebank.offsets)
    return Classes((codes + 1).astype(np.int32), ["head left", "root", "head right"])


def _binary_direction(treebank: Treebank) -> Classes:
    """Like the direction; roots count as words whose head is to the right."""
    right = trees.direction(treebank.head, treebank.offsets) >= 0
    return Classes(right.astype(np.int32), ["head left", "head right"])


def _distance(treebank: Treebank) -> Classes:
    distance = np.abs(trees.displacement(treebank.head, treebank.offsets))
    classes = _binned(distance, (0, 1, 2, 3, 4, 5, 6, 7, 10, 15, 30))
    return classes._replace(names=["root", *classes.names[1:]])


def _depth(treebank: Treebank) -> Classes:
    return _binned(trees.depth(treebank.head, treebank.offsets), (0, 1, 2, 3, 4, 5, 6, 7, 10))


def _length(treebank: Treebank) -> Classes:
    lengths = treebank.lengths[treebank.sentence_of]
    return _binned(lengths, (1, 6, 11, 16, 21, 31, 41, 51, 101))


def _projective(treebank: Treebank) -> Classes:
    codes = trees.is_projective_arc(treebank.head, treebank.offsets).astype(np.int32)
    return Classes(codes, ["non-projective", "projective"])


def _head_upos(treebank: Treebank) -> Classes:
    codes, values = treebank.codes("upos")
    parents = treebank.parents
    of_head = np.where(parents < 0, len(values), codes[np.maximum(parents, 0)])
    return _sorted(of_head.astype(np.int32), [*values, "ROOT"])


def _position(treebank: Treebank) -> Classes:
    return _binned(treebank.positions, (1, 2, 3, 4, 5, 6, 11, 21, 41))


REGISTRY: dict[str, Callable[[Treebank], Classes]] = {
    "upos": _column("upos"),
    "xpos": _column("xpos"),
    "relation": _relation,
    "deprel": _column("deprel"),
    "direction": _direction,
    "binary-direction": _binary_direction,
    "distance": _distance,
    "depth": _depth,
    "length": _length,
    "projectivity": _projective,
    "head-upos": _head_upos,
    "position": _position,
}


def classify(treebank: Treebank, by: str | Classifier | Sequence[str | Classifier]) -> Classes:
    r"""Give every word its class.

    Parameters
    ----------
    treebank
        The words.
    by
        A name (``upos``, ``xpos``, ``relation``, ``deprel`` with subtypes, ``direction``,
        ``binary-direction`` (the same, roots counted as head right), ``distance``, ``depth``,
        ``length`` of the sentence, ``projectivity``, ``head-upos``, ``position``, or
        ``feats:Case`` and ``misc:Key`` for the value of one feature), a function from a treebank
        to one value per word, or several of these, which are crossed.

    Examples
    --------
    >>> from treegauge.treebanks.conllu import parse_conllu
    >>> tb = parse_conllu("1\tGo\tgo\tVERB\t_\t_\t0\troot\t_\t_\n\n")
    >>> classify(tb, ["upos", "direction"]).names
    ['VERB × root']
    """
    if isinstance(by, str) and "," in by:
        by = [part.strip() for part in by.split(",")]
    if isinstance(by, str):
        return _named(treebank, by)
    if callable(by):
        return _custom(treebank, by)
    parts = [classify(treebank, one) for one in by]
    if not parts:
        raise TreegaugeError("no class to break down by: give at least one")
    crossed = parts[0]
    for part in parts[1:]:
        crossed = _crossed(crossed, part)
    return crossed


def _named(treebank: Treebank, name: str) -> Classes:
    column, colon, key = name.partition(":")
    if colon and column in {"feats", "misc"} and key:
        codes, values = treebank.codes(column)
        return _sorted(codes, [_value(value, key) for value in values])
    if name not in REGISTRY:
        raise ChoiceError("class of words", name, [*REGISTRY, "feats:NAME", "misc:NAME"])
    return REGISTRY[name](treebank)


def _value(field: str, key: str) -> str:
    pairs = (part.partition("=") for part in field.split("|"))
    return next((value for name, _, value in pairs if name == key), "none")


def _custom(treebank: Treebank, function: Classifier) -> Classes:
    values = list(function(treebank))
    if len(values) != treebank.n_words:
        raise TreegaugeError(
            f"a classifier gave {len(values)} values for {treebank.n_words} words of "
            f"{treebank.name}; expected one value per word"
        )
    names = sorted({str(value) for value in values})
    place = {name: i for i, name in enumerate(names)}
    return Classes(np.array([place[str(value)] for value in values], np.int32), names)


def _crossed(left: Classes, right: Classes) -> Classes:
    joint = left.codes.astype(np.int64) * len(right.names) + right.codes
    seen, codes = np.unique(joint, return_inverse=True)
    names = [
        f"{left.names[j // len(right.names)]} × {right.names[j % len(right.names)]}"
        for j in seen.tolist()
    ]
    return Classes(codes.reshape(-1).astype(np.int32), names)
