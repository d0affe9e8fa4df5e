"""Systematic changes of annotation, as opposed to corrections of single words.

A change is systematic if it was made nearly everywhere it applies: of all words with the same old
value in the same context, at least four in five got the same new value. See
:func:`systematic_changes` for the details.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from treegauge.auditing.changes.changed_words import WordPairs
from treegauge.core.lazy import scipy
from treegauge.treebanks.data.columns import Ints

LAYERS = ("form", "lemma", "upos", "xpos", "feats", "head", "deprel", "deps", "misc")
"""Layers of annotation, in the order of the columns."""
ABSENT = "_"
"""Value of a feature that a word does not have."""
MOVES = ("old head", "head's head", "sister", "own dependent", "root", "from root", "added word", "elsewhere")
"""Position of a word's new head in the old tree, relative to the word."""


class Layer(NamedTuple):
    """One layer of the paired words; ``values[old[i]]`` is the old value of pair ``i``.

    A layer is a column, or one feature of FEATS (then `feature` is its name). In the layer
    ``head`` values are :data:`MOVES`, and the old one is always ``old head``.
    """

    name: str
    old: Ints
    new: Ints
    values: list[str]
    feature: str = ""

    @property
    def changed(self) -> npt.NDArray[np.bool_]:
        """Which pairs differ."""
        return np.asarray(self.old != self.new)

    def value(self, code: int) -> str:
        """Return a readable value: ``Case=Nom`` for a feature, else unchanged."""
        return f"{self.feature}={self.values[code]}" if self.feature else self.values[code]


def annotation_layers(pairs: WordPairs) -> Iterator[Layer]:
    """Yield the layers of paired words, with one layer per feature that changed anywhere."""
    for name in LAYERS:
        if name == "head":
            moves = head_moves(pairs)
            yield Layer("head", np.zeros(len(pairs), np.int32), moves, list(MOVES))
        elif name == "feats":
            yield from feature_layers(pairs)
        else:
            old, new, values = pairs.codes(name)
            if name == "deps":  # these refer to words by number
                new = np.where(_renumbered(pairs), old, new)
            yield Layer(name, old, new, values)


def _renumbered(pairs: WordPairs) -> npt.NDArray[np.bool_]:
    """Which pairs are in a sentence where a word changed its number."""
    sentence = pairs.old.sentence_of[pairs.old_words]
    positions = pairs.old.positions[pairs.old_words], pairs.new.positions[pairs.new_words]
    odd = np.zeros(len(pairs.old) + 1, np.bool_)
    odd[sentence[positions[0] != positions[1]]] = True
    return odd[sentence]


def feature_layers(pairs: WordPairs, column: str = "feats") -> Iterator[Layer]:
    """Yield one layer per feature, or attribute of MISC, that changed anywhere."""
    old, new, texts = pairs.codes(column)
    features = [_features(text) for text in texts]
    before, after = old[old != new], new[old != new]
    distinct = set(zip(before.tolist(), after.tolist(), strict=True))
    names = {
        name
        for one, two in distinct
        for name in features[one].keys() | features[two].keys()
        if features[one].get(name) != features[two].get(name)
    }
    for name in sorted(names):
        numbers: dict[str, int] = {ABSENT: 0}
        codes = [numbers.setdefault(word_features.get(name, ABSENT), len(numbers)) for word_features in features]
        table = np.array(codes, np.int32)
        yield Layer(column, table[old], table[new], list(numbers), name)


def _features(text: str) -> dict[str, str]:
    parts = (part.partition("=") for part in text.split("|") if part != "_")
    return {name: value for name, _, value in parts}


