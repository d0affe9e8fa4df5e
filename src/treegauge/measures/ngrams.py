"""How alike two treebanks are in their sequences of parts of speech."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from treegauge.measures.checks import need_column
from treegauge.measures.entropy import entropy_of
from treegauge.measures.numbering import renumber
from treegauge.measures.registry import Additive, FloatArray, register
from treegauge.treebanks.columns import Treebank


class Ngrams(NamedTuple):
    """Counts of the n-grams that occur in either treebank, one column each."""

    first: FloatArray
    second: FloatArray


def _windows(treebank: Treebank, place: dict[str, int], n: int) -> npt.NDArray[np.int64]:
    """Code every n-gram; sentences have one boundary mark (code 0) before and after them."""
    codes, values = treebank.codes("upos")
    tags = np.array([place[value] for value in values], np.int64)[codes]
    if n == 1:
        return tags
    padded = np.zeros(treebank.n_words + 2 * len(treebank), np.int64)
    padded[np.arange(treebank.n_words) + 2 * treebank.sentence_of.astype(np.int64) + 1] = tags
    sentence = np.repeat(np.arange(len(treebank)), treebank.lengths + 2)
    code = np.zeros(max(len(padded) - n + 1, 0), np.int64)
    for i in range(n):
        code = code * (len(place) + 1) + padded[i : i + len(code)]
    return np.asarray(code[sentence[: len(code)] == sentence[n - 1 :]])


def upos_ngrams(first: Treebank, second: Treebank, n: int = 3) -> Ngrams:
    """Count the UPOS n-grams of two treebanks.

    One boundary mark stands before and after each sentence, so that every word is the middle of a
    trigram; unigrams are of words only. An n-gram longer than a sentence and its marks is none.
    """
    for treebank in (first, second):
        need_column(treebank, "upos")
    names = sorted({*first.codes("upos").values, *second.codes("upos").values})
    place = {name: i for i, name in enumerate(names, 1)}
    one, two = (_windows(treebank, place, n) for treebank in (first, second))
    codes = renumber(np.concatenate([one, two]), (len(place) + 1) ** n)
    size = int(codes.max(initial=-1)) + 1
    counts = (codes[: len(one)], codes[len(one) :])
    return Ngrams(*(np.bincount(part, minlength=size).astype(np.float64) for part in counts))


@register(
    "klcpos3", "similarity", "KL divergence of UPOS trigrams, KL(test || train)",
    pair=True, bounds=(0, np.inf),
)  # fmt: skip
def klcpos3(source: Treebank, target: Treebank) -> float:
    r"""Return the Kullback-Leibler divergence of UPOS trigrams, from target to source.

    .. math:: \sum_{t \in target} f_{tgt}(t) \ln \frac{f_{tgt}(t)}{f_{src}(t)}

    with :math:`f` relative frequencies; trigrams of the target that the source lacks count once
    there.

    Parameters
    ----------
    source, target
        The treebank a parser was trained on, and the one it is for.

    Notes
    -----
    Rosa and Žabokrtský (2015), KLcpos3, a language similarity measure for delexicalized parser
    transfer.
    """
    theirs, ours = upos_ngrams(source, target)
    used = ours > 0
    smoothed = np.where(used & (theirs == 0), 1.0, theirs)
    p, q = ours[used] / ours.sum(), smoothed[used] / smoothed.sum()
    return max(0.0, float((p * np.log(p / q)).sum()))


def jensen_shannon(one: npt.ArrayLike, two: npt.ArrayLike) -> FloatArray:
    r"""Return the Jensen-Shannon divergence of counts (..., values), in bits, from 0 to 1.

    .. math:: H\Bigl(\frac{p + q}{2}\Bigr) - \frac{H(p) + H(q)}{2}

    Examples
    --------
    >>> float(jensen_shannon([1, 1, 0], [0, 0, 4])), float(jensen_shannon([1, 2], [2, 4]))
    (1.0, 0.0)
    """
    p, q = (np.asarray(counts, dtype=np.float64) for counts in (one, two))
    p = p / p.sum(axis=-1, keepdims=True)
    q = q / q.sum(axis=-1, keepdims=True)
    gap = entropy_of(p + q) - (entropy_of(p) + entropy_of(q)) / 2
    return np.asarray(np.clip(gap, 0.0, 1.0))


def _tag_tables(train: Treebank, test: Treebank) -> list[npt.NDArray[np.int64]]:
    names = sorted({*train.codes("upos").values, *test.codes("upos").values})
    place = {name: i for i, name in enumerate(names)}
    tables = []
    for treebank in (train, test):
        codes, values = treebank.codes("upos")
        tags = np.array([place[value] for value in values], np.int64)[codes]
        cells = treebank.sentence_of * len(names) + tags
        counts = np.bincount(cells, minlength=len(treebank) * len(names))
        tables.append(counts.reshape(len(treebank), len(names)))
    return tables


@register(
    "upos_divergence", "similarity", "Jensen-Shannon divergence of UPOS, in bits",
    pair=True, additive=Additive(_tag_tables, jensen_shannon, distance=True),
)  # fmt: skip
def upos_divergence(train: Treebank, test: Treebank, *, n: int = 1) -> float:
    """Return the Jensen-Shannon divergence of UPOS n-grams, in bits."""
    return float(jensen_shannon(*upos_ngrams(train, test, n)))


@register(
    "upos2_divergence", "similarity", "Jensen-Shannon divergence of UPOS bigrams, in bits",
    pair=True,
)  # fmt: skip
def upos2_divergence(train: Treebank, test: Treebank) -> float:
    """Return the Jensen-Shannon divergence of UPOS bigrams, in bits."""
    return upos_divergence(train, test, n=2)


@register(
    "upos3_divergence", "similarity", "Jensen-Shannon divergence of UPOS trigrams, in bits",
    pair=True,
)  # fmt: skip
def upos3_divergence(train: Treebank, test: Treebank) -> float:
    """Return the Jensen-Shannon divergence of UPOS trigrams, in bits."""
    return upos_divergence(train, test, n=3)


@register(
    "unseen_upos_trigrams", "similarity", "share of test's UPOS trigrams that train lacks",
    pair=True,
)  # fmt: skip
def unseen_upos_trigrams(train: Treebank, test: Treebank) -> float:
    """Return the share of test's UPOS trigrams, each use counted, that do not occur in train."""
    ours, theirs = upos_ngrams(train, test)
    return float(theirs[ours == 0].sum() / theirs.sum())
