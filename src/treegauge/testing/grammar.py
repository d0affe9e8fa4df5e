"""An invented grammar: its parameters, its lexicon, and sentences under construction.

Every word has a *key* relative to its host: negative keys are to its left, positive ones to its
right, the largest outermost. The keys define word order, and a tree is non-projective if a word's
host is not its head.
"""

from bisect import bisect_left
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, fields
from functools import cache, lru_cache
from typing import Any, NamedTuple

import numpy as np

from treegauge.core.errors import ChoiceError, TreegaugeError

ORDERS = ("SVO", "SOV", "VSO", "VOS", "OVS", "OSV")


def parameter(default: float, low: float, high: float) -> Any:
    """Declare a parameter with its default and its range."""
    return field(default=default, metadata={"low": low, "high": high})


class RangedSettings:
    """Settings whose fields are checked against the ranges that :func:`parameter` declares."""

    def __post_init__(self) -> None:
        for each in fields(self):  # type: ignore[arg-type]
            if each.metadata:
                value, whole = getattr(self, each.name), each.type is int
                check_parameter(each.name, value, whole=whole, **each.metadata)


@dataclass(frozen=True)
class Grammar(RangedSettings):
    """The parameters of an invented grammar.

    Parameters
    ----------
    basic_order
        Order of subject, verb and object: one of SVO, SOV, VSO, VOS, OVS, OSV. Where objects
        precede verbs, adpositions follow nouns, and modifying nouns and clauses precede them.
    order_freedom
        Probability that a clause takes any of the six orders instead.
    case_marking
        Probability that a nominal is marked for case (and its adjectives and articles with it).
    function_words
        Probability that a relation or category is expressed by a function word: adposition,
        article, auxiliary, copula, subordinator, relative pronoun, coordinator. Otherwise it is an
        ending, a non-finite form, or nothing.
    nonprojectivity
        Probability that a modifier of a noun is moved beyond the predicate of its clause.
    contractions
        Probability that an adposition forms one token with its article (or, after a noun, with
        that noun).
    vocabulary
        Number of lemmas in the open classes.
    zipf
        Exponent of their rank-frequency law.
    length
        Mean number of words in a sentence, held within a few percent.
    label_noise
        Probability that a word gets an incorrect head or relation. MISC has the correct ones as
        ``TrueHead`` and ``TrueDeprel``.
    language
        Number of the invented language, which sets its sounds, words and endings. Treebanks of one
        language have the same vocabulary, whatever the seed.

    Examples
    --------
    >>> Grammar(case_marking=0.9).case_marking
    0.9
    >>> Grammar(case_marking=9)
    Traceback (most recent call last):
    treegauge.core.errors.TreegaugeError: case_marking is 9; expected a number from 0 to 1
    """

    basic_order: str = "SVO"
    order_freedom: float = parameter(0.2, 0, 1)
    case_marking: float = parameter(0.5, 0, 1)
    function_words: float = parameter(0.6, 0, 1)
    nonprojectivity: float = parameter(0.05, 0, 1)
    contractions: float = parameter(0.1, 0, 1)
    vocabulary: int = parameter(5000, 10, 1_000_000)
    zipf: float = parameter(1.0, 0, 4)
    length: float = parameter(15.0, 3, 200)
    label_noise: float = parameter(0.0, 0, 1)
    language: int = parameter(0, 0, 2**32 - 1)

    def __post_init__(self) -> None:
        if self.basic_order not in ORDERS:
            raise ChoiceError("basic_order", self.basic_order, ORDERS)
        super().__post_init__()


def check_parameter(name: str, value: object, *, low: float, high: float, whole: bool = False) -> None:
    """Refuse a parameter outside its range."""
    kinds = (int, np.integer) if whole else (int, float, np.integer, np.floating)
    if isinstance(value, bool) or not isinstance(value, kinds) or not low <= value <= high:
        kind = "a whole number" if whole else "a number"
        raise TreegaugeError(f"{name} is {value!r}; expected {kind} from {low} to {high}")


Uniform = Callable[[], float]
"""Returns the next number in [0, 1)."""

ONSETS = (*"bdfghklmnprstvzščž", "br", "dr", "gl", "kr", "pl", "st", "tr", "sk")
VOWELS = tuple("aeiouyáēöü")
CODAS = tuple("nrslmtkpdš")

SHARES = {"NOUN": 0.45, "VERB": 0.2, "ADJ": 0.15, "PROPN": 0.12, "ADV": 0.08}
"""Shares of the open classes in the vocabulary."""

FUNCTION_WORDS = {"ADP": 8, "DET": 3, "AUX": 3, "SCONJ": 4, "CCONJ": 2, "PRON": 5, "PART": 1, "INTJ": 3}

FEATURES = {
    "NOUN": ("Case", "Definite", "Gender", "Number"),
    "PROPN": ("Case", "Gender", "Number"),
    "PRON": ("Case", "Number", "Person", "Poss", "PronType"),
    "DET": ("Case", "Definite", "Gender", "Number", "PronType"),
    "ADJ": ("Case", "Degree", "Gender", "Number"),
    "VERB": ("Mood", "Number", "Person", "Tense", "VerbForm", "Voice"),
    "AUX": ("Mood", "Number", "Person", "Tense", "VerbForm"),
}
"""The features of a word class, in the order in which CoNLL-U sorts them."""

