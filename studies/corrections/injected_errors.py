"""Treebanks with injected errors that an annotator could have made."""

from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
import numpy.typing as npt

from treegauge.core.errors import ChoiceError, TreegaugeError
from treegauge.testing.synthetic import can_be_head
from treegauge.treebanks.data.columns import Treebank

Heads = Literal["any", "near"]
Relations = Literal["any", "tags"]


@dataclass(frozen=True, eq=False)
class Injected:
    """A treebank with errors; for each word, whether its head and its relation were changed."""

    treebank: Treebank
    head: npt.NDArray[np.bool_]
    relation: npt.NDArray[np.bool_]

    @property
    def changed(self) -> npt.NDArray[np.bool_]:
        """Which words have an error."""
        return self.head | self.relation


def inject_errors(
    treebank: Treebank, share: float = 0.02, *, seed: int = 0, heads: Heads = "any", relations: Relations = "any"
) -> Injected:
    """Return a treebank with changed heads in some words, and changed relations in equally many.

    Every sentence stays a tree with the same root; roots do not change. A new head is any other
    word that keeps a tree or, if ``near``, the old head's head or another dependent of the old
    head, which are typical human errors. A new relation is drawn by how frequent relations are in
    the treebank or, by ``tags``, between a word and a head with these UPOS. With near heads and
    relations by tags, errors are plausible: each could be an annotator's.

    Examples
    --------
    >>> from treegauge.testing.synthetic import synthetic
    >>> made = inject_errors(synthetic(100, seed=1), 0.02, seed=3)
    >>> int(made.head.sum()), int(made.relation.sum())
    (14, 14)
    """
    if heads not in get_args(Heads):
        raise ChoiceError("way to change heads", heads, get_args(Heads))
    if relations not in get_args(Relations):
        raise ChoiceError("way to change relations", relations, get_args(Relations))
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
        if choices:
            new[word] = random.choice(choices)
            moved[word] = True
    codes, values = treebank.codes("deprel")
    free = [name for name in values if name.partition(":")[0] != "root"]
    group = np.zeros(treebank.n_words, np.int64)
    if relations == "tags":
        tags, kinds = treebank.codes("upos")
        group = tags * (len(kinds) + 1) + np.append(tags, len(kinds))[treebank.parents]
    rates = np.zeros((group.max(initial=0) + 1, len(values)))
    np.add.at(rates, (group, codes), 1)
    rates = rates[:, [values.index(name) for name in free]]
    names = treebank["deprel"].to_list()
    renamed = np.zeros(treebank.n_words, bool)
    while order and len(free) > 1 and renamed.sum() < wanted - wanted // 2:
        word = order.pop()
        odds = np.where([name == names[word] for name in free], 0, rates[group[word]])
        if odds.sum() > 0:
            names[word] = free[random.choice(len(free), p=odds / odds.sum())]
            renamed[word] = True
    return Injected(treebank.with_columns({"head": new, "deprel": names}), moved, renamed)


def _heads(treebank: Treebank, new: npt.NDArray[np.int32], word: int, kind: Heads) -> list[int]:
    """Return possible heads of a word: not its own head, not the root, no descendant."""
    sentence = treebank.sentence_of[word]
    start, stop = treebank.offsets[sentence : sentence + 2].tolist()
    heads, here = [0, *new[start:stop].tolist()], word - start + 1
    near = [other for other, head in enumerate(heads) if head == heads[here]]
    choices = sorted({*near, heads[heads[here]]}) if kind == "near" else range(len(heads))
    return [other for other in choices if other and can_be_head(heads, here, other)]
