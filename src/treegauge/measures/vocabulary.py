"""Vocabulary and morphology: entropies, type/token ratios, features, and words unseen in training."""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from treegauge.measures.registry import (
    Additive,
    FloatArray,
    MissingError,
    need_column,
    ratio_of_sums,
    register,
    renumber,
    sentence_sums,
)
from treegauge.treebanks.data.columns import Ints, Treebank

#: Words per chunk for the standardised ratio.
CHUNK = 1000
#: Number and size of the samples of the Difficulty paper.
SAMPLES, SENTENCES = 10, 1000


def entropy_of(counts: npt.ArrayLike) -> FloatArray:
    r"""Return the entropy of counts (..., values) in bits; 0 if all counts are 0.

    .. math:: H = -\sum_v p_v \log_2 p_v
    """
    table = np.asarray(counts, dtype=np.float64)
    total = table.sum(axis=-1, keepdims=True)
    share = np.divide(table, total, out=np.zeros_like(table), where=total > 0)
    logs = np.log2(share, out=np.zeros_like(share), where=share > 0)
    return np.asarray(np.maximum(-(share * logs).sum(axis=-1), 0.0))


@register("form_entropy", "vocabulary", "entropy of word forms, in bits", bounds=(0, np.inf))
def form_entropy(treebank: Treebank) -> float:
    """Return the entropy of word forms (case-sensitive), in bits."""
    need_column(treebank, "form")
    return float(entropy_of(np.bincount(treebank.codes("form").codes)))


@register("lemma_entropy", "vocabulary", "entropy of lemmas, in bits", bounds=(0, np.inf), watched=("lemma",))
def lemma_entropy(treebank: Treebank) -> float:
    """Return the entropy of lemmas in bits; words without a lemma are left out."""
    need_column(treebank, "lemma")
    return float(entropy_of(np.bincount(treebank.codes("lemma").codes[~treebank.blank("lemma")])))


@register("ttr", "vocabulary", "type/token ratio: distinct forms divided by words")
def type_token_ratio(treebank: Treebank) -> float:
    r"""Return the number of distinct forms divided by that of words, :math:`|V| / n`.

    It decreases with text length, so it can only compare samples of the same size.
    """
    need_column(treebank, "form")
    return len(treebank.codes("form").values) / treebank.n_words


def _chunk_ratios(treebank: Treebank, chunk: int = CHUNK) -> list[FloatArray]:
    codes = treebank.codes("form").codes
    whole = len(codes) // chunk
    chunks = np.sort(codes[: whole * chunk].reshape(whole, chunk), axis=1)
    distinct = 1 + np.count_nonzero(np.diff(chunks, axis=1), axis=1)
    return [np.column_stack([distinct / chunk, np.ones(whole)])]


@register(
    "sttr", "vocabulary", "standardised type/token ratio: mean over chunks of 1,000 words",
    additive=Additive(_chunk_ratios, ratio_of_sums, least=10, units="chunks"),
)  # fmt: skip
def standardised_ttr(treebank: Treebank, *, chunk: int = CHUNK) -> float:
    """Return the mean type/token ratio of consecutive chunks of words, without the remainder."""
    need_column(treebank, "form")
    if treebank.n_words < chunk:
        raise MissingError(f"{treebank.name} has {treebank.n_words:,} words, fewer than a chunk of {chunk:,}")
    return float(_chunk_ratios(treebank, chunk)[0][:, 0].mean())


def word_samples(
    treebank: Treebank, *, samples: int = SAMPLES, sentences: int = SENTENCES, seed: int
) -> Iterator[npt.NDArray[np.int64]]:
    """Yield the words of random samples of sentences, each drawn without replacement."""
    if len(treebank) < sentences:
        raise MissingError(f"{treebank.name} has {len(treebank):,} sentences, fewer than a sample of {sentences:,}")
    random = np.random.default_rng(seed)
    for _ in range(samples):
        chosen = np.zeros(len(treebank), bool)
        chosen[random.choice(len(treebank), sentences, replace=False)] = True
        yield np.flatnonzero(chosen[treebank.sentence_of])


def distinct(codes: Ints) -> int:
    """Count distinct codes."""
    return int(np.count_nonzero(np.bincount(codes)))


@register("sampled_ttr", "vocabulary", "type/token ratio, mean over 10 samples of 1,000 sentences")
def sampled_ttr(treebank: Treebank, *, samples: int = SAMPLES, sentences: int = SENTENCES, seed: int = 0) -> float:
    """Return the mean type/token ratio over random samples of sentences."""
    need_column(treebank, "form")
    forms = treebank.codes("form").codes
    drawn = word_samples(treebank, samples=samples, sentences=sentences, seed=seed)
    return float(np.mean([distinct(forms[words]) / len(words) for words in drawn]))


