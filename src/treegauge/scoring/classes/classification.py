"""Word classes, by which scores are broken down."""

import re
from collections.abc import Callable, Sequence
from functools import reduce
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from treegauge.core.errors import ChoiceError, TreegaugeError
from treegauge.treebanks.data import trees
from treegauge.treebanks.data.columns import Treebank
from treegauge.treebanks.data.indexing import document_starts
from treegauge.treebanks.data.relations import universal_relation

#: Class of a sentence without a value.
NONE = "none"
FORMS = ("doc", "comment:KEY", "sent_id:REGEX")


def sentence_classes(treebank: Treebank, name: str) -> list[str] | None:
    r"""Return the class of each sentence, or None if no sentence class has this name.

    ``doc`` is the document (``# newdoc id``). ``comment:genre`` is the value of the comment
    ``# genre = ...``; at the start of a document it holds for all of its sentences. ``sent_id:RE``
    is what the pattern matches in the sentence's id: its first group, or all of it.

    Examples
    --------
    >>> from treegauge.treebanks.data.conllu import parse_conllu
    >>> word = "1\tGo\tgo\tVERB\t_\t_\t0\troot\t_\t_\n\n"
    >>> tb = parse_conllu(f"# newdoc id = a\n# genre = news\n{word}{word}# newdoc\n{word}")
    >>> sentence_classes(tb, "doc"), sentence_classes(tb, "comment:genre")
    (['a', 'a', 'document 2'], ['news', 'news', 'none'])
    """
    kind, _, key = name.partition(":")
    if name == "doc":
        return _documents(treebank)
    if kind == "comment" and key:
        return _comments(treebank, key)
    if kind == "sent_id" and key:
        return _matches(treebank.metadata("sent_id"), key, treebank.name)
    return None


def _documents(treebank: Treebank) -> list[str]:
    starts = document_starts(treebank).tolist()
    if not any(starts):
        raise TreegaugeError(f"{treebank.name} has no '# newdoc' comments, which --by doc needs to find documents")
    names = treebank.metadata("newdoc id")
    classes, number, current = [], 0, f"before the first document of {treebank.name}"
    for start, name in zip(starts, names, strict=True):
        if start:
            number += 1
            current = name or f"document {number}"
        classes.append(current)
    return classes


def _comments(treebank: Treebank, key: str) -> list[str]:
    values = treebank.metadata(key)
    if not any(values):
        first_metadata = [treebank[i].metadata for i in range(min(len(treebank), 50))]
        keys = dict.fromkeys(known_key for metadata in first_metadata for known_key in metadata)
        raise TreegaugeError(
            f"no sentence of {treebank.name} has the comment '# {key} = ...'; the first sentences "
            f"have: {', '.join(keys) or 'none'}"
        )
    classes, inherited = [], None
    for start, value in zip(document_starts(treebank).tolist(), values, strict=True):
        if start:
            inherited = value
        classes.append(value or inherited or NONE)
    return classes


def _matches(ids: Sequence[str | None], pattern: str, name: str) -> list[str]:
    try:
        compiled = re.compile(pattern)
    except re.error as error:
        raise TreegaugeError(f"sent_id:{pattern} is not a regular expression: {error}") from None
    matches = [compiled.search(sent_id or "") for sent_id in ids]
    if not any(matches):
        raise TreegaugeError(f"no sent_id of {name} matches {pattern!r}; the first one is {next(iter(ids), None)!r}")
    return [(match[1] if compiled.groups else match[0]) or NONE if match else NONE for match in matches]


Ints = npt.NDArray[np.int32]
Classifier = Callable[[Treebank], Sequence[Any] | npt.NDArray[Any]]


class Classes(NamedTuple):
    """The class of each word as a code, and the classes' names.

    `ordered` means that the names are steps of a scale, such as distances, and keep their order.
    """

    codes: Ints
    names: list[str]
    ordered: bool = False

    def among(self, names: Sequence[str]) -> Ints:
        """Return the class of each word as an index into another list of names."""
        place = {name: i for i, name in enumerate(names)}
        return np.array([place[name] for name in self.names], np.int32)[self.codes]


def _binned(values: npt.NDArray[Any], edges: Sequence[int]) -> Classes:
    """Bin whole numbers by their lower edges; the last bin is open."""
    names = [str(low) if high == low + 1 else f"{low}-{high - 1}" for low, high in pairwise(edges)]
    codes = np.searchsorted(np.asarray(edges), values, "right") - 1
    return Classes(codes.astype(np.int32), [*names, f"{edges[-1]}+"], ordered=True)


def _column(name: str, normal: Callable[[str], str] = str) -> Callable[[Treebank], Classes]:
    def classes(treebank: Treebank) -> Classes:
        codes, values = treebank.codes(name)
        return _sorted(codes, [normal(value) for value in values])

    return classes


def _sorted(codes: npt.NDArray[Any], values: Sequence[str]) -> Classes:
    names, places = np.unique(np.array(values, object), return_inverse=True)
    return Classes(places.astype(np.int32)[codes], names.tolist())


def _direction(treebank: Treebank) -> Classes:
    codes = trees.direction(treebank.head, treebank.offsets)
    return Classes((codes + 1).astype(np.int32), ["head left", "root", "head right"])