XPOS = {
    "NOUN": "N", "PROPN": "Np", "PRON": "P", "DET": "D", "ADJ": "A", "VERB": "V", "AUX": "Va",
    "ADV": "R", "ADP": "S", "SCONJ": "Cs", "CCONJ": "Cc", "PART": "Q", "INTJ": "I", "NUM": "M",
    "PUNCT": "Z",
}  # fmt: skip
"""Start of a positional tag; the features follow, one character each."""

AFFIXED = (*("Acc", "Dat", "Gen", "Loc", "Ins"), *("Def", "Plur", "1", "2", "Past", "Fut", "Part", "Conv", "Pass"))
"""Feature values with an ending of their own; the others (Nom, Sing, Pres, ...) are bare."""

GENDERS = ("Fem", "Masc", "Neut")


class InventedLanguage:
    """The sounds and endings of one invented language.

    Content stems are made of two to four open syllables and function words of one closed syllable,
    so that no lemma belongs to two words. Endings are appended one after another, one for each
    feature value that has one. Every language number has its own sounds, words and endings.

    Examples
    --------
    >>> language = InventedLanguage(0)
    >>> len({language.stem(code) for code in range(10_000)})
    10000
    >>> language.inflect("NOUN", ("Acc", "", "Fem", "Sing"))[1:]
    ('Case=Acc|Gender=Fem|Number=Sing', 'Na-fs')
    """

    def __init__(self, number: int) -> None:
        rng = np.random.default_rng((number, 0))
        onsets = rng.permutation(ONSETS)[:14].tolist()
        vowels = rng.permutation(VOWELS)[:5].tolist()
        syllables = [onset + vowel for onset in onsets for vowel in vowels]
        self._places = [rng.permutation(syllables).tolist() for _ in range(4)]
        closed = rng.permutation([syllable + coda for syllable in syllables for coda in CODAS])
        endings = rng.permutation([vowel + coda for vowel in vowels for coda in CODAS])
        names = iter(closed.tolist())
        self.words = {upos: [next(names) for _ in range(size)] for upos, size in FUNCTION_WORDS.items()}
        self._affixes: dict[str, str] = dict(zip(AFFIXED, endings.tolist(), strict=False))
        self.inflect = cache(self._inflect)

    def stem(self, code: int) -> str:
        """Return the stem of a number, in syllables; different numbers have different stems."""
        base = len(self._places[0])
        parts: list[str] = []
        # A digit is shifted by the previous ones, so that consecutive stems end differently.
        shift = 0
        while code or len(parts) < 2:
            code, digit = divmod(code, base)
            parts.append(self._places[len(parts)][(digit + shift) % base])
            shift += digit * 31
        return "".join(parts)

    def _inflect(self, upos: str, values: tuple[str, ...]) -> tuple[str, str, str]:
        """Return the ending, FEATS and XPOS of a word class with the given feature values."""
        pairs = [f"{name}={v}" for name, v in zip(FEATURES[upos], values, strict=True) if v]
        return (
            "".join(self._affixes.get(value, "") for value in values),
            "|".join(pairs) or "_",
            XPOS[upos] + "".join(value[:1].lower() or "-" for value in values),
        )


class Lexicon:
    r"""The open classes of a language, each drawn by the law of Zipf and Mandelbrot.

    The word of rank :math:`r` has probability proportional to :math:`(r + 2.7)^{-s}`, where
    `exponent` is :math:`s`; the open classes together have `vocabulary` lemmas.

    Examples
    --------
    >>> lexicon = Lexicon(InventedLanguage(0), 1000, 1.0)
    >>> lexicon.draw("NOUN", 0.0) == lexicon.draw("NOUN", 0.001)
    True
    """

    def __init__(self, language: InventedLanguage, vocabulary: int, exponent: float) -> None:
        self.language = language
        self._steps: dict[str, list[float]] = {}
        self._known: dict[str, dict[int, tuple[str, str]]] = {}
        for upos, share in SHARES.items():
            ranks = np.arange(1, max(1, round(share * vocabulary)) + 1)
            steps = np.cumsum((ranks + 2.7) ** -exponent)
            self._steps[upos] = (steps[:-1] / steps[-1]).tolist()
            self._known[upos] = {}

    def draw(self, upos: str, uniform: float) -> tuple[str, str]:
        """Return the lemma and gender at a point of the distribution in [0, 1)."""
        rank = bisect_left(self._steps[upos], uniform)
        known = self._known[upos]
        if rank not in known:
            classes = tuple(SHARES)
            lemma = self.language.stem(rank * len(classes) + classes.index(upos))
            lemma = lemma.capitalize() if upos == "PROPN" else lemma
            known[rank] = (lemma, GENDERS[rank % len(GENDERS)])
        return known[rank]


@lru_cache(maxsize=8)
def lexicon(language: int, vocabulary: int, exponent: float) -> Lexicon:
    """Return a lexicon, remembering the last few."""
    return Lexicon(InventedLanguage(language), vocabulary, exponent)


def uniforms(*key: int) -> Uniform:
    """Return the stream of a key, such as a seed and the number of a sentence.

    Examples
    --------
    >>> first, again, other = uniforms(1, 5), uniforms(1, 5), uniforms(1, 6)
    >>> first() == again(), again() == other()
    (True, False)
    """
    rng = np.random.default_rng(key)

    def stream() -> Iterator[float]:
        # Drawn in blocks; single numbers would take five times as long.
        while True:
            yield from rng.random(192).tolist()

    return stream().__next__


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