@register("word_entropy", "morphology", "entropy of word forms divided by its maximum")
def word_entropy(treebank: Treebank) -> float:
    r"""Return the normalised word entropy :math:`H_{word} / \log_2 |V|`."""
    need_column(treebank, "form")
    vocabulary = len(treebank.codes("form").values)
    if vocabulary < 2:
        raise MissingError(f"{treebank.name} has a single word form")
    return form_entropy(treebank) / float(np.log2(vocabulary))


def _forms_by_lemma(treebank: Treebank, *, blanks: bool) -> npt.NDArray[np.int64]:
    need_column(treebank, "lemma")
    lemmas = treebank.codes("lemma").codes
    forms, vocabulary = treebank.codes("form")
    kept = slice(None) if blanks else ~treebank.blank("lemma")
    pairs = np.unique(lemmas[kept].astype(np.int64) * len(vocabulary) + forms[kept])
    counts = np.bincount(pairs // len(vocabulary))
    return counts[counts > 0]


@register("forms_per_lemma", "morphology", "1 - 1/(F/L): forms of a lemma, on average", watched=("lemma",))
def forms_per_lemma(treebank: Treebank, *, blanks: bool = False) -> float:
    """Return :math:`1 - 1 / (F/L)` with F/L the mean number of distinct forms of a lemma.

    If `blanks`, words without a lemma count as forms of one lemma ``_``, as in the paper's code.
    """
    return 1 - 1 / float(_forms_by_lemma(treebank, blanks=blanks).mean())


@register(
    "forms_per_inflected_lemma",
    "morphology",
    "1 - 1/(F/iL): forms of a lemma that has two or more, on average",
    watched=("lemma",),
)
def forms_per_inflected_lemma(treebank: Treebank, *, blanks: bool = False) -> float:
    r"""Return :math:`1 - 1 / (F/iL)` over lemmas with two or more forms; 0 if there are none."""
    counts = _forms_by_lemma(treebank, blanks=blanks)
    inflected = counts[counts > 1]
    return 1 - 1 / float(inflected.mean()) if len(inflected) else 0.0


def _head_tags(treebank: Treebank, heads: npt.NDArray[np.integer]) -> FloatArray:
    """Count heads' tags by type of dependent (UPOS and FEATS); words with head -1 are left out."""
    need_column(treebank, "upos")
    need_column(treebank, "feats")
    tags, names = treebank.codes("upos")
    features = treebank.codes("feats")
    kept = heads >= 0
    if not kept.any():
        raise MissingError(f"{treebank.name} has no arcs")
    kinds = tags[kept].astype(np.int64) * len(features.values) + features.codes[kept]
    dense = renumber(kinds, len(names) * len(features.values))
    cells = dense * len(names) + tags[heads[kept]]
    counts = np.bincount(cells, minlength=(dense.max() + 1) * len(names))
    return counts.reshape(-1, len(names)).astype(np.float64)


@register("hpe", "morphology", "how well UPOS and features of a word predict the UPOS of its head")
def head_pos_entropy(treebank: Treebank) -> float:
    r"""Return the normalised head part-of-speech entropy by the text's formula.

    .. math:: 1 - \frac{1}{|D|} \sum_{d \in D} \frac{HPE_d}{\log_2 |T_d|}

    with :math:`D` the types of dependents and :math:`T_d` the tags of the heads of type :math:`d`;
    a type whose heads all have the same tag contributes 0. Roots have no head and are left out.
    """
    counts = _head_tags(treebank, treebank.parents)
    several = np.count_nonzero(counts, axis=1)
    scale = np.log2(np.maximum(several, 2))
    return 1 - float((entropy_of(counts) / scale).mean())


#: Why the printed scores cannot be computed without punctuation.
_LAST_WORD = "the paper's code takes the last word, mostly punctuation, as the head of the root"


@register("hpe_published", "morphology", "hpe as in the paper's printed scores", needs_punct=_LAST_WORD)
def head_pos_entropy_published(treebank: Treebank) -> float:
    r"""Return the head part-of-speech entropy as in the paper's printed scores.

    .. math:: 1 - \frac{1}{|D|} \sum_{d \in D} \frac{HPE_d}{\log_2 |T|}

    with :math:`T` all tags of the treebank, and the last word of a sentence as the head of its
    root.
    """
    last = treebank.offsets[treebank.sentence_of + 1] - 1
    counts = _head_tags(treebank, np.where(treebank.head > 0, treebank.parents, last))
    if counts.shape[1] < 2:
        raise MissingError(f"{treebank.name} has a single UPOS")
    return 1 - float(entropy_of(counts).mean()) / float(np.log2(counts.shape[1]))


@register(
    "mc", "morphology", "morphological complexity by the paper's formula: mean of five components", watched=("lemma",)
)
def morphological_complexity(treebank: Treebank) -> float:
    """Return the mean of word entropy, TTR, both form/lemma ratios and head POS entropy.

    Notes
    -----
    Anderson and Gómez-Rodríguez (2022), appendix C, formulas as written there.
    """
    return _five_parts(treebank, head_pos_entropy(treebank), blanks=False)


def _five_parts(treebank: Treebank, hpe: float, *, blanks: bool) -> float:
    parts = [
        word_entropy(treebank), type_token_ratio(treebank),
        forms_per_lemma(treebank, blanks=blanks),
        forms_per_inflected_lemma(treebank, blanks=blanks), hpe,
    ]  # fmt: skip
    return float(np.mean(parts))


@register(
    "mc_published", "morphology", "morphological complexity as in the paper's printed scores", watched=("lemma",),
    needs_punct=_LAST_WORD,
)  # fmt: skip
def morphological_complexity_published(treebank: Treebank) -> float:
    """Return the mean of the five components, as in the code behind the printed scores.

    Head part-of-speech entropy is :func:`head_pos_entropy_published`, and words without a lemma
    count as forms of one lemma ``_``.
    """
    return _five_parts(treebank, head_pos_entropy_published(treebank), blanks=True)


def feature_counts(treebank: Treebank) -> FloatArray:
    r"""Count each pair of a feature and its value, such as ``Case=Nom``."""
    return _pair_counts(_bundles(treebank), treebank.codes("feats").codes)


def _pair_counts(bundles: npt.NDArray[np.int64], codes: Ints) -> FloatArray:
    """Count each pair in the words with these FEATS codes."""
    return np.asarray(np.bincount(codes, minlength=len(bundles)) @ bundles, np.float64)


def _bundles(treebank: Treebank) -> npt.NDArray[np.int64]:
    """Return the feature-value pairs of each value of FEATS."""
    bundles = [text.split("|") for text in treebank.codes("feats").values]
    place = {pair: i for i, pair in enumerate(dict.fromkeys(pair for b in bundles for pair in b))}
    has = np.zeros((len(bundles), len(place)), np.int64)
    for row, bundle in zip(has, bundles, strict=True):
        row[[place[pair] for pair in bundle]] = 1
    return np.delete(has, place.get("_", []), axis=1)


def _feature_table(treebank: Treebank) -> list[FloatArray]:
    has, codes = _bundles(treebank), treebank.codes("feats").codes
    return [np.column_stack([sentence_sums(column[codes], treebank) for column in has.T])]


@register("feature_types", "morphology", "number of pairs of a feature and its value", bounds=(1, np.inf))
def feature_types(treebank: Treebank) -> int:
    """Count the pairs of a feature and its value."""
    need_column(treebank, "feats")
    return len(feature_counts(treebank))


@register(
    "feature_entropy", "morphology", "entropy of pairs of a feature and its value, in bits",
    bounds=(0, np.inf), additive=Additive(_feature_table, entropy_of, "entropy"),
)  # fmt: skip
def feature_entropy(treebank: Treebank) -> float:
    """Return the entropy of the pairs of a feature and its value, over all their uses, in bits."""
    need_column(treebank, "feats")
    return float(entropy_of(feature_counts(treebank)))


def _register_sampled(name: str, meaning: str, number: Callable[[FloatArray], Any]) -> None:
    """Register the mean of a feature statistic over random samples of sentences."""

    def sampled(treebank: Treebank, *, samples: int = SAMPLES, sentences: int = SENTENCES, seed: int = 0) -> float:
        need_column(treebank, "feats")
        bundles, codes = _bundles(treebank), treebank.codes("feats").codes
        drawn = word_samples(treebank, samples=samples, sentences=sentences, seed=seed)
        return float(np.mean([number(_pair_counts(bundles, codes[sample])) for sample in drawn]))

    register(name, "morphology", meaning, bounds=(0, np.inf))(sampled)


_register_sampled(
    "sampled_feature_types",
    "number of pairs of a feature and its value, mean over 10 samples of 1,000 sentences",
    np.count_nonzero,
)
_register_sampled(
    "sampled_feature_entropy", "entropy of features, mean over 10 samples of 1,000 sentences, in bits", entropy_of
)
