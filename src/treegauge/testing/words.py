"""Words with positions in a tree and in an order, and the sentence that collects them.

Every word has a *key* relative to its host: negative keys are to its left, positive ones to its
right, the largest outermost. The keys define word order, and a tree is non-projective if a word's
host is not its head.
"""

from dataclasses import dataclass, field
from typing import NamedTuple

from treegauge.testing.grammar import Grammar
from treegauge.testing.lexicon import XPOS, Lexicon, Uniform


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
    """The order of the clause, such as ``"SVO"``; only predicates have one."""
    free: bool = False
    taken: set[str] = field(default_factory=set)

    def takes(self, what: str) -> bool:
        """Return whether a word may still take this dependent, which it can take only once."""
        if what in self.taken:
            return False
        self.taken.add(what)
        return True


class Slot(NamedTuple):
    """Position of a new word: relation, head and key, and host if not the head."""

    rel: str
    head: Word | None
    key: float
    host: Word | None = None


class Builder:
    """A sentence under construction, with its stream of uniform numbers."""

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

    def plain(self, upos: str, lemma: str, rel: str, head: Word, key: float, feats: str = "_") -> Word:
        """Add a word that has no inflection."""
        return self.attach(upos, lemma, Slot(rel, head, key), lemma, feats, XPOS[upos])

    def attach(self, upos: str, lemma: str, slot: Slot, form: str = "", feats: str = "", xpos: str = "") -> Word:
        """Add a word to its host and to the sentence."""
        rel, head, key, host = slot
        word = Word(upos, form, lemma, xpos, feats, rel, head, key, host or head)
        if word.host is not None:
            word.host.kids.append(word)
        self.words.append(word)
        return word


def linear(root: Word) -> list[Word]:
    """Return the words in order, each host between its left and right dependents."""
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
