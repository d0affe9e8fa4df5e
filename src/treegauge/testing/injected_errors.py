"""Annotation errors put into a treebank on purpose, to test what finds them."""

from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
import numpy.typing as npt

from treegauge.results.errors import ChoiceError, TreegaugeError
from treegauge.treebanks.columns import Treebank

__all__ = ["Injected", "inject_errors"]

Heads = Literal["any", "near"]


@dataclass(frozen=True, eq=False)
class Injected:
    """A treebank with errors, and where they are.

    Attributes
    ----------
    treebank
        The treebank with errors.
    head, relation
        For each word whether its head, and whether its relation, was changed.
    """

    treebank: Treebank
    head: npt.NDArray[np.bool_]
    relation: npt.NDArray[np.bool_]

    @property
    def changed(self) -> npt.NDArray[np.bool_]:
        """For each word whether it has an error."""
        return self.head | self.relation


def inject_errors(
    treebank: Treebank, share: float = 0.02, *, seed: int = 0, heads: Heads = "any"
) -> Injected:
    """Return a treebank with changed heads in some words, and changed relations in as many.

    Every sentence stays a tree with the same root; roots are left alone. A relation is changed to
    another one, drawn by how frequent relations are.

    Parameters
    ----------
    treebank
        Gold trees.
    share
        Share of all words that get an error.
    seed
        Of the draws.
    heads
        ``any``: a new head is any other word that leaves a tree; ``near``: the old head's head or
        another dependent of the old head, which are the errors that people make.

    Examples
    --------
    >>> from treegauge.testing.synthetic import synthetic
    >>> made = inject_errors(synthetic(100, seed=1), 0.02, seed=3)
    >>> int(made.head.sum()), int(made.relation.sum())
    (14, 14)
    """
    if heads not in get_args(Heads):
        raise ChoiceError("way to change heads", heads, get_args(Heads))
    if not 0 < share < 1:
        raise TreegaugeError(f"share is {share:g}; expected a number between 0 and 1")
    random = np.random.default_rng(seed)
    wanted = round(share * treebank.n_words)
    new = treebank.head.copy()
    moved = np.zeros(treebank.n_words, bool)
    order = random.permutation(np.flatnonzero(treebank.head > 0)).tolist()
    while order and moved.sum() < wanted // 2:
        word = order.pop()
        choices = _heads(treebank, new, word, heads)
        if len(choices):
            new[word] = random.choice(choices)
            moved[word] = True
    codes, values = treebank.codes("deprel")
    free = [name for name in values if name.partition(":")[0] != "root"]
    rates = np.array([np.sum(codes == values.index(name)) for name in free], np.float64)
    names = treebank["deprel"].to_list()
    renamed = np.zeros(treebank.n_words, bool)
    while order and len(free) > 1 and renamed.sum() < wanted - wanted // 2:
        word = order.pop()
        odds = np.where([name == names[word] for name in free], 0, rates)
        if odds.sum() > 0:
            names[word] = free[random.choice(len(free), p=odds / odds.sum())]
            renamed[word] = True
    return Injected(treebank.with_columns({"head": new, "deprel": names}), moved, renamed)


def _heads(
    treebank: Treebank, new: npt.NDArray[np.int32], word: int, kind: str
) -> npt.NDArray[np.int64]:
    """Return the heads a word may get: not its own, not the root, none below the word."""
    start = int(treebank.offsets[treebank.sentence_of[word]])
    heads = new[start : int(treebank.offsets[treebank.sentence_of[word] + 1])]
    here = word - start + 1
    below = np.zeros(len(heads) + 1, bool)
    below[here] = True
    for _ in range(len(heads)):
        grown = below.copy()
        grown[1:] |= below[heads]
        if (grown == below).all():
            break
        below = grown
    legal = ~below
    legal[[0, heads[here - 1]]] = False
    if kind == "near":
        old = heads[here - 1]
        near = np.zeros_like(legal)
        near[1:] = heads == old
        near[heads[old - 1]] = True
        legal &= near
    return np.flatnonzero(legal)
