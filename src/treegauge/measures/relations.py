"""Relations as classes of words: content, function, and what is neither."""

import numpy as np
import numpy.typing as npt

from treegauge.measures.checks import need_column, per_sentence, ratio, ratio_of_sums
from treegauge.measures.registry import Additive, FloatArray, register
from treegauge.results.errors import ChoiceError
from treegauge.treebanks.columns import Codes, Treebank
from treegauge.treebanks.relations import GRAMMATICAL, LEXICAL, universal_relation

#: Content and function relations by version of UD; all other relations are in neither class.
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
    """Say whether a relation links content words, a function word, or neither can be said.

    Parameters
    ----------
    relation
        With or without a subtype.
    version
        ``"v1"`` or ``"v2"`` of UD. Without it both are known; their names do not conflict.

    Examples
    --------
    >>> [relation_class(r) for r in ("nsubj:pass", "auxpass", "punct", "obl")]
    ['content', 'function', 'other', 'content']
    >>> relation_class("obl", "v1")
    'other'
    """
    if version is not None and version not in CONTENT:
        raise ChoiceError("version of UD", version, CONTENT)
    base = universal_relation(relation)
    for name, sets in (("content", CONTENT), ("function", FUNCTION)):
        if any(base in sets[one] for one in ([version] if version else sets)):
            return name
    return "other"


def _share(kind: str, treebank: Treebank) -> list[FloatArray]:
    codes, names = universal_relations(treebank)
    inside = np.array([relation_class(name) == kind for name in names], bool)
    mask: npt.NDArray[np.bool_] = inside[codes] if names else codes.astype(bool)
    return [np.column_stack([per_sentence(mask, treebank), treebank.lengths])]


def _content(treebank: Treebank) -> list[FloatArray]:
    return _share("content", treebank)


def _function(treebank: Treebank) -> list[FloatArray]:
    return _share("function", treebank)


def _other(treebank: Treebank) -> list[FloatArray]:
    return _share("other", treebank)


@register(
    "content", "relations", "share of words with a content relation",
    additive=Additive(_content, ratio_of_sums),
)  # fmt: skip
def content_share(treebank: Treebank) -> float:
    """Return the share of words with a content relation."""
    need_column(treebank, "deprel")
    return ratio(_content(treebank)[0], treebank, "words")


@register(
    "function", "relations", "share of words with a function relation",
    additive=Additive(_function, ratio_of_sums),
)  # fmt: skip
def function_share(treebank: Treebank) -> float:
    """Return the share of words with a function relation."""
    need_column(treebank, "deprel")
    return ratio(_function(treebank)[0], treebank, "words")


@register(
    "other", "relations", "share of words whose relation is neither, such as punct",
    additive=Additive(_other, ratio_of_sums),
)  # fmt: skip
def other_share(treebank: Treebank) -> float:
    """Return the share of words with a relation of neither class."""
    need_column(treebank, "deprel")
    return ratio(_other(treebank)[0], treebank, "words")