def _binary_direction(treebank: Treebank) -> Classes:
    """Return the direction, with roots counted as words whose head is to the right."""
    right = trees.direction(treebank.head, treebank.offsets) >= 0
    return Classes(right.astype(np.int32), ["head left", "head right"])


def _distance(treebank: Treebank) -> Classes:
    distance = np.abs(trees.displacement(treebank.head, treebank.offsets))
    classes = _binned(distance, (0, 1, 2, 3, 4, 5, 6, 7, 10, 15, 30))
    return classes._replace(names=["root", *classes.names[1:]])


def _projective(treebank: Treebank) -> Classes:
    codes = trees.is_projective_arc(treebank.head, treebank.offsets).astype(np.int32)
    return Classes(codes, ["non-projective", "projective"])


def _head_upos(treebank: Treebank) -> Classes:
    codes, values = treebank.codes("upos")
    parents = treebank.parents
    of_head = np.where(parents < 0, len(values), codes[np.maximum(parents, 0)])
    return _sorted(of_head.astype(np.int32), [*values, "ROOT"])


REGISTRY: dict[str, Callable[[Treebank], Classes]] = {
    "upos": _column("upos"),
    "xpos": _column("xpos"),
    "relation": _column("deprel", universal_relation),
    "deprel": _column("deprel"),
    "direction": _direction,
    "binary-direction": _binary_direction,
    "distance": _distance,
    "depth": lambda tb: _binned(trees.depth(tb.head, tb.offsets), (0, 1, 2, 3, 4, 5, 6, 7, 10)),
    "length": lambda tb: _binned(tb.lengths[tb.sentence_of], (1, 6, 11, 16, 21, 31, 41, 51, 101)),
    "projectivity": _projective,
    "head-upos": _head_upos,
    "position": lambda tb: _binned(tb.positions, (1, 2, 3, 4, 5, 6, 11, 21, 41)),
}


class Origin(NamedTuple):
    """The treebank whose comments count, and the sentence of each word in it."""

    treebank: Treebank
    sentences: Ints


def classify(
    treebank: Treebank, by: str | Classifier | Sequence[str | Classifier], origin: Origin | None = None
) -> Classes:
    r"""Return the class of every word.

    Parameters
    ----------
    treebank
        The words.
    by
        A name (``upos``, ``xpos``, ``relation``, ``deprel`` with subtypes, ``direction``,
        ``binary-direction`` (the same, roots counted as head right), ``distance``, ``depth``,
        ``length`` of the sentence, ``projectivity``, ``head-upos``, ``position``, or
        ``feats:Case`` and ``misc:Key`` for the value of one feature; ``doc``, ``comment:genre`` and
        ``sent_id:REGEX`` for sentences, see :mod:`treegauge.scoring.classes.classification`), a function
        from a treebank to one value per word, or several of these, which are crossed.
    origin
        Source of sentence classes, if not the treebank itself: parsers may drop comments and split
        sentences differently.

    Examples
    --------
    >>> from treegauge.treebanks.data.conllu import parse_conllu
    >>> tb = parse_conllu("1\tGo\tgo\tVERB\t_\t_\t0\troot\t_\t_\n\n")
    >>> classify(tb, ["upos", "direction"]).names
    ['VERB × root']
    """
    if isinstance(by, str) and "," in by and not by.startswith("sent_id:"):
        by = [part.strip() for part in by.split(",")]
    if isinstance(by, str):
        return _named(treebank, by, origin or Origin(treebank, treebank.sentence_of))
    if callable(by):
        return _custom(treebank, by)
    if not by:
        raise TreegaugeError("no class to break down by: give at least one")
    return reduce(_crossed, [classify(treebank, name, origin) for name in by])


def _named(treebank: Treebank, name: str, origin: Origin) -> Classes:
    column, _, key = name.partition(":")
    if column in {"feats", "misc"} and key:
        return _column(column, lambda field: _value(field, key))(treebank)
    if (values := sentence_classes(origin.treebank, name)) is not None:
        return _sorted(origin.sentences, values)
    if name not in REGISTRY:
        raise ChoiceError("class of words", name, [*REGISTRY, "feats:NAME", "misc:NAME", *FORMS])
    return REGISTRY[name](treebank)


def _value(field: str, key: str) -> str:
    pairs = (part.partition("=") for part in field.split("|"))
    return next((value for name, _, value in pairs if name == key), "none")


def _custom(treebank: Treebank, function: Classifier) -> Classes:
    values = list(function(treebank))
    if len(values) != treebank.n_words:
        raise TreegaugeError(
            f"a classifier returned {len(values)} values for {treebank.n_words} words of "
            f"{treebank.name}; expected one value per word"
        )
    return _sorted(np.arange(len(values)), list(map(str, values)))


def _crossed(left: Classes, right: Classes) -> Classes:
    joint = left.codes.astype(np.int64) * len(right.names) + right.codes
    seen, codes = np.unique(joint, return_inverse=True)
    names = [f"{left.names[j // len(right.names)]} × {right.names[j % len(right.names)]}" for j in seen.tolist()]
    return Classes(codes.reshape(-1).astype(np.int32), names)
