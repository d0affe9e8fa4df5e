"""A simulated parser: the gold trees with a given share of mistakes."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from treegauge.core.errors import TreegaugeError
from treegauge.testing.lexicon import Uniform, uniforms
from treegauge.testing.perturb import other_relation, perturb
from treegauge.testing.synthesise import RangedSettings, check_parameter, parameter
from treegauge.treebanks import trees

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]

ID, FORM, LEMMA, UPOS, XPOS, FEATS, HEAD, DEPREL, DEPS = range(9)

CONFUSABLE: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "NOUN": ("PROPN", "ADJ", "VERB"),
        "PROPN": ("NOUN", "ADJ"),
        "VERB": ("NOUN", "ADJ", "AUX"),
        "AUX": ("VERB",),
        "ADJ": ("NOUN", "VERB", "ADV"),
        "ADV": ("ADJ", "PART", "ADP"),
        "PRON": ("DET", "SCONJ"),
        "DET": ("PRON", "NUM"),
        "ADP": ("ADV", "SCONJ"),
        "SCONJ": ("ADP", "PRON", "ADV"),
        "CCONJ": ("ADV", "SCONJ"),
        "PART": ("ADV", "ADP"),
        "NUM": ("ADJ", "NOUN"),
        "INTJ": ("PART", "ADV"),
        "SYM": ("PUNCT", "X"),
        "PUNCT": ("SYM",),
    }
)
"""The tags that one is taken for most easily."""

LAYERS = ("heads", "relations", "tags", "feats", "lemmas")

CEILING = 0.95
"""No word goes wrong more often than this."""


@dataclass(frozen=True)
class Accuracy(RangedSettings):
    """How good a simulated parser is: the share of words that it gets correct.

    Parameters
    ----------
    heads
        Correct heads, that is, the unlabelled attachment score.
    relations
        Correct relations, whether or not the head is correct.
    tags
        Correct UPOS; XPOS follows it.
    feats
        Correct FEATS.
    lemmas
        Correct lemmas.
    bias
        How much harder hard words are. At 0 all words go wrong equally often. At 1 the odds grow
        with the length of the arc and where it is non-projective (for heads), and with the rarity
        of the relation (for heads and relations), tag (for tags and FEATS) or form (for lemmas).

    Examples
    --------
    >>> Accuracy(heads=0.8).relations
    0.95
    >>> Accuracy(heads=80)
    Traceback (most recent call last):
    treegauge.core.errors.TreegaugeError: heads is 80; expected a number from 0.1 to 1
    """

    heads: float = parameter(0.9, 0.1, 1)
    relations: float = parameter(0.95, 0.1, 1)
    tags: float = parameter(0.97, 0.1, 1)
    feats: float = parameter(0.95, 0.1, 1)
    lemmas: float = parameter(0.97, 0.1, 1)
    bias: float = parameter(1.0, 0, 4)


DEFAULT = Accuracy()


def simulated_parse(text: str, accuracy: Accuracy = DEFAULT, *, seed: int) -> str:
    r"""Return a treebank as a parser of a given quality might have annotated it.

    A word :math:`w` goes wrong with probability :math:`\min(0.95, \lambda d_w)`, where
    :math:`d_w` is its difficulty (see ``bias``) and :math:`\lambda` makes the mean over the text
    what the accuracy asks for. Trees keep one root and no cycle; forms, tokens, sentences and
    comments stay as they are. Two parsers with the same seed err at much the same words, two
    seeds err independently.

    Parameters
    ----------
    text
        CoNLL-U.
    accuracy
        What the parser gets correct.
    seed
        Which mistakes it makes.

    Returns
    -------
    str
        CoNLL-U, line by line the same words.

    Examples
    --------
    >>> from treegauge.testing.synthetic import synthetic_conllu
    >>> gold = synthetic_conllu(50, seed=1)
    >>> system = simulated_parse(gold, Accuracy(heads=0.8), seed=1)
    >>> system != gold, len(system.split("\n")) == len(gold.split("\n"))
    (True, True)
    """
    check_parameter("seed", seed, low=0, high=2**63 - 1, whole=True)
    lines = text.split("\n")
    sentences = list(_sentences(lines))
    if not sentences:
        return text
    words = [columns for sentence in sentences for columns in sentence.words]
    wrong = _mistakes(words, _arc_difficulties(sentences), accuracy, seed)
    _mistag(words, wrong, uniforms(seed, len(LAYERS)))
    start = 0
    for number, sentence in enumerate(sentences):
        here = slice(start, start := start + len(sentence.words))
        heads, relations = wrong["heads"][here], wrong["relations"][here]
        if heads.any() or relations.any():
            _misparse(sentence, heads, relations, uniforms(seed, len(LAYERS) + 1, number))
        for line, columns in zip(sentence.lines, sentence.words, strict=True):
            lines[line] = "\t".join(columns)
    return "\n".join(lines)


@dataclass(slots=True)
class _Sentence:
    """The words of a sentence and their lines."""

    lines: list[int]
    words: list[list[str]]


def _sentences(lines: list[str]) -> Iterator[_Sentence]:
    """Find the words of each sentence."""
    sentence = _Sentence([], [])
    for number, line in enumerate([*lines, ""]):
        if line[:1].isdecimal():
            columns = line.split("\t")
            if not columns[ID].isdecimal():
                continue
            if len(columns) != 10 or not columns[HEAD].isdecimal():
                raise TreegaugeError(
                    f"line {number + 1}: found {line!r}, expected ten columns and a number as HEAD"
                )
            sentence.lines.append(number)
            sentence.words.append(columns)
        elif not line.strip() and sentence.words:
            yield sentence
            sentence = _Sentence([], [])


def _arc_difficulties(sentences: list[_Sentence]) -> Floats:
    """Weigh arcs: 1 between neighbours, 1 more whenever the length doubles, times 3 for a gap."""
    heads = [int(columns[HEAD]) for sentence in sentences for columns in sentence.words]
    offsets = np.cumsum([0, *(len(sentence.words) for sentence in sentences)])
    valid = trees.is_tree(heads, offsets)
    if not valid.all():
        bad = int(np.argmin(valid))
        found = " ".join(map(str, heads[offsets[bad] : offsets[bad + 1]]))
        raise TreegaugeError(
            f"line {sentences[bad].lines[0] + 1}: found heads {found}, expected a tree: one root, "
            "no cycle, no head beyond the sentence"
        )
    length = np.maximum(1, np.abs(trees.displacement(heads, offsets)))
    return (1 + np.log2(length)) * np.where(trees.is_projective_arc(heads, offsets), 1, 3)


def _mistakes(
    words: list[list[str]], arcs: Floats, accuracy: Accuracy, seed: int
) -> dict[str, Flags]:
    """Draw the words that go wrong in each layer."""
    relations = _rarity([columns[DEPREL].partition(":")[0] for columns in words])
    tags = _rarity([columns[UPOS] for columns in words])
    forms = _rarity([columns[FORM] for columns in words])
    labelled = np.array([columns[DEPREL] not in ("punct", "root") for columns in words])
    featured = np.array([columns[FEATS] != "_" for columns in words])
    lemmatised = np.array([columns[LEMMA] != "_" for columns in words])
    difficulties = {
        "heads": (arcs * relations) ** accuracy.bias,
        "relations": relations**accuracy.bias * labelled,
        "tags": tags**accuracy.bias,
        "feats": tags**accuracy.bias * featured,
        "lemmas": forms**accuracy.bias * lemmatised,
    }
    return {
        layer: np.random.default_rng((seed, stream)).random(len(words))
        < _rates(1 - getattr(accuracy, layer), difficulties[layer])
        for stream, layer in enumerate(LAYERS)
    }


def _rarity(labels: list[str]) -> Floats:
    """Weigh labels by how rare they are: 1 for the most frequent, 2 for one 16 times rarer."""
    counts = Counter(labels)
    most = max(counts.values())
    return np.array([(counts[label] / most) ** -0.25 for label in labels])


def _rates(mean: float, difficulty: Floats) -> Floats:
    """Scale difficulties to probabilities with a given mean, none above the ceiling."""
    if mean <= 0 or not difficulty.any():
        return np.zeros_like(difficulty)
    low, high = 0.0, CEILING / float(difficulty[difficulty > 0].min())
    for _ in range(60):
        middle = (low + high) / 2
        if np.minimum(CEILING, middle * difficulty).mean() < mean:
            low = middle
        else:
            high = middle
    return np.minimum(CEILING, high * difficulty)


def _mistag(words: list[list[str]], wrong: dict[str, Flags], uniform: Uniform) -> None:
    """Give words tags they are confused with, features of other words, and clipped lemmas."""
    xpos: dict[str, dict[str, None]] = {}
    feats: dict[str, dict[str, None]] = {}
    for columns in words:
        xpos.setdefault(columns[UPOS], {})[columns[XPOS]] = None
        feats.setdefault(columns[UPOS], {})[columns[FEATS]] = None

    def pick(choices: list[str]) -> str:
        return choices[int(uniform() * len(choices))]

    for word in np.flatnonzero(wrong["feats"]):
        columns = words[word]
        others = [value for value in feats[columns[UPOS]] if value != columns[FEATS]]
        columns[FEATS] = pick(others or ["_"])
    for word in np.flatnonzero(wrong["tags"]):
        columns = words[word]
        columns[UPOS] = pick([*CONFUSABLE.get(columns[UPOS], ("NOUN", "PROPN"))])
        columns[XPOS] = pick([*xpos.get(columns[UPOS], {columns[XPOS]: None})])
    for word in np.flatnonzero(wrong["lemmas"]):
        lemma = words[word][LEMMA]
        words[word][LEMMA] = lemma[:-1] or lemma * 2


def _misparse(sentence: _Sentence, heads: Flags, relations: Flags, uniform: Uniform) -> None:
    """Change heads and relations, and DEPS where it would contradict or cut off the tree."""
    new_heads = [0, *(int(columns[HEAD]) for columns in sentence.words)]
    new_relations = ["", *(columns[DEPREL] for columns in sentence.words)]
    chosen = (np.flatnonzero(heads) + 1).tolist()
    perturb(new_heads, new_relations, chosen, uniform, relabel=0)
    for word in (np.flatnonzero(relations) + 1).tolist():
        if new_heads[word] != 0:
            new_relations[word] = other_relation(new_relations[word], uniform)
    for word, columns in enumerate(sentence.words, start=1):
        head, relation = str(new_heads[word]), new_relations[word]
        kept = (head, relation) == (columns[HEAD], columns[DEPREL])
        columns[HEAD], columns[DEPREL] = head, relation
        enhanced = columns[DEPS] != "_"
        if enhanced and not (kept and f"|{head}:" in "|" + columns[DEPS]):
            columns[DEPS] = f"{head}:{relation}"
