"""Invented languages: stems, function words and endings made of syllables, drawn by Zipf's law."""

from bisect import bisect_left
from collections.abc import Callable, Iterator
from functools import cache, lru_cache

import numpy as np

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
