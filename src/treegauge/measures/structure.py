"""Structure: lengths, crossings, depth, direction of heads, word order, and entropy of relations given forms."""

from collections.abc import Iterable, Mapping

import numpy as np
import numpy.typing as npt

from treegauge.core.errors import ChoiceError
from treegauge.measures.registry import (
    Additive,
    FloatArray,
    MissingError,
    Values,
    arc_table,
    need_column,
    ratio_of_columns,
    ratio_of_sums,
    register,
    register_ratio,
    renumber,
    sentence_sums,
    with_ones,
)
from treegauge.measures.vocabulary import entropy_of
from treegauge.treebanks.data import trees
from treegauge.treebanks.data.columns import Codes, Treebank
from treegauge.treebanks.data.relations import GRAMMATICAL, LEXICAL, universal_relation


def possible_crossings(treebank: Treebank) -> FloatArray:
    r"""Return the number of pairs of arcs in each sentence that do not share a word.

    .. math:: |Q| = \binom{A}{2} - \sum_v \binom{k_v}{2}

    with :math:`A` the number of arcs and :math:`k_v` the number of arcs at word :math:`v`.
    """
    has_arc = trees.displacement(treebank.head, treebank.offsets) != 0
    degree = trees.arity(treebank.head, treebank.offsets) + has_arc.astype(np.float64)
    arcs = sentence_sums(has_arc, treebank)
    return arcs * (arcs - 1) / 2 - sentence_sums(degree * (degree - 1) / 2, treebank)


@register_ratio(
    "crossings", "structure", "C/|Q|: crossings divided by possible crossings, all trees pooled",
    "two arcs that could cross",
)  # fmt: skip
def crossings_ratio(treebank: Treebank) -> FloatArray:
    r"""Return the crossings of a treebank divided by the possible ones.

    .. math:: \frac{\sum_s C_s}{\sum_s |Q_s|}
    """
    crossed = trees.crossings(treebank.head, treebank.offsets)
    return np.column_stack([crossed, possible_crossings(treebank)])


@register("mean_crossings", "structure", "C/|Q| of each tree, averaged over trees")
def mean_crossings(treebank: Treebank) -> float:
    """Return the mean of crossings over possible crossings, over trees where any are possible."""
    crossed = trees.crossings(treebank.head, treebank.offsets).astype(np.float64)
    possible = possible_crossings(treebank)
    share = np.divide(crossed, possible, out=np.zeros(len(crossed)), where=possible > 0)
    return ratio_of_columns(np.column_stack([share, possible > 0]), treebank, "two arcs that could cross")


@register_ratio("nonprojective_arcs", "structure", "share of non-projective arcs", "arcs")
def nonprojective_share(treebank: Treebank) -> FloatArray:
    """Return the share of arcs that span a word which does not descend from the arc's head."""
    return arc_table(~trees.is_projective_arc(treebank.head, treebank.offsets), treebank)


register_ratio("nonprojective_sentences", "structure", "share of sentences with a non-projective arc", "sentences")(
    lambda treebank: with_ones(~trees.is_projective(treebank.head, treebank.offsets))
)
register_ratio(
    "gap_degree", "structure", "largest gap degree of a sentence, averaged over sentences",
    "sentences", bounds=(0, np.inf),
)(lambda treebank: with_ones(trees.gap_degree(treebank.head, treebank.offsets)))  # fmt: skip
register("max_gap_degree", "structure", "largest gap degree", bounds=(0, np.inf))(
    lambda treebank: int(trees.gap_degree(treebank.head, treebank.offsets).max())
)


@register_ratio(
    "depth", "structure", "arcs from the deepest word to the root, averaged over sentences",
    "sentences with a root", bounds=(0, np.inf),
)  # fmt: skip
def mean_depth(treebank: Treebank) -> FloatArray:
    """Return the mean depth of trees; sentences without a root are left out."""
    deepest = trees.max_depth(treebank.head, treebank.offsets)
    return np.column_stack([np.maximum(deepest, 0), deepest >= 0])


register("max_depth", "structure", "depth of the deepest tree", bounds=(0, np.inf))(
    lambda treebank: int(max(trees.max_depth(treebank.head, treebank.offsets).max(), 0))
)


@register_ratio("arity", "structure", "mean number of dependents of words that have any", "arcs", bounds=(1, np.inf))
def mean_arity(treebank: Treebank) -> FloatArray:
    """Return the mean number of dependents of words that have any."""
    each = trees.arity(treebank.head, treebank.offsets)
    return np.column_stack([sentence_sums(each, treebank), sentence_sums(each > 0, treebank)])


register("max_arity", "structure", "largest number of dependents of one word", bounds=(0, np.inf))(
    lambda treebank: int(trees.arity(treebank.head, treebank.offsets).max())
)


