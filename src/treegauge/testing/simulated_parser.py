"""A simulated parser: gold trees with a given share of errors."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treegauge.core.errors import TreegaugeError
from treegauge.testing.grammar import RangedSettings, Uniform, check_parameter, parameter, uniforms
from treegauge.testing.synthetic import other_relation, perturb
from treegauge.treebanks.data import trees
from treegauge.treebanks.data.columns import Treebank
from treegauge.treebanks.data.conllu import parse_conllu

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]

#: The output of a parser, one list per column.
Columns = dict[str, list[Any]]

CONFUSABLE = {
    "NOUN": ("PROPN", "ADJ", "VERB"), "PROPN": ("NOUN", "ADJ"), "VERB": ("NOUN", "ADJ", "AUX"),
    "AUX": ("VERB",), "ADJ": ("NOUN", "VERB", "ADV"), "ADV": ("ADJ", "PART", "ADP"),
    "PRON": ("DET", "SCONJ"), "DET": ("PRON", "NUM"), "ADP": ("ADV", "SCONJ"),
    "SCONJ": ("ADP", "PRON", "ADV"), "CCONJ": ("ADV", "SCONJ"), "PART": ("ADV", "ADP"),
    "NUM": ("ADJ", "NOUN"), "INTJ": ("PART", "ADV"), "SYM": ("PUNCT", "X"), "PUNCT": ("SYM",),
}  # fmt: skip
"""The tags with which each tag is most easily confused."""

ANNOTATED = ("lemma", "upos", "xpos", "feats", "head", "deprel", "deps")
LAYERS = ("heads", "relations", "tags", "feats", "lemmas")

CEILING = 0.95
"""Maximum error probability of a word."""


@dataclass(frozen=True)
class Accuracy(RangedSettings):
    """The accuracy of a simulated parser: shares of correct words.

    Correct heads are the unlabelled attachment score; relations count whether or not the head is
    correct; tags are UPOS, which XPOS follows. `bias` controls how much harder hard words are. At 0
    all words have the same error rate. At 1 the odds grow with the length of the arc and where it
    is non-projective (for heads), and with the rarity of the relation (for heads and relations),
    tag (for tags and FEATS) or form (for lemmas).

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
    r"""Return a treebank as a parser of this accuracy might annotate it.

    A word :math:`w` is incorrect with probability :math:`\min(0.95, \lambda d_w)`, where
    :math:`d_w` is its difficulty (see ``bias``) and :math:`\lambda` sets the mean over the text to
    the requested accuracy. Trees keep one root and no cycle; forms, tokens, sentences and comments
    of the CoNLL-U stay as they are, line by line. Two parsers with the same seed make errors in
    nearly the same words; errors of two seeds are independent.

    Examples
    --------
    >>> from treegauge.testing.synthetic import synthetic_conllu
    >>> gold = synthetic_conllu(50, seed=1)
    >>> system = simulated_parse(gold, Accuracy(heads=0.8), seed=1)
    >>> system != gold, len(system.split("\n")) == len(gold.split("\n"))
    (True, True)
    """
    check_parameter("seed", seed, low=0, high=2**63 - 1, whole=True)
    gold = parse_conllu(text)
    if not len(gold):
        return text
    columns: Columns = {name: gold[name].to_list() for name in ANNOTATED}
    wrong = _mistakes(gold, accuracy, seed)
    _mistag(columns, wrong, uniforms(seed, len(LAYERS)))
    for number, (start, stop) in enumerate(pairwise(gold.offsets.tolist())):
        heads, relations = (np.flatnonzero(wrong[layer][start:stop]).tolist() for layer in ("heads", "relations"))
        if heads or relations:
            stream = uniforms(seed, len(LAYERS) + 1, number)
            _misparse(columns, slice(start, stop), heads, relations, stream)
    return gold.with_columns(columns).to_bytes().decode(errors="surrogatepass")


def _mistakes(gold: Treebank, accuracy: Accuracy, seed: int) -> dict[str, Flags]:
    """Draw the incorrect words of each layer."""
    # Arcs: 1 between neighbours, 1 more whenever the length doubles, times 3 for a gap.
    length = np.maximum(1, np.abs(trees.displacement(gold.head, gold.offsets)))
    arcs = 1 + np.log2(length)
    arcs *= np.where(trees.is_projective_arc(gold.head, gold.offsets), 1, 3)
    deprel, upos = gold["deprel"].to_list(), gold["upos"].to_list()
    relations = _rarity([name.partition(":")[0] for name in deprel]) ** accuracy.bias
    tags = _rarity(upos) ** accuracy.bias
    forms = _rarity(gold["form"].to_list()) ** accuracy.bias
    difficulties = {
        "heads": arcs**accuracy.bias * relations,
        "relations": relations * [name not in ("punct", "root") for name in deprel],
        "tags": tags,
        "feats": tags * (gold["feats"] != "_").to_numpy(),
        "lemmas": forms * (gold["lemma"] != "_").to_numpy(),
    }
    return {
        layer: np.random.default_rng((seed, stream)).random(gold.n_words)
        < _rates(1 - getattr(accuracy, layer), difficulties[layer])
        for stream, layer in enumerate(LAYERS)
    }


def _rarity(labels: list[str]) -> Floats:
    """Return the difficulty of labels: 1 for the most frequent, 2 for one 16 times rarer."""
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


