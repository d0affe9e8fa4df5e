"""Sentences as numbers that depend on nothing but their text."""

import hashlib
from collections.abc import Callable, Sequence

import numpy as np

from treegauge.kernels.graph_arcs import KINDS, GraphWords
from treegauge.kernels.graph_features import LETTERS, REACH
from treegauge.treebanks.columns import Treebank

_OTHER = KINDS - 1  # the kind of tags that were not in the train part


def _key(text: str) -> int:
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "little")


def _shown(letter: str, ending: int) -> tuple[str, Callable[[str], str]]:
    """Give the column that a letter of the templates looks at, and what it sees of its values."""
    if letter in "wp":
        return "form" if letter == "w" else "upos", str
    if letter == "q":
        return "form", lambda form: form.lower()[: ending + 1]
    size = max(ending + {"x": 0, "y": -1, "z": 1}[letter], 1)
    return "form", lambda form: form.lower()[-size:]


def encode(treebank: Treebank, tags: Sequence[str], ending: int) -> GraphWords:
    r"""Turn forms and tags into numbers; `tags` are those of the train part in order.

    Examples
    --------
    >>> from treegauge.treebanks.conllu import parse_conllu
    >>> two = parse_conllu("1\ta\t_\tX\t_\t_\t0\troot\t_\t_\n\n" * 2)
    >>> words = encode(two, ["X"], 3)
    >>> words.letters.shape, words.roots.tolist(), words.kinds.tolist()
    ((6, 12), [2, 8], [62, 62, 62, 0, 62, 62, 62, 62, 62, 0, 62, 62])
    """
    n, size, around = len(treebank), treebank.n_words, 2 * REACH + 1
    roots = treebank.offsets[:-1] + around * np.arange(n) + REACH
    places = np.arange(size) + around * treebank.sentence_of + REACH + 1
    ends = treebank.offsets[1:] + around * np.arange(n) + REACH + 1
    letters = np.zeros((len(LETTERS), size + around * n), np.uint64)
    for row, letter in zip(letters, LETTERS, strict=True):
        column, shown = _shown(letter, ending)
        codes, values = treebank.codes(column)
        row[:] = _key("root")
        for k in range(REACH):
            row[roots - 1 - k], row[ends + k] = _key("start"), _key("end")
        keys = np.array([_key(f"{letter}={shown(value)}") for value in values], np.uint64)
        row[places] = keys[codes] if size else keys
    codes, values = treebank.codes("upos")
    known = {tag: kind for kind, tag in enumerate(tags[: _OTHER - 1])}
    kinds = np.full(letters.shape[1], _OTHER - 1, np.int32)
    own = np.array([known.get(value, _OTHER) for value in values], np.int32)
    kinds[places] = own[codes] if size else own
    return GraphWords(letters, kinds, roots.astype(np.int32), treebank.offsets.astype(np.int32))