def _left(treebank: Treebank) -> list[FloatArray]:
    return [arc_table(trees.direction(treebank.head, treebank.offsets) < 0, treebank)]


def _by_relation(treebank: Treebank) -> list[npt.NDArray[np.int64]]:
    codes, names = universal_relations(treebank)
    direction = trees.direction(treebank.head, treebank.offsets)
    width = 2 * len(names)
    cells = treebank.sentence_of.astype(np.int64) * width + 2 * codes + (direction > 0)
    counts = np.bincount(cells[direction != 0], minlength=len(treebank) * width)
    return [counts.reshape(len(treebank), width)]


def _conditional(sums: FloatArray) -> FloatArray:
    """Entropy of the direction given the group; columns 2g and 2g + 1 count left and right."""
    pairs = sums.reshape(*sums.shape[:-1], -1, 2)
    size = pairs.sum(axis=-1)
    return np.asarray((entropy_of(pairs) * size).sum(axis=-1) / size.sum(axis=-1))


head_left = register_ratio("head_left", "structure", "share of arcs whose head is to the left (head-initial)", "arcs")(
    lambda treebank: _left(treebank)[0]
)


@register(
    "direction_entropy", "structure", "entropy of the direction of heads, in bits",
    additive=Additive(_left, ratio_of_sums, "binary"),
)  # fmt: skip
def direction_entropy(treebank: Treebank) -> float:
    r"""Return the entropy of the direction of heads, left or right, in bits.

    .. math:: H(D) = -\sum_{d \in \{left, right\}} p(d) \log_2 p(d)
    """
    left = head_left(treebank)
    return float(entropy_of(np.array([left, 1 - left])))


@register(
    "direction_entropy_by_relation",
    "structure",
    "entropy of the direction of heads, given the relation, in bits",
    additive=Additive(_by_relation, _conditional, "entropy"),
)
def direction_entropy_by_relation(treebank: Treebank) -> float:
    r"""Return the entropy of direction given the universal relation.

    .. math:: H(D \mid R) = \sum_r p(r) H(D \mid r)
    """
    need_column(treebank, "deprel")
    counts = _by_relation(treebank)[0].sum(axis=0)
    if not counts.any():
        raise MissingError(f"{treebank.name} has no arcs")
    return float(_conditional(counts.astype(np.float64)))


@register("word_order_freedom", "structure", "entropy of the direction of heads, given relation and both UPOS, in bits")
def word_order_freedom(treebank: Treebank) -> float:
    r"""Return the entropy of direction given relation, UPOS of the dependent and of the head.

    .. math:: H(D \mid R, T_d, T_h) = \sum_{r, t, u} p(r, t, u) H(D \mid r, t, u)

    Notes
    -----
    The head direction entropy of Futrell, Mahowald and Gibson (2015), Quantifying word order
    freedom in dependency corpora, from plain frequencies.
    """
    need_column(treebank, "upos")
    need_column(treebank, "deprel")
    direction = trees.direction(treebank.head, treebank.offsets)
    arcs = np.flatnonzero(direction)
    if not len(arcs):
        raise MissingError(f"{treebank.name} has no arcs")
    tags, names = treebank.codes("upos")
    heads = treebank.parents[arcs]
    codes, relations = universal_relations(treebank)
    group = (codes[arcs].astype(np.int64) * len(names) + tags[arcs]) * len(names) + tags[heads]
    dense = renumber(group, len(relations) * len(names) ** 2)
    counts = np.bincount(2 * dense + (direction[arcs] > 0), minlength=2 * (dense.max() + 1))
    return float(_conditional(counts.astype(np.float64)))


def direction_by_class(treebank: Treebank, *, tags: bool) -> tuple[npt.NDArray[np.float64], list[str]]:
    """Count the arcs of each class of words with the head to the right, and with the head to the left.

    Classes are universal relations, or with `tags` the UPOS of the head, the relation and the UPOS of the word.
    """
    need_column(treebank, "deprel")
    direction = trees.direction(treebank.head, treebank.offsets)
    arcs = np.flatnonzero(direction)
    if not len(arcs):
        raise MissingError(f"{treebank.name} has no arcs")
    codes, names = universal_relations(treebank)
    keys = codes[arcs].astype(np.int64)
    if tags:
        need_column(treebank, "upos")
        own, upos = treebank.codes("upos")
        keys = (own[treebank.parents[arcs]].astype(np.int64) * len(names) + keys) * len(upos) + own[arcs]
        seen, dense = np.unique(keys, return_inverse=True)
        head, rest = np.divmod(seen, len(names) * len(upos))
        relation, dependent = np.divmod(rest, len(upos))
        each = zip(head.tolist(), relation.tolist(), dependent.tolist(), strict=True)
        names, keys = [f"{upos[h]} {names[r]} {upos[d]}" for h, r, d in each], dense
    left = direction[arcs] < 0
    counts = [np.bincount(keys[side], minlength=len(names)).astype(np.float64) for side in (~left, left)]
    return np.column_stack(counts), names


