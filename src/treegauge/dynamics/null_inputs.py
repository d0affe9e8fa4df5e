"""Input without what its information is to be measured of."""

from collections.abc import Callable
from typing import Any

import numpy as np

from treegauge.results.errors import ChoiceError
from treegauge.treebanks.columns import Treebank

__all__ = ["NULLS", "null_input"]

_SEEN = ("form", "lemma", "upos", "xpos", "feats")


def _filled(treebank: Treebank, form: list[str], keep: tuple[str, ...] = ()) -> dict[str, Any]:
    nothing = ["_"] * treebank.n_words
    values = {name: nothing for name in _SEEN if name not in keep}
    return values | ({} if "form" in keep else {"form": form})


def _blank(treebank: Treebank, seed: int) -> dict[str, Any]:
    return _filled(treebank, ["_"] * treebank.n_words)


def _upos(treebank: Treebank, seed: int) -> dict[str, Any]:
    return _filled(treebank, ["_"] * treebank.n_words, keep=("upos",))


def _length(treebank: Treebank, seed: int) -> dict[str, Any]:
    sizes = treebank.lengths[treebank.sentence_of]
    return _filled(treebank, [f"_{size}" for size in sizes.tolist()])


def _place(treebank: Treebank, seed: int) -> dict[str, Any]:
    sizes = treebank.lengths[treebank.sentence_of].tolist()
    pairs = zip(treebank.positions.tolist(), sizes, strict=True)
    return _filled(treebank, [f"{place}/{size}" for place, size in pairs])


def _shuffled(treebank: Treebank, seed: int) -> dict[str, Any]:
    random = np.random.default_rng(seed)
    order = np.lexsort((random.random(treebank.n_words), treebank.sentence_of))
    return {name: treebank[name].gather(order) for name in _SEEN}


NULLS: dict[str, tuple[str, Callable[[Treebank, int], dict[str, Any]]]] = {
    "blank": ("every word is _, tags and all", _blank),
    "upos": ("words are _, their UPOS stays: what forms add to tags", _upos),
    "length": ("every word is the length of its sentence", _length),
    "place": ("every word is its place and the length: what position alone tells", _place),
    "shuffled": ("the words of each sentence in random order: what order adds", _shuffled),
}
"""Null inputs by name: what they are, and how the columns that a parser sees are made."""


def null_input(treebank: Treebank, kind: str = "blank", *, seed: int = 0) -> Treebank:
    r"""Replace what a parser sees of words; trees stay as they are.

    Parameters
    ----------
    treebank
        Any treebank.
    kind
        One of :data:`NULLS`. FORM, LEMMA, UPOS, XPOS and FEATS are replaced or emptied.
    seed
        Of the shuffling.

    Examples
    --------
    >>> from treegauge.treebanks.conllu import parse_conllu
    >>> lines = "1\tGo\tgo\tVERB\t_\t_\t0\troot\t_\t_\n2\t!\t_\tPUNCT\t_\t_\t1\tpunct\t_\t_\n\n"
    >>> tb = parse_conllu(lines)
    >>> [null_input(tb, kind)["form"].to_list() for kind in ("blank", "upos", "length", "place")]
    [['_', '_'], ['_', '_'], ['_2', '_2'], ['1/2', '2/2']]
    >>> null_input(tb, "upos")["upos"].to_list(), null_input(tb)["upos"].to_list()
    (['VERB', 'PUNCT'], ['_', '_'])
    """
    if kind not in NULLS:
        raise ChoiceError("null input", kind, NULLS)
    return treebank.with_columns(NULLS[kind][1](treebank, seed))
