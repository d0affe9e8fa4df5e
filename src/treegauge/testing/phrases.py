"""Words with a place in a tree and in an order, the sentence that collects them, and nominals.

Every word has a *key* relative to its host: negative keys are to its left, positive ones to its
right, the largest outermost. Word order is nothing but the choice of keys, and a non-projective
tree is one in which a word's host is not its head.
"""

from abc import abstractmethod
from dataclasses import dataclass, field

from treegauge.testing.lexicon import XPOS, Lexicon, Uniform
from treegauge.testing.synthesise import Grammar

# Keys, from the outside in: farthest out is punctuation, then coordination, linkers.
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
        analytic = self.uniform() < self.grammar.function_words
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


ARTICLES = (
    ("Def", "Art", 0),
    ("Def", "Art", 0),
    ("Ind", "Art", 1),
    ("", "Dem", 2),
)
"""Definiteness, kind and number of a determiner; a noun has one of them four times in five."""


class Nominals(Builder):
    """Adds nominals to a sentence."""

    @abstractmethod
    def clause(
        self, rel: str, head: Word | None, key: float, kind: str, host: Word | None = None
    ) -> Word:
        """Add a clause; see :class:`~treegauge.testing.clauses.Growth`."""

    def nominal(
        self,
        rel: str,
        head: Word | None,
        key: float,
        case: str,
        *,
        host: Word | None = None,
        adposition: bool = False,
        pronoun: float = 0.0,
    ) -> Word:
        """Add a noun, name or (with the given probability) pronoun and its function words."""
        u, kind = self.uniform, self.uniform()
        number = "Sing" if u() < 0.7 else "Plur"
        case = case if u() < self.grammar.case_marking else ""
        if kind < pronoun:
            noun = self.pronoun(rel, head, key, (case, number), host)
        elif kind > 0.88:
            number = "Sing"
            lemma, gender = self.lexicon.draw("PROPN", u())
            noun = self.add("PROPN", lemma, (case, gender, number), rel, head, key, host)
            noun.gender = gender
            self.sites.append(noun)
        else:
            noun = self.noun(rel, head, key, (case, number), host)
        noun.case, noun.number = case, number
        if adposition and u() < self.grammar.function_words:
            self.linker("ADP", "case", noun, -ADPOSITION * self.after)
        return noun

    def pronoun(
        self,
        rel: str,
        head: Word | None,
        key: float,
        form: tuple[str, str],
        host: Word | None = None,
    ) -> Word:
        """Add a personal pronoun, or a possessive one where the relation says so."""
        person = int(self.uniform() * 3)
        possessive = "Yes" if rel == "nmod:poss" else ""
        values = (*form, str(person + 1), possessive, "Prs")
        lemma = self.language.words["PRON"][person]
        word = self.add("PRON", lemma, values, rel, head, key, host)
        word.person = str(person + 1)
        return word

    def noun(
        self, rel: str, head: Word | None, key: float, form: tuple[str, str], host: Word | None
    ) -> Word:
        """Add a common noun; definiteness is an article, an ending or nothing."""
        u = self.uniform
        lemma, gender = self.lexicon.draw("NOUN", u())
        case, number = form
        article, analytic = int(u() * 5), u() < self.grammar.function_words
        suffix = "Def" if article < 2 and not analytic else ""
        noun = self.add("NOUN", lemma, (case, suffix, gender, number), rel, head, key, host)
        noun.gender = gender
        if analytic and article < len(ARTICLES):
            definite, kind, which = ARTICLES[article]
            values = (case, definite, gender, number, kind)
            self.add("DET", self.language.words["DET"][which], values, "det", noun, -DETERMINER)
        self.sites.append(noun)
        return noun

    def away(self, noun: Word) -> tuple[Word, float] | None:
        """Find a place beyond the predicate of the noun's clause, for a displaced dependent."""
        if self.uniform() >= self.grammar.nonprojectivity:
            return None
        top = noun
        while top.host is not None and not top.host.order:
            top = top.host
            # Leaving a conjunct or an apposition would cross its punctuation.
            if top.rel in ("conj", "appos"):
                return None
        return (top.host, -DISPLACED if top.key > 0 else DISPLACED) if top.host else None

    def grow_noun(self, noun: Word, left: int) -> None:
        """Add a modifier to a common noun, with ``left`` words to go."""
        choice = self.uniform()
        if left < 2 or choice < 0.4:
            self.modifier(noun)
        elif choice < 0.7:
            host, key = self.away(noun) or (noun, MODIFYING_NOUN * self.after)
            self.nominal("nmod", noun, key, "Gen", host=host, adposition=True)
        elif choice < 0.76 and noun.takes("possessor"):
            self.pronoun("nmod:poss", noun, -POSSESSOR, ("", noun.number))
        elif choice < 0.88 and left >= 4:
            host, key = self.away(noun) or (noun, MODIFYING_CLAUSE * self.after)
            self.clause("acl", noun, key, "relative", host)
        else:
            self.grow_name(noun, left)

    def grow_name(self, noun: Word, left: int) -> None:
        """Add what names take too: a second conjunct, an apposition, a family name."""
        u = self.uniform
        choice, case = u(), noun.case or "Nom"
        if choice < 0.35 and noun.upos == "PROPN" and noun.takes("family name"):
            lemma, _ = self.lexicon.draw("PROPN", u())
            self.add("PROPN", lemma, (noun.case, noun.gender, "Sing"), "flat:name", noun, 1.0)
        elif choice < 0.75 and left >= 3:
            other = self.nominal("conj", noun, CONJUNCT + len(noun.kids) / 100, case)
            self.coordinate(other, first=noun.takes("conjunct"))
        elif left >= 4 and noun.takes("apposition"):
            other = self.nominal("appos", noun, LINKER, case)
            self.plain("PUNCT", "(", "punct", other, -COMMA)
            self.plain("PUNCT", ")", "punct", other, COMMA)

    def modifier(self, noun: Word) -> None:
        """Add a numeral or an adjective."""
        u = self.uniform
        if u() < 0.12 and noun.takes("numeral"):
            digits = str(2 + int(u() ** 4 * 2000))
            self.plain("NUM", digits, "nummod", noun, -NUMERAL, "NumForm=Digit|NumType=Card")
        elif noun.takes("adjective") or noun.takes("second adjective"):
            lemma, _ = self.lexicon.draw("ADJ", u())
            side = 1 if u() < self.grammar.order_freedom / 2 else -1
            host, key = self.away(noun) or (noun, side * (3.0 + u()))
            degree = "Pos" if u() < 0.9 else "Sup"
            values = (noun.case, degree, noun.gender, noun.number)
            self.sites.append(self.add("ADJ", lemma, values, "amod", noun, key, host))

    def grow_modifier(self, word: Word, _left: int) -> None:
        """Add a degree adverb to an adjective or an adverb."""
        if word.takes("adverb"):
            lemma, _ = self.lexicon.draw("ADV", self.uniform())
            self.plain("ADV", lemma, "advmod", word, -1.0)
