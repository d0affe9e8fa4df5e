"""Incorrect annotations that are still trees: other heads, other relations, another root."""

from collections.abc import Collection, Sequence
from math import log

from treegauge.testing.grammar import Uniform

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
