"""Words with a place in a tree and in an order, and the sentence that collects them.

Every word has a *key* relative to its host: negative keys are to its left, positive ones to its
right, the largest outermost. Word order is nothing but the choice of keys, and a non-projective
tree is one in which a word's host is not its head.
"""

from dataclasses import dataclass, field
from typing import NamedTuple

from treegauge.testing.lexicon import XPOS, Lexicon, Uniform
from treegauge.testing.synthesise import Grammar


@dataclass(slots=True, eq=False)
class Word:
    """One word with its place in the tree (``head``) and in the order (``host`` and ``key``)."""

    upos: str
    form: str
    lemma: str
    xpos: str
    feats: str
    rel: str
    head: "Word | None"
    key: float
    host: "Word | None"
    kids: list["Word"] = field(default_factory=list)
    case: str = ""
    gender: str = ""
    number: str = "Sing"
    person: str = "3"
    order: str = ""
    """The order of the clause, such as ``"SVO"``, for predicates and nothing else."""
    free: bool = False
    taken: set[str] = field(default_factory=set)

    def takes(self, what: str) -> bool:
        """Whether there was still room for what a word takes once; from now on there is none."""
        if what in self.taken:
            return False
        self.taken.add(what)
        return True


class Slot(NamedTuple):
    """Where a word is added: its relation, head and key, and its host where not the head."""

    rel: str
    head: Word | None
    key: float
    host: Word | None = None


class Builder:
    """A sentence in the making and its stream of uniform numbers."""

    def __init__(self, grammar: Grammar, lexicon: Lexicon, uniform: Uniform) -> None:
        self.grammar = grammar
        self.lexicon = lexicon
        self.language = lexicon.language
        self.uniform = uniform
        self.words: list[Word] = []
        self.sites: list[Word] = []
        """The words that may still get dependents."""
        verb_first = grammar.basic_order.index("V") < grammar.basic_order.index("O")
        self.after = 1 if verb_first else -1
        """The side of complements and long modifiers."""

    def add(self, upos: str, lemma: str, values: tuple[str, ...], slot: Slot) -> Word:
        """Add a word inflected for the feature values of its class."""
        ending, feats, xpos = self.language.inflect(upos, values)
        return self.attach(upos, lemma, slot, lemma + ending, feats, xpos)

    def plain(
        self, upos: str, lemma: str, rel: str, head: Word, key: float, feats: str = "_"
    ) -> Word:
        """Add a word that has no inflection."""
        return self.attach(upos, lemma, Slot(rel, head, key), lemma, feats, XPOS[upos])

    def attach(
        self, upos: str, lemma: str, slot: Slot, form: str = "", feats: str = "", xpos: str = ""
    ) -> Word:
        """Make a word known to its host and to the sentence."""
        rel, head, key, host = slot
        word = Word(upos, form, lemma, xpos, feats, rel, head, key, host or head)
        if word.host is not None:
            word.host.kids.append(word)
        self.words.append(word)
        return word


def linear(root: Word) -> list[Word]:
    """Put a sentence in order: each host between its left and its right dependents."""
    order: list[Word] = []
    stack: list[tuple[Word, bool]] = [(root, False)]
    while stack:
        word, ready = stack.pop()
        kids = word.kids
        if ready or not kids:
            order.append(word)
            continue
        kids.sort(key=lambda kid: kid.key)
        stack.extend((kid, False) for kid in reversed(kids) if kid.key > 0)
        stack.append((word, True))
        stack.extend((kid, False) for kid in reversed(kids) if kid.key < 0)
    return order
