"""Classes of relations (content, function, other) and their word dependency entropy."""

from collections.abc import Iterable, Mapping

import numpy as np
import numpy.typing as npt

from treegauge.core.errors import ChoiceError
from treegauge.measures.counting import need_column, register_ratio, sentence_sums
from treegauge.measures.registry import FloatArray, register
from treegauge.treebanks.data.columns import Codes, Treebank
from treegauge.treebanks.data.relations import GRAMMATICAL, LEXICAL, universal_relation

#: Content and function relations by version of UD; other relations are in neither class.
CONTENT, FUNCTION = LEXICAL, GRAMMATICAL
CLASSES = ("content", "function", "other")


def universal_relations(treebank: Treebank) -> Codes:
    """Return each word's relation without its subtype, as codes and sorted names."""
    codes, values = treebank.codes("deprel")
    bases = [universal_relation(value) for value in values]
    names = sorted(set(bases))
    place = {name: i for i, name in enumerate(names)}
    table = np.array([place[base] for base in bases], np.int32)
    return Codes(table[codes] if names else codes, names)


def relation_class(relation: str, version: str | None = None) -> str:
    """Return whether a relation is a content relation, a function relation, or other.

    Without a version of UD (``v1``, ``v2``), relations of both count; their names do not conflict.

    Examples
    --------
    >>> [relation_class(r) for r in ("nsubj:pass", "auxpass", "punct", "obl")]
    ['content', 'function', 'other', 'content']
    >>> relation_class("obl", "v1")
    'other'
    """
    if version is not None and version not in CONTENT:
        raise ChoiceError("version of UD", version, CONTENT)
    return _class_of(universal_relation(relation), version)


def _class_of(universal: str, version: str | None = None) -> str:
    for name, sets in (("content", CONTENT), ("function", FUNCTION)):
        if any(universal in sets[key] for key in ([version] if version else sets)):
            return name
    return "other"


def _register_share(kind: str, meaning: str) -> None:
    def share(treebank: Treebank) -> FloatArray:
        codes, names = universal_relations(treebank)
        inside = np.array([_class_of(name) == kind for name in names], bool)
        mask: npt.NDArray[np.bool_] = inside[codes] if names else codes.astype(bool)
        return np.column_stack([sentence_sums(mask, treebank), treebank.lengths])

    register_ratio(kind, "relations", meaning, "words", columns=["deprel"])(share)


_register_share("content", "share of words with a content relation")
_register_share("function", "share of words with a function relation")
_register_share("other", "share of words whose relation is neither, such as punct")


def average_wde(each: Iterable[Mapping[str, float]], *, missing: float = 0.5) -> dict[str, float]:
    r"""Average WDE over treebanks.

    .. math:: \overline{\mathrm{WDE}}(r) = \frac{1}{n_T} \sum_{t} \mathrm{WDE}(r, t)

    A relation that a treebank lacks counts as `missing` there, between content and function.

    Examples
    --------
    >>> average_wde([{"det": 0.1, "obj": 0.9}, {"obj": 0.7}])
    {'det': 0.3, 'obj': 0.8}
    """
    values = list(each)
    names = sorted({name for by_relation in values for name in by_relation})
    return {name: float(np.mean([by_relation.get(name, missing) for by_relation in values])) for name in names}


@register("wde", "relations", "word dependency entropy of each relation", average=average_wde)
def word_dependency_entropy(treebank: Treebank) -> dict[str, float]:
    r"""Return the word dependency entropy (WDE) of every relation of a treebank, 0 to 1.

    .. math:: \mathrm{WDE}(r, t) = \frac{H(p(w \mid r, t))}{\log n_w}

    with :math:`n_w` the number of distinct forms in the treebank (0 if there is only one). Subtypes
    of relations are ignored. Function relations get low values, content relations high ones.

    Examples
    --------
    >>> from treegauge.treebanks.data.conllu import parse_conllu
    >>> lines = ["1\ta\t_\tX\t_\t_\t0\troot\t_\t_", "2\tb\t_\tX\t_\t_\t1\tdep\t_\t_",
    ...          "3\tc\t_\tX\t_\t_\t1\tdep\t_\t_", "4\td\t_\tX\t_\t_\t1\tdep:x\t_\t_"]
    >>> wde = word_dependency_entropy(parse_conllu("\n".join(lines) + "\n\n"))
    >>> {r: round(h, 3) for r, h in wde.items()}  # log 3 / log 4
    {'dep': 0.792, 'root': 0.0}
    """
    need_column(treebank, "form")
    need_column(treebank, "deprel")
    forms, vocabulary = treebank.codes("form")
    codes, names = universal_relations(treebank)
    if len(vocabulary) < 2:
        return dict.fromkeys(names, 0.0)
    pairs = codes.astype(np.int64) * len(vocabulary) + forms
    seen, counts = np.unique(pairs, return_counts=True)
    relation = seen // len(vocabulary)
    totals = np.bincount(relation, counts, len(names))
    share = counts / totals[relation]
    entropy = np.bincount(relation, -share * np.log(share), len(names))
    normal = entropy / np.log(len(vocabulary))
    return {name: max(0.0, float(value)) for name, value in zip(names, normal, strict=True)}
