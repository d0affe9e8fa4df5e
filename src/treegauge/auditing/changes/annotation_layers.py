"""The annotation of paired words, layer by layer: old and new value of each word."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from treegauge.auditing.changes.word_pairs import WordPairs
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


def feature_layers(pairs: WordPairs) -> Iterator[Layer]:
    """Yield one layer per feature that changed anywhere."""
    old, new, texts = pairs.codes("feats")
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
        yield Layer("feats", table[old], table[new], list(numbers), name)


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
