"""Words with a place in a tree and a place in an order, and the sentence that collects them.

Every word has a *key* relative to its host: negative keys stand to its left, positive ones to its
right, the largest outermost. Word order is nothing but the choice of keys, and a non-projective
tree is one in which a word's host is not its head.
"""

from dataclasses import dataclass, field

from treegauge.testing.grammar_dials import Grammar
from treegauge.testing.grammar_lexicon import XPOS, Lexicon
from treegauge.testing.uniform import Uniform

# Keys, from the outside in: what stands farther out is punctuation, then coordination, linkers.
END, COMMA, CONJUNCT, COORDINATOR, PREDICATE_SUBJECT = 99.0, 90.0, 80.0, 60.0, 40.0
LINKER, CLAUSE_EDGE, DISPLACED, ADPOSITION = 30.0, 27.0, 22.0, 20.0
MODIFYING_CLAUSE, DETERMINER, POSSESSOR, NUMERAL, MODIFYING_NOUN = 15.0, 10.0, 9.0, 8.0, 7.0


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


class Builder:
    """A sentence in the making and its stream of uniform numbers."""

    def __init__(self, dials: Grammar, lexicon: Lexicon, uniform: Uniform) -> None:
        self.dials = dials
        self.lexicon = lexicon
        self.language = lexicon.language
        self.uniform = uniform
        self.words: list[Word] = []
        self.sites: list[Word] = []
        """The words that may still get dependents."""
        verb_first = dials.basic_order.index("V") < dials.basic_order.index("O")
        self.after = 1 if verb_first else -1
        """The side of complements and long modifiers."""

    def add(
        self,
        upos: str,
        lemma: str,
        values: tuple[str, ...],
        rel: str,
        head: Word | None,
        key: float,
        host: Word | None = None,
    ) -> Word:
        """Add a word inflected for the feature values of its class."""
        ending, feats, xpos = self.language.inflect(upos, values)
        host = head if host is None else host
        return self.attach(Word(upos, lemma + ending, lemma, xpos, feats, rel, head, key, host))

    def plain(
        self, upos: str, lemma: str, rel: str, head: Word, key: float, feats: str = "_"
    ) -> Word:
        """Add a word that has no inflection."""
        return self.attach(Word(upos, lemma, lemma, XPOS[upos], feats, rel, head, key, head))

    def attach(self, word: Word) -> Word:
        """Make a word known to its host and to the sentence."""
        if word.host is not None:
            word.host.kids.append(word)
        self.words.append(word)
        return word

    def linker(self, upos: str, rel: str, head: Word, key: float) -> None:
        """Add an adposition, subordinator or coordinator, the first ones of a kind most often."""
        names = self.language.words[upos]
        self.plain(upos, names[int(self.uniform() ** 2 * len(names))], rel, head, key)

    def comma(self, head: Word) -> None:
        """Set a constituent off from what it hangs on."""
        self.plain("PUNCT", ",", "punct", head, -COMMA if head.key > 0 else COMMA)

    def coordinate(self, conjunct: Word, *, first: bool) -> None:
        """Join a conjunct by a coordinator, a comma, or both from the second one on."""
        analytic = self.uniform() < self.dials.function_words
        if analytic:
            self.linker("CCONJ", "cc", conjunct, -COORDINATOR)
        if not (first and analytic):
            self.comma(conjunct)


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
        kids.sort(key=_key)
        stack.extend((kid, False) for kid in reversed(kids) if kid.key > 0)
        stack.append((word, True))
        stack.extend((kid, False) for kid in reversed(kids) if kid.key < 0)
    return order


def _key(word: Word) -> float:
    return word.key
