"""Generation of a sentence: clauses and nominals are added where there is room."""

from math import log

from treegauge.testing.grammar import ORDERS, Builder, Slot, Word, linear

# Keys, from the outside in: farthest out is punctuation, then coordination, linkers.
END, COMMA, CONJUNCT, COORDINATOR, PREDICATE_SUBJECT = 99.0, 90.0, 80.0, 60.0, 40.0
LINKER, CLAUSE_EDGE, DISPLACED, ADPOSITION = 30.0, 27.0, 22.0, 20.0
MODIFYING_CLAUSE, DETERMINER, POSSESSOR, NUMERAL, MODIFYING_NOUN = 15.0, 10.0, 9.0, 8.0, 7.0
CASES = ("Loc", "Ins", "Dat")
TENSES = ("Pres", "Pres", "Past", "Fut")
ARTICLES = (("Def", "Art", 0), ("Def", "Art", 0), ("Ind", "Art", 1), ("", "Dem", 2))
"""Definiteness, kind and number of a determiner; a noun has one of them four times in five."""
NONFINITE = {"embedded": "Conv", "relative": "Part"}


class Growth(Builder):
    """Grows one sentence from a stream of uniform numbers."""

    def grow(self) -> list[Word]:
        """Return the words of a sentence in order, including the final full stop."""
        u = self.uniform
        # The sum of three exponentials is skewed to the right, like sentence lengths.
        size = -log((1 - u()) * (1 - u()) * (1 - u())) * self.grammar.length / 3
        target = max(1, int(size + u()))
        if target < 4:
            root = self.nominal(Slot("root", None, 0.0), "Nom")
        elif u() < 0.12:
            root = self.nominal_clause()
        else:
            root = self.clause(Slot("root", None, 0.0), "main")
        stop = u()
        if target > 1 or stop < 0.3:
            mark = "." if stop < 0.85 else "?" if stop < 0.93 else "!"
            self.plain("PUNCT", mark, "punct", root, END)
        self.fill(target)
        return linear(root)

    def fill(self, target: int) -> None:
        """Add constituents at random sites until the sentence has its length."""
        u, words, sites = self.uniform, self.words, self.sites
        grow = {"VERB": self.grow_clause, "NOUN": self.grow_noun, "PROPN": self.grow_name}
        for _ in range(4 * target):
            left = target - len(words)
            if left <= 0 or not sites:
                return
            site = sites[int(u() * len(sites))]
            grow.get(site.upos, self.grow_modifier)(site, left)

    def set_order(self, predicate: Word) -> None:
        """Draw the order of a clause: the basic one, or any of the six."""
        u = self.uniform
        predicate.free = u() < self.grammar.order_freedom
        predicate.order = ORDERS[int(u() * 6)] if predicate.free else self.grammar.basic_order

    def place(self, predicate: Word, letter: str) -> float:
        """Return the key of the subject or object in the order of this clause."""
        return 3.0 * (predicate.order.index(letter) - predicate.order.index("V"))

    def side(self, verb: Word, key: float) -> float:
        """Return a key that keeps its side unless the clause is freely ordered."""
        return -key if verb.free and self.uniform() < 0.5 else key

    def nominal_clause(self) -> Word:
        """Start a sentence whose predicate is a noun, with or without a copula."""
        root = self.nominal(Slot("root", None, 0.0), "Nom")
        self.set_order(root)
        key = PREDICATE_SUBJECT if self.place(root, "S") > 0 else -PREDICATE_SUBJECT
        subject = self.nominal(Slot("nsubj", root, key), "Nom", pronoun=0.25)
        if self.uniform() < self.grammar.function_words:
            values = ("Ind", subject.number, subject.person, "Pres", "Fin")
            copula = self.language.words["AUX"][2]
            self.add("AUX", copula, values, Slot("cop", root, -(ADPOSITION + 1) * self.after))
        return root

    def clause(self, slot: Slot, kind: str) -> Word:
        """Add a verb with its subject, auxiliaries and subordinator.

        ``kind`` is ``main`` (finite), ``conjoined`` (finite, often with the subject of its head),
        ``embedded`` (finite with a subordinator, else a converb), ``relative`` (finite with a
        pronoun, else a participle) or ``infinitive``.
        """
        u = self.uniform
        lemma, _ = self.lexicon.draw("VERB", u())
        verb, head = self.attach("VERB", lemma, slot), slot.head
        self.sites.append(verb)
        self.set_order(verb)
        if kind == "infinitive":
            self.inflect_verb(verb, "Inf", verb, passive=False)
            return verb
        analytic, passive = u() < self.grammar.function_words, u() < 0.08
        if passive:
            verb.taken.add("object")
        subject = None
        if kind == "relative" and head is not None:
            verb.number = head.number
            subject = self.relative_subject(verb, passive=passive) if analytic else verb
        elif kind == "conjoined" and head is not None and not passive and u() < 0.5:
            subject = next((kid for kid in head.kids if kid.rel == "nsubj"), None)
        if subject is None:
            relation = "nsubj:pass" if passive else "nsubj"
            subject = self.nominal(Slot(relation, verb, self.place(verb, "S")), "Nom", pronoun=0.25)
        form = "Fin" if analytic else NONFINITE.get(kind, "Fin")
        self.inflect_verb(verb, form, subject, passive=passive)
        if kind == "embedded" and analytic:
            self.linker("SCONJ", "mark", verb, -LINKER * self.after)
        if kind in NONFINITE and u() < 0.6:
            self.comma(verb)
        return verb

    def relative_subject(self, verb: Word, *, passive: bool) -> Word | None:
        """Add a relative pronoun; return it where it is the subject and not the object."""
        u = self.uniform
        verb.rel = "acl:relcl"
        relation = "nsubj:pass" if passive else "obj" if u() < 0.4 else "nsubj"
        case = "Acc" if relation == "obj" else "Nom"
        case = case if u() < self.grammar.case_marking else ""
        values = (case, verb.number, "", "", "Rel")
        slot = Slot(relation, verb, -LINKER)
        pronoun = self.add("PRON", self.language.words["PRON"][3], values, slot)
        pronoun.number = verb.number
        if relation != "obj":
            return pronoun
        verb.taken.add("object")
        return None

    def inflect_verb(self, verb: Word, form: str, subject: Word, *, passive: bool) -> None:
        """Give a verb its form, with auxiliaries where the language uses words for it."""
        u, near = self.uniform, -0.6 * self.after
        values = ("", "", "", "", form)
        if form == "Fin":
            tense = TENSES[int(u() * len(TENSES))]
            values = ("Ind", subject.number, subject.person, tense, form)
            if (passive or u() < 0.5) and u() < self.grammar.function_words:
                rel, which = ("aux:pass", 1) if passive else ("aux", 0)
                slot = Slot(rel, verb, near)
                self.add("AUX", self.language.words["AUX"][which], values, slot)
                values = ("", "", "", "", "Part")
        if u() < 0.08:
            negation = self.language.words["PART"][0]
            self.plain("PART", negation, "advmod", verb, near * 1.5, "Polarity=Neg")
        voice = "Pass" if passive else ""
        ending, verb.feats, verb.xpos = self.language.inflect("VERB", (*values, voice))
        verb.form = verb.lemma + ending

    def grow_clause(self, verb: Word, left: int) -> None:
        """Add a complement, an adjunct or another clause to a verb, with ``left`` words to go."""
        u = self.uniform
        choice = u()
        if left < 2 or choice < 0.12:
            self.adverb(verb)
        elif choice < 0.32 and left >= 5:
            self.subordinate(verb)
        elif choice < 0.65 and verb.takes("object"):
            self.nominal(Slot("obj", verb, self.place(verb, "O")), "Acc", pronoun=0.12)
        elif choice < 0.7 and any(kid.rel == "obj" for kid in verb.kids):
            if verb.takes("indirect object"):
                slot = Slot("iobj", verb, self.place(verb, "O") - 0.5)
                self.nominal(slot, "Dat", pronoun=0.4)
        elif choice < 0.73 and left >= 3 and verb.rel == "root" and verb.takes("exclamation"):
            names = self.language.words["INTJ"]
            cry = self.plain("INTJ", names[int(u() * len(names))], "discourse", verb, 1 - COMMA)
            self.plain("PUNCT", ",", "punct", cry, COMMA)
        else:
            self.oblique(verb)

    def adverb(self, verb: Word) -> None:
        """Add an adverb next to the verb or at the edge of the clause."""
        lemma, _ = self.lexicon.draw("ADV", self.uniform())
        if verb.takes("adverb"):
            near = self.side(verb, 1.0 * self.after)
            self.sites.append(self.plain("ADV", lemma, "advmod", verb, near))
        elif verb.takes("second adverb"):
            self.sites.append(self.plain("ADV", lemma, "advmod", verb, -CLAUSE_EDGE))

    def oblique(self, verb: Word) -> None:
        """Add an adjunct, at most three to a verb; passives name their agent first."""
        u = self.uniform
        if not any(verb.takes(which) for which in ("oblique", "second", "third")):
            return
        rel, case = "obl", CASES[int(u() * len(CASES))]
        if any(kid.rel == "nsubj:pass" for kid in verb.kids) and verb.takes("agent"):
            rel, case = "obl:agent", "Ins"
        key = self.side(verb, 7 + u() if self.after > 0 else -4.5 - u())
        self.nominal(Slot(rel, verb, key), case, adposition=True, pronoun=0.08)

    def subordinate(self, verb: Word) -> None:
        """Add a complement clause, an adverbial clause or another conjunct."""
        u = self.uniform
        choice = u()
        if choice < 0.45 and verb.takes("object"):
            key = 12.0 if self.after > 0 else -3.0
            rel, kind = ("xcomp", "infinitive") if u() < 0.35 else ("ccomp", "embedded")
            self.clause(Slot(rel, verb, key), kind)
        elif choice < 0.7:
            side = -1 if u() < 0.5 else 1
            self.clause(Slot("advcl", verb, side * (13 + u())), "embedded")
        elif verb.rel != "conj":
            slot = Slot("conj", verb, CONJUNCT + len(verb.kids) / 100)
            self.coordinate(self.clause(slot, "conjoined"), first=verb.takes("conjunct"))

    def linker(self, upos: str, rel: str, head: Word, key: float) -> None:
        """Add an adposition, subordinator or coordinator, the first of a kind most often."""
        names = self.language.words[upos]
        self.plain(upos, names[int(self.uniform() ** 2 * len(names))], rel, head, key)

    def comma(self, head: Word) -> None:
        """Separate a constituent from its head by commas."""
        self.plain("PUNCT", ",", "punct", head, -COMMA if head.key > 0 else COMMA)

    def coordinate(self, conjunct: Word, *, first: bool) -> None:
        """Join a conjunct by a coordinator, a comma, or both from the second one on."""
        analytic = self.uniform() < self.grammar.function_words
        if analytic:
            self.linker("CCONJ", "cc", conjunct, -COORDINATOR)
        if not (first and analytic):
            self.comma(conjunct)

    def nominal(self, slot: Slot, case: str, *, adposition: bool = False, pronoun: float = 0.0) -> Word:
        """Add a noun, name or (with the given probability) pronoun and its function words."""
        u, kind = self.uniform, self.uniform()
        number = "Sing" if u() < 0.7 else "Plur"
        case = case if u() < self.grammar.case_marking else ""
        if kind < pronoun:
            noun = self.pronoun(slot, (case, number))
        elif kind > 0.88:
            number = "Sing"
            lemma, gender = self.lexicon.draw("PROPN", u())
            noun = self.add("PROPN", lemma, (case, gender, number), slot)
            noun.gender = gender
            self.sites.append(noun)
        else:
            noun = self.noun(slot, (case, number))
        noun.case, noun.number = case, number
        if adposition and u() < self.grammar.function_words:
            self.linker("ADP", "case", noun, -ADPOSITION * self.after)
        return noun

    def pronoun(self, slot: Slot, form: tuple[str, str]) -> Word:
        """Add a personal pronoun, or a possessive one where the relation says so."""
        person = int(self.uniform() * 3)
        possessive = "Yes" if slot.rel == "nmod:poss" else ""
        values = (*form, str(person + 1), possessive, "Prs")
        word = self.add("PRON", self.language.words["PRON"][person], values, slot)
        word.person = str(person + 1)
        return word

    def noun(self, slot: Slot, form: tuple[str, str]) -> Word:
        """Add a common noun; definiteness is an article, an ending or nothing."""
        u = self.uniform
        lemma, gender = self.lexicon.draw("NOUN", u())
        case, number = form
        article, analytic = int(u() * 5), u() < self.grammar.function_words
        suffix = "Def" if article < 2 and not analytic else ""
        noun = self.add("NOUN", lemma, (case, suffix, gender, number), slot)
        noun.gender = gender
        if analytic and article < len(ARTICLES):
            definite, kind, which = ARTICLES[article]
            values = (case, definite, gender, number, kind)
            slot = Slot("det", noun, -DETERMINER)
            self.add("DET", self.language.words["DET"][which], values, slot)
        self.sites.append(noun)
        return noun

    def away(self, noun: Word) -> tuple[Word, float] | None:
        """Return a position beyond the predicate of the noun's clause, for a moved dependent."""
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
            self.nominal(Slot("nmod", noun, key, host), "Gen", adposition=True)
        elif choice < 0.76 and noun.takes("possessor"):
            self.pronoun(Slot("nmod:poss", noun, -POSSESSOR), ("", noun.number))
        elif choice < 0.88 and left >= 4:
            host, key = self.away(noun) or (noun, MODIFYING_CLAUSE * self.after)
            self.clause(Slot("acl", noun, key, host), "relative")
        else:
            self.grow_name(noun, left)

    def grow_name(self, noun: Word, left: int) -> None:
        """Add dependents of names: a second conjunct, an apposition, a family name."""
        u = self.uniform
        choice, case = u(), noun.case or "Nom"
        if choice < 0.35 and noun.upos == "PROPN" and noun.takes("family name"):
            lemma, _ = self.lexicon.draw("PROPN", u())
            values = (noun.case, noun.gender, "Sing")
            self.add("PROPN", lemma, values, Slot("flat:name", noun, 1.0))
        elif choice < 0.75 and left >= 3:
            other = self.nominal(Slot("conj", noun, CONJUNCT + len(noun.kids) / 100), case)
            self.coordinate(other, first=noun.takes("conjunct"))
        elif left >= 4 and noun.takes("apposition"):
            other = self.nominal(Slot("appos", noun, LINKER), case)
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
            self.sites.append(self.add("ADJ", lemma, values, Slot("amod", noun, key, host)))

    def grow_modifier(self, word: Word, _left: int) -> None:
        """Add a degree adverb to an adjective or an adverb."""
        if word.takes("adverb"):
            lemma, _ = self.lexicon.draw("ADV", self.uniform())
            self.plain("ADV", lemma, "advmod", word, -1.0)
