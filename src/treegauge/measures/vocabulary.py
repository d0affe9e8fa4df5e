"""Vocabulary: entropy and type/token ratios."""

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from treegauge.measures.counting import blank, need_column, ratio_of_sums
from treegauge.measures.registry import Additive, FloatArray, MissingError, register
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
    return float(entropy_of(np.bincount(treebank.codes("lemma").codes[~blank(treebank, "lemma")])))


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
