"""Probabilities of a simulated parser: calibrated, or too certain by a known amount."""

import numpy as np
from numpy.typing import NDArray

from treegauge.core.errors import TreegaugeError
from treegauge.treebanks.data.columns import Treebank
from treegauge.treebanks.data.conllu import parse_conllu

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]

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