def _head_initial(treebank: Treebank, *, tags: bool = False) -> Values:
    counts, names = direction_by_class(treebank, tags=tags)
    total = counts.sum(axis=1)
    return {name: float(counts[i, 1] / total[i]) for i, name in enumerate(names) if total[i]}


register("head_initial", "word_order", "share of arcs whose head is to the left, by relation")(
    lambda treebank: _head_initial(treebank)  # noqa: PLW0108  (a measure knows its module by its function)
)
register("head_initial_tagged", "word_order", "the same by UPOS of the head, relation and UPOS of the dependent")(
    lambda treebank: _head_initial(treebank, tags=True)
)

_NOMINAL = ("NOUN", "PROPN")


def _register_order(
    name: str, meaning: str, of: str, relation: str, tag: str | tuple[str, ...], heads: tuple[str, ...], *, first: bool
) -> None:
    """Register the share of dependents that are before their heads, or after them unless `first`.

    A relation with a colon must be the whole one; otherwise subtypes count, too.
    """
    tags = (tag,) if isinstance(tag, str) else tag

    def order(treebank: Treebank) -> FloatArray:
        codes, values = treebank.codes("deprel")
        fits = [relation in (value, universal_relation(value)) for value in values]
        own, upos = treebank.codes("upos")
        dependent, head = (np.array([one in wanted for one in upos], bool) for wanted in (tags, heads))
        direction = trees.direction(treebank.head, treebank.offsets)
        if not len(codes):
            return np.zeros((len(treebank), 2))
        mask = (direction != 0) & np.array(fits, bool)[codes] & dependent[own] & head[own[treebank.parents]]
        in_order = mask & ((direction > 0) == first)
        return np.column_stack([sentence_sums(in_order, treebank), sentence_sums(mask, treebank)])

    register_ratio(name, "word_order", meaning, of, columns=["deprel", "upos"])(order)


_register_order(
    "subject_verb", "share of nominal subjects before their verb", "nominal subjects of verbs", "nsubj", _NOMINAL,
    ("VERB",), first=True,
)  # fmt: skip
_register_order(
    "verb_object", "share of nominal objects after their verb", "nominal objects of verbs", "obj", _NOMINAL, ("VERB",),
    first=False,
)  # fmt: skip
_register_order(
    "adposition_noun", "share of adpositions before their noun (prepositions)", "adpositions of nouns", "case", "ADP",
    _NOMINAL, first=True,
)  # fmt: skip
_register_order(
    "adjective_noun", "share of adjectives before their noun", "adjectives of nouns", "amod", "ADJ", _NOMINAL,
    first=True,
)  # fmt: skip
_register_order(
    "numeral_noun", "share of numerals before their noun", "numerals of nouns", "nummod", "NUM", _NOMINAL, first=True
)
_register_order(
    "determiner_noun", "share of determiners before their noun", "determiners of nouns", "det", "DET", _NOMINAL,
    first=True,
)  # fmt: skip
_register_order(
    "noun_relative", "share of relative clauses after their noun", "relative clauses (acl:relcl) of nouns",
    "acl:relcl", ("VERB", "AUX", "ADJ", "NOUN", "PROPN", "PRON"), _NOMINAL, first=False,
)  # fmt: skip


register("sentences", "lengths", "number of sentences", bounds=(0, np.inf), empty=True)(
    lambda treebank: len(treebank)  # noqa: PLW0108  (a measure knows its module by its function)
)
register("words", "lengths", "number of syntactic words", bounds=(0, np.inf), empty=True)(
    lambda treebank: treebank.n_words
)
register_ratio("mean_length", "lengths", "words per sentence", "sentences", bounds=(1, np.inf))(
    lambda treebank: with_ones(treebank.lengths)
)
register("sd_length", "lengths", "standard deviation of sentence lengths", bounds=(0, np.inf))(
    lambda treebank: float(treebank.lengths.std())
)
register("median_length", "lengths", "median of sentence lengths", bounds=(1, np.inf))(
    lambda treebank: float(np.median(treebank.lengths))
)
register("max_length", "lengths", "words of the longest sentence", bounds=(1, np.inf))(
    lambda treebank: int(treebank.lengths.max())
)
register_ratio("one_word_sentences", "lengths", "share of sentences of one word", "sentences")(
    lambda treebank: with_ones(treebank.lengths == 1)
)


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