def head_moves(pairs: WordPairs) -> Ints:
    """Return codes of :data:`MOVES` for each pair: where its new head was in the old tree."""
    code = {name: i for i, name in enumerate(MOVES)}
    moves = np.zeros(len(pairs), np.int32)
    changed = np.flatnonzero(pairs.head_changed)
    words = pairs.old_words[changed]
    parents = pairs.old.parents
    before = parents[words]
    after = pairs.new.parents[pairs.new_words[changed]]
    new_head = np.where(after >= 0, pairs.to_old[after], -1)  # as a word of the old version
    above = np.where(before >= 0, parents[before], -1)
    head_of_new = np.where(new_head >= 0, parents[new_head], -2)
    moves[changed] = np.select(
        [
            after < 0, new_head < 0, before < 0, (above >= 0) & (new_head == above),
            head_of_new == words, head_of_new == before,
        ],
        [
            code["root"], code["added word"], code["from root"], code["head's head"],
            code["own dependent"], code["sister"],
        ],
        code["elsewhere"],
    )  # fmt: skip
    return moves


SHARE = 0.8
"""Minimum share of the words in a context that a systematic change affects."""
LEAST = 5
"""Minimum number of words, and of sentences, that a systematic change affects."""
LEVEL = 0.05
"""Maximum probability of finding such a share by chance anywhere in a layer."""
CONTEXTS = (
    (),
    ("upos",),
    ("deprel",),
    ("upos", "deprel"),
    ("upos", "feats"),
    ("upos", "deprel", "head upos", "head side"),
    ("lemma", "upos"),
    ("form",),
    ("lemma", "deprel"),
    ("deprel", "head lemma"),
)
"""Contexts that may define a change, from general to specific."""
_SIDES = ("none", "left", "right")


class ChangeRule(NamedTuple):
    """A systematic change.

    Attributes
    ----------
    layer
        The layer of annotation.
    where
        The context in which it was made, such as ``upos=ADV deprel=advmod``; empty: everywhere.
    old, new
        The values before and after.
    changed, places
        The number of words with the old value in the context that got the new one, and of all
        words with the old value in the context.
    """

    layer: str
    where: str
    old: str
    new: str
    changed: int
    places: int


class Systematic(NamedTuple):
    """The rules of one layer, and for each pair of words the number of its rule, or -1."""

    rules: list[ChangeRule]
    rule_of: Ints


class Contexts:
    """Contexts of the old words of pairs, as codes; each is computed once, on first use."""

    def __init__(self, pairs: WordPairs) -> None:
        self.pairs = pairs
        self.sentence = pairs.old.sentence_of[pairs.old_words]
        self._made: dict[tuple[str, ...], Ints] = {}
        self._columns: dict[str, tuple[Ints, Sequence[str]]] = {}

    def column(self, name: str) -> tuple[Ints, Sequence[str]]:
        """Return one condition of the words as codes and values."""
        if name not in self._columns:
            self._columns[name] = self._column(name)
        return self._columns[name]

    def _column(self, name: str) -> tuple[Ints, Sequence[str]]:
        old, words = self.pairs.old, self.pairs.old_words
        parents = old.parents[words]
        if name == "head side":
            sides = np.where(parents < 0, 0, np.where(parents < words, 1, 2))
            return sides.astype(np.int32), _SIDES
        if name.startswith("head "):
            codes, values = old.codes(name.removeprefix("head "))
            heads = np.where(parents < 0, len(values), codes[parents])
            return heads.astype(np.int32), [*values, "none"]
        codes, values = old.codes(name)
        return codes[words], values

    def codes(self, names: tuple[str, ...]) -> Ints:
        """Return the context of each pair as a code."""
        if names not in self._made:
            code = np.zeros(len(self.pairs), np.int64)
            for name in names:
                column, values = self.column(name)
                combined = code * max(len(values), 1) + column
                code = np.unique(combined, return_inverse=True)[1]
            self._made[names] = code.astype(np.int32)
        return self._made[names]

    def words_for(self, names: tuple[str, ...], pair: int) -> str:
        """Return the context of a pair in words."""
        parts = []
        for name in names:
            codes, values = self.column(name)
            parts.append(f"{name.replace(' ', '-')}={values[codes[pair]]}")
        return " ".join(parts)


