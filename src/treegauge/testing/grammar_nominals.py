"""Nominals: nouns, names and pronouns with their determiners, adpositions and modifiers."""

from abc import abstractmethod

from treegauge.testing.grammar_words import (
    ADPOSITION,
    COMMA,
    CONJUNCT,
    DETERMINER,
    DISPLACED,
    LINKER,
    MODIFYING_CLAUSE,
    MODIFYING_NOUN,
    NUMERAL,
    POSSESSOR,
    Builder,
    Word,
)

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
        """Add a clause; see :class:`~treegauge.testing.grammar_clauses.Growth`."""

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
        case = case if u() < self.dials.case_marking else ""
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
        if adposition and u() < self.dials.function_words:
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
        article, analytic = int(u() * 5), u() < self.dials.function_words
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
        if self.uniform() >= self.dials.nonprojectivity:
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
            side = 1 if u() < self.dials.order_freedom / 2 else -1
            host, key = self.away(noun) or (noun, side * (3.0 + u()))
            degree = "Pos" if u() < 0.9 else "Sup"
            values = (noun.case, degree, noun.gender, noun.number)
            self.sites.append(self.add("ADJ", lemma, values, "amod", noun, key, host))

    def grow_modifier(self, word: Word, _left: int) -> None:
        """Add a degree adverb to an adjective or an adverb."""
        if word.takes("adverb"):
            lemma, _ = self.lexicon.draw("ADV", self.uniform())
            self.plain("ADV", lemma, "advmod", word, -1.0)
