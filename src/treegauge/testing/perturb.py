"""Incorrect annotations that are still trees: other heads, other relations, another root."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from math import log
from typing import Literal, get_args

import numpy as np
import numpy.typing as npt

from treegauge.core.errors import ChoiceError, TreegaugeError
from treegauge.testing.grammar import Uniform
from treegauge.treebanks.data.columns import Treebank

Heads = Literal["any", "near"]
Relations = Literal["any", "tags"]

CONFUSABLE = {
    "nsubj": ("obj", "obl", "nmod"), "obj": ("nsubj", "obl", "iobj", "nmod"),
    "iobj": ("obj", "obl"), "obl": ("nmod", "obj", "advmod"),
    "nmod": ("obl", "conj", "appos", "amod"), "amod": ("nmod", "det", "advmod", "acl"),
    "advmod": ("obl", "amod", "discourse"), "nummod": ("amod", "nmod", "det"),
    "appos": ("nmod", "conj", "flat"), "flat": ("appos", "nmod", "compound"),
    "conj": ("appos", "nmod", "parataxis"), "ccomp": ("advcl", "xcomp", "parataxis"),
    "xcomp": ("ccomp", "advcl", "obj"), "advcl": ("ccomp", "acl", "conj"),
    "acl": ("advcl", "amod", "nmod"), "csubj": ("ccomp", "nsubj", "advcl"),
    "parataxis": ("conj", "ccomp", "appos"), "aux": ("cop", "mark"), "cop": ("aux", "mark"),
    "case": ("mark", "advmod"), "mark": ("case", "cc", "advmod"), "cc": ("mark", "advmod"),
    "det": ("nummod", "amod"), "discourse": ("advmod", "cc"),
}  # fmt: skip
"""The relations with which each relation is most easily confused."""

FALLBACK = ("nmod", "obl", "dep")


def other_relation(relation: str, uniform: Uniform) -> str:
    """Return a relation whose universal part differs from the given one's."""
    universal = relation.partition(":")[0]
    choices = CONFUSABLE.get(universal) or [name for name in FALLBACK if name != universal]
    return choices[int(uniform() * len(choices))]


def can_be_head(heads: Sequence[int], word: int, other: int) -> bool:
    """Whether a word can become the head of another without a cycle; heads[0] is unused."""
    top = other
    while top and top != word:
        top = heads[top]
    return not top and other != heads[word]


def other_head(heads: list[int], word: int, uniform: Uniform) -> int | None:
    """Return an incorrect head that keeps a tree, near words first; None if there is none."""
    for _ in range(8):
        reach = 1 + int(-3 * log(1 - uniform()))
        other = word + reach if uniform() < 0.5 else word - reach
        if 0 < other < len(heads) and can_be_head(heads, word, other):
            return other
    rest = [other for other in range(1, len(heads)) if can_be_head(heads, word, other)]
    return rest[int(uniform() * len(rest))] if rest else None


def swap_root(heads: list[int], relations: list[str], child: int) -> None:
    """Make a child of the root the new root, and attach the old root to it."""
    root = heads[child]
    heads[child], heads[root] = 0, child
    relations[child], relations[root] = relations[root], relations[child]


def perturb(
    heads: list[int], relations: list[str], chosen: Collection[int], uniform: Uniform, *, relabel: float
) -> None:
    """Change the annotation of the chosen words in place, keeping one root and no cycle.

    On average, the number of changed words equals the number of chosen ones. The root can only
    change together with one of its children; if that child was not chosen, the two change half of
    the time. `heads` and `relations` hold the tree from index 1 on; `relabel` is the share of
    changes that change the relation and not the head.

    Examples
    --------
    >>> heads, relations = [0, 2, 0, 2], ["", "nsubj", "root", "obj"]
    >>> perturb(heads, relations, [3], lambda: 0.0, relabel=0); heads
    [0, 2, 0, 1]
    """
    waiting = dict.fromkeys(chosen)
    root = heads.index(0, 1)
    if root in waiting:
        del waiting[root]
        children = [word for word in range(1, len(heads)) if heads[word] == root]
        if children:
            child = children[int(uniform() * len(children))]
            if child in waiting or uniform() < 0.5:
                waiting.pop(child, None)
                swap_root(heads, relations, child)
    for word in waiting:
        if uniform() < relabel and relations[word] != "punct":
            relations[word] = other_relation(relations[word], uniform)
            continue
        head = other_head(heads, word, uniform)
        if head is not None:
            heads[word] = head
        elif relabel > 0:
            relations[word] = other_relation(relations[word], uniform)
        elif uniform() < 0.5:
            swap_root(heads, relations, word)


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