class _Groups(NamedTuple):
    """Changes in one context: groups of words with the same context, old value and new value."""

    names: tuple[str, ...]
    of: npt.NDArray[np.int64]
    """The group of each changed word."""
    changed: npt.NDArray[np.int64]
    places: npt.NDArray[np.int64]
    sentences: npt.NDArray[np.int64]
    first: npt.NDArray[np.int64]
    """A member of each group, as a position among the changed words."""

    @property
    def share(self) -> npt.NDArray[np.float64]:
        """The share of the words in the context that the change affected."""
        return np.asarray(self.changed / self.places)


def systematic_changes(layer: Layer, contexts: Contexts) -> Systematic:
    """Find the systematic changes of a layer.

    A group of words has the same old value, the same new value, and the same context; the contexts
    are :data:`CONTEXTS`, tried from general to specific. The change of a group is systematic if

    - it was made in at least 5 words, in at least 5 different sentences;
    - it reached at least 80 % of the words with this old value in this context; and
    - the share is larger than chance gives (binomial test with Bonferroni correction over the
      layer, 5 %), where chance is the largest share of the more general contexts. For a
      change in all contexts there is nothing to compare with.

    A more specific context counts only for words that no more general one covers.
    """
    rule_of = np.full(len(layer.old), -1, np.int32)
    changed = np.flatnonzero(layer.changed)
    if len(changed) < LEAST:
        return Systematic([], rule_of)
    named = [names for names in CONTEXTS if layer.name not in names]
    groups = [_grouped(layer, changed, contexts, names) for names in named]
    tests = sum(int(_is_large(group).sum()) for group in groups if group.names)
    rules: list[ChangeRule] = []
    for one in groups:
        for group in _chosen(one, groups, max(tests, 1)):
            members = changed[one.of == group]
            free = members[rule_of[members] < 0]
            if len(free) < LEAST:
                continue
            rule_of[free] = len(rules)
            first = int(members[0])
            rules.append(
                ChangeRule(
                    layer.name,
                    contexts.words_for(one.names, first),
                    layer.value(int(layer.old[first])),
                    layer.value(int(layer.new[first])),
                    int(one.changed[group]),
                    int(one.places[group]),
                )
            )
    return Systematic(rules, rule_of)


def _grouped(layer: Layer, changed: npt.NDArray[np.int64], contexts: Contexts, names: tuple[str, ...]) -> _Groups:
    size = len(layer.values)
    context = contexts.codes(names)
    before = context[changed].astype(np.int64) * size + layer.old[changed]
    kinds, first, of = np.unique(before * size + layer.new[changed], return_index=True, return_inverse=True)
    counts = np.bincount(of, minlength=len(kinds))
    spread = np.unique(of * (len(contexts.pairs.old) + 1) + contexts.sentence[changed])
    sentences = np.bincount(spread // (len(contexts.pairs.old) + 1), minlength=len(kinds))
    large = counts >= LEAST
    places = np.full(len(kinds), len(context), np.int64)
    if large.any():
        among = np.zeros(int(context.max()) + 1, np.bool_)
        among[kinds[large] // (size * size)] = True
        words = np.flatnonzero(among[context])
        having = context[words].astype(np.int64) * size + layer.old[words]
        places[large] = _count(having, kinds[large] // size)
    return _Groups(names, of, counts, places, sentences, first)


def _count(values: npt.NDArray[np.int64], wanted: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Return the frequency of each of the given values."""
    distinct, counts = np.unique(values, return_counts=True)
    return np.asarray(counts[np.searchsorted(distinct, wanted)])


def _is_large(groups: _Groups) -> npt.NDArray[np.bool_]:
    return (groups.changed >= LEAST) & (groups.sentences >= LEAST)


def _chosen(groups: _Groups, all_groups: Sequence[_Groups], tests: int) -> Iterator[int]:
    """Yield the groups whose change is systematic, large ones first."""
    enough = _is_large(groups) & (groups.share >= SHARE)
    if groups.names:
        general = [group for group in all_groups if {*group.names} < {*groups.names}]
        usual = np.max([group.share[group.of[groups.first]] for group in general], axis=0)
        enough &= scipy.special.bdtrc(groups.changed - 1.0, groups.places, usual) * tests <= LEVEL
    order = np.argsort(-groups.changed, kind="stable")
    yield from (int(group) for group in order if enough[group])
