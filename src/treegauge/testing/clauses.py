"""Clauses, and the growth of a sentence: constituents are added wherever there is room."""

from math import log

from treegauge.testing.phrases import (
    ADPOSITION,
    CLAUSE_EDGE,
    COMMA,
    CONJUNCT,
    END,
    LINKER,
    PREDICATE_SUBJECT,
    Nominals,
    Word,
    linear,
)
from treegauge.testing.synthesise import ORDERS

CASES = ("Loc", "Ins", "Dat")
TENSES = ("Pres", "Pres", "Past", "Fut")
NONFINITE = {"embedded": "Conv", "relative": "Part"}


class Growth(Nominals):
    """Grows one sentence from a stream of uniform numbers."""

    def grow(self) -> list[Word]:
        """Return the words of a whole sentence in their order, the final stop included."""
        u = self.uniform
        # The sum of three exponentials: skewed to the right as sentence lengths are.
        size = -log((1 - u()) * (1 - u()) * (1 - u())) * self.grammar.length / 3
        target = max(1, int(size + u()))
        if target < 4:
            root = self.nominal("root", None, 0.0, "Nom")
        elif u() < 0.12:
            root = self.nominal_clause()
        else:
            root = self.clause("root", None, 0.0, "main")
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
        root = self.nominal("root", None, 0.0, "Nom")
        self.set_order(root)
        key = PREDICATE_SUBJECT if self.place(root, "S") > 0 else -PREDICATE_SUBJECT
        subject = self.nominal("nsubj", root, key, "Nom", pronoun=0.25)
        if self.uniform() < self.grammar.function_words:
            values = ("Ind", subject.number, subject.person, "Pres", "Fin")
            copula = self.language.words["AUX"][2]
            self.add("AUX", copula, values, "cop", root, -(ADPOSITION + 1) * self.after)
        return root

    def clause(
        self, rel: str, head: Word | None, key: float, kind: str, host: Word | None = None
    ) -> Word:
        """Add a verb with its subject, auxiliaries and subordinator.

        ``kind`` is ``main`` (finite), ``conjoined`` (finite, often with the subject of its head),
        ``embedded`` (finite with a subordinator, else a converb), ``relative`` (finite with a
        pronoun, else a participle) or ``infinitive``.
        """
        u = self.uniform
        lemma, _ = self.lexicon.draw("VERB", u())
        verb = self.attach(Word("VERB", lemma, lemma, "", "", rel, head, key, host or head))
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
            subject = self.nominal(relation, verb, self.place(verb, "S"), "Nom", pronoun=0.25)
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
        pronoun = self.add("PRON", self.language.words["PRON"][3], values, relation, verb, -LINKER)
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
                self.add("AUX", self.language.words["AUX"][which], values, rel, verb, near)
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
            self.nominal("obj", verb, self.place(verb, "O"), "Acc", pronoun=0.12)
        elif choice < 0.7 and any(kid.rel == "obj" for kid in verb.kids):
            if verb.takes("indirect object"):
                self.nominal("iobj", verb, self.place(verb, "O") - 0.5, "Dat", pronoun=0.4)
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
        self.nominal(rel, verb, key, case, adposition=True, pronoun=0.08)

    def subordinate(self, verb: Word) -> None:
        """Add a complement clause, an adverbial clause or another conjunct."""
        u = self.uniform
        choice = u()
        if choice < 0.45 and verb.takes("object"):
            key = 12.0 if self.after > 0 else -3.0
            if u() < 0.35:
                self.clause("xcomp", verb, key, "infinitive")
            else:
                self.clause("ccomp", verb, key, "embedded")
        elif choice < 0.7:
            side = -1 if u() < 0.5 else 1
            self.clause("advcl", verb, side * (13 + u()), "embedded")
        elif verb.rel != "conj":
            other = self.clause("conj", verb, CONJUNCT + len(verb.kids) / 100, "conjoined")
            self.coordinate(other, first=verb.takes("conjunct"))