def _mistag(columns: Columns, wrong: dict[str, Flags], uniform: Uniform) -> None:
    """Replace tags by confusable ones, features by those of other words, and clip lemmas."""
    upos, xpos, feats, lemma = (columns[name] for name in ("upos", "xpos", "feats", "lemma"))
    tags: dict[str, dict[str, None]] = {}
    features: dict[str, dict[str, None]] = {}
    for i, tag in enumerate(upos):
        tags.setdefault(tag, {})[xpos[i]] = None
        features.setdefault(tag, {})[feats[i]] = None

    def pick(choices: Iterable[str]) -> str:
        listed = list(choices)
        return listed[int(uniform() * len(listed))]

    for i in np.flatnonzero(wrong["feats"]).tolist():
        feats[i] = pick([value for value in features[upos[i]] if value != feats[i]] or ["_"])
    for i in np.flatnonzero(wrong["tags"]).tolist():
        upos[i] = pick(CONFUSABLE.get(upos[i], ("NOUN", "PROPN")))
        xpos[i] = pick(tags.get(upos[i], [xpos[i]]))
    for i in np.flatnonzero(wrong["lemmas"]).tolist():
        lemma[i] = lemma[i][:-1] or lemma[i] * 2


def _misparse(columns: Columns, here: slice, misplaced: list[int], mislabelled: list[int], uniform: Uniform) -> None:
    """Change heads and relations, and DEPS where it would contradict or cut off the tree."""
    old = list(zip(columns["head"][here], columns["deprel"][here], strict=True))
    heads, relations = [0, *columns["head"][here]], ["", *columns["deprel"][here]]
    perturb(heads, relations, [word + 1 for word in misplaced], uniform, relabel=0)
    for word in mislabelled:
        if heads[word + 1] != 0:
            relations[word + 1] = other_relation(relations[word + 1], uniform)
    columns["head"][here], columns["deprel"][here] = heads[1:], relations[1:]
    for word, (head, relation) in enumerate(old):
        kept = (head, relation) == (heads[word + 1], relations[word + 1])
        deps = columns["deps"][here.start + word]
        if deps != "_" and not (kept and f"|{head}:" in f"|{deps}"):
            columns["deps"][here.start + word] = f"{heads[word + 1]}:{relations[word + 1]}"


#: How uninformative probabilities are about each word; near 0 they reveal everything.
SPREAD = 4.0


def with_simulated_confidence(parsed: Treebank, gold: Treebank, *, seed: int, sharpness: float = 1.0) -> Treebank:
    r"""Return the output of a parser with probabilities of its heads, relations and trees.

    The probability of each word is drawn from a beta distribution given whether it is correct:
    :math:`\mathrm{Beta}(cm + 1, c(1 - m))` if it is and :math:`\mathrm{Beta}(cm, c(1 - m) + 1)` if
    not, where :math:`m` is the share of correct words. Then a share :math:`p` of the words with
    probability :math:`p` is correct: these probabilities are calibrated. `sharpness` multiplies
    their log odds; above 1 the parser is overconfident, below 1 underconfident. Words and sentences
    of both treebanks have to be the same.

    Examples
    --------
    >>> from treegauge.testing.simulated_parser import simulated_parse
    >>> from treegauge.testing.synthetic import synthetic
    >>> gold = synthetic(3, seed=1)
    >>> parsed = parse_conllu(simulated_parse(gold.to_bytes().decode(), seed=1))
    >>> "HeadProb=" in with_simulated_confidence(parsed, gold, seed=1)["misc"][0]
    True
    """
    if parsed.n_words != gold.n_words or len(parsed) != len(gold):
        raise TreegaugeError("confidence is simulated for the words and sentences of gold only")
    random = np.random.default_rng(seed)
    heads = parsed.head == gold.head
    relations = [
        one.partition(":")[0] == other.partition(":")[0]
        for one, other in zip(parsed["deprel"], gold["deprel"], strict=True)
    ]
    everywhere = np.ones(len(heads), bool)
    of_head = _sharpened(_drawn(heads, everywhere, random), sharpness)
    of_relation = _sharpened(_drawn(np.array(relations), heads, random), sharpness)
    logs = np.log(np.maximum(of_head * of_relation, 1e-12))
    of_tree = np.exp(np.bincount(parsed.sentence_of, logs, len(parsed)))
    fields = [
        ("" if misc == "_" else f"{misc}|") + f"HeadProb={head:.4f}|DeprelProb={relation:.4f}"
        for misc, head, relation in zip(parsed["misc"], of_head, of_relation, strict=True)
    ]
    fields = ["|".join(sorted(one.split("|"), key=str.lower)) for one in fields]
    texts = [
        _with_comment(sentence.conllu, f"# tree_prob = {tree:.4f}")
        for tree, sentence in zip(of_tree.tolist(), parsed.with_columns({"misc": fields}), strict=True)
    ]
    return parse_conllu("".join(texts), name=parsed.name)


def _with_comment(sentence: str, comment: str) -> str:
    """Add a comment after the others of a sentence."""
    lines = sentence.split("\n")
    first = next(i for i, line in enumerate(lines) if line[:1].isdigit())
    return "\n".join([*lines[:first], comment, *lines[first:]])


def _drawn(correct: Flags, known: Flags, random: np.random.Generator) -> Floats:
    """Draw probabilities given what is correct; unconditionally where that is not `known`."""
    mean = float(np.clip(correct[known].mean() if known.any() else 0.5, 0.01, 0.99))
    a = SPREAD * mean + (known & correct)
    b = SPREAD * (1 - mean) + (known & ~correct)
    return np.asarray(random.beta(a, b))


def _sharpened(probabilities: Floats, sharpness: float) -> Floats:
    inside = np.clip(probabilities, 1e-6, 1 - 1e-6)
    odds = np.log(inside / (1 - inside))
    return np.asarray(1 / (1 + np.exp(-sharpness * odds)))
